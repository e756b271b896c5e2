//! Sources: who decides, and that the same decisions make the same case.

use crate::support::{Folder, Tree, assert_contains, found, minimum, seeded};
use gainsay::choice::{Choice, Kind, Shape};
use gainsay::prelude::*;
use gainsay::source::{Hint, Source};
use gainsay::{Origin, Record, conformance};
use std::cell::Cell;
use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

type Mixed = (Vec<Option<i32>>, String, f64, BTreeMap<u8, Tree>, [char; 2]);

/// Gives recorded numbers again.
struct Numbers(Vec<u64>);

impl Source for Numbers {
    fn choose(&mut self, shape: &Shape, _: Hint<'_>, so_far: &[Choice]) -> Option<u64> {
        Some(self.0.get(so_far.len()).copied().unwrap_or(0).min(shape.max))
    }
}

fn shown(case: &mut Case) -> String {
    format!("{:?}", case.any::<Mixed>())
}

#[test]
fn a_case_depends_on_its_seed_and_number_alone() {
    let mut seen = HashSet::new();
    for seed in 0..20 {
        for index in [0, 1, 2, 1000, u64::MAX] {
            let value = shown(&mut Case::random(seed, index));
            assert_eq!(value, shown(&mut Case::random(seed, index)));
            seen.insert(value);
        }
    }
    assert!(seen.len() >= 98, "different cases are different: {}", seen.len());
}

#[test]
fn variants_and_options_do_not_depend_on_earlier_cases_labels_or_threads() {
    #[derive(Debug, Arbitrary)]
    #[expect(dead_code, reason = "it is only shown")]
    enum Branch {
        Fork(Box<Branch>, Box<Branch>),
        Left,
        Right,
        Number(u8),
    }

    /// So many choices that memory for them runs out on the way, with others between them.
    fn mixed(case: &mut Case) -> String {
        let few: Vec<usize> = (0..3).map(|_| case.option(7, &[])).collect();
        let many: Vec<(Branch, u8)> = (0..40).map(|_| case.any()).collect();
        format!("{few:?} {many:?}")
    }
    let plain = |threads: usize, label: bool| {
        let drawn = std::sync::Mutex::new(HashSet::new());
        seeded(3).random_only().cases(60).threads(threads).check(|case: &mut Case| {
            if label {
                case.classify("early", true);
            }
            drawn.lock().unwrap().insert(mixed(case));
        });
        drawn.into_inner().unwrap()
    };
    let alone: HashSet<String> = plain(1, false);
    for (threads, label) in [(1, true), (2, false), (2, true)] {
        let drawn = plain(threads, label);
        assert!(
            alone.is_subset(&drawn),
            "{} of {} are alike",
            alone.intersection(&drawn).count(),
            alone.len()
        );
    }
}

#[test]
fn types_with_one_name_are_told_apart() {
    let two = |case: &mut Case| {
        let many = {
            #[derive(Debug, Arbitrary)]
            enum T {
                A,
                B,
                C,
                D,
                E,
            }
            format!("{:?}", case.any::<T>())
        };
        let few = {
            #[derive(Debug, Arbitrary)]
            enum T {
                X,
                Y,
            }
            format!("{:?}", case.any::<T>())
        };
        (many, few)
    };
    let drawn: HashSet<(String, String)> = (0..500).map(|index| two(&mut Case::random(1, index))).collect();
    assert_eq!(drawn.len(), 10);
}

#[test]
fn spans_are_nested_though_a_panic_was_caught_inside_of_one() {
    for index in 0..200 {
        let mut case = Case::random(1, index);
        case.repeat(0..=9, |case| {
            let _ = gainsay::quietly(|| {
                case.span("tried", |case| case.vec(0..=3, |case| assert!(case.int(0..=9u8) != 5)));
            });
            case.flag();
            true
        });
        let mut open: Vec<gainsay::Span> = Vec::new();
        for span in case.record().spans {
            open.truncate(span.depth as usize);
            assert!(open.iter().all(|outer| outer.start <= span.start && span.end <= outer.end));
            open.push(span);
        }
    }
}

