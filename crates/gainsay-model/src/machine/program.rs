//! Programs and servers that are tested by a machine: they are told inputs, and answer, in lines.

use super::{Implementation, Stopped};
use gainsay_core::plural;
use gainsay_subject::{Heard, Json, Speaker, json};
use std::process::Command;
use std::time::{Duration, Instant};

/// How a program answers an input.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answers {
    /// With one line, which is its output; an empty line is none.
    Line,
    /// With lines, each of them an output, until one is this.
    Until(String),
    /// With lines that come when they like, each of them an output: when none has come for so long, none comes any more. Whatever is claimed
    /// of the program rests on that.
    Quiet(Duration),
    /// With a line of JSON: `{"input": …}` is answered by `{"outputs": […]}`, and `{"reset": true}` by `{"ready": true}`.
    Json,
}

/// So long an answer may take, if nobody says otherwise.
const LIMIT: Duration = Duration::from_secs(5);

/// So many outputs may come of an input.
const OUTPUTS_MAX: usize = 10_000;

/// So many of the last inputs are told.
const TOLD_MAX: usize = 20;

/// A program or a server, of which inputs and outputs are text: see [`program`] and [`server`].
#[derive(Debug)]
pub struct Program {
    command: Option<Command>,
    address: Option<String>,
    reset: Option<String>,
    ready: Option<String>,
    answers: Answers,
    limit: Duration,
    /// A new connection is a new start.
    reconnects: bool,
    has_started: bool,
    /// How often the line that resets it was answered.
    resets: u64,
    /// That line was not answered once, and is not said again.
    is_unreset: bool,
    /// What it was told since it was reset.
    told: Vec<String>,
    speaker: Option<Speaker>,
    /// The program that listens where we speak.
    behind: Option<Speaker>,
}

/// A program that is told inputs on its standard input, a line each, and answers on its standard output. It is started anew for each test,
/// unless there is a line that [resets](Program::reset_by) it.
///
/// ```
/// use gainsay_model::machine::{Finite, conformance, program};
/// use std::process::Command;
///
/// let specification = Finite::from_dot("digraph { __start0 -> off; off -> on [label=\"press / click\"]; on -> off [label=\"press / clack\"]; }")?;
/// let mut command = Command::new("sh");
/// command.args(["-c", "n=0; while read line; do n=$((1-n)); [ $n = 1 ] && echo click || echo clack; done"]);
/// conformance("lamp", &specification, program(command)).inputs(["press".to_string()]).cases(3).length(10).check();
/// # Ok::<(), gainsay_core::Error>(())
/// ```
pub fn program(command: Command) -> Program {
    Program { command: Some(command), ..Program::new() }
}

/// A server that is told inputs by TCP, a line each, and answers the same way. Each test has a connection of its own, and a new connection
/// must be a new start, unless there is a line that [resets](Program::reset_by) it.
pub fn server(address: impl Into<String>) -> Program {
    Program { address: Some(address.into()), reconnects: true, ..Program::new() }
}

impl Program {
    fn new() -> Program {
        Program {
            command: None,
            address: None,
            reset: None,
            ready: None,
            answers: Answers::Line,
            limit: LIMIT,
            reconnects: false,
            has_started: false,
            resets: 0,
            is_unreset: false,
            told: Vec::new(),
            speaker: None,
            behind: None,
        }
    }

    /// How it answers: with one line, if nobody says otherwise.
    #[must_use]
    pub fn answers(mut self, answers: Answers) -> Program {
        self.answers = answers;
        self
    }

    /// Starts it anew by a line, which it answers like an input; what it answers does not matter. (In JSON it is always `{"reset":true}`.)
    ///
    /// If the line is not answered in time, it cannot be tested this way, which is an error and no verdict. After a failure that was seen
    /// it is started anew instead, so that the failure is confirmed and made small.
    #[must_use]
    pub fn reset_by(mut self, line: impl Into<String>) -> Program {
        self.reset = Some(line.into());
        self
    }

    /// It says this line when it has started. Whatever it says before does not matter.
    #[must_use]
    pub fn ready(mut self, line: impl Into<String>) -> Program {
        self.ready = Some(line.into());
        self
    }

    /// The program listens at this address, where it is told inputs. It is started anew for each test, unless it is reset by a line, or
    /// [reconnects](Program::reconnects).
    #[must_use]
    pub fn listens(mut self, address: impl Into<String>) -> Program {
        self.address = Some(address.into());
        self
    }

