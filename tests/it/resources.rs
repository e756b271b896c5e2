//! Specifications of shared resources, before there is anything to test.

use crate::support::{proved, seeded};
use gainsay::Case;
use gainsay::resource::{
    Asking, Both, CallId, Clause, Client, Either, Phase, Policy, Problem, Resource, Validation, Viable,
    validate,
};
use std::collections::BTreeSet;

/// Robots go through warehouses in a row. A warehouse carries a limited weight; in the corridor before each but the first there is room for
/// one robot.
struct Warehouses {
    weight_max: u32,
    count: usize,
    mistake: Option<Mistake>,
}

#[derive(PartialEq)]
enum Mistake {
    /// Whoever leaves forgets his weight.
    KeepsWeight,
    /// The weight is not looked at.
    NoLimit,
    /// The corridor is not looked at.
    SharedCorridor,
    /// Nobody may enter the last one.
    ClosedDoor,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Walk {
    Enter { warehouse: usize, weight: u32 },
    Exit { warehouse: usize, weight: u32 },
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Inside {
    weights: Vec<u32>,
    /// How many robots are in the corridor before each warehouse.
    corridors: Vec<u8>,
}

impl Warehouses {
    fn has(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }
}

impl Resource for Warehouses {
    type State = Inside;
    type Call = Walk;
    type Value = ();

    fn start(&self) -> Inside {
        Inside { weights: vec![0; self.count], corridors: vec![0; self.count] }
    }

    fn pre(&self, call: &Walk) -> bool {
        let (Walk::Enter { warehouse, weight } | Walk::Exit { warehouse, weight }) = call;
        *warehouse < self.count && *weight <= self.weight_max
    }

    fn cpre(&self, inside: &Inside, call: &Walk) -> bool {
        match call {
            Walk::Enter { warehouse, .. }
                if *warehouse + 1 == self.count && self.has(Mistake::ClosedDoor) =>
            {
                false
            }
            Walk::Enter { warehouse, weight } => {
                self.has(Mistake::NoLimit) || inside.weights[*warehouse] + weight <= self.weight_max
            }
            Walk::Exit { warehouse, .. } => {
                inside.corridors.get(warehouse + 1).is_none_or(|robots| *robots == 0)
                    || self.has(Mistake::SharedCorridor)
            }
        }
    }

    fn post(&self, inside: &Inside, call: &Walk) -> Vec<(Inside, ())> {
        let mut inside = inside.clone();
        match call {
            Walk::Enter { warehouse, weight } => {
                inside.weights[*warehouse] += weight;
                if *warehouse > 0 {
                    inside.corridors[*warehouse] -= 1;
                }
            }
            Walk::Exit { warehouse, weight } => {
                if !self.has(Mistake::KeepsWeight) {
                    inside.weights[*warehouse] -= weight;
                }
                if let Some(robots) = inside.corridors.get_mut(warehouse + 1) {
                    *robots += 1;
                }
            }
        }
        vec![(inside, ())]
    }

    fn invariant(&self, inside: &Inside) -> bool {
        inside.weights.iter().all(|weight| *weight <= self.weight_max)
            && inside.corridors.iter().all(|robots| *robots <= 1)
    }
}

fn robot(name: &str, weight: u32, count: usize) -> Client<Warehouses> {
    let walk = (0..count)
        .flat_map(|warehouse| [Walk::Enter { warehouse, weight }, Walk::Exit { warehouse, weight }]);
    Client::once(name, walk)
}

fn walked(mistake: Option<Mistake>, policy: &Policy<Warehouses>) -> Validation {
    let warehouses = Warehouses { weight_max: 1000, count: 2, mistake };
    let robots = [robot("one", 600, 2), robot("two", 600, 2), robot("three", 300, 2)];
    validate(&warehouses, policy, &robots)
}

#[test]
fn a_good_specification_is_valid_with_all_its_states() {
    let valid = walked(None, &Policy::any());
    assert!(valid.is_good(), "{valid}");
    assert!(valid.to_string().starts_with("valid: all "), "{valid}");
    assert!(valid.dot().starts_with("digraph resource {\n  s0 ") && valid.dot().contains("one calls Enter"));
}

#[test]
fn broken_invariants_are_shown_by_a_shortest_way() {
    let broken = walked(Some(Mistake::NoLimit), &Policy::any());
    assert_eq!(
        broken.problems[0].to_string(),
        "the invariant is broken in state Inside { weights: [1200, 0], corridors: [0, 0] }:\
         \n    one calls Enter { warehouse: 0, weight: 600 }\
         \n    one runs Enter { warehouse: 0, weight: 600 }\
         \n    two calls Enter { warehouse: 0, weight: 600 }\
         \n    two runs Enter { warehouse: 0, weight: 600 }"
    );
    let broken = walked(Some(Mistake::SharedCorridor), &Policy::any());
    assert!(matches!(broken.problems[0], Problem::Invariant { .. }), "{broken}");
}

#[test]
fn deadlocks_are_found() {
    let stuck = walked(Some(Mistake::KeepsWeight), &Policy::any());
    let Problem::Deadlock { waiting, .. } = &stuck.problems[0] else { panic!("{stuck}") };
    assert_eq!(waiting, &["two waits for Enter { warehouse: 0, weight: 600 }"], "{stuck}");
    assert!(
        stuck.to_string().contains("two waits for Enter { warehouse: 0, weight: 600 } for ever"),
        "{stuck}"
    );
    // Whoever comes first stops all others, even those who wait elsewhere.
    let stuck = walked(None, &Policy::fifo());
    assert!(matches!(stuck.problems[0], Problem::Deadlock { .. }), "{stuck}");
    let sound = walked(None, &Policy::fifo_by(std::mem::discriminant));
    assert!(matches!(sound.problems[0], Problem::Deadlock { .. }), "{sound}");
}

/// Locks with numbers, and something that can always be done.
struct Locks;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Lock {
    Get(usize),
    Put(usize),
    Tick,
}

impl Resource for Locks {
    type State = [bool; 2];
    type Call = Lock;
    type Value = ();

    fn start(&self) -> [bool; 2] {
        [false; 2]
    }

    fn cpre(&self, taken: &[bool; 2], call: &Lock) -> bool {
        !matches!(call, Lock::Get(lock) if taken[*lock])
    }

    fn post(&self, taken: &[bool; 2], call: &Lock) -> Vec<([bool; 2], ())> {
        let mut taken = *taken;
        match call {
            Lock::Get(lock) => taken[*lock] = true,
            Lock::Put(lock) => taken[*lock] = false,
            Lock::Tick => {}
        }
        vec![(taken, ())]
    }
}

#[test]
fn who_waits_for_ever_is_found_though_others_go_on() {
    let with = |bob: [usize; 2]| {
        let both = |name: &str, [one, other]: [usize; 2]| {
            let calls = [Lock::Get(one), Lock::Get(other), Lock::Put(other), Lock::Put(one)];
            Client::once(name, calls)
        };
        let clients = [both("ann", [0, 1]), both("bob", bob), Client::forever("eve", [Lock::Tick])];
        // Whoever is ready and oldest runs, so that nobody starves who can run.
        let policy = Policy::new("oldest ready", |asking: &Asking<'_, Locks>| {
            !asking.older(|call| Locks.cpre(asking.state(), call))
        });
        validate(&Locks, &policy, &clients)
    };
    assert!(with([0, 1]).is_good(), "{}", with([0, 1]));
    let lost = with([1, 0]);
    let Some(Problem::Lost { waiting, .. }) = lost.problems.first() else { panic!("{lost}") };
    assert!(waiting.contains(&"ann waits for Get(1)".to_string()), "{lost}");
    assert!(lost.to_string().contains("for ever, whatever the others do:"), "{lost}");
}

#[test]
fn operations_of_both_are_told_apart() {
    let open = Warehouses { weight_max: 1000, count: 1, mistake: None };
    let closed = Warehouses { weight_max: 1000, count: 1, mistake: Some(Mistake::ClosedDoor) };
    let enter = Walk::Enter { warehouse: 0, weight: 1 };
    let clients =
        [Client::once("one", [Either::First(enter.clone())]), Client::once("other", [Either::Second(enter)])];
    let validation =
        validate(&Both::new(open, closed), &Policy::both(Policy::any(), Policy::any()), &clients);
    assert!(validation.to_string().contains("`Second(Enter)` is called, but can never run"), "{validation}");
}

#[test]
fn what_never_runs_and_what_must_not_be_called_is_named() {
    let closed = walked(Some(Mistake::ClosedDoor), &Policy::any());
    assert!(matches!(closed.problems[0], Problem::Deadlock { .. }), "{closed}");
    let one = Warehouses { weight_max: 1000, count: 1, mistake: Some(Mistake::ClosedDoor) };
    let never = validate(&one, &Policy::any(), &[robot("one", 1, 1)]);
    assert!(never.to_string().contains("`Enter` is called, but can never run"), "{never}");
    let heavy = validate(&one, &Policy::any(), &[robot("heavy", 1001, 1)]);
    assert!(
        heavy.to_string().contains("heavy calls Enter { warehouse: 0, weight: 1001 }, which its"),
        "{heavy}"
    );
}

/// Several read at once, or one writes.
struct Book;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Use {
    BeforeRead,
    AfterRead,
    BeforeWrite,
    AfterWrite,
}

impl Resource for Book {
    type State = (u8, bool);
    type Call = Use;
    type Value = ();

