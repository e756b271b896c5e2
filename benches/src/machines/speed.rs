//! Inputs per second, beside a loop that runs the same functions on inputs that were drawn beforehand, and beside AALpy.

use super::aalpy;
use super::data::{Learned, tcp};
use crate::measure::{Work, rates};
use gainsay::machine::{
    Conformance, Implementation, Machine, Method, Next, Table, conformance, implementation,
};
use gainsay::{Arbitrary, Case, Settings, settings};
use priority_queue::mutants::{Heap, Mistake};
use priority_queue::{Input, specification};
use std::cell::Cell;
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

/// How many inputs the loop has, and after how many it starts anew: about as often as a walk does.
const INPUTS: usize = 100_000;
const LENGTH: usize = 100;

/// Runs a machine and an implementation on given inputs, and compares what comes out.
fn run<M: Machine>(
    machine: &M,
    real: &mut dyn Implementation<M::Input, M::Output>,
    inputs: &[M::Input],
    length: usize,
) -> u64 {
    let (mut next, mut outputs) = (Next::default(), Vec::new());
    let mut state = machine.start();
    for (number, input) in inputs.iter().enumerate() {
        if number % length == 0 {
            state = machine.start();
            real.reset().expect("it starts");
        }
        next.clear();
        machine.step(&state, input, &mut next);
        outputs.clear();
        real.step(input, &mut outputs).expect("it answers");
        let Some((to, expected)) = next.listed().next() else { continue };
        assert!(*expected == *outputs, "it is right");
        state = to.clone();
    }
    inputs.len() as u64
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
    let letter = |number| Case::random(1, number).index(table.inputs()) as u32;
    let drawn: Vec<u32> = (0..INPUTS as u64).map(letter).collect();
    let queued: Vec<Input> =
        (0..INPUTS as u64).map(|number| Input::arbitrary(&mut Case::random(1, number))).collect();
    let suite = gainsay::machine::Suite::complete(&table, Method::Wp, 0).expect("it has one");
    println!("Wp on the server: {} tests, {} inputs", suite.tests(), suite.steps());

    let (mut first, mut second, mut third) = (heap(&count), server(&table, &count), server(&table, &count));
    let mut queue_test =
        conformance("queue", specification(), heap(&count)).draw(|case| case.any()).settings(quiet());
    let mut walk_test = conformance("server", table.clone(), server(&table, &count))
        .inputs(letters.clone())
        .settings(quiet());
    let mut wp_test =
        conformance("server", table.clone(), server(&table, &count)).inputs(letters).settings(quiet());
    let queue = specification();
    let (counted, walked) = (Rc::clone(&count), Rc::clone(&count));
    let mut works: Vec<Work<'_>> = vec![
        Box::new(|| run(&queue, &mut first, &queued, LENGTH)),
        Box::new(|| walk(&mut queue_test, &counted)),
        Box::new(|| run(&table, &mut second, &drawn, LENGTH)),
        Box::new(|| walk(&mut walk_test, &walked)),
        Box::new(|| {
            let mut inputs = 0;
            for test in suite.iter() {
                inputs += run(&table, &mut third, &test, test.len().max(1));
            }
            inputs
        }),
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
