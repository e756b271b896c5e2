//! What is said on a broker.

use crate::codec::Codec;
use crate::link::Link;
use crate::options::MqttOptions;
use gainsay_msg::{MESSAGES_MAX, Message, Trouble, TroubleKind};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What was said on a broker.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Listened {
    /// The messages, on channels that are called like their topics with a `/` in front.
    pub messages: Vec<Arc<Message>>,
    /// How the messages on each channel are written: if in several ways, so that all can be read.
    pub codecs: BTreeMap<Arc<str>, Codec>,
}

/// Listens to everything that is said on a broker for a while, retained messages included.
///
/// # Errors
/// If there is no broker, or it goes.
pub fn listen(options: &MqttOptions, time: Duration) -> Result<Listened, Trouble> {
    let link = Link::connect(options).map_err(|what| Trouble::new(TroubleKind::Start, what))?;
    let begun = Instant::now();
    let mut heard = Vec::new();
    link.subscribe(&["#".into()], options, &mut |at, publish| {
        heard.push((at, publish));
        Ok(())
    })?;
    while heard.len() < MESSAGES_MAX {
        match link.hear(time.saturating_sub(begun.elapsed()))? {
            Some(one) => heard.push(one),
            None => break,
        }
    }
    let mut codecs: BTreeMap<Arc<str>, Codec> = BTreeMap::new();
    for (_, publish) in &heard {
        let channel: Arc<str> = format!("/{}", publish.topic).into();
        let codec = Codec::of(&publish.payload);
        codecs.entry(channel).and_modify(|known| *known = known.wider(codec)).or_insert(codec);
    }
    let mut messages = Vec::new();
    for (at, publish) in heard {
        let channel = format!("/{}", publish.topic);
        let Some((channel, codec)) = codecs.get_key_value(&*channel) else { continue };
        // (Nothing at all is said where a retained message is removed.)
        if let Ok(value) = codec.read(&publish.payload) {
            let at = u64::try_from(at.saturating_duration_since(begun).as_nanos()).unwrap_or(u64::MAX);
            messages.push(Arc::new(Message::new(at, Arc::clone(channel), value)));
        }
    }
    Ok(Listened { messages, codecs })
}
