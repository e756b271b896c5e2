//! proptest-state-machine. All commands are generated before the first one is executed.

use super::workload::{Command, EDGES, EDGES_EVERY, LENGTH_MAX, Model, Queue, invariant};
use super::{Contender, SEED};
use ::proptest::prelude::*;
use ::proptest::sample::select;
use ::proptest::test_runner::{RngSeed, TestRunner};
use ::proptest_state_machine::{ReferenceStateMachine, StateMachineTest, strategy::Sequential};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// As its documentation has it: a union of the commands' strategies, made anew for each command. A union copies
/// its runner for what it might shrink to.
pub(super) const UNION: Contender = Contender { name: "proptest, union", run: run::<Union>, figures: &[] };

/// A tuple instead of a union, mapped to a command.
pub(super) const CONTENDER: Contender = Contender { name: "proptest", run: run::<Tuple>, figures: &[] };

/// The tuple again, made once and not boxed, without the trait that demands a box.
pub(super) const BY_HAND: Contender = Contender { name: "proptest, by hand", run: run_by_hand, figures: &[] };

/// A way to make commands.
trait Commands: 'static {
    fn commands() -> impl Strategy<Value = Command> + Clone + Send + Sync + 'static;
}

struct Union;

impl Commands for Union {
    fn commands() -> impl Strategy<Value = Command> + Clone + Send + Sync + 'static {
        let items = prop_oneof![EDGES_EVERY - 1 => any::<u32>(), 1 => select(&EDGES)];
        prop_oneof![items.prop_map(Command::Push), Just(Command::Pop)]
    }
}

struct Tuple;

impl Commands for Tuple {
    fn commands() -> impl Strategy<Value = Command> + Clone + Send + Sync + 'static {
        let edges = 0..EDGES_EVERY as usize * EDGES.len();
        (any::<bool>(), edges, any::<u32>()).prop_map(|(push, edge, item)| {
            let item = EDGES.get(edge).copied().unwrap_or(item);
            if push { Command::Push(item) } else { Command::Pop }
        })
    }
}

struct Reference<C>(PhantomData<C>);

impl<C: Commands> ReferenceStateMachine for Reference<C> {
    type State = Model;
    type Transition = Command;

    fn init_state() -> BoxedStrategy<Model> {
        Just(Model::default()).boxed()
    }

    fn transitions(_: &Model) -> BoxedStrategy<Command> {
        C::commands().boxed()
    }

    fn apply(mut model: Model, command: &Command) -> Model {
        model.next(*command);
        model
    }
}

struct Test;

impl StateMachineTest for Test {
    type SystemUnderTest = Queue;
    type Reference = Reference<Tuple>;

    fn init_test(_: &Model) -> Queue {
        Queue::default()
    }

    fn apply(mut queue: Queue, _: &Model, command: Command) -> Queue {
        queue.execute(command);
        queue
    }

    fn check_invariants(queue: &Queue, model: &Model) {
        invariant(queue, model);
    }
}

fn run<C: Commands>(cases: u64) {
    check(cases, Reference::<C>::sequential_strategy(1..=LENGTH_MAX));
}

fn run_by_hand(cases: u64) {
    let commands = Tuple::commands();
    let sequences = Sequential::new(
        (1..=LENGTH_MAX).into(),
        || Just(Model::default()),
        |_, _| true,
        move |_| commands.clone(),
        Reference::<Tuple>::apply,
    );
    check(cases, sequences);
}

type Sequence = (Model, Vec<Command>, Option<Arc<AtomicUsize>>);

fn check(cases: u64, sequences: impl Strategy<Value = Sequence>) {
    let config = ProptestConfig {
        cases: cases.try_into().expect("a run is short"),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(SEED),
        ..ProptestConfig::default()
    };
    let end = TestRunner::new(config.clone()).run(&sequences, |(model, commands, seen)| {
        Test::test_sequential(config.clone(), model, commands, seen);
        Ok(())
    });
    end.expect("the queue is right");
}
