//! Properties as formulas: truth tables, quantifiers, comparisons, given data.

use crate::support::{assert_contains, found, gave_up, minimum, proved, seeded};
use gainsay::Truth::{self, False, Rejected, True, Undefined};
use gainsay::prelude::*;
use gainsay::{INSTANCES_MAX, Scope};

const TRUTHS: [Truth; 4] = [True, False, Undefined, Rejected];

/// A formula of a given truth.
fn formula(truth: Truth) -> Property {
    let formula = match truth {
        True => true.property(),
        False => false.property(),
        Undefined => exists(0u64.., |_| false),
        Rejected => false.implies(|| true),
    };
    assert_eq!(formula.truth(), truth);
    formula
}

/// Rows and columns in the order of [`TRUTHS`].
#[track_caller]
fn table(operator: impl Fn(Property, Property) -> Property, expected: [[Truth; 4]; 4]) {
    for (a, row) in TRUTHS.into_iter().zip(expected) {
        for (b, expected) in TRUTHS.into_iter().zip(row) {
            assert_eq!(operator(formula(a), formula(b)).truth(), expected, "{a} and {b}");
        }
    }
}

#[test]
fn conjunction_has_its_table() {
    let expected = [
        [True, False, Undefined, True],
        [False, False, False, False],
        [Undefined, False, Undefined, Undefined],
        [True, False, Undefined, Rejected],
    ];
    table(|a, b| a.and(b), expected);
    table(|a, b| a & b, expected);
}

#[test]
fn disjunction_has_its_table() {
    let expected = [
        [True, True, True, True],
        [True, False, Undefined, Rejected],
        [True, Undefined, Undefined, Rejected],
        [True, Rejected, Rejected, Rejected],
    ];
    table(|a, b| a.or(b), expected);
    table(|a, b| a | b, expected);
}

#[test]
fn implication_has_its_table() {
    let expected = [
        [True, False, Undefined, Rejected],
        [Rejected, Rejected, Rejected, Rejected],
        [True, Undefined, Undefined, Rejected],
        [Rejected, Rejected, Rejected, Rejected],
    ];
    table(|a, b| a.implies(|| b), expected);
}

#[test]
fn equivalence_has_its_table() {
    let expected = [
        [True, False, Undefined, Rejected],
        [False, True, Undefined, Rejected],
        [Undefined, Undefined, Undefined, Rejected],
        [Rejected, Rejected, Rejected, Rejected],
    ];
    table(|a, b| a.iff(b), expected);
}

#[test]
fn negation_has_its_table() {
    for (truth, expected) in TRUTHS.into_iter().zip([False, True, Undefined, Rejected]) {
        assert_eq!(formula(truth).negated().truth(), expected);
        assert_eq!((!formula(truth)).truth(), expected);
    }
}

#[test]
fn a_conclusion_is_not_asked_for_without_its_premise() {
    let mut asked = false;
    assert_eq!(false.implies(|| asked = true).truth(), Rejected);
    assert!(!asked);
    let division = |a: u8, b: u8| (b != 0).implies(|| a / b <= a);
    let verdict = seeded(1).exhaustive().verdict_for_all(division);
    assert_eq!(verdict.to_string(), "proved: all 65280 cases (256 rejected)");
}

#[test]
fn each_truth_of_a_property_has_its_verdict() {
    let verdict = |truth| seeded(1).exhaustive().verdict_for_all(move |_: bool| formula(truth));
    assert_eq!(proved(&verdict(True)), 2);
    assert_eq!(minimum(&verdict(False)), "false");
    assert!(matches!(verdict(Rejected), Verdict::Vacuous(_)), "{}", verdict(Rejected));
    let Verdict::Inconclusive(undecided) = verdict(Undefined) else { panic!("{}", verdict(Undefined)) };
    assert_eq!(undecided.cases, 2);
    assert_contains(&undecided.reason, "2 of all 2 cases could not be decided");
}

#[test]
fn what_is_sometimes_undecided_passes_and_says_so() {
    let sometimes = |n: u64| if n.is_multiple_of(2) { formula(True) } else { formula(Undefined) };
    let Verdict::Passed(passed) = seeded(1).random_only().verdict_for_all(sometimes) else {
        panic!("not passed")
    };
    assert!((300..700).contains(&passed.undefined), "{passed:?}");
    assert_contains(&Verdict::Passed(passed).to_string(), " undefined");
}

#[test]
fn for_each_judges_all_of_finite_data() {
    let squares = for_each(0..10u32, |n| (n > 2).implies(|| n * n > 2 * n));
    assert_eq!((squares.truth(), squares.instances(), squares.rejected()), (True, 7, 3));
    assert!(!squares.is_cut());
    let planted = for_each(0..10u32, |n| n != 7);
    assert_eq!(
        (planted.truth(), planted.instances(), planted.because()),
        (False, 8, &["for the item 7".to_string()][..])
    );
    assert_eq!(for_each([0; 0], |_| false).truth(), Rejected, "nothing is claimed about no data");
    assert_eq!(for_each(0..3, |_| formula(Rejected)).truth(), Rejected);
    assert_eq!(for_each([True, Undefined, True], formula).truth(), Undefined);
    assert_eq!(for_each([True, Undefined, False], formula).truth(), False);
}

