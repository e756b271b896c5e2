//! A pump for pain relief: a patient asks for a dose, and has it, unless the last one is not long ago, the cartridge has
//! given enough, or there is air in the line.

use crate::{MS, Subject, whole};
use gainsay_msg::{Message, Node, Outbox, message};

pub(crate) const SUBJECT: Subject = Subject {
    name: "pump",
    file: include_str!("pump.toml"),
    node: |bug| Box::new(Pump { bug, dose: 5, ..Pump::default() }),
    traces: [
        r#"0 /prescription {"dose":21}
           10 /request {"id":1}"#,
        r#"0 /request {"id":1}
           1000 /prescription {"dose":5}
           2000 /request {"id":2}"#,
        r#"0 /prescription {"dose":19}
           0 /request {"id":1}
           6000 /request {"id":2}
           12000 /request {"id":3}
           18000 /request {"id":4}"#,
        r#"0 /request {"id":1}
           6000 /request {"id":2}"#,
        r#"0 /request {"id":1}
           100 /request {"id":2}
           200 /request {"id":1}"#,
    ],
};

const LOCKOUT: u64 = 6_000 * MS;
const DELIVERY: u64 = 500 * MS;
const DOSE_MAX: i64 = 20;
const CARTRIDGE_MAX: i64 = 60;
const BUBBLES: i64 = 8;

#[derive(Default)]
struct Pump {
    bug: usize,
    dose: i64,
    /// What this cartridge has given.
    total: i64,
    bubbles: i64,
    is_stopped: bool,
    /// When the last dose began.
    last: Option<u64>,
    /// What is being delivered, and when it is done.
    delivering: Option<(i64, u64)>,
    /// Who asked, the last two times.
    asked: [Option<i64>; 2],
}

impl Pump {
    fn units(&self) -> i64 {
        let is_over = if self.bug == 1 { self.dose > DOSE_MAX + 1 } else { self.dose > DOSE_MAX };
        if is_over { DOSE_MAX } else { self.dose }
    }

    fn is_locked(&self, now: u64) -> bool {
        match self.last {
            Some(last) if self.bug == 4 => now - last <= LOCKOUT,
            Some(last) => now - last < LOCKOUT,
            None => false,
        }
    }

    fn is_spent(&self) -> bool {
        if self.bug == 3 { self.total >= CARTRIDGE_MAX } else { self.total + self.units() > CARTRIDGE_MAX }
    }

    fn request(&mut self, id: i64, now: u64, out: &mut Outbox) {
        let is_old = self.asked[0] == Some(id) && self.asked[1] != Some(id);
        self.asked = [self.asked[1], Some(id)];
        if self.bug == 5 && is_old {
            return;
        }
        let reason = match () {
            () if self.is_stopped => 1,
            () if self.is_locked(now) => 2,
            () if self.is_spent() => 3,
            () => 0,
        };
        if reason > 0 {
            return out.publish("/denied", message([("id", id.into()), ("reason", reason.into())]));
        }
        let units = self.units();
        self.total += units;
        self.last = Some(now);
        self.delivering = Some((id, now + DELIVERY));
        let fields = [("id", id.into()), ("units", units.into()), ("total", self.total.into())];
        out.publish("/bolus", message(fields));
    }

    fn air(&mut self, bubbles: i64, out: &mut Outbox) {
        self.bubbles = bubbles;
        if bubbles < BUBBLES {
            return;
        }
        self.is_stopped = true;
        if let Some((id, _)) = self.delivering.take() {
            out.publish("/aborted", message([("id", id.into())]));
        }
    }
}

impl Node for Pump {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        match &*message.channel {
            "/request" => self.request(whole(message, "id"), message.at, out),
            "/air" => self.air(whole(message, "bubbles"), out),
            "/clear" => self.is_stopped = self.bubbles >= BUBBLES,
            "/cartridge" => self.total = 0,
            _ => {
                self.dose = whole(message, "dose");
                if self.bug == 2 {
                    self.last = None;
                }
            }
        }
    }

    fn wake_at(&self) -> Option<u64> {
        self.delivering.map(|(_, done)| done)
    }

    fn wake(&mut self, _: u64, out: &mut Outbox) {
        if let Some((id, _)) = self.delivering.take() {
            out.publish("/delivered", message([("id", id.into())]));
        }
    }
}
