//! A stock of items that several clerks reserve from: one model, a forgotten case, a race, and a proof up to a length.

#![expect(clippy::print_stdout, reason = "the example tells its story on the terminal")]

use gainsay::{Model, Verdict, model, settings};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

fn main() {
    println!("The model: so many items are left. Whoever reserves gets them if there are enough.");

    println!("\n1. A stock that forgets to look. One command after the other shows it.\n");
    let careless = judge(Care::None);
    show(&careless);

    println!("\n2. A stock that looks first and takes afterwards. One after the other, nobody can tell …\n");
    let sequential = judge(Care::LookFirst);
    show(&sequential);

    println!("\n3. … but two clerks at once can.\n");
    let race = judge_in_parallel(Care::LookFirst);
    show(&race);

    println!("\n4. A stock that looks and takes in one step passes the same test.\n");
    let careful = judge_in_parallel(Care::OneStep);
    show(&careful);

    println!("\n5. And all its short sequences are right.\n");
    let proved = stock(Care::OneStep).settings(settings().without_corpus()).verdict_exhaustive(4, 3);
    show(&proved);

    assert!(
        [&careless, &race].iter().all(|verdict| verdict.counterexample().is_some()),
        "a planted bug was not found"
    );
    assert!([&sequential, &careful, &proved].iter().all(|verdict| verdict.is_good()));
}

/// How a stock goes about a reservation.
#[derive(Debug, Clone, Copy)]
enum Care {
    /// Planted bug: it does not look whether there are enough.
    None,
    /// Planted bug: between looking and taking, somebody else may take.
    LookFirst,
    OneStep,
}

const ITEMS: i64 = 5;

/// The real thing, shared by all clerks.
#[derive(Debug)]
struct Stock {
    left: AtomicI64,
    care: Care,
}

impl Stock {
    fn reserve(&self, wanted: i64) -> bool {
        match self.care {
            Care::None => {
                self.left.fetch_sub(wanted, SeqCst);
                true
            }
            Care::LookFirst => {
                let left = self.left.load(SeqCst);
                let enough = left >= wanted;
                if enough {
                    self.left.store(left - wanted, SeqCst);
                }
                enough
            }
            Care::OneStep => {
                let take = |left: i64| (left >= wanted).then(|| left - wanted);
                self.left.fetch_update(SeqCst, SeqCst, take).is_ok()
            }
        }
    }

    fn deliver(&self, items: i64) {
        self.left.fetch_add(items, SeqCst);
    }
}

/// What a stock is meant to do: the state of the model is how many items are left.
fn stock(care: Care) -> Model<i64, Arc<Stock>> {
    model(|| ITEMS, move || Arc::new(Stock { left: AtomicI64::new(ITEMS), care }))
        .operation(
            "reserve",
            |_, case| case.int(1..=4i64),
            |stock, wanted| stock.reserve(*wanted),
            |reserve| {
                reserve.returns(|left, wanted| left >= wanted).next(|left, wanted| {
                    if *left >= *wanted {
                        *left -= wanted;
                    }
                })
            },
        )
        .operation(
            "deliver",
            |_, case| case.int(1..=4i64),
            |stock, items| stock.deliver(*items),
            |deliver| deliver.next(|left, items| *left += items),
        )
        .invariant("as many are left as the model says", |left, stock| stock.left.load(SeqCst) == *left)
}

fn judge(care: Care) -> Verdict {
    stock(care).settings(settings().seed(1).without_corpus()).verdict()
}

fn judge_in_parallel(care: Care) -> Verdict {
    stock(care).settings(settings().seed(1).without_corpus()).verdict_parallel()
}

/// Prints a verdict, indented.
fn show(verdict: &Verdict) {
    for line in verdict.to_string().lines() {
        println!("   {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forgotten_case_is_two_commands() {
        let verdict = judge(Care::None);
        let notes = &verdict.counterexample().expect("a planted bug").notes;
        let told: Vec<&str> = notes.iter().map(|note| note.value.as_str()).collect();
        assert_eq!(told, ["reserve(2) → true", "reserve(4) → true"]);
    }

    #[test]
    fn the_race_shows_only_in_parallel() {
        assert!(judge(Care::LookFirst).is_good());
        let verdict = judge_in_parallel(Care::LookFirst);
        assert!(verdict.counterexample().is_some(), "{verdict}");
    }

    #[test]
    fn the_careful_stock_passes_and_is_proved_up_to_a_length() {
        assert!(judge_in_parallel(Care::OneStep).is_good());
        let proved = stock(Care::OneStep).settings(settings().without_corpus()).verdict_exhaustive(4, 3);
        assert!(proved.to_string().starts_with("proved up to 4 commands: all"), "{proved}");
    }
}
