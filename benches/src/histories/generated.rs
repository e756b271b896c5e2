//! Histories of a simulated register: linearizable ones, and some of them with one read changed.

use super::data::Sample;
use super::history::{History, Operation, Outcome};
use super::register::{Call, Return, State, step};

const HISTORIES: u64 = 20;
const PROCESSES: u32 = 8;
const OPERATIONS: usize = 300;
/// So many operations in a hundred never return.
const PENDING: u64 = 5;
/// As many values are written as in the recorded histories.
const VALUES: u64 = 5;

/// How many calls may hang when a read is changed.
const HANGING_MAX: usize = 4;

/// So many histories, and every other one of them again with a read that returns another value.
pub(super) fn histories() -> Vec<Sample> {
    let mut samples = Vec::new();
    for seed in 0..HISTORIES {
        let mut random = Random(seed);
        let operations = simulated(&mut random);
        let changed = (seed % 2 == 0).then(|| changed(&mut random, operations.clone()));
        let name = format!("generated {seed:02}");
        samples.push(Sample { name, history: History::Register(operations), expected: Some(true) });
        if let Some(operations) = changed {
            let name = format!("generated {seed:02}, changed");
            samples.push(Sample { name, history: History::Register(operations), expected: None });
        }
    }
    samples
}

/// What happens to an operation.
enum Moment {
    Called,
    /// It takes effect, all at once.
    Done,
    Returned,
}

/// Processes call a register that answers after a random delay. A process whose call never returns is replaced
/// by another one, and its call takes effect in one case out of two.
fn simulated(random: &mut Random) -> Vec<Operation<Call, Return>> {
    let mut operations = Vec::new();
    let mut moments = Vec::new();
    // The next call of each process, and the number it goes by.
    let mut next: Vec<(u64, u32)> = (0..PROCESSES).map(|process| (random.delay(), process)).collect();
    while operations.len() < OPERATIONS {
        let (called, process) = *next.iter().min().expect("there are processes");
        let done = called + random.delay();
        let returned = done + random.delay();
        let at = operations.len();
        let pending = random.below(100) < PENDING;
        moments.push((called, at, Moment::Called));
        if !pending || random.below(2) == 0 {
            moments.push((done, at, Moment::Done));
        }
        if !pending {
            moments.push((returned, at, Moment::Returned));
        }
        let successor = if pending { process + PROCESSES } else { process };
        next[(process % PROCESSES) as usize] = (returned + random.delay(), successor);
        operations.push(Operation { process, call: call(random), call_time: 0, outcome: Outcome::Pending });
    }

    moments.sort_by_key(|&(time, at, _)| (time, at));
    let mut state = State::default();
    let mut returns: Vec<Option<Return>> = vec![None; operations.len()];
    for ((_, at, moment), time) in moments.into_iter().zip(1..) {
        let operation = &mut operations[at];
        match moment {
            Moment::Called => operation.call_time = time,
            Moment::Done => {
                let returned = returns_in(&state, &operation.call);
                state = step(&state, &operation.call, Some(&returned)).expect("the register returns this");
                returns[at] = Some(returned);
            }
            Moment::Returned => {
                let value = returns[at].take().expect("an operation is done before it returns");
                operation.outcome = Outcome::Returned { time, value };
            }
        }
    }
    operations
}

fn call(random: &mut Random) -> Call {
    match random.below(3) {
        0 => Call::Read,
        1 => Call::Write(random.value()),
        _ => Call::Cas { from: random.value(), to: random.value() },
    }
}

fn returns_in(state: &State, call: &Call) -> Return {
    match *call {
        Call::Read => Return::Read(*state),
        Call::Write(_) => Return::Write,
        Call::Cas { from, .. } => Return::Cas(*state == Some(from)),
    }
}

/// Lets one read return another value. The history may still be linearizable. If it is not, finding out can
/// double in cost with every call that hangs: the read is one of the early ones.
fn changed(
    random: &mut Random,
    mut operations: Vec<Operation<Call, Return>>,
) -> Vec<Operation<Call, Return>> {
    let hanging = operations.iter().filter(|operation| matches!(operation.outcome, Outcome::Pending));
    let end = hanging.map(|operation| operation.call_time).nth(HANGING_MAX).unwrap_or(u64::MAX);
    let mut reads: Vec<&mut State> = operations
        .iter_mut()
        .take_while(|operation| operation.call_time < end)
        .filter_map(|operation| match &mut operation.outcome {
            Outcome::Returned { value: Return::Read(value), .. } => Some(value),
            _ => None,
        })
        .collect();
    let at = random.below(reads.len() as u64) as usize;
    let value = &mut *reads[at];
    let others: Vec<i64> = (0..VALUES as i64).filter(|other| Some(*other) != *value).collect();
    *value = Some(others[random.below(others.len() as u64) as usize]);
    operations
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn value(&mut self) -> i64 {
        self.below(VALUES) as i64
    }

    fn delay(&mut self) -> u64 {
        1 + self.below(1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_do_one_thing_at_a_time() {
        let samples = histories();
        assert_eq!(samples.len(), 30);
        for sample in samples {
            let History::Register(operations) = sample.history else {
                panic!("{} is of a register", sample.name)
            };
            assert_eq!(operations.len(), OPERATIONS);
            let mut busy_until = std::collections::HashMap::new();
            for operation in operations {
                let end = match operation.outcome {
                    Outcome::Returned { time, .. } => time,
                    Outcome::Failed { .. } | Outcome::Pending => u64::MAX,
                };
                let last = busy_until.insert(operation.process, end).unwrap_or(0);
                assert!(last < operation.call_time && operation.call_time < end, "{operation:?}");
            }
        }
    }
}
