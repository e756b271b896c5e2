//! The one judge: both strategies come to the same conclusion.

use crate::support::seeded;
use gainsay::explain::{Explained, Frontier, Limits, Theory, witness};
use gainsay::prelude::*;

/// A small machine with states 0..4: what happens unseen, and what each of two events leads to.
#[derive(Debug, Clone)]
struct Machine {
    unseen: Vec<Vec<u8>>,
    seen: Vec<Vec<Vec<u8>>>,
}

impl Theory for Machine {
    type Config = u8;
    type Event = usize;
    type Step = u8;
    type Why = &'static str;
    const POSTPONES: bool = false;

    fn steps(&self, config: &u8, _: &usize, steps: &mut Vec<(u8, u8)>) {
        steps.extend(self.unseen[usize::from(*config)].iter().map(|&next| (next, next)));
    }

    fn after(&self, config: u8, event: &usize, next: &mut Vec<u8>) -> Result<(), (&'static str, u8)> {
        let states = &self.seen[*event][usize::from(config)];
        next.extend(states);
        if states.is_empty() { Err(("no such event here", config)) } else { Ok(()) }
    }
}

fn states(case: &mut Case) -> Vec<Vec<u8>> {
    (0..4).map(|_| case.vec(0..=2, |case| case.int(0..=3u8))).collect()
}

/// A machine and events for it.
fn machines(case: &mut Case) -> (Machine, Vec<usize>) {
    let unseen = states(case);
    let seen = (0..2).map(|_| states(case)).collect();
    (Machine { unseen, seen }, case.vec(0..=6, |case| case.index(2)))
}

/// The number of the first event that nothing explains, by sets of states.
fn first_unexplained(machine: &Machine, events: &[usize]) -> Option<usize> {
    let mut now = vec![0u8];
    for (number, event) in events.iter().enumerate() {
        loop {
            let more: Vec<u8> =
                now.iter().flat_map(|&state| machine.unseen[usize::from(state)].clone()).collect();
            let new: Vec<u8> = more.into_iter().filter(|state| !now.contains(state)).collect();
            if new.is_empty() {
                break;
            }
            now.extend(new);
        }
        now = now.iter().flat_map(|&state| machine.seen[*event][usize::from(state)].clone()).collect();
        if now.is_empty() {
            return Some(number);
        }
    }
    None
}

#[test]
fn frontier_and_witness_agree_with_sets_of_states() {
    let (mut yes, mut no) = (0, 0);
    seeded(1).cases(3000).check_with(machines, |(machine, events)| {
        let expected = first_unexplained(&machine, &events);
        let whole = match witness(&machine, [0], &events, &Limits::default()) {
            Explained::Yes(_) => None,
            Explained::No { event, dead } => {
                assert!(!dead.is_empty(), "somebody must have died");
                Some(event)
            }
            Explained::GaveUp { .. } => panic!("gave up"),
        };
        assert_eq!(whole, expected);
        for frontier_max in [100, 1] {
            let limits = Limits { frontier_max, ..Limits::default() };
            let mut frontier = Frontier::new(machine.clone(), [0], limits);
            let step = events.iter().find_map(|event| match frontier.observe(*event) {
                Explained::No { event, .. } => Some(event),
                _ => None,
            });
            assert_eq!(step, expected, "a frontier of at most {frontier_max}");
        }
        if expected.is_some() {
            no += 1
        } else {
            yes += 1
        }
        true
    });
    assert!(yes > 300 && no > 300, "{yes} were explained, {no} were not");
}
