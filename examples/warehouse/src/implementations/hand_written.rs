//! A few tests by hand, the same ones for every implementation.

use super::Warehouse;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::spawn;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(5);
const SHORT: Duration = Duration::from_millis(50);

/// A call in another thread.
struct Background(Receiver<()>);

impl Background {
    fn start<W: Warehouse>(warehouse: &Arc<W>, call: impl FnOnce(&W) + Send + 'static) -> Self {
        let (ended, receiver) = channel();
        let warehouse = Arc::clone(warehouse);
        spawn(move || {
            call(&warehouse);
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

fn one_robot_goes_through<W: Warehouse>() {
    let warehouse = Arc::new(W::new(3, 10));
    Background::start(&warehouse, |w| {
        for n in 0..3 {
            w.enter(n, 4);
            w.exit(n, 4);
        }
    })
    .expect_ended();
}

fn two_robots_in_one_warehouse<W: Warehouse>() {
    let warehouse = Arc::new(W::new(3, 10));
    Background::start(&warehouse, |w| {
        w.enter(0, 4);
        w.enter(0, 5);
        w.exit(0, 4);
        w.enter(1, 4);
        w.exit(0, 5);
        w.enter(1, 5);
    })
    .expect_ended();
}

fn enter_waits_for_space<W: Warehouse>() {
    let warehouse = Arc::new(W::new(3, 10));
    warehouse.enter(0, 6);
    let second = Background::start(&warehouse, |w| w.enter(0, 6));
    second.expect_blocked();
    warehouse.exit(0, 6);
    second.expect_ended();
}

fn exit_waits_for_corridor<W: Warehouse>() {
    let warehouse = Arc::new(W::new(3, 10));
    warehouse.enter(0, 4);
    warehouse.exit(0, 4);
    warehouse.enter(0, 3);
    let second = Background::start(&warehouse, |w| w.exit(0, 3));
    second.expect_blocked();
    warehouse.enter(1, 4);
    second.expect_ended();
}

fn check<W: Warehouse>() {
    one_robot_goes_through::<W>();
    two_robots_in_one_warehouse::<W>();
    enter_waits_for_space::<W>();
    exit_waits_for_corridor::<W>();
}

#[test]
fn depot() {
    check::<super::depot::Depot>();
}

#[test]
fn monitor() {
    check::<super::monitor::Monitor>();
}

#[test]
fn rooms() {
    check::<super::rooms::Rooms>();
}

#[test]
fn sections() {
    check::<super::sections::Sections>();
}

#[test]
fn server() {
    check::<super::server::Server>();
}

#[test]
fn tally() {
    check::<super::tally::Tally>();
}

#[test]
fn yard() {
    check::<super::yard::Yard>();
}
