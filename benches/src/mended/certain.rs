//! What is certain of temporal formulas, and whether they can be satisfied, held against an independent decision (see `reference`): every formula
//! with at most four operators over two atoms, up to renaming, and random ones with up to twelve operators and four atoms.

#[path = "../../../crates/gainsay-temporal/tests/temporal/compared.rs"]
mod compared;
#[path = "../../../crates/gainsay-temporal/tests/temporal/reference.rs"]
mod reference;

use compared::{Differences, Numbers, count, differences, equivalence, numbered, random, words};
use reference::Tree;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// So many random formulas are compared.
const RANDOM: usize = 200_000;

/// So many pairs are.
const PAIRS: usize = 100_000;

/// So many formulas are taken at once.
const BLOCK: usize = 1000;

/// In how many formulas something certain, and whether there are streams at all or two are the same, is said otherwise than by the reference.
pub(crate) fn compare() -> (usize, usize) {
    let mut all = (0, 0);
    let found = each("random formulas", RANDOM, |number| {
        let mut numbers = Numbers(number as u64 * 0x1_0000_0001);
        loop {
            let (operators, atoms) = (1 + numbers.below(12), 1 + numbers.below(4));
            let tree = random(&mut numbers, operators, atoms);
            let mut prefixes = words(1 << atoms, 1);
            for length in 2..6 {
                prefixes.push((0..length).map(|_| numbers.below(1 << atoms) as u8).collect());
            }
            let found = differences(&tree, atoms, &prefixes);
            if found.is_some() {
                return found;
            }
        }
    });
    all = (all.0 + found.0, all.1 + found.1);
    let found = each("pairs of formulas", PAIRS, |number| {
        let mut numbers = Numbers(number as u64 * 0x1_0000_0003);
        let atoms = 1 + number % 2;
        let mut draw = || {
            let operators = 1 + numbers.below(3);
            numbered(operators, atoms, numbers.below(count(operators, atoms)))
        };
        let (one, two) = (draw(), draw());
        Some((Vec::new(), equivalence(&one, &two, atoms)?))
    });
    all = (all.0 + found.0, all.1 + found.1);
    for operators in 0..=4 {
        let prefixes = words(4, if operators < 4 { 3 } else { 2 });
        let formulas = count(operators, 2);
        let name = format!("formulas with {operators} operators");
        let found = each(&name, formulas, |number| {
            let tree = numbered(operators, 2, number);
            // (Whoever begins with the second atom is a renaming of another.)
            if first_atom(&tree) == 0 { differences(&tree, 2, &prefixes) } else { None }
        });
        all = (all.0 + found.0, all.1 + found.1);
    }
    all
}

fn first_atom(tree: &Tree) -> u8 {
    match tree {
        Tree::Atom(atom) => *atom,
        Tree::One(_, _, of) => first_atom(of),
        Tree::Two(_, _, one, _) => first_atom(one),
    }
}

/// Compares formulas by their numbers, on all processors; in how many of them there was a difference of either kind.
fn each(
    name: &str,
    formulas: usize,
    compare: impl Fn(usize) -> Option<Differences> + Sync,
) -> (usize, usize) {
    let (taken, compared) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (certain, satisfiable) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || loop {
        let start = taken.fetch_add(BLOCK, Relaxed);
        if start >= formulas {
            return;
        }
        for found in (start..formulas.min(start + BLOCK)).filter_map(&compare) {
            compared.fetch_add(1, Relaxed);
            certain.fetch_add(usize::from(!found.0.is_empty()), Relaxed);
            satisfiable.fetch_add(usize::from(!found.1.is_empty()), Relaxed);
            found.0.iter().chain(&found.1).for_each(|difference| println!("{difference}"));
        }
        if start / BLOCK % 500 == 499 {
            println!("{name}: {start} of {formulas}");
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let found = (certain.into_inner(), satisfiable.into_inner());
    let compared = compared.into_inner();
    println!("{name}: {compared} compared, {} certain verdicts and {} answers differ", found.0, found.1);
    found
}
