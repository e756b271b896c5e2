//! The passes, each small and named by what it does.

mod traded;

use super::{Oracle, Shrinker};
use crate::choice::floats::{F32, F64};
use crate::choice::{Choice, Kind};

/// The passes that usually make progress, what removes most first.
pub(super) fn usual<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    delete_elements(shrinker);
    lift_descendants(shrinker);
    simplify_spans(shrinker);
    lower_equal(shrinker);
    lower_each(shrinker);
}

/// The passes for what the usual ones leave, in order; after one that made progress the usual ones are tried again.
pub(super) fn special<O: Oracle>() -> [for<'a, 'b> fn(&'a mut Shrinker<'b, O>); 14] {
    [
        lower_pairs,
        reorder,
        merge,
        lower_and_delete,
        delete_and_renumber,
        delete_any,
        delete_several,
        delete_apart,
        lower_past_gaps,
        redraw_the_rest,
        traded::lower_factors,
        traded::change_variants,
        traded::delete_across,
        traded::delete_row,
    ]
}

/// What is drawn while a property runs, such as a schedule, no longer fits when an element before it is dropped: then the rest is drawn
/// anew, a few times.
fn redraw_the_rest<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    const TRIES: u64 = 24;
    /// With fewer choices, dropping elements has been tried already, with all the rest there is.
    const REST_MIN: usize = 4;
    let mut from = usize::MAX;
    loop {
        let best = &shrinker.best;
        let outermost = best.spans.iter().filter(|span| span.depth == 0);
        let end = outermost.map(|span| span.end as usize).max().unwrap_or(0);
        if end == 0 || best.choices.len() < end + REST_MIN {
            return;
        }
        // From the last element to the first.
        let is_start = |(at, choice): &(usize, &Choice)| {
            choice.shape.kind == Kind::More && choice.value == 1 && *at < from
        };
        let Some((start, _)) = best.choices[..end].iter().enumerate().rfind(is_start) else { return };
        from = start;
        let Some(stop) = element_at(&best.choices, start).filter(|stop| *stop <= end) else { continue };
        let mut head = best.choices[..end].to_vec();
        head.drain(start..stop);
        for seed in 0..TRIES {
            match shrinker.consider_on(&head, seed) {
                None => return,
                Some(true) => {
                    from = usize::MAX;
                    break;
                }
                Some(false) => {}
            }
        }
    }
}

/// The elements of the lists of a case: for each list the places of its [`Kind::More`] choices, the last of which ends it.
fn lists(choices: &[Choice]) -> Vec<Vec<usize>> {
    let mut lists: Vec<(u32, Vec<usize>)> = Vec::new();
    for (at, choice) in choices.iter().enumerate().filter(|(_, c)| c.shape.kind == Kind::More) {
        match lists.iter_mut().rev().find(|(owner, _)| *owner == choice.shape.owner) {
            Some((_, places)) => places.push(at),
            None => lists.push((choice.shape.owner, vec![at])),
        }
    }
    lists.into_iter().map(|(_, places)| places).collect()
}

/// The end of the list element that begins at `start`, if one does.
fn element_at(choices: &[Choice], start: usize) -> Option<usize> {
    let more = choices.get(start).filter(|c| c.shape.kind == Kind::More)?;
    let later = choices[start + 1..]
        .iter()
        .position(|c| c.shape.kind == Kind::More && c.shape.owner == more.shape.owner);
    later.map(|n| start + 1 + n)
}

