//! A gate with badges: who may enter is let in, one at a time, and it is known who is inside.

use crate::{MS, Subject, flag, whole};
use gainsay_msg::{Message, Node, Outbox, message};

pub(crate) const SUBJECT: Subject = Subject {
    name: "gate",
    file: include_str!("gate.toml"),
    node: |bug| Box::new(Gate { bug, ..Gate::default() }),
    traces: [
        r#"0 /badge {"id":1,"level":2,"inward":true}"#,
        r#"0 /revoke {"id":7}
           100 /reset {}
           200 /badge {"id":7,"level":5,"inward":true}"#,
        r#"0 /badge {"id":1,"level":5,"inward":true}
           100 /pass {}
           200 /badge {"id":2,"level":5,"inward":true}
           300 /pass {}
           400 /badge {"id":3,"level":5,"inward":true}
           500 /pass {}
           600 /badge {"id":4,"level":5,"inward":true}
           700 /pass {}"#,
        r#"0 /badge {"id":1,"level":5,"inward":true}
           1000 /pass {}
           2000 /badge {"id":2,"level":5,"inward":true}"#,
        r#"0 /badge {"id":1,"level":5,"inward":true}
           100 /pass {}
           200 /badge {"id":2,"level":5,"inward":true}
           300 /pass {}
           400 /badge {"id":1,"level":5,"inward":true}"#,
    ],
};

const TIME_TO_PASS: u64 = 4_000 * MS;
const ROOM: usize = 3;
const LEVEL: i64 = 3;

#[derive(Default)]
struct Gate {
    bug: usize,
    inside: Vec<i64>,
    revoked: Vec<i64>,
    is_lockdown: bool,
    /// Who may pass, and whether inward.
    open: Option<(i64, bool)>,
    lock_at: Option<u64>,
}

impl Gate {
    fn is_inside(&self, id: i64) -> bool {
        if self.bug == 5 { self.inside.last() == Some(&id) } else { self.inside.contains(&id) }
    }

    /// Why somebody is denied; 0 if nothing speaks against it.
    fn reason(&self, id: i64, level: i64, is_inward: bool) -> i64 {
        let level_min = if self.bug == 1 { LEVEL - 1 } else { LEVEL };
        let room = if self.bug == 3 { ROOM + 1 } else { ROOM };
        match () {
            () if self.open.is_some() => 1,
            () if !is_inward => {
                if self.inside.contains(&id) {
                    0
                } else {
                    7
                }
            }
            () if level < level_min => 2,
            () if self.revoked.contains(&id) => 3,
            () if self.is_lockdown => 4,
            () if self.is_inside(id) => 5,
            () if self.inside.len() >= room => 6,
            () => 0,
        }
    }

    fn badge(&mut self, badge: &Message, out: &mut Outbox) {
        let (id, is_inward) = (whole(badge, "id"), flag(badge, "inward"));
        let reason = self.reason(id, whole(badge, "level"), is_inward);
        if reason > 0 {
            return out.publish("/deny", message([("id", id.into()), ("reason", reason.into())]));
        }
        self.open = Some((id, is_inward));
        self.lock_at.get_or_insert(badge.at + TIME_TO_PASS);
        out.publish("/unlock", badge.value.clone());
    }

    fn lock(&mut self, out: &mut Outbox) {
        self.open = None;
        if self.bug != 4 {
            self.lock_at = None;
        }
        out.publish("/lock", message([]));
    }

    fn pass(&mut self, out: &mut Outbox) {
        let Some((id, is_inward)) = self.open else {
            return out.publish("/alarm", message([]));
        };
        self.inside.retain(|known| *known != id);
        if is_inward {
            self.inside.push(id);
        }
        let change = if is_inward { 1 } else { -1 };
        let inside = self.inside.len() as i64;
        out.publish(
            "/count",
            message([("id", id.into()), ("inside", inside.into()), ("change", change.into())]),
        );
        self.lock(out);
    }

    fn mode(&mut self, is_lockdown: bool, out: &mut Outbox) {
        self.is_lockdown = is_lockdown;
        if is_lockdown && matches!(self.open, Some((_, true))) {
            self.lock(out);
        }
    }
}

impl Node for Gate {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        match &*message.channel {
            "/badge" => self.badge(message, out),
            "/pass" => self.pass(out),
            "/mode" => self.mode(whole(message, "mode") == 1, out),
            "/revoke" => self.revoked.push(whole(message, "id")),
            "/grant" => self.revoked.retain(|id| *id != whole(message, "id")),
            _ => {
                self.inside.clear();
                if self.bug == 2 {
                    self.revoked.clear();
                }
            }
        }
    }

    fn wake_at(&self) -> Option<u64> {
        self.lock_at
    }

    fn wake(&mut self, _: u64, out: &mut Outbox) {
        self.lock_at = None;
        if self.open.is_some() {
            self.lock(out);
        }
    }
}
