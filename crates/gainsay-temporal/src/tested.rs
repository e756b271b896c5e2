//! Streams under test: inputs that satisfy a formula, and outputs that are judged by others.

use crate::acceptor::Acceptor;
use crate::accepts::Accepts;
use crate::automaton::Truth;
use crate::formula::Formula;
use crate::streams::Streams;
use crate::timed::{Delays, TimedStreams};
use crate::vacuity::Judge;
use gainsay_core::{
    Arbitrary, Case, Error, Failure, GaveUp, Outcome, Report, Settings, Status, Verdict, finish, settings,
};
use std::fmt::{self, Debug};
use std::ops::{Deref, DerefMut, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

/// When a finite run is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// What presumably holds passes; what presumably does not is inconclusive.
    Usual,
    /// Only what is certainly false does not pass.
    Lenient,
    /// Only what is certainly true passes.
    Strict,
}

/// Something that answers each input with an output, by its time.
type Answers<A, B> = Box<dyn FnMut(Duration, A) -> B>;

/// Draws inputs without times.
type DrawnBy<A> = Box<dyn Fn(&mut Case) -> Vec<A>>;

/// Inputs with their times.
type Timed<A> = Vec<(Duration, A)>;

/// Draws inputs.
type Inputs<A> = Box<dyn Fn(&mut Case) -> Result<Timed<A>, Error>>;

/// Something else that answers, and how both are compared.
struct Old<A, B> {
    make: Box<dyn FnMut() -> Answers<A, B>>,
    is_same: fn(&B, &B) -> bool,
}

/// A stream of outputs for a stream of inputs, tested by formulas: see [`stream`].
///
/// Where nobody says which inputs there are, they are drawn from all of their type, if it is [`Arbitrary`].
pub struct StreamTest<A, B> {
    test: PlainStreamTest<A, B>,
}

/// A test of streams that draws no inputs but those of which somebody says something: what a [`StreamTest`] is where inputs are not
/// [`Arbitrary`].
pub struct PlainStreamTest<A, B> {
    name: String,
    make: Box<dyn FnMut() -> Answers<A, B>>,
    given: Formula<A>,
    expected: Vec<Formula<B>>,
    expected_pairs: Vec<Formula<(A, B)>>,
    accepted: Vec<Box<dyn Accepts<B>>>,
    accepted_pairs: Vec<Box<dyn Accepts<(A, B)>>>,
    old: Option<Old<A, B>>,
    length: Option<RangeInclusive<usize>>,
    delays: Option<Arc<Delays>>,
    drawn: Option<DrawnBy<A>>,
    any: Option<fn(&mut Case) -> A>,
    mode: Mode,
    settings: Settings,
}

impl<A, B> Debug for StreamTest<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.test.fmt(f)
    }
}

impl<A, B> Debug for PlainStreamTest<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamTest")
            .field("name", &self.name)
            .field("given", &self.given)
            .finish_non_exhaustive()
    }
}

// Methods of a type are looked for here if its own demand more than is known of its parameters: so `check` and its like draw inputs from all of
// their type exactly where that is possible.
impl<A, B> Deref for StreamTest<A, B> {
    type Target = PlainStreamTest<A, B>;

    fn deref(&self) -> &PlainStreamTest<A, B> {
        &self.test
    }
}

impl<A, B> DerefMut for StreamTest<A, B> {
    fn deref_mut(&mut self) -> &mut PlainStreamTest<A, B> {
        &mut self.test
    }
}

