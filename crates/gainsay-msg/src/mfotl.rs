//! What properties mean, in metric first-order temporal logic.
//!
//! ```
//! use gainsay_msg::{AnyChannels, hpl, mfotl, resolve};
//!
//! let file = hpl::parse("globally: /laser {dist < 40} causes /vel {linear.x = 0} within 500 ms");
//! let (rules, _) = resolve(&file.properties, &AnyChannels);
//! assert_eq!(
//!     mfotl::translate(&rules[0]).to_string(),
//!     "G (forall y. /laser(y) & {dist < 40}(y) -> \
//!      F[0s,500ms) (exists z. /vel(z) & {linear.x = 0}(z) & !(z = y)))"
//! );
//! ```
//! Formulas are read at a start that has no message. Times and bounds are those of the property.
//!
//! A logic without fixed points cannot say which messages open a scope where its end speaks of the message that opened it. There, `opens`
//! is a fact of its own, which [`elements`] reads from the trace as it is defined.

use crate::hpl::PatternKind;
use crate::rule::{EventRule, Rule};
use crate::term::{Messages, Slot};
use crate::trace::{Message, Trace};
use gainsay_temporal::mfotl::{
    Fact, Formula as AnyFormula, always, back_to, equal, eventually, exists, fact, forall, historically,
    once, since, test, until, var, weak_previous, weak_until,
};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

/// A formula over the messages of a trace.
pub type Formula = AnyFormula<Element, Sighting>;

/// An element of a trace: the start, or a message.
#[derive(Debug, Clone)]
pub struct Element {
    sighting: Option<Sighting>,
    /// Whether it opens a scope.
    opens: bool,
}

/// A message that was seen; each is another one, whatever it says.
#[derive(Clone)]
pub struct Sighting {
    number: usize,
    message: Arc<Message>,
}

impl Sighting {
    /// The message.
    pub fn message(&self) -> &Arc<Message> {
        &self.message
    }
}

impl PartialEq for Sighting {
    fn eq(&self, other: &Sighting) -> bool {
        self.number == other.number
    }
}

impl Eq for Sighting {}

impl Hash for Sighting {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl PartialOrd for Sighting {
    fn partial_cmp(&self, other: &Sighting) -> Option<Ordering> {
        Some(self.number.cmp(&other.number))
    }
}

impl fmt::Debug for Sighting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}", self.number)
    }
}

/// The elements of a trace: the start, then its messages.
pub fn elements(rule: &Rule, trace: &Trace) -> Vec<(Duration, Element)> {
    let mut elements = vec![(Duration::ZERO, Element { sighting: None, opens: false })];
    let mut opened: Option<&Message> = None;
    for (number, message) in trace.messages.iter().enumerate() {
        let mut opens = false;
        if let (Some(activator), Some(terminator)) = (&rule.activator, &rule.terminator) {
            let mut messages: Messages<'_> = [None; Slot::COUNT];
            messages[Slot::Activator as usize] = opened.map(|opened| &opened.value);
            match opened {
                Some(_) => {
                    if terminator.is_met(&message.channel, &message.value, messages) {
                        opened = None;
                    }
                }
                None => {
                    messages[Slot::Terminator as usize] = Some(&message.value);
                    let closes = terminator.alternatives.iter().any(|one| {
                        one.channel == message.channel
                            && !one.mentions(Slot::Activator)
                            && one.is_met(&messages)
                    });
                    opens = !closes && activator.is_met(&message.channel, &message.value, messages);
                    if opens {
                        opened = Some(message);
                    }
                }
            }
        }
        let sighting = Some(Sighting { number, message: Arc::clone(message) });
        elements.push((Duration::from_nanos(message.at), Element { sighting, opens }));
    }
    elements
}

/// What a property means.
pub fn translate(rule: &Rule) -> Formula {
    let Some(activator) = &rule.activator else { return pattern(rule) };
    let body = pattern(rule);
    let opening = match &rule.terminator {
        None => is(activator) & weak_previous(historically(!some(activator))),
        Some(terminator) if terminator.mentions(Slot::Activator) => {
            let opens = fact("opens", |element: &Element| {
                element.sighting.clone().filter(|_| element.opens).map(|sighting| [sighting])
            });
            opens.of([var("x")])
        }
        Some(terminator) => {
            let closed = weak_previous(back_to(!some(activator), some(terminator)));
            is(activator) & !some(terminator) & closed
        }
    };
    always(forall("x", opening.implies(body)))
}

