//! Streams under test: inputs that satisfy a formula, and outputs that are judged by others.

use crate::acceptor::Acceptor;
use crate::automaton::Truth;
use crate::formula::Formula;
use crate::streams::Streams;
use gainsay_core::{
    Case, Error, Failure, GaveUp, Outcome, Report, Settings, Status, Verdict, finish, settings,
};
use std::fmt::{self, Debug};
use std::ops::RangeInclusive;

/// When a finite run is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// What presumably holds passes; what presumably does not is inconclusive.
    Usual,
    /// Only what is certainly false does not pass.
    Lenient,
    /// Only what is certainly true passes.
    Strict,
}

/// Something that answers each input with an output.
type Answers<A, B> = Box<dyn FnMut(A) -> B>;

/// Something else that answers, and how both are compared.
struct Old<A, B> {
    make: Box<dyn FnMut() -> Answers<A, B>>,
    is_same: fn(&B, &B) -> bool,
}

/// A stream of outputs for a stream of inputs, tested by formulas: see [`stream`].
pub struct StreamTest<A, B> {
    name: String,
    make: Box<dyn FnMut() -> Answers<A, B>>,
    given: Formula<A>,
    expected: Vec<Formula<B>>,
    expected_pairs: Vec<Formula<(A, B)>>,
    old: Option<Old<A, B>>,
    length: Option<RangeInclusive<usize>>,
    any: Option<fn(&mut Case) -> A>,
    mode: Mode,
    settings: Settings,
}

