//! The ventilation of a room: by the air, with hysteresis, not with open windows, not loud at night, and for a while as
//! much as it can if somebody asks for it.

use crate::{MS, Subject, flag, whole};
use gainsay_msg::{Message, Node, Outbox, message};

pub(crate) const SUBJECT: Subject = Subject {
    name: "ventilation",
    file: include_str!("ventilation.toml"),
    node: |bug| Box::new(Ventilation { bug, stage: 1, ppm: 400, ..Ventilation::default() }),
    traces: [
        r#"0 /co2 {"ppm":1600}
           100 /co2 {"ppm":1280}"#,
        r#"0 /boost {}
           1000 /window {"open":true}
           2000 /window {"open":false}"#,
        r#"0 /filter {"dust":100}
           100 /filter {"dust":10}
           200 /filter {"dust":20}
           300 /filter {"dust":30}
           400 /filter {"dust":10}"#,
        r#"0 /boost {}
           10100 /boost {}"#,
        r#"0 /night {"on":true}
           100 /night {"on":false}
           200 /night {"on":true}
           300 /boost {}"#,
    ],
};

const BOOST: u64 = 10_000 * MS;
/// A button that was pressed is not looked at again before this.
const BOUNCING: u64 = 200 * MS;

#[derive(Default)]
struct Ventilation {
    bug: usize,
    /// What the air calls for: 1 to 3.
    stage: i64,
    ppm: i64,
    is_open: bool,
    is_night: bool,
    /// Nights so far.
    nights: usize,
    boost_ends: Option<u64>,
    boost_ended: Option<u64>,
    dust: Vec<i64>,
}

impl Ventilation {
    fn level(&self) -> i64 {
        let level = if self.boost_ends.is_some() { 3 } else { self.stage };
        match () {
            () if self.is_open => 0,
            () if self.is_night => level.min(2),
            () => level,
        }
    }

    fn fan(&self, out: &mut Outbox) {
        let boost = self.boost_ends.is_some();
        let fields = [("level", self.level().into()), ("ppm", self.ppm.into()), ("boost", boost.into())];
        out.publish("/fan", message(fields));
    }

    fn air(&mut self, ppm: i64) {
        let high = if self.bug == 1 { 1_250 } else { 1_300 };
        self.ppm = ppm;
        self.stage = match ppm {
            1_501.. => 3,
            _ if self.stage == 3 && ppm >= high => 3,
            1_001.. => 2,
            800.. if self.stage > 1 => 2,
            _ => 1,
        };
    }

    fn window(&mut self, is_open: bool, out: &mut Outbox) {
        if self.bug == 2 && self.is_open && !is_open {
            self.end_boost(out);
        }
        self.is_open = is_open;
    }

    fn night(&mut self, is_night: bool) {
        self.nights += usize::from(is_night && !self.is_night);
        self.is_night = is_night && !(self.bug == 5 && self.nights > 1);
    }

    fn boost(&mut self, now: u64, out: &mut Outbox) {
        if self.bug == 4 && self.boost_ended.is_some_and(|ended| now < ended + BOUNCING) {
            return;
        }
        self.boost_ends = Some(now + BOOST);
        out.publish("/boosting", message([("on", true.into())]));
    }

    fn end_boost(&mut self, out: &mut Outbox) {
        if self.boost_ends.take().is_some() {
            out.publish("/boosting", message([("on", false.into())]));
        }
    }

    fn filter(&mut self, dust: i64, out: &mut Outbox) {
        self.dust.push(dust);
        if self.bug == 3 && self.dust.len() > 4 {
            self.dust.remove(0);
        }
        let sum: i64 = self.dust.iter().sum();
        out.publish("/dust", message([("sum", sum.into())]));
        if sum > 600 {
            out.publish("/filter_warning", message([]));
        }
    }
}

impl Node for Ventilation {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        match &*message.channel {
            "/co2" => self.air(whole(message, "ppm")),
            "/window" => self.window(flag(message, "open"), out),
            "/night" => self.night(flag(message, "on")),
            "/boost" => self.boost(message.at, out),
            "/filter" => return self.filter(whole(message, "dust"), out),
            _ => return self.dust.clear(),
        }
        self.fan(out);
    }

    fn wake_at(&self) -> Option<u64> {
        self.boost_ends
    }

    fn wake(&mut self, now: u64, out: &mut Outbox) {
        self.boost_ended = Some(now);
        self.end_boost(out);
        self.fan(out);
    }
}
