//! Results: what became of each property, for people and for programs.

use crate::arguments::Format;
use crate::output::{has_colours, say_json};
use gainsay_core::{Counterexample, Verdict, escaped, plural};
use gainsay_msg::{Direction, Message, System, Tested, Trace, TroubleKind, shown_ms};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::time::Duration;

/// Something was falsified.
pub(crate) const EXIT_FALSIFIED: u8 = 1;
/// A mistake of the user.
pub(crate) const EXIT_MISTAKE: u8 = 2;
/// Something is not known.
pub(crate) const EXIT_UNDECIDED: u8 = 3;
/// The system did not start, died, or broke its protocol.
pub(crate) const EXIT_SYSTEM: u8 = 4;

/// What became of a property.
#[derive(Debug, Clone)]
pub(crate) struct PropertyResult {
    pub(crate) property: String,
    pub(crate) text: String,
    pub(crate) word: String,
    /// The first line after the word.
    pub(crate) summary: String,
    /// The trace, line by line.
    pub(crate) lines: Vec<String>,
    pub(crate) replay: Option<String>,
    pub(crate) remarks: Vec<String>,
    pub(crate) traces: u64,
    pub(crate) seed: Option<u64>,
    pub(crate) time: Duration,
    /// The system did not start.
    pub(crate) is_down: bool,
    /// Everything else, for programs.
    pub(crate) data: Json,
}

/// How bad a word is: the exit code it stands for.
pub(crate) fn code_of(word: &str) -> u8 {
    match word {
        "falsified" | "violated" => EXIT_FALSIFIED,
        "error" => EXIT_MISTAKE,
        "trouble" => EXIT_SYSTEM,
        "vacuous" | "inconclusive" | "flaky" | "gave up" | "interrupted" => EXIT_UNDECIDED,
        _ => 0,
    }
}

/// The exit code of several results.
pub(crate) fn exit_code<'r>(words: impl IntoIterator<Item = &'r str>) -> u8 {
    let mut codes: Vec<u8> = words.into_iter().map(code_of).collect();
    codes.sort_unstable();
    let has = |code: u8| codes.contains(&code);
    // A falsified property says most, then what the user can mend.
    [EXIT_FALSIFIED, EXIT_MISTAKE, EXIT_SYSTEM, EXIT_UNDECIDED]
        .into_iter()
        .find(|code| has(*code))
        .unwrap_or(0)
}

/// Messages of a trace that tests have sent.
pub(crate) fn inputs<'t>(system: &System, trace: &'t Trace) -> Vec<&'t gainsay_msg::Message> {
    let is_input =
        |channel: &str| system.channel(channel).is_some_and(|channel| channel.direction == Direction::In);
    trace.messages.iter().map(|message| &**message).filter(|message| is_input(&message.channel)).collect()
}

