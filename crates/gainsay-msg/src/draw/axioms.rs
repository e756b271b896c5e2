//! What axioms want of the next message, how long they make it wait, and which of them is to blame.

use super::Drawing;
use crate::construct::Wish;
use crate::hpl::PatternKind;
use crate::monitor::{Monitor, Monitors};
use crate::rule::{Alternative, EventRule, Rule};
use crate::term::{Messages, Slot, Term};
use gainsay_core::Case;
use std::sync::Arc;

/// Why a trace could not be drawn.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) why: &'static str,
    /// The axiom that is to blame, if one is.
    pub(crate) axiom: Option<Arc<Rule>>,
}

impl Refused {
    pub(super) fn by(axiom: Option<Arc<Rule>>, why: &'static str) -> Refused {
        Refused { why, axiom }
    }
}

impl From<&'static str> for Refused {
    fn from(why: &'static str) -> Refused {
        Refused { why, axiom: None }
    }
}

/// So often a message is tried to be made without an axiom.
const BLAME_TRIES: u64 = 8;

impl Drawing<'_> {
    /// Whether all axioms were kept so far.
    pub(super) fn unbroken(&mut self) -> Result<(), Refused> {
        if !self.axioms.is_violated() {
            return Ok(());
        }
        let broken = self.axioms.monitors().iter().find(|monitor| !monitor.violations.is_empty());
        Err(Refused::by(broken.map(|monitor| Arc::clone(&monitor.rule)), "the trace would break it"))
    }

    /// The axiom whose promise falls due first.
    pub(super) fn promising(&self) -> Option<Arc<Rule>> {
        let monitors = self.axioms.monitors().iter();
        let due = monitors.filter_map(|monitor| Some((monitor.promise()?.0, monitor)));
        due.min_by_key(|(at, _)| *at).map(|(_, monitor)| Arc::clone(&monitor.rule))
    }

    /// The axiom that is to blame for a message that could not be made: without it, most tries make one.
    pub(super) fn to_blame(
        &self,
        axioms: &Monitors,
        at: u64,
        one: &Alternative,
        slot: Slot,
        known: Messages<'_>,
    ) -> Option<Arc<Rule>> {
        let made_without = |left_out: usize| {
            let mut wishes: Vec<Wish<'_>> = wish(one, slot, known, true).into_iter().collect();
            let others = axioms.monitors().iter().enumerate().filter(|(place, _)| *place != left_out);
            let mut others = others.map(|(_, monitor)| monitor);
            if !others.all(|monitor| axiom_wish(monitor, at, &one.channel, &mut wishes)) {
                return 0;
            }
            let made = |index: &u64| {
                self.make(&mut Case::random(0, *index), &one.channel, &one.of, &wishes).is_some()
            };
            (0..BLAME_TRIES).filter(made).count()
        };
        let tried =
            axioms.monitors().iter().enumerate().map(|(place, monitor)| (made_without(place), monitor));
        let (_, monitor) = tried.filter(|(made, _)| *made > 0).rev().max_by_key(|(made, _)| *made)?;
        Some(Arc::clone(&monitor.rule))
    }
}

/// That a message is of a kind, or is not.
pub(super) fn wish<'a>(one: &Alternative, slot: Slot, known: Messages<'a>, wanted: bool) -> Option<Wish<'a>> {
    one.condition.as_ref().map(|condition| Wish { term: condition.clone(), wanted, unknown: slot, known })
}

/// What axioms want of a message on a channel at a time; false if they want none.
pub(super) fn axiom_wishes<'a>(
    axioms: &'a Monitors,
    at: u64,
    channel: &str,
    wishes: &mut Vec<Wish<'a>>,
) -> bool {
    axioms.monitors().iter().all(|monitor| axiom_wish(monitor, at, channel, wishes))
}

fn axiom_wish<'a>(monitor: &'a Monitor, at: u64, channel: &str, wishes: &mut Vec<Wish<'a>>) -> bool {
    let crate::monitor::State::Open { since, activator } = &monitor.state else { return true };
    let rule = &monitor.rule;
    let mut known: Messages<'a> = [None; Slot::COUNT];
    known[Slot::Activator as usize] = activator.as_ref().map(|message| &message.value);
    let on = |event: &'a EventRule| {
        event.alternatives.iter().enumerate().filter(|(_, one)| *one.channel == *channel)
    };
    let in_time = |since: u64| monitor.bound.is_none_or(|bound| at.saturating_sub(since) < bound);
    match rule.kind {
        PatternKind::No if in_time(*since) => on(&rule.first).all(|(_, one)| {
            wishes.extend(wish(one, Slot::First, known, false));
            one.condition.is_some()
        }),
        PatternKind::Forbids => {
            let Some(second) = &rule.second else { return true };
            on(second).all(|(place, one)| {
                // (Of those that ask for the same, one is enough; many are looked at when all is done.)
                let kept = monitor.pool.messages().rev().filter(|kept| in_time(kept.at));
                let most = if monitor.links[place].is_linked { 8 } else { 1 };
                kept.take(most).all(|kept| {
                    let mut known = known;
                    known[Slot::First as usize] = Some(&kept.value);
                    wishes.extend(wish(one, Slot::Second, known, false));
                    one.condition.is_some()
                })
            })
        }
        PatternKind::Requires => on(&rule.first).all(|(_, one)| {
            let links = || monitor.links.iter().enumerate();
            let kept = |place: usize| monitor.pool.messages_of(place).filter(|kept| in_time(kept.at));
            if links().any(|(place, link)| !link.is_linked && kept(place).next().is_some()) {
                return true;
            }
            let found = links().find_map(|(place, link)| Some((link, kept(place).last()?)));
            match (found, &one.condition) {
                (Some((link, kept)), condition) => {
                    let mut known = known;
                    known[Slot::Second as usize] = Some(&kept.value);
                    let Some(joined) = &link.condition else { return true };
                    let term = match condition {
                        Some(condition) => Term::Or(
                            Box::new(Term::Not(Box::new(condition.clone()))),
                            Box::new(joined.clone()),
                        ),
                        None => joined.clone(),
                    };
                    wishes.push(Wish { term, wanted: true, unknown: Slot::First, known });
                    true
                }
                (None, Some(_)) => {
                    wishes.extend(wish(one, Slot::First, known, false));
                    true
                }
                (None, None) => false,
            }
        }),
        _ => true,
    }
}

/// When the next thing that is forbidden for a while is allowed again.
pub(super) fn release(axioms: &Monitors, at: u64) -> Option<u64> {
    let forbid = axioms.monitors().iter().filter(|monitor| monitor.rule.kind == PatternKind::Forbids);
    let ends =
        forbid.flat_map(|monitor| monitor.pool.messages().filter_map(|kept| Some(kept.at + monitor.bound?)));
    ends.filter(|end| *end > at).min()
}
