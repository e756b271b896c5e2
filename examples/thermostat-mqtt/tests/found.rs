//! The thermostat on a broker of its own: the right one holds what is demanded, and in the other one the bug is found.

#[expect(dead_code, reason = "the tests of the adapter need more of it")]
#[path = "../../../adapters/gainsay-mqtt/tests/mqtt/broker.rs"]
mod broker;

use broker::{Broker, Folder};
use gainsay_core::settings;
use gainsay_mqtt::{MqttBus, MqttOptions};
use gainsay_msg::{Direction, SystemFile, SystemTest, Tested};
use std::path::PathBuf;
use std::time::Duration;

/// A broker with the settings of the file, at an address of its own.
fn broker() -> Broker {
    let settings = include_str!("../mosquitto.conf").lines().filter(|line| !line.starts_with("listener "));
    Broker::with(Folder::new(), &settings.collect::<Vec<_>>().join("\n"))
}

/// The system of the file, on this broker.
fn system(broker: &Broker, has_bug: bool) -> (SystemFile, MqttBus) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("system.toml");
    let (mut file, warnings) = SystemFile::read(&path).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(warnings.all.is_empty(), "{warnings}");
    let mut options = MqttOptions::from_values(&file.options).expect("a good section");
    options.host = broker.host.to_string();
    options.port = broker.port;
    let starting = file.starting.as_mut().expect("a program to start");
    starting.command = vec![env!("CARGO_BIN_EXE_thermostat-mqtt").into()];
    starting.command.extend(has_bug.then(|| "--bug".into()));
    starting.environment.push(("MQTT_HOST".into(), broker.host.to_string()));
    starting.environment.push(("MQTT_PORT".into(), broker.port.to_string()));
    // (Machines that test are busy.)
    file.system.slack = 300_000_000;
    let bus = MqttBus::new(options, &file.system.channels, file.starting.clone()).expect("good channels");
    (file, bus)
}

fn test(file: &SystemFile, bus: &mut MqttBus, id: &str, cases: u64) -> Tested {
    let settings = settings().seed(7).cases(cases).without_corpus().limits(|limits| {
        limits.shrinks_max = 30;
        limits.shrink_time_max = Duration::from_secs(15);
        limits.repeats_max = 3;
    });
    SystemTest::new(&file.system, id).settings(settings).run(bus).expect("a property to test")
}

#[test]
fn the_thermostat_holds_what_is_demanded() {
    let broker = broker();
    let (file, mut bus) = system(&broker, false);
    let testable = file.system.testable();
    assert_eq!((testable.len(), file.system.axioms().len()), (4, 3));
    for rule in testable {
        let tested = test(&file, &mut bus, &rule.id, 3);
        assert!(tested.report.verdict.counterexample().is_none(), "{}: {:?}", rule.id, tested.report.verdict);
        assert!(tested.trouble.is_none(), "{:?}", tested.trouble);
    }
}

#[test]
fn the_bug_is_found() {
    let broker = broker();
    let (file, mut bus) = system(&broker, true);
    let tested = test(&file, &mut bus, "open_window_stops_heating", 100);
    let found =
        tested.report.verdict.counterexample().unwrap_or_else(|| panic!("{:?}", tested.report.verdict));
    let seen = tested.seen.expect("what was seen");
    // It is cold, and then a window is opened; a few other things may be left.
    let is_sent = |channel: &str| {
        file.system.channel(channel).is_some_and(|channel| channel.direction == Direction::In)
    };
    let sent: Vec<&str> =
        seen.messages.iter().map(|message| &*message.channel).filter(|channel| is_sent(channel)).collect();
    assert!(sent.contains(&"/temperature") && sent.contains(&"/window"), "{found:?}");
    assert!(sent.len() <= 6, "{found:?}");
}
