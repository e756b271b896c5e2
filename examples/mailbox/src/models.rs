//! What buffer and message box are meant to do.

use crate::buffer::{Buffer, Circular, Code, MockBuffer, SpyBuffer};
use crate::mailbox::MailBox;
use gainsay::callout::call;
use gainsay::{Cluster, Model, cluster, model};
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

/// A buffer by itself, nothing mocked. It is specified to hold so many items, and really has so much room.
pub(crate) fn buffer(holds: usize, room: usize) -> Model<Inside, Circular> {
    model(|| None, move || Circular::new(room))
        .operation(
            "create",
            |_, case| case.int(1..=256u16),
            |buffer, size| buffer.create(*size),
            |create| {
                create
                    .callers(["mailbox"])
                    .when(|state| !made(state))
                    .next(|state, size| *state = Some((usize::from(*size), VecDeque::new())))
            },
        )
        .operation(
            "push",
            |_, case| case.any::<u8>(),
            |buffer, item| buffer.push(*item),
            move |push| {
                push.callers(["mailbox"])
                    .when(move |state| has_room(state) && count(state) < holds)
                    .returns(|_, _| 0)
                    .next(|state, item| add(state, *item))
            },
        )
        .operation(
            "pop",
            |_, _| (),
            |buffer, ()| {
                let mut item = 0;
                (buffer.pop(&mut item) == 0).then_some(item)
            },
            |pop| {
                pop.callers(["mailbox"])
                    .when(has_some)
                    .returns(|state, ()| front(state))
                    .next(|state, ()| take(state))
            },
        )
}

/// A message box on some buffer. Whoever answers for the buffer says that it holds so many items, whatever it was asked for.
pub(crate) fn mailbox<B: Buffer + 'static>(
    holds: usize,
    buffer: impl Fn() -> B + Send + Sync + 'static,
) -> Model<Inside, MailBox<B>> {
    let full = move |state: &Inside| -> Code { u8::from(count(state) >= holds) };
    model(|| None, move || MailBox::new(buffer()))
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
                        call(MockBuffer::PUSH)
                            .given((*message,))
                            .returns(full(state))
                            .deviation("is full too early", |_| 1)
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
                        call(MockBuffer::POP)
                            .given((0,))
                            .replies(move |(item,)| {
                                *item = front;
                                0
                            })
                            .deviation("changes large messages", move |(item,)| {
                                *item = front & 0x7f;
                                0
                            })
                            .deviation("answers 2 for 0", |_| 2)
                    })
                    .returns(|state, ()| front(state))
                    .next(|state, ()| take(state))
            },
        )
}

/// Both, and who calls whom. The buffer is specified to hold so many items, and the real one has so much room.
pub(crate) fn both(holds: usize, room: usize) -> Cluster {
    cluster("mailbox on buffer")
        .component("mailbox", mailbox(usize::MAX, move || SpyBuffer::new(Circular::new(room))))
        .component("buffer", buffer(holds, room))
        .bind(MockBuffer::CREATE, "buffer", "create", |(size,)| *size, |_, ()| ())
        .bind(MockBuffer::PUSH, "buffer", "push", |(item,)| *item, |_, code| *code)
        .bind(MockBuffer::POP, "buffer", "pop", |_| (), |(item,), code| (*code == 0).then_some(*item))
}
