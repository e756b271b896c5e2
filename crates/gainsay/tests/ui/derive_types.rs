use gainsay::prelude::*;

#[derive(Arbitrary)]
enum Never {}

#[derive(Arbitrary)]
union Either {
    a: u8,
    b: i8,
}

#[derive(Arbitrary)]
struct Borrowed<'a>(&'a str);

#[derive(Arbitrary)]
enum Weightless {
    #[weight(0)]
    A,
    #[weight(0)]
    B,
}

fn main() {}