/// Tests something that answers each input with an output; `make` makes a new one for each test.
///
/// ```
/// use gainsay_temporal::{always, atom, previous, stream};
///
/// // It tells whether the number is larger than the one before.
/// let rises = || {
///     let mut before = 0;
///     move |number: u8| std::mem::replace(&mut before, number) < number
/// };
/// let small = atom("small", |number: &u8| *number < 5).when_true(0..=4).when_false(5..=9);
/// let rose = atom("rose", |pair: &(u8, bool)| pair.1);
/// let zero = atom("zero", |pair: &(u8, bool)| pair.0 == 0);
/// stream("rises", rises).given(always(small)).expect_pairs(always(zero.implies(!rose))).check();
/// ```
pub fn stream<A, B, F>(name: impl Into<String>, mut make: impl FnMut() -> F + 'static) -> StreamTest<A, B>
where
    A: Clone + Debug + 'static,
    B: Clone + Debug + 'static,
    F: FnMut(A) -> B + 'static,
{
    timed_stream(name, move || {
        let mut answers = make();
        move |_, input| answers(input)
    })
}

/// The same for something that is told the time of each input. Without [`delays`](StreamTest::delays) all are at the beginning.
pub fn timed_stream<A, B, F>(
    name: impl Into<String>,
    mut make: impl FnMut() -> F + 'static,
) -> StreamTest<A, B>
where
    A: Clone + Debug + 'static,
    B: Clone + Debug + 'static,
    F: FnMut(Duration, A) -> B + 'static,
{
    let test = PlainStreamTest {
        name: name.into(),
        make: Box::new(move || Box::new(make())),
        given: true.into(),
        expected: Vec::new(),
        expected_pairs: Vec::new(),
        accepted: Vec::new(),
        accepted_pairs: Vec::new(),
        old: None,
        length: None,
        delays: None,
        drawn: None,
        any: None,
        mode: Mode::Usual,
        settings: settings(),
    };
    StreamTest { test }
}

/// Checks that whatever answers inputs that satisfy a formula answers with outputs that satisfy another.
///
/// # Panics
/// With the report, if it does not.
#[track_caller]
pub fn ltl_property<A, B, F>(
    make: impl FnMut() -> F + 'static,
    given: impl Into<Formula<A>>,
    expected: impl Into<Formula<B>>,
) where
    A: Clone + Debug + 'static,
    B: Clone + Debug + 'static,
    F: FnMut(A) -> B + 'static,
{
    let expected = expected.into();
    stream(expected.to_string(), make).given(given).expect(expected).check();
}

impl<A: Clone + Debug + 'static, B: Clone + Debug + 'static> StreamTest<A, B> {
    /// Inputs satisfy this.
    #[must_use]
    pub fn given(mut self, formula: impl Into<Formula<A>>) -> Self {
        self.test.given = formula.into();
        self
    }

    /// Outputs must satisfy this.
    #[must_use]
    pub fn expect(mut self, formula: impl Into<Formula<B>>) -> Self {
        self.test.expected.push(formula.into());
        self
    }

    /// Inputs with their outputs must satisfy this.
    #[must_use]
    pub fn expect_pairs(mut self, formula: impl Into<Formula<(A, B)>>) -> Self {
        self.test.expected_pairs.push(formula.into());
        self
    }

    /// Outputs must be accepted by a judge of another kind: one that is written by hand, for example.
    #[must_use]
    pub fn expect_accepted(mut self, judge: impl Accepts<B> + 'static) -> Self {
        self.test.accepted.push(Box::new(judge));
        self
    }

    /// Inputs with their outputs must be.
    #[must_use]
    pub fn expect_pairs_accepted(mut self, judge: impl Accepts<(A, B)> + 'static) -> Self {
        self.test.accepted_pairs.push(Box::new(judge));
        self
    }

    /// Inputs have times, with delays between them that are drawn so; bounds of time count from then on.
    #[must_use]
    pub fn delays(mut self, delays: impl Fn(&mut Case) -> Duration + Send + Sync + 'static) -> Self {
        self.test.delays = Some(Arc::new(delays));
        self
    }

    /// Inputs are drawn by something else: [recordings](crate::recorded), for example. Those that do not satisfy what is given are
    /// rejected.
    #[must_use]
    pub fn drawn(mut self, draw: impl Fn(&mut Case) -> Vec<A> + 'static) -> Self {
        self.test.drawn = Some(Box::new(draw));
        self
    }

    /// Outputs must be the same as those of something else: the old one, for example.
    #[must_use]
    pub fn expect_same<F: FnMut(A) -> B + 'static>(mut self, mut old: impl FnMut() -> F + 'static) -> Self
    where
        B: PartialEq,
    {
        let make = Box::new(move || {
            let mut answers = old();
            Box::new(move |_, input| answers(input)) as Answers<A, B>
        });
        self.test.old = Some(Old { make, is_same: |one, other| one == other });
        self
    }

    /// How many inputs there are. Otherwise they become more as cases grow, up to a hundred.
    #[must_use]
    pub fn length(mut self, length: RangeInclusive<usize>) -> Self {
        self.test.length = Some(length);
        self
    }

    /// Where nobody says which inputs make atoms true or false, they are looked for among these.
    #[must_use]
    pub fn among(mut self, any: fn(&mut Case) -> A) -> Self {
        self.test.any = Some(any);
        self
    }

    /// The same among all inputs of the type.
    #[must_use]
    pub fn among_all(mut self) -> Self
    where
        A: Arbitrary,
    {
        self.test.any = Some(|case| case.any());
        self
    }

    /// Only what is certainly false does not pass.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.test.mode = Mode::Lenient;
        self
    }

    /// Only what is certainly true passes.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.test.mode = Mode::Strict;
        self
    }

    /// Settings of the engine.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.test.settings = settings;
        self
    }
}

impl<A: Arbitrary + Clone + Debug + 'static, B: Clone + Debug + 'static> StreamTest<A, B> {
    /// Tests it, and panics with the report if it does not do as it must.
    ///
    /// # Panics
    /// If the specification does not hold.
    #[track_caller]
    pub fn check(mut self) {
        self.among_any().check();
    }

