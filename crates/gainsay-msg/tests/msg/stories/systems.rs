//! Small systems, each with bugs by number; 0 is correct.

use gainsay_msg::types::{MessageType, Type, Types};
use gainsay_msg::{Channel, Message, Node, Outbox, System, Value, message};
use std::collections::VecDeque;

pub(super) const MS: u64 = 1_000_000;

pub(super) struct Story {
    pub(super) name: &'static str,
    /// The properties that are wrong with each of the bugs.
    pub(super) wrong: [&'static str; 5],
    pub(super) system: fn() -> System,
    pub(super) node: fn(usize) -> Box<dyn Node>,
}

pub(super) fn stories() -> Vec<Story> {
    vec![
        Story {
            name: "pump",
            wrong: ["limit", "limit", "single", "paused", "answered"],
            system: pump,
            node: |bug| Box::new(Pump { bug, ..Pump::default() }),
        },
        Story {
            name: "door",
            wrong: ["opens", "opens", "closed", "alarm", "not_both"],
            system: door,
            node: |bug| Box::new(Door { bug, ..Door::default() }),
        },
        Story {
            name: "desk",
            wrong: ["count", "out", "big", "answered", "out"],
            system: desk,
            node: |bug| Box::new(Desk { bug, ..Desk::default() }),
        },
        Story {
            name: "belt",
            wrong: ["took_put", "take", "speed", "mode", "stop"],
            system: belt,
            node: |bug| Box::new(Belt { bug, ..Belt::default() }),
        },
        Story {
            name: "heater",
            wrong: ["frost", "cold", "hot", "errors", "stays_on"],
            system: heater,
            node: |bug| Box::new(Heater { bug, ..Heater::default() }),
        },
    ]
}

/// A type of fields: `"id int32, name string"`.
fn record(name: &str, fields: &str) -> Type {
    let types = Types::new();
    let one = |field: &str| {
        let (name, kind) = field.trim().split_once(' ').unwrap();
        (name.to_string(), types.named(kind, None).unwrap())
    };
    let fields = fields.split(',').filter(|field| !field.trim().is_empty()).map(one).collect();
    let mut types = Types::new();
    types.add(MessageType::new(name, fields, vec![]));
    types.named(name, None).unwrap()
}

fn system(name: &str, inputs: &[(&str, &str)], outputs: &[(&str, &str)], properties: &str) -> System {
    let of = |(channel, fields): &(&str, &str)| record(&channel[1..], fields);
    let mut channels: Vec<Channel> = inputs.iter().map(|one| Channel::input(one.0, of(one))).collect();
    channels.extend(outputs.iter().map(|one| Channel::output(one.0, of(one))));
    System::new(name, channels).with_properties(properties).unwrap()
}

fn int(message: &Message, field: &str) -> i128 {
    match message.value.at(field) {
        Some(Value::Int(n)) => *n,
        other => panic!("no number: {other:?}"),
    }
}

fn text(message: &Message, field: &str) -> String {
    match message.value.at(field) {
        Some(Value::Text(text)) => text.to_string(),
        other => panic!("no text: {other:?}"),
    }
}

/// Gives doses, up to a sum that a refill starts over.
#[derive(Default)]
struct Pump {
    bug: usize,
    total: i128,
    given: usize,
    was_full: bool,
    last: i128,
    paused_at: Option<u64>,
}

fn pump() -> System {
    system(
        "pump",
        &[("/request", "units uint8"), ("/refill", ""), ("/pause", "")],
        &[("/dose", "units int32, total int32"), ("/refused", "left int32")],
        "# id: limit
         globally: no /dose {total > 60}
         # id: answered
         globally: /request {units > 0} causes (/dose or /refused) within 100 ms
         # id: paused
         globally: /pause forbids /dose within 2 s
         # id: single
         globally: no /dose {units > 20}
         # id: not_refused
         after /refill until /request: no /refused",
    )
}

impl Node for Pump {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        match &*message.channel {
            "/refill" => {
                self.was_full = self.total == 60;
                self.total = 0;
                self.given = 0;
            }
            "/pause" => self.paused_at = Some(message.at),
            _ => {
                let units = int(message, "units");
                if units == 0 {
                    return;
                }
                if let Some(at) = self.paused_at {
                    // Bug 4: a pause is over one tick early after a dose that was refused.
                    let end = if self.bug == 4 && self.last < 0 { 1999 } else { 2000 };
                    if message.at - at < end * MS {
                        self.last = -1;
                        out.publish(
                            "/refused",
                            gainsay_msg::message([("left", (60 - self.total as i64).into())]),
                        );
                        return;
                    }
                }
                let limit = match self.bug {
                    // Bug 1: at the end an exact fit is followed by one more.
                    1 if self.total == 60 && units == 1 => 100,
                    // Bug 2: after five doses nobody looks any more.
                    2 if self.given >= 5 => 1000,
                    _ => 60,
                };
                // Bug 5: the same dose three times in a row is not answered.
                if self.bug == 5 && self.last == units && self.given >= 3 && self.total == 4 * units {
                    return;
                }
                // Bug 3: refilled when nothing at all was left, the first dose may be one too large.
                let most = if self.bug == 3 && self.was_full && self.given == 0 { 21 } else { 20 };
                if units > most || self.total + units > limit {
                    self.last = -1;
                    out.publish(
                        "/refused",
                        gainsay_msg::message([("left", (60 - self.total as i64).into())]),
                    );
                    return;
                }
                self.total += units;
                self.given += 1;
                self.last = units;
                let (units, total) = (units as i64, self.total as i64);
                out.publish(
                    "/dose",
                    gainsay_msg::message([("units", units.into()), ("total", total.into())]),
                );
            }
        }
    }
}

