//! Histories judged key by key: a key that is refuted soon does not wait for others.

use gainsay_model::history::{
    History, Judgement, Limits, Sequential, linearizable_by_key, linearizable_by_key_on,
    linearizable_by_key_within, sequentially_consistent_within,
};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A set for each key: `add` answers whether the number was new, and `has` whether it is there.
#[derive(Default)]
struct Sets {
    steps: AtomicU64,
}

#[derive(Debug, Clone)]
enum Call {
    Add(u32),
    Has(u32),
}

impl Sequential for Sets {
    type State = Vec<u32>;
    type Call = (char, Call);
    type Return = bool;
    type Next = Option<Vec<u32>>;

    fn start(&self) -> Vec<u32> {
        Vec::new()
    }

    fn step(&self, state: &Vec<u32>, call: &(char, Call), returned: Option<&bool>) -> Option<Vec<u32>> {
        self.steps.fetch_add(1, Relaxed);
        let (Call::Add(number) | Call::Has(number)) = call.1;
        let (is_there, mut after) = (state.contains(&number), state.clone());
        let answer = match call.1 {
            Call::Add(_) => {
                // (In the order of their coming: so all orders are different states.)
                after.extend(Some(number).filter(|_| !is_there));
                !is_there
            }
            Call::Has(_) => is_there,
        };
        returned.is_none_or(|returned| *returned == answer).then_some(after)
    }
}

/// Key `a` takes long: many overlap, and none is seen after all of them. Key `b` is refuted at once, or right.
fn history(width: u32, is_right: bool) -> History<(char, Call), bool> {
    let mut history = History::new();
    let calls: Vec<usize> =
        (0..width).map(|number| history.call(number as usize, ('a', Call::Add(number)))).collect();
    calls.into_iter().for_each(|call| history.returns(call, true));
    let late = history.call(0, ('a', Call::Has(99)));
    history.returns(late, true);
    let add = history.call(0, ('b', Call::Add(1)));
    history.returns(add, true);
    let has = history.call(0, ('b', Call::Has(1)));
    history.returns(has, is_right);
    history
}

#[test]
fn a_key_that_is_refuted_soon_does_not_wait_for_others() {
    let sets = Sets::default();
    let Judgement::Unexplained(why) = linearizable_by_key(&sets, &history(9, false), |call| call.0) else {
        panic!("it cannot be explained");
    };
    assert_eq!(why.shown, "('b', Has(1)) → false");
    assert_eq!(why.operation, Some(11));
    assert!(sets.steps.load(Relaxed) < 20_000, "{}", sets.steps.load(Relaxed));
}

#[test]
fn the_other_key_is_refuted_in_the_end() {
    let sets = Sets::default();
    let Judgement::Unexplained(why) = linearizable_by_key(&sets, &history(7, true), |call| call.0) else {
        panic!("it cannot be explained");
    };
    assert_eq!(why.shown, "('a', Has(99)) → true");
    assert!(sets.steps.load(Relaxed) > 13_000, "{}", sets.steps.load(Relaxed));
}

#[test]
fn threads_give_the_same_answer() {
    for is_right in [false, true] {
        let limits = Limits { configs_max: 50_000, ..Limits::default() };
        let one = linearizable_by_key_within(&Sets::default(), &history(6, is_right), |call| call.0, &limits);
        for threads in 1..4 {
            let sets = Sets::default();
            let many = linearizable_by_key_on(threads, &sets, &history(6, is_right), |call| call.0, &limits);
            assert_eq!(many, one);
        }
    }
}

#[test]
fn limits_end_every_search() {
    let few = Limits { configs_max: 500, ..Limits::default() };
    let gave_up = linearizable_by_key_within(&Sets::default(), &history(9, true), |call| call.0, &few);
    assert!(matches!(gave_up, Judgement::GaveUp { .. }), "{gave_up}");
    let gave_up = sequentially_consistent_within(&Sets::default(), &history(9, true), &few);
    assert!(matches!(gave_up, Judgement::GaveUp { .. }), "{gave_up}");
}