    /// The verdict on it.
    ///
    /// # Panics
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn verdict(mut self) -> Verdict {
        self.among_any().verdict()
    }

    /// The report on it.
    ///
    /// # Errors
    /// If it cannot be tested at all: no stream satisfies what is given, for example.
    #[track_caller]
    pub fn report(mut self) -> Result<Report, Error> {
        self.among_any().report()
    }

    fn among_any(&mut self) -> &mut PlainStreamTest<A, B> {
        self.test.any.get_or_insert(|case| case.any());
        &mut self.test
    }
}

impl<A: Clone + Debug + 'static, B: Clone + Debug + 'static> PlainStreamTest<A, B> {
    /// Tests it, and panics with the report if it does not do as it must.
    ///
    /// # Panics
    /// If the specification does not hold.
    #[track_caller]
    pub fn check(&mut self) {
        self.settings = std::mem::replace(&mut self.settings, settings()).checked();
        finish(self.report());
    }

    /// The verdict on it.
    ///
    /// # Panics
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn verdict(&mut self) -> Verdict {
        self.report().unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on it.
    ///
    /// # Errors
    /// If it cannot be tested at all: no stream satisfies what is given, for example.
    #[track_caller]
    pub fn report(&mut self) -> Result<Report, Error> {
        let inputs = self.inputs()?;
        let mut judges = Judges {
            outputs: judges(&self.expected, "an output")?,
            pairs: judges(&self.expected_pairs, "an input")?,
            accepted: std::mem::take(&mut self.accepted),
            accepted_pairs: std::mem::take(&mut self.accepted_pairs),
        };
        let settings = std::mem::replace(&mut self.settings, settings());
        let name = self.name.clone();
        let mut report = report_on(settings, &name, &inputs, &mut |inputs, case| {
            let outcome = self.test(inputs, &mut judges, case);
            // There are longer streams, and others at other times.
            Outcome { cut: self.length.is_none() || self.delays.is_some(), ..outcome }
        })?;
        report.never_exercised(judges.never());
        Ok(report)
    }

    /// Who draws inputs.
    fn inputs(&mut self) -> Result<Inputs<A>, Error> {
        let given = self.given.clone();
        if let Some(draw) = self.drawn.take() {
            return Ok(Box::new(move |case| {
                let inputs = draw(case);
                if !given.holds(&inputs) {
                    let _ = case.assume(false);
                }
                Ok(untimed(inputs))
            }));
        }
        if let Some(delays) = self.delays.clone() {
            let mut streams = TimedStreams::new(&given, move |case| delays(case))?;
            if let Some(length) = self.length.clone() {
                streams = streams.length(length);
            }
            if let Some(any) = self.any {
                streams = streams.among(any);
            }
            return Ok(Box::new(move |case| streams.try_draw(case)));
        }
        let mut streams = Streams::new(&given)?;
        if let Some(length) = self.length.clone() {
            streams = streams.length(length);
        }
        if let Some(any) = self.any {
            streams = streams.among(any);
        }
        Ok(Box::new(move |case| streams.try_draw(case).map(untimed)))
    }

    fn test(&mut self, inputs: Vec<(Duration, A)>, judges: &mut Judges<A, B>, case: &mut Case) -> Outcome {
        judges.reset();
        let mut answers = (self.make)();
        let mut old = self.old.as_mut().map(|old| ((old.make)(), old.is_same));
        let is_timed = self.delays.is_some();
        for (place, (time, input)) in inputs.into_iter().enumerate() {
            let telling = Telling { case, input: &input };
            let output = answers(time, input.clone());
            drop(telling);
            case.tell(|| match is_timed {
                true => format!("@{time:?} {input:?} → {output:?}"),
                false => format!("{input:?} → {output:?}"),
            });
            if let Some((old, is_same)) = &mut old {
                let expected = old(time, input.clone());
                if !is_same(&expected, &output) {
                    let message = format!("element {place}: {output:?} came, and {expected:?} came before");
                    return Outcome::failed(Failure::new("", message).with_signature("another output"));
                }
            }
            if let Some(broken) = judges.see(time, &input, &output) {
                return Outcome::failed(broken);
            }
        }
        judges.end();
        self.mode.outcome(judges.worst())
    }
}

impl Mode {
    /// What a run comes to in which nothing was certainly false.
    pub(crate) fn outcome(self, worst: Truth) -> Outcome {
        match (self, worst) {
            (Mode::Lenient, _) | (_, Truth::True) | (Mode::Usual, Truth::PresumablyTrue) => {
                Outcome::of(Status::Passed)
            }
            _ => Outcome::of(Status::Undefined),
        }
    }
}

/// Tests something with inputs that are drawn; what keeps them from being drawn is told in the end.
#[track_caller]
pub(crate) fn report_on<A>(
    settings: Settings,
    name: &str,
    inputs: &dyn Fn(&mut Case) -> Result<Timed<A>, Error>,
    test: &mut dyn FnMut(Timed<A>, &mut Case) -> Outcome,
) -> Result<Report, Error> {
    let mut trouble = None;
    let mut report = settings.report_outcomes(name, &mut |case| {
        let inputs = match inputs(case) {
            Ok(inputs) => inputs,
            Err(error) => {
                trouble.get_or_insert_with(|| error.to_string());
                return Outcome::of(Status::Rejected);
            }
        };
        if case.is_over() || !case.ready() {
            return Outcome::of(Status::Unjudged);
        }
        test(inputs, case)
    })?;
    if let (Some(why), Verdict::GaveUp(gave_up)) = (trouble, &report.verdict) {
        report.verdict = Verdict::GaveUp(GaveUp::because(why, gave_up.cases));
    }
    Ok(report)
}

/// All at the beginning.
fn untimed<A>(inputs: Vec<A>) -> Vec<(Duration, A)> {
    inputs.into_iter().map(|input| (Duration::ZERO, input)).collect()
}

/// Who judges outputs.
struct Judges<A, B> {
    outputs: Vec<Judge<B>>,
    pairs: Vec<Judge<(A, B)>>,
    accepted: Vec<Box<dyn Accepts<B>>>,
    accepted_pairs: Vec<Box<dyn Accepts<(A, B)>>>,
}

impl<A: Clone, B: Clone> Judges<A, B> {
    fn reset(&mut self) {
        self.outputs.iter_mut().for_each(Judge::reset);
        self.pairs.iter_mut().for_each(Judge::reset);
        self.accepted.iter_mut().for_each(|judge| judge.reset());
        self.accepted_pairs.iter_mut().for_each(|judge| judge.reset());
    }

