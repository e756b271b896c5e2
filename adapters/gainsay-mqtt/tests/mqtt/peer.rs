//! Somebody else on the broker: what a system under test would do.

use crate::LIMIT;
use crate::broker::{Broker, number};
use rumqttc::{Client, Event, MqttOptions, Outgoing, Packet, QoS};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// A client that answers messages. It leaves with this value.
pub(crate) struct Peer {
    client: Client,
    thread: Option<JoinHandle<()>>,
    acks: Receiver<()>,
}

impl Peer {
    /// A client that says nothing by itself.
    pub(crate) fn new(broker: &Broker) -> Peer {
        Peer::answering(broker, &[], |_, _| Vec::new())
    }

    /// A client that answers messages on some topics: with topics and payloads.
    pub(crate) fn answering(
        broker: &Broker,
        filters: &[&str],
        mut answer: impl FnMut(&str, &[u8]) -> Vec<(String, Vec<u8>)> + Send + 'static,
    ) -> Peer {
        let mut options = MqttOptions::new(format!("peer{}", number()), broker.host.to_string(), broker.port);
        options.set_keep_alive(Duration::from_secs(60));
        let (client, mut connection) = Client::new(options, 100);
        connection.eventloop.network_options.set_tcp_nodelay(true);
        for filter in filters {
            client.subscribe(*filter, QoS::AtLeastOnce).expect("a filter");
        }
        let (ready, acks) = channel();
        let speaker = client.clone();
        let thread = std::thread::spawn(move || {
            for event in connection.iter() {
                match event {
                    Ok(Event::Incoming(Packet::Publish(publish))) => {
                        for (topic, payload) in answer(&publish.topic, &publish.payload) {
                            speaker.try_publish(topic, QoS::AtMostOnce, false, payload).expect("a topic");
                        }
                    }
                    Ok(Event::Incoming(Packet::SubAck(_) | Packet::PubAck(_))) => {
                        let _ = ready.send(());
                    }
                    Ok(Event::Outgoing(Outgoing::Disconnect)) | Err(_) => return,
                    Ok(_) => {}
                }
            }
        });
        let peer = Peer { client, thread: Some(thread), acks };
        for _ in filters {
            peer.acks.recv_timeout(LIMIT).expect("a broker that answers");
        }
        peer
    }

    /// Publishes, and waits until the broker has it.
    pub(crate) fn publish(&self, topic: &str, payload: &str) {
        self.publish_as(topic, payload, false);
    }

    /// Publishes what the broker keeps.
    pub(crate) fn retain(&self, topic: &str, payload: &str) {
        self.publish_as(topic, payload, true);
    }

    /// Publishes, and does not wait for anybody.
    pub(crate) fn say(&self, topic: &str, payload: &str) {
        self.client.publish(topic, QoS::AtMostOnce, false, payload).expect("a topic");
    }

    fn publish_as(&self, topic: &str, payload: &str, retain: bool) {
        self.client.publish(topic, QoS::AtLeastOnce, retain, payload).expect("a topic");
        self.acks.recv_timeout(LIMIT).expect("a broker that answers");
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.client.disconnect();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