/// Removes elements of lists: all, halves, quarters … single ones.
fn delete_elements<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    let mut list = 0;
    loop {
        let all = lists(&shrinker.best.choices);
        let Some(places) = all.get(list) else { return };
        let mut size = places.len() - 1;
        while size > 0 {
            // From the end: what comes later seldom depends on what comes after it.
            let mut end = lists(&shrinker.best.choices).get(list).map_or(0, |p| p.len() - 1);
            while end > 0 {
                let all = lists(&shrinker.best.choices);
                let Some(places) = all.get(list) else { break };
                end = end.min(places.len() - 1);
                if end == 0 {
                    break;
                }
                let mut batch = Vec::new();
                let mut start = end;
                while start > 0 && batch.len() < shrinker.oracle.width() {
                    let stop = start;
                    start = start.saturating_sub(size);
                    batch.push(shrinker.without(places[start], places[stop]));
                }
                // What stands before the first that worked is still to be tried.
                end = match shrinker.consider_first(&batch) {
                    Some(number) => end.saturating_sub((number + 1) * size),
                    None => start,
                };
            }
            size = (size / 2).min(lists(&shrinker.best.choices).get(list).map_or(0, |p| p.len() - 1));
        }
        list += 1;
    }
}

/// Puts a span in the place of an enclosing one with the same label: a subtree for its tree.
fn lift_descendants<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    let mut outer = 0;
    while outer < shrinker.best.spans.len() {
        let from = shrinker.best.spans[outer];
        let inner: Vec<_> = shrinker.best.spans[outer + 1..]
            .iter()
            .take_while(|span| span.start < from.end && span.depth > from.depth)
            .filter(|span| {
                span.label == from.label
                    && span.label != "vec"
                    && span.end - span.start < from.end - from.start
            })
            .copied()
            .collect();
        // Smaller ones first, but not all of a large tree.
        let mut inner = inner;
        inner.sort_by_key(|span| span.end - span.start);
        inner.dedup_by_key(|span| shrinker.best.choices[span.start as usize..span.end as usize].to_vec());
        let mut lifted = false;
        for span in inner.iter().take(16) {
            let mut choices = shrinker.best.choices.clone();
            let part = choices[span.start as usize..span.end as usize].to_vec();
            choices.splice(from.start as usize..from.end as usize, part);
            if shrinker.consider(&choices) {
                lifted = true;
                break;
            }
        }
        if !lifted {
            outer += 1;
        }
    }
}

/// Makes whole spans simplest.
fn simplify_spans<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    let mut at = 0;
    while at < shrinker.best.spans.len() {
        let span = shrinker.best.spans[at];
        let range = span.start as usize..span.end as usize;
        let several = shrinker.best.choices[range.clone()].iter().filter(|c| c.value > 0).count() > 1;
        if several && span.label != "vec" {
            let mut choices = shrinker.best.choices.clone();
            // One choice stands for the whole: past it the replay is off, so the rest is removed.
            choices[range.start].value = 0;
            choices.drain(range.start + 1..range.end);
            if !shrinker.consider(&choices) {
                let mut choices = shrinker.best.choices.clone();
                choices[range].iter_mut().for_each(|c| c.value = 0);
                shrinker.consider(&choices);
            }
        }
        at += 1;
    }
}

/// Lowers numbers that are equal, together.
fn lower_equal<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    let mut done: Vec<(Kind, u64)> = Vec::new();
    let mut at = 0;
    while at < shrinker.best.choices.len() {
        let choice = shrinker.best.choices[at];
        let key = (choice.shape.kind, choice.value);
        if choice.value > 0 && is_number(choice.shape.kind) && !done.contains(&key) {
            done.push(key);
            let same: Vec<usize> = (at..shrinker.best.choices.len())
                .filter(|&i| {
                    let c = shrinker.best.choices[i];
                    c.value == choice.value
                        && c.shape.kind == choice.shape.kind
                        && c.shape.below == choice.shape.below
                })
                .collect();
            if same.len() > 1 {
                lower(shrinker, &same);
            }
        }
        at += 1;
    }
}

fn is_number(kind: Kind) -> bool {
    matches!(kind, Kind::Int | Kind::Wide | Kind::Float | Kind::Char)
}

