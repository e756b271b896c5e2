//! What the rover hears and says.

use serde_json::{Value, json};

/// A place on the ground, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    pub(crate) const ORIGIN: Self = Self { x: 0.0, y: 0.0 };

    /// The distance to another place. It is finite, as JSON has no other numbers.
    pub(crate) fn distance(self, other: Self) -> f64 {
        (other.x - self.x).hypot(other.y - self.y).min(f64::MAX)
    }

    /// The direction of another place, in radians from the x axis.
    pub(crate) fn bearing(self, other: Self) -> f64 {
        (other.y - self.y).atan2(other.x - self.x)
    }
}

/// How the rover is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Not at all.
    Parked = 0,
    /// Slowly.
    Creep = 1,
    /// At full speed.
    Cruise = 2,
}

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Goal {
    pub(crate) id: u32,
    pub(crate) place: Point,
}

/// A message to the rover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Input {
    /// On `/laser`: the distance of the next obstacle in centimetres.
    Laser(f64),
    /// On `/position`: where the rover is.
    Position(Point),
    /// On `/goal`: where it should be.
    Goal(Goal),
    /// On `/bumper`: one of the bumpers was pressed or released.
    Bumper { side: u8, pressed: bool },
    /// On `/mode`: how it is to move from now on.
    Mode(Mode),
}

/// What is alarming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alarm {
    /// The laser was silent for too long.
    LaserLost = 1,
    /// Something was hit.
    Collision = 2,
}

/// The light on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lamp {
    Off = 0,
    Green = 1,
    Amber = 2,
    Red = 3,
}

/// A message from the rover, or from one of its parts to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Output {
    /// On `/ack`: the goal was heard.
    Ack { id: u32 },
    /// On `/plan`, planner to controller: go there, in this direction.
    Plan { goal: Goal, bearing: f64 },
    /// On `/hold`, planner to controller: stand still for a while.
    Hold { for_ms: u32 },
    /// On `/progress`: so far is it to the goal.
    Progress { goal: u32, distance: f64 },
    /// On `/arrived`: the rover stood at its goal for long enough.
    Arrived { id: u32 },
    /// On `/vel`: speed in metres a second, and turn in radians a second.
    Velocity { speed: f64, turn: f64 },
    /// On `/alarm`.
    Alarm(Alarm),
    /// On `/lamp`.
    Lamp(Lamp),
    /// On `/state`: the mode that was taken.
    State(Mode),
}

impl Output {
    /// Standing still.
    pub(crate) const STOP: Self = Self::Velocity { speed: 0.0, turn: 0.0 };

    /// The channel, and the message as it is sent there.
    pub(crate) fn to_json(self) -> (&'static str, Value) {
        match self {
            Self::Ack { id } => ("/ack", json!({ "id": id })),
            Self::Plan { goal, bearing } => {
                let Point { x, y } = goal.place;
                ("/plan", json!({ "goal": goal.id, "x": x, "y": y, "bearing": bearing }))
            }
            Self::Hold { for_ms } => ("/hold", json!({ "for_ms": for_ms })),
            Self::Progress { goal, distance } => ("/progress", json!({ "goal": goal, "distance": distance })),
            Self::Arrived { id } => ("/arrived", json!({ "id": id })),
            Self::Velocity { speed, turn } => {
                let linear = json!({ "x": speed, "y": 0.0, "z": 0.0 });
                let angular = json!({ "x": 0.0, "y": 0.0, "z": turn });
                ("/vel", json!({ "linear": linear, "angular": angular }))
            }
            Self::Alarm(alarm) => ("/alarm", json!({ "code": alarm as u8 })),
            Self::Lamp(lamp) => ("/lamp", json!({ "colour": lamp as u8 })),
            Self::State(mode) => ("/state", json!({ "mode": mode as u8 })),
        }
    }
}
