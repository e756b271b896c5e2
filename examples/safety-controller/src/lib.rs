//! A robot on two wheels has three bumpers, three sensors that look for cliffs, and two that tell whether a wheel hangs in the air. Its safety
//! controller hears them, and ten times a second it overrules whoever drives, if there is a reason to:
//!
//! 1. A wheel has dropped: the robot stands still.
//! 2. The bumper in the middle is pressed, or there is a cliff: it backs off.
//! 3. The same on the left, or else on the right: it backs off and turns away.
//!
//! The controller is built after the one of the Kobuki robot.

use gainsay::Case;
use gainsay_msg::{EmbeddedBus, Message, Node, Outbox, SystemFile, Value, message};
use std::path::Path;

/// The bumpers say who is pressed.
pub const BUMPER: &str = "/mobile_base/events/bumper";
/// The sensors of cliffs say who sees one.
pub const CLIFF: &str = "/mobile_base/events/cliff";
/// The wheels say who has dropped.
pub const WHEEL_DROP: &str = "/mobile_base/events/wheel_drop";
/// The controller begins to overrule again.
pub const ENABLE: &str = "/kobuki_safety_controller/enable";
/// The controller overrules nobody.
pub const DISABLE: &str = "/kobuki_safety_controller/disable";
/// The controller forgets all that it has heard of sensors.
pub const RESET: &str = "/kobuki_safety_controller/reset";
/// What the controller wants the robot to do.
pub const VELOCITY: &str = "/cmd_vel_mux/safety_controller";

const MS: u64 = 1_000_000;
/// Nanoseconds between two ticks.
const PERIOD: u64 = 100 * MS;
/// Metres a second.
const SPEED_BACK: f64 = -0.1;
/// Radians a second.
const TURN: f64 = 0.4;

const LEFT: usize = 0;
const CENTRE: usize = 1;
const RIGHT: usize = 2;

/// The safety controller. It begins enabled, and nothing is the matter.
#[derive(Debug, Clone)]
pub struct SafetyController {
    is_enabled: bool,
    /// One flag for both wheels: the bug.
    is_forgetful: bool,
    sensors: Sensors,
    tick_at: u64,
}

/// What each of the sensors said last.
#[derive(Debug, Clone, Default)]
struct Sensors {
    dropped: [bool; 2],
    pressed: [bool; 3],
    cliffs: [bool; 3],
}

impl SafetyController {
    /// A controller whose first tick is so many milliseconds after the start.
    pub fn new(first_tick_ms: u64) -> SafetyController {
        let (sensors, tick_at) = (Sensors::default(), first_tick_ms * MS);
        SafetyController { is_enabled: true, is_forgetful: false, sensors, tick_at }
    }

    /// One with a bug: it remembers what was said of wheels, but not of which one.
    pub fn forgetful(first_tick_ms: u64) -> SafetyController {
        SafetyController { is_forgetful: true, ..SafetyController::new(first_tick_ms) }
    }

    /// A bus with a controller whose first tick is anywhere in a period.
    pub fn bus(make: fn(u64) -> SafetyController) -> EmbeddedBus {
        EmbeddedBus::of_node(move |case: &mut Case| make(case.int(0..=99u64)))
    }
}

/// The controller's channels, and what must hold of them.
///
/// # Panics
/// If something is wrong with `system.toml` or `safety.hpl`.
pub fn system() -> SystemFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("system.toml");
    match SystemFile::read(&path) {
        Ok((file, _)) => file,
        Err(troubles) => panic!("{troubles}"),
    }
}

impl Sensors {
    /// The speed and the turn that are called for, if any are.
    fn velocity(&self) -> Option<(f64, f64)> {
        let is_there = |side: usize| self.pressed[side] || self.cliffs[side];
        if self.dropped.contains(&true) {
            Some((0.0, 0.0))
        } else if is_there(CENTRE) {
            Some((SPEED_BACK, 0.0))
        } else if is_there(LEFT) {
            Some((SPEED_BACK, -TURN))
        } else if is_there(RIGHT) {
            Some((SPEED_BACK, TURN))
        } else {
            None
        }
    }
}

impl Node for SafetyController {
    fn subscribes(&self, channel: &str) -> bool {
        channel != VELOCITY
    }

    fn receive(&mut self, message: &Message, _: &mut Outbox) {
        let is_set = whole(message, "state") == Some(1);
        let sensors = &mut self.sensors;
        let (flags, which): (&mut [bool], &str) = match &*message.channel {
            BUMPER => (&mut sensors.pressed, "bumper"),
            CLIFF => (&mut sensors.cliffs, "sensor"),
            WHEEL_DROP => (&mut sensors.dropped, "wheel"),
            ENABLE => return self.is_enabled = true,
            DISABLE => return self.is_enabled = false,
            RESET => return *sensors = Sensors::default(),
            _ => return,
        };
        let place = whole(message, which);
        if self.is_forgetful && *message.channel == *WHEEL_DROP {
            flags.fill(is_set);
        } else if let Some(flag) = place.and_then(|place| flags.get_mut(place)) {
            *flag = is_set;
        }
    }

    fn wake_at(&self) -> Option<u64> {
        Some(self.tick_at)
    }

    fn wake(&mut self, _: u64, out: &mut Outbox) {
        self.tick_at += PERIOD;
        if let Some((speed, turn)) = self.sensors.velocity().filter(|_| self.is_enabled) {
            let vector = |x: f64, z: f64| message([("x", x.into()), ("y", 0.0.into()), ("z", z.into())]);
            out.publish(VELOCITY, message([("linear", vector(speed, 0.0)), ("angular", vector(0.0, turn))]));
        }
    }
}

/// A field that is a whole number.
fn whole(message: &Message, field: &str) -> Option<usize> {
    match message.value.at(field)? {
        Value::Int(whole) => usize::try_from(*whole).ok(),
        _ => None,
    }
}
