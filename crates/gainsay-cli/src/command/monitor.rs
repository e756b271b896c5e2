//! `gainsay monitor`: judges a trace, or a running system.

use crate::arguments::{Format as Printed, Monitor};
use crate::interrupt::{self, Interrupted};
use crate::output::json_text;
use crate::result::{EXIT_UNDECIDED, Printer, PropertyResult, violation_text};
use crate::system::{bus, read, show};
use crate::{Mistake, Program};
use gainsay_core::{Case, escaped};
use gainsay_msg::{
    BusKind, Direction, Format, Judged, Judgement, Message, Monitors, Rule, Source, System, Trouble,
    TroubleKind, monitor, monitor_all, monitor_system, shown_ms,
};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, stdin};
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

pub(crate) fn run(program: &Program, arguments: &Monitor) -> Result<u8, Mistake> {
    if let Some(seconds) = arguments.live {
        return live(program, arguments, seconds);
    }
    let Spec { name, rules, system, allow_vacuous } = spec(&arguments.spec)?;
    let slack = arguments.slack.unwrap_or_else(|| system.as_ref().map_or(0, |system| system.slack));
    let rules = crate::system::chosen(&rules, &arguments.properties)?.into_iter().cloned();
    let mut monitors = Monitors::with_slack(rules, slack);
    let mut sources = Vec::new();
    for path in &arguments.traces {
        sources.push(source(path)?);
    }
    if sources.is_empty() {
        sources.push(source(Path::new("-"))?);
    }
    let _interrupted = Interrupted::asks();
    let judged = match <[Source<'_>; 1]>::try_from(sources) {
        // (One trace is judged while it is read.)
        Ok([Source { name, input, format, .. }]) => {
            let judged = match &system {
                Some(system) => monitor_system(input, format, &mut monitors, system),
                None => monitor(input, format, &mut monitors),
            };
            judged.map_err(|error| format!("{name}: {error}"))
        }
        Err(sources) => {
            monitor_all(sources, &mut monitors, system.as_ref()).map_err(|error| error.to_string())
        }
    };
    // (What was being read when the program was interrupted may be half a line.)
    if interrupt::asked().is_none() {
        judged.map_err(Mistake::new)?;
    }
    let allow_vacuous = allow_vacuous || arguments.allow_vacuous;
    Ok(cut_off(print(arguments.format, &name, &mut monitors, system.as_ref(), allow_vacuous)))
}

/// The exit code of what may have been interrupted: what was seen was judged, and what was cut off has not passed.
fn cut_off(code: u8) -> u8 {
    let Some(signal) = interrupt::asked() else { return code };
    eprintln!("interrupted by {signal}: what came before that was judged");
    if code == 0 { EXIT_UNDECIDED } else { code }
}

/// A recording that ends when the program is interrupted.
struct UntilInterrupted<R>(R);

impl<R: Read> Read for UntilInterrupted<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if interrupt::asked().is_some() { Ok(0) } else { self.0.read(into) }
    }
}

/// Standard input, read by a thread of its own: whoever waits for it can be interrupted.
struct Input {
    chunks: mpsc::Receiver<std::io::Result<Vec<u8>>>,
    rest: std::io::Cursor<Vec<u8>>,
}

impl Input {
    fn new() -> Input {
        let (send, chunks) = mpsc::sync_channel(4);
        std::thread::spawn(move || {
            loop {
                let mut chunk = vec![0; 1 << 16];
                let read = stdin().read(&mut chunk).map(|count| {
                    chunk.truncate(count);
                    chunk
                });
                let is_over = !read.as_ref().is_ok_and(|chunk| !chunk.is_empty());
                if send.send(read).is_err() || is_over {
                    return;
                }
            }
        });
        Input { chunks, rest: std::io::Cursor::default() }
    }
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match self.rest.read(into)? {
                0 => {}
                count => return Ok(count),
            }
            match self.chunks.recv_timeout(Duration::from_millis(50)) {
                Ok(chunk) => self.rest = std::io::Cursor::new(chunk?),
                Err(mpsc::RecvTimeoutError::Timeout) if interrupt::asked().is_none() => continue,
                Err(_) => return Ok(0),
            }
            if self.rest.get_ref().is_empty() {
                return Ok(0);
            }
        }
    }
}

