//! `gainsay machine`: machines in `.dot` files, drawn, compared, minimised and tried out.

use crate::Mistake;
use crate::arguments::{Compare, Machine, OfFile};
use crate::result::EXIT_FALSIFIED;
use gainsay_core::plural;
use gainsay_model::machine::{self, Finite, Next, simulate};
use std::path::Path;

/// A machine as it was read.
type Read = Finite<String, String, String>;

pub(crate) fn run(arguments: &Machine) -> Result<u8, Mistake> {
    match arguments {
        Machine::Draw(file) => print(file, |machine| machine.to_svg()),
        Machine::Minimise(file) => print(file, |machine| machine.minimised().to_dot_text()),
        Machine::Compare(files) => compare(files),
        Machine::Simulate { file } => {
            let machine = Read::read_dot(file)?;
            let inputs = machine.inputs().to_vec();
            match simulate(&machine, inputs, std::io::stdin().lock(), std::io::stdout()) {
                Ok(_) => Ok(0),
                Err(error) => Err(Mistake::new(format!("failed to read what was typed: {error}"))),
            }
        }
    }
}

/// Prints what is made of a machine, or writes it to a file.
fn print(file: &OfFile, make: impl Fn(&Read) -> String) -> Result<u8, Mistake> {
    let made = make(&Read::read_dot(&file.file)?);
    let Some(output) = &file.output else {
        say_as_it_is!("{made}");
        return Ok(0);
    };
    write(output, &made)?;
    Ok(0)
}

fn write(path: &Path, text: &str) -> Result<(), Mistake> {
    gainsay_core::write_text(path, text)
        .map_err(|error| Mistake::new(format!("failed to write `{}`: {error}", path.display())))
}

/// The shortest inputs that two machines answer differently.
fn compare(files: &Compare) -> Result<u8, Mistake> {
    let (one, two) = (Read::read_dot(&files.one)?, Read::read_dot(&files.two)?);
    let Some(inputs) = one.difference(&two) else {
        say!("✓ both do the same");
        return Ok(0);
    };
    say!("✗ they differ after {}", plural(inputs.len() as u64, "input"));
    let (mut here, mut there) = (Some(0), Some(0));
    for input in &inputs {
        let (left, right) = (answer(&one, &mut here, input), answer(&two, &mut there, input));
        match left == right {
            true => say!("      {input} / {left}"),
            false => {
                say!("      {input}");
                say!("        {}: {left}", files.one.display());
                say!("        {}: {right}", files.two.display());
            }
        }
    }
    if let Some(picture) = &files.draw {
        write(picture, &one.to_svg_marked(&inputs))?;
    }
    Ok(EXIT_FALSIFIED)
}

/// What a machine answers, and where it goes.
fn answer(machine: &Read, state: &mut Option<u32>, input: &String) -> String {
    let mut next = Next::default();
    if let Some(state) = state {
        machine::Machine::step(machine, state, input, &mut next);
    }
    let way = next.listed().next().map(|(to, outputs)| (*to, outputs.join(" ")));
    *state = way.as_ref().map(|(to, _)| *to);
    way.map_or_else(|| "nothing is specified".into(), |(_, outputs)| outputs)
}
