//! Enumeration and proof: order, completeness, counts, limits.

use crate::support::{Tree, assert_contains, found, gave_up, minimum, proved, seeded};
use gainsay::prelude::*;
use gainsay::{Arbitrary, Grammar, Indexable, Scope, Space};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

fn first<T: Arbitrary>(n: usize) -> Vec<T> {
    values::<T>().take(n).collect()
}

/// What an exhaustive run judges, in order.
fn judged<G: Generator<Value: Debug + Clone>>(generator: G) -> Vec<G::Value> {
    let mut judged = Vec::new();
    let verdict = seeded(0).exhaustive().verdict_with(generator, |value: G::Value| judged.push(value));
    assert_eq!(proved(&verdict), judged.len() as u64);
    judged
}

#[test]
fn pairs_come_in_order_of_their_total_cost() {
    let pairs = [(0, 0), (0, 1), (1, 0), (0, -1), (1, 1), (-1, 0)];
    assert_eq!(first::<(i64, i64)>(6), pairs);
    let mut judged = Vec::new();
    let run = seeded(0).limits(|limits| limits.exhaustive_cases_max = 6).exhaustive();
    let verdict = run.verdict_for_all(|a: i64, b: i64| judged.push((a, b)));
    assert_eq!((judged, verdict.to_string()), (pairs.to_vec(), "passed: 6 cases".to_string()));
}

#[test]
fn integers_go_outwards_from_the_one_nearest_to_zero() {
    let all: Vec<i8> = judged(any::<i8>());
    let outwards: Vec<i8> = (0..=127).flat_map(|n: i8| if n == 0 { vec![0] } else { vec![n, -n] }).collect();
    assert_eq!(all[..255], outwards);
    assert_eq!(all[255..], [i8::MIN]);
    assert_eq!(judged(-2..=4i32), [0, 1, -1, 2, -2, 3, 4]);
    assert_eq!(judged(-4..2i32), [0, 1, -1, -2, -3, -4]);
    assert_eq!(judged(-3..=2i64), [0, 1, -1, 2, -2, -3]);
    assert_eq!(judged(5..=8u64), [5, 6, 7, 8]);
    assert_eq!(judged(-8..=-5i128), [-5, -6, -7, -8]);
}

/// Neither among the first values nor in their choices is anything met twice.
fn no_repeats<T: Arbitrary + Debug>(n: usize, key: impl Fn(&T) -> String) {
    let mut seen = HashMap::new();
    for (i, value) in values::<T>().take(n).enumerate() {
        let key = key(&value);
        if let Some(before) = seen.insert(key, i) {
            panic!("{value:?} is number {before} and number {i} of {}", std::any::type_name::<T>());
        }
    }
    assert!(seen.len() == n.min(seen.len()) && !seen.is_empty());
}

fn shown<T: Debug>(value: &T) -> String {
    format!("{value:?}")
}

#[test]
fn no_value_is_enumerated_twice() {
    no_repeats::<(i8, u16)>(5000, shown);
    no_repeats::<Vec<i32>>(5000, shown);
    no_repeats::<String>(5000, shown);
    no_repeats::<[Option<u8>; 3]>(5000, shown);
    no_repeats::<Result<Vec<bool>, char>>(5000, shown);
    no_repeats::<VecDeque<Option<bool>>>(5000, shown);
    no_repeats::<f64>(5000, |f| f.to_bits().to_string());
    no_repeats::<f32>(5000, |f| f.to_bits().to_string());
    no_repeats::<(u128, i128)>(5000, shown);
    no_repeats::<std::num::NonZeroI8>(5000, shown);
    no_repeats::<Duration>(5000, shown);
    no_repeats::<std::net::SocketAddr>(5000, shown);
    no_repeats::<std::ffi::CString>(5000, shown);
    no_repeats::<std::ops::Bound<Vec<()>>>(5000, shown);
    no_repeats::<std::ops::RangeInclusive<i8>>(5000, shown);
    no_repeats::<Tree>(5000, shown);
}

