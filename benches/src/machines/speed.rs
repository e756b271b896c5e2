//! Inputs per second, beside a loop that runs the same functions on inputs that were drawn beforehand, and beside AALpy.

use super::aalpy;
use super::data::{Learned, tcp};
use crate::measure::{Work, rates};
use gainsay::machine::{
    Conformance, Implementation, Machine, Method, Next, Stopped, Suite, Table, conformance, implementation,
};
use gainsay::{Settings, settings};
use priority_queue::mutants::{Heap, Mistake};
use priority_queue::{Input, specification};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

pub(super) struct Speed {
    pub(super) walk_queue: f64,
    pub(super) walk_tcp: f64,
    pub(super) wp_tcp: f64,
    pub(super) walk_vs_aalpy: f64,
    pub(super) wp_vs_aalpy: f64,
}

fn quiet() -> Settings {
    settings().without_corpus()
}

/// Runs a machine and an implementation on given sequences of inputs, and compares what comes out.
fn run<M: Machine>(
    machine: &M,
    real: &mut dyn Implementation<M::Input, M::Output>,
    sequences: &[Vec<M::Input>],
) -> u64 {
    let (mut next, mut outputs) = (Next::default(), Vec::new());
    let mut count = 0;
    for inputs in sequences {
        let mut state = machine.start();
        real.reset().expect("it starts");
        for input in inputs {
            next.clear();
            machine.step(&state, input, &mut next);
            outputs.clear();
            real.step(input, &mut outputs).expect("it answers");
            let Some((to, expected)) = next.listed().next() else { continue };
            assert!(*expected == *outputs, "it is right");
            state = to.clone();
        }
        count += inputs.len() as u64;
    }
    count
}

/// An implementation that writes down what it is given.
struct Logged<T, I> {
    real: T,
    log: Rc<RefCell<Vec<Vec<I>>>>,
}

impl<I: Clone, O, T: Implementation<I, O>> Implementation<I, O> for Logged<T, I> {
    fn reset(&mut self) -> Result<(), Stopped> {
        self.log.borrow_mut().push(Vec::new());
        self.real.reset()
    }

    fn step(&mut self, input: &I, outputs: &mut Vec<O>) -> Result<(), Stopped> {
        if let Some(last) = self.log.borrow_mut().last_mut() {
            last.push(input.clone());
        }
        self.real.step(input, outputs)
    }
}

/// The inputs that a walk draws.
fn drawn<M: Machine, T>(
    real: T,
    test: impl FnOnce(Logged<T, M::Input>) -> Conformance<M>,
) -> Vec<Vec<M::Input>> {
    let log = Rc::default();
    let report = test(Logged { real, log: Rc::clone(&log) }).report_walk().expect("it can be tested");
    assert!(report.verdict.is_good(), "{report}");
    log.take()
}

/// Counts what is put in.
fn heap(count: &Rc<Cell<u64>>) -> impl Implementation<Input, priority_queue::Output> + use<> {
    let count = Rc::clone(count);
    implementation(
        || Heap::new(Mistake::None),
        move |heap: &mut Heap, input: &Input| {
            count.set(count.get() + 1);
            heap.step(input)
        },
    )
}

fn server(table: &Table, count: &Rc<Cell<u64>>) -> impl Implementation<u32, u32> + use<> {
    let (table, count) = (table.clone(), Rc::clone(count));
    implementation(
        || 0,
        move |state: &mut u32, input: &u32| {
            count.set(count.get() + 1);
            let (next, answer) = table.step(*state, *input)?;
            *state = next;
            Some(answer)
        },
    )
}

/// Walks, and says how many inputs that were.
fn walk<M: Machine>(test: &mut Conformance<M>, count: &Cell<u64>) -> u64 {
    let before = count.get();
    let report = test.report_walk().expect("it can be tested");
    assert!(report.verdict.is_good(), "{report}");
    count.get() - before
}

pub(super) fn compare() -> Speed {
    let count = Rc::new(Cell::new(0));
    let learned = Learned::read_dot(&tcp()).expect("it is read");
    let table = learned.table().clone();
    let letters = 0..table.inputs() as u32;
    let queued = drawn(heap(&count), |real| {
        conformance("queue", specification(), real).draw(|case| case.any()).settings(quiet().seed(1))
    });
    let served = drawn(server(&table, &count), |real| {
        conformance("server", table.clone(), real).inputs(letters.clone()).settings(quiet().seed(1))
    });
    let suite = Suite::complete(&table, Method::Wp, 0).expect("it has one");
    println!("Wp on the server: {} tests, {} inputs", suite.tests(), suite.steps());

    let (mut first, mut second, mut third) = (heap(&count), server(&table, &count), server(&table, &count));
    let mut queue_test =
        conformance("queue", specification(), heap(&count)).draw(|case| case.any()).settings(quiet());
    let server_test = || {
        conformance("server", table.clone(), server(&table, &count)).inputs(letters.clone()).settings(quiet())
    };
    let (mut walk_test, mut wp_test) = (server_test(), server_test());
    let tests: Vec<Vec<u32>> = suite.iter().collect();
    let queue = specification();
    let (counted, walked) = (Rc::clone(&count), Rc::clone(&count));
    let mut works: Vec<Work<'_>> = vec![
        Box::new(|| run(&queue, &mut first, &queued)),
        Box::new(|| walk(&mut queue_test, &counted)),
        Box::new(|| run(&table, &mut second, &served)),
        Box::new(|| walk(&mut walk_test, &walked)),
        Box::new(|| run(&table, &mut third, &tests)),
        Box::new(|| {
            let report = wp_test.report_suite(Method::Wp, 0).expect("it can be tested");
            assert!(report.verdict.is_good(), "{report}");
            suite.steps() as u64
        }),
    ];
    let rates = rates(&mut works);
    println!(
        "inputs/s: queue {:.0} walk {:.0}; server {:.0} walk {:.0}; Wp {:.0} test {:.0}",
        rates[0], rates[1], rates[2], rates[3], rates[4], rates[5]
    );
    let aalpy = aalpy::rates(&tcp());
    let against = |ours: f64, theirs: Option<f64>| theirs.map_or(f64::NAN, |theirs| ours / theirs);
    Speed {
        walk_queue: rates[1] / rates[0],
        walk_tcp: rates[3] / rates[2],
        wp_tcp: rates[5] / rates[4],
        walk_vs_aalpy: against(rates[3], aalpy.as_ref().map(|aalpy| aalpy.walk)),
        wp_vs_aalpy: against(rates[5], aalpy.as_ref().map(|aalpy| aalpy.wp)),
    }
}
