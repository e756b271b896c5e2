//! Shorter sequences that may fail as well, for a failing one that the shrinker has made as small as it can: what deletes inputs does
//! not find another way. They are looked for in the specification, whose states an implementation mostly has too: other ways between the
//! states that are passed, other inputs that tell the state reached from others, and then everything, breadth first.

use super::super::separate::Separators;
use super::super::ways::Ways;
use super::super::{Machine, Suite, Table};
use super::{Conformance, Inputs, guide};
use gainsay_core::{Counterexample, Error, Report, Verdict};
use rustc_hash::FxHashSet;

/// So many sequences are tried at most.
const RUNS_MAX: usize = 5000;

/// For so large a part of the time that shrinking may take.
const TIME_PART: u32 = 10;

impl<M: Machine> Conformance<M> {
    /// Puts the shortest failing sequence that is found in place of the one that a report shows.
    #[track_caller]
    pub(super) fn shorten(&mut self, report: &mut Report) -> Result<(), Error> {
        let is_asked = self.settings.shrinks() && !self.settings.is_replay() && !self.had_choice;
        let Verdict::Falsified(found) = &report.verdict else { return Ok(()) };
        if !is_asked || found.counterexample.rate.is_some() || !matches!(self.inputs, Inputs::Listed(_)) {
            return Ok(());
        }
        let Ok(finite) = self.finite_within(guide::STATES_MAX) else { return Ok(()) };
        let mut search = Search::new(finite.table());
        let mut inputs = inputs_of(&found.counterexample);
        while let Some(candidates) = search.candidates(&inputs) {
            let Some(shorter) = self.first_failing(report, &candidates)? else { break };
            let Verdict::Falsified(found) = &mut report.verdict else { break };
            let evaluations = found.counterexample.evaluations + candidates.len() as u64;
            inputs = inputs_of(&shorter);
            let before = std::mem::replace(&mut found.counterexample, shorter);
            let after = &mut found.counterexample;
            after.choices_before = before.choices_before;
            after.evaluations += evaluations;
            self.settings.keep_instead(&report.name, &before, after);
        }
        Ok(())
    }

    /// The first of some sequences that fails like the one of a report, shrunk.
    #[track_caller]
    fn first_failing(
        &mut self,
        report: &Report,
        candidates: &[Vec<u32>],
    ) -> Result<Option<Counterexample>, Error> {
        let settings = self.settings.again().without_corpus();
        let settings = settings.limits(|limits| limits.time_max = limits.shrink_time_max / TIME_PART);
        let plain = self.run_numbers(&report.name, settings, &Suite::in_order(candidates))?;
        let kind = report.verdict.counterexample().map(|found| &found.kind);
        Ok(match plain.verdict {
            Verdict::Falsified(found)
                if Some(&found.counterexample.kind) == kind && found.counterexample.rate.is_none() =>
            {
                Some(found.counterexample)
            }
            _ => None,
        })
    }
}

/// The numbers of the inputs of a failing test.
fn inputs_of(found: &Counterexample) -> Vec<u32> {
    let values = found.record.values();
    let (pairs, _) = values.as_chunks::<2>();
    pairs.iter().take_while(|[more, _]| *more == 1).map(|[_, input]| *input as u32).collect()
}

/// What is known of a specification, and which sequences have been tried.
struct Search<'a> {
    table: &'a Table,
    ways: Ways,
    separators: Separators<'a>,
    tried: FxHashSet<Vec<u32>>,
}

impl<'a> Search<'a> {
    fn new(table: &'a Table) -> Search<'a> {
        let (ways, separators) = (Ways::new(table), Separators::new(table));
        Search { table, ways, separators, tried: FxHashSet::default() }
    }

    /// Shorter sequences that have not been tried, the short ones first; nothing if there are none.
    fn candidates(&mut self, inputs: &[u32]) -> Option<Vec<Vec<u32>>> {
        let mut found = Found { all: Vec::new(), tried: &mut self.tried, length: inputs.len() };
        let states = states_of(self.table, inputs);
        around(self.table, &self.ways, &states, inputs, &mut found);
        ends(self.table, &self.ways, &self.separators, &states, inputs, &mut found);
        all_short(self.table, &mut found);
        transitions(self.table, &self.ways, &self.separators, &mut found);
        let mut all = found.all;
        all.sort_by_key(Vec::len);
        Some(all).filter(|all| !all.is_empty())
    }
}

/// Sequences shorter than one, each once.
struct Found<'a> {
    all: Vec<Vec<u32>>,
    tried: &'a mut FxHashSet<Vec<u32>>,
    length: usize,
}

impl Found<'_> {
    fn add(&mut self, parts: &[&[u32]]) {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        if length == 0 || length >= self.length || self.is_full() {
            return;
        }
        let inputs = parts.concat();
        if self.tried.insert(inputs.clone()) {
            self.all.push(inputs);
        }
    }

    fn is_full(&self) -> bool {
        self.tried.len() >= RUNS_MAX
    }
}

/// The states that inputs pass, from the start on.
fn states_of(table: &Table, inputs: &[u32]) -> Vec<u32> {
    let mut states = vec![0];
    for input in inputs {
        let Some((next, _)) = table.step(states[states.len() - 1], *input) else { break };
        states.push(next);
    }
    states
}

/// A shorter way between two states that are passed.
fn around(table: &Table, ways: &Ways, states: &[u32], inputs: &[u32], found: &mut Found<'_>) {
    for to in 1..states.len() {
        for from in 0..to {
            if let Some(way) = ways.inputs(table, states[from], states[to])
                && way.len() < to - from
            {
                found.add(&[&inputs[..from], &way, &inputs[to..]]);
            }
        }
    }
}

/// Other inputs that tell a state that is passed from others.
fn ends(
    table: &Table,
    ways: &Ways,
    separators: &Separators<'_>,
    states: &[u32],
    inputs: &[u32],
    found: &mut Found<'_>,
) {
    for (place, state) in states.iter().enumerate() {
        let way = ways.inputs(table, 0, *state).unwrap_or_default();
        for other in 0..table.states() as u32 {
            let telling = separators.inputs(*state, other);
            found.add(&[&inputs[..place], &telling]);
            found.add(&[&way, &telling]);
        }
    }
}

/// All sequences, as long as they are few.
fn all_short(table: &Table, found: &mut Found<'_>) {
    let mut last: Vec<(Vec<u32>, u32)> = vec![(Vec::new(), 0)];
    while last.len() * table.inputs() < RUNS_MAX / 2 && !found.is_full() && !last.is_empty() {
        let mut longer = Vec::new();
        for (inputs, state) in &last {
            for input in 0..table.inputs() as u32 {
                let Some((next, _)) = table.step(*state, input) else { continue };
                let inputs = [inputs.as_slice(), &[input]].concat();
                found.add(&[&inputs]);
                longer.push((inputs, next));
            }
        }
        last = longer;
        if last.first().is_some_and(|(inputs, _)| inputs.len() + 1 >= found.length) {
            return;
        }
    }
}

/// Each transition, by the shortest way, and what tells the state reached from others.
fn transitions(table: &Table, ways: &Ways, separators: &Separators<'_>, found: &mut Found<'_>) {
    for state in 0..table.states() as u32 {
        let Some(way) = ways.inputs(table, 0, state) else { continue };
        for input in 0..table.inputs() as u32 {
            let Some((next, _)) = table.step(state, input) else { continue };
            found.add(&[&way, &[input]]);
            for other in 0..table.states() as u32 {
                found.add(&[&way, &[input], &separators.inputs(next, other)]);
            }
        }
    }
}
