use gainsay::prelude::*;

#[derive(Debug, Arbitrary)]
struct Dice(#[with(1..=6)] u8);

fn main() {
    println!("{:?}", nth::<Dice>(0));
}
