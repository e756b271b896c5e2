//! Which topic is which channel.

use crate::codec::Codec;
use gainsay_msg::{Channel, Direction};
use rumqttc::mqttbytes::{has_wildcards, valid_filter};
use std::sync::Arc;

/// The topics of all channels.
#[derive(Debug)]
pub(crate) struct Topics {
    routes: Vec<Route>,
}

/// Where the messages of a channel are.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) channel: Arc<str>,
    /// A topic; of an output it may have wildcards.
    pub(crate) filter: String,
    pub(crate) codec: Codec,
    pub(crate) direction: Direction,
}

/// A topic is no longer.
const TOPIC_MAX: usize = 65_535;

impl Topics {
    pub(crate) fn new(channels: &[Channel], usual: Codec) -> Result<Topics, String> {
        let mut routes: Vec<Route> = Vec::new();
        for channel in channels {
            let name = &channel.name;
            let filter = match &channel.topic {
                Some(topic) => topic.clone(),
                None => name.strip_prefix('/').unwrap_or(name).to_string(),
            };
            if !is_filter(&filter) {
                return Err(format!("channel `{name}`: `{filter}` is no topic"));
            }
            if channel.direction == Direction::In && has_wildcards(&filter) {
                return Err(format!(
                    "channel `{name}`: nobody can send to `{filter}`: give it a topic without wildcards"
                ));
            }
            let codec = match &channel.codec {
                None => usual,
                Some(named) => Codec::named(named).ok_or_else(|| {
                    format!(
                        "channel `{name}`: there is no codec `{named}`, but {}",
                        Codec::NAMES.map(|name| format!("`{name}`")).join(", ")
                    )
                })?,
            };
            codec.check(&channel.of).map_err(|why| format!("channel `{name}`: {why}"))?;
            if let Some(other) = routes.iter().find(|route| route.filter == filter) {
                return Err(format!(
                    "channels `{}` and `{name}` have the same topic `{filter}`",
                    other.channel
                ));
            }
            routes.push(Route { channel: Arc::clone(name), filter, codec, direction: channel.direction });
        }
        Ok(Topics { routes })
    }

    /// The channel of a name.
    pub(crate) fn channel(&self, name: &str) -> Option<&Route> {
        self.routes.iter().find(|route| *route.channel == *name)
    }

    /// The channel to which messages on a topic belong: of those that match, the most specific one.
    pub(crate) fn of_topic(&self, topic: &str) -> Option<&Route> {
        let matching = self.routes.iter().filter(|route| overlap(topic, &route.filter));
        matching.max_by(|one, other| specificity(&one.filter).cmp(specificity(&other.filter)))
    }

    /// Every topic and filter that a channel has.
    pub(crate) fn filters(&self) -> impl Iterator<Item = &str> {
        self.routes.iter().map(|route| &*route.filter)
    }

    /// What to subscribe to, so that all outputs are heard. No topic matches two of them: some brokers would send its messages twice.
    pub(crate) fn subscriptions(&self, with_inputs: bool) -> Vec<String> {
        let heard = self.routes.iter().filter(|route| with_inputs || route.direction != Direction::In);
        let mut apart: Vec<String> = Vec::new();
        for route in heard {
            let mut new = route.filter.clone();
            while let Some(place) = apart.iter().position(|known| overlap(known, &new)) {
                new = joined(&apart.swap_remove(place), &new);
            }
            apart.push(new);
        }
        apart.sort();
        apart
    }
}

/// Whether it can be subscribed to.
pub(crate) fn is_filter(filter: &str) -> bool {
    valid_filter(filter) && filter.len() <= TOPIC_MAX && !filter.contains('\0')
}

/// Level by level: a name says more than `+`, and `+` more than `#`.
fn specificity(filter: &str) -> impl Iterator<Item = u8> {
    // (The end says more than `#`, which matches it too.)
    filter
        .split('/')
        .map(|level| match level {
            "#" => 0,
            "+" => 1,
            _ => 2,
        })
        .chain([1])
}

