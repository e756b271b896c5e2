//! Tests of an implementation by a machine.

use super::goal::{Met, Requirement};
use super::judge::{Judged, Known, Reaction, Why};
use super::{Finite, Goal, Implementation, Machine, Method, Next, Stopped, Suite, Transition, tour};
use gainsay_core::{
    Case, Error, Failure, GaveUp, Outcome, Report, Scope, Settings, Status, Verdict, finish, settings,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::{self, Debug};
use std::hash::Hash;

/// When an implementation conforms: after what was seen, which inputs it is tested with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// With those that are specified in every state that the specification may be in, at every step. This is the usual one.
    Uioco,
    /// With those that are specified in any of them.
    Ioco,
}

/// Where inputs come from.
enum Inputs<I> {
    Nowhere,
    Listed(Vec<I>),
    Drawn(Box<dyn FnMut(&mut Case) -> I>),
}

/// An implementation and its specification: see [`conformance`].
pub struct Conformance<M: Machine> {
    name: String,
    machine: M,
    implementation: Box<dyn Implementation<M::Input, M::Output>>,
    inputs: Inputs<M::Input>,
    relation: Relation,
    settings: Settings,
    length_max: usize,
    states_max: usize,
    steps_max: usize,
    /// How often a transition was taken, while that tells anything.
    taken: Taken<M::State>,
    met: Met<M>,
    /// In some test, the implementation could choose.
    had_choice: bool,
    /// What the last test has used.
    next: Next<M::State, M::Output>,
    outputs: Vec<M::Output>,
}

impl<M: Machine> Debug for Conformance<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conformance").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Tests an implementation by a machine.
///
/// ```
/// use gainsay_model::machine::{conformance, implementation, machine};
///
/// let bell = machine(false, |pressed: &bool, _: &()| match pressed {
///     false => [(true, vec![])],
///     true => [(false, vec!["ring"])],
/// });
/// let real = implementation(|| 0, |pressed, ()| {
///     *pressed += 1;
///     (*pressed % 2 == 0).then_some("ring")
/// });
/// conformance("bell", bell, real).inputs([()]).check();
/// ```
pub fn conformance<M: Machine>(
    name: &str,
    machine: M,
    implementation: impl Implementation<M::Input, M::Output> + 'static,
) -> Conformance<M> {
    Conformance {
        name: name.into(),
        machine,
        implementation: Box::new(implementation),
        inputs: Inputs::Nowhere,
        relation: Relation::Uioco,
        settings: settings(),
        length_max: LENGTH_MAX,
        states_max: STATES_MAX,
        steps_max: STEPS_MAX,
        taken: Taken::default(),
        met: Met::new(),
        had_choice: false,
        next: Next::default(),
        outputs: Vec::new(),
    }
}

/// So many inputs a walk has at most, unless somebody says otherwise.
const LENGTH_MAX: usize = 1000;

/// Walks are so many times as long as other lists: what is wrong may lie deep inside.
const WALK_FACTOR: u32 = 4;

/// So many walks are more than anybody has time for.
const WALKS_MAX: u64 = 1 << 40;

/// So many states a specification may have to be known as a whole.
const STATES_MAX: usize = 10_000;

/// So many inputs a suite may have to be run without being asked for.
const STEPS_MAX: usize = 1_000_000;

impl<M: Machine> Conformance<M> {
    /// The inputs to test with, the simplest first. With these, suites and tours can be made.
    #[must_use]
    pub fn inputs(mut self, inputs: impl IntoIterator<Item = M::Input>) -> Conformance<M> {
        // (The same input twice would have two numbers.)
        let mut seen = FxHashSet::default();
        self.inputs = Inputs::Listed(inputs.into_iter().filter(|input| seen.insert(input.clone())).collect());
        self
    }

    /// Draws the inputs to test with.
    #[must_use]
    pub fn draw(mut self, draw: impl FnMut(&mut Case) -> M::Input + 'static) -> Conformance<M> {
        self.inputs = Inputs::Drawn(Box::new(draw));
        self
    }

    /// When the implementation conforms.
    #[must_use]
    pub fn relation(mut self, relation: Relation) -> Conformance<M> {
        self.relation = relation;
        self
    }

