//! A lift with eight floors. It answers calls one after the other, waits with open doors, does not drive when it is
//! overloaded, and in a fire it goes to the ground floor and stays there.

use crate::{MS, Subject, whole};
use gainsay_msg::{Message, Node, Outbox, message};
use std::collections::VecDeque;

pub(crate) const SUBJECT: Subject = Subject {
    name: "lift",
    file: include_str!("lift.toml"),
    node: |bug| Box::new(Lift { bug, ..Lift::default() }),
    traces: [
        r#"0 /call {"floor":8}"#,
        r#"0 /call {"floor":2}
           2000 /mode {"mode":1}"#,
        r#"0 /call {"floor":0}
           1500 /obstacle {}
           2000 /obstacle {}
           2500 /obstacle {}
           3000 /obstacle {}
           4500 /obstacle {}"#,
        r#"0 /call {"floor":0}
           2600 /call {"floor":0}"#,
        r#"0 /mode {"mode":1}
           100 /mode {"mode":0}
           200 /mode {"mode":1}
           300 /call {"floor":3}"#,
    ],
};

const TOP: i64 = 7;
const KG_MAX: i64 = 400;
const STEP: u64 = 500 * MS;
const OPEN: u64 = 3_000 * MS;
const SPARED: u64 = 2_000 * MS;
const WAIT: u64 = 1_000 * MS;
/// So shortly before they close, the doors have begun to.
const CLOSING: u64 = 500 * MS;

#[derive(Default)]
struct Lift {
    bug: usize,
    floor: i64,
    calls: VecDeque<i64>,
    kg: i64,
    is_fire: bool,
    /// Fires so far.
    fires: usize,
    /// When the doors close, if they are open.
    open: Option<u64>,
    /// Obstacles since they were opened.
    obstacles: usize,
    /// Where it moves, and when it is at the next floor.
    moving: Option<(i64, u64)>,
}

impl Lift {
    fn target(&self) -> Option<i64> {
        if self.is_fire { Some(0) } else { self.calls.front().copied() }
    }

    fn door(&self, state: i64, out: &mut Outbox) {
        out.publish("/door", message([("state", state.into()), ("floor", self.floor.into())]));
    }

    fn motor(&mut self, direction: i64, now: u64, out: &mut Outbox) {
        self.moving = (direction != 0).then_some((direction, now + STEP));
        out.publish("/motor", message([("direction", direction.into())]));
    }

    fn open(&mut self, now: u64, out: &mut Outbox) {
        self.calls.retain(|floor| *floor != self.floor);
        self.obstacles = 0;
        self.open = Some(now + OPEN);
        self.door(1, out);
    }

    /// Sees what is to be done by a lift that stands with closed doors.
    fn proceed(&mut self, now: u64, out: &mut Outbox) {
        if self.open.is_some() || self.moving.is_some() {
            return;
        }
        match self.target() {
            None => {}
            Some(target) if target == self.floor || self.kg > KG_MAX => self.open(now, out),
            Some(target) => self.motor((target - self.floor).signum(), now, out),
        }
    }

    fn call(&mut self, floor: i64, now: u64, out: &mut Outbox) {
        let top = if self.bug == 1 { TOP + 1 } else { TOP };
        match self.open {
            Some(closes) if floor == self.floor => {
                if !(self.bug == 4 && closes <= now + CLOSING) {
                    self.open = Some(closes.max(now + OPEN));
                }
                self.door(1, out);
            }
            _ if self.is_fire || floor > top || self.calls.contains(&floor) => {}
            _ => self.calls.push_back(floor),
        }
        self.proceed(now, out);
    }

    fn mode(&mut self, is_fire: bool, now: u64, out: &mut Outbox) {
        if is_fire && !self.is_fire {
            self.fires += 1;
            if self.bug == 5 && self.fires > 1 {
                return;
            }
            self.calls.clear();
        }
        self.is_fire = is_fire;
        if self.bug == 2 && is_fire && self.open.is_some() && self.floor > 0 {
            self.motor(-1, now, out);
        }
        self.proceed(now, out);
    }

    fn obstacle(&mut self, now: u64) {
        self.obstacles += 1;
        if self.bug == 3 && self.obstacles > 4 {
            return;
        }
        self.open = self.open.map(|closes| closes.max(now + SPARED));
    }

    /// It is at the next floor.
    fn step(&mut self, direction: i64, now: u64, out: &mut Outbox) {
        self.floor += direction;
        out.publish("/at", message([("floor", self.floor.into())]));
        match self.target() {
            Some(target) if (target - self.floor).signum() == direction => {
                self.moving = Some((direction, now + STEP));
            }
            Some(target) if target != self.floor => {
                self.motor(0, now, out);
                self.proceed(now, out);
            }
            _ => {
                self.motor(0, now, out);
                self.open(now, out);
            }
        }
    }

    /// The doors close, if they may.
    fn close(&mut self, now: u64, out: &mut Outbox) {
        if self.kg > KG_MAX || self.is_fire && self.floor == 0 {
            self.open = Some(now + WAIT);
            return;
        }
        self.open = None;
        self.door(0, out);
        self.proceed(now, out);
    }
}

impl Node for Lift {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        match &*message.channel {
            "/call" => self.call(whole(message, "floor"), message.at, out),
            "/mode" => self.mode(whole(message, "mode") == 1, message.at, out),
            "/obstacle" => self.obstacle(message.at),
            _ => self.kg = whole(message, "kg"),
        }
    }

    fn wake_at(&self) -> Option<u64> {
        let next = self.moving.map(|(_, next)| next);
        [self.open, next].into_iter().flatten().min()
    }

    fn wake(&mut self, now: u64, out: &mut Outbox) {
        match self.moving {
            Some((direction, next)) if next <= now => self.step(direction, now, out),
            _ => self.close(now, out),
        }
    }
}
