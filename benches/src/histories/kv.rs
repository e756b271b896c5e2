//! A key-value store, one key at a time. Each key holds the empty string at first.

pub(super) type State = String;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) key: String,
    pub(super) action: Action,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Get,
    Put(String),
    Append(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Return {
    Get(String),
    Put,
    Append,
}

/// The value of the call's key after the call, or `None` if the call cannot return this when `state` is that
/// value. A call whose return is not known can return anything.
pub(super) fn step(state: &State, call: &Call, returned: Option<&Return>) -> Option<State> {
    match (&call.action, returned) {
        (Action::Get, None) => Some(state.clone()),
        (Action::Get, Some(Return::Get(value))) => (value == state).then(|| state.clone()),
        (Action::Put(value), None | Some(Return::Put)) => Some(value.clone()),
        (Action::Append(value), None | Some(Return::Append)) => Some([state.as_str(), value].concat()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_return_is_checked_if_it_is_known() {
        let call = |action| Call { key: "k".to_owned(), action };
        let appended = step(&"a".to_owned(), &call(Action::Append("b".to_owned())), Some(&Return::Append));
        assert_eq!(appended.as_deref(), Some("ab"));
        let get = call(Action::Get);
        assert_eq!(step(&"a".to_owned(), &get, Some(&Return::Get("a".to_owned()))).as_deref(), Some("a"));
        assert_eq!(step(&"a".to_owned(), &get, Some(&Return::Get("b".to_owned()))), None);
        assert_eq!(step(&"a".to_owned(), &get, None).as_deref(), Some("a"));
    }
}
