//! The planner knows where the rover is and where it should be. It tells the controller which way to go, and
//! when to stand still because the goal is reached.

use std::time::Duration;

use crate::bug::Bug;
use crate::message::{Goal, Output, Point};
use crate::time::Time;

/// So near, in metres, is there.
const REACH: f64 = 0.1;
/// So long must the rover stand at its goal until it has arrived.
const DWELL: Duration = Duration::from_millis(200);
/// So long does the controller hold when the goal is reached.
const HOLD_MS: u32 = 300;

/// The state of the planner.
#[derive(Debug)]
pub(crate) struct Planner {
    bug: Option<Bug>,
    position: Option<Point>,
    goal: Option<Goal>,
    /// When the rover will have arrived, if it stays.
    arrives_at: Option<Time>,
    /// The plan in force, and the one before. People send a rover to and fro, and plans are dear.
    plans: [Option<Plan>; 2],
}

#[derive(Clone, Copy, Debug)]
struct Plan {
    goal: Goal,
    bearing: f64,
}

impl Planner {
    pub(crate) fn new(bug: Option<Bug>) -> Self {
        let origin = Goal { id: 0, place: Point::ORIGIN };
        let goal = (bug == Some(Bug::OriginIsGoal)).then_some(origin);
        Self { bug, position: None, goal, arrives_at: None, plans: [None; 2] }
    }

    pub(crate) fn next_timer(&self) -> Option<Time> {
        self.arrives_at
    }

    /// A new goal replaces the old one.
    pub(crate) fn hear_goal(&mut self, now: Time, goal: Goal, out: &mut Vec<Output>) {
        let plan = self.plan_for(goal);
        self.plans = [Some(plan), self.plans[0]];
        self.goal = Some(goal);
        self.arrives_at = None;
        out.push(Output::Ack { id: goal.id });
        out.push(Output::Plan { goal: plan.goal, bearing: plan.bearing });
        if self.bug != Some(Bug::GoalUnderfootMissed) {
            self.check_arrival(now, out);
        }
    }

    pub(crate) fn hear_position(&mut self, now: Time, position: Point, out: &mut Vec<Output>) {
        self.position = Some(position);
        if let Some(goal) = self.goal {
            out.push(Output::Progress { goal: goal.id, distance: position.distance(goal.place) });
        }
        self.check_arrival(now, out);
    }

    /// The rover has stood at its goal for long enough; there is nothing more to reach.
    pub(crate) fn fire(&mut self, out: &mut Vec<Output>) {
        self.arrives_at = None;
        if let Some(goal) = self.goal.take() {
            out.push(Output::Arrived { id: goal.id });
        }
    }

    fn check_arrival(&mut self, now: Time, out: &mut Vec<Output>) {
        let (Some(position), Some(goal)) = (self.position, self.goal) else { return };
        if position.distance(goal.place) > REACH {
            self.arrives_at = None;
        } else if self.arrives_at.is_none() {
            self.arrives_at = Some(now + DWELL);
            out.push(Output::Hold { for_ms: HOLD_MS });
        }
    }

    fn plan_for(&self, goal: Goal) -> Plan {
        let by_id_only = self.bug == Some(Bug::PlanFoundById);
        let is_known = |plan: &Plan| plan.goal.id == goal.id && (by_id_only || plan.goal == goal);
        let start = self.position.unwrap_or(Point::ORIGIN);
        let anew = || Plan { goal, bearing: start.bearing(goal.place) };
        self.plans[1].filter(is_known).unwrap_or_else(anew)
    }
}
