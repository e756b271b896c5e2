//! How often the operations of a cluster came so far.

use super::Plan;

pub(super) struct Counts {
    /// By component and operation.
    of: Vec<Vec<Count>>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    proposed: u64,
    ran: u64,
}

impl Counts {
    /// None so far.
    pub(super) fn of(plan: &Plan) -> Counts {
        let of = plan.components.iter().map(|part| vec![Count::default(); part.component.operations()]);
        Counts { of: of.collect() }
    }

    pub(super) fn proposed(&mut self, who: usize, operation: usize) {
        self.of[who][operation].proposed += 1;
    }

    pub(super) fn ran(&mut self, who: usize, operation: usize) {
        self.of[who][operation].ran += 1;
    }

    /// Why an operation never ran.
    pub(super) fn never(&self, who: usize, operation: usize) -> Option<String> {
        match self.of[who][operation] {
            Count { ran: 1.., .. } => None,
            Count { proposed: 0, .. } => Some("never ran: nobody called it".into()),
            Count { proposed, .. } => {
                Some(format!("never ran: its precondition held for none of {proposed} proposed arguments"))
            }
        }
    }
}
