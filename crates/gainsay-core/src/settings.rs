//! Settings of a run: limits, seed, mode, corpus; from code, profile and environment.

use crate::arbitrary::Arbitrary;
use crate::case::{Case, Terms};
use crate::check::Threaded;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::generate::Generator;
use crate::outcome::Outcome;
use crate::verdict::Counterexample;
use crate::wire::Named;
use std::any::TypeId;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// A limit on everything a run does.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// Cases that count in a run: 1000, or `GAINSAY_CASES`.
    pub cases_max: u64,
    /// Rejected cases for each one that counts: 10.
    pub rejected_factor_max: u64,
    /// Choices in a case: 65 536.
    pub choices_max: usize,
    /// The size that the last cases have: 100.
    pub size_max: u32,
    /// Cases over which the size grows; a tenth of the cases, at most 100, if it is none.
    pub size_steps: Option<u64>,
    /// Evaluations while shrinking one failure: 20 000, or `GAINSAY_SHRINKS`.
    pub shrinks_max: u64,
    /// Time for shrinking one failure: 30 s.
    pub shrink_time_max: Duration,
    /// Failures of different kinds that are shrunk in one run: 4.
    pub failures_max: usize,
    /// Time for new cases: 60 s, or `GAINSAY_TIME_MS`.
    pub time_max: Duration,
    /// Time for which new cases are looked for, however many there were: none.
    pub time_min: Duration,
    /// Time for one case before it counts as hanging: 60 s, or `GAINSAY_CASE_TIME_MS`.
    pub case_time_max: Duration,
    /// Runs of one case while looking whether it fails again: 20.
    pub repeats_max: u32,
    /// Cases an exhaustive run judges, and how far a replay walks: 100 000 000.
    pub exhaustive_cases_max: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            cases_max: 1000,
            rejected_factor_max: 10,
            choices_max: crate::case::CHOICES_MAX,
            size_max: crate::case::SIZE_USUAL,
            size_steps: None,
            shrinks_max: 20_000,
            shrink_time_max: Duration::from_secs(30),
            failures_max: 4,
            time_max: Duration::from_secs(60),
            time_min: Duration::ZERO,
            case_time_max: Duration::from_secs(60),
            repeats_max: 20,
            exhaustive_cases_max: 100_000_000,
        }
    }
}

/// Which cases are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The first of the enumeration, then random ones.
    Usual,
    /// Random ones alone.
    Random,
    /// All, small to large; up to a cost if one is given.
    Exhaustive { cost_max: Option<u64> },
    /// Given ones: an enumeration whose end is the end of the data.
    Given { ended: bool },
}

/// Where failures are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CorpusPlace {
    /// `gainsay-corpus` beside the `Cargo.toml` of the crate under test.
    Usual,
    /// A folder.
    Folder(PathBuf),
    /// Nowhere.
    Off,
}

type OnFailure = Arc<dyn Fn(&Counterexample) + Send + Sync>;

type ExampleRun = Arc<dyn Fn(&mut Case) -> Outcome + Send + Sync>;

/// How a property is tested. Made by [`Settings::new`] or [`settings`], used by its methods
/// [`check`](Settings::check), [`for_all`](Settings::for_all) and their `verdict` twins.
///
/// ```
/// use gainsay_core::settings;
/// settings().cases(200).seed(7).for_all(|a: u8, b: u8| a.wrapping_add(b) == b.wrapping_add(a));
/// ```
#[derive(Clone)]
pub struct Settings {
    pub(crate) limits: Limits,
    /// Somebody has said how many cases there are.
    has_cases: bool,
    /// So many cases at least, and as many as there are in this time, if nobody says how many.
    budget: Option<(u64, Duration)>,
    pub(crate) seed: Option<u64>,
    pub(crate) name: Option<String>,
    pub(crate) mode: Mode,
    pub(crate) perturbed: u64,
    pub(crate) threads: usize,
    pub(crate) corpus: CorpusPlace,
    pub(crate) explain: bool,
    pub(crate) statistics: bool,
    pub(crate) allow_vacuous: bool,
    pub(crate) isolate: bool,
    pub(crate) tyche: Option<PathBuf>,
    pub(crate) terms: Terms,
    /// The table of which the corpus keeps a case for each value.
    pub(crate) keeps: Option<&'static str>,
    pub(crate) examples: Vec<(String, ExampleRun)>,
    pub(crate) test_name: Option<String>,
    /// Whoever asked wants nothing but a panic if the property does not hold.
    pub(crate) checked: bool,
    /// Set by the property itself when it has seen enough.
    pub(crate) enough: Option<Arc<AtomicBool>>,
    /// The one case to run.
    pub(crate) replay: Option<String>,
    /// The command of a program, to which a replay value is added; otherwise cases are replayed by a variable.
    pub(crate) replayed_by: Option<String>,
    /// Who is told of failures as soon as they are found.
    pub(crate) on_failure: Option<OnFailure>,
    /// Settings that could not be read from the environment.
    pub(crate) trouble: Option<Error>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings")
            .field("limits", &self.limits)
            .field("seed", &self.seed)
            .field("name", &self.name)
            .field("mode", &self.mode)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::new()
    }
}