    /// To a program that listens, a new connection is a new start.
    #[must_use]
    pub fn reconnects(mut self) -> Program {
        self.reconnects = true;
        self
    }

    /// How long an answer may take: five seconds. One that takes longer is a failure *by timeout*.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Program {
        self.limit = limit;
        self
    }

    /// Starts it, or speaks with it anew.
    fn start(&mut self) -> Result<(), Stopped> {
        self.speaker = None;
        // What cannot even be begun is not the implementation's fault; what worked before is.
        let has_started = self.has_started;
        let trouble = |why: String| match has_started {
            true => Stopped::Broken(why),
            false => Stopped::Untestable(why),
        };
        if let (Some(command), false) = (&self.command, self.reconnects && self.behind.is_some()) {
            self.behind = None;
            let started = Speaker::program(again(command)).map_err(|error| trouble(error.to_string()))?;
            match &self.address {
                Some(_) => self.behind = Some(started),
                None => self.speaker = Some(started),
            }
        }
        if let Some(address) = &self.address {
            let connected = Speaker::server(address, self.limit);
            self.speaker = Some(connected.map_err(|error| {
                let ended = self.behind.as_mut().and_then(ended);
                trouble(ended.map_or_else(|| error.to_string(), |words| format!("{error}: {words}")))
            })?);
        }
        if let Some(ready) = self.ready.clone() {
            self.hear_until(&ready, Instant::now(), &mut |_| ())?;
        }
        self.has_started = true;
        Ok(())
    }

    /// Says a line, and hears what it is answered.
    fn ask(&mut self, line: &str, outputs: &mut Vec<String>) -> Result<(), Stopped> {
        if line.contains('\n') {
            return Err(Stopped::Untestable(format!("{line:?} is more than one line")));
        }
        if let Some(behind) = &mut self.behind {
            // Nobody needs what it says there, but it must not be held up.
            while let Heard::Line(_) = behind.hear(Duration::ZERO) {}
        }
        let Some(speaker) = &mut self.speaker else {
            return Err(Stopped::Broken("it has not started".into()));
        };
        let begun = Instant::now();
        speaker.say(line, self.limit);
        match self.answers.clone() {
            Answers::Line | Answers::Json => {
                let line = self.hear(begun)?;
                outputs.extend(Some(line).filter(|line| !line.is_empty()));
                Ok(())
            }
            Answers::Until(last) => self.hear_until(&last, begun, &mut |line| outputs.push(line)),
            Answers::Quiet(quiet) => loop {
                match self.next(quiet)? {
                    None => return Ok(()),
                    Some(_) if outputs.len() == OUTPUTS_MAX => return Err(endless()),
                    Some(_) if begun.elapsed() > self.limit.saturating_add(quiet) => return Err(late(begun)),
                    Some(line) => outputs.push(line),
                }
            },
        }
    }

    /// Hears lines until one is this.
    fn hear_until(
        &mut self,
        last: &str,
        begun: Instant,
        hear: &mut dyn FnMut(String),
    ) -> Result<(), Stopped> {
        for _ in 0..=OUTPUTS_MAX {
            let line = self.hear(begun)?;
            if line == last {
                return Ok(());
            }
            hear(line);
        }
        Err(endless())
    }

    /// The next line of an answer that was begun to wait for, which must come in time.
    fn hear(&mut self, begun: Instant) -> Result<String, Stopped> {
        let left = self.limit.saturating_sub(begun.elapsed());
        if let Some(line) = self.next(left)? {
            return Ok(line);
        }
        // (Somebody else may hold its output open.)
        if let Some(speaker) = &mut self.speaker
            && speaker.has_ended()
        {
            return Err(Stopped::Broken(speaker.last_words()));
        }
        Err(late(begun))
    }

    /// The next line, if there is one before the limit.
    fn next(&mut self, limit: Duration) -> Result<Option<String>, Stopped> {
        let Some(speaker) = &mut self.speaker else {
            return Err(Stopped::Broken("it has not started".into()));
        };
        match speaker.hear(limit) {
            Heard::Line(line) => Ok(Some(line.strip_suffix('\r').map(str::to_string).unwrap_or(line))),
            Heard::Nothing => Ok(None),
            Heard::Gone => {
                let behind = self.behind.as_mut().and_then(ended);
                Err(Stopped::Broken(behind.unwrap_or_else(|| speaker.last_words())))
            }
        }
    }

    /// The line that resets it was not answered: nothing is known of its state, and no further test would mean anything.
    fn unreset(&mut self, line: &str, stopped: &Stopped) -> Stopped {
        self.is_unreset = true;
        let how = match stopped {
            Stopped::Late(_) => format!("within {} s", self.limit.as_secs_f64()),
            other => format!("({other})"),
        };
        let before = match self.resets {
            0 => String::new(),
            resets => {
                let last = &self.told[self.told.len().saturating_sub(TOLD_MAX)..];
                format!(
                    ", though it was answered {} before; the last inputs were {last:?}",
                    plural(resets, "time")
                )
            }
        };
        let anew = match self.command {
            Some(_) => "so that the program is started anew for each test",
            None => "so that each test has a connection of its own",
        };
        let longer = if let Stopped::Late(_) = stopped { ", allow more time" } else { "" };
        Stopped::Untestable(format!(
            "the reset line `{line}` was not answered {how}{before}: answer it as an input is answered{longer}, or leave it out, {anew}"
        ))
    }

    fn restart(&mut self) -> Result<(), Stopped> {
        let line = match (&self.answers, &self.reset) {
            (Answers::Json, _) => json!({"reset": true}).to_string(),
            (_, Some(line)) => line.clone(),
            (_, None) => return self.start(),
        };
        if self.speaker.is_none() || self.is_unreset {
            return self.start();
        }
        let mut answer = Vec::new();
        self.ask(&line, &mut answer).map_err(|stopped| self.unreset(&line, &stopped))?;
        self.resets += 1;
        match (&self.answers, answer.first()) {
            (Answers::Json, answer) => is_ready(answer.map_or("", String::as_str)),
            _ => Ok(()),
        }
    }
}

