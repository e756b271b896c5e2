//! What a failing run shows.

use crate::support::{Folder, assert_contains, found, seeded};
use gainsay::prelude::*;
use gainsay::{Error, Report};
use std::panic::catch_unwind;

fn message(run: impl FnOnce() + std::panic::UnwindSafe) -> String {
    *catch_unwind(run).unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn a_failing_check_panics_with_everything_needed_to_go_on() {
    let report = message(|| seeded(7).for_all(|n: u32, _: u64| n < 1000));
    for part in [
        "reports::a_failing_check_panics_with_everything_needed_to_go_on: falsified after",
        "2 choices shrunk to 2 with",
        "#1 = 1000\n",
        "#2 = 0    (any other value fails too)",
        "the property is false",
        "replay  GAINSAY_REPLAY='1:",
        "000,0' cargo test -- --exact reports::a_failing_check_panics_with_everything_needed_to_go_on",
        "seed    7",
    ] {
        assert_contains(&report, part);
    }
    seeded(7).for_all(|n: u32, _: u64| u64::from(n) < 1 << 32);
}

#[test]
fn draws_and_notes_of_a_property_that_draws_are_shown() {
    let property = |case: &mut Case| {
        let list = case.vec(0..=5, |case| case.int(0..=99u8));
        let text: String = case.any();
        list.len() < 2 || text.is_empty()
    };
    let verdict = seeded(1).verdict(property);
    assert_eq!(found(&verdict).draws, "[0, 0], ['a']");
    assert_contains(&verdict.to_string(), "draws: [0, 0], ['a']");
    let noted = |case: &mut Case| {
        let n: u8 = case.any();
        case.note("doubled", &(2 * u32::from(n)));
        n < 9
    };
    let verdict = seeded(1).verdict(noted).to_string();
    assert_contains(&verdict, "doubled = 18");
    assert_contains(&verdict, "draws: 9");
}

#[test]
fn alternatives_are_drawn_and_shown_too() {
    let verdict = seeded(1).verdict(|case| case.index(10) < 7);
    assert_contains(&verdict.to_string(), "draws: 7");
}

#[test]
fn notes_are_made_only_for_the_case_that_is_shown() {
    let mut shown = 0;
    let verdict = seeded(1).verdict(|case| {
        let n: u32 = case.any();
        shown += u32::from(case.is_shown());
        n < 100
    });
    assert_eq!((found(&verdict).draws.as_str(), shown), ("100", 1));
}

#[test]
fn remarks_and_statistics_go_with_the_report() {
    let report = seeded(3).report(|case| {
        let n: i8 = case.any();
        case.classify("negative", n < 0);
        case.collect("parity", if n % 2 == 0 { "even" } else { "odd" });
    });
    let report: Result<Report, Error> = report;
    let report = report.unwrap();
    assert_eq!(report.name, "it::reports::remarks_and_statistics_go_with_the_report");
    assert_eq!(report.seed, 3);
    let shown = report.to_string();
    assert_contains(&shown, " %  negative");
    assert_contains(&shown, " %  parity: even");
}

#[test]
fn the_name_of_a_run_can_be_chosen() {
    let folder = Folder::new("named");
    let report = seeded(1)
        .corpus(folder.path())
        .name("a name: with/odd characters")
        .report_for_all(|n: u8| n < 3)
        .unwrap();
    assert_eq!(report.name, "a name: with/odd characters");
    let file = folder.only_file();
    assert!(
        file.starts_with(folder.path())
            && file.components().count() == folder.path().components().count() + 2
    );
}