/// Whether a topic may match both; a topic is a filter that only it matches. Topics of the broker itself, with `$`, match only what says so.
fn overlap(one: &str, other: &str) -> bool {
    if one.starts_with('$') != other.starts_with('$') {
        return false;
    }
    let (mut one, mut other) = (one.split('/'), other.split('/'));
    loop {
        match (one.next(), other.next()) {
            (Some("#"), _) | (_, Some("#")) | (None, None) => return true,
            (Some(a), Some(b)) if a == b || a == "+" || b == "+" => {}
            _ => return false,
        }
    }
}

/// A filter for all that either matches, if something matches both.
fn joined(one: &str, other: &str) -> String {
    let (mut one, mut other) = (one.split('/'), other.split('/'));
    let mut levels = Vec::new();
    loop {
        match (one.next(), other.next()) {
            (None, None) => return levels.join("/"),
            (Some(a), Some(b)) if a == b && a != "#" => levels.push(a),
            (Some(a), Some(b)) if a != "#" && b != "#" => levels.push("+"),
            _ => {
                levels.push("#");
                return levels.join("/");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_msg::types::Type;

    fn output(name: &str, topic: &str) -> Channel {
        let mut channel = Channel::output(name, Type::Any);
        channel.topic = Some(topic.into());
        channel
    }

    fn topics(filters: &[&str]) -> Topics {
        let channels: Vec<Channel> = filters.iter().map(|filter| output(filter, filter)).collect();
        Topics::new(&channels, Codec::Json).expect("good topics")
    }

    #[test]
    fn the_most_specific_channel_is_meant() {
        let topics = topics(&["#", "a/#", "a/+", "a/b", "+/b/c", "a/+/c", "a/b/c/#", "$SYS/#"]);
        let of = |topic: &str| topics.of_topic(topic).map(|route| route.filter.as_str());
        assert_eq!(of("a/b"), Some("a/b"));
        assert_eq!(of("a/x"), Some("a/+"));
        assert_eq!(of("a"), Some("a/#"));
        assert_eq!(of("x"), Some("#"));
        assert_eq!(of("x/b/c"), Some("+/b/c"));
        assert_eq!(of("a/x/c"), Some("a/+/c"));
        assert_eq!(of("a/b/c/d"), Some("a/b/c/#"));
        assert_eq!(of("$SYS/uptime"), Some("$SYS/#"));
        assert_eq!(of("ä/b"), Some("#"));
    }

    #[test]
    fn subscriptions_do_not_overlap() {
        assert_eq!(topics(&["a/b", "a/+", "c"]).subscriptions(false), ["a/+", "c"]);
        assert_eq!(topics(&["a/+", "+/b", "x/y"]).subscriptions(false), ["+/+"]);
        assert_eq!(topics(&["a/b/c", "a/b/#", "a/b"]).subscriptions(false), ["a/b/#"]);
        assert_eq!(topics(&["a/+/c", "a/+/d"]).subscriptions(false), ["a/+/c", "a/+/d"]);
        assert_eq!(topics(&["#", "$SYS/#", "a"]).subscriptions(false), ["#", "$SYS/#"]);
    }

    #[test]
    fn what_cannot_be_is_told() {
        let wrong = |channels: &[Channel]| Topics::new(channels, Codec::Json).expect_err("wrong");
        let mut input = Channel::input("/in", Type::Any);
        input.topic = Some("a/+".into());
        assert_eq!(
            wrong(&[input]),
            "channel `/in`: nobody can send to `a/+`: give it a topic without wildcards"
        );
        assert_eq!(wrong(&[output("/o", "a/b#")]), "channel `/o`: `a/b#` is no topic");
        assert_eq!(
            wrong(&[output("/a", "x"), output("/b", "x")]),
            "channels `/a` and `/b` have the same topic `x`"
        );
        let mut number = Channel::input("/n", Type::Text);
        number.codec = Some("number".into());
        assert_eq!(
            wrong(&[number]),
            "channel `/n`: `string` is not a record of one field `data` which is a number"
        );
    }
}
