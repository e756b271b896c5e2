use gainsay::prelude::*;

#[property]
fn case_comes_late(n: u8, case: &mut Case) -> bool {
    true
}

#[property]
fn case_is_drawn(#[with(0..1)] case: &mut Case) -> bool {
    true
}

fn main() {}
