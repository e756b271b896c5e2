//! A machine tried out by hand, in a terminal.

mod word;

use super::{Machine, Next, Trace};
use rustc_hash::FxHashSet;
use std::io::{self, BufRead, Read, Write};
use word::{Command, Meaning, Other, meaning};

/// Nobody types more lines; a program that never stops may.
const LINES_MAX: usize = 10_000;
/// What is longer is no input.
const LINE_BYTES_MAX: u64 = 4096;
/// More inputs are not listed, though they can be given.
const SHOWN_MAX: usize = 50;

const HELP: &str = "  type the number of an input, or its text, or the beginning of it
  undo   takes the last input back
  reset  starts anew
  trace  shows all inputs since the start
  help   shows this
  quit   ends it, as the end of the input does
  :3 is always a number and :undo a command, whatever inputs are called
";

/// Lets somebody try a machine out: shows its state, the inputs that are specified there and what may come of each, takes one, and so on.
/// Where several things may come of it, they are numbered, and whoever types chooses. Returns what was done since the start.
///
/// It ends with `quit`, where there is nothing more to read, or after 10000 lines. Nothing can be shown of outputs that are judged instead
/// of listed.
///
/// ```
/// use gainsay_model::machine::{machine, simulate};
///
/// let bell = machine(false, |pressed: &bool, _: &&str| match pressed {
///     false => [(true, vec![])],
///     true => [(false, vec!["ring"])],
/// });
/// let mut told = Vec::new();
/// let trace = simulate(&bell, ["press"], "1\npress\nquit\n".as_bytes(), &mut told)?;
/// assert_eq!(trace, [("press", vec![]), ("press", vec!["ring"])]);
/// assert!(told.starts_with(b"state false\n  1  \"press\" \xe2\x86\x92 [], then true\n> "));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// In a terminal, that is `simulate(&bell, ["press"], std::io::stdin().lock(), std::io::stdout())`.
///
/// # Errors
/// If reading or writing fails.
pub fn simulate<M: Machine>(
    machine: &M,
    inputs: impl IntoIterator<Item = M::Input>,
    reader: impl BufRead,
    writer: impl Write,
) -> io::Result<Trace<M::Input, M::Output>> {
    let mut seen = FxHashSet::default();
    let mut simulation = Simulation {
        machine,
        inputs: inputs.into_iter().filter(|input| seen.insert(input.clone())).collect(),
        states: vec![machine.start()],
        trace: Vec::new(),
        lines: Lines { reader, count: 0 },
        writer,
    };
    simulation.run()?;
    simulation.writer.flush()?;
    Ok(simulation.trace)
}

/// A state, and the outputs on the way there.
type Way<M> = (<M as Machine>::State, Vec<<M as Machine>::Output>);

/// An input that is specified, and what may come of it.
struct Offer<M: Machine> {
    input: M::Input,
    ways: Vec<Way<M>>,
}

/// What may be typed in a state.
struct Offers<M: Machine> {
    all: Vec<Offer<M>>,
    /// What their inputs are called.
    texts: Vec<String>,
    others: Vec<Other>,
}

struct Simulation<'a, M: Machine, R, W> {
    machine: &'a M,
    inputs: Vec<M::Input>,
    /// One more than there are steps.
    states: Vec<M::State>,
    trace: Trace<M::Input, M::Output>,
    lines: Lines<R>,
    writer: W,
}

