//! Random properties and traces of which hpl-rv means the same as we do. What that takes is written down in python/monitors.py, with
//! the numbers that are used here.

use gainsay_core::Case;
use gainsay_msg::{Message, Trace, Value, message};

const CHANNELS: [&str; 4] = ["/a", "/b", "/c", "/d"];
const MESSAGES_MAX: usize = 9;
const MS: u64 = 1_000_000;

/// A property and a trace.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) property: String,
    pub(super) trace: Trace,
}

impl Pair {
    /// As the script reads it.
    pub(super) fn to_json(&self) -> String {
        let messages: Vec<String> = self.trace.messages.iter().map(|message| message.to_json()).collect();
        // The text has nothing that JSON would write in another way.
        let (property, messages, end) = (&self.property, messages.join(","), self.trace.end / MS);
        format!(r#"{{"property":{property:?},"trace":[{messages}],"end_ms":{end}}}"#)
    }

    /// For people.
    pub(super) fn shown(&self) -> String {
        let messages: Vec<String> = self.trace.messages.iter().map(|message| message.to_string()).collect();
        format!("{}\n  {}\n  end {} ms", self.property, messages.join("\n  "), self.trace.end / MS)
    }
}

/// A property with so many traces.
pub(super) fn pairs(seed: u64, number: u64, traces: usize) -> Vec<Pair> {
    let mut case = Case::random(seed, number);
    let property = property(&mut case);
    (0..traces).map(|_| Pair { property: property.clone(), trace: trace(&mut case) }).collect()
}

/// Every message has all fields, each of one type (8).
fn trace(case: &mut Case) -> Trace {
    let mut at = 0;
    let mut messages = Vec::new();
    for _ in 0..case.int(0..=MESSAGES_MAX) {
        at += case.int(0..=3u64);
        let value = message([
            ("x", case.int(0..=3i64).into()),
            ("y", case.int(0..=3i64).into()),
            ("at", message([("z", (case.int(-2..=4i32) as f64 / 2.0).into())])),
            ("flag", case.flag().into()),
            ("word", ["up", "down"][case.index(2)].into()),
            ("items", Value::List(case.vec(1..=3, |case| case.int(-1..=3i64).into()))),
        ]);
        messages.push(Message::at_ms(at, CHANNELS[case.index(CHANNELS.len())], value));
    }
    Trace::new(messages, (at + case.int(0..=7u64)) * MS)
}

/// What an event must be, besides what is drawn.
#[derive(Default)]
struct Wanted<'a> {
    /// Events before it that have a name. Those in disjunctions have none (4).
    aliases: &'a [&'a str],
    /// The name it has itself, if it is no disjunction.
    alias: &'a str,
    /// What every alternative says, so that it excludes another event.
    guard: Option<&'a str>,
    /// Every alternative refers to this one.
    refers_to: Option<&'a str>,
}

/// The text of a property.
fn property(case: &mut Case) -> String {
    let mut aliases: Vec<&str> = Vec::new();
    let (has_activator, has_terminator) = (case.flag(), case.flag());
    let mut scope = String::new();
    // The two borders exclude each other (3). They may be anything else besides.
    let is_border = has_activator && has_terminator;
    let border = |guard| if is_border { Some(guard) } else { None };
    if has_activator {
        let wanted = Wanted { alias: "P", guard: border("y < 2"), ..Wanted::default() };
        let (text, is_named) = event(case, &wanted);
        scope = format!("after {text}");
        aliases.extend(is_named.then_some("P"));
    }
    if has_terminator {
        let wanted = Wanted { aliases: &aliases, alias: "Q", guard: border("y >= 2"), ..Wanted::default() };
        scope = format!("{scope} until {}", event(case, &wanted).0);
    }
    if scope.is_empty() {
        scope = "globally".into();
    }
    let pattern = pattern(case, &mut aliases);
    // (7)
    let bound = if case.index(4) == 0 { String::new() } else { format!(" within {} ms", case.int(1..=6u8)) };
    format!("{}: {pattern}{bound}", scope.trim())
}

fn pattern(case: &mut Case, aliases: &mut Vec<&str>) -> String {
    let word = ["no", "some", "causes", "forbids", "requires"][case.index(5)];
    let before = aliases.clone();
    // The two events exclude each other in `causes` (1), and in `requires` if the second refers to the first (2).
    let refers = word == "requires" && case.flag();
    let excludes = word == "causes" || refers;
    let guarded = |guard| if excludes { Some(guard) } else { None };
    let mut wanted = Wanted { aliases: &before, alias: "F", guard: guarded("x < 2"), refers_to: None };
    let (first, is_named) = event(case, &wanted);
    if word == "no" || word == "some" {
        return format!("{word} {first}");
    }
    // An alternative in `requires` that does not refer must not stand beside one that does: all do, or none does.
    let may_refer = word != "requires" || refers;
    aliases.extend((is_named && may_refer).then_some("F"));
    wanted = Wanted {
        aliases,
        alias: "S",
        guard: guarded("x >= 2"),
        refers_to: (refers && is_named).then_some("F"),
    };
    format!("{first} {word} {}", event(case, &wanted).0)
}