#[test]
fn no_path_is_enumerated_twice() {
    let mut seen = HashSet::new();
    for path in values::<PathBuf>().take(2000) {
        assert!(seen.insert(path.clone()), "{path:?} is met twice");
    }
}

#[test]
fn no_heap_is_enumerated_twice() {
    no_repeats::<BinaryHeap<u8>>(2000, |heap| shown(&heap.clone().into_sorted_vec()));
}

#[test]
fn sets_and_maps_are_enumerated_once_each() {
    no_repeats::<BTreeSet<u8>>(3000, shown);
    no_repeats::<BTreeSet<Vec<bool>>>(3000, shown);
    no_repeats::<BTreeSet<BTreeSet<u8>>>(3000, shown);
    no_repeats::<BTreeMap<String, bool>>(3000, shown);
    no_repeats::<HashSet<i16>>(3000, |set| shown(&set.iter().collect::<BTreeSet<_>>()));
    no_repeats::<HashMap<u8, Option<u8>>>(3000, |map| shown(&map.iter().collect::<BTreeMap<_, _>>()));
}

#[test]
fn all_sets_of_a_small_type_are_enumerated() {
    assert_eq!(judged(any::<BTreeSet<bool>>()).len(), 4);
    assert_eq!(judged(any::<BTreeMap<bool, bool>>()).len(), 9);
    // The subsets of 0..=9.
    let digits = |case: &mut Case| {
        let mut set = BTreeSet::new();
        case.distinct(0..=10, |case| case.int(0..=9u8), |digit, _| set.insert(digit));
        set
    };
    let sets: BTreeSet<BTreeSet<u8>> = judged(digits).into_iter().collect();
    assert_eq!(sets.len(), 1024);
}

/// The enumeration, the index and the walk through the index agree.
fn agree<T: Indexable + PartialEq + Debug>(n: u64) {
    let name = std::any::type_name::<T>();
    let mut index = Index::<T>::new();
    let mut met = 0u64;
    for (i, value) in values::<T>().take(n as usize).enumerate() {
        assert_eq!(index.nth(i as u128).as_ref(), Some(&value), "number {i} of {name}");
        met += 1;
    }
    if met < n {
        assert_eq!(index.len(), Some(met.into()), "{name} has ended");
        assert_eq!(index.nth(met.into()), None, "{name} has ended");
    }
    let mut all = values::<T>();
    index.walk(6, &mut |value| {
        assert_eq!(all.next().as_ref(), Some(value), "the walk through {name}");
        true
    });
}

#[test]
fn the_nth_value_is_the_nth_of_the_enumeration() {
    agree::<u8>(3000);
    agree::<i16>(3000);
    agree::<u64>(3000);
    agree::<i128>(3000);
    agree::<(i64, i64)>(3000);
    agree::<(u8, bool, i8)>(3000);
    agree::<(bool, (u16, ()), Option<bool>)>(3000);
    agree::<[i8; 4]>(3000);
    agree::<[[bool; 2]; 3]>(3000);
    agree::<Vec<bool>>(3000);
    agree::<Vec<Option<u8>>>(3000);
    agree::<Vec<Vec<()>>>(3000);
    agree::<Option<Option<Vec<i8>>>>(3000);
    agree::<String>(3000);
    agree::<(String, Vec<u16>)>(3000);
    agree::<Result<Option<u8>, Result<bool, Vec<char>>>>(3000);
    agree::<std::cmp::Ordering>(3000);
    agree::<std::net::IpAddr>(3000);
    agree::<std::num::NonZeroI16>(3000);
    agree::<(f64, f32)>(3000);
    agree::<Tree>(3000);
    agree::<(Box<Tree>, Vec<Tree>)>(3000);
    agree::<(Vec<bool>, Vec<u8>)>(3000);
    agree::<Vec<Vec<bool>>>(3000);
    agree::<(Option<Vec<i16>>, bool, Vec<bool>, u8)>(3000);
    agree::<(Few, Few)>(3000);
}

