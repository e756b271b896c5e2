//! The queue that is right passes, all that are wrong are found, and the specification keeps its laws.

use gainsay::machine::{Machine, after_inputs, conformance, implementation, laws};
use gainsay::{Settings, Verdict, settings};
use priority_queue::mutants::{Heap, MISTAKES, Mistake};
use priority_queue::{Input, Output, State, specification};

fn quiet() -> Settings {
    settings().seed(1).without_corpus()
}

fn verdict(mistake: Mistake, settings: Settings) -> Verdict {
    let real = implementation(move || Heap::new(mistake), |heap: &mut Heap, input: &Input| heap.step(input));
    conformance("queue", specification(), real).draw(|case| case.any()).settings(settings).verdict()
}

/// The inputs of the smallest failure.
fn shown(verdict: &Verdict) -> String {
    let counterexample = verdict.counterexample().unwrap_or_else(|| panic!("{verdict}"));
    let steps: Vec<&str> = counterexample.notes.iter().map(|note| note.value.as_str()).collect();
    steps.join(", ")
}

#[test]
fn what_is_right_passes() {
    assert!(verdict(Mistake::None, quiet().cases(2000)).is_good());
}

#[test]
fn what_is_wrong_is_found_and_small() {
    let smallest = [
        "Init → [], In(1) → [], In(0) → [], Out → [Element(1)]",
        "Init → [], In(0) → [], In(1) → [], Out → [Element(1)]",
        "Init → [], In(0) → [], In(1) → [], Out → [Element(1)]",
        "",
        "Init → [], In(0) → [], In(0) → [], Size → [Number(1)]",
        "Init → [], In(0) → [], In(0) → [], Size → [Number(1)]",
        "Init → [], In(0) → [], Out → [Element(0)], In(0) → [], Out → []",
        "In(0) → [], Out → [Element(0)]",
        "Init → [], In(0) → [], Reset → [], Init → [], Out → [Element(0)]",
        "Init → [], In(1) → [], In(255) → [], Sum → [Number(0)]",
    ];
    for (mistake, smallest) in MISTAKES.into_iter().zip(smallest) {
        let verdict = verdict(mistake, quiet());
        if mistake == Mistake::AtMost25 {
            // 26 elements, and one look at them.
            assert_eq!(shown(&verdict).split(", ").count(), 28, "{verdict}");
            continue;
        }
        assert_eq!(shown(&verdict), smallest, "{mistake:?}");
    }
}

#[test]
fn it_is_deterministic_but_not_total() {
    let inputs =
        || [Input::Init, Input::Reset, Input::In(1), Input::In(2), Input::Out, Input::Size, Input::Sum];
    let queue = specification();
    assert!(laws(&queue, inputs()).states(500).settings(quiet()).deterministic().is_good());
    let told = laws(&queue, inputs()).states(500).settings(quiet()).total().to_string();
    assert!(told.contains("state = Queue([])") && told.contains("input = Init"), "{told}");
}

/// Whether the size is one more after an element was put in.
fn size(state: &State) -> u32 {
    let queue = specification();
    let mut next = gainsay::machine::Next::default();
    queue.step(state, &Input::Size, &mut next);
    match next.listed().next() {
        Some((_, [Output::Number(size)])) => *size,
        other => panic!("{other:?}"),
    }
}

#[test]
fn putting_something_in_makes_it_larger_unless_it_is_new() {
    let queue = specification();
    let grows =
        |step: &gainsay::machine::Transition<State, Input, Output>| size(&step.to) == size(&step.from) + 1;
    let told = laws(&queue, [Input::In(1)]).settings(quiet()).verdict(grows).to_string();
    assert!(told.contains("state = New"), "{told}");
    let some = [State::Queue(vec![]), State::Queue(vec![1, 1]), State::Queue(vec![0, 7, 200])];
    assert!(laws(&queue, [Input::In(1), Input::In(8)]).over(some).verdict(grows).is_good());
}

#[test]
fn the_smallest_comes_first_after_all_inputs() {
    let queue = specification();
    quiet().cases(10_000).for_all(|inputs: Vec<Input>| {
        after_inputs(&queue, [State::New], &inputs).iter().all(|state| match state {
            State::Queue(elements) => elements.is_sorted(),
            State::New => true,
        })
    });
}