/// Opens for keys, and closes again three seconds later.
#[derive(Default)]
struct Door {
    bug: usize,
    open_since: Option<u64>,
    closed_at: Option<u64>,
    opened: usize,
    wrong: usize,
    locked_until: u64,
    forced: bool,
}

fn door() -> System {
    system(
        "door",
        &[("/key", "code int32"), ("/push", ""), ("/bell", "")],
        &[("/opened", "code int32"), ("/closed", ""), ("/alarm", "")],
        "# id: opens
         globally: /key {code = 4711} causes (/opened or /alarm) within 50 ms
         # id: closes
         after /opened until /closed: no /opened {code = 0} within 3 s
         # id: closed
         globally: /opened causes (/closed or /opened) within 3100 ms
         # id: alarm
         globally: /alarm requires /key {code != 4711} within 10 s
         # id: not_both
         globally: /closed forbids /closed within 500 ms",
    )
}

impl Node for Door {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        match &*message.channel {
            "/key" if int(message, "code") == 4711 => {
                // Bug 1: exactly 500 ms after it closed, a key is lost.
                if self.bug == 1 && self.closed_at.is_some_and(|at| message.at == at + 500 * MS) {
                    return;
                }
                // Bug 2: after three wrong keys and a right one while it is open.
                if self.bug == 2 && self.wrong >= 3 && self.open_since.is_some() {
                    return;
                }
                if message.at < self.locked_until {
                    out.publish("/alarm", gainsay_msg::message([]));
                    return;
                }
                self.wrong = 0;
                self.opened += 1;
                self.forced = false;
                // Bug 3: opened again exactly when it would close a second time, it stays open.
                if !(self.bug == 3
                    && self.opened >= 3
                    && self.open_since == Some(message.at.saturating_sub(3000 * MS)))
                {
                    self.open_since = Some(message.at);
                } else {
                    self.open_since = None;
                }
                out.publish("/opened", gainsay_msg::message([("code", 4711.into())]));
            }
            "/key" => {
                self.wrong += 1;
                if self.wrong >= 3 {
                    self.locked_until = message.at + 5000 * MS;
                    out.publish("/alarm", gainsay_msg::message([]));
                    // Bug 4: the sixth wrong key locks for ever longer than keys are remembered.
                    if self.bug == 4 && self.wrong == 6 {
                        self.locked_until = message.at + 11_000 * MS;
                    }
                }
            }
            "/push" => {
                // Bug 5: pushed twice while open, with the bell between, it closes twice.
                if self.open_since.is_some() && self.bug == 5 && self.forced {
                    out.publish("/closed", gainsay_msg::message([]));
                    self.closed_at = Some(message.at);
                }
            }
            _ => self.forced = self.open_since.is_some(),
        }
    }

    fn wake_at(&self) -> Option<u64> {
        self.open_since.map(|since| since + 3000 * MS)
    }

    fn wake(&mut self, now: u64, out: &mut Outbox) {
        self.open_since = None;
        self.closed_at = Some(now);
        out.publish("/closed", message([]));
    }
}

/// Users log in, ask, and log out.
#[derive(Default)]
struct Desk {
    bug: usize,
    users: Vec<(String, usize)>,
    gone: Vec<String>,
    served: usize,
}

fn desk() -> System {
    system(
        "desk",
        &[("/login", "user string"), ("/logout", "user string"), ("/ask", "user string, amount int32")],
        &[("/granted", "user string, amount int32"), ("/denied", "user string, reason uint8"), ("/count", "n uint8")],
        "# id: granted_in
         globally: /granted as G requires /login {user = @G.user}
         # id: answered
         globally: /ask as A causes (/granted {user = @A.user and amount = @A.amount} or /denied {user = @A.user}) within 20 ms
         # id: count
         globally: no /count {n > 4}
         # id: big
         globally: no /granted {amount > 1000}
         # id: out
         after /logout as L until /login {user = @L.user}: no /granted {user = @L.user}",
    )
}

