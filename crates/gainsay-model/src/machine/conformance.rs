//! Tests of an implementation by a machine.

mod guide;
mod observed;
mod shorter;
mod story;
mod taken;
mod test;

use super::goal::{Met, Requirement};
use super::{Finite, Goal, Implementation, Machine, Method, Next, Stopped, Suite, Transition, tour};
use gainsay_core::{
    Case, Error, GaveUp, Outcome, Report, Scope, Settings, Verdict, finish, plural, settings,
};
use guide::Guide;
use observed::Observed;
pub use observed::Parted;
use rustc_hash::FxHashSet;
use std::fmt::{self, Debug};
use std::hash::Hash;
use std::time::{Duration, Instant};
use story::Story;
use taken::Taken;

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
    observed: Observed<M::Input, M::Output>,
    /// Which inputs were given where they are specified; if there is no list, whether any was.
    is_sent: Vec<bool>,
    /// What happened in the test at hand.
    story: Story<M::Input, M::Output>,
    /// A test has failed.
    has_failed: bool,
    /// Why the implementation was started in another way after a failure.
    started_anew: Option<String>,
    /// When everything must have ended.
    deadline: Option<Instant>,
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
        observed: Observed::default(),
        is_sent: Vec::new(),
        story: Story::default(),
        has_failed: false,
        started_anew: None,
        deadline: None,
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