#[test]
fn a_run_draws_the_same_cases_however_it_is_asked() {
    let cases = |seed: u64, cases: u64, ask: &dyn Fn(gainsay::Settings, &mut Vec<String>)| {
        let mut drawn = Vec::new();
        ask(seeded(seed).random_only().cases(cases), &mut drawn);
        drawn
    };
    let typed = |settings: gainsay::Settings, drawn: &mut Vec<String>| {
        settings.for_all(|a: Vec<u16>, b: String| drawn.push(format!("{a:?} {b:?}")));
    };
    let drawing = |settings: gainsay::Settings, drawn: &mut Vec<String>| {
        settings.check(|case| drawn.push(format!("{:?} {:?}", case.any::<Vec<u16>>(), case.any::<String>())));
    };
    let with = |settings: gainsay::Settings, drawn: &mut Vec<String>| {
        settings.check_with(any::<(Vec<u16>, String)>(), |(a, b)| drawn.push(format!("{a:?} {b:?}")));
    };
    let all = cases(11, 2000, &typed);
    assert_eq!(all, cases(11, 2000, &typed), "the same seed");
    assert_eq!(all, cases(11, 2000, &drawing));
    assert_eq!(all, cases(11, 2000, &with));
    assert_ne!(all, cases(12, 2000, &typed), "another seed");
    // A longer run begins with the same cases (from a thousand on sizes grow over a hundred cases).
    assert_eq!(all[..1500], cases(11, 3000, &typed)[..1500]);
}

#[test]
fn the_recorded_numbers_make_the_same_value_again() {
    for index in 0..500 {
        let mut case = Case::random(5, index);
        let value = shown(&mut case);
        let record = case.record();
        let mut again = Case::from_source(Box::new(Numbers(record.values())));
        assert_eq!(shown(&mut again), value);
        assert_eq!(again.record(), record, "and the same choices and spans");
    }
}

#[test]
fn filters_leave_no_trace_of_what_they_refused() {
    let odd =
        |case: &mut Case| case.vec(0..=9, |case| case.filter(|case| case.int(0..=999u32), |n| n % 7 == 3));
    for index in 0..200 {
        let mut case = Case::random(6, index);
        let list = odd(&mut case);
        assert!(list.iter().all(|n| n % 7 == 3));
        let values = case.record().values();
        assert_eq!(values.len(), 2 * list.len() + 1, "{values:?}");
        assert_eq!(odd(&mut Case::from_source(Box::new(Numbers(values)))), list);
    }
}

#[test]
fn spans_enclose_what_was_drawn_in_them() {
    let mut case = Case::random(1, 300);
    case.span("outer", |case| {
        let _: u8 = case.any();
        case.span("inner", |case| case.any::<(u8, u8)>());
    });
    let Record { choices, spans, .. } = case.record();
    assert_eq!(choices.len(), 3);
    let spans: Vec<_> = spans.iter().map(|span| (span.label, span.start, span.end, span.depth)).collect();
    assert_eq!(spans, [("outer", 0, 3, 0), ("inner", 1, 3, 1)]);
}

#[test]
fn a_span_that_a_panic_left_open_holds_what_was_drawn_in_it() {
    let mut case = Case::random(1, 300);
    let panic = AssertUnwindSafe(|| {
        case.span("outer", |case| {
            let _: u8 = case.any();
            case.span("inner", |case| assert_eq!(case.any::<(u8, u8)>(), (0, 0), "planted"));
        });
    });
    assert!(catch_unwind(panic).is_err());
    let spans: Vec<_> = case.record().spans.iter().map(|span| (span.label, span.start, span.end)).collect();
    assert_eq!(spans, [("outer", 0, 3), ("inner", 1, 3)]);
}

#[test]
fn every_input_of_a_fuzzer_is_a_case() {
    let draw = |bytes: &[u8]| Case::from_bytes(bytes).any::<(Vec<u16>, bool)>();
    assert_eq!(draw(&[]), (vec![], false), "nothing is simplest");
    assert_eq!(draw(&[1, 0x34, 0x12, 3, 7, 0, 0, 1]), (vec![0x1234, 7], true));
    assert_eq!(draw(&[1, 0x34]), (vec![0x34], false), "what is missing is zero");
    seeded(2).for_all(|bytes: Vec<u8>| {
        let text = |bytes: &[u8]| shown(&mut Case::from_bytes(bytes));
        equal(text(&bytes), text(&bytes))
    });
    // A float is read as its bits, a character as its code point.
    assert_eq!(Case::from_bytes(&1.5f64.to_le_bytes()).any::<f64>(), 1.5);
    assert_eq!(Case::from_bytes(&u32::from('é').to_le_bytes()).any::<char>(), 'é');
}

#[test]
fn a_fuzzer_reaches_what_a_property_forbids() {
    // The smallest fuzzer there is: all inputs of two bytes.
    let fails = |case: &mut Case| case.int(0..=255u8) == 0xbe && case.int(0..=255u8) == 0xef;
    let found: Vec<u32> =
        (0..=0xffff).filter(|n: &u32| fails(&mut Case::from_bytes(&n.to_be_bytes()[2..]))).collect();
    assert_eq!(found, [0xbeef]);
}

