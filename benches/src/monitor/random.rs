//! Random properties and traces, and two judges of them besides the monitors: the meaning of the property in temporal logic, and the
//! definitions of the language, written down as plainly as can be.

use gainsay_core::Case;
use gainsay_msg::mfotl::{elements, translate};
use gainsay_msg::{AnyChannels, Judgement, Message, Monitors, Rule, Trace, hpl, message, resolve};
use gainsay_temporal::mfotl::Known;
use std::time::Duration;

const MS: u64 = 1_000_000;

/// What is wanted of a pair, besides chance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// One channel is used for two events.
    pub(crate) shared_channel: bool,
    /// An event of the pattern, or the end of the scope, speaks of the activator.
    pub(crate) refers_to_activator: bool,
    /// Messages come at equal times.
    pub(crate) equal_times: bool,
}

impl Wanted {
    /// Half of the properties use one channel for two events, a fifth speak of the activator, a tenth of the traces have equal times.
    pub(crate) fn draw(case: &mut Case) -> Wanted {
        Wanted {
            shared_channel: case.flag_weighted(1, 1),
            refers_to_activator: case.flag_weighted(1, 4),
            equal_times: case.flag_weighted(1, 9),
        }
    }
}

/// A condition on the fields `x` and `y`; `aliases` are earlier messages.
fn condition(case: &mut Case, aliases: &[&str], must_refer: bool) -> String {
    let field = |case: &mut Case| if case.flag() { "x" } else { "y" };
    let sign = |case: &mut Case| ["=", "!=", "<", "<=", ">", ">="][case.index(6)];
    let literal = |case: &mut Case| {
        let field = field(case);
        match case.index(5) {
            0 | 1 => format!("{field} {} {}", sign(case), case.int(0..=3)),
            2 => format!("{field} in {{{}, {}}}", case.int(0..=3), case.int(0..=3)),
            3 => format!("{field} in [{} to {}]", case.int(0..=2), case.int(1..=3)),
            _ => format!("x {} y + {}", sign(case), case.int(-1..=1)),
        }
    };
    let reference = |case: &mut Case| {
        let alias = aliases[case.index(aliases.len())];
        let (one, two) = (field(case), field(case));
        // Equalities are looked up; everything else is not.
        match case.index(4) {
            0 | 1 => format!("{one} = @{alias}.{two}"),
            2 => format!("{one} {} @{alias}.{two}", sign(case)),
            _ => format!("{one} + 1 = @{alias}.{two} + y"),
        }
    };
    let mut parts = Vec::new();
    if !aliases.is_empty() && (must_refer || case.flag()) {
        parts.push(reference(case));
    }
    if parts.is_empty() || case.flag() {
        parts.push(literal(case));
    }
    let joined = parts.join(if must_refer || case.index(3) > 0 { " and " } else { " or " });
    if !must_refer && case.index(6) == 0 { format!("not ({joined})") } else { joined }
}

fn event(case: &mut Case, channels: &[&str], alias: &str, aliases: &[&str], must_refer: bool) -> String {
    let one = |case: &mut Case, alias: &str| {
        let channel = channels[case.index(channels.len())];
        let bare = !must_refer && case.index(3) == 0;
        let condition =
            if bare { String::new() } else { format!(" {{{}}}", condition(case, aliases, must_refer)) };
        format!("{channel} as {alias}{condition}")
    };
    if case.index(5) == 0 {
        format!("({} or {})", one(case, alias), one(case, alias))
    } else {
        one(case, alias)
    }
}