fn name(slot: Slot) -> &'static str {
    match slot {
        Slot::Activator => "x",
        Slot::First => "y",
        Slot::Second => "z",
        Slot::Terminator => "w",
    }
}

fn channel(name: &Arc<str>) -> Fact<Element, Sighting> {
    let wanted = Arc::clone(name);
    fact(name.to_string(), move |element: &Element| {
        let sighting = element.sighting.as_ref()?;
        (sighting.message.channel == wanted).then(|| [sighting.clone()])
    })
}

/// Its variable is a message now, and is such an event.
fn is(event: &EventRule) -> Formula {
    let mut any: Option<Formula> = None;
    for alternative in &event.alternatives {
        let mut one = channel(&alternative.channel).of([var(name(event.slot))]);
        if let Some(condition) = &alternative.condition {
            let mut slots = vec![Slot::Activator, Slot::First, Slot::Second, Slot::Terminator];
            slots.retain(|slot| *slot == event.slot || condition.mentions(*slot));
            let terms: Vec<_> = slots.iter().map(|slot| var(name(*slot))).collect();
            let (condition, text) =
                (condition.clone(), format!("{{{}}}", alternative.said.as_deref().unwrap_or_default()));
            one = one
                & test(text, terms, move |values: &[&Sighting]| {
                    let mut messages: Messages<'_> = [None; Slot::COUNT];
                    for (slot, value) in slots.iter().zip(values) {
                        messages[*slot as usize] = Some(&value.message.value);
                    }
                    condition.is_true(&messages)
                });
        }
        any = Some(match any {
            Some(any) => any | one,
            None => one,
        });
    }
    any.unwrap_or_else(|| false.into())
}

/// There is such an event now.
fn some(event: &EventRule) -> Formula {
    exists(name(event.slot), is(event))
}

/// There is such an event now, which is another message than this one.
fn some_other(event: &EventRule, than: Option<Slot>) -> Formula {
    exists(name(event.slot), is_other(event, than))
}

fn is_other(event: &EventRule, than: Option<Slot>) -> Formula {
    match than {
        Some(slot) => is(event) & !equal(var(name(event.slot)), var(name(slot))),
        None => is(event),
    }
}

fn pattern(rule: &Rule) -> Formula {
    let activator = rule.activator.as_ref().map(|_| Slot::Activator);
    let ends = rule.terminator.as_ref().map(|terminator| some_other(terminator, activator));
    match (rule.kind, &rule.second) {
        (PatternKind::Some, _) => found(rule, some_other(&rule.first, activator), ends),
        (PatternKind::Causes, Some(second)) => {
            let answered = found(rule, some_other(second, Some(Slot::First)), ends.clone());
            each(rule, answered, activator, ends)
        }
        (PatternKind::Forbids, Some(second)) => {
            let kept = absent(rule, some_other(second, Some(Slot::First)), ends.clone());
            each(rule, kept, activator, ends)
        }
        (PatternKind::Requires, Some(second)) => {
            let needed = some_other(second, Some(Slot::First));
            let was = match activator {
                None => bounded(rule, once(needed)),
                Some(_) => {
                    let here =
                        fact("here", |element: &Element| element.sighting.clone().map(|sighting| [sighting]));
                    let opening = here.of([var("x")]);
                    bounded(rule, since(!opening.clone(), needed & !opening))
                }
            };
            each(rule, was, activator, ends)
        }
        _ => absent(rule, some_other(&rule.first, activator), ends),
    }
}

fn bounded(rule: &Rule, formula: Formula) -> Formula {
    match rule.within {
        Some(bound) => formula.within(Duration::ZERO..Duration::from_nanos(bound)),
        None => formula,
    }
}

/// It comes, in time, before the scope ends.
fn found(rule: &Rule, wanted: Formula, ends: Option<Formula>) -> Formula {
    match ends {
        None => bounded(rule, eventually(wanted)),
        Some(ends) => bounded(rule, until(!ends.clone(), wanted & !ends)),
    }
}

/// It does not come, as long as its time lasts, before the scope ends.
fn absent(rule: &Rule, unwanted: Formula, ends: Option<Formula>) -> Formula {
    match ends {
        None => bounded(rule, always(!unwanted)),
        Some(ends) => bounded(rule, weak_until(!unwanted, ends)),
    }
}

/// Something holds of each first event of the scope.
fn each(rule: &Rule, holds: Formula, activator: Option<Slot>, ends: Option<Formula>) -> Formula {
    let every = forall("y", is_other(&rule.first, activator).implies(holds));
    match ends {
        None => always(every),
        Some(ends) => weak_until(every, ends),
    }
}