    /// Settings of the engine.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Conformance<M> {
        self.settings = settings;
        self
    }

    /// How many random walks there are: 1000, if nobody says so.
    #[must_use]
    pub fn cases(mut self, cases: u64) -> Conformance<M> {
        self.settings = self.settings.cases(cases);
        self
    }

    /// How many inputs a random walk has at most: 1000.
    #[must_use]
    pub fn length(mut self, length_max: usize) -> Conformance<M> {
        self.length_max = length_max;
        self
    }

    /// How many inputs a suite may have to be run without being asked for: a million.
    #[must_use]
    pub fn steps(mut self, steps_max: usize) -> Conformance<M> {
        self.steps_max = steps_max;
        self
    }

    /// Something that is required of the system: how many transitions of random walks meet it is told in the end, and may be a
    /// [goal](Goal::requirement).
    #[must_use]
    pub fn requirement(
        mut self,
        name: impl Into<String>,
        meets: impl Fn(&Transition<M::State, M::Input, M::Output>) -> bool + 'static,
    ) -> Conformance<M> {
        self.met.requirements.push(Requirement { name: name.into(), meets: Box::new(meets), count: 0 });
        self
    }

    /// Tests the implementation, and panics with the report if it does not conform.
    ///
    /// # Panics
    /// So.
    #[track_caller]
    pub fn check(mut self) {
        self.settings = std::mem::replace(&mut self.settings, settings()).checked();
        finish(self.report());
    }

    /// The verdict on the implementation.
    ///
    /// # Panics
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn verdict(mut self) -> Verdict {
        self.report().unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on everything that can be done without being asked for: if the specification is finite, deterministic and complete, a
    /// tour through its transitions, and complete suites for as many states as it has and for one more; then random walks.
    ///
    /// # Errors
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn report(&mut self) -> Result<Report, Error> {
        let (mut proof, mut without_proof) = (None, None);
        let finite = self.finite();
        if let (Inputs::Listed(_), Err(error)) = (&self.inputs, &finite) {
            without_proof = Some(error.to_string());
        }
        if let Ok(finite) = finite {
            let report =
                self.report_numbers("tour", &Suite::given(tour(finite.table()).iter().map(Vec::as_slice)))?;
            if !report.verdict.is_good() {
                return Ok(report);
            }
            for extra in 0..2 {
                let suite = match suite(&finite, Method::Wp, extra) {
                    Ok(suite) if suite.steps() <= self.steps_max => suite,
                    Ok(suite) => {
                        let (steps, most) = (suite.steps(), self.steps_max);
                        without_proof = Some(format!(
                            "with {extra} more states it has {steps} inputs, and {most} are allowed"
                        ));
                        break;
                    }
                    Err(error) => {
                        without_proof = Some(error.to_string());
                        break;
                    }
                };
                let report = self.report_complete(&finite, Method::Wp, extra, &suite)?;
                if !report.verdict.is_good() {
                    return Ok(report);
                }
                proof = matches!(report.verdict, Verdict::Proved(_)).then_some(report).or(proof);
            }
        }
        let mut walk = self.report_walk()?;
        if proof.is_none() {
            walk.remarks.extend(without_proof.map(|why| format!("no complete suite was run: {why}")));
        }
        Ok(match proof {
            Some(mut proof) if walk.verdict.is_good() => {
                proof.remarks.push(format!("random walks as well: {}", walk.verdict));
                proof
            }
            _ => walk,
        })
    }

    /// The report on random walks, which favour transitions that have not been taken.
    ///
    /// # Errors
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn report_walk(&mut self) -> Result<Report, Error> {
        self.walk(None)
    }

    /// The report on random walks until a goal is reached. If they end before, by a limit on time or cases, that is no pass.
    ///
    /// # Errors
    /// If it cannot be tested at all, or the goal speaks of a share of the specification, which is not finite, or of a requirement that
    /// nobody has stated.
    #[track_caller]
    pub fn report_until(&mut self, goal: Goal<M::State>) -> Result<Report, Error> {
        self.walk(Some(goal))
    }

    #[track_caller]
    fn walk(&mut self, goal: Option<Goal<M::State>>) -> Result<Report, Error> {
        let mut all = None;
        if let Some(goal) = &goal {
            let mut names = Vec::new();
            goal.requirements(&mut names);
            let stated =
                |name: &str| self.met.requirements.iter().any(|requirement| requirement.name == name);
            if let Some(name) = names.into_iter().find(|name| !stated(name)) {
                return Err(Error::specification(format!(
                    "nobody has stated the requirement {name} of `{}`: say `.requirement({name:?}, …)`",
                    self.name
                )));
            }
            goal.check()?;
            if goal.is_share() {
                let finite = Finite::explore(&self.machine, self.listed()?.iter().cloned(), self.states_max)?;
                all = Some((finite.states().len(), finite.table().transitions()));
            }
        }
        let settings = match &goal {
            // The goal says when it is enough, and not how many walks that takes.
            Some(goal) => {
                let settings = self.settings.again().cases(WALKS_MAX);
                settings.limits(|limits| limits.time_max = limits.time_max.max(goal.time_min()))
            }
            None => self.settings.again(),
        };
        let enough = self.met.begin(goal, all, self.machine.start());
        let mut report = self.walk_by(settings.until(enough))?;
        let (told, short) = self.met.told();
        report.remarks.extend(told);
        if let (Some(short), Verdict::Passed(passed)) = (short, &report.verdict) {
            report.verdict = Verdict::GaveUp(GaveUp::because(short, passed.cases));
        }
        Ok(report)
    }

    #[track_caller]
    fn walk_by(&mut self, settings: Settings) -> Result<Report, Error> {
        self.taken = Taken::default();
        let name = self.name.clone();
        self.reported(|this, trouble| {
            settings.report_outcomes(&name, &mut |case| {
                let outcome = this.test::<WALK_FACTOR>(case, trouble);
                // There are longer walks.
                Outcome { cut: true, ..outcome }
            })
        })
    }

    /// The report on a tour through all transitions of a finite and deterministic specification. (It proves nothing: an implementation
    /// may answer rightly all the way and be in the wrong state.)
    ///
    /// # Errors
    /// If it cannot be tested at all, or there is no tour.
    #[track_caller]
    pub fn report_tour(&mut self) -> Result<Report, Error> {
        let finite = self.finite()?;
        let tour = tour(finite.table());
        self.report_numbers("tour", &Suite::given(tour.iter().map(Vec::as_slice)))
    }

    /// The report on a complete suite, for implementations with `extra` more states than the specification has.
    ///
    /// # Errors
    /// If it cannot be tested at all, or there is no such suite.
    #[track_caller]
    pub fn report_suite(&mut self, method: Method, extra: usize) -> Result<Report, Error> {
        let finite = self.finite()?;
        let suite = suite(&finite, method, extra)?;
        self.report_complete(&finite, method, extra, &suite)
    }

    /// How many tests and inputs a complete suite has.
    ///
    /// # Errors
    /// If there is no such suite.
    pub fn forecast(&self, method: Method, extra: usize) -> Result<(usize, usize), Error> {
        let suite = suite(&self.finite()?, method, extra)?;
        Ok((suite.tests(), suite.steps()))
    }

    /// The report on given sequences of inputs, which must be among the inputs that are listed.
    ///
    /// # Errors
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn report_sequences<'a>(
        &mut self,
        sequences: impl IntoIterator<Item = &'a [M::Input]>,
    ) -> Result<Report, Error>
    where
        M::Input: 'a,
    {
        let listed = self.listed()?;
        let number = |input: &M::Input| {
            let place = listed.iter().position(|listed| listed == input);
            place.map(|place| place as u32).ok_or_else(|| {
                Error::specification(format!("{input:?} is not among the inputs of `{}`: list it", self.name))
            })
        };
        let numbers: Result<Vec<Vec<u32>>, Error> =
            sequences.into_iter().map(|inputs| inputs.iter().map(number).collect()).collect();
        self.report_numbers("sequences", &Suite::given(numbers?.iter().map(Vec::as_slice)))
    }

    /// The report on all sequences of at most so many inputs. Where the specification leaves a choice, an implementation may choose
    /// otherwise the next time: then nothing is proved.
    ///
    /// # Errors
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn report_exhaustive(&mut self, inputs_max: usize) -> Result<Report, Error> {
        self.listed()?;
        let settings = self.settings.again().exhaustive();
        let name = format!("{}, exhaustively", self.name);
        let length_max = std::mem::replace(&mut self.length_max, inputs_max);
        self.had_choice = false;
        let report = self.reported(|this, trouble| {
            settings.report_outcomes(&name, &mut |case| this.test::<1>(case, trouble))
        });
        self.length_max = length_max;
        let mut report = report?;
        if self.had_choice {
            report.withdraw_proof(None);
        }
        if let Verdict::Proved(proved) = &mut report.verdict {
            proved.scope = Scope::UpTo(format!("{inputs_max} inputs"));
            proved.assumptions = vec![DETERMINISTIC.into(), RELIABLE.into()];
            proved.assumptions.extend(self.implementation.assumption());
        }
        Ok(report)
    }

    fn listed(&self) -> Result<&[M::Input], Error> {
        match &self.inputs {
            Inputs::Listed(inputs) if !inputs.is_empty() => Ok(inputs),
            _ => Err(Error::specification(format!(
                "this needs a list of the inputs of `{}`: give one",
                self.name
            ))),
        }
    }

    /// The smallest machine that is specified.
    fn finite(&self) -> Result<Finite<M::State, M::Input, M::Output>, Error> {
        let inputs = self.listed()?.iter().cloned();
        Ok(Finite::explore(&self.machine, inputs, self.states_max)?.minimised())
    }

    #[track_caller]
    fn report_complete(
        &mut self,
        finite: &Finite<M::State, M::Input, M::Output>,
        method: Method,
        extra: usize,
        suite: &Suite,
    ) -> Result<Report, Error> {
        let mut report = self.report_numbers(&format!("{method}, {extra} more states"), suite)?;
        if let Verdict::Proved(proved) = &mut report.verdict {
            let states = finite.states().len() + extra;
            proved.scope = Scope::UpTo(format!("{states} states"));
            proved.assumptions = vec![
                format!("the implementation has at most {states} states, when minimised"),
                DETERMINISTIC.into(),
                RELIABLE.into(),
            ];
            proved.assumptions.extend(self.implementation.assumption());
            if finite.table().hole().is_some() {
                proved.assumptions.push("nothing is claimed where nothing is specified".into());
            }
        }
        let (tests, steps) = (suite.tests(), suite.steps());
        report.remarks.push(format!("{method} with {extra} more states: {tests} tests, {steps} inputs"));
        Ok(report)
    }

    /// Runs a suite of numbers of inputs. What it proves is for others to say.
    #[track_caller]
    fn report_numbers(&mut self, what: &str, suite: &Suite) -> Result<Report, Error> {
        let settings = self.settings.again();
        let name = format!("{}, {what}", self.name);
        let length_max = std::mem::replace(&mut self.length_max, usize::MAX);
        let (mut number, mut inputs) = (0, Vec::new());
        let mut write = |numbers: &mut Vec<u64>| {
            let is_one = suite.read(number, &mut inputs);
            number += 1;
            // Before each input, that there is one; and that there is no more in the end.
            numbers.reserve(2 * inputs.len() + 1);
            for input in &inputs {
                numbers.push(1);
                numbers.push(u64::from(*input));
            }
            numbers.push(0);
            is_one
        };
        let report = self.reported(|this, trouble| {
            settings.report_scripts(&name, &mut write, &mut |case| this.test::<1>(case, trouble))
        });
        self.length_max = length_max;
        let mut report = report?;
        if !what.contains("more states") {
            report.withdraw_proof(None);
        }
        Ok(report)
    }

    /// Runs tests, and looks whether something made them impossible.
    fn reported(
        &mut self,
        run: impl FnOnce(&mut Conformance<M>, &mut Option<Stopped>) -> Result<Report, Error>,
    ) -> Result<Report, Error> {
        if match &self.inputs {
            Inputs::Nowhere => true,
            Inputs::Listed(inputs) => inputs.is_empty(),
            Inputs::Drawn(_) => false,
        } {
            return Err(Error::specification(format!(
                "nobody has said which inputs `{}` is tested with: give a list (`inputs`) or draw them (`draw`)",
                self.name
            )));
        }
        let mut trouble = None;
        let report = run(self, &mut trouble);
        if let Some(trouble) = trouble {
            return Err(Error::specification(format!("{} cannot be tested: {trouble}", self.name)));
        }
        let mut report = report?;
        if let Some(assumption) = self.implementation.assumption() {
            report.remarks.push(format!("this rests on time: {assumption}"));
        }
        Ok(report)
    }

    /// One test, whose random lengths are so many times as large as those of other lists. (Walks are compiled apart from suites: both are hot.)
    fn test<const FACTOR: u32>(&mut self, case: &mut Case, trouble: &mut Option<Stopped>) -> Outcome {
        if trouble.is_some() {
            return Outcome::of(Status::Undefined);
        }
        let Conformance {
            machine,
            implementation,
            inputs,
            relation,
            taken,
            met,
            next,
            outputs,
            had_choice,
            ..
        } = self;
        if let Err(stopped) = implementation.reset() {
            return stop(stopped, "it does not start", trouble);
        }
        let mut known = Known::new(&*machine, std::mem::take(next));
        let mut end = None;
        let (is_watched, is_uioco) = (met.is_asked(), *relation == Relation::Uioco);
        case.repeat_longer(0..=self.length_max, FACTOR, |case| {
            if end.is_some() {
                return false;
            }
            let input = match inputs {
                Inputs::Listed(inputs) => inputs[taken.draw(case, known.only(), inputs.len())].clone(),
                Inputs::Drawn(draw) => draw(case),
                Inputs::Nowhere => return false,
            };
            if case.is_over() || !known.is_specified(&input, is_uioco) {
                return false;
            }
            outputs.clear();
            let telling = Telling { case, input: &input };
            let stopped = implementation.step(&input, outputs);
            // (It did not panic.)
            std::mem::forget(telling);
            case.tell(|| told(&input, outputs, &stopped));
            // Mostly there is one way to go, and it is gone.
            if !is_watched && stopped.is_ok() && known.goes_on(outputs) {
                return true;
            }
            let reaction = Reaction { input, outputs: std::mem::take(outputs) };
            end = match stopped {
                Ok(()) => judged(&*machine, &mut known, &reaction, met),
                Err(stopped) => Some(stop(stopped, &format!("after {:?}", reaction.input), trouble)),
            };
            *outputs = reaction.outputs;
            true
        });
        *had_choice |= known.had_choice();
        *next = known.into_next();
        if end.as_ref().is_some_and(|end| end.status == Status::Failed) {
            // From now on it is shrunk, which has nothing to do with goals.
            met.stop();
        }
        match end {
            _ if case.is_over() => Outcome::of(Status::Unjudged),
            Some(outcome) => outcome,
            None => Outcome::of(Status::Passed),
        }
    }
}

