//! A failure that was seen is never lost, whatever comes after it.

use gainsay_core::{Case, Settings, Verdict, settings};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Code under test that answers wrongly when it pleases, and knows whether it has.
#[derive(Default)]
struct Unreliable {
    calls: AtomicU64,
    wrong: AtomicU64,
}

impl Unreliable {
    /// The answer to call number `n` is wrong if `is_wrong(n)`.
    fn answers(&self, is_wrong: impl Fn(u64) -> bool) -> bool {
        let wrong = is_wrong(self.calls.fetch_add(1, SeqCst) + 1);
        self.wrong.fetch_add(u64::from(wrong), SeqCst);
        !wrong
    }

    fn was_wrong(&self) -> bool {
        self.wrong.load(SeqCst) > 0
    }
}

/// A case with several calls, of which each may be answered wrongly: what is drawn depends on the answers.
fn session(subject: &Unreliable, is_wrong: &(dyn Fn(u64) -> bool + Sync), case: &mut Case) -> bool {
    while case.flag() {
        case.int(0..=2u8);
        if !subject.answers(is_wrong) {
            return false;
        }
    }
    true
}

fn quiet(seed: u64) -> Settings {
    settings().seed(seed).without_corpus().cases(300)
}

type Mode = (&'static str, fn(Settings, &mut dyn FnMut(&mut Case) -> bool) -> Verdict);

const MODES: [Mode; 4] = [
    ("usual", |settings, property| settings.verdict(property)),
    ("random", |settings, property| settings.random_only().verdict(property)),
    ("exhaustive", |settings, property| settings.exhaustive_up_to(7).verdict(property)),
    ("perturbed", |settings, property| settings.exhaustive_up_to(7).perturbed(3).verdict(property)),
];

#[test]
fn a_wrong_answer_at_the_nth_call_is_never_forgotten() {
    for n in 1..=200 {
        for (mode, verdict) in MODES {
            let subject = Unreliable::default();
            let verdict = verdict(quiet(n), &mut |case| session(&subject, &|call| call == n, case));
            assert!(subject.was_wrong(), "{mode}: call {n} was never made: {verdict}");
            assert!(matches!(verdict, Verdict::Flaky(_)), "{mode}, call {n}: {verdict}");
        }
    }
}

#[test]
fn answers_that_go_wrong_from_the_nth_call_on_are_falsified() {
    for n in (1..=200).step_by(3) {
        for (mode, verdict) in MODES {
            let subject = Unreliable::default();
            let verdict = verdict(quiet(n), &mut |case| session(&subject, &|call| call >= n, case));
            assert!(matches!(verdict, Verdict::Falsified(_)), "{mode}, call {n}: {verdict}");
        }
    }
}

#[test]
fn wrong_answers_at_random_end_in_no_good_verdict() {
    for rate in [1, 10, 50, 90] {
        for seed in 0..40 {
            for (mode, verdict) in MODES {
                let subject = Unreliable::default();
                let is_wrong = |call: u64| mixed(seed, call) % 100 < rate;
                let verdict = verdict(quiet(seed), &mut |case| session(&subject, &is_wrong, case));
                let good = verdict.is_good() || matches!(verdict, Verdict::GaveUp(_));
                assert!(!(good && subject.was_wrong()), "{mode}, {rate} %, seed {seed}: {verdict}");
            }
        }
    }
}

#[test]
fn wrong_answers_on_several_threads_end_in_no_good_verdict() {
    for n in 1..=200 {
        let subject = Unreliable::default();
        let verdict =
            quiet(n).threads(3).verdict(|case: &mut Case| session(&subject, &|call| call == n, case));
        assert!(!(verdict.is_good() && subject.was_wrong()), "call {n}: {verdict}");
    }
}

/// Code that may answer in several ways, all of them right, is no reason to blame the generator.
#[test]
fn code_that_answers_in_several_ways_is_tested_by_random_cases() {
    let calls = AtomicU64::new(0);
    let property = |case: &mut Case| {
        while case.flag() {
            if mixed(1, calls.fetch_add(1, SeqCst)).is_multiple_of(3) {
                case.int(0..=5u8);
            }
        }
        true
    };
    let report = quiet(1).report(property).unwrap();
    assert_eq!(report.verdict.cases(), 300, "{report}");
    assert!(report.verdict.is_good(), "{report}");
    let remark = report.remarks.join("\n");
    assert!(remark.contains("the generator or the code under test is not deterministic"), "{remark}");
    let verdict = quiet(1).exhaustive_up_to(9).verdict(property);
    assert!(matches!(&verdict, Verdict::GaveUp(why) if why.reason.contains("code under test")), "{verdict}");
}

/// What fails for a while and then no more is flaky, wherever it stops: before, while or after it is shrunk.
#[test]
fn what_is_shown_as_falsified_failed_to_the_end() {
    let mut flaky = 0;
    for failing in 1..=120 {
        let subject = Unreliable::default();
        let verdict = quiet(failing).without_explanation().verdict_for_all(|items: Vec<u8>, _: u32| {
            items.iter().map(|item| u32::from(*item)).sum::<u32>() < 600
                || subject.answers(|call| call <= failing)
        });
        let calls = subject.calls.load(SeqCst);
        match &verdict {
            Verdict::Flaky(one) => {
                flaky += 1;
                assert!(one.failed < one.runs, "{verdict}");
            }
            Verdict::Falsified(_) => assert!(calls <= failing, "{calls} calls, {failing} failing: {verdict}"),
            _ => panic!("{failing}: {verdict}"),
        }
    }
    assert!(flaky > 20, "{flaky}");
}

/// A number without a pattern.
fn mixed(seed: u64, n: u64) -> u64 {
    let mut x = (seed << 32 ^ n).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
