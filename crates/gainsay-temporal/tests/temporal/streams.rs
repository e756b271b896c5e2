//! Tests of streams: which inputs are drawn, which atoms are one, and what never came.

use crate::families::{arbiter, blowup, read};
use gainsay_core::{Settings, Verdict, settings};
use gainsay_temporal::{
    Acceptor, Atom, BRANCHES_MAX, Event, Fed, Formula, STATES_MAX, Streams, WORK_MAX, adapter, always, atom,
    eventually, next, stream,
};

fn seeded(seed: u64) -> Settings {
    settings().without_corpus().seed(seed)
}

/// A type that does not know how to draw its values.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Key {
    Up,
    Down,
}

fn up() -> Atom<Key> {
    atom("up", |key: &Key| *key == Key::Up).when_true([Key::Up]).when_false([Key::Down])
}

#[test]
fn inputs_of_a_type_that_is_arbitrary_are_drawn_from_all_of_it() {
    let small = |limit: u8| always(atom("small", move |n: &u8| *n <= limit));
    let echo = || stream("echo", || |n: u8| n).settings(seeded(1));
    assert!(echo().expect(small(255)).verdict().is_good());
    let wrong = echo().expect(small(99)).verdict();
    assert!(wrong.to_string().contains("100 → 100"), "{wrong}");
    let twice = |inputs: Fed<u8>| inputs.map(|n| 2 * u32::from(n));
    let even = always(atom("even", |n: &u32| n.is_multiple_of(2)));
    assert!(adapter("twice", twice).settings(seeded(1)).expect(even).verdict().is_good());
}

#[test]
fn inputs_of_another_type_are_drawn_as_atoms_say() {
    let keys = |wrong: bool| {
        let is_up = always(atom("is up", |up: &bool| *up));
        let make = move || move |key: Key| key == Key::Up && !wrong;
        stream("keys", make).given(always(up())).expect(is_up).settings(seeded(1)).verdict()
    };
    assert!(keys(false).is_good());
    assert!(keys(true).counterexample().is_some());
}

#[test]
fn two_atoms_of_one_name_are_a_mistake() {
    let above =
        |limit: u8| atom("high", move |n: &u8| *n > limit).when_true(limit + 1..=30).when_false(0..=limit);
    let both: Formula<u8> = always(above(10)) & eventually(above(20));
    let told = "two atoms of G high & F high are called `high`, and may mean different things: use clones of one atom, say \
                `one_by_name` of both if they mean the same, or give them different names";
    assert_eq!(Acceptor::new(&both).unwrap_err().to_string(), told);
    assert_eq!(Streams::new(&both).unwrap_err().to_string(), told);
    assert_eq!(both.satisfied_by().unwrap_err().to_string(), told);
    let named = || above(10).one_by_name();
    let same = always(named()) & eventually(!named());
    assert_eq!(same.atoms().len(), 1);
    assert_eq!(same.satisfied_by().unwrap(), None);
}

#[test]
fn an_atom_by_one_function_that_captures_nothing_is_one() {
    let same = always(up()) & eventually(!up());
    assert_eq!(same.atoms().len(), 1);
    assert_eq!(same.satisfied_by().unwrap(), None);
    // What one of them knows is known of both.
    let plain = atom("odd", |n: &u8| n % 2 == 1);
    let known = plain.clone().when_true([1]).when_false([2]);
    let both = eventually(plain) & eventually(!known);
    assert_eq!((both.atoms().len(), both.satisfied_by().unwrap()), (1, Some(vec![2, 1])));
}

#[test]
fn what_takes_too_long_is_given_up_by_a_limit() {
    let error = (!read(&arbiter(5, false))).satisfied_by().unwrap_err().to_string();
    assert!(error.ends_with(&format!(
        "takes more than {BRANCHES_MAX} steps to decide (`BRANCHES_MAX`): ask about a part of it"
    )));
    let error = read(&arbiter(5, false)).told_apart(&read(&arbiter(5, true))).unwrap_err().to_string();
    assert!(error.contains("`BRANCHES_MAX`"), "{error}");
    let error = Streams::new(&read(&blowup(4))).unwrap_err().to_string();
    let limits = [
        format!("{STATES_MAX} (`STATES_MAX`)"),
        format!("{WORK_MAX} steps are needed to find them (`WORK_MAX`)"),
    ];
    assert!(limits.iter().all(|limit| error.contains(limit)), "{error}");
}

/// Each asked question is answered at once.
fn answers(given: Formula<u8>) -> gainsay_temporal::StreamTest<u8, bool> {
    let asked = atom("asked", |pair: &(u8, bool)| pair.0 > 9);
    let again = atom("again", |pair: &(u8, bool)| pair.0 == 5);
    let answered = || atom("answered", |pair: &(u8, bool)| pair.1);
    let expected = always(asked.implies(answered() & next(always(again.implies(!answered())))));
    stream("answers", || |n: u8| n > 9).given(given).expect_pairs(expected).settings(seeded(1)).lenient()
}

fn below(limit: u8) -> Formula<u8> {
    always(atom("below", move |n: &u8| *n < limit))
}

#[test]
fn a_trigger_that_never_comes_makes_a_run_vacuous() {
    let never = |given: Formula<u8>| match answers(given).verdict() {
        Verdict::Vacuous(vacuous) => vacuous.never,
        other => vec![other.to_string()],
    };
    let formula = "G (asked -> answered & X G (again -> !answered))";
    assert_eq!(never(below(5)), [format!("the trigger `asked` of {formula}")]);
    let not_again = always(!atom("five", |n: &u8| *n == 5));
    assert_eq!(never(not_again), [format!("the trigger `again` of {formula}")]);
    assert!(answers(true.into()).verdict().is_good());
    let report = answers(below(5)).settings(seeded(1).allow_vacuous()).report().unwrap();
    assert!(report.verdict.is_good());
    assert_eq!(
        report.remarks,
        [format!("vacuous, which is allowed: never met the trigger `asked` of {formula}")]
    );
}

#[test]
fn something_that_never_speaks_is_vacuous() {
    let test = |speaks: bool| {
        let small = atom("small", |n: &u8| *n < 200);
        let make = move |inputs: Fed<u8>| inputs.map(|n| n / 2).filter(move |_| speaks);
        adapter("halves", make).expect(always(small)).settings(seeded(1)).verdict()
    };
    assert!(test(true).is_good());
    let Verdict::Vacuous(vacuous) = test(false) else { panic!("it never speaks") };
    assert_eq!(vacuous.never, ["an output for G small"]);
}

#[test]
fn what_must_not_come_need_not_come() {
    let alarm = atom("alarm", |n: &u8| *n == 7);
    let quiet = stream("quiet", || |n: u8| n % 5).expect(always(!alarm)).settings(seeded(1)).verdict();
    assert!(quiet.is_good(), "{quiet}");
    let came = atom("came", |event: &Event<u8, u8>| event.output().is_some());
    let went = atom("went", |event: &Event<u8, u8>| event.input().is_some());
    let make = |inputs: Fed<u8>| inputs;
    let both = adapter("same", make).expect_events(always(!came | !went)).settings(seeded(1)).verdict();
    assert!(both.is_good(), "{both}");
}