/// The usual settings, to be changed.
pub fn settings() -> Settings {
    Settings::new()
}

impl Settings {
    /// The usual settings: defaults, then the profile named by `GAINSAY_PROFILE` (`quick`, `thorough`), then the other variables.
    pub fn new() -> Settings {
        let mut settings = Settings {
            limits: Limits::default(),
            has_cases: false,
            budget: None,
            seed: None,
            name: None,
            mode: Mode::Usual,
            perturbed: 0,
            threads: 1,
            corpus: CorpusPlace::Usual,
            explain: true,
            statistics: false,
            allow_vacuous: false,
            isolate: false,
            tyche: None,
            terms: Terms::default(),
            keeps: None,
            examples: Vec::new(),
            test_name: None,
            checked: false,
            enough: None,
            replay: None,
            replayed_by: None,
            on_failure: None,
            trouble: None,
        };
        settings.apply_profile();
        settings.has_cases = settings.limits != Limits::default();
        settings
    }

    fn apply_profile(&mut self) {
        match std::env::var("GAINSAY_PROFILE").as_deref() {
            Err(_) | Ok("" | "usual") => {}
            Ok("quick") => self.limits.cases_max = 100,
            Ok("thorough") => {
                self.limits.cases_max = 100_000;
                self.limits.time_max = Duration::from_secs(600);
            }
            Ok(other) => {
                self.trouble =
                    Some(Error::variable("GAINSAY_PROFILE", other, "one of `quick`, `usual`, `thorough`"));
            }
        }
    }

    /// What the environment says goes before what the code says: that is how a run is changed without editing it.
    pub(crate) fn apply_environment(&mut self) -> Result<(), Error> {
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        if cfg!(panic = "abort") {
            return Err(Error::panic_abort());
        }
        if let Some(cases) = number("GAINSAY_CASES")? {
            self.limits.cases_max = cases;
            self.has_cases = true;
        }
        if let Some(shrinks) = number("GAINSAY_SHRINKS")? {
            self.limits.shrinks_max = shrinks;
        }
        if let Some(millis) = number("GAINSAY_TIME_MS")? {
            self.limits.time_max = Duration::from_millis(millis);
        }
        if let Some(millis) = number("GAINSAY_CASE_TIME_MS")? {
            self.limits.case_time_max = Duration::from_millis(millis);
        }
        if let Some(seed) = number("GAINSAY_SEED")? {
            self.seed = Some(seed);
        }
        match std::env::var("GAINSAY_CORPUS").as_deref() {
            Err(_) | Ok("") => {}
            Ok("off") => self.corpus = CorpusPlace::Off,
            Ok(folder) => self.corpus = CorpusPlace::Folder(folder.into()),
        }
        if let Some(path) = std::env::var_os("GAINSAY_TYCHE").filter(|path| !path.is_empty()) {
            self.tyche = Some(path.into());
        }
        self.statistics |= environment_wants_statistics();
        Ok(())
    }

    /// If nobody says how many cases there are: at least so many, and as many as there are in this time. What was said first counts.
    #[doc(hidden)]
    #[must_use]
    pub fn budget(mut self, cases_min: u64, time: Duration) -> Settings {
        self.budget.get_or_insert((cases_min, time));
        self
    }

