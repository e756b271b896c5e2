//! A test that runs: calls in phases, drawn from what has been seen so far, and a judge that keeps all states that are possible.

use super::{CallId, Clause, Contradiction, Phase, Policy, Resource, Viable};
use gainsay_core::{Case, quietly};
use gainsay_subject::{Live, Patience, Rest, Returned, Settled, Trouble};
use std::collections::BTreeMap;
use std::fmt::{self, Debug};

/// What has been seen of an implementation so far: what the next call depends on.
pub struct Seen<R: Resource> {
    calls: Vec<R::Call>,
    returned: Vec<(CallId, R::Value)>,
    waiting: Vec<CallId>,
    chosen: Vec<R::Call>,
}

impl<R: Resource> Debug for Seen<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waiting: Vec<&R::Call> = self.waiting().collect();
        f.debug_struct("Seen").field("waiting", &waiting).finish_non_exhaustive()
    }
}

impl<R: Resource> Seen<R> {
    pub(super) fn new() -> Seen<R> {
        Seen { calls: Vec::new(), returned: Vec::new(), waiting: Vec::new(), chosen: Vec::new() }
    }

    /// The calls that have returned, and what, in the order in which that was seen.
    pub fn returned(&self) -> impl Iterator<Item = (&R::Call, &R::Value)> {
        self.returned.iter().map(|(id, value)| (&self.calls[*id as usize], value))
    }

    /// The calls that wait, the oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &R::Call> {
        self.waiting.iter().map(|id| &self.calls[*id as usize])
    }

    /// The calls that have been chosen for this phase already, and will be made together with the next one.
    pub fn chosen(&self) -> &[R::Call] {
        &self.chosen
    }

    /// All calls that were made.
    pub(super) fn calls(&self) -> &[R::Call] {
        &self.calls
    }

    /// The calls that have returned.
    pub(super) fn ended(&self) -> impl Iterator<Item = CallId> {
        self.returned.iter().map(|(id, _)| *id)
    }

    /// All calls that have not returned: those that wait and those that have been chosen.
    pub fn open(&self) -> impl Iterator<Item = &R::Call> {
        self.waiting().chain(&self.chosen)
    }
}

/// Draws a call, by what has been seen; nothing if none makes sense.
pub(super) type Draw<R> = Box<dyn FnMut(&Seen<R>, &mut Case) -> Option<<R as Resource>::Call>>;

/// Whether a call that makes no sense was refused as it should, by what it said.
pub(super) type Refused<R> = Box<dyn Fn(&<R as Resource>::Call, &str) -> bool>;

/// How often a call may be overtaken while it waits.
pub(super) struct Overtakings<R: Resource> {
    pub(super) max: usize,
    /// Whether it counts that the second, which came later, went past the first.
    pub(super) such: Box<dyn Fn(&R::Call, &R::Call) -> bool>,
}

/// What was seen in a phase, to be told if it comes to that.
pub(super) struct Told<R: Resource> {
    called: Vec<R::Call>,
    /// What was called makes no sense.
    is_senseless: bool,
    /// What has ended, and what it returned, if it did.
    ended: Vec<(CallId, Option<R::Value>)>,
    waiting: Vec<CallId>,
    /// It is known that whoever waited could not go on.
    is_quiescent: bool,
    /// Some of the states that are possible afterwards.
    states: Vec<R::State>,
}

impl<R: Resource> Told<R> {
    /// Shows it to a judge.
    fn shown_to(
        &self,
        viable: &mut Viable<'_, R>,
        judges_progress: bool,
    ) -> Result<(), Contradiction<R::State>> {
        let called = if self.is_senseless { Vec::new() } else { self.called.clone() };
        let returned = self.ended.iter().filter_map(|(id, value)| Some((*id, value.clone()?))).collect();
        let phase = Phase { called, returned, is_quiescent: self.is_quiescent };
        // Where progress is not asked for, it is known all the same that whoever waits has not run.
        match judges_progress || !self.is_quiescent {
            true => viable.see(phase),
            false => viable.see_safety(phase),
        }
    }
}

/// How many calls are made at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Together {
    pub(super) max: usize,
    /// One alone only if there is no other.
    pub(super) are_several: bool,
}

/// Why a test ended.
pub(super) enum End {
    Failed(Clause, String),
    /// It never comes to rest.
    Restless(String),
}

/// Calls that make no sense have numbers of their own.
const REFUSED: CallId = 1 << 31;

