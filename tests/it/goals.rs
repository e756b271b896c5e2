//! When walks have gone far enough, and machines that are learnt.

use gainsay::machine::{Goal, Method, Oracle, Table, conformance, implementation, machine};
use gainsay::{Verdict, settings};
use std::time::Duration;

const MANY: u32 = 40;

/// Counts up to a limit, and starts again.
fn counter() -> impl gainsay::machine::Machine<State = u32, Input = char, Output = u32> {
    machine(0, |count: &u32, input: &char| match input {
        '+' => [((count + 1) % MANY, vec![])],
        _ => [(*count, vec![*count])],
    })
}

fn tested(limit: u32, goal: Goal<u32>) -> gainsay::Report {
    let real = implementation(
        || 0,
        move |count: &mut u32, input: &char| match input {
            '+' => {
                *count = if *count + 1 == limit { 0 } else { *count + 1 };
                None
            }
            _ => Some(*count),
        },
    );
    conformance("counter", counter(), real)
        .inputs(['?', '+'])
        .requirement("R1", |step| step.input == '?' && step.outputs == [39])
        .requirement("R2", |step| step.outputs == [100])
        .settings(settings().seed(3).without_corpus())
        .length(50)
        .report_until(goal)
        .unwrap()
}

#[test]
fn walks_go_on_until_their_goal_is_reached() {
    let report = tested(MANY, Goal::transitions(95.0).and(Goal::states(100.0)));
    assert!(matches!(report.verdict, Verdict::Passed(_)), "{}", report.verdict);
    assert!(report.remarks[0].starts_with("40 of 40 states, "), "{:?}", report.remarks);
    let report = tested(MANY, Goal::requirement("R1").or(Goal::time(Duration::from_secs(50))));
    assert!(matches!(report.verdict, Verdict::Passed(_)), "{}", report.verdict);
    assert!(report.remarks[0].starts_with("requirement R1: met "), "{:?}", report.remarks);
    assert_eq!(report.remarks[1], "requirement R2: never met");
    let report = tested(MANY, Goal::reached("39", |count| *count == 39));
    assert!(matches!(report.verdict, Verdict::Passed(_)), "{}", report.verdict);
    let report = tested(MANY, Goal::inputs(1000));
    assert!(matches!(report.verdict, Verdict::Passed(_)), "{}", report.verdict);
}

#[test]
fn a_goal_that_is_not_reached_in_time_is_no_pass() {
    let goal = Goal::requirement("R2").and(Goal::inputs(10));
    let real = implementation(|| (), |(): &mut (), _: &char| None);
    let mut tested = conformance("silent", machine((), |(): &(), _: &char| [((), Vec::<u32>::new())]), real)
        .inputs(['+'])
        .requirement("R2", |step| step.outputs == [100])
        .settings(settings().seed(3).without_corpus().time(Duration::from_millis(50)));
    let report = tested.report_until(goal).unwrap();
    let why = "walks did not get as far as (the requirement R2 and 10 inputs) (requirement R2: never met)";
    assert!(report.verdict.to_string().contains(why), "{}", report.verdict);
    let error = tested.report_until(Goal::requirement("R7")).unwrap_err().to_string();
    assert_eq!(error, "nobody has stated the requirement R7 of `silent`: say `.requirement(\"R7\", …)`");
}

#[test]
fn a_share_of_something_infinite_is_refused() {
    let real = implementation(
        || 0,
        |count: &mut u64, _: &()| {
            *count += 1;
            Some(*count)
        },
    );
    let endless = machine(0u64, |count: &u64, (): &()| [(count + 1, vec![count + 1])]);
    let mut tested = conformance("endless", endless, real).inputs([()]);
    let error = tested.report_until(Goal::transitions(50.0)).unwrap_err().to_string();
    assert!(error.contains("the machine has more than 10000 states"), "{error}");
}

#[test]
fn failures_on_the_way_to_a_goal_are_shrunk() {
    let report = tested(30, Goal::inputs(1_000_000).or(Goal::time(Duration::from_secs(20))));
    let notes = &report.verdict.counterexample().unwrap().notes;
    assert_eq!(notes.len(), 31, "{}", report.verdict);
    assert_eq!(notes[30].value, "'?' → [0]");
}

/// A ring of states that answers 1 when it comes to its start.
fn ring(states: u32) -> Table {
    let mut table = Table::new(states as usize, 1);
    (0..states).for_each(|state| table.set(state, 0, (state + 1) % states, u32::from(state + 1 == states)));
    table
}

#[test]
fn learners_are_told_what_is_wrong_with_their_hypothesis() {
    let mut asked = 0;
    let mut ask = |inputs: &[u32]| {
        asked += 1;
        (1..=inputs.len() as u32).map(|count| u32::from(count.is_multiple_of(4))).collect()
    };
    let mut oracle = Oracle::new();
    let wrong = oracle.difference(&ring(3), Method::Wp, 0, &mut ask).unwrap();
    assert_eq!(wrong, Some(vec![0, 0, 0]));
    for method in Method::ALL {
        assert_eq!(oracle.difference(&ring(4), method, 1, &mut ask).unwrap(), None);
    }
    // What is known is not asked for again.
    let before = oracle.asked();
    assert_eq!(oracle.difference(&ring(4), Method::W, 1, &mut ask).unwrap(), None);
    assert_eq!(oracle.asked(), before);
    assert_eq!(asked, before.0);
}

#[test]
fn learners_are_told_of_systems_that_cannot_be_learnt() {
    let mut times = 0;
    let mut fickle = |inputs: &[u32]| {
        times += 1;
        vec![times; inputs.len()]
    };
    let mut oracle = Oracle::new();
    assert!(oracle.answers(&[0], &mut fickle).is_ok());
    let error = oracle.answers(&[0, 0], &mut fickle).unwrap_err().to_string();
    assert!(error.contains("[0] was answered with 1 before, and with 2 now"), "{error}");
    let error = oracle.answers(&[1], &mut |_| vec![]).unwrap_err().to_string();
    assert!(error.contains("1 input got 0 answers"), "{error}");
}

#[test]
fn goals_that_nobody_reaches_are_refused() {
    let real = implementation(|| (), |(): &mut (), _: &char| None);
    let mut tested =
        conformance("silent", machine((), |(): &(), _: &char| [((), Vec::<u32>::new())]), real).inputs(['+']);
    for percent in [120.0, f64::NAN, -1.0] {
        let error =
            tested.report_until(Goal::transitions(percent).or(Goal::inputs(5))).unwrap_err().to_string();
        assert!(error.contains("say a number from 0 to 100"), "{error}");
    }
}
