//! Traits that cannot be mocked: each with its reason.

use gainsay::mock;

#[mock]
trait Refused {
    type Item;
    fn generic<T>(&self, value: T);
    fn borrowed(&self) -> &str;
    fn made() -> u8;
    fn hidden(&self, value: impl Clone);
    fn behind(&self, value: &dyn Send);
    fn boxed(&self, value: Box<dyn Fn()>);
    fn inside(&self, value: Option<&str>);
    fn elements(&self, value: &[&str]);
    fn changed(&self, value: &mut str);
    fn same(&self, other: &Self) -> bool;
    fn itself(&self) -> Option<Self>
    where
        Self: Sized;
    fn many(&self, a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8, k: u8, l: u8, m: u8);
}

#[mock]
trait Returning {
    fn future(&self) -> std::pin::Pin<Box<dyn Future<Output = u8>>>;
}

#[mock]
trait Alike {
    #[expect(non_snake_case)]
    fn Read(&self) -> u8;
    fn read(&self) -> u8;
}

#[mock]
unsafe trait Unsafe {
    fn fine(&self) -> u8;
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