/// At most three flags, drawn one by one although all that is said of them allows more; in order.
#[derive(Debug, PartialEq)]
struct Few(Vec<bool>);

impl Arbitrary for Few {
    fn arbitrary(case: &mut Case) -> Few {
        let mut flags = case.vec(0..=3, Case::flag);
        flags.sort_unstable();
        Few(flags)
    }

    fn refill(&mut self, case: &mut Case) {
        case.refill_list(&mut self.0, 0..=3);
        self.0.sort_unstable();
    }

    fn space(grammar: &mut Grammar) -> Space {
        let flag = grammar.choice(1);
        grammar.list(0, 3, flag)
    }
}

impl Indexable for Few {}

#[test]
fn the_record_of_an_enumerated_case_is_complete_whenever_it_is_asked_for() {
    let mut records = Vec::new();
    let verdict = seeded(1).exhaustive_up_to(4).verdict(|case| {
        let flags: Vec<bool> = case.any();
        records.push((flags.clone(), case.record().values()));
        let (byte, other): (u8, Vec<bool>) = case.any();
        let drawn = case.record().values();
        let list = |list: &[bool]| list.iter().flat_map(|flag| [1, u64::from(*flag)]).chain([0]).collect();
        let (first, second): (Vec<u64>, Vec<u64>) = (list(&flags), list(&other));
        drawn == [first, vec![u64::from(byte)], second].concat()
    });
    assert!(matches!(verdict, Verdict::Proved(_)), "{verdict}");
    assert!(records.len() > 30);
    for (flags, drawn) in records {
        assert_eq!(drawn.len(), 2 * flags.len() + 1, "{flags:?}");
    }
}

#[test]
fn far_values_are_found_without_walking() {
    let mut lists = Index::<Vec<bool>>::new();
    let far = lists.choices(1_000_000_000_000).unwrap();
    let level = far.iter().sum::<u64>();
    let before: u128 = (0..level).map(|cost| lists.len_of_level(cost)).sum();
    let value = lists.nth(1_000_000_000_000).unwrap();
    assert_eq!(lists.nth_of_level(level, 1_000_000_000_000 - before), Some(value));
    assert_eq!(nth::<(u64, u64)>(u128::from(u64::MAX)).map(|(a, b)| a + b), Some(6_074_000_999));
}

#[test]
fn wide_integers_are_indexed_as_far_as_64_bits_go() {
    assert_eq!(nth::<u128>(7), Some(7));
    assert_eq!(Index::<u128>::new().len(), None, "there are 2^128, more than can be said");
    // An enumeration never gets past 64 bits, and the index agrees with it.
    assert_eq!(nth::<u128>((1 << 64) - 1), Some((1 << 64) - 1));
    assert_eq!(nth::<u128>(1 << 64), None);
}

#[test]
fn finite_types_are_proved_with_exact_counts() {
    let distributive = |a: bool, b: bool, c: bool| (a & (b | c)) == (a & b | a & c);
    assert_eq!(verdict_exhaustive(distributive).to_string(), "proved: all 8 cases");
    let exhaustive = || seeded(1).exhaustive();
    assert_eq!(proved(&exhaustive().verdict_for_all(|n: u8| n.leading_zeros() <= 8)), 256);
    assert_eq!(proved(&exhaustive().verdict_for_all(|_: u16, _: bool| true)), 131_072);
    assert_eq!(proved(&exhaustive().verdict_for_all(|_: bool, _: u16| true)), 131_072);
    assert_eq!(proved(&exhaustive().verdict_for_all(|_: Option<bool>| true)), 3);
    assert_eq!(proved(&exhaustive().verdict_for_all(|_: Result<bool, Option<()>>| true)), 4);
    assert_eq!(proved(&exhaustive().verdict_for_all(|_: [Option<bool>; 3], _: ()| true)), 27);
    assert_eq!(proved(&exhaustive().verdict_for_all(|_: ()| true)), 1);
    let planted = exhaustive().verdict_for_all(|n: u8| n < 200);
    assert_eq!(minimum(&planted), "200");
}

