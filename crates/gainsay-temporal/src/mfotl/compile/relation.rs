//! Operators of which it is remembered for which values they hold, or for which they do not: those that look back, those that look ahead
//! where everything is judged when it is decided, and aggregations.

use super::super::aggregate::Aggregation;
use super::super::formula::{Part, Said, Shown, Window};
use super::super::future::{Future, FutureKind, Holds};
use super::super::past::{Keeps, Past, PastKind};
use super::super::plan::{Join, Node, Stage};
use super::super::term::Value;
use super::Compiler;
use super::search::Missing;
use crate::shape::{Binary, Unary};
use gainsay_core::Error;
use std::sync::Arc;

fn not<E, V>(said: &Part<E, V>) -> Part<E, V> {
    Arc::new(Said::Not(Arc::clone(said)))
}

/// The same operator about the element before or after, strongly.
fn neighbour<E, V>(said: &Said<E, V>, of: Part<E, V>) -> Part<E, V> {
    Arc::new(match said {
        Said::Next { window, .. } => Said::Next { weak: false, window: *window, of },
        Said::Previous { window, .. } => Said::Previous { weak: false, window: *window, of },
        _ => unreachable!("it is about a neighbour"),
    })
}

impl<E, V: Value> Compiler<E, V> {
    /// A temporal operator, or an aggregation.
    pub(super) fn relation(&mut self, said: &Part<E, V>, holds: bool) -> Result<Node<V>, Error> {
        if !self.plan.delays && said.has_future() {
            return Err(Error::specification(format!(
                "{} looks at what later elements decide",
                Shown(said, 0)
            )));
        }
        match &**said {
            Said::Previous { weak: true, of, .. } | Said::Next { weak: true, of, .. } => {
                self.relation(&neighbour(said, not(of)), !holds)
            }
            Said::Previous { window, of, .. } | Said::Next { window, of, .. } => {
                self.neighbouring(said, *window, of, holds)
            }
            Said::One(operator @ (Unary::Historically | Unary::Always), window, of) => {
                let some = if *operator == Unary::Always { Unary::Eventually } else { Unary::Once };
                self.relation(&Arc::new(Said::One(some, *window, not(of))), !holds)
            }
            Said::One(_, window, of) => self.since(said, *window, None, of, holds),
            Said::Two(operator @ (Binary::BackTo | Binary::WeakUntil), window, one, two) => {
                let (strong, always) = match operator {
                    Binary::BackTo => (Binary::Since, Unary::Historically),
                    _ => (Binary::Until, Unary::Always),
                };
                let begun = Window { from: 0, ..*window };
                let strong = Arc::new(Said::Two(strong, *window, Arc::clone(one), Arc::clone(two)));
                let always = Arc::new(Said::One(always, begun, Arc::clone(one)));
                let parts = vec![self.relation(&strong, holds)?, self.relation(&always, holds)?];
                Ok(if holds { Node::Or(parts) } else { Node::And(parts) })
            }
            Said::Two(Binary::Release, window, one, two) => {
                self.relation(&Arc::new(Said::Two(Binary::Until, *window, not(one), not(two))), !holds)
            }
            Said::Two(_, window, one, two) => self.since(said, *window, Some(one), two, holds),
            Said::Aggregate(aggregation, of) => self.aggregated(said, aggregation, of, holds),
            _ => unreachable!("it is a temporal operator, or an aggregation"),
        }
    }

    fn neighbouring(
        &mut self,
        said: &Part<E, V>,
        window: Window,
        of: &Part<E, V>,
        holds: bool,
    ) -> Result<Node<V>, Error> {
        let finds =
            |compiler: &mut Self, holds: bool| compiler.staged(said, |compiler| compiler.finds(of, holds));
        match finds(self, true) {
            Ok((finds, stage)) => {
                Ok(self.remembered(said, window, (Keeps::All, Holds::All), finds, stage, holds))
            }
            Err(Missing::Other(error)) => Err(error),
            // There is such an element, and it is not so that it does not hold there.
            Err(Missing::Values(slot)) => {
                let Ok((finds, stage)) = finds(self, false) else { return Err(self.unfound(slot, said)) };
                let not = self.remembered(said, window, (Keeps::All, Holds::All), finds, stage, !holds);
                let is_there = neighbour(said, Arc::new(Said::Constant(true)));
                let is_there = self.relation(&is_there, holds)?;
                Ok(if holds { Node::And(vec![is_there, not]) } else { Node::Or(vec![is_there, not]) })
            }
        }
    }

