//! Whether what a formula speaks of occurred at all.
//!
//! A formula holds *vacuously* if it would hold as well with something false in the place of one of its parts: that part did not matter (Beer,
//! Ben-David, Eisner and Rodeh, "Efficient detection of vacuity in temporal model checking", 2001). The parts that are looked at are what
//! implications demand, where they must hold at all times that are looked at: if a formula would hold with such a demand replaced by false in every
//! run, then what triggers the demand never occurred.

use crate::acceptor::Acceptor;
use crate::automaton::Truth;
use crate::formula::Formula;
use crate::shape::{Shape, Unary};
use gainsay_core::{Error, Failure};
use std::sync::Arc;
use std::time::Duration;

/// A formula that judges runs, and what of it has occurred in them.
pub(crate) struct Judge<E> {
    pub(crate) acceptor: Acceptor<E>,
    triggers: Vec<Trigger<E>>,
    /// What its elements are, if none has come.
    missing: Option<&'static str>,
    has_judged: bool,
}

/// Something that triggers a demand.
struct Trigger<E> {
    name: String,
    /// The trigger after which it is looked for.
    outer: Option<usize>,
    /// The formula with the demand replaced by false.
    stronger: Acceptor<E>,
    has_come: bool,
}

impl<E: Clone> Judge<E> {
    /// A judge of something that is called so.
    ///
    /// # Errors
    /// As [`Acceptor::new`].
    pub(crate) fn new(formula: &Formula<E>, element: &'static str) -> Result<Judge<E>, Error> {
        let acceptor = Acceptor::new(formula)?;
        let mut triggers = Vec::new();
        for found in implications(&formula.shape) {
            let with = |shape: Arc<Shape>| Formula { shape, atoms: formula.atoms.clone() };
            triggers.push(Trigger {
                name: format!("the trigger `{}` of {formula}", with(found.trigger)),
                outer: found.outer,
                stronger: Acceptor::new(&with(found.stronger))?,
                has_come: false,
            });
        }
        Ok(Judge { acceptor, triggers, missing: Some(element), has_judged: false })
    }

    pub(crate) fn reset(&mut self) {
        self.acceptor.reset();
        self.waiting().for_each(Acceptor::reset);
    }

    fn waiting(&mut self) -> impl Iterator<Item = &mut Acceptor<E>> {
        self.triggers.iter_mut().filter(|trigger| !trigger.has_come).map(|trigger| &mut trigger.stronger)
    }

    /// Takes account of an element at a time; what is certainly broken then.
    pub(crate) fn see(&mut self, time: Duration, element: &E) -> Option<Failure> {
        self.missing = None;
        // (If time goes back, the judge itself says so.)
        self.waiting().for_each(|stronger| _ = stronger.see_at(time, element));
        if let Err(error) = self.acceptor.see_at(time, element) {
            return Some(Failure::new("", error.to_string()));
        }
        self.broken()
    }

    /// Takes account of time in which there was no element.
    pub(crate) fn pass_to(&mut self, time: Duration) -> Option<Failure> {
        self.waiting().for_each(|stronger| _ = stronger.pass_to(time));
        if let Err(error) = self.acceptor.pass_to(time) {
            return Some(Failure::new("", error.to_string()));
        }
        self.broken()
    }

    fn broken(&mut self) -> Option<Failure> {
        crate::tested::broken(&mut self.acceptor)
    }

    /// A run is over: what was demanded in it has been triggered.
    pub(crate) fn end(&mut self) {
        self.has_judged = true;
        let holds = self.acceptor.holds();
        for Trigger { stronger, has_come, .. } in self.triggers.iter_mut().filter(|trigger| !trigger.has_come)
        {
            // It matters what is demanded, if the formula holds and would not otherwise. If it does not hold yet (the run ended too early), it must
            // be certain that it would not. (What is not known is not called missing.)
            *has_come = match (holds, stronger.holds()) {
                (_, Some(true)) => false,
                (Some(false), Some(false)) => stronger.truth() == Truth::False,
                _ => true,
            };
        }
    }

    /// What has not occurred in any run.
    pub(crate) fn never(&self) -> Vec<String> {
        if !self.has_judged {
            return Vec::new();
        }
        if let Some(element) = self.missing {
            return vec![format!("{element} for {}", self.acceptor.formula())];
        }
        let is_looked_for =
            |trigger: &&Trigger<E>| trigger.outer.is_none_or(|outer| self.triggers[outer].has_come);
        let missing = self.triggers.iter().filter(|trigger| !trigger.has_come).filter(is_looked_for);
        missing.map(|trigger| trigger.name.clone()).collect()
    }
}

/// An implication that must hold whenever it is looked at.
struct Implication {
    trigger: Arc<Shape>,
    /// The whole formula with what it demands replaced by false.
    stronger: Arc<Shape>,
    /// The one whose demand it is a part of.
    outer: Option<usize>,
}

/// All implications of a formula that must hold whenever they are looked at, outer ones first.
fn implications(shape: &Arc<Shape>) -> Vec<Implication> {
    if let Some((trigger, demanded)) = implication(shape) {
        let stronger = Arc::new(Shape::Not(Arc::clone(&trigger)));
        let inner = implications(&demanded).into_iter().map(|inner| Implication {
            stronger: Arc::new(Shape::Implies(Arc::clone(&trigger), inner.stronger)),
            outer: Some(inner.outer.map_or(0, |outer| outer + 1)),
            trigger: inner.trigger,
        });
        let inner: Vec<Implication> = inner.collect();
        let first = Implication { trigger, stronger, outer: None };
        return [first].into_iter().chain(inner).collect();
    }
    let demands_all: &[usize] = match &**shape {
        Shape::And(..) => &[0, 1],
        Shape::Next { .. } | Shape::Previous { .. } => &[0],
        Shape::One(Unary::Always | Unary::Historically, ..) => &[0],
        Shape::Two(operator, ..) => operator.whole(),
        _ => &[],
    };
    let mut all: Vec<Implication> = Vec::new();
    let mut place = 0;
    shape.each_part(|part| {
        let first = all.len();
        if demands_all.contains(&place) {
            all.extend(implications(part).into_iter().map(|found| Implication {
                stronger: Arc::new(with_part(shape, place, &found.stronger)),
                outer: found.outer.map(|outer| first + outer),
                trigger: found.trigger,
            }));
        }
        place += 1;
    });
    all
}

/// What triggers a formula's demand, and the demand; nothing if it is no implication.
fn implication(shape: &Shape) -> Option<(Arc<Shape>, Arc<Shape>)> {
    let negated = |shape: &Shape| if let Shape::Not(of) = shape { Some(Arc::clone(of)) } else { None };
    let (trigger, demanded) = match shape {
        Shape::Implies(one, two) => (Arc::clone(one), two),
        // (That two things are not so at once triggers nothing.)
        Shape::Or(one, two) => match (negated(one), negated(two)) {
            (Some(trigger), None) => (trigger, two),
            (None, Some(trigger)) => (trigger, one),
            _ => return None,
        },
        _ => return None,
    };
    (*trigger != Shape::True).then(|| (trigger, Arc::clone(demanded)))
}

/// The same with another operand in one place.
fn with_part(shape: &Shape, place: usize, other: &Arc<Shape>) -> Shape {
    let mut at = 0;
    shape.with_parts(|part| {
        at += 1;
        Arc::clone(if at - 1 == place { other } else { part })
    })
}