#[test]
fn an_ordinary_run_proves_what_has_few_cases() {
    assert_eq!(seeded(1).verdict_for_all(|_: u8, _: bool| true).to_string(), "proved: all 512 cases");
    // Not even a single case to spare.
    assert_eq!(
        seeded(1).cases(8).verdict_for_all(|_: bool, _: bool, _: bool| true).to_string(),
        "proved: all 8 cases"
    );
    assert!(matches!(seeded(1).cases(100).verdict_for_all(|_: u8| true), Verdict::Passed(_)));
    let planted = seeded(1).verdict_for_all(|a: u8, b: bool| a < 255 || !b);
    assert_eq!(found(&planted).shown(), "#1 = 255, #2 = true");
}

#[test]
fn rejected_cases_are_counted_apart() {
    let even = seeded(1).exhaustive().verdict_for_all(|n: u8| n.is_multiple_of(2).implies(|| n / 2 * 2 == n));
    assert_eq!(even.to_string(), "proved: all 128 cases (128 rejected)");
    let planted = seeded(1).exhaustive().verdict_for_all(|n: u8| n.is_multiple_of(2).implies(|| n / 2 != 60));
    assert_eq!(minimum(&planted), "120");
}

#[test]
fn a_proof_up_to_a_size_says_so() {
    let verdict = seeded(1).exhaustive_up_to(3).verdict_for_all(|_: u8, _: u8| true);
    let Verdict::Proved(proof) = &verdict else { panic!("{verdict}") };
    assert_eq!((proof.cases, proof.scope.clone()), (10, Scope::UpToSize(3)));
    assert_eq!(verdict.to_string(), "proved up to size 3: all 10 cases");
    let whole = seeded(1).exhaustive_up_to(100).verdict_for_all(|_: bool, _: bool| true);
    assert_eq!(whole.to_string(), "proved: all 4 cases");
    let within = seeded(1).exhaustive_up_to(10).verdict_for_all(|a: u8| a < 10);
    assert_eq!(minimum(&within), "10");
    let beyond = seeded(1).exhaustive_up_to(9).verdict_for_all(|a: u8| a < 10);
    assert_eq!(proved(&beyond), 10);
}

#[test]
fn a_limit_that_cuts_the_tree_forbids_a_proof() {
    let cut = |cases| seeded(1).limits(|limits| limits.exhaustive_cases_max = cases).exhaustive();
    assert_eq!(cut(7).verdict_for_all(|_: [bool; 3]| true).to_string(), "passed: 7 cases");
    assert_eq!(cut(9).verdict_for_all(|_: [bool; 3]| true).to_string(), "proved: all 8 cases");
    let late = seeded(1).time(Duration::ZERO).exhaustive().verdict_for_all(|_: u64| true);
    assert!(matches!(&late, Verdict::Passed(passed) if passed.by_time), "{late}");
    assert_contains(&late.to_string(), "ended by the time limit");
    // Depth is a limit too: cases that overrun were not judged.
    let deep = seeded(1).limits(|limits| limits.choices_max = 3).exhaustive();
    assert_contains(gave_up(&deep.verdict_for_all(|_: [bool; 4]| true)), "more than 3 choices");
}

#[test]
fn what_rejects_everything_proves_nothing() {
    let verdict = seeded(1).exhaustive().verdict_for_all(|n: u8| (u32::from(n) > 1000).implies(|| false));
    let Verdict::Vacuous(vacuous) = &verdict else { panic!("{verdict}") };
    assert_contains(&vacuous.never[0], "a case that counts: all 256 cases were rejected");
    assert!(!verdict.is_good());
}

