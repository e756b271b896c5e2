//! Passes that make one part of a case simpler and let another part pay for it: products, siblings among variants, lists that go
//! together.

use super::{Oracle, Shrinker, lists};
use crate::choice::{Choice, Kind};

/// Lowers a number and raises another one as much as their product needs, or as far as it goes.
pub(super) fn lower_factors<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    const NUMBERS_MAX: usize = 8;
    let choices = shrinker.best.choices.iter().enumerate();
    let numbers: Vec<usize> =
        choices.filter(|(_, c)| c.shape.kind == Kind::Int && c.value > 1).map(|(at, _)| at).collect();
    if numbers.len() > NUMBERS_MAX {
        return;
    }
    for (place, &first) in numbers.iter().enumerate() {
        for &second in &numbers[place + 1..] {
            if lower_factor(shrinker, first, second) {
                return;
            }
        }
    }
}

fn lower_factor<O: Oracle>(shrinker: &mut Shrinker<'_, O>, first: usize, second: usize) -> bool {
    const SMALL: u64 = 6;
    let choices = &shrinker.best.choices;
    let (a, b) = (choices[first], choices[second]);
    let product = a.offset().checked_mul(b.offset());
    (1..a.value.min(SMALL)).any(|number| {
        let factor = Choice { value: number, ..a }.offset();
        // Not less than the product was.
        let other = product.map(|product| {
            let (whole, rest) = (product / factor, product % factor);
            whole + if rest == 0 { 0 } else { whole.signum() }
        });
        let (above, below) = (i128::from(b.shape.max - b.shape.below), -i128::from(b.shape.below));
        let others = [other, Some(above), Some(below)].into_iter().flatten();
        let others: Vec<u64> = others.filter_map(|other| b.at_offset(other)).collect();
        others.into_iter().any(|other| shrinker.consider_with(&[(first, number), (second, other)]))
    })
}

/// Tries simpler variants in place of one. What the variant holds fits no other, so that it is drawn anew, a few times.
pub(super) fn change_variants<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    const SPANS_MAX: usize = 32;
    const VARIANTS_MAX: u64 = 8;
    const TRIES: u64 = 8;
    let spans = shrinker.best.spans.clone();
    for span in spans.iter().take(SPANS_MAX) {
        let (start, end) = (span.start as usize, span.end as usize);
        let Some(choice) = shrinker.best.choices.get(start).filter(|c| c.shape.kind == Kind::Index).copied()
        else {
            continue;
        };
        for value in 0..choice.value.min(VARIANTS_MAX) {
            for seed in 0..TRIES {
                let mut head = shrinker.best.choices[..start].to_vec();
                head.push(Choice { value, ..choice });
                let Some(drawn) = shrinker.drawn_on(&head, seed) else { return };
                let same = drawn.spans.iter().find(|other| {
                    other.start == span.start && other.depth == span.depth && other.label == span.label
                });
                let Some(part) = same.and_then(|same| drawn.choices.get(start..same.end as usize)) else {
                    break;
                };
                // (Whoever has nothing in it is tried by another pass.)
                if part.len() < 2 || part.len() > end - start {
                    continue;
                }
                let mut choices = shrinker.best.choices.clone();
                choices.splice(start..end, part.iter().copied());
                if shrinker.consider(&choices) {
                    return;
                }
            }
        }
    }
}

/// Removes an element of a list together with one of another list, where none can go alone: two texts that are compared, say. Else the
/// element of the other list becomes its first.
pub(super) fn delete_across<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    const LISTS_MAX: usize = 4;
    const ELEMENTS_MAX: usize = 12;
    let all: Vec<Vec<usize>> = lists(&shrinker.best.choices);
    let short = |places: &&Vec<usize>| (2..=ELEMENTS_MAX + 1).contains(&places.len());
    let all: Vec<&Vec<usize>> = all.iter().filter(short).take(LISTS_MAX).collect();
    for (place, first) in all.iter().enumerate() {
        for second in &all[place + 1..] {
            // One may be inside of the other.
            if first[first.len() - 1] > second[0] {
                continue;
            }
            for there in second.windows(2).rev() {
                for here in first.windows(2).rev() {
                    let mut choices = shrinker.without(there[0], there[1]);
                    choices.drain(here[0]..here[1]);
                    if shrinker.consider(&choices)
                        || delete_and_move(shrinker, here, there, (first[0], second[0]))
                    {
                        return;
                    }
                }
            }
        }
    }
}

/// Lowers a count and removes one of the things counted, where they were drawn column by column: all delays and then all values, say.
pub(super) fn delete_row<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    let mut at = 0;
    while at < shrinker.best.choices.len() {
        if !delete_row_of(shrinker, at) {
            at += 1;
        }
    }
}

/// The same of the columns behind one count, which go to the end of the case.
fn delete_row_of<O: Oracle>(shrinker: &mut Shrinker<'_, O>, at: usize) -> bool {
    const COLUMNS_MAX: usize = 4;
    let (rest, count) = (shrinker.best.choices.len() - at - 1, shrinker.best.choices[at]);
    if count.shape.kind != Kind::Int || count.value == 0 {
        return false;
    }
    // (What counts from one begins with 0 for it.)
    for rows in [count.value, count.value.saturating_add(1)] {
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        let columns = if rows > 1 && rest.is_multiple_of(rows) { rest / rows } else { 0 };
        if !(2..=COLUMNS_MAX).contains(&columns) {
            continue;
        }
        for row in (0..rows).rev() {
            let mut choices = shrinker.best.choices.clone();
            choices[at].value -= 1;
            (0..columns).rev().for_each(|column| {
                choices.remove(at + 1 + column * rows + row);
            });
            if shrinker.consider(&choices) {
                return true;
            }
        }
    }
    false
}

/// Removes one of two elements of two lists, which begin there, and puts the other one first.
fn delete_and_move<O: Oracle>(
    shrinker: &mut Shrinker<'_, O>,
    here: &[usize],
    there: &[usize],
    (first, second): (usize, usize),
) -> bool {
    let moved = |choices: &mut [Choice], start: usize, element: &[usize]| {
        choices[start..element[1]].rotate_right(element[1] - element[0]);
    };
    let mut shorter_here = shrinker.best.choices.clone();
    moved(&mut shorter_here, second, there);
    shorter_here.drain(here[0]..here[1]);
    let mut shorter_there = shrinker.without(there[0], there[1]);
    moved(&mut shorter_there, first, here);
    (there[0] > second && shrinker.consider(&shorter_here))
        || (here[0] > first && shrinker.consider(&shorter_there))
}
