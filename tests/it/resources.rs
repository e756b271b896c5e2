//! Specifications of shared resources, before there is anything to test.

use gainsay::resource::{Client, Policy, Problem, Resource, Validation, validate};

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
    let sound = walked(None, &Policy::fifo_by(|call| std::mem::discriminant(call)));
    assert!(matches!(sound.problems[0], Problem::Deadlock { .. }), "{sound}");
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