/// Lowers every choice by itself.
fn lower_each<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    let mut at = 0;
    while at < shrinker.best.choices.len() {
        let choice = shrinker.best.choices[at];
        match choice.shape.kind {
            _ if choice.value == 0 => {}
            // Elements are deleted by another pass.
            Kind::More => {}
            Kind::Flag | Kind::Index => {
                for value in 0..choice.value.min(16) {
                    if shrinker.consider_with(&[(at, value)]) {
                        break;
                    }
                }
            }
            Kind::Float => shorten(shrinker, at),
            _ => lower(shrinker, &[at]),
        }
        at += 1;
    }
}

/// Lowers numbers in step: to zero, to a positive twin, and otherwise as far as bisection finds, if one less works at all.
fn lower<O: Oracle>(shrinker: &mut Shrinker<'_, O>, places: &[usize]) {
    let first = shrinker.best.choices[places[0]];
    let set = |shrinker: &mut Shrinker<'_, O>, offset: i128| {
        let edits: Option<Vec<(usize, u64)>> =
            places.iter().map(|&at| Some((at, shrinker.best.choices.get(at)?.at_offset(offset)?))).collect();
        edits.is_some_and(|edits| shrinker.consider_with(&edits))
    };
    if set(shrinker, 0) {
        return;
    }
    let offset = first.offset();
    let mut sign = offset.signum();
    if offset < 0 && set(shrinker, -offset) {
        sign = 1;
    }
    let size = offset.unsigned_abs() as i128;
    if size > 1 && set(shrinker, sign * (size - 1)) {
        bisect(0, size - 1, |size| set(shrinker, sign * size));
    }
}

/// Makes a float simpler: a whole number if one works, the smallest, else the shortest fraction, else what bisection finds.
fn shorten<O: Oracle>(shrinker: &mut Shrinker<'_, O>, at: usize) {
    let choice = shrinker.best.choices[at];
    let wide = choice.shape.max > u64::from(u32::MAX);
    let decode = |number: u64| {
        if wide {
            f64::from_bits(F64.decode(number))
        } else {
            f64::from(f32::from_bits(F32.decode(number) as u32))
        }
    };
    let encode = |value: f64| {
        if wide { F64.encode(value.to_bits()) } else { F32.encode(u64::from((value as f32).to_bits())) }
    };
    let value = decode(choice.value);
    let mut set = |value: f64| shrinker.consider_with(&[(at, encode(value))]);
    if set(0.0) {
        return;
    }
    let sign = if value.is_sign_negative() && !set(-value) { -1.0 } else { 1.0 };
    let size = value.abs();
    // Beyond this, whole numbers come late in the order.
    let whole_max = if wide { (1u64 << 53) as f64 - 1.0 } else { f64::from((1u32 << 24) - 1) };
    let whole = size.trunc().min(whole_max);
    if !size.is_nan() && (set(sign * whole) || size == whole) {
        bisect(0, whole as i128, |size| set(sign * size as f64));
        return;
    }
    if size.is_finite() && size < whole_max {
        if set(sign * 0.5) || set(sign * (whole + 0.5)) {
            return;
        }
        for bits in 1..=20 {
            let unit = f64::from(1u32 << bits);
            if set(sign * (size * unit).trunc() / unit) {
                break;
            }
        }
        // The same fraction with a smaller whole part.
        let now = decode(shrinker.best.choices[at].value).abs();
        let fraction = now.fract();
        if fraction > 0.0 && now.trunc() > 0.0 {
            let mut set = |value: f64| shrinker.consider_with(&[(at, encode(value))]);
            if !set(sign * fraction) {
                bisect(0, now.trunc() as i128, |whole| set(sign * (whole as f64 + fraction)));
            }
        }
        return;
    }
    // Infinities, NaNs and the huge: the first of their kind.
    for simple in [f64::INFINITY, f64::NAN, 1e10, 1e100] {
        if set(sign * simple) {
            return;
        }
    }
}