#[test]
fn for_each_judges_the_beginning_of_infinite_data() {
    let first = for_each(0u64.., |n| n < INSTANCES_MAX);
    assert_eq!((first.truth(), first.instances(), first.is_cut()), (True, INSTANCES_MAX, true));
    let planted = for_each(0u64.., |n| n + 1 < INSTANCES_MAX);
    assert_eq!((planted.truth(), planted.is_cut()), (False, false));
    let exactly = for_each(0..INSTANCES_MAX, |_| true);
    assert!(!exactly.is_cut(), "finite data that just fits is whole");
}

#[test]
fn exists_wants_a_witness() {
    let witness = exists(0..10u32, |n| n * n == 49);
    assert_eq!((witness.truth(), witness.because()), (True, &["witness: 7".to_string()][..]));
    let none = exists(0..10u32, |n| n * n == 50);
    assert_eq!((none.truth(), none.because()), (False, &["no witness among 10 items".to_string()][..]));
    assert_eq!(exists([0; 0], |_| true).truth(), False);
    assert_eq!(exists(0u64.., |n| n == 5000).truth(), True);
    assert_eq!(
        exists(0u64.., |n| n == INSTANCES_MAX).truth(),
        Undefined,
        "the data was cut before its witness"
    );
    assert_eq!(exists([Undefined, False], formula).truth(), Undefined);
}

#[test]
fn what_was_cut_short_refutes_nothing() {
    // ¬∀ is ∃¬: neither is known.
    let all = for_each(0u64.., |_| true);
    assert_eq!(all.clone().negated().truth(), exists(0u64.., |_| false).truth());
    assert_ne!(all.clone().iff(false).truth(), False, "⇔ rests on what was cut");
    assert_ne!(exists([1, 2], |_| for_each(0u64.., |_| true).negated()).truth(), False);
    let verdict = seeded(1).verdict_for_all(|_: u64| !for_each(0u64.., |_| true));
    assert!(!matches!(verdict, Verdict::Falsified(_)), "{verdict}");
}

#[test]
fn what_was_cut_short_proves_nothing() {
    let cut = |b: bool| for_each(values::<u64>(), move |n| n < u64::MAX || b);
    let report = seeded(1).exhaustive().report_for_all(cut).unwrap();
    assert_eq!(report.verdict.to_string(), "passed: 2 cases");
    assert_contains(&report.to_string(), "not proved: something infinite was cut short");
    // However deep the cut part lies.
    let endless = || for_each(0u64.., |_| true);
    for cut in [
        for_each(0..3, |_| endless()),
        endless().and(true),
        true.and(endless()),
        true.implies(endless),
        false.or(endless()),
        exists(0..3, |_| endless()),
        endless().named("clause").or_show(String::new),
    ] {
        assert_eq!((cut.truth(), cut.is_cut()), (True, true));
    }
    // The twin that is whole, and one whose cut part does not matter.
    let whole = |_: bool| for_each(values::<u8>(), |n| n.leading_zeros() <= 8);
    assert_eq!(proved(&seeded(1).exhaustive().verdict_for_all(whole)), 2);
    let nested = |_: bool| for_each(0..3, |_| exists(values::<i64>(), |n| n == -9));
    assert_eq!(proved(&seeded(1).exhaustive().verdict_for_all(nested)), 2);
}

#[test]
fn quantified_values_are_named_in_the_report() {
    let property = |n: u8| for_each(0..=n, |i| exists(0..i + 10, |j| j == i.wrapping_mul(3)));
    let report = seeded(1).report_for_all(property).unwrap().to_string();
    // The smallest n is the smallest i without a witness.
    assert_contains(&report, "#1 = 5");
    assert_contains(&report, "no witness among 15 items\n  for the item 5");
    let clause = |n: u8| (n < 9).named("single digit");
    assert_contains(&seeded(1).report_for_all(clause).unwrap().to_string(), "clause `single digit` is false");
    let shown = |n: u8| (n < 9).or_show(|| format!("the next one is {}", n + 1));
    assert_contains(&seeded(1).report_for_all(shown).unwrap().to_string(), "the next one is 10");
}

#[test]
fn comparisons_show_both_sides() {
    for (holds, fails, shown) in [
        (equal(1, 1), equal(1, 2), "left == right does not hold\n  left:  1\n  right: 2"),
        (unequal(1, 2), unequal(1, 1), "left != right does not hold\n  left:  1\n  right: 1"),
        (less(1, 2), less(2, 2), "left < right does not hold\n  left:  2\n  right: 2"),
        (at_most(2, 2), at_most(3, 2), "left <= right does not hold\n  left:  3\n  right: 2"),
        (greater(2, 1), greater(2, 2), "left > right does not hold\n  left:  2\n  right: 2"),
        (at_least(2, 2), at_least(1, 2), "left >= right does not hold\n  left:  1\n  right: 2"),
    ] {
        assert_eq!((holds.truth(), holds.because().len()), (True, 0));
        assert_eq!((fails.truth(), fails.because()), (False, &[shown.to_string()][..]));
    }
    let report = seeded(1).verdict_for_all(|s: String| equal(s.to_lowercase(), s.clone())).to_string();
    assert_contains(&report, "left:  \"a\"\n    right: \"A\"");
}