impl PropertyResult {
    /// The result of a test.
    pub(crate) fn of_test(system: &System, tested: &Tested, replay: Option<String>) -> PropertyResult {
        let report = &tested.report;
        let counterexample = report.verdict.counterexample();
        let sent = tested.seen.as_ref().map_or(0, |seen| inputs(system, seen).len() as u64);
        let shrunk = match &tested.seen {
            Some(_) => format!("shrunk to {}", plural(sent, "message")),
            None => "and not since".to_string(),
        };
        let cases = report.verdict.cases();
        let (word, mut summary) = match (&report.verdict, &tested.trouble) {
            (Verdict::Falsified(_) | Verdict::Flaky(_), Some(trouble)) => {
                ("trouble", format!("{trouble}\nafter {}, {shrunk}", plural(cases, "trace")))
            }
            (_, Some(trouble)) => ("trouble", trouble.to_string()),
            (Verdict::Falsified(_), None) => {
                ("falsified", format!("falsified after {}, {shrunk}", plural(cases, "trace")))
            }
            (Verdict::Flaky(flaky), None) => (
                "flaky",
                format!(
                    "flaky after {}: failed once, then {} of {} times; {shrunk}",
                    plural(cases, "trace"),
                    flaky.failed,
                    flaky.runs
                ),
            ),
            (Verdict::Passed(passed), None) => {
                let mut text = format!("passed {}", plural(cases, "trace"));
                if passed.undefined > 0 {
                    text += &format!(", {} undecided", passed.undefined);
                }
                if let Some(budget) = tested.budget {
                    text += &format!(" in {} s", budget.as_secs_f64());
                } else if passed.by_time {
                    text += ", ended by the time limit";
                }
                ("passed", text)
            }
            (Verdict::Inconclusive(inconclusive), None) => {
                ("inconclusive", format!("inconclusive: {}", inconclusive.reason))
            }
            (Verdict::Vacuous(vacuous), None) => {
                let never = vacuous.never.join(", nor ");
                ("vacuous", format!("vacuous after {}: never met {never}", plural(cases, "trace")))
            }
            (Verdict::GaveUp(gave_up), None) => ("gave up", format!("gave up: {}", gave_up.reason)),
            (other, None) => ("passed", other.to_string()),
        };
        let refused = tested.refused + tested.discarded;
        if refused > 0 && counterexample.is_none() {
            let share = |part: u64, of: u64| 100.0 * part as f64 / of.max(1) as f64;
            let blamed = tested.blamed.first().map_or_else(String::new, |(axiom, count)| {
                format!(", {:.0} % of them by {axiom}", share(*count, refused))
            });
            summary += &format!(" ({:.1} % rejected{blamed})", share(refused, tested.drawn));
        }
        let lines = counterexample
            .map_or_else(Vec::new, |one| one.notes.iter().map(|note| note.value.clone()).collect());
        let mut remarks = report.remarks.clone();
        if !tested.clashes.is_empty() {
            let mut axioms: Vec<&str> =
                tested.clashes.iter().flat_map(|(_, axioms, _)| axioms).map(String::as_str).collect();
            axioms.sort_unstable();
            axioms.dedup();
            let within = match axioms.join(", ").as_str() {
                "" => String::new(),
                axioms => format!(" within the axioms ({axioms})"),
            };
            remarks.push(format!(
                "{} cannot be followed{within}: `gainsay schema` says why",
                plural(tested.clashes.len() as u64, "schema"),
            ));
        }
        let yields: Vec<Json> = report
            .labels
            .iter()
            .filter(|label| label.table.as_deref() == Some("schema"))
            .map(|label| json!({"schema": label.label, "traces": label.cases}))
            .collect();
        let lines_of = |messages: &[Arc<Message>]| -> Vec<Json> {
            messages.iter().filter_map(|message| serde_json::from_str(&message.to_json()).ok()).collect()
        };
        let seen = tested.seen.as_ref().map(|seen| lines_of(&seen.messages));
        // (Most systems say nothing before they are ready.)
        let before =
            tested.seen.as_ref().map(|seen| lines_of(&seen.before)).filter(|before| !before.is_empty());
        let violation = tested.violation.as_ref().map(violation_json);
        let never = match &report.verdict {
            Verdict::Vacuous(vacuous) => Some(&vacuous.never),
            _ => None,
        };
        let exercise = &tested.exercise;
        let data = json!({
            "trouble": tested.trouble.as_ref().map(ToString::to_string),
            "shrunk_to": counterexample.map(|_| sent),
            "evaluations": counterexample.map(|one| one.evaluations),
            "before_start": before,
            "trace": seen,
            "violation": violation,
            "schemas": yields,
            "never": never,
            "exercise": {"scopes": exercise.scopes, "obligations": exercise.obligations, "met": exercise.met,
                         "heard": exercise.heard},
            "drawn": tested.drawn,
            "refused": tested.refused,
            "discarded": tested.discarded,
        });
        PropertyResult {
            property: tested.rule.id.clone(),
            text: tested.rule.to_string(),
            word: word.into(),
            summary,
            lines,
            replay,
            remarks,
            traces: cases,
            seed: Some(report.seed),
            time: report.time,
            is_down: tested.trouble.as_ref().is_some_and(|trouble| trouble.kind == TroubleKind::Start),
            data,
        }
    }

    /// A result that needed no test.
    pub(crate) fn plain(property: &str, text: String, word: &str, summary: String) -> PropertyResult {
        PropertyResult {
            property: property.into(),
            text,
            word: word.into(),
            summary,
            lines: Vec::new(),
            replay: None,
            remarks: Vec::new(),
            traces: 0,
            seed: None,
            time: Duration::ZERO,
            is_down: false,
            data: json!({}),
        }
    }

