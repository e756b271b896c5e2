//! The runner: one loop for every kind of specification.
//!
//! A run tries, in this order: the case asked for by `GAINSAY_REPLAY` (then nothing else), the examples, the corpus, the beginning
//! of the enumeration, random cases. The first failure is confirmed, shrunk, explained and kept.

mod failing;
mod novelty;
mod search;

pub(crate) use novelty::Novelty;

use crate::case::KNOWN;
use crate::corpus::{Corpus, EntryStatus};
use crate::error::Error;
use crate::isolate::{self, Host, Role};
use crate::lab::{Lab, Subject};
use crate::outcome::{Outcome, Status};
use crate::record::Record;
use crate::settings::{Mode, Settings};
use crate::source::replay::Replay;
use crate::tally::Tally;
use crate::tyche::Tyche;
use crate::verdict::{GaveUp, Origin, Passed, Report, Verdict};
use crate::watch::{self, Watch};
use crate::wire::{self, Named};
use std::io::Write;
use std::panic::Location;
use std::time::{Duration, Instant};

/// What is known about a property besides the property.
#[derive(Debug, Clone)]
pub(crate) struct About {
    /// The path of the test function, by default.
    pub(crate) name: String,
    pub(crate) at: &'static Location<'static>,
    /// How many cases there are, if that is known.
    pub(crate) cardinality: Option<u128>,
    /// No other property has this name.
    pub(crate) unique: bool,
    /// The name is that of a model or another specification, which other tests may have as well.
    pub(crate) named_by_kind: bool,
}

pub(crate) struct Run<'a> {
    pub(crate) settings: Settings,
    pub(crate) about: About,
    pub(crate) lab: Lab<'a>,
    pub(crate) corpus: Option<Corpus>,
    pub(crate) seed: u64,
    pub(crate) start: Instant,
    pub(crate) tally: Tally,
    pub(crate) tyche: Option<Tyche>,
    pub(crate) remarks: Vec<String>,
    /// It was told that the corpus cannot be written.
    pub(crate) is_unsaved: bool,
    pub(crate) command: String,
    /// What a child must be told to come to this property.
    pub(crate) key: String,
    pub(crate) test_name: Option<String>,
}

/// Runs a property.
pub(crate) fn run(mut settings: Settings, subject: Subject<'_>, about: About) -> Result<Report, Error> {
    settings.apply_environment()?;
    settings.apply_budget();
    let start = Instant::now();
    let name = settings.name.clone().unwrap_or_else(|| about.name.clone());
    let key = format!("{name} {}:{}", about.at.file(), about.at.line());
    let subject = match isolate::role(&key)? {
        Role::Parent => subject,
        Role::Child(stream) => match subject {
            Subject::One(property) | Subject::Scripted(property, _) => {
                isolate::serve(stream, property, settings)
            }
            Subject::Shared(property) => isolate::serve(stream, &mut |case| property(case), settings),
        },
        // Whoever asked for the verdict will look at it: then it must be a real one.
        Role::Bystander if !settings.checked => subject,
        Role::Bystander => return Ok(bystander(name)),
    };
    let test_name = test_name(&settings);
    let command = command(test_name.as_deref());
    let seed = settings.seed.unwrap_or_else(isolate::fresh_seed);
    let identity = if about.named_by_kind { identity(&settings, &name) } else { name.clone() };
    // Nothing but a name tells one example of documentation from another.
    let is_nameless = settings.name.is_none() && is_doctest();
    let corpus = if is_nameless { None } else { Corpus::of(&settings.corpus, &identity, about.at.line()) };
    let is_test = settings.replayed_by.is_none();
    let journals = (corpus.is_some() && is_test).then(|| watch::journal_folder(&name)).flatten();
    let mut remarks = Vec::new();
    let host = if settings.isolate {
        Some(Host::start(&key, test_name.as_deref(), settings.limits.case_time_max)?)
    } else {
        None
    };
    if let (Some(folder), Some(corpus), false) = (&journals, &corpus, settings.isolate) {
        for aborted in watch::aborted(folder) {
            remarks.push(locate(&settings, &key, test_name.as_deref(), corpus, aborted));
        }
    }
    let journal =
        journals.filter(|_| !settings.isolate).map(|folder| folder.join(std::process::id().to_string()));
    // A child is timed by its parent.
    let limit = if settings.isolate { Duration::MAX } else { settings.limits.case_time_max };
    let watch = Watch::start(&name, &command, seed, limit, corpus.clone(), journal);
    let tyche = settings.tyche.as_deref().map(|path| Tyche::open(path, &name)).transpose()?;
    let lab = Lab::new(subject, &settings, watch, host);
    let about = About { name, ..about };
    let tally = Tally::new(settings.keeps);
    // The time for cases does not begin before there can be any.
    let begun = Instant::now();
    let mut run = Run {
        settings,
        about,
        lab,
        corpus,
        seed,
        start: begun,
        tally,
        tyche,
        remarks,
        is_unsaved: false,
        command,
        key,
        test_name,
    };
    let verdict = run.verdict()?;
    if let Some(trouble) = run.lab.host.as_ref().and_then(Host::trouble) {
        return Err(Error::child(trouble));
    }
    run.lab.progress.clear();
    let verdict = run.keep_suite(verdict);
    run.remark_known();
    run.remark_undecided();
    Ok(Report {
        name: run.about.name.clone(),
        verdict,
        seed,
        time: start.elapsed(),
        labels: run.tally.labels(),
        scores: run.tally.scores(),
        statuses: run.tally.statuses(),
        remarks: run.remarks,
        show_statistics: run.settings.statistics,
        allow_vacuous: run.settings.allow_vacuous,
    })
}

