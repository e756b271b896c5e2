use gainsay::prelude::*;

#[property]
fn generic<'a, T: Arbitrary, const N: usize>(items: &'a [T; N]) -> bool {
    items.len() == N
}

fn main() {}