/// The method of a complete suite that nobody has chosen: the one whose tests are fewest and shortest.
const SHORTEST: Method = Method::Spyh;

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
    /// If the specification does not hold.
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

    /// The report on everything that can be done without being asked for: if the specification is finite and deterministic, a tour
    /// through its transitions, and complete suites (SPYH) for as many states as it has and for one more; then random walks. The limit
    /// on time is one of the whole.
    ///
    /// # Errors
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn report(&mut self) -> Result<Report, Error> {
        self.begin();
        let begun = Instant::now();
        let mut time_max = Duration::MAX;
        _ = self.settings.again().limits(|limits| time_max = limits.time_max);
        self.deadline = begun.checked_add(time_max);
        let report = self.report_all();
        self.deadline = None;
        let mut report = self.finished(report?, true)?;
        report.time = begun.elapsed();
        Ok(report)
    }

    #[track_caller]
    fn report_all(&mut self) -> Result<Report, Error> {
        let (mut proof, mut without_proof) = (None, None);
        match self.finite() {
            Ok(finite) => {
                let report = self.report_numbers("tour", &tour_of(&finite))?;
                if !report.verdict.is_good() || self.is_late() {
                    return Ok(report);
                }
                for extra in 0..2 {
                    let suite = match suite(&self.machine, &finite, SHORTEST, extra, self.steps_max) {
                        Ok(suite) => suite,
                        Err(error) => {
                            without_proof = Some(error.to_string());
                            break;
                        }
                    };
                    let report = self.report_complete(&finite, SHORTEST, extra, &suite)?;
                    if !report.verdict.is_good() || self.is_late() {
                        return Ok(proof.filter(|_| report.verdict.is_good()).unwrap_or(report));
                    }
                    proof = matches!(report.verdict, Verdict::Proved(_)).then_some(report).or(proof);
                }
            }
            Err(error) if matches!(self.inputs, Inputs::Listed(_)) => without_proof = Some(error.to_string()),
            Err(_) => {}
        }
        let mut walk = self.walk(None)?;
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

    /// The report on random walks, which favour transitions that have not been taken. If the specification is finite and
    /// deterministic, half of them are led: to a state, a few inputs on, and by inputs that tell the state reached from another
    /// (random Wp).
    ///
    /// # Errors
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn report_walk(&mut self) -> Result<Report, Error> {
        self.begin();
        let report = self.walk(None)?;
        self.finished(report, true)
    }

    /// The report on random walks until a goal is reached. If they end before, by a limit on time or cases, that is no pass.
    ///
    /// # Errors
    /// If it cannot be tested at all, or the goal speaks of a share of the specification, which is not finite, or of a requirement that
    /// nobody has stated.
    #[track_caller]
    pub fn report_until(&mut self, goal: Goal<M::State>) -> Result<Report, Error> {
        self.begin();
        let report = self.walk(Some(goal))?;
        // (What is enough is said by the goal.)
        self.finished(report, false)
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
            None => self.settings_left(),
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
        let finite = self.finite_within(guide::STATES_MAX).ok().filter(|finite| finite.states().len() > 1);
        let mut guide = finite.as_ref().map(|finite| Guide::new(finite.table()));
        self.reported(|this, trouble| {
            settings.report_outcomes(&name, &mut |case| {
                let outcome = this.test::<WALK_FACTOR>(case, trouble, guide.as_mut());
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
        self.begin();
        let finite = self.finite()?;
        let report = self.report_numbers("tour", &tour_of(&finite))?;
        self.finished(report, true)
    }

    /// The report on a complete suite, for implementations with `extra` more states than the specification has.
    ///
    /// # Errors
    /// If it cannot be tested at all, or there is no such suite.
    #[track_caller]
    pub fn report_suite(&mut self, method: Method, extra: usize) -> Result<Report, Error> {
        self.begin();
        let finite = self.finite()?;
        let suite = suite(&self.machine, &finite, method, extra, Suite::STEPS_MAX)?;
        let report = self.report_complete(&finite, method, extra, &suite)?;
        self.finished(report, true)
    }

    /// How many tests and inputs a complete suite has.
    ///
    /// # Errors
    /// If there is no such suite.
    pub fn forecast(&self, method: Method, extra: usize) -> Result<(usize, usize), Error> {
        let suite = suite(&self.machine, &self.finite()?, method, extra, Suite::STEPS_MAX)?;
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
        self.begin();
        let listed = self.listed()?;
        let number = |input: &M::Input| {
            let place = listed.iter().position(|listed| listed == input);
            place.map(|place| place as u32).ok_or_else(|| {
                Error::specification(format!("{input:?} is not among the inputs of `{}`: list it", self.name))
            })
        };
        let numbers: Result<Vec<Vec<u32>>, Error> =
            sequences.into_iter().map(|inputs| inputs.iter().map(number).collect()).collect();
        let report = self.report_numbers("sequences", &Suite::given(numbers?.iter().map(Vec::as_slice)))?;
        self.finished(report, false)
    }

    /// The report on all sequences of at most so many inputs. Where the specification leaves a choice, an implementation may choose
    /// otherwise the next time: then nothing is proved.
    ///
    /// # Errors
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn report_exhaustive(&mut self, inputs_max: usize) -> Result<Report, Error> {
        self.begin();
        self.listed()?;
        let settings = self.settings.again().exhaustive();
        let name = format!("{}, exhaustively", self.name);
        let length_max = std::mem::replace(&mut self.length_max, inputs_max);
        let report = self.reported(|this, trouble| {
            settings.report_outcomes(&name, &mut |case| this.test::<1>(case, trouble, None))
        });
        self.length_max = length_max;
        let mut report = report?;
        if self.had_choice {
            report.withdraw_proof(None);
        }
        if let Verdict::Proved(proved) = &mut report.verdict {
            proved.scope = Scope::UpTo(plural(inputs_max as u64, "input"));
            proved.assumptions = vec![DETERMINISTIC.into(), RELIABLE.into()];
            proved.assumptions.extend(self.implementation.assumption());
        }
        self.finished(report, true)
    }

    /// A report begins.
    fn begin(&mut self) {
        let inputs = if let Inputs::Listed(inputs) = &self.inputs { inputs.len() } else { 1 };
        self.is_sent = vec![false; inputs.max(1)];
        self.observed = Observed::default();
        self.had_choice = false;
        self.has_failed = false;
        self.started_anew = None;
    }

    /// A report as it is given: with what came to light besides, and whether anything was tested at all.
    #[track_caller]
    fn finished(&mut self, mut report: Report, needs_all: bool) -> Result<Report, Error> {
        self.shorten(&mut report)?;
        let anew =
            self.started_anew.take().map(|why| format!("after the failure it was started anew: {why}"));
        report.remarks.extend(anew);
        if let Some(parted) = self.observed.parted() {
            let cases = report.verdict.cases();
            match &mut report.verdict {
                Verdict::Flaky(flaky) => flaky.reason = parted.to_string(),
                Verdict::Falsified(_) => report.remarks.push(parted.to_string()),
                verdict => *verdict = Verdict::GaveUp(GaveUp::because(parted.to_string(), cases)),
            }
        }
        if !self.settings.is_replay() && !self.settings.is_isolated() {
            let (never, unknown) = self.never_sent(needs_all);
            report.remarks.extend(
                unknown
                    .into_iter()
                    .map(|it| format!("the input {it} is specified in no state that can be reached")),
            );
            report.never_exercised(never);
        }
        Ok(report)
    }

    /// What was never given where it is specified; and which inputs are not specified at all, as far as that is known.
    fn never_sent(&self, needs_all: bool) -> (Vec<String>, Vec<String>) {
        if !self.is_sent.contains(&true) {
            return (vec!["any input".into()], Vec::new());
        }
        let (Inputs::Listed(inputs), true) = (&self.inputs, needs_all && self.is_sent.contains(&false))
        else {
            return Default::default();
        };
        let finite = self.finite().ok();
        let (mut never, mut unknown) = (Vec::new(), Vec::new());
        for (number, input) in inputs.iter().enumerate().filter(|(number, _)| !self.is_sent[*number]) {
            let is_specified = |finite: &Finite<_, _, _>| {
                let table = finite.table();
                (0..table.states() as u32).any(|state| table.step(state, number as u32).is_some())
            };
            match finite.as_ref().is_none_or(is_specified) {
                true => never.push(format!("the input {input:?} where it is specified")),
                false => unknown.push(format!("{input:?}")),
            }
        }
        (never, unknown)
    }

    /// The settings, with as much time as is left.
    fn settings_left(&self) -> Settings {
        let settings = self.settings.again();
        let Some(deadline) = self.deadline else { return settings };
        let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        settings.limits(|limits| limits.time_max = limits.time_max.min(left))
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
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

    /// Where the same inputs were answered in two ways in the last report, though the specification leaves no choice.
    pub fn parted(&self) -> Option<&Parted<M::Input, M::Output>> {
        self.observed.parted()
    }

    /// The smallest machine that is specified.
    fn finite(&self) -> Result<Finite<M::State, M::Input, M::Output>, Error> {
        self.finite_within(self.states_max)
    }

    fn finite_within(&self, states_max: usize) -> Result<Finite<M::State, M::Input, M::Output>, Error> {
        let inputs = self.listed()?.iter().cloned();
        Ok(Finite::explore(&self.machine, inputs, states_max)?.minimised())
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
            let states = plural((finite.states().len() + extra) as u64, "state");
            proved.scope = Scope::UpTo(states.clone());
            proved.assumptions = vec![
                format!("the implementation has at most {states}, when minimised"),
                DETERMINISTIC.into(),
                RELIABLE.into(),
            ];
            proved.assumptions.extend(self.implementation.assumption());
            if finite.table().hole().is_some() {
                proved.assumptions.push("nothing is claimed where nothing is specified".into());
            }
        }
        let tests = plural(suite.tests() as u64, "test");
        let steps = plural(suite.steps() as u64, "input");
        let states = plural(extra as u64, "more state");
        report.remarks.push(format!("{method} with {states}: {tests}, {steps}"));
        Ok(report)
    }

    /// Runs a suite of numbers of inputs. What it proves is for others to say.
    #[track_caller]
    fn report_numbers(&mut self, what: &str, suite: &Suite) -> Result<Report, Error> {
        let mut report = self.run_numbers(&format!("{}, {what}", self.name), self.settings_left(), suite)?;
        if !what.contains("more states") {
            report.withdraw_proof(None);
        }
        Ok(report)
    }

    #[track_caller]
    fn run_numbers(&mut self, name: &str, settings: Settings, suite: &Suite) -> Result<Report, Error> {
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
            settings.report_scripts(name, &mut write, &mut |case| this.test::<1>(case, trouble, None))
        });
        self.length_max = length_max;
        report
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
        let mut report = match trouble {
            Some(trouble) if !self.has_failed => {
                return Err(Error::subject(format!("{} cannot be tested: {trouble}", self.name)));
            }
            // A failure that was seen before is not lost.
            Some(trouble) => {
                let mut report = report?;
                report.remarks.push(format!("after the failure nothing could be tested any more: {trouble}"));
                report
            }
            None => report?,
        };
        if let Some(assumption) = self.implementation.assumption() {
            report.remarks.push(format!("this rests on time: {assumption}"));
        }
        Ok(report)
    }
}

/// A complete suite; what is wrong with the specification is told by its own names.
fn suite<M: Machine>(
    machine: &M,
    finite: &Finite<M::State, M::Input, M::Output>,
    method: Method,
    extra: usize,
    steps_max: usize,
) -> Result<Suite, Error> {
    let state = |number: u32| machine.shown(&finite.states()[number as usize]);
    let input = |number: u32| format!("{:?}", finite.inputs()[number as usize]);
    Suite::named(finite.table(), method, extra, steps_max, &state, &input)
}

/// A tour as a suite.
fn tour_of<S, I, O>(finite: &Finite<S, I, O>) -> Suite
where
    S: Clone + Eq + Hash + Debug,
    I: Clone + Eq + Hash + Debug,
    O: Clone + Eq + Hash + Debug,
{
    Suite::given(tour(finite.table()).iter().map(Vec::as_slice))
}

const DETERMINISTIC: &str = "it answers alike whenever it is asked alike";
const RELIABLE: &str = "it starts anew when it is told to";
