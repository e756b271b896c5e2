//! The bus on a real broker of this machine, which each test starts and stops itself.

mod broker;
mod exchange;
mod login;
mod peer;
mod systems;
mod tls;
mod troubles;

use broker::Broker;
use gainsay_core::Case;
use gainsay_mqtt::{MqttBus, MqttOptions};
use gainsay_msg::types::Type;
use gainsay_msg::{Bus, Channel, Message, Starting, Trouble, Value, message};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Whatever is waited for comes before.
const LIMIT: Duration = Duration::from_secs(20);

/// Waits for a condition.
#[track_caller]
fn await_condition(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LIMIT, "waited in vain: {what}");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

fn input(name: &str, topic: &str, codec: &str) -> Channel {
    of_topic(Channel::input(name, Type::Any), topic, codec)
}

fn output(name: &str, topic: &str, codec: &str) -> Channel {
    of_topic(Channel::output(name, Type::Any), topic, codec)
}

fn of_topic(mut channel: Channel, topic: &str, codec: &str) -> Channel {
    channel.topic = Some(topic.into());
    channel.codec = Some(codec.into());
    channel
}

fn options(broker: &Broker) -> MqttOptions {
    let mut options = MqttOptions::default();
    options.host = broker.host.to_string();
    options.port = broker.port;
    options
}

fn bus(options: MqttOptions, channels: &[Channel], starting: Option<Starting>) -> MqttBus {
    MqttBus::new(options, channels, starting).expect("good channels")
}

fn begin(bus: &mut MqttBus) -> Result<(), Trouble> {
    bus.begin(&mut Case::random(0, 0)).map(drop)
}

fn data(value: impl Into<Value>) -> Value {
    message([("data", value.into())])
}

/// Lets time pass until so many messages were seen.
#[track_caller]
fn await_seen(bus: &mut MqttBus, count: usize, seen: &mut Vec<Arc<Message>>) {
    let until = LIMIT.as_nanos() as u64;
    while seen.len() < count {
        let now = bus.pass(until, true, seen).expect("no trouble");
        assert!(now < until, "waited in vain for {count} messages: {seen:?}");
    }
}

/// Channels and values, in order; times must be in order.
#[track_caller]
fn shown(seen: &[Arc<Message>]) -> Vec<String> {
    assert!(seen.is_sorted_by_key(|message| message.at), "{seen:?}");
    seen.iter().map(|message| format!("{} {}", message.channel, message.value)).collect()
}
