//! A sorter of parcels: each is scanned and sent to its lane, unless it is too heavy or known; lanes fill up, bags are
//! changed, and what does not arrive is lost.

use crate::{MS, Subject, flag, whole};
use gainsay_msg::{Message, Node, Outbox, message};

pub(crate) const SUBJECT: Subject = Subject {
    name: "sorter",
    file: include_str!("sorter.toml"),
    node: |bug| Box::new(Sorter { bug, ..Sorter::default() }),
    traces: [
        r#"0 /scan {"id":1,"lane":2,"weight":30008}"#,
        r#"0 /full {"lane":2,"full":true}
           100 /bag {"lane":2}
           200 /scan {"id":1,"lane":2,"weight":100}"#,
        r#"0 /scan {"id":1,"lane":2,"weight":100}
           100 /scan {"id":2,"lane":2,"weight":100}
           200 /scan {"id":3,"lane":2,"weight":100}
           300 /scan {"id":4,"lane":2,"weight":100}
           400 /scan {"id":5,"lane":2,"weight":100}
           500 /scan {"id":6,"lane":2,"weight":100}"#,
        r#"0 /scan {"id":1,"lane":2,"weight":100}
           1950 /arrived {"id":1}"#,
        r#"0 /scan {"id":1,"lane":2,"weight":100}
           100 /scan {"id":2,"lane":3,"weight":100}
           200 /scan {"id":1,"lane":2,"weight":100}"#,
    ],
};

const LANES: usize = 5;
const WAY: u64 = 2_000 * MS;
const BAG: u32 = 5;
const WEIGHT_MAX: i64 = 30_000;
/// So shortly before a parcel counts as lost, one looks for it.
const LOOKING: u64 = 100 * MS;

#[derive(Default)]
struct Sorter {
    bug: usize,
    is_stopped: bool,
    full: [bool; LANES],
    counts: [u32; LANES],
    /// Parcels on the belt, and when they are lost.
    belt: Vec<(i64, u64)>,
}

impl Sorter {
    fn is_on_belt(&self, id: i64) -> bool {
        if self.bug == 5 {
            return self.belt.last().is_some_and(|(last, _)| *last == id);
        }
        self.belt.iter().any(|(known, _)| *known == id)
    }

    /// The lane that a parcel takes, or why it takes none.
    fn lane(&self, id: i64, lane: usize, weight: i64) -> Result<usize, i64> {
        let weight_max = if self.bug == 1 { WEIGHT_MAX + 15 } else { WEIGHT_MAX };
        let bag = if self.bug == 3 { BAG + 1 } else { BAG };
        match () {
            () if self.is_stopped => Err(1),
            () if weight > weight_max => Err(2),
            () if lane >= LANES => Err(3),
            () if self.is_on_belt(id) => Err(4),
            () if lane > 0 && !self.full[lane] && self.counts[lane] < bag => Ok(lane),
            () if self.full[0] => Err(5),
            () => Ok(0),
        }
    }

    fn scan(&mut self, scan: &Message, out: &mut Outbox) {
        let (id, weight) = (whole(scan, "id"), whole(scan, "weight"));
        match self.lane(id, place(scan), weight) {
            Err(reason) => out.publish("/reject", message([("id", id.into()), ("reason", reason.into())])),
            Ok(lane) => {
                self.belt.push((id, scan.at + WAY));
                self.counts[lane] += 1;
                let count = self.counts[lane];
                let fields = [("id", id.into()), ("lane", (lane as i64).into())];
                let more = [("weight", weight.into()), ("count", count.into())];
                out.publish("/divert", message(fields.into_iter().chain(more)));
            }
        }
    }

    fn arrived(&mut self, id: i64, now: u64) {
        let is_looked_for = |lost: u64| self.bug == 4 && lost <= now + LOOKING;
        self.belt.retain(|(known, lost)| *known != id || is_looked_for(*lost));
    }

    fn bag(&mut self, lane: usize) {
        if lane < LANES {
            self.counts[lane] = 0;
            self.full[lane] &= self.bug != 2;
        }
    }
}

/// The lane in a message.
fn place(message: &Message) -> usize {
    usize::try_from(whole(message, "lane")).unwrap_or(LANES)
}

impl Node for Sorter {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        match &*message.channel {
            "/scan" => self.scan(message, out),
            "/arrived" => self.arrived(whole(message, "id"), message.at),
            "/bag" => self.bag(place(message)),
            "/stop" => {
                self.is_stopped = true;
                self.belt.clear();
            }
            "/start" => self.is_stopped = false,
            _ => {
                if let Some(full) = self.full.get_mut(place(message)) {
                    *full = flag(message, "full");
                }
            }
        }
    }

    fn wake_at(&self) -> Option<u64> {
        self.belt.first().map(|(_, lost)| *lost)
    }

    fn wake(&mut self, _: u64, out: &mut Outbox) {
        let (id, _) = self.belt.remove(0);
        out.publish("/lost", message([("id", id.into())]));
    }
}
