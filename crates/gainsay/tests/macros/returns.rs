//! Every kind of claim, and asynchronous properties.

use gainsay::prelude::*;
use std::pin::Pin;
use std::task::{Context, Poll};

#[property(cases = 100, seed = 1)]
fn truth(n: u8) -> bool {
    n.checked_add(1).is_some() || n == 255
}

#[property(cases = 100, seed = 1)]
fn nothing(n: u8) {
    assert!(u16::from(n) < 256);
}

#[property(cases = 100, seed = 1)]
fn result(n: u16) -> Result<(), std::num::ParseIntError> {
    let back: u16 = n.to_string().parse()?;
    assert_eq!(back, n);
    Ok(())
}

#[property(cases = 100, seed = 1)]
fn result_of_a_claim(n: u16) -> Result<bool, std::num::ParseIntError> {
    Ok(n.to_string().parse::<u16>()? == n)
}

#[property(cases = 100, seed = 1)]
fn logic(a: u8, b: u8) -> Property {
    (a < b).iff(b > a).and(equal(a ^ b, b ^ a))
}

#[property(cases = 100, seed = 1)]
fn premise(a: u8) -> Property {
    (a > 0).implies(|| at_most(a / 2, a - 1))
}

#[property(cases = 100, seed = 1)]
fn some_claim(s: &str) -> impl Claim {
    for_each(s.chars(), |c| s.contains(c)).or(s.is_empty())
}

#[property(cases = 100, seed = 1)]
fn rejected_by_question_mark(case: &mut Case, n: u8) -> Result<bool, gainsay::Rejected> {
    case.try_assume(n > 2)?;
    Ok(n >= 3)
}

/// Ready when asked the second time.
struct Later(bool);

impl Future for Later {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let ready = std::mem::replace(&mut self.0, true);
        context.waker().wake_by_ref();
        if ready { Poll::Ready(()) } else { Poll::Pending }
    }
}

#[property(cases = 100, seed = 1)]
async fn asynchronous(n: u8, s: &str) -> bool {
    Later(false).await;
    s.len() + usize::from(n) >= s.len()
}

#[property(cases = 100, seed = 1)]
#[example(3, &mut vec![1])]
async fn asynchronous_with_the_case(case: &mut Case, n: u8, items: &mut Vec<u8>) -> Result<(), String> {
    let extra = case.int(0..=n);
    Later(false).await;
    items.push(extra);
    if items.last() == Some(&extra) { Ok(()) } else { Err(format!("{items:?}")) }
}

#[property(cases = 50, seed = 1)]
async fn asynchronous_without_a_value(#[with(0..3)] n: u8) {
    for _ in 0..n {
        Later(false).await;
    }
}

mod attributes {
    use gainsay::prelude::*;

    /// Attributes of the test stay: this one would fail otherwise.
    #[property(cases = 10, seed = 1)]
    #[example(0)]
    #[should_panic(expected = "example = 0")]
    pub(crate) fn panics(n: u8) -> bool {
        n > 0
    }

    #[property]
    #[cfg(any())]
    fn configured_away(n: Unknown) -> bool {
        n.does_not_compile()
    }
}
