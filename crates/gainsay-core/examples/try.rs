//! scratch
use gainsay_core::*;
fn main() {
    let judge = |v: &Vec<Vec<i64>>| v.iter().flatten().collect::<std::collections::BTreeSet<_>>().len() <= 4;
    for seed in 0..1 {
    let v = settings().without_corpus().seed(seed).random_only().verdict_for_all(|v: Vec<Vec<i64>>| judge(&v));
    println!("{v}");
    }
}
