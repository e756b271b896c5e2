//! A message box on a circular buffer, each with its model: calls between them are mocked, and a limit deep inside is found.

#![expect(clippy::print_stdout, reason = "the example tells its story on the terminal")]

mod buffer;
mod mailbox;
mod models;

use buffer::MockBuffer;
use gainsay::{Acts, Deviations, Settings, Verdict, settings};
use models::{both, buffer, mailbox};

/// What the buffer holds at most, whatever was asked for.
const LIMIT: usize = 128;

/// Without a limit.
const ANY: usize = usize::MAX;

fn plain() -> Settings {
    settings().without_corpus()
}

fn main() {
    println!("1. The buffer by itself does what its model says.\n");
    let right = buffer(ANY, ANY).settings(plain()).verdict();
    show(&right);

    println!("\n2. The message box, with its buffer mocked: it must make the right calls.\n");
    let mocked = mailbox(ANY, MockBuffer::new).settings(plain()).verdict();
    show(&mocked);

    println!(
        "\n3. A platform has room for {LIMIT} items only. The box is told so by its mock, and has no answer to it.\n"
    );
    let limited = mailbox(LIMIT, MockBuffer::new).settings(plain()).verdict();
    show(&limited);

    println!("\n4. Do the two specifications fit together? Nothing real is needed to see that.\n");
    let fit = both(ANY, ANY).settings(plain()).verdict_model_only();
    show(&fit);

    println!("\n5. And if that of the buffer allows for {LIMIT} items only?\n");
    let misfit = both(LIMIT, ANY).settings(plain()).verdict_model_only();
    show(&misfit);

    println!("\n6. The real box on the real buffer, each call between them judged by both specifications.\n");
    let linked = both(ANY, ANY).settings(plain()).verdict();
    show(&linked);

    println!("\n7. The same on the platform with room for {LIMIT}: now the buffer is to blame.\n");
    let overfull = both(ANY, LIMIT).settings(plain()).verdict();
    show(&overfull);

    println!("\n8. What if the buffer does something else than it should?\n");
    let deviations = Deviations::all().acting([Acts::Once, Acts::From(3), Acts::Always]);
    let table = mailbox(ANY, MockBuffer::new).settings(plain()).consequences(&deviations).to_string();
    table.lines().for_each(|line| println!("  {line}"));

    assert!([right, mocked, fit, linked].iter().all(Verdict::is_good), "what is right passes");
    let wrong = [limited, misfit, overfull];
    assert!(wrong.iter().all(|verdict| verdict.counterexample().is_some()), "a limit was not found");
}

/// A verdict; long lines are cut.
fn show(verdict: &Verdict) {
    for line in verdict.to_string().lines() {
        let (short, cut) = (line.chars().take(100).collect::<String>(), line.chars().nth(100).is_some());
        println!("  {short}{}", if cut { "…" } else { "" });
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
        let verdict = mailbox(LIMIT, MockBuffer::new).settings(plain().seed(1)).verdict();
        let counterexample = verdict.counterexample().expect("the limit is found");
        assert_eq!(counterexample.notes.len(), 2 + LIMIT);
        assert_eq!(counterexample.notes[0].value, "create(129)");
        assert!(counterexample.notes[1..].iter().all(|note| note.value.starts_with("post(0)")));
    }
    #[test]
    fn both_specifications_are_in_the_message() {
        let verdict = both(LIMIT, ANY).settings(plain().seed(1)).verdict_model_only();
        let message = &verdict.counterexample().expect("they do not fit").message;
        assert!(message.contains("mailbox: post(0) in state"), "{message}");
        assert!(message.contains("buffer: push(0) must not be called in state"), "{message}");
    }
}
