//! Traits that cannot be mocked: each with its reason.

use gainsay::mock;

#[mock]
trait Refused {
    type Item;
    fn generic<T>(&self, value: T);
    fn borrowed(&self) -> &str;
    fn made() -> u8;
    fn hidden(&self, value: impl Clone);
}

#[mock]
trait Borrowing<'a> {
    fn fine(&self) -> u8;
}

#[mock(loudly)]
trait Set {
    fn fine(&self) -> u8;
}

fn main() {}
