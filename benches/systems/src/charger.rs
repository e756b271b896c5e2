//! A charger of batteries: a low current first, then a high one, then what is missing; none when the cell is hot, when
//! its voltage is too high, or when it is unplugged.

use crate::{MS, Subject, flag, whole};
use gainsay_msg::{Message, Node, Outbox, message};

pub(crate) const SUBJECT: Subject = Subject {
    name: "charger",
    file: include_str!("charger.toml"),
    node: |bug| Box::new(Charger { bug, limit: 1_000, ..Charger::default() }),
    traces: [
        r#"0 /config {"limit_ma":2005}
           100 /plug {"connected":true}
           200 /cell {"mv":3500,"temp":20}"#,
        r#"0 /plug {"connected":true}
           100 /cell {"mv":3500,"temp":50}
           200 /config {"limit_ma":500}"#,
        r#"0 /cell {"mv":3500,"temp":50}
           100 /cell {"mv":3500,"temp":40}
           200 /cell {"mv":3500,"temp":46}
           300 /cell {"mv":3500,"temp":30}
           400 /cell {"mv":3500,"temp":60}
           500 /plug {"connected":true}"#,
        r#"0 /plug {"connected":true}
           100 /cell {"mv":4150,"temp":20}
           1000 /plug {"connected":false}
           1100 /plug {"connected":true}
           1200 /cell {"mv":4150,"temp":20}"#,
        r#"0 /plug {"connected":true}
           100 /cell {"mv":4300,"temp":20}
           200 /plug {"connected":true}"#,
    ],
};

const STARTING: u64 = 4_000 * MS;
const TOPPING: u64 = 5_000 * MS;
const FAST_MAX: i64 = 2_000;

#[derive(Default, Clone, Copy, PartialEq)]
enum Phase {
    #[default]
    Idle,
    Pre,
    Fast,
    Topping,
    Done,
    Fault,
}

#[derive(Default)]
struct Charger {
    bug: usize,
    phase: Phase,
    limit: i64,
    /// What was said of the current.
    said: i64,
    is_hot: bool,
    /// How often it has become hot.
    heats: usize,
    /// The voltage was too high since it was plugged in.
    is_over: bool,
    start_ends: Option<u64>,
    topping_ends: Option<u64>,
}

impl Charger {
    fn current(&self) -> i64 {
        let limit_ends = if self.bug == 1 { FAST_MAX + 10 } else { FAST_MAX };
        match self.phase {
            _ if self.is_hot => 0,
            Phase::Pre => self.limit.min(100),
            Phase::Fast if self.limit < limit_ends => self.limit,
            Phase::Fast => FAST_MAX,
            Phase::Topping => self.limit.min(200),
            Phase::Idle | Phase::Done | Phase::Fault => 0,
        }
    }

    fn tell(&mut self, ma: i64, out: &mut Outbox) {
        if self.said != ma {
            self.said = ma;
            out.publish("/current", message([("ma", ma.into())]));
        }
    }

    fn enter(&mut self, phase: Phase, now: u64, out: &mut Outbox) {
        self.phase = phase;
        self.start_ends = (phase == Phase::Pre).then_some(now + STARTING);
        if self.bug != 4 {
            self.topping_ends = None;
        }
        if phase == Phase::Topping {
            self.topping_ends.get_or_insert(now + TOPPING);
        }
        out.publish("/phase", message([("phase", (phase as i64).into())]));
    }

    fn plug(&mut self, is_connected: bool, now: u64, out: &mut Outbox) {
        let is_again = self.bug == 5 && self.phase == Phase::Fault;
        if !is_connected {
            self.is_over = false;
            if self.phase != Phase::Idle {
                self.enter(Phase::Idle, now, out);
            }
        } else if self.phase == Phase::Idle || is_again {
            let is_over = self.is_over && !is_again;
            self.enter(if is_over { Phase::Fault } else { Phase::Pre }, now, out);
        }
    }

    fn feel(&mut self, temp: i64) {
        if temp > 45 && !self.is_hot {
            self.heats += 1;
            self.is_hot = !(self.bug == 3 && self.heats > 2);
        } else if temp <= 40 {
            self.is_hot = false;
        }
    }

    fn cell(&mut self, mv: i64, now: u64, out: &mut Outbox) {
        self.is_over |= mv > 4_250;
        if self.is_over && !matches!(self.phase, Phase::Idle | Phase::Fault) {
            return self.enter(Phase::Fault, now, out);
        }
        if self.phase == Phase::Pre && mv >= 3_000 || self.phase == Phase::Done && mv < 3_900 {
            self.enter(Phase::Fast, now, out);
        }
        if self.phase == Phase::Fast && mv >= 4_100 {
            self.enter(Phase::Topping, now, out);
        }
    }
}

impl Node for Charger {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        match &*message.channel {
            "/plug" => self.plug(flag(message, "connected"), message.at, out),
            "/cell" => {
                self.feel(whole(message, "temp"));
                self.cell(whole(message, "mv"), message.at, out);
            }
            _ => {
                self.limit = whole(message, "limit_ma");
                if self.bug == 2 && self.is_hot {
                    self.is_hot = false;
                    self.tell(self.current(), out);
                    self.is_hot = true;
                    return;
                }
            }
        }
        self.tell(self.current(), out);
    }

    fn wake_at(&self) -> Option<u64> {
        [self.start_ends, self.topping_ends].into_iter().flatten().min()
    }

    fn wake(&mut self, now: u64, out: &mut Outbox) {
        if self.start_ends.is_some_and(|end| end <= now) {
            self.enter(Phase::Fault, now, out);
        } else {
            self.topping_ends = None;
            if self.phase == Phase::Topping {
                self.enter(Phase::Done, now, out);
            }
        }
        self.tell(self.current(), out);
    }
}
