//! What goes wrong, and how it is told.

use crate::broker::{Broker, Folder, Nobody};
use crate::peer::Peer;
use crate::{LIMIT, await_condition, await_seen, begin, bus, data, input, options, output, shown};
use gainsay_mqtt::MqttOptions;
use gainsay_msg::{Bus, Message, Ready, Starting, Trouble, TroubleKind};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A shell as the system, ready when it says so.
fn shell(script: &str) -> Starting {
    let mut starting = Starting::new(["sh", "-c", script]);
    starting.ready = Ready::Words("ready".into());
    starting
}

/// Lets time pass until there is trouble.
#[track_caller]
fn await_trouble(bus: &mut dyn Bus, seen: &mut Vec<Arc<Message>>) -> Trouble {
    let passed = bus.pass(LIMIT.as_nanos() as u64, false, seen);
    passed.expect_err("there is trouble")
}

#[test]
fn without_a_broker_the_way_out_is_told() {
    let nobody = Nobody::new();
    let port = nobody.port();
    let mut options = MqttOptions::default();
    options.port = port;
    let trouble = begin(&mut bus(options, &[output("/out", "out", "text")], None)).expect_err("no broker");
    assert_eq!(trouble.kind, TroubleKind::Start);
    let what = format!(
        "there is no broker at 127.0.0.1:{port}: Connection refused (os error 111); \
         start one (`mosquitto -p {port}`), or set `host` and `port` in `[mqtt]`"
    );
    assert_eq!(trouble.what, what);
}

#[test]
fn a_broker_whose_port_is_taken_is_started_at_another_one() {
    // Somebody else listens where a broker is about to be started, and takes connections as it would.
    let taken = 28_830;
    // (Or it is taken already: that is the same.)
    let _other = TcpListener::bind((Ipv4Addr::UNSPECIFIED, taken));
    let broker = Broker::at(taken.., Folder::new(), "allow_anonymous true");
    assert!(broker.port > taken);
    begin(&mut bus(options(&broker), &[output("/out", "out", "text")], None)).expect("a broker");
}