#[test]
fn floats_are_compared_approximately() {
    let close = |a, b, tolerance| gainsay::close(a, b, tolerance).truth() == True;
    assert!(close(0.1 + 0.2, 0.3, 1e-12) && !close(0.1 + 0.2, 0.3, 0.0));
    assert!(close(1e300, 1e300 * (1.0 + 1e-13), 1e-12), "relative to the larger one");
    assert!(close(0.0, 1e-13, 1e-12) && !close(0.0, 1e-11, 1e-12), "absolute near zero");
    assert!(close(f64::NAN, f64::NAN, 0.0) && !close(f64::NAN, 1.0, 1e300));
    assert!(close(f64::INFINITY, f64::INFINITY, 0.0) && !close(f64::INFINITY, f64::MAX, 1e300));
    assert!(!close(f64::INFINITY, f64::NEG_INFINITY, 1e300) && close(-0.0, 0.0, 0.0));
    assert!(!close(f64::MAX, f64::MIN, 1.0), "a difference that overflows is large");
    let shown = gainsay::close(1.0, 4.0, 0.5);
    assert_contains(&shown.because().join("\n"), "differ by 3e0, more than 5e-1\n  left:  1.0\n  right: 4.0");
}

#[test]
fn given_values_replace_a_quantifier() {
    let verdict = seeded(1).verdict_each([1u32, 10, 100], |n| n.to_string().starts_with('1'));
    assert_eq!(verdict.to_string(), "proved over the given values: all 3 cases");
    assert!(matches!(&verdict, Verdict::Proved(proof) if proof.scope == Scope::Given));
    // The first that fails in the order given, not the smallest.
    let planted = seeded(1).verdict_each([5u32, 70, 3, 60], |n| n < 50);
    assert_eq!(minimum(&planted), "70");
    let some = seeded(1).verdict_each(1..=10u32, |n| (n % 2 == 0).implies(|| n != 5));
    assert_eq!(some.to_string(), "proved over the given values: all 5 cases (5 rejected)");
    assert_contains(gave_up(&seeded(1).verdict_each([0; 0], |_| true)), "none was given");
    // However few cases a run has, data that ends is judged whole.
    let many = seeded(1).cases(10).verdict_each(0..500u32, |n| n < 500);
    assert_eq!(many.to_string(), "proved over the given values: all 500 cases");
}

#[test]
fn of_endless_given_values_as_many_are_judged_as_there_are_cases() {
    let verdict = seeded(1).cases(200).verdict_each(0u64.., |_| true);
    assert_eq!(verdict.to_string(), "passed: 200 cases");
    let planted = seeded(1).cases(200).verdict_each(0u64.., |n| n != 150);
    assert_eq!(found(&planted).notes[0].value, "150");
}

#[test]
fn results_and_units_are_properties() {
    let parse = |n: i16| -> Result<bool, std::num::ParseIntError> { Ok(n.to_string().parse::<i16>()? == n) };
    assert!(seeded(1).verdict_for_all(parse).is_good());
    let planted = |n: i16| -> Result<bool, std::num::ParseIntError> {
        Ok(i16::from(n.to_string().parse::<u8>()?) == n)
    };
    let verdict = seeded(1).verdict_for_all(planted);
    assert_eq!(minimum(&verdict), "-1");
    assert_contains(&found(&verdict).message, "InvalidDigit");
    let assumed = |case: &mut Case| -> Result<(), gainsay::Rejected> {
        let n = case.int(0..=9u8);
        case.try_assume(n.is_multiple_of(2))?;
        assert!(n.is_multiple_of(2));
        Ok(())
    };
    assert_eq!(seeded(1).exhaustive().verdict(assumed).to_string(), "proved: all 5 cases (5 rejected)");
}

#[test]
fn a_single_undecided_case_forbids_a_proof() {
    // Two arguments, so that levels of the enumeration have several cases; the hard one is first, last or between.
    let reach = |hard: Option<(u8, bool)>| {
        seeded(1).exhaustive().verdict_for_all(move |n: u8, b: bool| {
            exists(0u64.., move |m| Some((n, b)) != hard && m == u64::from(n))
        })
    };
    for hard in [(0, false), (0, true), (1, false), (7, true), (8, false), (255, true)] {
        let verdict = reach(Some(hard));
        assert!(matches!(verdict, Verdict::Inconclusive(_)), "{hard:?}: {verdict}");
        assert_contains(&verdict.to_string(), "1 of all 512 cases could not be decided");
    }
    assert_eq!(reach(None).to_string(), "proved: all 512 cases");
}
