//! hegeltest. Lengths are drawn first: left to itself, it runs almost all sequences to the greatest length.

use super::workload::{Command, LENGTH_MAX, Model, Queue, invariant};
use super::{Contender, SEED};
use ::hegel::generators as gs;
use ::hegel::stateful::{Invariant, Rule, StateMachine, machine};
use ::hegel::{HealthCheck, Hegel, Settings, TestCase, Verbosity};

/// Its state machines. In each sequence, each rule may be switched off.
pub(super) const CONTENDER: Contender = Contender { name: "hegel", run, figures: &[] };

/// A loop that draws one command after the other.
pub(super) const BY_HAND: Contender = Contender { name: "hegel, by hand", run: run_by_hand, figures: &[] };

#[derive(Default)]
struct Machine {
    queue: Queue,
    model: Model,
}

impl Machine {
    fn execute(&mut self, command: Command) {
        self.queue.execute(command);
        self.model.next(command);
    }
}

impl StateMachine for Machine {
    fn rules(&self) -> Vec<Rule<Machine>> {
        vec![
            Rule::new("push", 1.0, |machine: &mut Machine, case: TestCase| {
                machine.execute(Command::Push(item(&case)));
            }),
            Rule::new("pop", 1.0, |machine: &mut Machine, _| machine.execute(Command::Pop)),
        ]
    }

    fn invariants(&self) -> Vec<Invariant<Machine>> {
        vec![Invariant::new_always_run("lengths", |machine: &mut Machine, _| {
            invariant(&machine.queue, &machine.model);
        })]
    }
}

fn run(cases: u64) {
    check(cases, |case| {
        let length = length(&case);
        machine(Machine::default()).steps(length as i64).run(case);
    });
}

fn run_by_hand(cases: u64) {
    check(cases, |case| {
        let mut machine = Machine::default();
        for _ in 0..length(&case) {
            let push = case.draw_silent(gs::booleans());
            machine.execute(if push { Command::Push(item(&case)) } else { Command::Pop });
            invariant(&machine.queue, &machine.model);
        }
    });
}

fn length(case: &TestCase) -> usize {
    case.draw_silent(gs::integers::<usize>().min_value(1).max_value(LENGTH_MAX))
}

/// It favours edge values by itself.
fn item(case: &TestCase) -> u32 {
    case.draw_silent(gs::integers::<u32>())
}

fn check(cases: u64, property: impl FnMut(TestCase)) {
    let settings = Settings::from_profile("base")
        .test_cases(cases)
        .seed(Some(SEED))
        .database(None)
        .verbosity(Verbosity::Quiet)
        .suppress_health_check([HealthCheck::TooSlow]);
    Hegel::new(property).settings(settings).run();
}
