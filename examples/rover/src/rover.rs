//! The rover: a planner and a controller, what they say to each other, and their timers.

use crate::bug::Bug;
use crate::controller::Controller;
use crate::message::{Input, Output};
use crate::planner::Planner;
use crate::time::Time;

/// A rover in virtual time.
#[derive(Debug)]
pub(crate) struct Rover {
    bug: Option<Bug>,
    now: Time,
    planner: Planner,
    controller: Controller,
    said: Vec<(Time, Output)>,
}

impl Rover {
    /// A rover at the start of time, parked; with one bug, if so wished.
    pub(crate) fn new(bug: Option<Bug>) -> Self {
        let (planner, controller) = (Planner::new(bug), Controller::new(bug));
        Self { bug, now: Time::START, planner, controller, said: Vec::new() }
    }

    /// Back to the start. What was not taken yet is forgotten.
    pub(crate) fn reset(&mut self) {
        *self = Self::new(self.bug);
    }

    /// Takes a message at a time: after the timers due before, before the timers due then. A message that means
    /// nothing to the rover is `None`; time passes all the same. `false` if that time is over, and then nothing
    /// happens.
    #[must_use]
    pub(crate) fn hear(&mut self, at: Time, input: Option<Input>) -> bool {
        if at < self.now {
            return false;
        }
        self.fire_while(|due| due < at);
        self.now = at;
        let mut out = Vec::new();
        match input {
            Some(Input::Laser(dist)) => self.controller.hear_laser(at, dist, &mut out),
            Some(Input::Position(position)) => self.planner.hear_position(at, position, &mut out),
            Some(Input::Goal(goal)) => self.planner.hear_goal(at, goal, &mut out),
            Some(Input::Bumper { side, pressed }) => self.controller.hear_bumper(at, side, pressed, &mut out),
            Some(Input::Mode(mode)) => self.controller.hear_mode(at, mode, &mut out),
            None => {}
        }
        self.say(out);
        true
    }

    /// Fires all timers due by then. A time that is over changes nothing.
    pub(crate) fn advance_to(&mut self, at: Time) {
        self.fire_while(|due| due <= at);
        self.now = self.now.max(at);
    }

    /// When something happens next, if nothing is heard.
    pub(crate) fn next_timer(&self) -> Option<Time> {
        [self.planner.next_timer(), self.controller.next_timer()].into_iter().flatten().min()
    }

    /// What was said since the last call, and when.
    pub(crate) fn take_said(&mut self) -> Vec<(Time, Output)> {
        std::mem::take(&mut self.said)
    }

    fn fire_while(&mut self, is_wanted: impl Fn(Time) -> bool) {
        while let Some(due) = self.next_timer().filter(|due| is_wanted(*due)) {
            self.now = due;
            let mut out = Vec::new();
            if self.planner.next_timer() == Some(due) {
                self.planner.fire(&mut out);
            } else {
                self.controller.fire(due, &mut out);
            }
            self.say(out);
        }
    }

    /// Says it to the world, and to the controller, which listens to the planner and knows its own messages.
    fn say(&mut self, out: Vec<Output>) {
        for output in out {
            self.controller.hear_planner(self.now, output);
            self.said.push((self.now, output));
        }
    }
}
