use gainsay::prelude::*;

#[property]
fn several_at_once(
    text: &'static str,
    shown: impl std::fmt::Debug,
    #[with(0..1)]
    #[with(0..2)]
    #[with]
    n: u8,
    #[with(0..1, 2)] m: u8,
    #[cfg(unix)] o: u8,
) -> bool {
    true
}

fn main() {}