    /// The time that a run is given, if it is given one instead of a number of cases.
    #[doc(hidden)]
    pub fn budgeted(&self) -> Option<Duration> {
        let is_said =
            self.has_cases || std::env::var_os("GAINSAY_CASES").is_some_and(|value| !value.is_empty());
        self.budget.filter(|_| !is_said).map(|(_, time)| time)
    }

    pub(crate) fn apply_budget(&mut self) {
        if let (Some((cases_min, time)), false) = (self.budget, self.has_cases) {
            (self.limits.cases_max, self.limits.time_min) = (cases_min, time);
        }
    }

    #[doc(hidden)]
    pub fn checked(mut self) -> Settings {
        self.checked = true;
        self
    }

    /// Random cases end, and have passed, when this is set.
    #[doc(hidden)]
    #[must_use]
    pub fn until(mut self, enough: Arc<AtomicBool>) -> Settings {
        self.enough = Some(enough);
        self
    }

    /// Whether the property has seen enough.
    pub(crate) fn is_enough(&self) -> bool {
        self.enough.as_ref().is_some_and(|enough| enough.load(Relaxed))
    }

    /// The same settings again, without examples: for several runs of the same thing.
    #[doc(hidden)]
    pub fn again(&self) -> Settings {
        Settings {
            limits: self.limits.clone(),
            has_cases: self.has_cases,
            budget: self.budget,
            seed: self.seed,
            name: None,
            mode: self.mode,
            perturbed: self.perturbed,
            threads: self.threads,
            corpus: self.corpus.clone(),
            explain: self.explain,
            statistics: self.statistics,
            allow_vacuous: self.allow_vacuous,
            isolate: self.isolate,
            tyche: self.tyche.clone(),
            terms: self.terms.clone(),
            keeps: self.keeps,
            examples: Vec::new(),
            test_name: self.test_name.clone(),
            checked: self.checked,
            enough: None,
            replay: self.replay.clone(),
            replayed_by: self.replayed_by.clone(),
            on_failure: self.on_failure.clone(),
            trouble: self.trouble.as_ref().map(|trouble| Error::specification(trouble.to_string())),
        }
    }

    /// Runs one case and nothing else, as `GAINSAY_REPLAY` does.
    #[doc(hidden)]
    #[must_use]
    pub fn replay(mut self, case: &str) -> Settings {
        self.replay = Some(case.to_string());
        self
    }

    /// Whether one case is asked for, and nothing else.
    #[doc(hidden)]
    pub fn is_replay(&self) -> bool {
        self.replay.is_some() || std::env::var_os("GAINSAY_REPLAY").is_some_and(|value| !value.is_empty())
    }

    /// Whether the environment says how many cases there are.
    #[doc(hidden)]
    pub fn says_cases() -> bool {
        std::env::var_os("GAINSAY_CASES").is_some_and(|value| !value.is_empty())
    }

    /// Whether failures are shrunk at all.
    #[doc(hidden)]
    pub fn shrinks(&self) -> bool {
        self.limits.shrinks_max > 0 && std::env::var_os("GAINSAY_SHRINKS").is_none_or(|value| value != "0")
    }

    /// Keeps a failure in place of one that it was made of by somebody else than the shrinker.
    #[doc(hidden)]
    pub fn keep_instead(&self, name: &str, before: &Counterexample, after: &mut Counterexample) {
        let name = self.name.clone().unwrap_or_else(|| crate::run::identity(self, name));
        let (Some(corpus), Some(path)) = (Corpus::of(&self.corpus, &name, 0), &before.saved) else { return };
        let case = Named::Record(after.record.clone());
        if let Ok(path) = corpus.replace(Path::new(path), &after.kind, &case, &after.shown()) {
            after.saved = Some(path.display().to_string());
        }
    }

    /// Calls something as soon as a case has failed and is saved, before it is confirmed and shrunk: whatever happens to this process afterwards,
    /// the failure can be told. The counterexample has its message, its replay value and its file, and no arguments yet.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// let found = Arc::new(Mutex::new(None));
    /// let first = Arc::clone(&found);
    /// let settings = gainsay_core::settings().seed(1).without_corpus();
    /// let settings = settings.on_failure(move |case| *first.lock().unwrap() = Some(case.record.choices.len()));
    /// assert!(!settings.verdict_for_all(|list: Vec<u8>| list.len() < 20).is_good());
    /// assert!(found.lock().unwrap().unwrap() > 20);
    /// ```
    #[must_use]
    pub fn on_failure(mut self, told: impl Fn(&Counterexample) + Send + Sync + 'static) -> Settings {
        self.on_failure = Some(Arc::new(told));
        self
    }