impl<M: Machine, R: BufRead, W: Write> Simulation<'_, M, R, W> {
    fn run(&mut self) -> io::Result<()> {
        let mut offers = self.offers();
        self.show(&offers)?;
        while let Some(line) = self.ask("> ")? {
            let goes_on = match meaning(line.trim(), &offers.texts, &offers.others) {
                Meaning::Nothing => Step::Shown,
                Meaning::Input(place) => self.take(&offers.all[place])?,
                Meaning::Command(command) => self.obey(command)?,
                Meaning::Unclear(why) => {
                    writeln!(self.writer, "{why}")?;
                    Step::Unshown
                }
            };
            match goes_on {
                Step::Shown => {
                    offers = self.offers();
                    self.show(&offers)?;
                }
                Step::Unshown => {}
                Step::End => break,
            }
        }
        Ok(())
    }

    /// Writes a question, and reads a line. There is none at the end.
    fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        if self.lines.count == LINES_MAX {
            writeln!(self.writer, "{LINES_MAX} lines were read: this is the end")?;
            return Ok(None);
        }
        write!(self.writer, "{question}")?;
        self.writer.flush()?;
        let line = self.lines.next()?;
        if line.is_none() {
            writeln!(self.writer)?;
        }
        Ok(line)
    }

    fn state(&self) -> M::State {
        self.states.last().cloned().unwrap_or_else(|| self.machine.start())
    }

    /// What may be done in the state.
    fn offers(&self) -> Offers<M> {
        let state = self.state();
        let mut offers = Offers { all: Vec::new(), texts: Vec::new(), others: Vec::new() };
        let mut next = Next::default();
        for input in &self.inputs {
            next.clear();
            self.machine.step(&state, input, &mut next);
            let mut ways: Vec<Way<M>> = Vec::new();
            for (to, outputs) in next.listed() {
                if !ways.iter().any(|(state, known)| state == to && known == outputs) {
                    ways.push((to.clone(), outputs.to_vec()));
                }
            }
            let text = format!("{input:?}");
            if ways.is_empty() {
                offers.others.push(Other { text, is_judged: !next.is_listed() });
            } else {
                offers.texts.push(text);
                offers.all.push(Offer { input: input.clone(), ways });
            }
        }
        offers
    }

    /// Shows the state and what may be done there.
    fn show(&mut self, offers: &Offers<M>) -> io::Result<()> {
        writeln!(self.writer, "state {}", self.machine.shown(&self.state()))?;
        for (number, (offer, text)) in offers.all.iter().zip(&offers.texts).enumerate().take(SHOWN_MAX) {
            let ways: Vec<String> = offer
                .ways
                .iter()
                .map(|(to, outputs)| format!("{outputs:?}, then {}", self.machine.shown(to)))
                .collect();
            writeln!(self.writer, "{:>3}  {text} → {}", number + 1, ways.join("; or "))?;
        }
        if offers.all.len() > SHOWN_MAX {
            writeln!(self.writer, "     … {} more", offers.all.len() - SHOWN_MAX)?;
        }
        let judged = offers.others.iter().filter(|other| other.is_judged).count();
        if judged > 0 {
            writeln!(
                self.writer,
                "     {judged} more whose outputs are judged, not listed: they cannot be given"
            )?;
        } else if offers.all.is_empty() {
            writeln!(self.writer, "     nothing is specified here")?;
        }
        Ok(())
    }

    /// Gives the machine an input.
    fn take(&mut self, offer: &Offer<M>) -> io::Result<Step> {
        let (to, outputs) = match offer.ways.as_slice() {
            [only] => only,
            ways => match self.choose(ways)? {
                Ok(way) => way,
                Err(step) => return Ok(step),
            },
        };
        writeln!(self.writer, "{:?} → {outputs:?}", offer.input)?;
        self.trace.push((offer.input.clone(), outputs.clone()));
        self.states.push(to.clone());
        Ok(Step::Shown)
    }

    /// Which of several things comes; or how it goes on, if the input is not given after all.
    fn choose<'w>(&mut self, ways: &'w [Way<M>]) -> io::Result<Result<&'w Way<M>, Step>> {
        for (number, (to, outputs)) in ways.iter().enumerate() {
            writeln!(self.writer, "{:>3}  {outputs:?}, then {}", number + 1, self.machine.shown(to))?;
        }
        while let Some(line) = self.ask("which? ")? {
            let word = line.trim();
            let word = word.strip_prefix(':').unwrap_or(word);
            let number = word.parse().ok().and_then(|number: usize| number.checked_sub(1));
            match number.and_then(|place| ways.get(place)) {
                Some(way) => return Ok(Ok(way)),
                None if word == "undo" => return Ok(Err(Step::Shown)),
                None if word == "quit" => return Ok(Err(Step::End)),
                None => writeln!(self.writer, "type a number from 1 to {}, `undo` or `quit`", ways.len())?,
            }
        }
        Ok(Err(Step::End))
    }

    fn obey(&mut self, command: Command) -> io::Result<Step> {
        match command {
            Command::Undo if self.trace.is_empty() => writeln!(self.writer, "there is nothing to undo")?,
            Command::Undo => {
                self.trace.pop();
                self.states.pop();
                return Ok(Step::Shown);
            }
            Command::Reset => {
                self.trace.clear();
                self.states.truncate(1);
                return Ok(Step::Shown);
            }
            Command::Trace if self.trace.is_empty() => writeln!(self.writer, "there were no inputs yet")?,
            Command::Trace => {
                for (input, outputs) in &self.trace {
                    writeln!(self.writer, "  {input:?} → {outputs:?}")?;
                }
            }
            Command::Help => write!(self.writer, "{HELP}")?,
            Command::Quit => return Ok(Step::End),
        }
        Ok(Step::Unshown)
    }
}

/// How it goes on.
enum Step {
    /// The state is shown.
    Shown,
    /// There is nothing new to show.
    Unshown,
    End,
}

/// Lines that are read, whatever is in them.
struct Lines<R> {
    reader: R,
    count: usize,
}

impl<R: BufRead> Lines<R> {
    /// A line without its end; one that is too long comes in parts.
    fn next(&mut self) -> io::Result<Option<String>> {
        self.count += 1;
        let mut bytes = Vec::new();
        self.reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes)?;
        Ok((!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned()))
    }
}
