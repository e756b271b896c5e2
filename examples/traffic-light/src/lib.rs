//! A traffic light for pedestrians, and what is demanded of it.

pub mod button;
pub mod light;

use gainsay::temporal::{Atom, Event, Formula, actor, always, async_stream, atom, eventually, historically};
use gainsay::{Verdict, settings};
use light::{Color, Lights, Mistake, Press};
use std::time::Duration;

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// What goes in and comes out.
type Seen = Event<Press, Lights>;

/// The lights are so.
fn shows(name: &str, is_so: fn(&Lights) -> bool) -> Atom<Seen> {
    atom(name, move |event: &Seen| event.output().is_some_and(is_so))
}

/// Nobody walks while cars may drive.
pub fn is_safe() -> Formula<Seen> {
    always(!shows("people and cars", |lights| lights.walk && lights.cars != Color::Red))
}

/// Whoever presses may walk within thirty seconds.
pub fn answers() -> Formula<Seen> {
    let pressed = atom("pressed", |event: &Seen| event.input().is_some());
    let walks = eventually(shows("walk", |lights| lights.walk)).within(seconds(0)..=seconds(30));
    always(pressed.implies(walks))
}

/// Cars have three seconds to stop.
pub fn warns() -> Formula<Seen> {
    let short = seconds(0)..=seconds(3) - Duration::from_millis(1);
    let no_red = always(!shows("red", |lights| lights.cars == Color::Red)).within(short);
    always(shows("yellow", |lights| lights.cars == Color::Yellow).implies(no_red))
}

/// A press that comes half a second after the last one that counted counts.
pub fn is_heard() -> Formula<Event<Press, Press>> {
    let pressed = atom("pressed", |event: &Event<Press, Press>| event.input().is_some());
    let counted = atom("counted", |event: &Event<Press, Press>| event.output().is_some());
    let none_before = historically(!counted.clone()).within(Duration::ZERO..=button::PAUSE);
    let at_once = eventually(counted).within(Duration::ZERO..=Duration::ZERO);
    always((none_before & pressed).implies(at_once))
}

/// The verdict on a light.
pub fn tested(mistake: Mistake, seed: u64) -> Verdict {
    actor("light", move |presses, lights| light::light(mistake, presses, lights))
        .among(|_| Press)
        .delays(|case| Duration::from_millis(500 * case.int(0..=60)))
        .length(0..=8)
        .expect_events(is_safe())
        .expect_events(answers())
        .expect_events(warns())
        .settings(settings().seed(seed).without_corpus())
        .verdict()
}

/// The verdict on a button: the right one, or the one that takes offence.
pub fn button_tested(is_offended: bool, seed: u64) -> Verdict {
    let test = match is_offended {
        false => async_stream("button", button::debounced),
        true => async_stream("button", button::offended),
    };
    test.among(|_| Press)
        .delays(|case| Duration::from_millis(100 * case.int(0..=20)))
        .expect_events(is_heard())
        .settings(settings().seed(seed).without_corpus())
        .verdict()
}