/// A complete suite; what is wrong with the specification is told by its own names.
fn suite<S, I, O>(finite: &Finite<S, I, O>, method: Method, extra: usize) -> Result<Suite, Error>
where
    S: Clone + Eq + Hash + Debug,
    I: Clone + Eq + Hash + Debug,
    O: Clone + Eq + Hash + Debug,
{
    let state = |number: u32| format!("{:?}", finite.states()[number as usize]);
    let input = |number: u32| format!("{:?}", finite.inputs()[number as usize]);
    Suite::named(finite.table(), method, extra, &state, &input)
}

const DETERMINISTIC: &str = "it answers alike whenever it is asked alike";
const RELIABLE: &str = "it starts anew when it is told to";

/// An input and its outputs, as people read them.
#[cold]
fn told<I: Debug, O: Debug>(input: &I, outputs: &[O], stopped: &Result<(), Stopped>) -> String {
    match stopped {
        Ok(()) => format!("{input:?} → {outputs:?}"),
        Err(_) => format!("{input:?}"),
    }
}

/// Judges a reaction, and takes account of what was met by it; how the test ends, if that is the end.
#[inline(never)]
fn judged<'a, M: Machine>(
    machine: &M,
    known: &mut Known<'a, M>,
    reaction: &Reaction<M::Input, M::Output>,
    met: &mut Met<M>,
) -> Option<Outcome> {
    let from = if met.is_asked() { known.only().cloned() } else { None };
    match known.see(reaction) {
        Judged::Yes => {}
        Judged::No(dead) => {
            let states = dead.iter().map(|dead| (&dead.config, dead.why));
            return Some(contradicted(machine, reaction, states, known.had_choice()));
        }
        Judged::GaveUp => return Some(Outcome { cut: true, ..Outcome::of(Status::Undefined) }),
    }
    match (from, known.only()) {
        _ if !met.is_asked() => {}
        (Some(from), Some(to)) => {
            let Reaction { input, outputs } = reaction.clone();
            met.see(Transition { from, input, outputs, to: to.clone() });
        }
        _ => met.see_input(),
    }
    None
}