    fn start(&self) -> (u8, bool) {
        (0, false)
    }

    fn cpre(&self, (readers, writing): &(u8, bool), call: &Use) -> bool {
        match call {
            Use::BeforeRead => !writing,
            Use::BeforeWrite => *readers == 0 && !writing,
            Use::AfterRead | Use::AfterWrite => true,
        }
    }

    fn post(&self, &(readers, writing): &(u8, bool), call: &Use) -> Vec<((u8, bool), ())> {
        vec![match call {
            Use::BeforeRead => ((readers + 1, writing), ()),
            Use::AfterRead => ((readers - 1, writing), ()),
            Use::BeforeWrite => ((readers, true), ()),
            Use::AfterWrite => ((readers, false), ()),
        }]
    }

    fn invariant(&self, (readers, writing): &(u8, bool)) -> bool {
        *readers == 0 || !writing
    }
}

fn read_and_written(policy: &Policy<Book>) -> Vec<String> {
    let reader = |name| Client::forever(name, [Use::BeforeRead, Use::AfterRead]);
    let clients = [reader("ann"), reader("bob"), Client::forever("cid", [Use::BeforeWrite, Use::AfterWrite])];
    let validation = validate(&Book, policy, &clients);
    assert!(validation.is_complete, "{validation}");
    validation
        .problems
        .into_iter()
        .map(|problem| match problem {
            Problem::Starvation { waiting, cycle, .. } => {
                assert!(!cycle.is_empty());
                waiting
            }
            other => panic!("{other}"),
        })
        .collect()
}

#[test]
fn who_starves_depends_on_the_policy() {
    let readers = |call: &Use| -> bool { *call == Use::BeforeRead };
    let writers = |call: &Use| -> bool { *call == Use::BeforeWrite };
    let waits = move |call: &Use| readers(call) || writers(call);
    assert_eq!(read_and_written(&Policy::fifo_by(waits)), Vec::<String>::new());
    // Readers that come and go keep the writer out, or the writer, who comes back at once, all others.
    let any = read_and_written(&Policy::any());
    assert!(any.contains(&"cid waits for BeforeWrite".to_string()), "{any:?}");
    assert!(any.contains(&"ann waits for BeforeRead".to_string()), "{any:?}");
    let over = read_and_written(&Policy::over(writers, readers));
    assert!(!over.contains(&"cid waits for BeforeWrite".to_string()), "{over:?}");
    assert!(over.contains(&"ann waits for BeforeRead".to_string()), "{over:?}");
}

#[test]
fn the_largest_first_is_read_in_two_ways() {
    let weight = |call: &Walk| match call {
        Walk::Enter { weight, .. } => *weight,
        Walk::Exit { .. } => u32::MAX,
    };
    // A robot that is too heavy to enter yet stops a lighter one, but not whoever leaves.
    let waiting = walked(None, &Policy::largest_waiting(weight));
    let ready = walked(None, &Policy::largest_ready(weight));
    assert!(ready.is_good(), "{ready}");
    assert!(waiting.steps < ready.steps, "{waiting}\n{ready}");
}

/// A queue of at most two letters.
struct Queue;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Letter {
    Put(u8),
    Take,
}

impl Resource for Queue {
    type State = Vec<u8>;
    type Call = Letter;
    type Value = Option<u8>;