/// The text of a property.
pub(crate) fn property(case: &mut Case, wanted: Wanted) -> String {
    let all = ["/a", "/b", "/c", "/d"];
    // With a channel for each event, nobody shares one.
    let own = |place: usize| if wanted.shared_channel { &all[..2] } else { &all[place..=place] };
    let has_activator = wanted.refers_to_activator || case.flag();
    let has_terminator = case.flag();
    let terminator_refers = wanted.refers_to_activator && has_terminator && case.flag();
    let mut aliases: Vec<&str> = Vec::new();
    let mut scope = String::new();
    if has_activator {
        scope = format!("after {}", event(case, own(0), "P", &[], false));
        aliases.push("P");
    }
    if has_terminator {
        let terminator = event(case, own(1), "Q", &aliases, terminator_refers);
        scope = format!("{scope} until {terminator}");
    }
    if scope.is_empty() {
        scope = "globally".into();
    }
    let must_refer = wanted.refers_to_activator && !terminator_refers;
    let first = event(case, own(2), "F", &aliases, must_refer);
    aliases.push("F");
    let pattern = match case.index(5) {
        0 => format!("no {first}"),
        1 => format!("some {first}"),
        kind => {
            let word = ["causes", "forbids", "requires"][kind - 2];
            format!("{first} {word} {}", event(case, own(3), "S", &aliases, false))
        }
    };
    let bound = if case.index(3) == 0 { String::new() } else { format!(" within {} ms", case.int(1..=6u8)) };
    format!("{}: {pattern}{bound}", scope.trim())
}

/// A trace of up to `most` messages.
pub(crate) fn trace(case: &mut Case, wanted: Wanted, most: usize) -> Trace {
    let mut at = 0;
    let least = if wanted.equal_times { 2 } else { 0 };
    let mut messages: Vec<Message> = Vec::new();
    let count = case.int(least..=most);
    for place in 0..count {
        let step = case.int(0..=3u64);
        at += if wanted.equal_times && place == 1 {
            0
        } else if wanted.equal_times {
            step
        } else {
            step.max(1)
        };
        let channel = ["/a", "/b", "/c", "/d"][case.index(4)];
        let mut fields = vec![("x", case.int(0..=3i64).into())];
        // A field may be missing.
        if case.index(10) > 0 {
            fields.push(("y", case.int(0..=3i64).into()));
        }
        messages.push(Message::at_ms(at, channel, message(fields)));
    }
    let end = at + case.int(0..=7u64);
    Trace::new(messages, end * MS)
}

/// The one property of a text.
pub(crate) fn rule(text: &str) -> Result<Rule, String> {
    let file = hpl::parse(text);
    let (mut rules, troubles) = resolve(&file.properties, &AnyChannels);
    let troubles: Vec<&str> =
        file.troubles.iter().chain(&troubles).filter(|t| t.is_error()).map(|t| t.message.as_str()).collect();
    match rules.pop() {
        Some(rule) if troubles.is_empty() => Ok(rule),
        _ => Err(format!("{text}: {}", troubles.join("; "))),
    }
}

/// How the judges differ on a pair, if they do.
pub(crate) fn difference(text: &str, trace: &Trace) -> Result<Option<String>, String> {
    let rule = rule(text)?;
    let formula = translate(&rule);
    let elements = elements(&rule, trace);
    let refs: Vec<(Duration, &_)> = elements.iter().map(|(at, element)| (*at, element)).collect();
    let known = |now| formula.evaluate(&refs, 0, now).map_err(|error| error.to_string());
    let (now, at_last) = (known(Some(Duration::from_nanos(trace.end)))?, known(None)?);
    let mut monitors = Monitors::new([rule]);
    for message in &trace.messages {
        monitors.see(std::sync::Arc::clone(message)).map_err(|error| error.to_string())?;
    }
    monitors.pass_to(trace.end).map_err(|error| error.to_string())?;
    let judged = &monitors.judged()[0];
    let is_same = match judged.judgement {
        Judgement::Violated => now == Known::False,
        // (What cannot be violated any more may still look open to a formula.)
        Judgement::Satisfied => now != Known::False && at_last == Known::True,
        Judgement::Pending { owed } => now == Known::Unknown && (at_last == Known::False) == owed,
    };
    let shown = || {
        let messages: Vec<String> = trace.messages.iter().map(|message| message.to_string()).collect();
        format!("{text}\n  {}\n  end {} ms", messages.join("\n  "), trace.end / MS)
    };
    if !is_same {
        return Ok(Some(format!(
            "monitor {:?}, formula {now:?}, at last {at_last:?}\n{}",
            judged.judgement,
            shown()
        )));
    }
    let found: Vec<u64> = judged.violations.iter().map(|violation| violation.at).collect();
    let expected = plain::violations(judged.rule, trace);
    if found != expected {
        return Ok(Some(format!("monitor {found:?}, plainly {expected:?}\n{}", shown())));
    }
    Ok(None)
}