/// A command again: they cannot be cloned.
fn again(command: &Command) -> Command {
    let mut again = Command::new(command.get_program());
    again.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => again.env(name, value),
            None => again.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        again.current_dir(folder);
    }
    again
}

/// The last words of a program that says nothing any more.
fn ended(program: &mut Speaker) -> Option<String> {
    for _ in 0..=OUTPUTS_MAX {
        match program.hear(Duration::ZERO) {
            Heard::Line(_) => {}
            Heard::Nothing => return None,
            Heard::Gone => return Some(program.last_words()),
        }
    }
    None
}

fn late(begun: Instant) -> Stopped {
    Stopped::Late(format!("no answer within {:.1} s", begun.elapsed().as_secs_f64()))
}

fn endless() -> Stopped {
    Stopped::Broken(format!("more than {OUTPUTS_MAX} lines came of one input"))
}

fn is_ready(line: &str) -> Result<(), Stopped> {
    match line.parse::<Json>() {
        Ok(answer) if answer["ready"] == true => Ok(()),
        _ => Err(Stopped::Broken(format!(
            "it answered {{\"reset\":true}} with {line:?}, not {{\"ready\":true}}"
        ))),
    }
}

/// The outputs of an answer in JSON; text stands for itself.
fn outputs_of(line: &str) -> Result<Vec<String>, Stopped> {
    let garbage = || {
        Stopped::Broken(format!(
            "it answered {line:?}, which is no line like {{\"outputs\": [\"one\", \"two\"]}}"
        ))
    };
    let answer: Json = line.parse().map_err(|_| garbage())?;
    let outputs = answer["outputs"].as_array().ok_or_else(garbage)?;
    let text = |output: &Json| output.as_str().map_or_else(|| output.to_string(), str::to_string);
    Ok(outputs.iter().map(text).collect())
}

impl Implementation<String, String> for Program {
    fn reset(&mut self) -> Result<(), Stopped> {
        // Whoever did not get to an answer is not spoken with again.
        let started = self.restart().inspect_err(|_| self.speaker = None);
        self.told.clear();
        started
    }

    fn step(&mut self, input: &String, outputs: &mut Vec<String>) -> Result<(), Stopped> {
        if self.reset.is_some() {
            self.told.push(input.clone());
        }
        let answered = if self.answers == Answers::Json {
            let mut lines = Vec::new();
            let line = json!({"input": input}).to_string();
            self.ask(&line, &mut lines).and_then(|()| {
                outputs.extend(outputs_of(lines.first().map_or("", String::as_str))?);
                Ok(())
            })
        } else {
            self.ask(input, outputs)
        };
        answered.inspect_err(|_| self.speaker = None)
    }

    fn assumption(&self) -> Option<String> {
        let Answers::Quiet(quiet) = self.answers else { return None };
        Some(format!("nothing comes of an input when nothing has come of it for {} ms", quiet.as_millis()))
    }
}