/// So many phases try to let waiting calls end, when a test is over.
const DRAINING_MAX: usize = 30;

/// A test that runs.
pub(super) struct Test<'a, R: Resource> {
    pub(super) resource: &'a R,
    pub(super) policy: &'a Policy<R>,
    pub(super) draw: &'a mut Draw<R>,
    pub(super) refused: Option<&'a Refused<R>>,
    pub(super) overtakings: Option<&'a Overtakings<R>>,
    pub(super) show_call: &'a dyn Fn(&R::Call) -> String,
    pub(super) show_state: &'a dyn Fn(&R::State) -> String,
    pub(super) live: &'a mut (dyn Live<R::Call, R::Value> + 'a),
    pub(super) viable: Viable<'a, R>,
    pub(super) seen: Seen<R>,
    pub(super) told: Vec<Told<R>>,
    pub(super) end: Option<End>,
    pub(super) patience: Patience,
    pub(super) asserts_patience: bool,
    pub(super) judges_progress: bool,
    pub(super) phases_by_timeout: u64,
    /// Calls that were drawn and make no sense.
    pub(super) senseless: Vec<R::Call>,
    /// A state that was possible before the last phase.
    pub(super) last: Option<R::State>,
}

impl<R: Resource> Test<'_, R> {
    /// A phase: calls are drawn, made together, and judged by what comes of them. `false` if there are none.
    pub(super) fn phase(&mut self, case: &mut Case, together: Together) -> Result<bool, Trouble> {
        self.seen.chosen.clear();
        let mut senseless = self.choose(case);
        let is_open = |test: &Self, senseless: &Option<R::Call>| {
            senseless.is_none() && (1..together.max).contains(&test.seen.chosen.len())
        };
        if together.are_several && is_open(self, &senseless) {
            senseless = self.choose(case);
        }
        if is_open(self, &senseless) {
            let more = together.max - self.seen.chosen.len();
            case.repeat(0..=more, |case| {
                if senseless.is_some() {
                    return false;
                }
                let before = self.seen.chosen.len();
                senseless = self.choose(case);
                self.seen.chosen.len() > before
            });
        }
        if case.is_over() {
            return Ok(false);
        }
        match senseless {
            // Together with others it could not be told who has done what.
            Some(call) if self.seen.chosen.is_empty() => self.run_senseless(call)?,
            _ if self.seen.chosen.is_empty() => return Ok(false),
            _ => self.run()?,
        }
        Ok(true)
    }

    /// Chooses a call; one that makes no sense is given back, if such calls are to be made.
    fn choose(&mut self, case: &mut Case) -> Option<R::Call> {
        let call = (self.draw)(&self.seen, case)?;
        if self.resource.pre(&call) {
            self.seen.chosen.push(call);
            return None;
        }
        match self.refused {
            Some(_) => Some(call),
            None => {
                self.senseless.push(call);
                None
            }
        }
    }

    /// Calls that were drawn and not made, since they make no sense.
    pub(super) fn senseless(&self) -> &[R::Call] {
        &self.senseless
    }

    /// The calls that were open at the end of a phase, some of them several times: they waited, if only for a timer.
    pub(super) fn waited(&self) -> impl Iterator<Item = CallId> {
        self.told.iter().flat_map(|told| told.waiting.iter().copied())
    }

    /// Some of the states that were possible between phases.
    pub(super) fn states(&self) -> impl Iterator<Item = &R::State> {
        self.told.iter().flat_map(|told| &told.states)
    }

    fn settle(&mut self) -> Result<Settled<R::Value>, Trouble> {
        let settled = self.live.settle(self.patience)?;
        self.phases_by_timeout += u64::from(settled.rest == Rest::Timed);
        Ok(settled)
    }

    /// Makes the calls that were chosen, and judges what comes of them.
    fn run(&mut self) -> Result<(), Trouble> {
        let called = std::mem::take(&mut self.seen.chosen);
        let first = self.seen.calls.len() as CallId;
        let numbered: Vec<(CallId, R::Call)> = (first..).zip(called.iter().cloned()).collect();
        self.seen.calls.extend(called.iter().cloned());
        self.seen.waiting.extend(first..self.seen.calls.len() as CallId);
        let before: Vec<R::State> =
            self.viable.states().into_iter().flatten().take(STATES_SHOWN_MAX + 1).cloned().collect();
        self.last = before.first().cloned();
        self.live.start(&numbered)?;
        let settled = self.settle()?;
        self.judge(called, settled, &before)
    }

    fn judge(
        &mut self,
        called: Vec<R::Call>,
        settled: Settled<R::Value>,
        before: &[R::State],
    ) -> Result<(), Trouble> {
        let mut rest = settled.rest;
        self.told.push(Told {
            called,
            is_senseless: false,
            ended: Vec::with_capacity(settled.returned.len()),
            waiting: Vec::new(),
            is_quiescent: false,
            states: Vec::new(),
        });
        self.take(settled);
        while self.end.is_none() {
            let Err(contradiction) = self.see(rest) else {
                if self.told.last().is_some_and(|told| told.is_quiescent) {
                    self.count_overtakings();
                }
                return Ok(());
            };
            // Whoever seems to wait may have been held up by somebody who has nothing to do with it.
            if rest == Rest::Asleep && !self.seen.waiting.is_empty() {
                let settled = self.live.reconsider(self.patience)?;
                if !settled.returned.is_empty() || settled.rest != Rest::Asleep {
                    rest = settled.rest;
                    self.take(settled);
                    self.recall();
                    continue;
                }
            }
            let by = if rest == Rest::Asleep { "" } else { " (by timeout)" };
            let mut why = format!("{}{by}", contradiction.clause);
            why += &format!("\n  before the last phase: {}", self.shown_states(before.iter()));
            for (state, reason) in &contradiction.before {
                why += &format!("\n  reached {}: {reason}", (self.show_state)(state));
            }
            self.end = Some(End::Failed(contradiction.clause, why));
        }
        Ok(())
    }

    /// Takes what came of calls in the last phase, which may be the end.
    fn take(&mut self, settled: Settled<R::Value>) {
        let mut wrong = None;
        let mut ended = Vec::with_capacity(settled.returned.len());
        for (id, outcome) in settled.returned {
            // What was refused late was refused.
            if id == REFUSED {
                continue;
            }
            let Some(place) = self.seen.waiting.iter().position(|open| *open == id) else {
                wrong = wrong.or(Some((Clause::NoCause, format!("call {id} returned, which is not open"))));
                continue;
            };
            self.seen.waiting.remove(place);
            let (clause, message) = match outcome {
                Returned::Value(value) => {
                    self.seen.returned.push((id, value.clone()));
                    ended.push((id, Some(value)));
                    continue;
                }
                Returned::Threw(message) => (Clause::Exception, message),
                Returned::Died(message) => (Clause::DeadWorker, message),
            };
            ended.push((id, None));
            let call = (self.show_call)(&self.seen.calls[id as usize]);
            wrong = wrong.or(Some((clause, format!("{call} ended with: {message}"))));
        }
        if let Some(told) = self.told.last_mut() {
            told.ended.extend(ended);
            told.waiting.clone_from(&self.seen.waiting);
        }
        if let Some((clause, why)) = wrong {
            self.end = Some(End::Failed(clause, format!("{clause}\n  {why}")));
        } else if settled.rest == Rest::Running && !self.asserts_patience {
            let waiting: Vec<String> = self.seen.waiting().map(|call| (self.show_call)(call)).collect();
            self.end = Some(End::Restless(format!(
                "it did not come to rest within {:?} (by timeout): {} may still be running",
                self.patience.running,
                waiting.join(", ")
            )));
        }
    }

    /// Judges the last phase.
    fn see(&mut self, rest: Rest) -> Result<(), Contradiction<R::State>> {
        let Some(told) = self.told.last_mut() else { return Ok(()) };
        told.is_quiescent = rest == Rest::Asleep || self.asserts_patience;
        told.shown_to(&mut self.viable, self.judges_progress)?;
        told.states =
            self.viable.states().into_iter().flatten().take(STATES_SHOWN_MAX + 1).cloned().collect();
        Ok(())
    }

    /// Whether a call was overtaken too often is the end of a test.
    fn count_overtakings(&mut self) {
        let Some(Overtakings { max, such }) = self.overtakings else { return };
        let call = |id: CallId| &self.seen.calls[id as usize];
        // In which phase each call was made.
        let made = self.told.iter().enumerate().filter(|(_, told)| !told.is_senseless);
        let made: Vec<usize> =
            made.flat_map(|(phase, told)| std::iter::repeat_n(phase, told.called.len())).collect();
        let ended: Vec<CallId> = self.told.iter().flat_map(|told| &told.ended).map(|(id, _)| *id).collect();
        for waiting in &self.seen.waiting {
            let past = |id: &&CallId| {
                made[**id as usize] > made[*waiting as usize] && such(call(*waiting), call(**id))
            };
            let past: Vec<String> = ended.iter().filter(past).map(|id| (self.show_call)(call(*id))).collect();
            if past.len() > *max {
                let waiting = (self.show_call)(call(*waiting));
                let clause = Clause::Overtaken;
                let why = format!("{clause}\n  {waiting} waits, and past it went {}", past.join(", "));
                self.end = Some(End::Failed(clause, why));
                return;
            }
        }
    }

    /// Lets a new judge see all phases but the last.
    fn recall(&mut self) {
        self.viable = Viable::new(self.resource, self.policy).show(self.show_call);
        let earlier = self.told.len().saturating_sub(1);
        for told in &self.told[..earlier] {
            // (What was possible before is possible still.)
            let _ = told.shown_to(&mut self.viable, self.judges_progress);
        }
    }

    /// What was called in each phase, and which calls had returned then.
    pub(super) fn phases(&self) -> Vec<(Vec<R::Call>, Vec<CallId>)> {
        let mut returned: Vec<CallId> = Vec::new();
        let phases = self.told.iter().filter(|told| !told.is_senseless).map(|told| {
            returned.extend(told.ended.iter().map(|(id, _)| *id));
            returned.sort_unstable();
            (told.called.clone(), returned.clone())
        });
        phases.collect()
    }

    /// What calls have returned, as people read it; nothing if they ended otherwise.
    pub(super) fn values(&self) -> BTreeMap<CallId, Option<String>> {
        let ended = self.told.iter().flat_map(|told| &told.ended);
        ended.map(|(id, value)| (*id, value.as_ref().map(|value| format!("{value:?}")))).collect()
    }

    /// The phases, a line for each.
    pub(super) fn story(&self) -> String {
        let show = |id: &CallId| (self.show_call)(&self.seen.calls[*id as usize]);
        let list = |word: &str, calls: Vec<String>| match calls.is_empty() {
            true => String::new(),
            false => format!("{word} {}", calls.join(", ")),
        };
        let line = |told: &Told<R>| {
            let called: Vec<String> = told.called.iter().map(|call| (self.show_call)(call)).collect();
            let ended =
                told.ended.iter().map(|(id, value)| match value.as_ref().map(|value| format!("{value:?}")) {
                    None => format!("{} ✗", show(id)),
                    Some(value) if value == "()" => show(id),
                    Some(value) => format!("{} → {value}", show(id)),
                });
            let ended: Vec<String> = ended.collect();
            [
                called.join(" ∥ ") + if told.is_senseless { " (senseless)" } else { "" },
                if ended.is_empty() { "unblocks nobody".into() } else { list("unblocks", ended) },
                list("waiting", told.waiting.iter().map(show).collect()),
                self.shown_states(told.states.iter()),
            ]
        };
        let lines: Vec<[String; 4]> = self.told.iter().map(line).collect();
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2), 0];
        let digits = lines.len().to_string().len();
        let mut story = String::new();
        for (number, line) in lines.iter().enumerate() {
            let mut shown = format!("phase {:digits$}  ", number + 1);
            line.iter().zip(widths).for_each(|(text, width)| shown += &format!("{text:width$}  "));
            story += shown.trim_end();
            story.push('\n');
        }
        story
    }

    fn shown_states<'s>(&self, states: impl Iterator<Item = &'s R::State>) -> String
    where
        R: 's,
    {
        let mut shown: Vec<String> = Vec::new();
        for state in states {
            let state = (self.show_state)(state);
            if !shown.contains(&state) {
                shown.push(state);
            }
        }
        let more = if shown.len() > STATES_SHOWN_MAX { " or others" } else { "" };
        shown.truncate(STATES_SHOWN_MAX);
        match shown.is_empty() {
            true => String::new(),
            false => format!("state {}{more}", shown.join(" or ")),
        }
    }

    /// Makes a call that makes no sense: it must be refused, and nothing else may happen.
    fn run_senseless(&mut self, call: R::Call) -> Result<(), Trouble> {
        let shown = (self.show_call)(&call);
        let before: Vec<R::State> =
            self.viable.states().into_iter().flatten().take(STATES_SHOWN_MAX + 1).cloned().collect();
        self.live.start(&[(REFUSED, call.clone())])?;
        let mut settled = self.settle()?;
        let place = settled.returned.iter().position(|(id, _)| *id == REFUSED);
        let said = match place.map(|place| settled.returned.remove(place).1) {
            Some(Returned::Threw(message))
                if self.refused.is_some_and(|refused| refused(&call, &message)) =>
            {
                None
            }
            Some(Returned::Threw(message)) => Some(format!("{shown} was refused with: {message}")),
            Some(Returned::Died(message)) => Some(format!("{shown}: {message}")),
            Some(Returned::Value(value)) => Some(format!("{shown} returned {value:?}")),
            // After a time limit nothing follows from what was not seen.
            None if settled.rest != Rest::Asleep && !self.asserts_patience => None,
            None => Some(format!("{shown} waits")),
        };
        self.judge(Vec::new(), settled, &before)?;
        if let Some(told) = self.told.last_mut() {
            (told.called, told.is_senseless) = (vec![call], true);
        }
        if let (Some(why), None) = (said, &self.end) {
            self.end = Some(End::Failed(Clause::Pre, format!("{}\n  {why}", Clause::Pre)));
        }
        Ok(())
    }

    /// Lets calls that wait end, as far as that can be done by calls that should let them: nobody can end their threads.
    pub(super) fn drain(&mut self) -> Result<(), Trouble> {
        let mut case = Case::random(0, LARGE);
        // If nothing is possible any more, what was possible last is as good as any.
        let Some(mut state) =
            self.viable.states().into_iter().flatten().next().or(self.last.as_ref()).cloned()
        else {
            return Ok(());
        };
        for _ in 0..DRAINING_MAX {
            if self.live.busy() == 0 || case.is_over() {
                break;
            }
            self.seen.chosen.clear();
            let (resource, seen, draw) = (self.resource, &self.seen, &mut *self.draw);
            let policy = self.policy;
            let may_run = |state: &R::State, queue: &[&R::Call], place: usize| {
                resource.cpre(state, queue[place]) && policy.enables(resource, state, queue, place)
            };
            let chosen = quietly(|| {
                let mut best: Option<(usize, R::Call)> = None;
                for _ in 0..CANDIDATES {
                    let Some(call) = draw(seen, &mut case) else { continue };
                    if !resource.pre(&call) {
                        continue;
                    }
                    let mut queue: Vec<&R::Call> = seen.waiting().chain([&call]).collect();
                    if !may_run(&state, &queue, queue.len() - 1) {
                        continue;
                    }
                    queue.pop();
                    let Some((after, _)) = resource.post(&state, &call).into_iter().next() else { continue };
                    let lets = (0..queue.len()).filter(|place| may_run(&after, &queue, *place)).count();
                    if best.as_ref().is_none_or(|(most, _)| lets > *most) {
                        best = Some((lets, call));
                    }
                }
                best
            });
            let Ok(Some((_, call))) = chosen else { break };
            let id = self.seen.calls.len() as CallId;
            self.seen.calls.push(call.clone());
            self.seen.waiting.push(id);
            self.live.start(&[(id, call)])?;
            let mut settled = self.live.settle(self.patience)?;
            if settled.returned.is_empty() && settled.rest == Rest::Asleep {
                settled = self.live.reconsider(self.patience)?;
            }
            settled.returned.retain(|(id, _)| *id != REFUSED);
            let mut ran: Vec<CallId> = settled.returned.iter().map(|(id, _)| *id).collect();
            // In some order in which they may have run.
            while let Some(place) =
                ran.iter().position(|id| resource.cpre(&state, &self.seen.calls[*id as usize]))
            {
                let call = &self.seen.calls[ran.remove(place) as usize];
                if let Some((after, _)) = resource.post(&state, call).into_iter().next() {
                    state = after;
                }
            }
            for (id, outcome) in settled.returned {
                self.seen.waiting.retain(|open| *open != id);
                if let Returned::Value(value) = outcome {
                    self.seen.returned.push((id, value));
                }
            }
            if settled.rest == Rest::Running {
                break;
            }
        }
        Ok(())
    }
}

/// The number of a random case that is as large as cases get.
const LARGE: u64 = 1_000;

/// So many calls are looked at to find one that lets others end.
const CANDIDATES: usize = 12;

/// So many states are shown after a phase.
const STATES_SHOWN_MAX: usize = 3;
