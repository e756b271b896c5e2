use gainsay::prelude::*;

#[property]
#[example]
#[example(1)]
#[example(1, "a", 2)]
#[example(1, =)]
fn pairs(n: u8, s: &str) -> bool {
    true
}

#[property]
#[example(1)]
fn nothing_to_give(case: &mut Case) -> bool {
    true
}

fn main() {}
