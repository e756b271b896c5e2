//! Valves: a right one, and four as they may well be built.

/// Opens when the last two measurements were high, and closes when the pressure is low again.
pub fn right() -> impl FnMut(i32) -> bool {
    let (mut times, mut is_open) = (0, false);
    move |pressure| {
        is_open = times >= 2 || is_open && pressure >= 10;
        times = if pressure > 10 { times + 1 } else { 0 };
        is_open
    }
}

/// Waits for a third measurement, to be sure.
pub fn hesitant() -> impl FnMut(i32) -> bool {
    let (mut times, mut is_open) = (0, false);
    move |pressure| {
        is_open = times >= 3 || is_open && pressure >= 10;
        times = if pressure > 10 { times + 1 } else { 0 };
        is_open
    }
}

/// Closes as soon as the pressure is not high any more; it is not low yet.
pub fn impatient() -> impl FnMut(i32) -> bool {
    let (mut times, mut is_open) = (0, false);
    move |pressure| {
        is_open = times >= 2 || is_open && pressure > 10;
        times = if pressure > 10 { times + 1 } else { 0 };
        is_open
    }
}

/// Takes 10 for too high.
pub fn anxious() -> impl FnMut(i32) -> bool {
    let (mut times, mut is_open) = (0, false);
    move |pressure| {
        is_open = times >= 2 || is_open && pressure >= 10;
        times = if pressure >= 10 { times + 1 } else { 0 };
        is_open
    }
}

/// Saves steam: it is never open for more than five measurements.
pub fn thrifty() -> impl FnMut(i32) -> bool {
    let (mut times, mut open_for) = (0, 0);
    move |pressure| {
        let stays_open = (1..5).contains(&open_for) && pressure >= 10;
        open_for = if times == 2 || stays_open { open_for + 1 } else { 0 };
        times = if pressure > 10 { times + 1 } else { 0 };
        open_for > 0
    }
}
