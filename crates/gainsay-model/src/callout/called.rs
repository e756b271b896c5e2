//! A call that was made, and what it is answered.

use crate::model::Active;
use gainsay_core::Case;
use std::any::Any;
use std::fmt::{self, Debug};
use std::sync::Arc;

/// What a call is answered.
pub(crate) enum Answer {
    Returns {
        value: Box<dyn Any + Send>,
        /// The arguments, as they are afterwards, if they may have been changed.
        arguments: Option<Box<dyn Any + Send>>,
    },
    Panics(String),
    /// Nothing was said, and somebody real answers.
    Open,
}

impl Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Answer::Returns { .. } => "returns something",
            Answer::Panics(message) => message,
            Answer::Open => "something",
        })
    }
}

/// A call that was made.
pub(crate) struct Called {
    pub(crate) name: &'static str,
    pub(crate) arguments: Box<dyn Any + Send>,
    show: fn(&(dyn Any + Send)) -> String,
    /// Somebody real answers it.
    pub(crate) is_spied: bool,
    more: Option<Box<More>>,
}

/// What few calls need.
#[derive(Default)]
struct More {
    /// What answers are drawn from.
    case: Option<Box<Case>>,
    /// What was drawn for this call, by whom: once, whoever asks.
    drawn: Vec<(usize, Box<dyn Any + Send>)>,
    /// What happens otherwise than it should.
    deviating: Option<Arc<Active>>,
    /// What was decided about that: once, whoever asks.
    decided: Vec<(&'static str, bool)>,
}

impl Debug for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Called {
    pub(crate) fn new<A: Clone + Debug + Send + 'static>(name: &'static str, arguments: A) -> Called {
        fn show<A: Debug + 'static>(arguments: &(dyn Any + Send)) -> String {
            arguments.downcast_ref::<A>().map_or_else(String::new, |arguments| shown_arguments(arguments))
        }
        Called { name, arguments: Box::new(arguments), show: show::<A>, is_spied: false, more: None }
    }

    /// Lends what answers are drawn from, if there is something.
    pub(crate) fn lend(&mut self, case: &mut Option<Box<Case>>) {
        if case.is_some() {
            self.more.get_or_insert_default().case = case.take();
        }
    }

    /// Gives back what was lent.
    pub(crate) fn give_back(&mut self) -> Option<Box<Case>> {
        self.more.as_mut()?.case.take()
    }

    /// Says what happens otherwise than it should.
    pub(crate) fn deviate(&mut self, active: &Arc<Active>) {
        self.more.get_or_insert_default().deviating = Some(Arc::clone(active));
    }

    pub(super) fn case(&mut self) -> Option<&mut Case> {
        self.more.as_mut()?.case.as_deref_mut()
    }

    /// What was drawn by somebody.
    pub(super) fn drawn(&self, who: usize) -> Option<&(dyn Any + Send)> {
        let drawn = self.more.as_ref()?.drawn.iter().find(|(other, _)| *other == who);
        drawn.map(|(_, value)| value.as_ref())
    }

    pub(super) fn remember(&mut self, who: usize, value: Box<dyn Any + Send>) {
        self.more.get_or_insert_default().drawn.push((who, value));
    }

    /// Whether whoever answers deviates in this way.
    pub(super) fn deviates(&mut self, name: &'static str) -> bool {
        let Some(more) = &mut self.more else { return false };
        let Some(active) = &more.deviating else { return false };
        if let Some((_, decided)) = more.decided.iter().find(|(known, _)| *known == name) {
            return *decided;
        }
        let decided = active.happens(name);
        more.decided.push((name, decided));
        decided
    }

    /// The call as people read it.
    pub(crate) fn shown(&self) -> String {
        format!("{}({})", self.name, (self.show)(self.arguments.as_ref()))
    }
}

/// Arguments as they stand in a call: a tuple without its parentheses.
pub(super) fn shown_arguments(arguments: &dyn Debug) -> String {
    let shown = format!("{arguments:?}");
    match shown.strip_prefix('(').and_then(|shown| shown.strip_suffix(')')) {
        Some(inside) => inside.strip_suffix(',').unwrap_or(inside).to_string(),
        None => shown,
    }
}