    /// Takes account of an input and its output; the first formula that is certainly broken.
    fn see(&mut self, time: Duration, input: &A, output: &B) -> Option<Failure> {
        let first = self.outputs.iter_mut().find_map(|judge| judge.see(time, output));
        let first = first.or_else(|| self.accepted.iter_mut().find_map(|judge| accept(&mut **judge, output)));
        if first.is_some() || self.pairs.is_empty() && self.accepted_pairs.is_empty() {
            return first;
        }
        let pair = (input.clone(), output.clone());
        let second = self.pairs.iter_mut().find_map(|judge| judge.see(time, &pair));
        second.or_else(|| self.accepted_pairs.iter_mut().find_map(|judge| accept(&mut **judge, &pair)))
    }

    /// A run is over.
    fn end(&mut self) {
        self.outputs.iter_mut().for_each(Judge::end);
        self.pairs.iter_mut().for_each(Judge::end);
    }

    /// What has not occurred in any run.
    fn never(&self) -> Vec<String> {
        let outputs = self.outputs.iter().flat_map(Judge::never);
        outputs.chain(self.pairs.iter().flat_map(Judge::never)).collect()
    }

    fn worst(&mut self) -> Truth {
        let outputs = self.outputs.iter_mut().map(|judge| judge.acceptor.truth());
        let pairs = self.pairs.iter_mut().map(|judge| judge.acceptor.truth());
        let accepted = self.accepted.iter_mut().map(|judge| judge.truth());
        let accepted_pairs = self.accepted_pairs.iter_mut().map(|judge| judge.truth());
        outputs.chain(pairs).chain(accepted).chain(accepted_pairs).min().unwrap_or(Truth::True)
    }
}

/// Judges of things that are called so.
pub(crate) fn judges<E: Clone>(
    formulas: &[Formula<E>],
    element: &'static str,
) -> Result<Vec<Judge<E>>, Error> {
    formulas.iter().map(|formula| Judge::new(formula, element)).collect()
}

fn accept<E>(judge: &mut dyn Accepts<E>, element: &E) -> Option<Failure> {
    judge.see(element);
    let name = judge.name();
    (judge.truth() == Truth::False)
        .then(|| Failure::new("", format!("{name}\nis not so")).with_signature(&name))
}

pub(crate) fn broken<E: Clone>(acceptor: &mut Acceptor<E>) -> Option<Failure> {
    if acceptor.truth() != Truth::False {
        return None;
    }
    let formula = acceptor.formula().to_string();
    let decided = acceptor.decided().map(ToString::to_string).unwrap_or_default();
    Some(Failure::new("", format!("{formula}\nis {decided}")).with_signature(&formula))
}

/// Tells the input at which something panics.
struct Telling<'a, A: Debug> {
    case: &'a mut Case,
    input: &'a A,
}

impl<A: Debug> Drop for Telling<'_, A> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.case.tell(|| format!("{:?}", self.input));
        }
    }
}