    /// For a program that is no test: cases are replayed by this command with their replay value behind it, or in place of `{case}`, and a process
    /// that ends in the middle of a run is not looked into.
    #[doc(hidden)]
    #[must_use]
    pub fn replayed_by(mut self, command: &str) -> Settings {
        self.replayed_by = Some(command.to_string());
        self
    }

    /// In this process after all.
    #[doc(hidden)]
    pub fn not_isolated(mut self) -> Settings {
        self.isolate = false;
        self
    }

    /// Whether cases run in another process.
    #[doc(hidden)]
    pub fn is_isolated(&self) -> bool {
        self.isolate
    }

    /// How many cases must hold.
    pub fn cases(mut self, cases: u64) -> Settings {
        self.limits.cases_max = cases;
        self.has_cases = true;
        self
    }

    /// The seed of the random cases. Without one, each run has its own and prints it when something fails.
    pub fn seed(mut self, seed: u64) -> Settings {
        self.seed = Some(seed);
        self
    }

    /// The name under which failures are kept and reported; by default the path of the test function.
    pub fn name(mut self, name: &str) -> Settings {
        self.name = Some(name.to_string());
        self
    }

    /// Changes any limit.
    ///
    /// ```
    /// # use gainsay_core::settings;
    /// let settings = settings().limits(|limits| limits.shrinks_max = 500);
    /// ```
    pub fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Settings {
        let before = self.limits.cases_max;
        change(&mut self.limits);
        self.has_cases |= self.limits.cases_max != before;
        self
    }

    /// Stops looking for new cases after this time.
    pub fn time(mut self, time_max: Duration) -> Settings {
        self.limits.time_max = time_max;
        self
    }

    /// Judges all cases, small to large, and proves the property if there is an end to them.
    pub fn exhaustive(mut self) -> Settings {
        self.mode = Mode::Exhaustive { cost_max: None };
        self
    }

    /// Judges all cases up to a cost: the sum of their numbers, 0 being the simplest case.
    pub fn exhaustive_up_to(mut self, cost: u64) -> Settings {
        self.mode = Mode::Exhaustive { cost_max: Some(cost) };
        self
    }

    /// Permutes the cases of equal cost in an enumeration.
    pub fn perturbed(mut self, seed: u64) -> Settings {
        // 0 stands for no permutation.
        self.perturbed = if seed == 0 { u64::MAX } else { seed };
        self
    }

    /// Random cases alone: the beginning of the enumeration is not walked.
    pub fn random_only(mut self) -> Settings {
        self.mode = Mode::Random;
        self
    }

    /// Keeps failures in this folder.
    pub fn corpus(mut self, folder: impl Into<PathBuf>) -> Settings {
        self.corpus = CorpusPlace::Folder(folder.into());
        self
    }

    /// Neither reads nor keeps failures.
    pub fn without_corpus(mut self) -> Settings {
        self.corpus = CorpusPlace::Off;
        self
    }

    /// Leaves out the search for arguments that do not matter.
    pub fn without_explanation(mut self) -> Settings {
        self.explain = false;
        self
    }

    /// Prints labels and counts after a run that passes, too.
    pub fn statistics(mut self) -> Settings {
        self.statistics = true;
        self
    }

    /// A run in which something that the specification speaks of never occurred may be good all the same; a remark tells what.
    /// Without this, it is [vacuous](crate::Verdict::Vacuous).
    pub fn allow_vacuous(mut self) -> Settings {
        self.allow_vacuous = true;
        self
    }

    /// Whether statistics are wanted, by these settings or by the environment.
    #[doc(hidden)]
    pub fn wants_statistics(&self) -> bool {
        self.statistics || environment_wants_statistics()
    }