    /// The result of a test that a signal has interrupted: a failure that was found by then is one, though nobody has run it again or shrunk it.
    pub(crate) fn interrupted(
        property: &str,
        text: String,
        signal: &str,
        found: Option<(Counterexample, String)>,
    ) -> PropertyResult {
        let Some((found, replay)) = found else {
            let what = format!("interrupted by {signal} before it was decided");
            return PropertyResult::plain(property, text, "interrupted", what);
        };
        let word = if TroubleKind::of_failure(&found.kind).is_some() { "trouble" } else { "falsified" };
        let mut what = format!("{word}, and interrupted by {signal} before it was run again and shrunk");
        what.extend(found.message.lines().map(|line| format!("\n{line}")));
        let mut result = PropertyResult::plain(property, text, word, what);
        result.replay = Some(replay);
        result.data = json!({"interrupted": signal});
        result
    }

    fn json(&self) -> Json {
        let mut all = json!({
            "property": self.property,
            "verdict": self.word,
            "summary": self.summary,
            "text": self.text,
            "traces": self.traces,
            "seed": self.seed,
            "time_ms": self.time.as_millis() as u64,
            "replay": self.replay,
            "lines": self.lines,
            "remarks": self.remarks,
        });
        if let (Json::Object(all), Json::Object(data)) = (&mut all, &self.data) {
            all.extend(
                data.iter()
                    .filter(|(_, value)| !value.is_null())
                    .map(|(key, value)| (key.clone(), value.clone())),
            );
        }
        all
    }

    /// A result from a line that was printed before.
    pub(crate) fn from_json(json: &Json) -> Option<PropertyResult> {
        let text = |key: &str| json.get(key).and_then(Json::as_str).map(str::to_string);
        let texts = |key: &str| -> Vec<String> {
            let items = json.get(key).and_then(Json::as_array).into_iter().flatten();
            items.filter_map(|item| item.as_str().map(str::to_string)).collect()
        };
        Some(PropertyResult {
            property: text("property")?,
            word: text("verdict")?,
            text: text("text").unwrap_or_default(),
            summary: text("summary").unwrap_or_default(),
            lines: texts("lines"),
            replay: text("replay"),
            remarks: texts("remarks"),
            traces: json.get("traces").and_then(Json::as_u64).unwrap_or(0),
            seed: json.get("seed").and_then(Json::as_u64),
            time: Duration::from_millis(json.get("time_ms").and_then(Json::as_u64).unwrap_or(0)),
            is_down: false,
            data: json.clone(),
        })
    }
}

/// A violation, for programs.
pub(crate) fn violation_json(violation: &gainsay_msg::Violation) -> Json {
    serde_json::from_str(&violation_text(violation)).unwrap_or(Json::Null)
}

/// A violation as JSON, with numbers as they are.
pub(crate) fn violation_text(violation: &gainsay_msg::Violation) -> String {
    let witness = violation.witness.iter().map(|witness| {
        let message = witness.message.to_json();
        // (It is an object.)
        format!("{},\"role\":\"{}\"}}", &message[..message.len() - 1], witness.role.word())
    });
    let witness: Vec<String> = witness.collect();
    let (at, what) = (shown_ms(violation.at), Json::from(violation.what.as_str()));
    let late = violation.late.as_ref().map_or_else(String::new, |late| {
        let message = late.to_json();
        format!("\"late\":{},\"needed_before_ms\":{at}}},", &message[..message.len() - 1])
    });
    format!("{{\"at_ms\":{at},\"witness\":[{}],{late}\"what\":{what}}}", witness.join(","))
}

/// Prints results as they come.
pub(crate) struct Printer {
    format: Format,
    suite: String,
    colours: bool,
    width: usize,
    results: Vec<PropertyResult>,
}

impl Printer {
    pub(crate) fn new(format: Format, suite: &str, widest: usize) -> Printer {
        let colours = format == Format::Text && has_colours(&std::io::stdout());
        Printer { format, suite: suite.into(), colours, width: widest.min(40), results: Vec::new() }
    }

    fn paint(&self, style: anstyle::Style, text: &str) -> String {
        if self.colours { format!("{style}{text}{style:#}") } else { text.to_string() }
    }