/// In a child, properties that it does not serve are passed by.
fn bystander(name: String) -> Report {
    let verdict = Verdict::Passed(Passed { cases: 0, rejected: 0, undefined: 0, by_time: false });
    let (labels, scores, statuses, remarks) = Default::default();
    Report {
        name,
        verdict,
        seed: 0,
        time: Duration::ZERO,
        labels,
        scores,
        statuses,
        remarks,
        show_statistics: false,
        allow_vacuous: true,
    }
}

/// Whether this program is an example of documentation, which `rustdoc` has compiled.
pub(crate) fn is_doctest() -> bool {
    let program = std::env::current_exe().unwrap_or_default();
    let stem = program.file_stem().unwrap_or_default().to_string_lossy();
    stem == "rust_out" || stem.starts_with("doctest_bundle") || stem.starts_with("doctest_runner")
}

/// The name by which the harness knows the running test: its threads are named after tests.
fn test_name(settings: &Settings) -> Option<String> {
    settings.test_name.clone().or_else(|| {
        let thread = std::thread::current();
        thread.name().filter(|name| *name != "main").map(String::from)
    })
}

/// What tells a specification of this name from others of the same name: the crate and the path of the running test. (A program has
/// one specification of a name.)
pub(crate) fn identity(settings: &Settings, name: &str) -> String {
    let Some(test) = test_name(settings) else { return name.to_string() };
    let program = std::env::current_exe().unwrap_or_default();
    let stem = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    // Cargo adds a hash, which another build need not have.
    let package = match stem.rsplit_once('-') {
        Some((package, hash)) if hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()) => package,
        _ => &stem,
    };
    format!("{package}::{test}::{name}")
}

/// The command that runs this test again.
fn command(test_name: Option<&str>) -> String {
    match test_name {
        _ if is_doctest() => "cargo test --doc".into(),
        Some(name) => format!("cargo test -- --exact {name}"),
        None => {
            let program = std::env::args().next().unwrap_or_default();
            let program =
                std::path::Path::new(&program).file_name().unwrap_or_default().to_string_lossy().into_owned();
            format!("cargo run --bin {program}")
        }
    }
}

/// How long the case that ended an earlier run is looked for. (Most such runs were interrupted from outside.)
const LOCATE_TIME_MAX: Duration = Duration::from_secs(2);

