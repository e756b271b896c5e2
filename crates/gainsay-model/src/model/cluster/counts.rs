//! How often the operations of a cluster came so far.

use super::Plan;
use gainsay_core::Settings;

pub(super) struct Counts {
    /// By component and operation.
    of: Vec<Vec<Count>>,
    /// One test is run that was asked for.
    is_replay: bool,
}

#[derive(Clone, Copy, Default)]
struct Count {
    proposed: u64,
    ran: u64,
}

impl Counts {
    /// None so far.
    pub(super) fn of(plan: &Plan, settings: &Settings) -> Counts {
        let of = plan.components.iter().map(|part| vec![Count::default(); part.component.operations()]);
        Counts { of: of.collect(), is_replay: settings.is_replay() }
    }

    pub(super) fn proposed(&mut self, who: usize, operation: usize) {
        self.of[who][operation].proposed += 1;
    }

    pub(super) fn ran(&mut self, who: usize, operation: usize) {
        self.of[who][operation].ran += 1;
    }

    /// Whether they say what is tested: not if one test was asked for, nor if tests ran in another process.
    pub(super) fn are_telling(&self) -> bool {
        !self.is_replay && self.of.iter().flatten().any(|count| count.ran > 0)
    }

    /// Why an operation never ran.
    pub(super) fn never(&self, who: usize, operation: usize) -> Option<String> {
        match self.of[who][operation] {
            Count { ran: 1.., .. } => None,
            Count { proposed: 0, .. } => Some("nobody called it".into()),
            Count { proposed, .. } => {
                Some(format!("its precondition held for none of {proposed} proposed arguments"))
            }
        }
    }
}