impl Desk {
    fn count(&self, out: &mut Outbox) {
        out.publish("/count", message([("n", (self.users.len() as i64).into())]));
    }
}

impl Node for Desk {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        let user = text(message, "user");
        let place = self.users.iter().position(|(known, _)| *known == user);
        match &*message.channel {
            "/login" => {
                // Bug 1: who was here before and is the fifth gets a seat.
                let most = if self.bug == 1 && self.gone.contains(&user) { 5 } else { 4 };
                if place.is_none() && self.users.len() < most {
                    self.users.push((user, 0));
                    self.count(out);
                }
            }
            "/logout" => {
                if let Some(place) = place {
                    // Bug 2: after four asks, a user is not forgotten.
                    if !(self.bug == 2 && self.users[place].1 >= 4) {
                        self.users.remove(place);
                        self.count(out);
                    }
                    self.gone.push(user);
                }
            }
            _ => {
                let amount = int(message, "amount");
                let limit = match self.bug {
                    // Bug 3: asked for exactly the limit before, one more is granted.
                    3 if place.is_some_and(|place| self.users[place].1 == 1000) => 1001,
                    _ => 1000,
                };
                // Bug 4: the seventh ask of all is not answered while three are in.
                self.served += 1;
                if self.bug == 4 && self.served >= 7 && self.users.len() == 3 {
                    return;
                }
                // Bug 5: who has logged out twice is granted without a login.
                let twice = self.gone.iter().filter(|gone| **gone == user).count() >= 2;
                let reason = match place {
                    None if self.bug == 5 && twice => 0,
                    None => 1,
                    Some(_) if amount > limit || amount < 0 => 2,
                    Some(_) => 0,
                };
                let user = Value::from(user);
                if reason == 0 {
                    if let Some(place) = place {
                        self.users[place].1 =
                            if self.bug == 3 { amount as usize } else { self.users[place].1 + 1 };
                    }
                    let amount = amount as i64;
                    out.publish(
                        "/granted",
                        gainsay_msg::message([("user", user), ("amount", amount.into())]),
                    );
                } else {
                    out.publish("/denied", gainsay_msg::message([("user", user), ("reason", reason.into())]));
                }
            }
        }
    }
}

/// A belt with five places.
#[derive(Default)]
struct Belt {
    bug: usize,
    items: VecDeque<i128>,
    taken: usize,
    mode: i128,
    pushes: usize,
    stopped_at: Option<u64>,
}

fn belt() -> System {
    system(
        "belt",
        &[("/put", "item int32"), ("/take", ""), ("/mode", "mode uint8"), ("/stop", "")],
        &[("/took", "item int32"), ("/full", ""), ("/empty", ""), ("/speed", "v float64")],
        "# id: took_put
         globally: /took as T requires /put {item = @T.item}
         # id: take
         globally: /take causes (/took or /empty) within 10 ms
         # id: speed
         globally: no /speed {v > 2.5}
         # id: mode
         globally: /mode {mode in [1 to 3]} causes /speed within 200 ms
         # id: stop
         after /stop until /mode: no /speed {v > 0}
         # id: full
         globally: /full requires /put within 1 ms",
    )
}

impl Node for Belt {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        match &*message.channel {
            "/put" => {
                self.pushes += 1;
                if self.items.len() == 5 {
                    out.publish("/full", gainsay_msg::message([]));
                    // Bug 1: what does not fit mixes with what is first.
                    if self.bug == 1 && self.items[0] == int(message, "item") {
                        self.items[0] ^= 1;
                    }
                } else {
                    self.items.push_back(int(message, "item"));
                }
            }
            "/take" => match self.items.pop_front() {
                // Bug 2: the sixth that is taken is lost, if it is taken from three.
                Some(_) if self.bug == 2 && self.taken >= 5 && self.items.len() == 2 => {}
                Some(item) => {
                    self.taken += 1;
                    out.publish("/took", gainsay_msg::message([("item", (item as i64).into())]));
                }
                None => {
                    self.taken = 0;
                    out.publish("/empty", gainsay_msg::message([]));
                }
            },
            "/mode" => {
                let mode = int(message, "mode");
                if !(1..=3).contains(&mode) {
                    return;
                }
                // Bug 3: 3, then 1, then 3 again is too fast.
                let v = match (self.bug, self.mode, mode) {
                    (3, 31, 3) => 2.6,
                    (_, _, mode) => mode as f64 * 0.8,
                };
                self.mode = if self.mode == 3 && mode == 1 { 31 } else { mode };
                // Bug 4: exactly 200 ms after it was stopped, a mode does nothing.
                if self.bug == 4 && self.stopped_at.is_some_and(|at| message.at == at + 200 * MS) {
                    return;
                }
                self.stopped_at = None;
                out.publish("/speed", gainsay_msg::message([("v", v.into())]));
            }
            _ => {
                // Bug 5: stopped with a full belt in mode 2, it jerks.
                let v = if self.bug == 5 && self.items.len() == 5 && self.mode == 2 { 0.1 } else { 0.0 };
                self.stopped_at = Some(message.at);
                out.publish("/speed", gainsay_msg::message([("v", v.into())]));
            }
        }
    }
}

