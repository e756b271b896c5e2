//! Shells: completions, the manual page, and words as a shell takes them.

use crate::Mistake;
use crate::arguments::{Arguments, Completions};
use clap::CommandFactory;

pub(crate) fn completions(arguments: &Completions) -> Result<u8, Mistake> {
    let mut output = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "gainsay", &mut output);
    say_as_it_is!("{}", String::from_utf8_lossy(&output));
    Ok(0)
}

pub(crate) fn man() -> Result<u8, Mistake> {
    let mut output = Vec::new();
    let rendered = clap_mangen::Man::new(Arguments::command()).render(&mut output);
    rendered.map_err(|error| Mistake::new(format!("failed to write the manual page: {error}")))?;
    say_as_it_is!("{}", String::from_utf8_lossy(&output));
    Ok(0)
}

/// Words as a shell takes them.
pub(crate) fn quoted(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    let quote = |word: &String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}