    fn start(&self) -> Vec<u8> {
        Vec::new()
    }

    fn cpre(&self, letters: &Vec<u8>, call: &Letter) -> bool {
        match call {
            Letter::Put(_) => letters.len() < 2,
            Letter::Take => !letters.is_empty(),
        }
    }

    fn post(&self, letters: &Vec<u8>, call: &Letter) -> Vec<(Vec<u8>, Option<u8>)> {
        match call {
            Letter::Put(letter) => vec![([letters.as_slice(), &[*letter]].concat(), None)],
            Letter::Take => vec![(letters[1..].to_vec(), Some(letters[0]))],
        }
    }
}

/// What was called, and what returned.
type Told<'a> = (&'a [Letter], &'a [(CallId, Option<u8>)]);

/// The letters, who waits, who is still to come, and what has run.
type Middle = (Vec<u8>, Vec<CallId>, Vec<CallId>, Vec<(CallId, Option<u8>)>);

/// What may be the case: the letters, who waits, in order, and what has run without being seen, because time was over.
type Naive = BTreeSet<(Vec<u8>, Vec<CallId>, Vec<(CallId, Option<u8>)>)>;

/// All that a phase may lead to, by trying everything: who comes when, who runs when.
fn naive(policy: &str, before: &Naive, calls: &[Letter], phase: &Phase<Queue>) -> Naive {
    let first = (calls.len() - phase.called.len()) as CallId;
    let mut after = Naive::new();
    let mut open: Vec<Middle> = before
        .iter()
        .map(|(letters, waiting, unseen)| {
            (letters.clone(), waiting.clone(), (first..calls.len() as CallId).collect(), unseen.clone())
        })
        .collect();
    while let Some((letters, waiting, coming, mut returned)) = open.pop() {
        let may_run = |place: usize| {
            let first = match policy {
                "any" => true,
                "fifo" => place == 0,
                // Whoever takes comes first.
                _ => {
                    calls[waiting[place] as usize] == Letter::Take
                        || waiting.iter().all(|id| calls[*id as usize] != Letter::Take)
                }
            };
            first && Queue.cpre(&letters, &calls[waiting[place] as usize])
        };
        for (place, id) in coming.iter().enumerate() {
            let (mut coming, mut waiting) = (coming.clone(), waiting.clone());
            coming.remove(place);
            waiting.push(*id);
            open.push((letters.clone(), waiting, coming, returned.clone()));
        }
        for (place, id) in waiting.iter().enumerate().filter(|(place, _)| may_run(*place)) {
            for (letters, value) in Queue.post(&letters, &calls[*id as usize]) {
                let (mut waiting, mut returned) = (waiting.clone(), returned.clone());
                waiting.remove(place);
                returned.push((*id, value));
                open.push((letters, waiting, coming.clone(), returned));
            }
        }
        returned.sort_unstable();
        let stuck = !phase.is_quiescent || (0..waiting.len()).all(|place| !may_run(place));
        let seen = phase.returned.iter().all(|told| returned.contains(told));
        returned.retain(|told| !phase.returned.contains(told));
        if coming.is_empty() && seen && (!phase.is_quiescent || returned.is_empty()) && stuck {
            after.insert((letters, waiting, returned));
        }
    }
    after
}

/// A phase: up to two calls, and some of the open ones return something.
fn some_phase(case: &mut Case, open: &[CallId], next: CallId) -> Phase<Queue> {
    let called = case.vec(0..=2, |case| match case.index(3) {
        2 => Letter::Take,
        letter => Letter::Put(letter as u8),
    });
    let all = open.iter().copied().chain(next..next + called.len() as CallId);
    let mut returned = Vec::new();
    for id in all {
        match case.index(4) {
            0 => {}
            1 => returned.push((id, None)),
            letter => returned.push((id, Some(letter as u8 - 2))),
        }
    }
    Phase { called, returned, is_quiescent: !case.flag() }
}

#[test]
fn what_is_viable_is_what_brute_force_finds() {
    let takes = |call: &Letter| *call == Letter::Take;
    let puts = |call: &Letter| matches!(call, Letter::Put(_));
    let policies = [("any", Policy::any()), ("fifo", Policy::fifo()), ("takers", Policy::over(takes, puts))];
    for (name, policy) in policies {
        let (mut agreed, mut refuted) = (0, 0);
        let verdict = seeded(1).exhaustive_up_to(9).verdict(|case| {
            let mut viable = Viable::new(&Queue, &policy);
            let mut possible = Naive::from([(Vec::new(), Vec::new(), Vec::new())]);
            let mut calls = Vec::new();
            for _ in 0..3 {
                let open: Vec<CallId> = viable.open().map(|(id, _)| id).collect();
                let phase = some_phase(case, &open, calls.len() as CallId);
                if case.is_over() {
                    return;
                }
                calls.extend(phase.called.clone());
                possible = naive(name, &possible, &calls, &phase);
                let seen = viable.see(phase);
                assert_eq!(seen.is_err(), possible.is_empty(), "{seen:?} {possible:?}");
                if seen.is_err() {
                    refuted += 1;
                    return;
                }
                let states: BTreeSet<&Vec<u8>> = viable.states().unwrap().collect();
                assert_eq!(states, possible.iter().map(|(letters, ..)| letters).collect());
            }
            agreed += 1;
        });
        assert!(proved(&verdict) > 1000 && agreed > 50 && refuted > 1000, "{verdict} {agreed} {refuted}");
    }
}

fn seen(policy: &Policy<Queue>, phases: &[Told]) -> Clause {
    let mut viable = Viable::new(&Queue, policy);
    let ([others @ .., last], is_quiescent) = (phases, true) else { panic!("no phase") };
    for (called, returned) in others {
        viable.see(Phase { called: called.to_vec(), returned: returned.to_vec(), is_quiescent }).unwrap();
    }
    let contradiction =
        viable.see(Phase { called: last.0.to_vec(), returned: last.1.to_vec(), is_quiescent }).unwrap_err();
    assert!(contradiction.clause == Clause::NoCause || !contradiction.before.is_empty(), "{contradiction}");
    contradiction.clause
}

#[test]
fn the_clause_that_was_broken_is_named() {
    use Letter::{Put, Take};
    let any = Policy::any();
    assert_eq!(seen(&any, &[(&[Put(1)], &[])]), Clause::Progress);
    assert_eq!(seen(&any, &[(&[Put(1), Take], &[(0, None), (1, Some(2))])]), Clause::Post);
    assert_eq!(seen(&any, &[(&[Take], &[(0, Some(1))])]), Clause::Cpre);
    assert_eq!(seen(&any, &[(&[Put(1)], &[(0, None)]), (&[], &[(0, None)])]), Clause::NoCause);
    // Two wait to take; the younger one is served first.
    let barged: &[Told] = &[(&[Take], &[]), (&[Take], &[]), (&[Put(1)], &[(2, None), (1, Some(1))])];
    assert_eq!(seen(&Policy::fifo_by(std::mem::discriminant), barged), Clause::Scheduling);
}
