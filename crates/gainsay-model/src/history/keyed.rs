//! Histories of keys, judged apart: all of them with a small limit first and those that are left with larger ones, so that a key that is
//! refuted soon does not wait for one that takes long.

use super::{History, Judgement, Operation, Sequential, linearizable_within};
use crate::explain::Limits;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// So many configurations are looked at for each key at first, and so many times as many in each round after that.
const CONFIGS_AT_FIRST: usize = 1000;
const CONFIGS_FACTOR: usize = 10;

/// So many times as many are looked at for the reason why a key is refuted.
const REASON_FACTOR: usize = 100;

/// Like [`linearizable`](super::linearizable) for each key apart: the first history that has no explanation, or the orders of all, one
/// after the other.
///
/// Sound only if operations on different keys do not influence each other. Numbers of operations are those of the whole history.
pub fn linearizable_by_key<S: Sequential, K: Ord>(
    specification: &S,
    history: &History<S::Call, S::Return>,
    key: impl Fn(&S::Call) -> K,
) -> Judgement {
    linearizable_by_key_within(specification, history, key, &Limits::default())
}

/// Like [`linearizable_by_key`], with limits for each key.
pub fn linearizable_by_key_within<S: Sequential, K: Ord>(
    specification: &S,
    history: &History<S::Call, S::Return>,
    key: impl Fn(&S::Call) -> K,
    limits: &Limits,
) -> Judgement {
    let (parts, whole) = (Parts::new(history, key), limits);
    parts.judgement(limits, |open, limits| {
        let mut all = Vec::new();
        for place in open {
            let judgement = judged(specification, &parts.all[*place].0, limits, whole);
            let is_over = matches!(judgement, Judgement::Unexplained(_));
            all.push((*place, judgement));
            if is_over {
                break;
            }
        }
        all
    })
}

/// Like [`linearizable_by_key_within`], with so many threads, and with the same answer.
pub fn linearizable_by_key_on<S, K: Ord>(
    threads: usize,
    specification: &S,
    history: &History<S::Call, S::Return>,
    key: impl Fn(&S::Call) -> K,
    limits: &Limits,
) -> Judgement
where
    S: Sequential<Call: Sync, Return: Sync> + Sync,
{
    let (parts, whole) = (Parts::new(history, key), limits);
    parts.judgement(limits, |open, limits| {
        let (next, refuted) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
        let all = Mutex::new(Vec::new());
        let work = || {
            // Of several keys that are refuted, the first one is told: what comes after it need not be looked at.
            while let Some(place) = open.get(next.fetch_add(1, Relaxed))
                && *place < refuted.load(Relaxed)
            {
                let judgement = judged(specification, &parts.all[*place].0, limits, whole);
                if matches!(judgement, Judgement::Unexplained(_)) {
                    refuted.fetch_min(*place, Relaxed);
                }
                all.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((*place, judgement));
            }
        };
        std::thread::scope(|scope| {
            (1..threads).for_each(|_| _ = scope.spawn(work));
            work();
        });
        let mut all = all.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        all.sort_by_key(|(place, _)| *place);
        all
    })
}

/// Judges a history within the limits of a round. Why it has no explanation may take longer to find out than that it has none.
fn judged<S: Sequential>(
    specification: &S,
    history: &History<S::Call, S::Return>,
    limits: &Limits,
    whole: &Limits,
) -> Judgement {
    let judgement = linearizable_within(specification, history, limits);
    let configs_max = limits.configs_max.saturating_mul(REASON_FACTOR).min(whole.configs_max);
    match judgement {
        Judgement::Unexplained(_) if configs_max > limits.configs_max => {
            linearizable_within(specification, history, &Limits { configs_max, ..*limits })
        }
        judgement => judgement,
    }
}

/// The histories of all keys, with the numbers of their operations in the whole.
struct Parts<'a, C, R> {
    whole: &'a History<C, R>,
    all: Vec<(History<C, R>, Vec<usize>)>,
}

impl<'a, C: Clone, R: Clone> Parts<'a, C, R> {
    fn new<K: Ord>(whole: &'a History<C, R>, key: impl Fn(&C) -> K) -> Parts<'a, C, R> {
        let mut numbers: BTreeMap<K, Vec<usize>> = BTreeMap::new();
        for (number, operation) in whole.operations().iter().enumerate() {
            numbers.entry(key(&operation.call)).or_default().push(number);
        }
        let parts = whole.partition(key).into_values().zip(numbers.into_values()).collect();
        Parts { whole, all: parts }
    }

    /// Judges all parts in rounds, with larger limits in each. A round ends with the first part that is refuted.
    fn judgement(
        &self,
        limits: &Limits,
        round: impl Fn(&[usize], &Limits) -> Vec<(usize, Judgement)>,
    ) -> Judgement {
        let mut open: Vec<usize> = (0..self.all.len()).collect();
        let mut orders: Vec<Vec<usize>> = vec![Vec::new(); self.all.len()];
        let mut configs_max = CONFIGS_AT_FIRST;
        loop {
            let is_last = configs_max >= limits.configs_max;
            configs_max = configs_max.min(limits.configs_max);
            let mut gave_up = None;
            for (place, judgement) in round(&open, &Limits { configs_max, ..*limits }) {
                match judgement {
                    Judgement::Explained { order } => {
                        open.retain(|other| *other != place);
                        orders[place] = self.numbered(place, &order);
                    }
                    Judgement::Unexplained(mut unexplained) => {
                        unexplained.operation =
                            unexplained.operation.map(|operation| self.all[place].1[operation]);
                        let end = |operation: usize| self.whole.operations[operation].end();
                        if let Some(last) = unexplained.operation.and_then(end) {
                            let ends = self.whole.operations.iter().filter_map(Operation::end);
                            unexplained.ended = ends.filter(|&end| end <= last).count();
                        }
                        for reason in &mut unexplained.reasons {
                            reason.order = self.numbered(place, &reason.order);
                        }
                        return Judgement::Unexplained(unexplained);
                    }
                    // Another key may still show that there is no explanation.
                    judgement @ Judgement::GaveUp { .. } => gave_up = Some(judgement),
                }
            }
            match gave_up {
                None => return Judgement::Explained { order: orders.concat() },
                Some(judgement) if is_last => return judgement,
                Some(_) => configs_max = configs_max.saturating_mul(CONFIGS_FACTOR),
            }
        }
    }

    fn numbered(&self, place: usize, operations: &[usize]) -> Vec<usize> {
        operations.iter().map(|operation| self.all[place].1[*operation]).collect()
    }
}