/// The definitions, one after the other.
mod plain {
    use gainsay_msg::hpl::{Event, PatternKind, Scope};
    use gainsay_msg::{Rule, Trace};

    /// The times of all violations, in order.
    pub(crate) fn violations(rule: &Rule, trace: &Trace) -> Vec<u64> {
        let property = &rule.property;
        let (activator, terminator) = match &property.scope {
            Scope::Globally => (None, None),
            Scope::After(p) => (Some(p), None),
            Scope::Until(q) => (None, Some(q)),
            Scope::AfterUntil(p, q) => (Some(p), Some(q)),
        };
        let judge = Judge { trace, within: property.pattern.within.as_ref().map(|bound| bound.nanoseconds) };
        let mut found = Vec::new();
        // Opening (a message or the start), and the place of the end.
        let mut from = 0;
        loop {
            let opening = match activator {
                None => Some(None),
                Some(p) => (from..trace.messages.len())
                    .find(|&i| {
                        let closes = terminator.is_some_and(|q| judge.closes_anyway(q, i));
                        !closes && judge.is(p, &[], i)
                    })
                    .map(Some),
            };
            let Some(opening) = opening else { break };
            let start = opening.map_or(0, |i| i + 1);
            let end = terminator
                .and_then(|q| (start..trace.messages.len()).find(|&i| judge.is(q, &[("P", opening)], i)));
            judge.body(rule, opening, start, end, &mut found);
            match end {
                Some(end) if activator.is_some() => from = end + 1,
                _ => break,
            }
            if terminator.is_none() {
                break;
            }
        }
        found.sort_unstable();
        found
    }

    struct Judge<'a> {
        trace: &'a Trace,
        within: Option<u64>,
    }

    type Names<'n> = [(&'n str, Option<usize>)];

    impl Judge<'_> {
        fn at(&self, i: usize) -> u64 {
            self.trace.messages[i].at
        }

        fn near(&self, one: u64, two: u64) -> bool {
            self.within.is_none_or(|within| two - one < within)
        }

        fn is(&self, event: &Event, names: &Names<'_>, i: usize) -> bool {
            event.alternatives.iter().any(|one| {
                let message = &self.trace.messages[i];
                *one.channel.text == *message.channel
                    && one.predicate.as_ref().is_none_or(|predicate| {
                        super::holds(predicate, &message.value, &|name| {
                            let place = names.iter().find(|(known, _)| *known == name)?.1?;
                            Some(&self.trace.messages[place].value)
                        })
                    })
            })
        }

        /// Whether an alternative that does not speak of the activator closes.
        fn closes_anyway(&self, event: &Event, i: usize) -> bool {
            event.alternatives.iter().any(|one| {
                let refers =
                    one.predicate.as_ref().is_some_and(|predicate| predicate.to_string().contains("@P"));
                let mut alone = event.clone();
                alone.alternatives = vec![one.clone()];
                !refers && self.is(&alone, &[], i)
            })
        }

        fn body(
            &self,
            rule: &Rule,
            opening: Option<usize>,
            start: usize,
            end: Option<usize>,
            found: &mut Vec<u64>,
        ) {
            let pattern = &rule.property.pattern;
            let since = opening.map_or(0, |i| self.at(i));
            let body: Vec<usize> = (start..end.unwrap_or(self.trace.messages.len())).collect();
            let first = |i: usize| self.is(&pattern.first, &[("P", opening)], i);
            let second = |f: usize, i: usize| {
                pattern
                    .second
                    .as_ref()
                    .is_some_and(|event| self.is(event, &[("P", opening), ("F", Some(f))], i))
            };
            // When something that is missing is missing for good.
            let mut miss = |since: u64| {
                let over = self.within.map(|within| since + within);
                let closed = end.map(|end| self.at(end));
                let at = match (over, closed) {
                    (Some(over), Some(closed)) => over.min(closed),
                    (Some(over), None) if over <= self.trace.end => over,
                    (None, Some(closed)) => closed,
                    _ => return,
                };
                found.push(at);
            };
            match pattern.kind {
                PatternKind::Some => {
                    if !body.iter().any(|&k| self.near(since, self.at(k)) && first(k)) {
                        miss(since);
                    }
                }
                PatternKind::Causes => {
                    for &i in body.iter().filter(|&&i| first(i)) {
                        if !body.iter().any(|&k| k > i && self.near(self.at(i), self.at(k)) && second(i, k)) {
                            miss(self.at(i));
                        }
                    }
                }
                PatternKind::No => {
                    found.extend(
                        body.iter()
                            .filter(|&&k| self.near(since, self.at(k)) && first(k))
                            .map(|&k| self.at(k)),
                    );
                }
                PatternKind::Forbids => {
                    for &k in &body {
                        if body
                            .iter()
                            .any(|&i| i < k && first(i) && self.near(self.at(i), self.at(k)) && second(i, k))
                        {
                            found.push(self.at(k));
                        }
                    }
                }
                PatternKind::Requires => {
                    for &k in body.iter().filter(|&&k| first(k)) {
                        if !body.iter().any(|&i| i < k && self.near(self.at(i), self.at(k)) && second(k, i)) {
                            found.push(self.at(k));
                        }
                    }
                }
            }
        }
    }
}

