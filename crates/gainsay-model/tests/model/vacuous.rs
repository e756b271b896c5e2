//! Runs in which something that a specification speaks of never occurred.

use crate::support::{assert_contains, seeded};
use gainsay_core::{Case, Verdict};
use gainsay_model::resource::{Policy, Resource, Round, Seen, on_threads, trial};
use gainsay_model::{Live, Model, cluster, model};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

/// A list whose `clear` needs so many items.
fn list(needed: usize) -> Model<Vec<u8>, Vec<u8>> {
    model(Vec::new, Vec::new)
        .operation(
            "push",
            |_, case| case.any::<u8>(),
            |list: &mut Live<Vec<u8>>, item| list.push(*item),
            |push| push.next(|list: &mut Vec<u8>, item| list.push(*item)),
        )
        .operation(
            "clear",
            |_, case| case.index(3),
            |list, _| list.clear(),
            move |clear| {
                clear.precondition(move |list: &Vec<u8>, _| list.len() >= needed).next(|list, _| list.clear())
            },
        )
        .settings(seeded(1).cases(50))
}

#[test]
fn a_model_run_without_an_operation_is_vacuous() {
    assert_contains(&list(2).report().unwrap().verdict.to_string(), "passed: 50 cases");
    let report = list(1 << 40).report().unwrap();
    let Verdict::Vacuous(vacuous) = &report.verdict else { panic!("{report}") };
    assert_eq!(vacuous.never.len(), 1);
    assert_contains(&vacuous.never[0], "the operation `clear` (its precondition held for none of");
    let report = list(1 << 40).settings(seeded(1).cases(50).allow_vacuous()).report().unwrap();
    assert_contains(&report.verdict.to_string(), "passed: 50 cases");
    assert_contains(&report.remarks.join("\n"), "never met the operation `clear`");
    let never = list(2).operation("never", |_, _| (), |_, ()| (), |never| never.when(|_| false));
    let verdict = never.verdict();
    assert_contains(
        &verdict.to_string(),
        "never met the operation `never` (no state that was reached allows it",
    );
}

#[test]
fn all_sequences_up_to_a_length_prove_what_they_are() {
    let report = list(3).report_exhaustive(2, 1).unwrap();
    assert!(matches!(report.verdict, Verdict::Proved(_)), "{report}");
    assert_contains(
        &report.remarks.join("\n"),
        "never met the operation `clear` (its precondition held for none of",
    );
    let report = list(3).report_exhaustive(4, 1).unwrap();
    assert!(!report.remarks.join("\n").contains("never met"), "{report}");
}

#[test]
fn a_cluster_in_which_nobody_calls_an_operation_is_vacuous() {
    let verdict = |needed| {
        let settings = seeded(1).cases(50);
        cluster("lists").component("list", list(needed)).settings(settings).report().unwrap().verdict
    };
    assert_contains(&verdict(2).to_string(), "passed: 50 cases");
    assert_contains(
        &verdict(1 << 40).to_string(),
        "never met the operation `list.clear` (its precondition held",
    );
}

/// Holds so many items.
struct Buffer(usize);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Call {
    Put(u8),
    Take,
    Drain,
}

impl Resource for Buffer {
    type State = VecDeque<u8>;
    type Call = Call;
    type Value = Option<u8>;

    fn start(&self) -> VecDeque<u8> {
        VecDeque::new()
    }

    fn pre(&self, call: &Call) -> bool {
        *call != Call::Drain
    }

    fn cpre(&self, items: &VecDeque<u8>, call: &Call) -> bool {
        match call {
            Call::Put(_) => items.len() < self.0,
            Call::Take | Call::Drain => !items.is_empty(),
        }
    }

    fn post(&self, items: &VecDeque<u8>, call: &Call) -> Vec<(VecDeque<u8>, Option<u8>)> {
        let mut items = items.clone();
        let taken = match call {
            Call::Put(item) => {
                items.push_back(*item);
                None
            }
            Call::Take | Call::Drain => items.pop_front(),
        };
        vec![(items, taken)]
    }

    fn operations(&self) -> Vec<String> {
        vec!["Put".into(), "Take".into()]
    }
}

#[derive(Default)]
struct Real {
    items: Mutex<VecDeque<u8>>,
    changed: Condvar,
}