    /// *Since*, *until*, and those without a first operand.
    fn since(
        &mut self,
        said: &Part<E, V>,
        window: Window,
        one: Option<&Part<E, V>>,
        two: &Part<E, V>,
        holds: bool,
    ) -> Result<Node<V>, Error> {
        let is_future = said.is_future();
        if is_future {
            self.refuse_unbounded(said, window)?;
        }
        let operands = self.staged(said, |compiler| {
            let finds = compiler.finds(two, true)?;
            let Some(one) = one else { return Ok((finds, (Keeps::All, Holds::All))) };
            let (all, given) = (compiler.free(said), compiler.free(two));
            if let Some(slot) = all.iter().find(|slot| !given.contains(slot)) {
                return Err(Missing::Values(*slot));
            }
            let slots = compiler.free(one);
            let first = match (compiler.finds(one, false), is_future) {
                (Err(Missing::Other(error)), _) => return Err(Missing::Other(error)),
                (Ok(joins), false) => (Keeps::Unless(joins), Holds::All),
                (Ok(joins), true) => (Keeps::All, Holds::Unless(joins, slots)),
                (Err(Missing::Values(_)), false) => {
                    (Keeps::Those(compiler.node(one, true).map_err(Missing::Other)?), Holds::All)
                }
                (Err(Missing::Values(_)), true) => {
                    (Keeps::All, Holds::Those(compiler.finds(one, true)?, slots))
                }
            };
            Ok((finds, first))
        });
        let ((finds, first), stage) = operands.map_err(|missing| self.unfound_or(missing, said))?;
        Ok(self.remembered(said, window, first, finds, stage, holds))
    }

    fn aggregated(
        &mut self,
        said: &Part<E, V>,
        aggregation: &Arc<Aggregation<V>>,
        of: &Part<E, V>,
        holds: bool,
    ) -> Result<Node<V>, Error> {
        let mut slots: Vec<_> = aggregation.by.iter().filter_map(|name| self.slot(name)).collect();
        slots.extend(self.slot(&aggregation.result));
        // Its formula has variables of its own, those of groups first.
        let before = self.scope.len();
        let mut names = of.free();
        names.retain(|name| !aggregation.by.contains(name));
        let inner = aggregation.by.iter().chain(&names).map(|name| self.bind(name)).collect();
        let finds = self.finds(of, true).map_err(|missing| self.unfound_or(missing, said));
        let term = self.place(&aggregation.term);
        self.scope.truncate(before);
        let kind = PastKind::Aggregate { aggregation: Arc::clone(aggregation), term, of: inner };
        self.plan.pasts.push(Past { kind, window: Window::ALL, slots, finds: finds? });
        Ok(self.past(holds))
    }

    /// Operands, and what they are made of if the operator looks ahead.
    fn staged<T>(
        &mut self,
        said: &Said<E, V>,
        operands: impl FnOnce(&mut Self) -> Result<T, Missing>,
    ) -> Result<(T, Option<Stage>), Missing> {
        if !said.is_future() {
            return Ok((self.attempt(operands)?, None));
        }
        let outer = std::mem::take(&mut self.plan.stage);
        let operands = self.attempt(operands);
        let stage = std::mem::replace(&mut self.plan.stage, outer);
        Ok((operands?, Some(stage)))
    }

    fn past(&mut self, holds: bool) -> Node<V> {
        let past = self.plan.pasts.len() - 1;
        self.plan.stage.pasts.push(past);
        Node::Past { past, holds }
    }

    fn remembered(
        &mut self,
        said: &Said<E, V>,
        window: Window,
        (keeps, first): (Keeps<V>, Holds<V>),
        finds: Vec<Join<V>>,
        stage: Option<Stage>,
        holds: bool,
    ) -> Node<V> {
        let slots = self.free(said);
        let is_neighbour = matches!(said, Said::Next { .. } | Said::Previous { .. });
        let Some(stage) = stage else {
            let kind = if is_neighbour { PastKind::Previous } else { PastKind::Since(keeps) };
            self.plan.pasts.push(Past { kind, window, slots, finds });
            return self.past(holds);
        };
        let kind = if is_neighbour { FutureKind::Next } else { FutureKind::Until(first) };
        let reach = self
            .plan
            .reach(&stage)
            .and_then(|reach| Some(reach.saturating_add(window.to?).saturating_add(1)));
        self.plan.futures.push(Future { kind, window, slots, finds, stage, reach });
        let future = self.plan.futures.len() - 1;
        self.plan.stage.futures.push(future);
        Node::Future { future, holds }
    }
}
