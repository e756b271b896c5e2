//! scratch
use gainsay_core::*;
fn main() {
    let n: u64 = std::env::args().nth(2).map_or(1_000_000, |n| n.parse().unwrap());
    let s = settings().without_corpus().seed(1).random_only().cases(n);
    let t = std::time::Instant::now();
    let v = match std::env::args().nth(1).unwrap().as_str() {
        "pair" => s.verdict_for_all(|a: u64, b: u64| {
            std::hint::black_box((a, b));
        }),
        "vec" => s.verdict_for_all(|a: Vec<i64>| {
            std::hint::black_box(&a);
        }),
        "string" => s.verdict_for_all(|a: String| {
            std::hint::black_box(&a);
        }),
        "epair" => s.exhaustive().limits(|l| l.exhaustive_cases_max = n).verdict_for_all(|a: i64, b: i64| {
            std::hint::black_box((a, b));
        }),
        "elist" => s.exhaustive().limits(|l| l.exhaustive_cases_max = n).verdict_with(
            |c: &mut Case| c.vec(0..=20, Case::flag),
            |v| {
                std::hint::black_box(&v);
            },
        ),
        _ => panic!(),
    };
    println!("{v} {:.2} ns/case", t.elapsed().as_nanos() as f64 / n as f64);
}
