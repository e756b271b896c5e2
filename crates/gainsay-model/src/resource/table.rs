//! Implementations side by side: which passed, and in which round the others failed.

use super::trial::goes_wrong;
use super::{Resource, Round, Trial};
use gainsay_core::{Error, Verdict};
use std::fmt::{self, Display};

/// What came of the trials of several implementations of one resource.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    name: String,
    /// The verdicts of the rounds that were run; nothing if it could not be tested.
    rounds: Result<Vec<(Round, Verdict)>, Error>,
}

impl Table {
    /// Without rows yet.
    pub fn new() -> Table {
        Table::default()
    }

    /// Tests an implementation and adds what came of it. The last verdict is given back, if there is one.
    pub fn add<R: Resource>(&mut self, mut trial: Trial<R>) -> Option<&Verdict> {
        let name = trial.name().to_string();
        let mut rounds = Vec::new();
        for round in Round::ALL {
            match trial.report_round(round) {
                Err(error) => {
                    self.rows.push(Row { name, rounds: Err(error) });
                    return None;
                }
                Ok(report) => {
                    let is_over = goes_wrong(&report.verdict);
                    rounds.push((round, report.verdict));
                    if is_over {
                        break;
                    }
                }
            }
        }
        self.rows.push(Row { name, rounds: Ok(rounds) });
        let row = self.rows.last()?;
        row.rounds.as_ref().ok()?.last().map(|(_, verdict)| verdict)
    }

    /// Notes that an implementation cannot be tested.
    pub fn add_untestable(&mut self, name: &str, why: impl Display) {
        let rounds = Err(Error::specification(why.to_string()));
        self.rows.push(Row { name: name.into(), rounds });
    }

    /// The implementations that passed all rounds.
    pub fn passed(&self) -> impl Iterator<Item = &str> {
        self.rows
            .iter()
            .filter(|row| row.failed().is_none() && row.rounds.is_ok())
            .map(|row| row.name.as_str())
    }

    /// The implementations that failed in a round, with what was wrong.
    pub fn failed(&self, round: Round) -> impl Iterator<Item = (&str, &Verdict)> {
        self.rows.iter().filter_map(move |row| {
            let (failed, verdict) = row.failed()?;
            (failed == round).then_some((row.name.as_str(), verdict))
        })
    }
}

impl Row {
    fn failed(&self) -> Option<(Round, &Verdict)> {
        let rounds = self.rounds.as_ref().ok()?;
        let last = rounds.last().filter(|(_, verdict)| goes_wrong(verdict));
        let failed = last.or_else(|| rounds.iter().find(|(_, verdict)| !verdict.is_good()));
        failed.map(|(round, verdict)| (*round, verdict))
    }

    fn told(&self, round: Round) -> String {
        let rounds = match &self.rounds {
            Ok(rounds) => rounds,
            Err(_) if round == Round::Safety => return "cannot be tested".into(),
            Err(_) => return String::new(),
        };
        match rounds.iter().find(|(run, _)| *run == round) {
            None => String::new(),
            Some((_, verdict)) if verdict.is_good() => "passed".into(),
            Some((_, verdict)) => match verdict.counterexample() {
                Some(counterexample) => {
                    let clause = counterexample.message.lines().find_map(clause).unwrap_or("failed");
                    format!("✗ {clause}")
                }
                None if matches!(verdict, Verdict::Vacuous(_)) => "vacuous".into(),
                None => "undecided".into(),
            },
        }
    }
}

/// The name of a clause, if a line begins with one.
fn clause(line: &str) -> Option<&str> {
    let (name, _) = line.trim().split_once(':')?;
    ["progress", "POST", "scheduling", "CPRE", "INVARIANT", "exception", "dead worker", "PRE", "constructor"]
        .contains(&name)
        .then_some(name)
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles = Round::ALL.map(|round| round.to_string());
        let name_width = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max(14);
        write!(f, "{:name_width$}", "implementation")?;
        titles.iter().try_for_each(|title| write!(f, "  {title:19}"))?;
        writeln!(f)?;
        for row in &self.rows {
            let mut line = format!("{:name_width$}", row.name);
            Round::ALL.iter().for_each(|round| line += &format!("  {:19}", row.told(*round)));
            writeln!(f, "{}", line.trim_end())?;
            if let Err(error) = &row.rounds {
                writeln!(f, "  {error}")?;
            }
        }
        writeln!(f)?;
        writeln!(f, "{:5} passed all rounds", self.passed().count())?;
        for round in Round::ALL {
            writeln!(f, "{:5} failed: {round}", self.failed(round).count())?;
        }
        let untested = self.rows.iter().filter(|row| row.rounds.is_err()).count();
        if untested > 0 {
            writeln!(f, "{untested:5} could not be tested")?;
        }
        write!(f, "{:5} in all", self.rows.len())
    }
}