/// Looks for the case that ended an earlier run, in a child.
fn locate(
    settings: &Settings,
    key: &str,
    test_name: Option<&str>,
    corpus: &Corpus,
    aborted: watch::Aborted,
) -> String {
    let mut host = match Host::start(key, test_name, settings.limits.case_time_max.min(LOCATE_TIME_MAX)) {
        Ok(host) => host,
        Err(error) => return format!("an earlier run was ended from within; {error}"),
    };
    let deadline = Instant::now() + LOCATE_TIME_MAX;
    let _ = writeln!(
        std::io::stderr(),
        "{key}: an earlier run was not finished; looking for a case near {} that crashes or hangs (at most {LOCATE_TIME_MAX:?})",
        aborted.index
    );
    let mut case = crate::case::Case::with_choices_max(settings.limits.choices_max);
    for index in aborted.index..aborted.index + 100_000 {
        let size = search::size_of(index, &settings.limits);
        let outcome = host.run_random(&mut case, aborted.seed, index, size);
        // A case that is slow, and within its own limit, is no hang.
        let hangs = settings.limits.case_time_max <= LOCATE_TIME_MAX;
        if let Some(kind) =
            outcome.kind().filter(|kind| kind.0.starts_with("crash") || hangs && kind.0.starts_with("hang"))
        {
            let saved = corpus.save(kind, &Named::Record(case.record()), "a case that ends the process");
            let place =
                saved.map_or_else(|error| error.to_string(), |path| format!("saved as {}", path.display()));
            return format!(
                "an earlier run was ended by its case {index} (seed {}): {kind}; {place}; \
                 run the test with `isolate` to shrink it",
                aborted.seed
            );
        }
        if Instant::now() > deadline {
            break;
        }
    }
    format!(
        "an earlier run (seed {}) was not finished: it was interrupted near case {}, since no case from there on was seen to crash \
         or hang within {LOCATE_TIME_MAX:?}",
        aborted.seed, aborted.index
    )
}

