//! Messages there and back.

use crate::broker::Broker;
use crate::peer::Peer;
use crate::{await_seen, begin, bus, data, input, options, output, shown};
use gainsay_msg::types::Type;
use gainsay_msg::{Bus, Channel, Message, conformance, message};
use std::sync::Arc;
use std::time::Duration;

const MS: u64 = 1_000_000;

/// Says back what it hears.
fn echo(broker: &Broker, from: &'static str, to: &'static str) -> Peer {
    Peer::answering(broker, &[from], move |_, payload| vec![(to.into(), payload.to_vec())])
}

#[test]
fn it_is_a_bus() {
    for qos in [0, 1, 2] {
        let broker = Broker::start();
        let _peer = echo(&broker, "in", "out");
        let channels =
            [Channel::input(conformance::IN, Type::Any), Channel::output(conformance::OUT, Type::Any)];
        let mut options = options(&broker);
        options.qos = qos;
        conformance::bus(&mut bus(options, &channels, None));
    }
}

#[test]
fn who_only_watches_hears_what_others_send() {
    let broker = Broker::start();
    let channels = [input("/in", "in", "text"), output("/out", "out", "text")];
    let mut watching = bus(options(&broker), &channels, None).hearing_inputs();
    begin(&mut watching).expect("a broker");
    let peer = Peer::new(&broker);
    peer.publish("in", "ask");
    peer.publish("out", "answer");
    let mut seen = Vec::new();
    await_seen(&mut watching, 2, &mut seen);
    let heard: Vec<String> =
        seen.iter().map(|message| format!("{} {}", message.channel, message.value)).collect();
    assert_eq!(heard, [r#"/in {data: "ask"}"#, r#"/out {data: "answer"}"#]);
    // Whoever tests hears the system alone.
    let mut testing = bus(options(&broker), &channels, None);
    begin(&mut testing).expect("a broker");
    peer.publish("in", "ask");
    peer.publish("out", "answer");
    let mut seen = Vec::new();
    await_seen(&mut testing, 1, &mut seen);
    assert_eq!(&*seen[0].channel, "/out");
}

#[test]
fn a_broker_is_listened_to() {
    let broker = Broker::start();
    let peer = Peer::new(&broker);
    peer.retain("room/warm", "20.5");
    peer.retain("room/window", "open");
    peer.retain("room/heater", r#"{"on":true}"#);
    // (On a busy machine the broker takes its time; whoever listens does so to the end.)
    let listened = gainsay_mqtt::listen(&options(&broker), Duration::from_secs(2)).expect("a broker");
    let mut heard = listened.messages;
    heard.sort_by(|one, other| one.channel.cmp(&other.channel));
    let heard: Vec<String> =
        heard.iter().map(|message| format!("{} {}", message.channel, message.value)).collect();
    assert_eq!(
        heard,
        ["/room/heater {on: true}", "/room/warm {data: 20.5}", r#"/room/window {data: "open"}"#]
    );
    let codecs: Vec<String> =
        listened.codecs.iter().map(|(channel, codec)| format!("{channel} {}", codec.name())).collect();
    assert_eq!(
        codecs,
        ["/room/heater json", "/room/warm number", "/room/window text"].map(String::from).to_vec()
    );
}

#[test]
fn time_passes_until_something_is_seen_or_it_is_over() {
    let broker = Broker::start();
    let _peer = echo(&broker, "in", "out");
    let channels = [Channel::input("/in", Type::Any), Channel::output("/out", Type::Any)];
    let mut bus = bus(options(&broker), &channels, None);
    begin(&mut bus).expect("a broker");
    let mut seen = Vec::new();
    let now = bus.pass(30 * MS, true, &mut seen).expect("no trouble");
    assert!(now >= 30 * MS && seen.is_empty());
    bus.publish(&Arc::new(Message::at_ms(40, "/in", message([]))), &mut seen).expect("no trouble");
    let now = bus.pass(20_000 * MS, true, &mut seen).expect("no trouble");
    assert_eq!(shown(&seen), ["/in {}", "/out {}"]);
    assert!(now >= seen[1].at && now < 20_000 * MS);
    assert!(!bus.is_virtual());
}

#[test]
fn a_message_belongs_to_the_most_specific_channel() {
    let broker = Broker::start();
    let channels = [
        input("/command", "house/command", "text"),
        output("/any", "house/#", "text"),
        output("/room", "house/+/light", "text"),
        output("/hall", "house/hall/+", "text"),
    ];
    let mut bus = bus(options(&broker), &channels, None);
    begin(&mut bus).expect("a broker");
    let mut seen = Vec::new();
    // It comes back by `house/#`, but was seen before.
    bus.publish(&Arc::new(Message::at_ms(0, "/command", data("go"))), &mut seen).expect("no trouble");
    let peer = Peer::new(&broker);
    for topic in [
        "house/kitchen/light",
        "house/hall/light",
        "house/hall/door",
        "garden/light",
        "house/cellar/1/2",
        "house",
    ] {
        peer.publish(topic, topic);
    }
    await_seen(&mut bus, 6, &mut seen);
    assert_eq!(
        shown(&seen),
        [
            r#"/command {data: "go"}"#,
            r#"/room {data: "house/kitchen/light"}"#,
            r#"/hall {data: "house/hall/light"}"#,
            r#"/hall {data: "house/hall/door"}"#,
            r#"/any {data: "house/cellar/1/2"}"#,
            r#"/any {data: "house"}"#,
        ]
    );
}

#[test]
fn messages_are_written_as_their_channel_says() {
    let broker = Broker::start();
    let _peer = Peer::answering(&broker, &["in/+"], |topic, payload| {
        vec![("raw".into(), payload.to_vec()), (topic.replace("in/", "out/"), payload.to_vec())]
    });
    let mut channels = vec![output("/raw", "raw", "bytes")];
    for codec in ["json", "number", "text", "bytes"] {
        channels.push(input(&format!("/in/{codec}"), &format!("in/{codec}"), codec));
        channels.push(output(&format!("/out/{codec}"), &format!("out/{codec}"), codec));
    }
    let mut bus = bus(options(&broker), &channels, None);
    begin(&mut bus).expect("a broker");
    let all = [
        ("json", message([("on", true.into()), ("level", 3.into())]), r#"{"on":true,"level":3}"#),
        ("number", data(20.5), "20.5"),
        ("text", data("ä\"b"), "ä\"b"),
        ("bytes", data(vec![0, 255]), "\0\u{ff}"),
    ];
    for (codec, value, written) in all {
        let mut seen = Vec::new();
        let now = bus.pass(0, false, &mut seen).expect("no trouble");
        bus.publish(&Arc::new(Message::new(now, format!("/in/{codec}"), value.clone())), &mut seen)
            .expect("no trouble");
        await_seen(&mut bus, 3, &mut seen);
        let bytes: Vec<u8> = match codec {
            "bytes" => written.chars().map(|byte| byte as u8).collect(),
            _ => written.as_bytes().to_vec(),
        };
        let shown = shown(&seen);
        assert_eq!(shown[0], format!("/in/{codec} {value}"));
        assert_eq!(shown[1], format!("/raw {}", data(bytes)));
        assert_eq!(shown[2], format!("/out/{codec} {value}"));
    }
}

#[test]
fn retained_messages_of_the_past_are_cleared() {
    let broker = Broker::start();
    let peer = Peer::new(&broker);
    peer.retain("status", "old");
    peer.retain("rooms/1", "old");
    peer.retain("set", "old");
    peer.retain("elsewhere/x", "old");
    peer.retain("elsewhere/y", "old");
    let channels = [
        input("/set", "set", "text"),
        output("/status", "status", "text"),
        output("/rooms", "rooms/+", "text"),
    ];
    let mut options = options(&broker);
    options.clear = gainsay_mqtt::Clear::Channels(vec!["elsewhere/x".into()]);
    let mut bus = bus(options, &channels, None);
    begin(&mut bus).expect("a broker");
    let mut seen = Vec::new();
    // What is retained now is seen now.
    peer.retain("status", "new");
    await_seen(&mut bus, 1, &mut seen);
    assert_eq!(shown(&seen), [r#"/status {data: "new"}"#]);
    // Who comes now finds what is left.
    let (found, kept) = std::sync::mpsc::channel();
    let _late = Peer::answering(&broker, &["#"], move |topic, payload| {
        let _ = found.send(format!("{topic} {}", String::from_utf8_lossy(payload)));
        Vec::new()
    });
    peer.publish("the end", "");
    let mut kept: Vec<String> = kept.into_iter().take_while(|one| one != "the end ").collect();
    kept.sort();
    assert_eq!(kept, ["elsewhere/y old", "status new"]);
    // Unless that is not wanted: it is not seen all the same.
    let mut keeping = crate::options(&broker);
    keeping.clear = gainsay_mqtt::Clear::Nothing;
    let mut bus = crate::bus(keeping, &channels, None);
    begin(&mut bus).expect("a broker");
    let mut seen = Vec::new();
    peer.publish("rooms/2", "live");
    await_seen(&mut bus, 1, &mut seen);
    assert_eq!(shown(&seen), [r#"/rooms {data: "live"}"#]);
}