/// The smallest size that works, given that `low` does not and `high` does, and supposing that a larger one always works where a
/// smaller one does.
///
/// Sizes are often large and the answer small, so if half of it works the answer is sought by powers of two; if not, it
/// is likely near, and steps from the top double.
fn bisect(low: i128, high: i128, mut works: impl FnMut(i128) -> bool) -> i128 {
    let (mut low, mut high) = (low, high);
    if high - low > 8 {
        let middle = low + (high - low) / 2;
        if works(middle) {
            high = middle;
            let (mut few, mut many) = (0, 127 - (high - low).leading_zeros());
            while few < many {
                let bits = (few + many) / 2;
                if works(low + (1 << bits)) {
                    high = low + (1 << bits);
                    many = bits;
                } else {
                    few = bits + 1;
                }
            }
            if few > 0 && low + (1 << (few - 1)) < high {
                low += 1 << (few - 1);
            }
        } else {
            low = middle;
            let mut step = 1;
            while high - step > low {
                if !works(high - step) {
                    low = high - step;
                    break;
                }
                high -= step;
                step *= 2;
            }
        }
    }
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if works(middle) { high = middle } else { low = middle }
    }
    high
}

/// Moves two numbers towards zero by the same amount, or one towards zero by as much as the other moves away.
fn lower_pairs<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    let numbers = |shrinker: &Shrinker<'_, O>| -> Vec<usize> {
        let choices = shrinker.best.choices.iter().enumerate();
        choices.filter(|(_, c)| c.shape.kind == Kind::Int).map(|(at, _)| at).collect()
    };
    let mut first = 0;
    loop {
        let places = numbers(shrinker);
        if first >= places.len() {
            return;
        }
        for distance in 1..=4 {
            let places = numbers(shrinker);
            let (Some(&a), Some(&b)) = (places.get(first), places.get(first + distance)) else {
                break;
            };
            if shrinker.best.choices[a].value == 0 {
                break;
            }
            flip(shrinker, a, b);
            pair(shrinker, a, b, true);
            pair(shrinker, a, b, false);
        }
        first += 1;
    }
}

/// Turns a negative number positive, and the other number around with it.
fn flip<O: Oracle>(shrinker: &mut Shrinker<'_, O>, a: usize, b: usize) {
    let choices = &shrinker.best.choices;
    let (x, y) = (choices[a].offset(), choices[b].offset());
    if x >= 0 {
        return;
    }
    // The far end of a type has no twin: its neighbour must do.
    let turned = choices[b].at_offset(-y).or_else(|| choices[b].at_offset(-y + y.signum()));
    if let (Some(first), Some(second)) = (choices[a].at_offset(-x), turned) {
        shrinker.consider_with(&[(a, first), (b, second)]);
    }
}

/// Lowers the number at `a` by an amount, and moves the one at `b` by the same amount, in the same direction if `together`,
/// otherwise so that their sum stays.
fn pair<O: Oracle>(shrinker: &mut Shrinker<'_, O>, a: usize, b: usize, together: bool) {
    // (An edit before may have made the record shorter.)
    let choices = &shrinker.best.choices;
    let (Some(x), Some(y)) = (choices.get(a).map(Choice::offset), choices.get(b).map(Choice::offset)) else {
        return;
    };
    if x == 0 {
        return;
    }
    let direction = -x.signum();
    let moved = |shrinker: &mut Shrinker<'_, O>, amount: i128| {
        let step = direction * amount;
        let choices = &shrinker.best.choices;
        let other = if together { y + step } else { y - step };
        let offset =
            |place: usize, offset: i128| choices.get(place).and_then(|choice| choice.at_offset(offset));
        match (offset(a, x + step), offset(b, other)) {
            (Some(first), Some(second)) => shrinker.consider_with(&[(a, first), (b, second)]),
            _ => false,
        }
    };
    let most = if together {
        x.abs().min(if y.signum() == x.signum() { y.abs() } else { x.abs() })
    } else {
        x.abs()
    };
    if moved(shrinker, most) || most < 2 || !moved(shrinker, 1) {
        return;
    }
    // The amount left over, bisected.
    bisect(0, most - 1, |rest| moved(shrinker, most - rest));
}