/// A trace, by the name of its file; `-` is standard input.
fn source(path: &Path) -> Result<Source<'static>, Mistake> {
    let is_standard = path == Path::new("-");
    let name = if is_standard { "standard input".to_string() } else { path.display().to_string() };
    let unreadable = |error: std::io::Error| Mistake::new(format!("failed to read `{name}`: {error}"));
    if path.is_dir() {
        return Err(Mistake::new(format!("`{name}` is a folder: name the recordings in it")));
    }
    let input: Box<dyn Read> = match is_standard {
        true => Box::new(UntilInterrupted(Input::new())),
        false => Box::new(UntilInterrupted(File::open(path).map_err(unreadable)?)),
    };
    let mut input = BufReader::with_capacity(1 << 16, input);
    let first = input.fill_buf().map_err(unreadable)?;
    let format = Format::of(&name, first).map_err(|error| Mistake::new(format!("{name}: {error}")))?;
    Ok(Source { name, input: Box::new(input), format })
}

/// What traces are judged by: a system file, or properties alone.
struct Spec {
    name: String,
    rules: Vec<Arc<Rule>>,
    system: Option<System>,
    allow_vacuous: bool,
}

fn spec(path: &Path) -> Result<Spec, Mistake> {
    if path.extension().is_some_and(|ending| ending == "toml") {
        let file = read(path)?;
        let (name, rules) = (file.system.name.clone(), file.system.rules.clone());
        return Ok(Spec { name, rules, system: Some(file.system), allow_vacuous: file.allow_vacuous });
    }
    let (rules, found) = crate::system::properties(path)?;
    let name = path.display().to_string();
    if found.has_errors() {
        return Err(crate::system::wrong(&found));
    }
    show(&found);
    if rules.is_empty() {
        return Err(Mistake::new(format!("there are no properties in `{name}`")));
    }
    Ok(Spec { name, rules, system: None, allow_vacuous: false })
}

/// What never came, of a property that is not violated and that nothing has put to the test.
fn never(one: &Judged<'_>, spoke: Option<bool>) -> Vec<String> {
    match one.judgement {
        Judgement::Satisfied | Judgement::Pending { owed: false } => one.exercise.never(one.rule, spoke),
        Judgement::Violated | Judgement::Pending { owed: true } => Vec::new(),
    }
}

/// Prints what is known of each property; the exit code.
fn print(
    format: Printed,
    name: &str,
    monitors: &mut Monitors,
    system: Option<&System>,
    allow_vacuous: bool,
) -> u8 {
    let is_output = |system: &System, channel: &str| {
        system.channel(channel).is_some_and(|channel| channel.direction == Direction::Out)
    };
    let spoke = match system {
        Some(system) => {
            vec![Some(monitors.heard(|channel| is_output(system, channel)) > 0); monitors.count()]
        }
        None => monitors.others_spoke(),
    };
    let judged = monitors.judged();
    let widest = judged.iter().map(|one| one.rule.id.chars().count()).max().unwrap_or(0);
    let mut printer = Printer::new(format, name, widest);
    let mut words = Vec::new();
    for (one, spoke) in judged.iter().zip(spoke) {
        let never = never(one, spoke);
        let is_vacuous = !never.is_empty() && !allow_vacuous && !one.rule.may_be_vacuous();
        let word = if is_vacuous { "vacuous" } else { word(one.judgement) };
        if format == Printed::Json {
            say_as_it_is!("{}\n", json_text(&line(one, if is_vacuous { &never } else { &[] })));
            words.push(word);
        } else {
            printer.add(result(one, word, &never));
        }
    }
    if format == Printed::Json { crate::result::exit_code(words) } else { printer.finish() }
}

/// A property, for people.
fn result(one: &Judged<'_>, word: &str, never: &[String]) -> PropertyResult {
    let said = never.join(", nor ");
    let summary = match (one.judgement, one.violations) {
        _ if word == "vacuous" => format!("vacuous: never met {said}"),
        (Judgement::Violated, [_]) => "violated once".to_string(),
        (Judgement::Violated, all) => format!("violated {} times", all.len()),
        (Judgement::Satisfied, _) => "satisfied".to_string(),
        (Judgement::Pending { owed: true }, _) => "pending: something is still owed".to_string(),
        (Judgement::Pending { owed: false }, _) => "not violated".to_string(),
    };
    let mut result = PropertyResult::plain(&one.rule.id, one.rule.to_string(), word, summary);
    const MOST: usize = 10;
    result.lines = one.violations.iter().take(MOST).map(ToString::to_string).collect();
    if one.violations.len() > MOST {
        result.lines.push(format!("… and {} more", one.violations.len() - MOST));
    }
    if word != "vacuous" && !never.is_empty() {
        result.remarks.push(format!("vacuous, which is allowed: never met {said}"));
    }
    result
}

