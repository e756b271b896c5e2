//! The ten bugs that can be planted, one at a time.

/// One bug, as people make them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bug {
    /// An obstacle at exactly the distance of the limit is not near.
    LimitLeftOut,
    /// Parking is noted the first time only.
    ParksOnce,
    /// Of the bumpers that are pressed, the last one is remembered.
    LastBumperOnly,
    /// Creeping is not prolonged while it lasts.
    CreepNotProlonged,
    /// A measurement that changes nothing is dropped before the watchdog sees it.
    SameAgainDropped,
    /// The plan made before the last one is taken up again by its id, even if the goal has moved.
    PlanFoundById,
    /// A clear view lifts the hold after danger.
    ClearViewLiftsHold,
    /// A second press adds to the time of backing off instead of starting it anew.
    BackingOffAddsUp,
    /// Before the first goal, the goal is the origin.
    OriginIsGoal,
    /// Arrival is checked when the position changes, not when the goal does.
    GoalUnderfootMissed,
}

impl Bug {
    /// All of them, in the order of their numbers.
    pub(crate) const ALL: [Self; 10] = [
        Self::LimitLeftOut,
        Self::ParksOnce,
        Self::LastBumperOnly,
        Self::CreepNotProlonged,
        Self::SameAgainDropped,
        Self::PlanFoundById,
        Self::ClearViewLiftsHold,
        Self::BackingOffAddsUp,
        Self::OriginIsGoal,
        Self::GoalUnderfootMissed,
    ];

    /// The bug of a number from 1 to 10.
    pub(crate) fn numbered(number: usize) -> Option<Self> {
        Self::ALL.get(number.checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests;