/// Sorts neighbouring elements of lists and neighbouring spans of one label.
fn reorder<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    let mut list = 0;
    loop {
        let all = lists(&shrinker.best.choices);
        let Some(places) = all.get(list) else { break };
        let elements: Vec<(usize, usize)> = places.windows(2).map(|w| (w[0], w[1])).collect();
        sort_chunks(shrinker, &elements);
        list += 1;
    }
    // Spans that follow each other, such as the arguments of a property.
    let mut at = 0;
    while at < shrinker.best.spans.len() {
        let span = shrinker.best.spans[at];
        let mut siblings = vec![span];
        for next in &shrinker.best.spans[at + 1..] {
            let last = siblings[siblings.len() - 1];
            if next.depth < span.depth || next.start > last.end {
                break;
            }
            if next.depth == span.depth && next.start == last.end && next.label == span.label {
                siblings.push(*next);
            }
        }
        if siblings.len() > 1 {
            let chunks: Vec<(usize, usize)> =
                siblings.iter().map(|s| (s.start as usize, s.end as usize)).collect();
            sort_chunks(shrinker, &chunks);
        }
        at += 1;
    }
}

/// Sorts chunks that follow each other: all at once, else one swap at a time.
fn sort_chunks<O: Oracle>(shrinker: &mut Shrinker<'_, O>, chunks: &[(usize, usize)]) {
    let take = |shrinker: &Shrinker<'_, O>, &(start, end): &(usize, usize)| -> Vec<Choice> {
        shrinker.best.choices.get(start..end).unwrap_or_default().to_vec()
    };
    let key =
        |chunk: &Vec<Choice>| -> (usize, Vec<u64>) { (chunk.len(), chunk.iter().map(|c| c.value).collect()) };
    let parts: Vec<Vec<Choice>> = chunks.iter().map(|chunk| take(shrinker, chunk)).collect();
    if parts.is_sorted_by_key(key) {
        return;
    }
    let mut sorted = parts.clone();
    sorted.sort_by_key(key);
    let mut choices = shrinker.best.choices.clone();
    choices.splice(chunks[0].0..chunks[chunks.len() - 1].1, sorted.concat());
    if shrinker.consider(&choices) {
        return;
    }
    let mut parts = parts;
    for i in 1..parts.len() {
        let mut j = i;
        while j > 0 && key(&parts[j - 1]) > key(&parts[j]) {
            parts.swap(j - 1, j);
            let mut choices = shrinker.best.choices.clone();
            let end = chunks[chunks.len() - 1].1.min(choices.len());
            choices.splice(chunks[0].0..end, parts.concat());
            if !shrinker.consider(&choices) {
                parts.swap(j - 1, j);
                break;
            }
            j -= 1;
        }
    }
}

/// Deletes an element of a list and adds its number to the next one.
fn merge<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    let mut list = 0;
    loop {
        let all = lists(&shrinker.best.choices);
        let Some(places) = all.get(list) else { return };
        let mut at = 0;
        let mut places = places.clone();
        while at + 2 < places.len() {
            let merged = [0, 1].into_iter().any(|more| match merged(shrinker, &places[at..at + 3], more) {
                Some(choices) => shrinker.consider(&choices),
                None => false,
            });
            if merged {
                let all = lists(&shrinker.best.choices);
                let Some(now) = all.get(list) else { return };
                places = now.clone();
            } else {
                at += 1;
            }
        }
        list += 1;
    }
}