#[test]
fn a_broker_may_go_and_come_back() {
    let mut broker = Broker::start();
    let channels = [input("/in", "in", "text"), output("/out", "out", "text")];
    let mut options = options(&broker);
    options.qos = 1;
    let mut bus = bus(options, &channels, Some(shell("echo ready >&2; exec sleep 1000")));
    begin(&mut bus).expect("a broker");
    let mut seen = Vec::new();
    broker.kill();
    let trouble = await_trouble(&mut bus, &mut seen);
    assert_eq!(trouble.kind, TroubleKind::Lost);
    let gone = format!("the broker at {} is gone: ", broker.address());
    assert!(trouble.what.starts_with(&gone), "{trouble}");
    let message = Arc::new(Message::at_ms(0, "/in", data("x")));
    assert_eq!(bus.publish(&message, &mut seen).expect_err("no broker").kind, TroubleKind::Lost);
    bus.finish();
    // It is nothing about the system that there is still none.
    assert_eq!(begin(&mut bus).expect_err("no broker").kind, TroubleKind::Lost);
    broker.revive();
    begin(&mut bus).expect("the broker is back");
    bus.publish(&message, &mut seen).expect("no trouble");
    Peer::new(&broker).publish("out", "y");
    await_seen(&mut bus, 2, &mut seen);
    assert_eq!(shown(&seen), [r#"/in {data: "x"}"#, r#"/out {data: "y"}"#]);
}

#[test]
fn a_system_that_dies_has_last_words() {
    let broker = Broker::start();
    let folder = Folder::new();
    let sign = folder.file("die");
    let script = format!(
        "echo ready >&2; while [ ! -e {} ]; do sleep 0.01; done; echo 'out of luck' >&2; exit 3",
        sign.display()
    );
    let mut bus = bus(options(&broker), &[output("/out", "out", "text")], Some(shell(&script)));
    for _ in 0..2 {
        begin(&mut bus).expect("a broker");
        Peer::new(&broker).publish("out", "last");
        std::fs::write(&sign, "").expect("a writable folder");
        let mut seen = Vec::new();
        let trouble = await_trouble(&mut bus, &mut seen);
        assert_eq!(trouble.kind, TroubleKind::Died);
        assert_eq!(trouble.what, "its process ended (exit status: 3), and said last: ready\nout of luck");
        assert_eq!(shown(&seen), [r#"/out {data: "last"}"#]);
        std::fs::remove_file(&sign).expect("the sign");
    }
}

#[test]
fn a_system_that_does_not_start_is_told() {
    let broker = Broker::start();
    let channels = [output("/out", "out", "text")];
    let start = |starting: Starting| {
        let trouble =
            begin(&mut bus(options(&broker), &channels, Some(starting))).expect_err("it does not start");
        assert_eq!(trouble.kind, TroubleKind::Start);
        trouble.what
    };
    let mut missing = Starting::new(["/no/such/program"]);
    missing.ready = Ready::Now;
    assert_eq!(start(missing), "failed to start `/no/such/program`: No such file or directory (os error 2)");
    let ended = start(shell("echo no luck >&2; exit 1"));
    assert_eq!(ended, "its process ended (exit status: 1), and said last: no luck");
    let mut slow = shell("echo not yet >&2; exec sleep 1000");
    // (Enough for the shell to say something on a busy machine.)
    slow.start_max = Duration::from_secs(2);
    assert_eq!(
        start(slow),
        "`sh -c echo not yet >&2; exec sleep 1000` was not ready within 2s; it said: not yet"
    );
}

#[test]
fn what_cannot_be_read_is_told_with_its_topic() {
    let broker = Broker::start();
    let channels = [output("/warm", "room/+/warm", "number"), output("/state", "state", "json")];
    let mut bus = bus(options(&broker), &channels, None);
    let peer = Peer::new(&broker);
    for (topic, payload, what) in [
        ("room/1/warm", "quite", "it is no number, in `quite` on topic `room/1/warm`".to_string()),
        (
            "state",
            "{\"a\": 1, }",
            "trailing comma (column 10), in `{\"a\": 1, }` on topic `state`".to_string(),
        ),
        (
            "room/1/warm",
            &"x".repeat(300),
            format!("it is no number, in `{}…` on topic `room/1/warm`", "x".repeat(120)),
        ),
    ] {
        begin(&mut bus).expect("a broker");
        peer.publish(topic, payload);
        let trouble = await_trouble(&mut bus, &mut Vec::new());
        assert_eq!((trouble.kind, trouble.what), (TroubleKind::Malformed, what));
    }
}

#[test]
fn a_flood_is_told() {
    let broker = Broker::start();
    let mut bus = bus(options(&broker), &[output("/out", "out", "number")], None);
    begin(&mut bus).expect("a broker");
    let peer = Peer::new(&broker);
    let trouble = std::thread::scope(|scope| {
        scope.spawn(move || (0..20_001).for_each(|_| peer.say("out", "1")));
        await_trouble(&mut bus, &mut Vec::new())
    });
    assert_eq!(
        (trouble.kind, trouble.what.as_str()),
        (TroubleKind::Flood, "more than 20000 messages in one run")
    );
}

#[test]
fn no_process_is_left_behind() {
    let broker = Broker::start();
    let folder = Folder::new();
    let file = folder.file("children");
    let script = format!("sleep 1000 & echo $! $$ > {}; echo ready >&2; wait", file.display());
    let channels = [output("/out", "out", "text")];
    let mut bus = bus(options(&broker), &channels, Some(shell(&script)));
    let started = || -> Vec<u32> {
        let text = std::fs::read_to_string(&file).expect("the processes");
        text.split_whitespace().map(|id| id.parse().expect("a number")).collect()
    };
    begin(&mut bus).expect("a broker");
    let first = started();
    assert!(first.iter().all(|id| is_alive(*id)));
    // The next run has a new system.
    begin(&mut bus).expect("a broker");
    let second = started();
    assert!(first.iter().all(|id| !second.contains(id)));
    await_condition("the first are gone", || !first.iter().any(|id| is_alive(*id)));
    bus.finish();
    await_condition("the second are gone", || !second.iter().any(|id| is_alive(*id)));
    begin(&mut bus).expect("a broker");
    let third = started();
    drop(bus);
    await_condition("the third are gone", || !third.iter().any(|id| is_alive(*id)));
}

/// Whether a process runs; one that waits to be buried does not.
fn is_alive(id: u32) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(id.to_string()).join("stat"));
    status.is_ok_and(|status| !status.contains(") Z "))
}

#[test]
fn a_system_may_be_ready_in_several_ways() {
    let broker = Broker::start();
    let channels = [output("/out", "out", "text"), output("/ready", "ready", "json")];
    let folder = Folder::new();
    let with = |ready: Ready| {
        let mut starting = shell("exec sleep 1000");
        starting.ready = ready;
        bus(options(&broker), &channels, Some(starting))
    };
    begin(&mut with(Ready::Now)).expect("a broker");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("its address").port();
    begin(&mut with(Ready::Port(port))).expect("a broker");
    // A message: what comes before it, and it itself, is not judged.
    let is_over = folder.file("over");
    let mut bus = with(Ready::Channel("/ready".into()));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let peer = Peer::new(&broker);
            while !is_over.exists() {
                peer.publish("out", "early");
                peer.publish("ready", "true");
                std::thread::park_timeout(Duration::from_millis(5));
            }
        });
        begin(&mut bus).expect("a broker");
        std::fs::write(&is_over, "").expect("a writable folder");
    });
    Peer::new(&broker).publish("out", "late");
    let mut seen = Vec::new();
    await_condition("what came late", || {
        bus.pass(LIMIT.as_nanos() as u64, true, &mut seen).expect("no trouble");
        shown(&seen).last().is_some_and(|last| last == r#"/out {data: "late"}"#)
    });
}
