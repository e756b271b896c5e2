//! A register with compare-and-set. It holds nothing at first.

pub(super) type State = Option<i64>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Read,
    Write(i64),
    Cas { from: i64, to: i64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Return {
    Read(State),
    Write,
    /// Was the value set?
    Cas(bool),
}

/// The state after the call, or `None` if the call cannot return this in this state. A call whose return is
/// not known can return anything.
pub(super) fn step(state: &State, call: &Call, returned: Option<&Return>) -> Option<State> {
    let (next, returns) = match *call {
        Call::Read => (*state, Return::Read(*state)),
        Call::Write(value) => (Some(value), Return::Write),
        Call::Cas { from, to } if *state == Some(from) => (Some(to), Return::Cas(true)),
        Call::Cas { .. } => (*state, Return::Cas(false)),
    };
    returned.is_none_or(|returned| *returned == returns).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_return_is_checked_if_it_is_known() {
        let cas = Call::Cas { from: 1, to: 2 };
        assert_eq!(step(&Some(1), &cas, Some(&Return::Cas(true))), Some(Some(2)));
        assert_eq!(step(&Some(1), &cas, Some(&Return::Cas(false))), None);
        assert_eq!(step(&Some(3), &cas, Some(&Return::Cas(false))), Some(Some(3)));
        assert_eq!(step(&Some(1), &cas, None), Some(Some(2)));
        assert_eq!(step(&None, &cas, None), Some(None));
        assert_eq!(step(&None, &Call::Read, Some(&Return::Read(None))), Some(None));
        assert_eq!(step(&Some(4), &Call::Read, Some(&Return::Read(None))), None);
    }
}