/// Tells the input at which an implementation panics. Whoever gets past it forgets it.
struct Telling<'a, I: Debug> {
    case: &'a mut Case,
    input: &'a I,
}

impl<I: Debug> Drop for Telling<'_, I> {
    #[cold]
    fn drop(&mut self) {
        self.case.tell(|| format!("{:?}", self.input));
    }
}

/// The implementation did not get to an answer.
fn stop(stopped: Stopped, when: &str, trouble: &mut Option<Stopped>) -> Outcome {
    let (kind, why) = match &stopped {
        Stopped::Broken(why) => ("broken", format!("{when}: {why}")),
        Stopped::Late(why) => ("late", format!("{when}: {why} (by timeout)")),
        Stopped::Untestable(why) => ("untestable", why.clone()),
    };
    let failure = Failure::new("", why).with_signature(kind);
    if let Stopped::Untestable(_) = stopped {
        *trouble = Some(stopped);
        return Outcome::failed(failure.undecided());
    }
    Outcome::failed(failure)
}

/// No state explains what was answered.
fn contradicted<'a, M>(
    machine: &M,
    reaction: &Reaction<M::Input, M::Output>,
    states: impl Iterator<Item = (&'a M::State, Why)>,
    had_choice: bool,
) -> Outcome
where
    M: Machine + 'a,
{
    let Reaction { input, outputs } = reaction;
    let mut message = format!("{input:?} was answered with {outputs:?}");
    for (state, why) in states {
        let mut next = Next::default();
        machine.step(state, input, &mut next);
        let allowed: Vec<String> = next.listed().map(|(_, outputs)| format!("{outputs:?}")).collect();
        message += &match why {
            Why::Unspecified => format!("\nin state {}: nothing is specified", machine.shown(state)),
            Why::Otherwise if !next.is_listed() => {
                format!("\nin state {}: that is refused", machine.shown(state))
            }
            Why::Otherwise => {
                format!("\nin state {}: expected {}", machine.shown(state), allowed.join(" or "))
            }
        };
    }
    let failure = Failure::new("", message).with_signature("answer");
    // Where there was a choice, another time something else may come of it: that does not make this right.
    Outcome::failed(if had_choice { failure.conclusive() } else { failure })
}

