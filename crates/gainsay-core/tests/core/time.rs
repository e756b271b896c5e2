//! The time limit.

use gainsay_core::{Case, settings};
use std::time::Duration;

/// The clock is looked at after the first case, whoever decides the choices: slow cases make no run longer than its limit by more
/// than one of them.
#[test]
fn the_time_limit_holds_from_the_first_case_on() {
    let over = || settings().seed(1).without_corpus().time(Duration::ZERO);
    let said = "passed: 1 case, ended by the time limit";
    assert_eq!(over().verdict_for_all(|_: u64| true).to_string(), said);
    assert_eq!(over().random_only().verdict_for_all(|_: u64| true).to_string(), said);
    assert_eq!(over().exhaustive().verdict_for_all(|_: u64| true).to_string(), said);
    assert_eq!(over().verdict(|case: &mut Case| case.int(0..=1_000_000u64) < 2_000_000).to_string(), said);
}