impl<A, B> Debug for StreamTest<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamTest")
            .field("name", &self.name)
            .field("given", &self.given)
            .finish_non_exhaustive()
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
    StreamTest {
        name: name.into(),
        make: Box::new(move || Box::new(make())),
        given: true.into(),
        expected: Vec::new(),
        expected_pairs: Vec::new(),
        old: None,
        length: None,
        any: None,
        mode: Mode::Usual,
        settings: settings(),
    }
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
        self.given = formula.into();
        self
    }

    /// Outputs must satisfy this.
    #[must_use]
    pub fn expect(mut self, formula: impl Into<Formula<B>>) -> Self {
        self.expected.push(formula.into());
        self
    }

    /// Inputs with their outputs must satisfy this.
    #[must_use]
    pub fn expect_pairs(mut self, formula: impl Into<Formula<(A, B)>>) -> Self {
        self.expected_pairs.push(formula.into());
        self
    }

    /// Outputs must be the same as those of something else: the old one, for example.
    #[must_use]
    pub fn expect_same<F: FnMut(A) -> B + 'static>(mut self, mut old: impl FnMut() -> F + 'static) -> Self
    where
        B: PartialEq,
    {
        self.old = Some(Old { make: Box::new(move || Box::new(old())), is_same: |one, other| one == other });
        self
    }

    /// How many inputs there are. Otherwise they become more as cases grow, up to a hundred.
    #[must_use]
    pub fn length(mut self, length: RangeInclusive<usize>) -> Self {
        self.length = Some(length);
        self
    }

    /// Where nobody says which inputs make atoms true or false, they are looked for among these.
    #[must_use]
    pub fn among(mut self, any: fn(&mut Case) -> A) -> Self {
        self.any = Some(any);
        self
    }

    /// The same among all inputs of the type.
    #[must_use]
    pub fn among_all(mut self) -> Self
    where
        A: gainsay_core::Arbitrary,
    {
        self.any = Some(|case| case.any());
        self
    }

    /// Only what is certainly false does not pass.
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.mode = Mode::Lenient;
        self
    }

    /// Only what is certainly true passes.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.mode = Mode::Strict;
        self
    }

    /// Settings of the engine.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Tests it, and panics with the report if it does not do as it must.
    ///
    /// # Panics
    /// So.
    #[track_caller]
    pub fn check(mut self) {
        self.settings = std::mem::replace(&mut self.settings, settings()).checked();
        finish(self.report());
    }

    /// The verdict on it.
    ///
    /// # Panics
    /// If it cannot be tested at all.
    #[track_caller]
    pub fn verdict(self) -> Verdict {
        self.report().unwrap_or_else(|error| panic!("{error}")).verdict
    }

    /// The report on it.
    ///
    /// # Errors
    /// If it cannot be tested at all: no stream satisfies what is given, for example.
    #[track_caller]
    pub fn report(mut self) -> Result<Report, Error> {
        let mut streams = Streams::new(&self.given)?;
        if let Some(length) = self.length.clone() {
            streams = streams.length(length);
        }
        if let Some(any) = self.any {
            streams = streams.among(any);
        }
        let mut judges = Judges {
            outputs: self.expected.iter().map(Acceptor::new).collect::<Result<_, _>>()?,
            pairs: self.expected_pairs.iter().map(Acceptor::new).collect::<Result<_, _>>()?,
        };
        let settings = std::mem::replace(&mut self.settings, settings());
        let name = self.name.clone();
        let mut trouble = None;
        let mut report = settings.report_outcomes(&name, &mut |case| {
            let inputs = match streams.try_draw(case) {
                Ok(inputs) => inputs,
                Err(error) => {
                    trouble.get_or_insert_with(|| error.to_string());
                    return Outcome::of(Status::Rejected);
                }
            };
            if case.is_over() || !case.ready() {
                return Outcome::of(Status::Unjudged);
            }
            let outcome = self.test(inputs, &mut judges, case);
            // There are longer streams.
            Outcome { cut: self.length.is_none(), ..outcome }
        })?;
        if let (Some(why), Verdict::GaveUp(gave_up)) = (trouble, &report.verdict) {
            report.verdict = Verdict::GaveUp(GaveUp::because(why, gave_up.cases));
        }
        Ok(report)
    }

    fn test(&mut self, inputs: Vec<A>, judges: &mut Judges<A, B>, case: &mut Case) -> Outcome {
        judges.reset();
        let mut answers = (self.make)();
        let mut old = self.old.as_mut().map(|old| ((old.make)(), old.is_same));
        for (place, input) in inputs.into_iter().enumerate() {
            let telling = Telling { case, input: &input };
            let output = answers(input.clone());
            drop(telling);
            case.tell(|| format!("{input:?} → {output:?}"));
            if let Some((old, is_same)) = &mut old {
                let expected = old(input.clone());
                if !is_same(&expected, &output) {
                    let message = format!("element {place}: {output:?} came, and {expected:?} came before");
                    return Outcome::failed(Failure::new("", message).with_signature("another output"));
                }
            }
            if let Some(broken) = judges.see(&input, &output) {
                return Outcome::failed(broken);
            }
        }
        match (self.mode, judges.worst()) {
            (Mode::Lenient, _) | (_, Truth::True) | (Mode::Usual, Truth::PresumablyTrue) => {
                Outcome::of(Status::Passed)
            }
            _ => Outcome::of(Status::Undefined),
        }
    }
}

/// Who judges outputs.
struct Judges<A, B> {
    outputs: Vec<Acceptor<B>>,
    pairs: Vec<Acceptor<(A, B)>>,
}

impl<A: Clone, B: Clone> Judges<A, B> {
    fn reset(&mut self) {
        self.outputs.iter_mut().for_each(Acceptor::reset);
        self.pairs.iter_mut().for_each(Acceptor::reset);
    }

    /// Takes account of an input and its output; the first formula that is certainly broken.
    fn see(&mut self, input: &A, output: &B) -> Option<Failure> {
        let first = self.outputs.iter_mut().find_map(|acceptor| {
            acceptor.see(output);
            broken(acceptor)
        });
        first.or_else(|| {
            self.pairs.iter_mut().find_map(|acceptor| {
                acceptor.see(&(input.clone(), output.clone()));
                broken(acceptor)
            })
        })
    }

    fn worst(&mut self) -> Truth {
        let outputs = self.outputs.iter_mut().map(Acceptor::truth);
        outputs.chain(self.pairs.iter_mut().map(Acceptor::truth)).min().unwrap_or(Truth::True)
    }
}

fn broken<E: Clone>(acceptor: &mut Acceptor<E>) -> Option<Failure> {
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
