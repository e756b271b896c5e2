//! A boiler has a sensor of pressure, which measures again and again, and a valve, which must open when the pressure is too high.
//!
//! Three things are demanded of the valve:
//!
//! 1. When the pressure was above 10 twice in a row, the valve is open at the next measurement.
//! 2. Once it is open, it stays open until the pressure is below 10.
//! 3. If the pressure is never above 10, it never opens.

use gainsay::temporal::{Atom, Formula, StreamTest, always, atom, next, stream, weak_next, weak_until};

pub mod valves;

/// A measurement, and whether the valve is open then.
type Moment = (i32, bool);

/// The pressure is above 10.
pub fn high() -> Atom<i32> {
    atom("pressure > 10", |pressure: &i32| *pressure > 10).when_true(11..=20).when_false(0..=10)
}

fn open() -> Atom<bool> {
    atom("open", |open: &bool| *open)
}

/// What is demanded first, of measurements and valve together.
pub fn opens_in_time() -> Formula<Moment> {
    let high = atom("pressure > 10", |moment: &Moment| moment.0 > 10);
    let open = atom("open", |moment: &Moment| moment.1);
    always((high.clone() & next(high)).implies(next(weak_next(open))))
}

/// What is demanded second.
pub fn stays_open() -> Formula<Moment> {
    let low = atom("pressure < 10", |moment: &Moment| moment.0 < 10);
    let open = atom("open", |moment: &Moment| moment.1);
    always(open.clone().implies(weak_until(open, low)))
}

/// Tests of a valve by each demand.
pub fn demands<V: FnMut(i32) -> bool + 'static>(make: fn() -> V) -> [StreamTest<i32, bool>; 3] {
    let any = |name: &str| stream(name, make).among(|case| case.int(0..=20));
    [
        any("opens in time").expect_pairs(opens_in_time()),
        any("stays open").expect_pairs(stays_open()),
        stream("is not opened for nothing", make).given(always(!high())).expect(always(!open())),
    ]
}