impl Real {
    fn call(&self, room: usize, call: &Call) -> Option<u8> {
        let mut items = self.items.lock().unwrap();
        let mut taken = None;
        match call {
            Call::Put(item) => {
                while items.len() >= room {
                    items = self.changed.wait(items).unwrap();
                }
                items.push_back(*item);
            }
            Call::Take | Call::Drain => {
                while items.is_empty() {
                    items = self.changed.wait(items).unwrap();
                }
                taken = items.pop_front();
            }
        }
        self.changed.notify_all();
        taken
    }
}

/// The report on a buffer that is called so.
fn buffer(room: usize, calls: fn(&Seen<Buffer>, &mut Case) -> Option<Call>) -> gainsay_core::Report {
    let real = on_threads(Real::default, move |real: &Real, call: &Call| real.call(room, call));
    let mut trial = trial("buffer", Buffer(room), Policy::any(), calls, real);
    trial = trial.settings(seeded(1).cases(60)).phases(12, 3);
    trial.report_round(Round::Progress).unwrap()
}

#[test]
fn a_trial_tells_what_it_has_not_exercised() {
    let any = |_: &Seen<Buffer>, case: &mut Case| Some(if case.flag() { Call::Put(1) } else { Call::Take });
    let report = buffer(2, any);
    assert_eq!(
        (report.verdict.to_string().as_str(), report.remarks.len()),
        ("passed: 60 cases", 0),
        "{report}"
    );
    // It is never full.
    let report = buffer(9, any);
    assert_eq!(report.verdict.to_string(), "passed: 60 cases");
    let remarks = report.remarks.join("\n");
    assert_contains(&remarks, "`Put` never waited in ");
    assert_contains(&remarks, " calls, though its CPRE is false in state [");
    // Nobody takes.
    let report = buffer(100, |_, case| Some(Call::Put(case.int(0..=3))));
    assert_contains(&report.verdict.to_string(), "vacuous after 60 cases: never met the operation `Take`");
    // What is taken is there.
    let report = buffer(100, |seen, case| {
        let mut left = 0_i32;
        seen.returned().for_each(|(call, _)| left += if *call == Call::Take { -1 } else { 1 });
        Some(if left > 0 && case.flag() { Call::Take } else { Call::Put(case.int(0..=3)) })
    });
    assert_contains(&report.verdict.to_string(), "never met a call that waits (`Take` does in state [])");
    // One is drawn, and makes no sense; another never returns.
    let report = buffer(2, |_, case| Some(if case.flag() { Call::Drain } else { Call::Take }));
    let told = report.verdict.to_string();
    assert_contains(&told, "never met the operation `Put`");
    assert_contains(&told, "the operation `Drain` (its PRE did not hold in any of ");
    assert_contains(&told, "the end of an operation `Take` (of ");
}

#[test]
fn a_state_of_many_elements_is_counted_instead_of_listed() {
    let verdict = model(|| 0_usize, Vec::<u8>::new)
        .operation(
            "grow",
            |_, _| (),
            |list: &mut Live<Vec<u8>>, ()| list.extend([7; 256]),
            |grow| grow.next(|count, ()| *count += 256),
        )
        .operation("all", |_, _| (), |list, ()| list.to_vec(), |all| all.returns(|count, ()| vec![8; *count]))
        .settings(seeded(1))
        .verdict();
    let message = &verdict.counterexample().expect("they differ").message;
    assert_eq!(
        message,
        "all() returned [7, 7, 7, 7, 7, 7, 7, 7, … 246 more …, 7, 7] in state 256; expected [8, 8, 8, 8, 8, 8, 8, 8, \
         … 246 more …, 8, 8]"
    );
}

#[test]
fn the_real_thing_is_taken_apart_by_a_pattern() {
    model(VecDeque::<u8>::new, std::sync::mpsc::channel::<u8>)
        .operation(
            "send",
            |_, case| case.any::<u8>(),
            |live, item| {
                let (sender, _) = Live::real(live);
                sender.send(*item).is_ok()
            },
            |send| send.returns(|_, _| true).next(|items: &mut VecDeque<u8>, item| items.push_back(*item)),
        )
        .operation(
            "receive",
            |_, _| (),
            |live, ()| {
                let (_, receiver) = Live::real(live);
                receiver.try_recv().ok()
            },
            |receive| {
                receive.returns(|items, ()| items.front().copied()).next(|items, ()| {
                    items.pop_front();
                })
            },
        )
        .settings(seeded(1).cases(50))
        .check();
}