/// Heats below 19 degrees and stops above 21; a heater that went on stays on for five seconds at least.
#[derive(Default)]
struct Heater {
    bug: usize,
    is_on: bool,
    since: u64,
    cold: usize,
    ticks: u64,
    wanted_off: bool,
    readings: Vec<f64>,
}

fn heater() -> System {
    system(
        "heater",
        &[("/temp", "t float64"), ("/window", "open bool"), ("/boost", "seconds uint8")],
        &[("/heat", "on bool"), ("/status", "on bool, cold uint8"), ("/error", "code uint8")],
        "# id: cold
         globally: /temp {t < 19} causes (/heat {on} or /status {on} or /error) within 500 ms
         # id: hot
         globally: /temp {t > 21} causes (/heat or /status {not on} or /error) within 6 s
         # id: stays_on
         globally: /heat {on} forbids /heat {not on} within 5 s
         # id: status
         globally: some /status within 1100 ms
         # id: errors
         globally: no /error {code > 1}
         # id: frost
         globally: no /status {cold > 6}
         globally: no /temp {t < -50}
         globally: no /temp {t > 100}",
    )
}

impl Node for Heater {
    fn receive(&mut self, message: &Message, out: &mut Outbox) {
        match (&*message.channel, message.value.at("t")) {
            ("/temp", Some(Value::Float(t))) => {
                self.readings.push(*t);
                if *t < 19.0 {
                    self.wanted_off = false;
                    self.cold += 1;
                    // Bug 1: the counter is cut off too late after heating stopped once.
                    if self.cold > 6 && !(self.bug == 1 && self.ticks > 3) {
                        self.cold = 6;
                    }
                    // Bug 2: three readings in a row of the same value are not believed.
                    let n = self.readings.len();
                    if self.bug == 2 && n >= 3 && self.readings[n - 3..].iter().all(|known| known == t) {
                        return;
                    }
                    if self.is_on {
                        out.publish("/error", gainsay_msg::message([("code", 1.into())]));
                    } else {
                        self.is_on = true;
                        self.since = message.at;
                        out.publish("/heat", gainsay_msg::message([("on", true.into())]));
                    }
                } else if *t > 21.0 {
                    self.cold = 0;
                    // Bug 3: exactly five seconds after it went on, being hot is forgotten.
                    if self.bug == 3 && self.is_on && message.at == self.since + 5000 * MS {
                        return;
                    }
                    self.wanted_off = self.is_on;
                    if self.is_on && message.at >= self.since + 5000 * MS {
                        self.off(out);
                    }
                }
            }
            ("/window", _) => {
                // Bug 4: with the window opened while five readings were cold, another error.
                if self.bug == 4 && self.cold == 5 && message.value.at("open") == Some(&Value::Bool(true)) {
                    out.publish("/error", gainsay_msg::message([("code", 2.into())]));
                }
            }
            _ => {
                // Bug 5: a boost as long as it was cold before switches off at once.
                if self.bug == 5
                    && self.is_on
                    && self.cold >= 3
                    && int(message, "seconds") == self.cold as i128
                {
                    self.off(out);
                }
            }
        }
    }

    fn wake_at(&self) -> Option<u64> {
        let status = (self.ticks + 1) * 1000 * MS;
        Some(if self.wanted_off { status.min(self.since + 5000 * MS) } else { status })
    }

    fn wake(&mut self, now: u64, out: &mut Outbox) {
        if self.wanted_off && now == self.since + 5000 * MS {
            self.off(out);
        }
        if now == (self.ticks + 1) * 1000 * MS {
            self.ticks += 1;
            let cold = self.cold as i64;
            out.publish("/status", message([("on", self.is_on.into()), ("cold", cold.into())]));
        }
    }
}

impl Heater {
    fn off(&mut self, out: &mut Outbox) {
        self.is_on = false;
        self.wanted_off = false;
        out.publish("/heat", message([("on", false.into())]));
    }
}
