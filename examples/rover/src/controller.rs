//! The controller turns the wheels. A loop gives a velocity ten times a second while the rover is not parked.
//! It starts to move only in that loop, but it stops at once.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::bug::Bug;
use crate::message::{Alarm, Lamp, Mode, Output};
use crate::time::Time;

/// How often the loop gives a velocity.
const PERIOD: Duration = Duration::from_millis(100);
/// Metres a second.
const SPEED_CRUISE: f64 = 0.5;
const SPEED_CREEP: f64 = 0.2;
const SPEED_BACK: f64 = -0.1;
/// An obstacle at this distance, in centimetres, or less is near: the rover stands while there is one.
const NEAR_CM: f64 = 40.0;
/// An obstacle nearer than this is a danger: the rover stands for a while, whatever is measured next.
const DANGER_CM: f64 = 20.0;
const DANGER_HOLD: Duration = Duration::from_millis(500);
/// So long does the rover creep at least.
const CREEP_HOLD: Duration = Duration::from_millis(1000);
/// So long does the rover drive backward when it has hit something.
const BACK_OFF: Duration = Duration::from_millis(300);
/// So long may the laser be silent.
const LASER_SILENCE_MAX: Duration = Duration::from_millis(1000);

/// The state of the controller.
#[derive(Debug)]
pub(crate) struct Controller {
    bug: Option<Bug>,
    mode: Mode,
    is_parked: bool,
    was_parked: bool,
    /// When the loop gives its next velocity; `None` while it stands.
    loop_at: Option<Time>,
    /// When the laser is lost, if it stays silent.
    laser_lost_at: Option<Time>,
    laser_last: Option<f64>,
    is_near: bool,
    pressed: BTreeSet<u8>,
    bearing: f64,
    creeps_until: Time,
    danger_until: Time,
    holds_until: Time,
    backs_until: Time,
}

impl Controller {
    pub(crate) fn new(bug: Option<Bug>) -> Self {
        Self {
            bug,
            mode: Mode::Parked,
            is_parked: true,
            was_parked: false,
            loop_at: None,
            laser_lost_at: None,
            laser_last: None,
            is_near: false,
            pressed: BTreeSet::new(),
            bearing: 0.0,
            creeps_until: Time::START,
            danger_until: Time::START,
            holds_until: Time::START,
            backs_until: Time::START,
        }
    }

    pub(crate) fn next_timer(&self) -> Option<Time> {
        [self.laser_lost_at, self.loop_at].into_iter().flatten().min()
    }

    pub(crate) fn hear_mode(&mut self, now: Time, mode: Mode, out: &mut Vec<Output>) {
        self.mode = mode;
        out.push(Output::State(mode));
        match mode {
            Mode::Parked => {
                self.park(out);
                out.push(Output::Lamp(Lamp::Off));
            }
            Mode::Creep => {
                self.creep(now);
                self.wake(now);
                out.push(Output::Lamp(Lamp::Amber));
            }
            Mode::Cruise => {
                self.wake(now);
                out.push(Output::Lamp(Lamp::Green));
            }
        }
    }

    pub(crate) fn hear_laser(&mut self, now: Time, dist: f64, out: &mut Vec<Output>) {
        self.feed_watchdog(now, dist);
        self.is_near = dist < NEAR_CM || dist == NEAR_CM && self.bug != Some(Bug::LimitLeftOut);
        if dist < DANGER_CM {
            self.danger_until = now + DANGER_HOLD;
        } else if !self.is_near && self.bug == Some(Bug::ClearViewLiftsHold) {
            self.danger_until = now;
        }
        if self.is_near {
            out.push(Output::STOP);
        }
        self.start_loop(now);
    }

    pub(crate) fn hear_bumper(&mut self, now: Time, side: u8, pressed: bool, out: &mut Vec<Output>) {
        if pressed {
            if self.bug == Some(Bug::LastBumperOnly) {
                self.pressed.clear();
            }
            self.pressed.insert(side);
            let adds_up = self.bug == Some(Bug::BackingOffAddsUp);
            let start = if adds_up { self.backs_until.max(now) } else { now };
            self.backs_until = start + BACK_OFF;
            out.extend([Output::STOP, Output::Alarm(Alarm::Collision), Output::Lamp(Lamp::Red)]);
        } else {
            self.pressed.remove(&side);
        }
    }

    /// Takes what the planner says, if it is for the controller.
    pub(crate) fn hear_planner(&mut self, now: Time, message: Output) {
        match message {
            Output::Plan { bearing, .. } => {
                self.bearing = bearing;
                self.start_loop(now);
            }
            Output::Hold { for_ms } => {
                self.holds_until = self.holds_until.max(now + Duration::from_millis(for_ms.into()));
            }
            _ => {}
        }
    }

    /// Fires one of the timers that are due now.
    pub(crate) fn fire(&mut self, now: Time, out: &mut Vec<Output>) {
        if self.laser_lost_at == Some(now) {
            self.laser_lost_at = None;
            // A blind rover does not drive: the loop stands until there is a measurement, a plan or a mode.
            self.loop_at = None;
            out.extend([Output::STOP, Output::Alarm(Alarm::LaserLost), Output::Lamp(Lamp::Red)]);
        } else if self.loop_at == Some(now) {
            self.loop_at = Some(now + PERIOD);
            out.push(self.velocity(now));
        }
    }

    fn velocity(&self, now: Time) -> Output {
        let is_held = now < self.danger_until || now < self.holds_until;
        if now < self.backs_until {
            Output::Velocity { speed: SPEED_BACK, turn: 0.0 }
        } else if is_held || self.is_near || !self.pressed.is_empty() {
            Output::STOP
        } else {
            let creeps = self.mode == Mode::Creep || now < self.creeps_until;
            let speed = if creeps { SPEED_CREEP } else { SPEED_CRUISE };
            Output::Velocity { speed, turn: self.bearing.clamp(-1.0, 1.0) }
        }
    }

    fn park(&mut self, out: &mut Vec<Output>) {
        if !(self.was_parked && self.bug == Some(Bug::ParksOnce)) {
            self.is_parked = true;
        }
        self.was_parked = true;
        self.loop_at = None;
        self.laser_lost_at = None;
        out.push(Output::STOP);
    }

    fn wake(&mut self, now: Time) {
        self.is_parked = false;
        self.start_loop(now);
    }

    fn creep(&mut self, now: Time) {
        let lasts = now < self.creeps_until;
        if !(lasts && self.bug == Some(Bug::CreepNotProlonged)) {
            self.creeps_until = now + CREEP_HOLD;
        }
    }

    fn start_loop(&mut self, now: Time) {
        if !self.is_parked && self.loop_at.is_none() {
            self.loop_at = Some(now + PERIOD);
        }
    }

    fn feed_watchdog(&mut self, now: Time, dist: f64) {
        let is_same = self.laser_last.replace(dist) == Some(dist);
        let is_dropped = is_same && self.bug == Some(Bug::SameAgainDropped);
        if !self.is_parked && !is_dropped {
            self.laser_lost_at = Some(now + LASER_SILENCE_MAX);
        }
    }
}
