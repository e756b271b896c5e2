//! A message box on a circular buffer, each with its model: calls between them are mocked, and a limit deep inside is found.

#![expect(clippy::print_stdout, reason = "the example tells its story on the terminal")]

mod buffer;
mod mailbox;
mod models;

use gainsay::{Verdict, settings};

/// What the buffer holds at most, whatever was asked for.
const LIMIT: usize = 128;

fn main() {
    println!("1. The buffer by itself does what its model says.\n");
    let right = models::buffer(None).settings(settings().without_corpus()).verdict();
    show(&right);

    println!("\n2. The message box, with its buffer mocked: it must make the right calls.\n");
    let mocked = models::mailbox(usize::MAX).settings(settings().without_corpus()).verdict();
    show(&mocked);

    println!(
        "\n3. A platform has room for {LIMIT} items only. The box is told so by its mock, and has no answer to it.\n"
    );
    let limited = models::mailbox(LIMIT).settings(settings().without_corpus()).verdict();
    show_ends(&limited);

    assert!(right.is_good() && mocked.is_good());
    assert!(limited.counterexample().is_some(), "a limit was not found");
}

fn show(verdict: &Verdict) {
    for line in verdict.to_string().lines() {
        println!("  {line}");
    }
}

/// A long story: its beginning and its end.
fn show_ends(verdict: &Verdict) {
    let text = verdict.to_string();
    let lines: Vec<&str> = text.lines().collect();
    let (first, last) = (&lines[..lines.len().min(5)], &lines[lines.len().saturating_sub(6)..]);
    for line in first.iter().chain(&["    …"]).chain(last) {
        println!("  {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_story_is_true() {
        main();
    }

    #[test]
    fn the_limit_is_reached_by_the_shortest_way() {
        let verdict = models::mailbox(LIMIT).settings(settings().without_corpus().seed(1)).verdict();
        let counterexample = verdict.counterexample().expect("the limit is found");
        assert_eq!(counterexample.notes.len(), 2 + LIMIT);
        assert_eq!(counterexample.notes[0].value, "create(129)");
        assert!(counterexample.notes[1..].iter().all(|note| note.value.starts_with("post(0)")));
    }
}