/// Which transitions have been taken.
#[derive(Debug)]
struct Taken<S> {
    by_state: FxHashMap<S, Vec<u32>>,
    /// How many inputs are still looked at, if none of them is new.
    left: u32,
    weights: Vec<u32>,
}

impl<S> Default for Taken<S> {
    fn default() -> Taken<S> {
        Taken { by_state: FxHashMap::default(), left: OLD_MAX, weights: Vec::new() }
    }
}

/// After so many inputs of which none was new, and so many for each state, none is looked for.
const OLD_MAX: u32 = 1000;
const OLD_OF_STATE_MAX: u32 = 20;

/// So many states are remembered.
const REMEMBERED_MAX: usize = 10_000;

/// What a transition weighs that has not been taken, against one that has.
const NEW_WEIGHT: u32 = 8;

impl<S: Clone + Eq + std::hash::Hash> Taken<S> {
    /// Draws an input; rather one that has not been taken in the only state there is.
    #[inline]
    fn draw(&mut self, case: &mut Case, state: Option<&S>, inputs: usize) -> usize {
        match state {
            Some(state) if self.left > 0 => self.draw_new(case, state, inputs),
            _ => case.option(inputs, &[]),
        }
    }

    fn draw_new(&mut self, case: &mut Case, state: &S, inputs: usize) -> usize {
        self.left -= 1;
        if !self.by_state.contains_key(state) {
            if self.by_state.len() == REMEMBERED_MAX {
                self.left = 0;
                return case.option(inputs, &[]);
            }
            self.by_state.insert(state.clone(), (0..inputs as u32).collect());
        }
        let Some(new) = self.by_state.get_mut(state).filter(|new| !new.is_empty()) else {
            return case.option(inputs, &[]);
        };
        self.weights.clear();
        self.weights.resize(inputs, 1);
        new.iter().for_each(|input| self.weights[*input as usize] = NEW_WEIGHT);
        let drawn = case.index_weighted(&self.weights);
        if let Some(place) = new.iter().position(|input| *input as usize == drawn) {
            new.swap_remove(place);
            self.left = OLD_MAX + OLD_OF_STATE_MAX * self.by_state.len() as u32;
        }
        drawn
    }
}