#[test]
fn a_perturbed_enumeration_has_the_same_levels() {
    type Item = (Vec<bool>, Option<u8>);
    let levels = |perturbed: Option<u64>| {
        let mut items: Vec<(u64, String)> = Vec::new();
        let run = seeded(1).exhaustive_up_to(7);
        let run = if let Some(seed) = perturbed { run.perturbed(seed) } else { run };
        let generator = |case: &mut Case| {
            let item = case.any::<Item>();
            (case.record().values().iter().sum::<u64>(), format!("{item:?}"))
        };
        let verdict = run.verdict_with(generator, |item| items.push(item));
        assert_eq!(proved(&verdict), items.len() as u64);
        assert!(items.is_sorted_by_key(|(cost, _)| *cost));
        items
    };
    let sorted = |mut items: Vec<(u64, String)>| {
        items.sort();
        items
    };
    let plain = levels(None);
    for seed in [1, 2, 77, u64::MAX] {
        let perturbed = levels(Some(seed));
        assert_ne!(perturbed, plain, "nothing was permuted");
        assert_eq!(sorted(perturbed), sorted(plain.clone()), "seed {seed}");
    }
}

#[test]
fn lists_with_too_many_choices_are_cases_that_have_them() {
    let few = || seeded(1).limits(|limits| limits.choices_max = 5);
    let planted = few().exhaustive_up_to(6).verdict_for_all(|list: Vec<bool>| list != [true, true]);
    assert_eq!(minimum(&planted), "[true, true]");
    let planted =
        few().exhaustive_up_to(6).verdict_for_all(|list: Vec<bool>, flag: bool| flag || list != [true]);
    assert_eq!(minimum(&planted), "[true]");
    let holds = few().exhaustive_up_to(6).verdict_for_all(|_: Vec<bool>| true);
    assert_contains(&holds.to_string(), "cases made more than 5 choices and 7 did not");
    let holds = few().exhaustive_up_to(6).verdict(|case| {
        case.distinct(1..=1, Case::flag, |_, _| true);
        let _: (Vec<bool>, u8) = case.any();
        let mut lists = BTreeSet::new();
        case.distinct(0..=3, Case::any::<Vec<bool>>, |list, _| lists.insert(list));
    });
    assert_contains(&holds.to_string(), "made more than 5 choices");
}

#[test]
fn lists_that_change_their_mind_are_noticed_beside_a_limit_of_choices() {
    for choices_max in 2..8 {
        let runs = std::cell::Cell::new(0);
        let limited = seeded(1).exhaustive_up_to(9).limits(|limits| limits.choices_max = choices_max);
        let verdict = limited.verdict(|case| {
            runs.set(runs.get() + 1);
            if runs.get() == 5 {
                return;
            }
            let _: Vec<bool> = case.any();
            let _ = case.int(0..=9u8);
        });
        assert_contains(gave_up(&verdict), "not deterministic");
    }
}

#[test]
fn values_in_the_memory_of_those_before_are_the_values() {
    let owned = judged(list_of::<bool>(1..=4));
    let mut seen = Vec::new();
    let verdict = seeded(0).exhaustive().verdict_ref(list_of::<bool>(1..=4), |list| seen.push(list.clone()));
    assert_eq!(proved(&verdict), 30);
    assert_eq!(seen, owned);
    // Lists of lists, random, beside the same cases with memory of their own.
    let (mut kept, mut own) = (Vec::new(), Vec::new());
    seeded(7).check_ref(any::<(Vec<Vec<u8>>, Option<String>)>(), |value| kept.push(value.clone()));
    seeded(7).check_with(any::<(Vec<Vec<u8>>, Option<String>)>(), |value| own.push(value));
    assert_eq!(kept, own);
    let planted = seeded(0).verdict_ref(any::<Vec<u8>>(), |list| list.len() < 3 || list[2] < 7);
    assert_eq!(minimum(&planted), "[0, 0, 7]");
}
