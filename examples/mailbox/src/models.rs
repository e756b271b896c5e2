//! What buffer and message box are meant to do.

use crate::buffer::{Buffer, Circular, Code, MockBuffer};
use crate::mailbox::MailBox;
use gainsay::callout::call;
use gainsay::{Model, model};
use std::collections::VecDeque;

/// The size that was asked for, and what is inside; nothing before that.
pub(crate) type Inside = Option<(usize, VecDeque<u8>)>;

fn made(state: &Inside) -> bool {
    state.is_some()
}

fn has_room(state: &Inside) -> bool {
    state.as_ref().is_some_and(|(size, items)| items.len() < *size)
}

fn has_some(state: &Inside) -> bool {
    state.as_ref().is_some_and(|(_, items)| !items.is_empty())
}

fn count(state: &Inside) -> usize {
    state.as_ref().map_or(0, |(_, items)| items.len())
}

fn front(state: &Inside) -> Option<u8> {
    state.as_ref().and_then(|(_, items)| items.front().copied())
}

fn add(state: &mut Inside, item: u8) {
    if let Some((_, items)) = state {
        items.push_back(item);
    }
}

fn take(state: &mut Inside) {
    if let Some((_, items)) = state {
        items.pop_front();
    }
}

/// A buffer by itself, nothing mocked.
pub(crate) fn buffer(room: Option<usize>) -> Model<Inside, Circular> {
    model(|| None, move || Circular::new(room))
        .operation(
            "create",
            |_, case| case.int(1..=256u16),
            |buffer, size| buffer.create(*size),
            |create| {
                create
                    .when(|state| !made(state))
                    .next(|state, size| *state = Some((usize::from(*size), VecDeque::new())))
            },
        )
        .operation(
            "push",
            |_, case| case.any::<u8>(),
            |buffer, item| buffer.push(*item),
            |push| push.when(has_room).returns(|_, _| 0).next(|state, item| add(state, *item)),
        )
        .operation(
            "pop",
            |_, _| (),
            |buffer, ()| {
                let mut item = 0;
                (buffer.pop(&mut item) == 0).then_some(item)
            },
            |pop| pop.when(has_some).returns(|state, ()| front(state)).next(|state, ()| take(state)),
        )
}

/// A message box on a buffer that is mocked. The buffer is said to hold so many items, whatever it was asked for.
pub(crate) fn mailbox(holds: usize) -> Model<Inside, MailBox<MockBuffer>> {
    let full = move |state: &Inside| -> Code { u8::from(count(state) >= holds) };
    model(|| None, || MailBox::new(MockBuffer::new()))
        .operation(
            "create",
            |_, case| case.int(1..=256u16),
            |mailbox, size| mailbox.create(*size),
            |create| {
                create
                    .when(|state| !made(state))
                    .calls(|_, size| call(MockBuffer::CREATE).given((*size,)))
                    .next(|state, size| *state = Some((usize::from(*size), VecDeque::new())))
            },
        )
        .operation(
            "post",
            |_, case| case.any::<u8>(),
            |mailbox, message| mailbox.post(*message),
            |post| {
                post.when(has_room)
                    .calls(move |state, message| {
                        call(MockBuffer::PUSH).given((*message,)).returns(full(state))
                    })
                    .returns(|_, _| 0)
                    .next(|state, message| add(state, *message))
            },
        )
        .operation(
            "fetch",
            |_, _| (),
            |mailbox, ()| mailbox.fetch(),
            |fetch| {
                fetch
                    .when(has_some)
                    .calls(|state, ()| {
                        let front = front(state).unwrap_or_default();
                        call(MockBuffer::POP).replies(move |(item,)| {
                            *item = front;
                            0
                        })
                    })
                    .returns(|state, ()| front(state))
                    .next(|state, ()| take(state))
            },
        )
}
