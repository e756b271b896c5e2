//! Systems whose messages go through an MQTT broker are started, sent messages and watched: [`MqttBus`] is a [`Bus`](gainsay_msg::Bus) in
//! real time.

mod bus;
mod codec;
mod link;
mod listen;
mod options;
mod topics;

pub use bus::MqttBus;
pub use codec::Codec;
pub use listen::{Listened, listen};
pub use options::{Clear, MqttOptions};
