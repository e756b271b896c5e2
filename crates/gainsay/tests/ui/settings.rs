use gainsay::prelude::*;

#[property(case = 5, cases, exhaustive = true, seed = 1, seed = 2, random_only, exhaustive_up_to = 3)]
fn settings_that_make_no_sense(n: u8) -> bool {
    true
}

#[property(cases: 5)]
fn settings_that_cannot_be_read(n: u8) -> bool {
    true
}

fn main() {}