/// An event, and whether it has a name.
fn event(case: &mut Case, wanted: &Wanted<'_>) -> (String, bool) {
    let first = case.index(CHANNELS.len());
    if case.index(4) > 0 {
        return (format!("{} as {}{}", CHANNELS[first], wanted.alias, condition(case, wanted)), true);
    }
    // Alternatives have different channels (5).
    let second = (first + 1 + case.index(CHANNELS.len() - 1)) % CHANNELS.len();
    let (one, two) = (condition(case, wanted), condition(case, wanted));
    (format!("({}{one} or {}{two})", CHANNELS[first], CHANNELS[second]), false)
}

fn condition(case: &mut Case, wanted: &Wanted<'_>) -> String {
    let mut parts: Vec<String> = wanted.guard.iter().map(|guard| (*guard).into()).collect();
    if let Some(alias) = wanted.refers_to {
        parts.push(format!("{} = @{alias}.{}", integer(case, &[]), field(case)));
    }
    for _ in 0..case.int(0..=2) {
        let depth = case.index(3);
        parts.push(formula(case, wanted.aliases, depth));
    }
    if parts.is_empty() { String::new() } else { format!(" {{{}}}", parts.join(" and ")) }
}

/// A condition with up to so many connectives, in parentheses where it has one (10).
fn formula(case: &mut Case, aliases: &[&str], depth: usize) -> String {
    if depth == 0 {
        return literal(case, aliases);
    }
    if case.index(3) == 0 {
        return format!("(not {})", formula(case, aliases, depth - 1));
    }
    let word = ["and", "or", "implies", "iff"][case.index(4)];
    format!("({} {word} {})", formula(case, aliases, depth - 1), formula(case, aliases, depth - 1))
}

fn literal(case: &mut Case, aliases: &[&str]) -> String {
    let sign = ["=", "!=", "<", "<=", ">", ">="][case.index(6)];
    match case.index(12) {
        0 | 1 => format!("({} {sign} {})", number(case, aliases), number(case, aliases)),
        // Equalities are looked up; everything else is not.
        2 | 3 if !aliases.is_empty() => {
            let alias = aliases[case.index(aliases.len())];
            format!("({} = @{alias}.{})", field(case), field(case))
        }
        4 => "(flag = True)".into(),
        5 => format!("(word {} \"{}\")", ["=", "!="][case.index(2)], ["up", "down"][case.index(2)]),
        6 => {
            let (start, end) = (["[", "!["][case.index(2)], ["]", "]!"][case.index(2)]);
            let first = case.int(-1..=2);
            format!("({} in {start}{first} to {}{end})", number(case, aliases), first + case.int(0..=3))
        }
        // (Sets have two elements, at least: 9.)
        7 => format!("({} in {{{}, {}}})", number(case, aliases), case.int(0..=3), number(case, aliases)),
        8 => {
            let word = ["forall", "exists"][case.index(2)];
            format!("({word} i in items: (items[@i] {sign} {}))", number(case, aliases))
        }
        9 => {
            let word = ["forall", "exists"][case.index(2)];
            let domain = ["[0 to 2]", "{0, 2, 3}", "![0 to 3]!"][case.index(3)];
            format!("({word} i in {domain}: ({} {sign} @i + {}))", number(case, aliases), case.int(0..=1))
        }
        _ => format!("({} {sign} {})", field(case), case.int(0..=3)),
    }
}

/// A field that is a whole number.
fn field(case: &mut Case) -> &'static str {
    ["x", "y"][case.index(2)]
}

fn integer(case: &mut Case, aliases: &[&str]) -> String {
    match case.index(6) {
        0 if !aliases.is_empty() => format!("@{}.{}", aliases[case.index(aliases.len())], field(case)),
        1 => ["len(items)", "sum(items)", "min(items)", "max(items)", "items[0]"][case.index(5)].into(),
        2 => case.int(0..=3).to_string(),
        _ => field(case).into(),
    }
}

fn number(case: &mut Case, aliases: &[&str]) -> String {
    match case.index(8) {
        0 => "at.z".into(),
        1 => format!(
            "({} {} {})",
            integer(case, aliases),
            ["+", "-", "*"][case.index(3)],
            integer(case, aliases)
        ),
        2 => format!("abs({} - {})", integer(case, aliases), integer(case, aliases)),
        // (Nothing is divided by 0: 8.)
        3 => format!("({} / 2)", integer(case, aliases)),
        4 if !aliases.is_empty() => format!("@{}.at.z", aliases[case.index(aliases.len())]),
        _ => integer(case, aliases),
    }
}