/// The best case without the first of two elements (which begin and end at these places), its number added to that of the second.
/// Elements of several choices must agree in all others; since their numbers may count from 1, the sum may be `more`.
fn merged<O: Oracle>(shrinker: &Shrinker<'_, O>, places: &[usize], more: i128) -> Option<Vec<Choice>> {
    let &[start, middle, end] = places else { return None };
    let choices = &shrinker.best.choices;
    let (first, second) = (choices.get(start..middle)?, choices.get(middle..end)?);
    let is_number = |choice: &Choice| choice.shape.kind == Kind::Int;
    let place = if is_number(first.get(1)?) && is_number(second.get(1)?) {
        1
    } else {
        let place = first.iter().position(is_number)?;
        let same = |i: usize| i == place || first[i].value == second[i].value;
        let alike = first.len() == second.len() && is_number(&second[place]) && (1..first.len()).all(same);
        alike.then_some(place)?
    };
    if more > 0 && place == 1 {
        return None;
    }
    // Sums that leave the range come back in at the other end, as machine integers do.
    let sum = first[place].offset() + second[place].offset() + more;
    let around = i128::from(second[place].shape.max) + 1;
    let wrapped = [sum, sum - around, sum + around];
    let value = wrapped.into_iter().find_map(|sum| second[place].at_offset(sum))?;
    let mut choices = choices.clone();
    choices[middle + place].value = value;
    choices.drain(start..middle);
    Some(choices)
}

/// Lowers a number by one and deletes something after it: a length or a count, and one of the things counted.
fn lower_and_delete<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    // Where so much was tried in vain, most of it is more of the same: a long case has numbers and things without number.
    const MISSES_MAX: u32 = 1000;
    let (mut at, mut misses) = (0, 0);
    while at < shrinker.best.choices.len() {
        let choice = shrinker.best.choices[at];
        if choice.value > 0 && !matches!(choice.shape.kind, Kind::Float | Kind::Char | Kind::More) {
            let mut start = at + 1;
            // Not everywhere in a long case: what is counted is usually near.
            while start < shrinker.best.choices.len().min(at + 64) && at < shrinker.best.choices.len() {
                let span = shrinker.best.spans.iter().find(|s| s.start as usize == start && s.end > s.start);
                // An element of a list goes with the choice before it.
                let element = element_at(&shrinker.best.choices, start);
                let end = element.or(span.map(|s| s.end as usize)).unwrap_or(start + 1);
                let mut choices = shrinker.best.choices.clone();
                choices[at].value = choices[at].value.saturating_sub(1);
                choices.drain(start..end.min(choices.len()));
                if shrinker.consider(&choices) {
                    misses = 0;
                } else {
                    (start, misses) = (start + 1, misses + 1);
                }
                if misses > MISSES_MAX {
                    return;
                }
                if shrinker.best.choices.get(at).is_none_or(|c| c.value == 0) {
                    break;
                }
            }
        }
        at += 1;
    }
}

/// Deletes an element of a list and lowers every larger number: elements that name each other by their place.
fn delete_and_renumber<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    let mut list = 0;
    loop {
        let all = lists(&shrinker.best.choices);
        let Some(places) = all.get(list) else { return };
        let mut element = places.len() - 1;
        while element > 0 {
            element -= 1;
            let all = lists(&shrinker.best.choices);
            let Some(places) = all.get(list).filter(|p| element + 1 < p.len()) else {
                break;
            };
            let mut choices = shrinker.best.choices.clone();
            let end = places[places.len() - 1];
            let mut changed = false;
            for choice in &mut choices[places[0]..end] {
                if choice.shape.kind == Kind::Int && choice.value > element as u64 {
                    choice.value -= 1;
                    changed = true;
                }
            }
            choices.drain(places[element]..places[element + 1]);
            if changed {
                shrinker.consider(&choices);
            }
        }
        list += 1;
    }
}

/// Deletes one to three choices anywhere.
fn delete_any<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    for size in [2, 1, 3] {
        let mut start = 0;
        while start + size <= shrinker.best.choices.len() {
            let last = (shrinker.best.choices.len() - size).min(start + shrinker.oracle.width() - 1);
            let batch: Vec<Vec<Choice>> = (start..=last).map(|at| shrinker.without(at, at + size)).collect();
            start += shrinker.consider_first(&batch).unwrap_or(batch.len());
        }
    }
}

