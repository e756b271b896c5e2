//! Whole tests of systems on a broker.

use crate::broker::Broker;
use crate::peer::Peer;
use crate::{bus, options};
use gainsay_core::settings;
use gainsay_msg::types::Types;
use gainsay_msg::{Channel, Message, System, SystemTest, Value};
use std::sync::Arc;

/// A doorbell: whoever presses it hears it ring. A wrong one is silent for numbers of two digits or more.
fn doorbell(is_wrong: bool) -> impl FnMut(&str, &[u8]) -> Vec<(String, Vec<u8>)> + Send + 'static {
    move |_, payload| {
        let rings = !is_wrong || payload.len() < 2;
        if rings { vec![("bell".into(), payload.to_vec())] } else { Vec::new() }
    }
}

#[test]
fn a_system_is_tested_over_a_broker() {
    let types = Types::new();
    let number = types.named("std_msgs/UInt8", None).expect("a known type");
    let mut channels = vec![Channel::input("/press", number.clone()), Channel::output("/bell", number)];
    channels.iter_mut().for_each(|channel| channel.codec = Some("number".into()));
    let mut system = System::new("doorbell", channels)
        .with_properties("globally: /press as P causes /bell {data = @P.data} within 100 ms")
        .expect("good properties");
    // (Machines that test are busy.)
    system.slack = 300_000_000;
    let settings = || {
        let settings = settings().seed(3).cases(4).without_corpus();
        settings.limits(|limits| limits.shrinks_max = 20)
    };
    for is_wrong in [false, true] {
        let broker = Broker::start();
        let _bell = Peer::answering(&broker, &["press"], doorbell(is_wrong));
        let mut bus = bus(options(&broker), &system.channels, None);
        let test = SystemTest::new(&system, "p1").settings(settings());
        let tested = test.run(&mut bus).expect("a property to test");
        match tested.report.verdict.counterexample() {
            None => assert!(!is_wrong, "{:?}", tested.report.verdict),
            Some(found) => {
                assert!(is_wrong, "{found:?}");
                let seen = tested.seen.expect("what was seen");
                assert!(seen.messages.len() <= 3, "{seen:?}");
                let is_wrong =
                    |message: &Arc<Message>| matches!(message.value.at("data"), Some(Value::Int(10..)));
                assert!(seen.messages.iter().any(is_wrong), "{seen:?}");
            }
        }
    }
}