    /// Excludes a failure that is known: a case that fails with a kind or message that contains `text` is left out. The run goes on and
    /// says how often the failure was met; nothing is proved then.
    ///
    /// ```
    /// # use gainsay_core::settings;
    /// let verdict = settings().known("overflow").verdict_for_all(|n: u8| {
    ///     let twice = n.checked_mul(2).expect("overflow of a byte");
    ///     twice.is_multiple_of(2)
    /// });
    /// assert!(verdict.is_good());
    /// ```
    pub fn known(mut self, text: &str) -> Settings {
        self.terms.known = self.terms.known.iter().cloned().chain([text.to_string()]).collect();
        self
    }

    /// Keeps a suite in the corpus: for each value that is [collected](crate::Case::collect) in `table`, the smallest case seen that
    /// passed with it. Later runs try these cases first. The requirements of a model are collected in the table `requirement`.
    pub fn keep(mut self, table: &'static str) -> Settings {
        self.keeps = Some(table);
        self
    }

    /// Runs every case in a child process: stack overflow, abort and endless loops become failures that shrink.
    ///
    /// The child is this program again with the same arguments, or, in a test, with the name of the test. A case costs a few
    /// tens of microseconds more, a crash a few milliseconds.
    pub fn isolate(mut self) -> Settings {
        self.isolate = true;
        self
    }

    /// Appends a JSON line for each case to this file, in the words of the Tyche viewer.
    pub fn tyche(mut self, path: impl Into<PathBuf>) -> Settings {
        self.tyche = Some(path.into());
        self
    }

    /// Draws values of this type with `generator`, wherever they occur.
    ///
    /// ```
    /// # use gainsay_core::{settings, Case};
    /// settings().generator(|case: &mut Case| case.int(1..=6u8)).for_all(|dice: Vec<u8>| dice.iter().all(|d| *d <= 6));
    /// ```
    pub fn generator<G>(mut self, generator: G) -> Settings
    where
        G: Generator<Value: Arbitrary> + Send + Sync + 'static,
    {
        let mut overrides = self.terms.overrides.take().and_then(Arc::into_inner).unwrap_or_default();
        overrides.insert(TypeId::of::<G::Value>(), Box::new(move |case| Box::new(generator.generate(case))));
        self.terms.overrides = Some(Arc::new(overrides));
        self
    }

    /// Adds a run on given values that comes before all others. Used by `#[example(…)]`.
    #[doc(hidden)]
    pub fn example(
        mut self,
        shown: &str,
        run: impl Fn(&mut Case) -> Outcome + Send + Sync + 'static,
    ) -> Settings {
        self.examples.push((shown.to_string(), Arc::new(run)));
        self
    }

    /// Threads for a property that is known to be `Fn + Sync`. Used by `#[property]`.
    #[doc(hidden)]
    pub fn property_threads(mut self, threads: usize) -> Settings {
        self.threads = threads.max(1);
        self
    }

    /// The name by which the test harness knows the test. Used by `#[property]`.
    #[doc(hidden)]
    pub fn test_name(mut self, name: &str) -> Settings {
        self.test_name = Some(name.to_string());
        self
    }
}

fn number(name: &'static str) -> Result<Option<u64>, Error> {
    match std::env::var(name) {
        Err(_) => Ok(None),
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => match value.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(Error::variable(name, &value, "a whole number")),
        },
    }
}

fn environment_wants_statistics() -> bool {
    std::env::var_os("GAINSAY_STATISTICS").is_some_and(|value| !value.is_empty())
}

/// Settings that may be made after the number of threads as well as before it.
macro_rules! after_threads {
    ($($name:ident($($argument:ident: $type:ty)?);)*) => {
        impl Threaded {$(
            #[doc = concat!("See [`Settings::", stringify!($name), "`].")]
            pub fn $name(mut self $(, $argument: $type)?) -> Threaded {
                self.settings = self.settings.$name($($argument)?);
                self
            }
        )*}
    };
}

after_threads! {
    cases(cases: u64);
    seed(seed: u64);
    name(name: &str);
    limits(change: impl FnOnce(&mut Limits));
    time(time_max: Duration);
    exhaustive();
    exhaustive_up_to(cost: u64);
    random_only();
    corpus(folder: impl Into<PathBuf>);
    without_corpus();
    without_explanation();
    statistics();
    known(text: &str);
    isolate();
    allow_vacuous();
    tyche(path: impl Into<PathBuf>);
}