/// Lowers numbers past values that do not fail: what fails need not be everything above a bound, it may be every tenth number.
fn lower_past_gaps<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    const NUMBERS: usize = 16;
    let mut seen = 0;
    for at in 0..shrinker.best.choices.len() {
        let Some(choice) = shrinker.best.choices.get(at).copied() else {
            return;
        };
        if choice.value < 2 || choice.shape.kind != Kind::Int {
            continue;
        }
        seen += 1;
        if seen > NUMBERS {
            return;
        }
        lower_past_gaps_at(shrinker, at, choice);
    }
}

fn lower_past_gaps_at<O: Oracle>(shrinker: &mut Shrinker<'_, O>, at: usize, choice: Choice) {
    const GAP: i128 = 8;
    const GAP_LARGE: i128 = 16;
    let sign = choice.offset().signum();
    let size = |shrinker: &Shrinker<'_, O>| shrinker.best.choices.get(at).map_or(0, |c| c.offset().abs());
    let set = |shrinker: &mut Shrinker<'_, O>, size: i128| {
        choice.at_offset(sign * size).is_some_and(|value| shrinker.consider_with(&[(at, value)]))
    };
    let before = size(shrinker);
    // The last digits alone, binary or decimal: remainders stay what they are.
    if before > 1000 {
        let ends = [10i128, 2].into_iter().flat_map(|base| {
            (1..64).map_while(move |digits| base.checked_pow(digits).filter(|power| *power < before))
        });
        for power in ends {
            if before % power > 0 && set(shrinker, before % power) {
                break;
            }
        }
    }
    round_off(before, |rounder| set(shrinker, rounder));
    let before = size(shrinker);
    let gap = if before > 1000 { GAP_LARGE } else { GAP };
    if (2..=gap.min(before)).any(|step| set(shrinker, before - step)) {
        // There are others below: numbers are looked at a few at a time.
        let few = 2 * gap;
        bisect(-1, size(shrinker) / few, |block| {
            (block * few..(block + 1) * few).any(|near| near < size(shrinker) && set(shrinker, near))
        });
    }
}

/// The smallest power of ten or two that works, for a number that is round in the same way.
fn round_off(number: i128, mut works: impl FnMut(i128) -> bool) {
    for (base, round) in [(10i128, 1000), (2, 1024)] {
        if number >= round && number % round == 0 {
            let powers = (0..64).map_while(|digits| base.checked_pow(digits));
            if powers.take_while(|power| *power < number).any(&mut works) {
                return;
            }
        }
    }
}

/// Removes several elements of a list at once, where none and no half can be removed: from its end and from its beginning.
fn delete_several<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    const ELEMENTS_MIN: usize = 10;
    let mut list = 0;
    while let Some(places) = lists(&shrinker.best.choices).get(list) {
        list += 1;
        let elements = places.len() - 1;
        if elements < ELEMENTS_MIN {
            continue;
        }
        for size in (2..elements.min(64)).rev() {
            let all = lists(&shrinker.best.choices);
            let Some(places) = all.get(list - 1).filter(|places| places.len() - 1 > size) else { continue };
            let last = places.len() - 1;
            let end = shrinker.without(places[last - size], places[last]);
            let beginning = shrinker.without(places[0], places[size]);
            if shrinker.consider(&end) || shrinker.consider(&beginning) {
                break;
            }
        }
    }
}

/// Removes two elements of a short list that stand apart, where none can go alone: what one has done the other undoes.
fn delete_apart<O: Oracle>(shrinker: &mut Shrinker<'_, O>) {
    const ELEMENTS_MAX: usize = 16;
    let mut list = 0;
    while let Some(places) = lists(&shrinker.best.choices).get(list) {
        list += 1;
        let elements = places.len() - 1;
        if !(3..=ELEMENTS_MAX).contains(&elements) {
            continue;
        }
        let pairs = (0..elements).flat_map(|first| (first + 2..elements).map(move |second| (first, second)));
        let is_removed = pairs.into_iter().any(|(first, second)| {
            let mut choices = shrinker.without(places[second], places[second + 1]);
            choices.drain(places[first]..places[first + 1]);
            shrinker.consider(&choices)
        });
        if is_removed {
            return;
        }
    }
}
