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
        "etree" => s.exhaustive_up_to(if n > 100000 { 10 } else { 9 }).verdict_for_all(|v: Tree| {
            std::hint::black_box(&v);
        }),
        _ => panic!(),
    };
    println!("{v} {:.2} ns/case", t.elapsed().as_nanos() as f64 / n as f64);
}

#[derive(Debug)]
enum Tree {
    Leaf,
    Fork(Box<Tree>, Box<Tree>),
}
impl Arbitrary for Tree {
    fn arbitrary(case: &mut Case) -> Tree {
        case.span("Tree", |case| match case.variant::<Tree>(&[1, 1]) {
            0 => Tree::Leaf,
            _ => Tree::Fork(case.any(), case.any()),
        })
    }
    fn space(grammar: &mut Grammar) -> Space {
        let leaf = grammar.seq(Vec::new());
        let part = grammar.of::<Box<Tree>>();
        let fork = grammar.seq(vec![part, part]);
        grammar.alternatives(vec![leaf, fork])
    }
}
