//! The places of a character in a text: one claim, a wrong implementation, a right one, and a law that is proved.

#![expect(clippy::print_stdout, reason = "the example tells its story on the terminal")]

use gainsay::prelude::*;

fn main() {
    println!(
        "The claim: `i` is among the indices of `c` in `s` if and only if the `i`-th character of `s` is `c`."
    );

    println!("\n1. A wrong implementation. It agrees with the claim on every ASCII text.\n");
    let wrong = judge(indices_in_bytes);
    show(&wrong);

    println!("\n2. The right implementation, judged by the same claim.\n");
    let right = judge(indices);
    show(&right);

    println!("\n3. The right one again, with every text and every character up to a size, small to large.\n");
    let small = judge_small(indices);
    show(&small);

    println!("\n4. A law over three truth values. There are eight cases and no more.\n");
    let law = distribution();
    show(&law);

    assert!(wrong.counterexample().is_some(), "the planted bug was not found");
    assert!([&right, &small, &law].iter().all(|verdict| verdict.is_good()));
}

/// The places of `wanted` in `text`, counted in characters.
fn indices(text: &str, wanted: char) -> Vec<usize> {
    text.chars().enumerate().filter(|(_, c)| *c == wanted).map(|(at, _)| at).collect()
}

/// The planted bug: counts in bytes.
fn indices_in_bytes(text: &str, wanted: char) -> Vec<usize> {
    text.char_indices().filter(|(_, c)| *c == wanted).map(|(at, _)| at).collect()
}

type Implementation = fn(&str, char) -> Vec<usize>;

/// The claim about an implementation, for one text and one character.
fn exactly_the_matches(indices: Implementation, s: &str, c: char) -> Property {
    let found = indices(s, c);
    for_each(0..s.chars().count(), |i| found.contains(&i).iff(s.chars().nth(i) == Some(c)))
}

/// The verdict after random cases. With a fixed seed and no corpus, every run of this example says the same.
fn judge(indices: Implementation) -> Verdict {
    let settings = settings().seed(7).without_corpus();
    settings.verdict_for_all(|s: String, c: char| exactly_the_matches(indices, &s, c))
}

/// The verdict after all cases whose numbers add up to 12 at most.
fn judge_small(indices: Implementation) -> Verdict {
    let settings = settings().exhaustive_up_to(12).without_corpus();
    settings.verdict_for_all(|s: String, c: char| exactly_the_matches(indices, &s, c))
}

/// ∧ distributes over ∨.
fn distribution() -> Verdict {
    verdict_exhaustive(|a: bool, b: bool, c: bool| (a & (b | c)) == ((a & b) | (a & c)))
}

fn show(verdict: &Verdict) {
    for line in verdict.to_string().lines() {
        println!("   {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[property]
    #[example("", 'a')]
    #[example("A test", 't')]
    fn indices_are_exactly_the_matches(s: &str, c: char) -> Property {
        exactly_the_matches(indices, s, c)
    }

    #[property]
    fn indices_increase(s: &str, c: char) -> bool {
        indices(s, c).is_sorted_by(|a, b| a < b)
    }

    #[test]
    fn the_bug_shrinks_to_one_wide_character_and_a_match() {
        let verdict = judge(indices_in_bytes);
        let smallest = verdict.counterexample().expect("the planted bug is found");
        assert_eq!(smallest.shown(), r#"#1 = "\u{80}a", #2 = 'a'"#);
    }

    #[test]
    fn what_is_proved_is_counted() {
        assert_eq!(judge_small(indices).to_string(), "proved up to size 12: all 8178 cases (13 rejected)");
        assert_eq!(distribution().to_string(), "proved: all 8 cases");
    }
}
