use gainsay::prelude::*;

#[property]
const unsafe extern "C" fn foreign(n: u8) -> bool {
    n == n
}

fn main() {}
