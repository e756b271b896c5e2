//! A few tests by hand, the same ones for every implementation.

use super::ReadersWriters;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::spawn;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(5);
const SHORT: Duration = Duration::from_millis(50);

/// A call in another thread.
struct Background(Receiver<()>);

impl Background {
    fn start<R: ReadersWriters>(rw: &Arc<R>, call: impl FnOnce(&R) + Send + 'static) -> Self {
        let (ended, receiver) = channel();
        let rw = Arc::clone(rw);
        spawn(move || {
            call(&rw);
            ended.send(()).unwrap();
        });
        Background(receiver)
    }

    fn expect_blocked(&self) {
        assert_eq!(self.0.recv_timeout(SHORT), Err(RecvTimeoutError::Timeout), "should block");
    }

    fn expect_ended(&self) {
        assert_eq!(self.0.recv_timeout(LIMIT), Ok(()), "should end");
    }
}

fn one_after_the_other<R: ReadersWriters>() {
    let rw = Arc::new(R::new());
    Background::start(&rw, |rw| {
        rw.before_read();
        rw.after_read();
        rw.before_write();
        rw.after_write();
        rw.before_read();
        rw.after_read();
    })
    .expect_ended();
}

fn two_readers_at_once<R: ReadersWriters>() {
    let rw = Arc::new(R::new());
    Background::start(&rw, |rw| {
        rw.before_read();
        rw.before_read();
        rw.after_read();
        rw.after_read();
        rw.before_write();
    })
    .expect_ended();
}

fn reader_waits_for_writer<R: ReadersWriters>() {
    let rw = Arc::new(R::new());
    rw.before_write();
    let reader = Background::start(&rw, R::before_read);
    reader.expect_blocked();
    rw.after_write();
    reader.expect_ended();
    rw.after_read();
}

fn writer_waits_for_reader<R: ReadersWriters>() {
    let rw = Arc::new(R::new());
    rw.before_read();
    let writer = Background::start(&rw, R::before_write);
    writer.expect_blocked();
    rw.after_read();
    writer.expect_ended();
    rw.after_write();
}

fn writer_waits_for_writer<R: ReadersWriters>() {
    let rw = Arc::new(R::new());
    rw.before_write();
    let writer = Background::start(&rw, R::before_write);
    writer.expect_blocked();
    rw.after_write();
    writer.expect_ended();
    rw.after_write();
}

fn check<R: ReadersWriters>() {
    one_after_the_other::<R>();
    two_readers_at_once::<R>();
    reader_waits_for_writer::<R>();
    writer_waits_for_reader::<R>();
    writer_waits_for_writer::<R>();
}

#[test]
fn board() {
    check::<super::board::Board>();
}

#[test]
fn numbers() {
    check::<super::numbers::Numbers>();
}

#[test]
fn porter() {
    check::<super::porter::Porter>();
}

#[test]
fn tickets() {
    check::<super::tickets::Tickets>();
}

#[test]
fn turns() {
    check::<super::turns::Turns>();
}
