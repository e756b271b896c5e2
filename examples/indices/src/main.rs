//! The places of a character in a text: one claim, a wrong implementation, a right one, and a law that is proved.

#![expect(clippy::print_stdout, reason = "the example tells its story on the terminal")]

use gainsay::prelude::*;

fn main() {
    println!("The claim: i is among the indices of c in s if and only if the i-th character of s is c.\n");

    println!("1. A wrong implementation. It agrees with the claim on every ASCII text.\n");
    let wrong = judge(indices_in_bytes);
    println!("{}\n", indented(&wrong));

    println!("2. The right implementation, judged by the same claim.\n");
    let right = judge(indices);
    println!("{}\n", indented(&right));

    println!("3. The same again, but every text and character up to size 6 instead of random ones.\n");
    let small = settings()
        .without_corpus()
        .exhaustive_up_to(6)
        .verdict_for_all(|s: String, c: char| exactly_the_matches(indices, &s, c));
    println!("{}\n", indented(&small));

    println!("4. A law over three truth values. There are no more cases than these, so it is proved.\n");
    let law = settings()
        .without_corpus()
        .exhaustive()
        .verdict_for_all(|a: bool, b: bool, c: bool| (a && (b || c)) == (a && b || a && c));
    println!("{}", indented(&law));
}

/// The places of `wanted` in `text`, counted in characters.
fn indices(text: &str, wanted: char) -> Vec<usize> {
    text.chars()
        .enumerate()
        .filter(|(_, c)| *c == wanted)
        .map(|(at, _)| at)
        .collect()
}

/// The planted bug: counts in bytes.
fn indices_in_bytes(text: &str, wanted: char) -> Vec<usize> {
    text.char_indices()
        .filter(|(_, c)| *c == wanted)
        .map(|(at, _)| at)
        .collect()
}

/// The claim about an implementation, for one text and one character.
fn exactly_the_matches(implementation: fn(&str, char) -> Vec<usize>, s: &str, c: char) -> Property {
    let found = implementation(s, c);
    for_each(0..s.chars().count(), |i| {
        found.contains(&i).iff(s.chars().nth(i) == Some(c))
    })
}

/// The verdict on an implementation: a fixed seed and no corpus, so that every run of this example says the same.
fn judge(implementation: fn(&str, char) -> Vec<usize>) -> Verdict {
    settings()
        .without_corpus()
        .seed(7)
        .verdict_for_all(move |s: String, c: char| exactly_the_matches(implementation, &s, c))
}

fn indented(verdict: &Verdict) -> String {
    verdict
        .to_string()
        .lines()
        .map(|line| format!("   {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}