impl Run<'_> {
    /// The command that runs a case again.
    fn replay_command(&self, replay: &str) -> String {
        match &self.settings.replayed_by {
            Some(command) if command.contains("{case}") => command.replace("{case}", &format!("'{replay}'")),
            Some(command) => format!("{command} '{replay}'"),
            None => format!("GAINSAY_REPLAY='{replay}' {}", self.command),
        }
    }

    fn verdict(&mut self) -> Result<Verdict, Error> {
        let asked = std::env::var("GAINSAY_REPLAY").ok().filter(|text| !text.is_empty());
        if let Some(text) = asked.or_else(|| self.settings.replay.clone()) {
            return self.replay(&text);
        }
        if let Some(verdict) = self.try_examples() {
            return Ok(verdict);
        }
        if let Some(verdict) = self.try_corpus() {
            return Ok(verdict);
        }
        self.lab.watch.random_again();
        if let Subject::Scripted(..) = self.lab.subject {
            return Ok(self.run_scripts());
        }
        Ok(match self.settings.mode {
            Mode::Exhaustive { cost_max } => self.enumerate(cost_max),
            Mode::Given { ended } => self.enumerate_given(ended),
            Mode::Usual | Mode::Random => self.search(),
        })
    }

    /// Runs the one case that was asked for.
    fn replay(&mut self, text: &str) -> Result<Verdict, Error> {
        let named = match wire::parse_replay(text)? {
            Named::Entry(name) => match &self.corpus {
                Some(corpus) => corpus.entry(&name)?.case,
                None => return Err(Error::replay(text, "this test keeps no corpus")),
            },
            named => named,
        };
        if let Some(why) = self.too_far(&named) {
            return Err(Error::replay(text, why));
        }
        let outcome = self.run_named(&named);
        if matches!(named, Named::Walk { .. }) && outcome.status == Status::Unjudged {
            return Err(Error::replay(text, "the enumeration does not get there within the time limit"));
        }
        self.tally.add(&outcome, &self.lab.case);
        let record = self.lab.case.record();
        if outcome.status == Status::Failed {
            return Ok(self.failed_unshrunk(record, outcome, Origin::Replay));
        }
        let cases = self.tally.cases();
        self.remarks.push(format!("replayed `{text}` alone: {:?}", outcome.status));
        Ok(Verdict::Passed(Passed {
            cases,
            rejected: self.tally.rejected,
            undefined: self.tally.undefined,
            by_time: false,
        }))
    }

    /// Why a case is not walked to: no enumeration goes there, and nobody should wait until the time is over to be told.
    fn too_far(&self, named: &Named) -> Option<String> {
        let cases_max = self.settings.limits.exhaustive_cases_max;
        match named {
            Named::Walk { run, .. } if *run > cases_max => {
                Some(format!("an enumeration ends after {cases_max} cases (`exhaustive_cases_max`)"))
            }
            _ => None,
        }
    }

    fn run_named(&mut self, named: &Named) -> Outcome {
        match named {
            Named::Record(record) => self.lab.run_record(record),
            Named::Random { seed, index, size } => {
                self.lab.watch.random_again();
                self.lab.run_random(*seed, *index, *size)
            }
            Named::Walk { seed, run } => {
                let deadline = search::after(self.start, self.settings.limits.time_max);
                self.lab.deadline = Some(deadline);
                let outcome = self.lab.run_walk_to(*seed, *run);
                self.lab.deadline = None;
                outcome
            }
            Named::Entry(_) => Outcome::of(Status::Unjudged),
        }
    }

    fn try_examples(&mut self) -> Option<Verdict> {
        let examples = std::mem::take(&mut self.settings.examples);
        for (number, (shown, example)) in examples.into_iter().enumerate() {
            let outcome = match &mut self.lab.host {
                Some(host) => host.run_example(&mut self.lab.case, number),
                None => {
                    self.lab.case.rewind_to_replay(Replay::default(), self.settings.limits.size_max);
                    crate::quiet::run(&mut |case| example(case), &mut self.lab.case)
                }
            };
            if let Some(failure) = &outcome.failure {
                self.tally.add(&outcome, &self.lab.case);
                return Some(self.failed_example(shown, failure));
            }
        }
        None
    }

    /// Remarks something that must be seen even if the test passes: harnesses keep what passing tests print to themselves, unless it is
    /// written past them.
    fn tell(&mut self, remark: String) {
        if self.settings.checked {
            let _ = writeln!(std::io::stderr(), "{}: {remark}", self.about.name);
        }
        self.remarks.push(remark);
    }

    fn try_corpus(&mut self) -> Option<Verdict> {
        let corpus = self.corpus.clone()?;
        let (entries, remarks) = corpus.entries();
        for remark in remarks {
            self.tell(remark);
        }
        for (path, entry) in entries {
            if let Some(why) = self.too_far(&entry.case) {
                self.remarks.push(format!("`{}` was not tried: {why}", path.display()));
                continue;
            }
            // What ended a process before is run in another one, and shrunk there.
            let ends_processes = entry.kind.starts_with("crash") || entry.kind.starts_with("hang");
            // (A case of an enumeration is found by walking there: that is done here, under the eyes of the watchman.)
            let walks = matches!(entry.case, Named::Walk { .. });
            let borrowed = ends_processes && !walks && self.lab.host.is_none();
            if borrowed {
                let limit = self.settings.limits.case_time_max;
                match Host::start(&self.key, self.test_name.as_deref(), limit) {
                    Ok(host) => {
                        self.lab.host = Some(host);
                        self.lab.watch.elsewhere(true);
                    }
                    Err(error) => {
                        self.remarks.push(format!("`{}` was not tried: {error}", path.display()));
                        continue;
                    }
                }
            }
            let outcome = self.run_named(&entry.case);
            if borrowed && outcome.status != Status::Failed {
                self.lab.host = None;
                self.lab.watch.elsewhere(false);
            }
            match outcome.status {
                Status::Failed => {
                    corpus.mark(&path, &entry, EntryStatus::Failing);
                    let record = self.lab.case.record();
                    if borrowed && entry.kind.starts_with("hang") {
                        // Shrinking would wait for the limit again and again.
                        self.remarks.push("run the test with `isolate` to shrink a case that hangs".into());
                        return Some(self.failed_unshrunk(record, outcome, Origin::Corpus));
                    }
                    self.tally.add(&outcome, &self.lab.case);
                    // A failure of another kind gets a file of its own.
                    let same = outcome.kind().is_some_and(|kind| kind.0 == entry.kind);
                    return Some(self.failed(record, outcome, Origin::Corpus, same.then_some(path)));
                }
                // It fails as it is known to.
                _ if self.lab.case.is_excused() => self.tally.add(&outcome, &self.lab.case),
                // Another property of the same test may have left it, and says what is to be said about it.
                _ if !self.about.unique
                    && self.settings.name.is_none()
                    && entry.line != self.about.at.line() => {}
                _ if !self.decodes(&entry.case) => {
                    let moved = corpus.retire(&path);
                    self.tell(format!(
                        "`{}` is no case of this test any more (its generators have changed): {moved}",
                        path.display()
                    ));
                }
                _ => {
                    if entry.status == EntryStatus::Failing {
                        self.remarks.push(format!("`{}` passes now: marked fixed, and kept", path.display()));
                    }
                    if entry.status == EntryStatus::Kept {
                        self.tally.keep(&self.lab.case);
                    } else {
                        corpus.mark(&path, &entry, EntryStatus::Fixed);
                    }
                }
            }
        }
        None
    }

    /// Writes the cases that are to be kept. A case that passed and fails now is a failure like every other.
    fn keep_suite(&mut self, verdict: Verdict) -> Verdict {
        let Some(corpus) = self.corpus.clone() else { return verdict };
        for (value, record) in self.tally.kept().clone() {
            let shown = match self.show_passing(&record) {
                Ok(shown) => shown,
                Err(_) if !verdict.is_good() => continue,
                Err(outcome) => {
                    let record = self.record();
                    return self.failed(record, outcome, Origin::Search, None);
                }
            };
            // An enumeration records no spans; the case that was just shown has them.
            let record = self.record();
            if let Err(error) = corpus.keep(&value, &record, &shown) {
                self.remarks.push(format!("the case that covers `{value}` could not be saved: {error}"));
            }
        }
        verdict
    }

    fn remark_undecided(&mut self) {
        if let Some(why) = self.tally.undecided.take() {
            let n = self.tally.undefined;
            let cases = if n == 1 { "1 case".into() } else { format!("{n} cases") };
            self.remarks.push(format!("{cases} could not be decided: {why}"));
        }
    }

    fn remark_known(&mut self) {
        for label in self.tally.labels().into_iter().filter(|label| label.table.as_deref() == Some(KNOWN)) {
            let (count, text) = (label.cases, label.label);
            let cases = if count == 1 { "case" } else { "cases" };
            self.remarks.push(format!("the known failure `{text}` was met in {count} {cases}"));
        }
    }

    /// Whether the case just run is the one that was recorded.
    fn decodes(&self, named: &Named) -> bool {
        let Named::Record(recorded) = named else {
            return true;
        };
        let ran = self.lab.case.choices();
        // Values beyond their bounds were brought into range: that is another case too.
        recorded.choices.len() == ran.len()
            && recorded.choices.iter().zip(ran).all(|(a, b)| {
                a.value == b.value && (a.shape.kind == b.shape.kind || a.shape.owner == wire::UNKNOWN)
            })
    }

    fn gave_up(&self, reason: impl Into<String>) -> Verdict {
        let (cases, rejected) = (self.tally.cases(), self.tally.rejected);
        Verdict::GaveUp(GaveUp { reason: reason.into(), cases, rejected })
    }

    pub(crate) fn record(&self) -> Record {
        self.lab.case.record()
    }
}