#[test]
fn sources_of_ones_own_conform_or_are_told() {
    conformance::source(|| Box::new(Numbers(vec![])));
    conformance::source(|| Box::new(Numbers((0..500).map(|n| n * n).collect())));
    /// Ends every case after a few choices.
    struct Short;
    impl Source for Short {
        fn choose(&mut self, _: &Shape, _: Hint<'_>, so_far: &[Choice]) -> Option<u64> {
            (so_far.len() < 10).then_some(0)
        }
    }
    conformance::source(|| Box::new(Short));
}

#[test]
#[should_panic(expected = "the source answered 2")]
fn a_source_out_of_range_is_refused() {
    struct Two;
    impl Source for Two {
        fn choose(&mut self, _: &Shape, _: Hint<'_>, _: &[Choice]) -> Option<u64> {
            Some(2)
        }
    }
    conformance::source(|| Box::new(Two));
}

#[test]
#[should_panic(expected = "answered equal questions differently")]
fn a_source_with_a_will_of_its_own_is_refused() {
    struct Moody(u64);
    impl Source for Moody {
        fn choose(&mut self, shape: &Shape, _: Hint<'_>, _: &[Choice]) -> Option<u64> {
            Some(self.0.min(shape.max))
        }
    }
    let mood = Cell::new(0);
    conformance::source(|| Box::new(Moody(mood.replace(mood.get() + 1))));
}

#[test]
fn a_source_that_ends_a_case_makes_the_rest_simplest() {
    struct Ends;
    impl Source for Ends {
        fn choose(&mut self, shape: &Shape, _: Hint<'_>, so_far: &[Choice]) -> Option<u64> {
            (so_far.len() < 2).then_some(shape.max)
        }
    }
    let mut case = Case::from_source(Box::new(Ends));
    assert_eq!(case.any::<[u8; 4]>(), [255, 255, 0, 0]);
    assert!(case.is_over());
    assert_eq!(case.record().choices.len(), 2);
    assert!(case.record().choices.iter().all(|choice| choice.shape.kind == Kind::Int));
}

/// A live subject: `noise` says how many readings it takes before the one that matters.
fn reading(case: &mut Case, noise: usize, label: Option<&'static str>) -> bool {
    for _ in 0..noise {
        match label {
            Some(_) => case.span("noise", |case| case.any::<u32>()),
            None => case.any(),
        };
    }
    let draw = |case: &mut Case| case.int(0..=1_000_000u32);
    let value = if let Some(label) = label { case.span(label, draw) } else { draw(case) };
    case.note("reading", &value);
    value < 5000
}

#[test]
fn a_replay_finds_its_place_by_labels_when_the_structure_has_changed() {
    let folder = Folder::new("resync");
    let run = |noise, label: Option<&'static str>| {
        let name = format!("label {label:?}");
        let run = seeded(3)
            .random_only()
            .corpus(folder.path())
            .name(&name)
            .limits(|limits| limits.shrinks_max = 200);
        run.report(move |case| reading(case, noise, label)).unwrap()
    };
    // The label may be anything.
    for label in ["reading", "a reading; with blanks"] {
        assert_eq!(minimum(&run(0, Some(label)).verdict), "5000");
        // Now there is noise before it, and then more.
        for noise in [1, 3] {
            let report = run(noise, Some(label));
            let failure = found(&report.verdict);
            assert_eq!((failure.origin, failure.choices_before), (Origin::Corpus, noise + 1), "{report}");
            assert_eq!(failure.value("reading"), Some("5000"));
        }
    }
    // Without labels the number is read as noise, and the case is no longer that case.
    assert_eq!(minimum(&run(0, None).verdict), "5000");
    let lost = run(1, None);
    assert_eq!(found(&lost.verdict).origin, Origin::Search);
    assert_contains(&lost.to_string(), "is no case of this test any more");
}

#[test]
fn a_subject_that_changes_from_run_to_run_still_fails_in_the_same_place() {
    let runs = Cell::new(0usize);
    let verdict = seeded(4).random_only().verdict(|case| {
        runs.set(runs.get() + 1);
        reading(case, runs.get() % 3, Some("reading"))
    });
    let failure = verdict.counterexample().unwrap_or_else(|| panic!("{verdict}"));
    let value: u32 = failure.value("reading").unwrap().parse().unwrap();
    assert!(value >= 5000, "what is shown is a failure: {verdict}");
}