    pub(crate) fn head(&self, line: &str) {
        if self.format == Format::Text {
            say!("  {line}");
        }
    }

    pub(crate) fn add(&mut self, result: PropertyResult) {
        match self.format {
            Format::Json => say_json(&result.json()),
            Format::Text => self.text(&result),
            Format::Junit => {}
        }
        self.results.push(result);
    }

    fn text(&self, result: &PropertyResult) {
        // What keeps a system from starting is told once.
        let is_same = |known: &PropertyResult| known.is_down && known.summary == result.summary;
        if result.word == "trouble" && self.results.iter().any(is_same) {
            return;
        }
        use anstyle::AnsiColor::{Green, Red, Yellow};
        let style = |colour: anstyle::AnsiColor| anstyle::Style::new().fg_color(Some(colour.into()));
        let (mark, colour) = match code_of(&result.word) {
            0 if result.word == "passed" || result.word == "satisfied" || result.word == "pending" => {
                ("✓", style(Green))
            }
            0 => ("·", anstyle::Style::new().dimmed()),
            EXIT_FALSIFIED | EXIT_SYSTEM => ("✗", style(Red)),
            _ if result.word == "vacuous" => ("∅", style(Yellow)),
            _ => ("?", style(Yellow)),
        };
        let mark = self.paint(colour, mark);
        let name = format!("{:<width$}", escaped(&result.property), width = self.width);
        let bold = self.paint(anstyle::Style::new().bold(), &name);
        if code_of(&result.word) == 0 {
            say_as_it_is!("{mark} {bold}  {}\n", escaped(&result.summary));
        } else {
            say_as_it_is!("{mark} {bold}  {}\n", escaped(&result.text));
            for line in result.summary.lines() {
                say!("    {line}");
            }
        }
        for line in &result.lines {
            say!("      {line}");
        }
        for remark in &result.remarks {
            say!("    {remark}");
        }
        if let Some(replay) = &result.replay {
            say!("    replay  {replay}");
        }
    }

    /// Prints what is printed at the end; the exit code.
    pub(crate) fn finish(self) -> u8 {
        if self.format == Format::Junit {
            say_as_it_is!("{}\n", junit(&self.suite, &self.results));
        }
        let first = self.results.iter().find(|result| result.is_down);
        let is_same = |result: &&PropertyResult| first.is_some_and(|first| first.summary == result.summary);
        let untested = self.results.iter().filter(is_same).count().saturating_sub(1);
        if self.format == Format::Text && untested > 0 {
            let others = if untested == 1 { "property was" } else { "properties were" };
            say!("    {untested} other {others} not tested, for the same reason");
        }
        exit_code(self.results.iter().map(|result| result.word.as_str()))
    }
}

fn junit(name: &str, results: &[PropertyResult]) -> String {
    // (What XML cannot have would be left out without a word.)
    let shown = |text: &str| escaped(text).into_owned();
    let name = &shown(name);
    let mut report = Report::new("gainsay");
    let mut suite = TestSuite::new(name);
    for result in results {
        let said = || {
            let mut text = result.summary.clone();
            for line in &result.lines {
                text += &format!("\n  {line}");
            }
            if let Some(replay) = &result.replay {
                text += &format!("\nreplay  {replay}");
            }
            shown(&text)
        };
        let status = match code_of(&result.word) {
            0 if result.word == "passed" || result.word == "satisfied" || result.word == "pending" => {
                TestCaseStatus::success()
            }
            0 => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(shown(&result.summary));
                status
            }
            code => {
                let is_failure = code == EXIT_FALSIFIED || result.word == "vacuous";
                let kind = if is_failure { NonSuccessKind::Failure } else { NonSuccessKind::Error };
                let mut status = TestCaseStatus::non_success(kind);
                status
                    .set_message(shown(&format!("{}: {}", result.word, result.text)))
                    .set_type(result.word.clone());
                status.set_description(said());
                status
            }
        };
        let mut case = TestCase::new(shown(&result.property), status);
        case.set_classname(name).set_time(result.time);
        suite.add_test_case(case);
    }
    report.add_test_suite(suite);
    report.to_string().unwrap_or_default()
}