fn word(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Violated => "violated",
        Judgement::Satisfied => "satisfied",
        Judgement::Pending { owed: true } => "inconclusive",
        Judgement::Pending { owed: false } => "pending",
    }
}

/// A property, for programs. (There may be very many violations: nothing is made of them but text.)
fn line(one: &Judged<'_>, never: &[String]) -> String {
    let id = serde_json::Value::from(one.rule.id.as_str());
    if !never.is_empty() {
        let (never, judgement) = (serde_json::Value::from(never), word(one.judgement));
        return format!(
            "{{\"property\":{id},\"verdict\":\"vacuous\",\"judgement\":\"{judgement}\",\"never\":{never},\"violations\":[]}}"
        );
    }
    match one.judgement {
        Judgement::Violated => {
            let at = one.violations.first().map_or_else(|| "null".into(), |first| shown_ms(first.at));
            let mut line =
                format!("{{\"property\":{id},\"verdict\":\"violated\",\"at_ms\":{at},\"violations\":[");
            for (place, violation) in one.violations.iter().enumerate() {
                line += if place == 0 { "" } else { "," };
                line += &violation_text(violation);
            }
            line + "]}"
        }
        Judgement::Satisfied => format!("{{\"property\":{id},\"verdict\":\"satisfied\",\"violations\":[]}}"),
        Judgement::Pending { owed } => {
            format!("{{\"property\":{id},\"verdict\":\"pending\",\"owed\":{owed},\"violations\":[]}}")
        }
    }
}

/// A message as its channel's type has it.
fn typed(system: &System, message: &Arc<Message>) -> Result<Arc<Message>, Trouble> {
    let Some(channel) = system.channel(&message.channel) else { return Ok(Arc::clone(message)) };
    match channel.of.conform(message.value.clone()) {
        Ok(value) => Ok(Arc::new(Message { value, ..(**message).clone() })),
        Err(why) => Err(Trouble::new(TroubleKind::IllTyped, format!("{message}: {why}"))),
    }
}

/// Watches a running system; violations are told as they happen.
fn live(program: &Program, arguments: &Monitor, seconds: f64) -> Result<u8, Mistake> {
    let file = read(&arguments.spec)?;
    let rules = crate::system::chosen(&file.system.rules, &arguments.properties)?;
    let slack = arguments.slack.unwrap_or(file.system.slack);
    let mut monitors = Monitors::with_slack(rules.into_iter().cloned(), slack);
    let mut bus =
        if file.bus == BusKind::Mqtt { crate::system::mqtt(&file, true)? } else { bus(program, &file)? };
    let of_system = |trouble: gainsay_msg::Trouble| Mistake::of_system(trouble.to_string());
    bus.begin(&mut Case::random(0, 0)).map_err(of_system)?;
    let _interrupted = Interrupted::asks();
    let (begun, limit) = (Instant::now(), Duration::from_secs_f64(seconds.clamp(0.0, 1e8)));
    let mut told: Vec<usize> = vec![0; monitors.judged().len()];
    let mut now = 0;
    let mut trouble = None;
    while trouble.is_none()
        && interrupt::asked().is_none()
        && begun.elapsed() < limit
        && now < limit.as_nanos() as u64
    {
        let mut seen = Vec::new();
        match bus.pass(now + 100_000_000, true, &mut seen) {
            Ok(reached) => now = reached,
            Err(met) => trouble = Some(met),
        }
        for message in seen {
            now = now.max(message.at);
            match typed(&file.system, &message) {
                Ok(message) => monitors.see(message)?,
                Err(met) => trouble = trouble.or(Some(met)),
            }
        }
        monitors.pass_to(now)?;
        for (one, told) in monitors.judged().iter().zip(&mut told) {
            if arguments.format == Printed::Text {
                one.violations[*told..]
                    .iter()
                    .for_each(|new| eprintln!("{}", escaped(&format!("{}  {new}", one.rule.id))));
            }
            *told = one.violations.len();
        }
    }
    bus.finish();
    let allow_vacuous = arguments.allow_vacuous || file.allow_vacuous;
    let code =
        cut_off(print(arguments.format, &file.system.name, &mut monitors, Some(&file.system), allow_vacuous));
    // What was seen before the trouble counts all the same.
    match trouble {
        Some(trouble) if code == crate::result::EXIT_FALSIFIED => {
            eprintln!("{}", escaped(&trouble.to_string()));
            Ok(code)
        }
        Some(trouble) => Err(of_system(trouble)),
        None => Ok(code),
    }
}
