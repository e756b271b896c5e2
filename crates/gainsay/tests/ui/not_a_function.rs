use gainsay::prelude::*;

#[property]
struct Account;

#[property]
#[test]
fn tested_twice(n: u8) -> bool {
    true
}

fn main() {}
