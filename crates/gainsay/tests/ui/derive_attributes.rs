use gainsay::prelude::*;

#[derive(Arbitrary)]
#[weight(1)]
#[with(0..1)]
enum Misplaced {
    #[with(0..1)]
    A(#[weight(2)] u8),
    #[weight(-1)]
    B,
    #[weight(5_000_000_000)]
    C,
    #[weight]
    D,
    #[weight(1)]
    #[weight(2)]
    E(
        #[with(0..1)]
        #[with(0..2)]
        u8,
    ),
    F(#[with()] u8),
}

fn main() {}
