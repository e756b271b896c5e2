//! Shells: completions, the manual page, and words as a shell takes them.

use crate::Mistake;
use crate::arguments::{Arguments, Completions};
use clap::CommandFactory;
use gainsay_core::escaped;

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
    words.iter().map(|word| quoted_word(word)).collect::<Vec<_>>().join(" ")
}

fn quoted_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    let is_shown = |c: char| *escaped(c.encode_utf8(&mut [0; 4])) == *c.encode_utf8(&mut [0; 4]) && c != '\n';
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    if word.chars().all(is_shown) {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    // What cannot be shown as it is has this form in bash, ksh and zsh.
    let escape = |c: char| match c {
        '\'' | '\\' => format!("\\{c}"),
        _ if is_shown(c) => c.to_string(),
        _ => format!("\\U{:08x}", u32::from(c)),
    };
    format!("$'{}'", word.chars().map(escape).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_quoted_words_as_they_were() {
        let words = ["plain", "", "it's", "a b", "\u{1b}[2J\u{202e}", "back\\slash\nand 'quote'\u{7}"]
            .map(String::from);
        let line = format!("printf '%s\\0' {}", quoted(&words));
        assert_eq!(escaped(&line), line);
        let Ok(output) =
            std::process::Command::new("bash").args(["-c", &line]).env("LC_ALL", "C.UTF-8").output()
        else {
            return;
        };
        let said: Vec<String> =
            String::from_utf8(output.stdout).unwrap().split_terminator('\0').map(String::from).collect();
        assert_eq!(said, words);
    }
}