/// What a condition says, for the few things that the conditions above say.
fn holds<'v>(
    expr: &hpl::Expr,
    own: &'v gainsay_msg::Value,
    other: &dyn Fn(&str) -> Option<&'v gainsay_msg::Value>,
) -> bool {
    use hpl::{ExprKind, Operator, Relation};
    let number = |expr: &hpl::Expr| number(expr, own, other);
    match &expr.kind {
        ExprKind::Not(of) => !holds(of, own, other),
        ExprKind::Binary(Operator::And, one, two) => holds(one, own, other) && holds(two, own, other),
        ExprKind::Binary(Operator::Or, one, two) => holds(one, own, other) || holds(two, own, other),
        ExprKind::Binary(Operator::Relation(Relation::In), one, two) => {
            let Some(value) = number(one) else { return false };
            match &two.kind {
                ExprKind::Set(items) => items.iter().any(|item| number(item) == Some(value)),
                ExprKind::Range { ends, .. } => {
                    number(&ends.0).is_some_and(|first| first <= value)
                        && number(&ends.1).is_some_and(|last| value <= last)
                }
                _ => unreachable!("there are no other domains"),
            }
        }
        ExprKind::Binary(Operator::Relation(relation), one, two) => {
            let (Some(one), Some(two)) = (number(one), number(two)) else { return false };
            match relation {
                Relation::Equal => one == two,
                Relation::Unequal => one != two,
                Relation::Less => one < two,
                Relation::AtMost => one <= two,
                Relation::Greater => one > two,
                _ => one >= two,
            }
        }
        _ => unreachable!("there are no other conditions"),
    }
}

fn number<'v>(
    expr: &hpl::Expr,
    own: &'v gainsay_msg::Value,
    other: &dyn Fn(&str) -> Option<&'v gainsay_msg::Value>,
) -> Option<i128> {
    use hpl::{Arithmetic, ExprKind, Operator, Root, Step};
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Minus(of) => number(of, own, other).map(|value| -value),
        ExprKind::Binary(Operator::Arithmetic(Arithmetic::Add), one, two) => {
            Some(number(one, own, other)? + number(two, own, other)?)
        }
        ExprKind::Field(root, steps) => {
            let from = match root {
                Root::Named(name) => other(name)?,
                _ => own,
            };
            let [Step::Field(name)] = steps.as_slice() else { return None };
            match from.at(&name.text)? {
                gainsay_msg::Value::Int(value) => Some(*value),
                _ => None,
            }
        }
        _ => None,
    }
}
