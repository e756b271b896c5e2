//! gainsay: an exhaustive run of the same generators that random runs use, and values by index.

use super::Contender;
use super::walk::{LENGTH_MAX, PAIRS, Tree, Walk, judged};
use ::gainsay::{Arbitrary, Case, Grammar, Index, Indexable, Space, list_of, settings, values};
use std::hint::black_box;
use std::time::Instant;

pub(super) const CONTENDER: Contender = Contender {
    name: "gainsay",
    walks: &[
        (Walk::Pairs, pairs),
        (Walk::Lists, lists),
        (Walk::ListsByIndex, lists_by_index),
        (Walk::Trees, trees),
    ],
    figures: &[("index_us", index_us), ("wide_narrow", wide_narrow)],
};

fn pairs() -> u64 {
    judged(|property| {
        settings()
            .exhaustive()
            .without_corpus()
            .limits(|limits| limits.exhaustive_cases_max = PAIRS)
            .verdict_for_all(|a: i64, b: i64| property(a, b))
            .cases()
    })
}

fn lists() -> u64 {
    let lists = list_of::<bool>(0..=LENGTH_MAX);
    let verdict = settings().exhaustive().without_corpus().verdict_ref(lists, |list| {
        black_box(list);
    });
    assert!(verdict.to_string().starts_with("proved: all"), "{verdict}");
    verdict.cases()
}

/// The lists given away, so that each needs memory of its own. For information, beside the peer that collects.
pub(super) const OWNED: Contender =
    Contender { name: "gainsay, owned", walks: &[(Walk::Lists, owned_lists)], figures: &[] };

fn owned_lists() -> u64 {
    let lists = list_of::<bool>(0..=LENGTH_MAX);
    let verdict = settings().exhaustive().without_corpus().verdict_with(lists, |list| {
        black_box(&list);
    });
    verdict.cases()
}

/// A list of at most [`LENGTH_MAX`] flags, as a type that describes its choices.
struct Flags(Vec<bool>);

impl Arbitrary for Flags {
    fn arbitrary(case: &mut Case) -> Flags {
        Flags(case.list(0..=LENGTH_MAX))
    }

    fn refill(&mut self, case: &mut Case) {
        case.refill_list(&mut self.0, 0..=LENGTH_MAX);
    }

    fn space(grammar: &mut Grammar) -> Space {
        let flag = grammar.choice(1);
        grammar.list(0, LENGTH_MAX, flag)
    }
}

impl Indexable for Flags {}

fn lists_by_index() -> u64 {
    let all = Index::<Flags>::new().walk(2 * LENGTH_MAX as u64, &mut |Flags(list)| {
        black_box(list);
        true
    });
    all as u64
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

impl Indexable for Tree {}

/// A tree costs as many as it has forks: ten in a tree of 21 nodes.
fn trees() -> u64 {
    let run = settings().exhaustive_up_to(10).without_corpus();
    let verdict = run.verdict_for_all(|tree: Tree| {
        black_box(&tree);
    });
    verdict.cases()
}

/// Microseconds for the 10^12-th list and tree and the next hundred, whichever takes longer, with warm tables: the fastest turn.
fn index_us() -> f64 {
    const PLACE: u128 = 1_000_000_000_000;
    fn timed<T: Indexable>() -> f64 {
        let mut index = Index::<T>::new();
        black_box(index.nth(PLACE));
        let best = |_| {
            let start = Instant::now();
            for near in 0..100 {
                black_box(index.nth(PLACE + near));
            }
            start.elapsed().as_secs_f64() * 1e6 / 100.0
        };
        (0..20).map(best).fold(f64::INFINITY, f64::min)
    }
    timed::<Vec<bool>>().max(timed::<Tree>())
}

/// How much longer a wide and a narrow type take in one order than in the other, in turns.
fn wide_narrow() -> f64 {
    fn timed<T: Arbitrary>() -> f64 {
        let start = Instant::now();
        assert_eq!(black_box(values::<T>()).map(black_box).count(), 131_072);
        start.elapsed().as_secs_f64()
    }
    let turn = |(wide, narrow): (f64, f64), _| {
        (wide.min(timed::<(u16, bool)>()), narrow.min(timed::<(bool, u16)>()))
    };
    let (wide, narrow) = (0..20).fold((f64::INFINITY, f64::INFINITY), turn);
    (wide / narrow).max(narrow / wide)
}
