//! How a broker is reached.

use crate::codec::Codec;
use crate::topics::is_filter;
use gainsay_msg::Value;
use rumqttc::QoS;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How a broker is reached, and how messages are sent to it: the section `[mqtt]` of a system file.
///
/// ```
/// use gainsay_mqtt::MqttOptions;
///
/// let mut options = MqttOptions::default();
/// options.port = 18_830;
/// options.qos = 1;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MqttOptions {
    /// The machine of the broker: `127.0.0.1`.
    pub host: String,
    /// Its port: 1883, or 8883 with TLS.
    pub port: u16,
    /// How sure it is that messages arrive, 0, 1 or 2: 0. With 1 and 2, the broker acknowledges each message before the test goes on.
    pub qos: u8,
    /// Who we are, if the broker wants to know.
    pub user: Option<String>,
    /// The password.
    pub password: Option<String>,
    /// What our names begin with; what follows differs from run to run: `gainsay`.
    pub client_id: String,
    /// The broker is asked so often whether it is still there: every 5 s, one second at least.
    pub keep_alive: Duration,
    /// Connecting, and each answer of the broker, may take so long: 5 s.
    pub answer_max: Duration,
    /// Whether the connection is secret.
    pub tls: bool,
    /// The certificates of those who vouch for the broker; otherwise those that this machine trusts.
    pub ca: Option<PathBuf>,
    /// Which retained messages are removed before each run.
    pub clear: Clear,
    /// How messages are written on channels that do not say so.
    pub codec: Codec,
}

/// Which retained messages are removed from the broker before each run: what is left of one run is not seen by the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clear {
    /// None.
    Nothing,
    /// Those on the topics of all channels, and those that match these topics besides.
    Channels(Vec<String>),
}

impl Default for MqttOptions {
    fn default() -> MqttOptions {
        MqttOptions {
            host: "127.0.0.1".into(),
            port: 1883,
            qos: 0,
            user: None,
            password: None,
            client_id: "gainsay".into(),
            keep_alive: Duration::from_secs(5),
            answer_max: Duration::from_secs(5),
            tls: false,
            ca: None,
            clear: Clear::Channels(Vec::new()),
            codec: Codec::Json,
        }
    }
}

const KEYS: [&str; 12] = [
    "host",
    "port",
    "qos",
    "user",
    "password",
    "client_id",
    "keep_alive_s",
    "answer_ms",
    "tls",
    "ca",
    "clear",
    "codec",
];

impl MqttOptions {
    /// Reads the section `[mqtt]` of a system file: `host`, `port`, `qos`, `user`, `password`, `client_id`, `keep_alive_s`, `answer_ms`, `tls`,
    /// `ca`, `clear` (`true`, `false`, or topics to clear besides those of channels) and `codec`.
    ///
    /// # Errors
    /// What is wrong with it: an unknown key, or a value that cannot be.
    ///
    /// ```
    /// use gainsay_mqtt::MqttOptions;
    ///
    /// let section = [("port".to_string(), 18_830.into()), ("qos".to_string(), 1.into())];
    /// let options = MqttOptions::from_values(&section.into())?;
    /// assert_eq!((options.port, options.qos), (18_830, 1));
    /// let section = [("prot".to_string(), 18_830.into())];
    /// assert_eq!(MqttOptions::from_values(&section.into()).unwrap_err(), "`[mqtt]` has no key `prot`: is it `port`?");
    /// # Ok::<(), String>(())
    /// ```
    pub fn from_values(values: &BTreeMap<String, Value>) -> Result<MqttOptions, String> {
        let mut options = MqttOptions::default();
        for (key, value) in values {
            let wrong = |wanted: &str| format!("`{key}` in `[mqtt]` is {wanted}, not {value}");
            let text = || match value {
                Value::Text(text) if !text.is_empty() => Ok(text.to_string()),
                _ => Err(wrong("text")),
            };
            match key.as_str() {
                "host" => options.host = text()?,
                "port" => options.port = whole(value, 1, 65_535).ok_or_else(|| wrong("a port"))?,
                "qos" => options.qos = whole(value, 0, 2).ok_or_else(|| wrong("0, 1 or 2"))?,
                "user" => options.user = Some(text()?),
                "password" => options.password = Some(text()?),
                "client_id" => options.client_id = text()?,
                "keep_alive_s" => {
                    let seconds: u16 =
                        whole(value, 1, 65_535).ok_or_else(|| wrong("a time in whole seconds"))?;
                    options.keep_alive = Duration::from_secs(seconds.into());
                }
                "answer_ms" => {
                    let ms: u32 =
                        whole(value, 1, 3_600_000).ok_or_else(|| wrong("a time in milliseconds"))?;
                    options.answer_max = Duration::from_millis(ms.into());
                }
                "tls" => options.tls = flag(value).ok_or_else(|| wrong("true or false"))?,
                "ca" => options.ca = Some(text()?.into()),
                "clear" => {
                    options.clear = clear(value).ok_or_else(|| wrong("true, false, or an array of topics"))?
                }
                "codec" => {
                    let names = Codec::NAMES.map(|name| format!("\"{name}\"")).join(", ");
                    options.codec =
                        Codec::named(&text()?).ok_or_else(|| wrong(&format!("one of {names}")))?;
                }
                _ => {
                    let near = nearest(key, KEYS)
                        .map_or(format!("it has {}", KEYS.join(", ")), |near| format!("is it `{near}`?"));
                    return Err(format!("`[mqtt]` has no key `{key}`: {near}"));
                }
            }
        }
        if options.tls && !values.contains_key("port") {
            options.port = 8883;
        }
        if options.password.is_some() && options.user.is_none() {
            return Err("`[mqtt]` has a `password` without a `user`".into());
        }
        if options.ca.is_some() && !options.tls {
            return Err("`[mqtt]` has a `ca` without `tls = true`".into());
        }
        Ok(options)
    }

    /// With paths as seen from a folder: that of the system file.
    #[must_use]
    pub fn in_folder(mut self, folder: &Path) -> MqttOptions {
        self.ca = self.ca.map(|ca| folder.join(ca));
        self
    }

    pub(crate) fn quality(&self) -> QoS {
        match self.qos {
            0 => QoS::AtMostOnce,
            1 => QoS::AtLeastOnce,
            _ => QoS::ExactlyOnce,
        }
    }

    /// Where it is, for people.
    pub(crate) fn address(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        _ => None,
    }
}

fn whole<T: TryFrom<i128>>(value: &Value, least: i128, most: i128) -> Option<T> {
    match value {
        Value::Int(number) if (least..=most).contains(number) => T::try_from(*number).ok(),
        _ => None,
    }
}

fn clear(value: &Value) -> Option<Clear> {
    match value {
        Value::Bool(true) => Some(Clear::Channels(Vec::new())),
        Value::Bool(false) => Some(Clear::Nothing),
        Value::List(topics) => {
            let topic = |topic: &Value| match topic {
                Value::Text(topic) if is_filter(topic) => Some(topic.to_string()),
                _ => None,
            };
            Some(Clear::Channels(topics.iter().map(topic).collect::<Option<_>>()?))
        }
        _ => None,
    }
}

/// The one of some names that may be meant: most of its letters come in the same order.
fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = names.into_iter().map(|name| (distance(wrong, name), name));
    near.filter(|(far, name)| 2 * far <= name.len()).min_by_key(|(far, _)| *far).map(|(_, name)| name)
}

/// How many letters must be changed, added or removed.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in other.iter().enumerate() {
            let changed = before + usize::from(a != *b);
            before = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(before + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<const N: usize>(section: [(&str, Value); N]) -> Result<MqttOptions, String> {
        MqttOptions::from_values(&section.map(|(key, value)| (key.to_string(), value)).into())
    }

    #[test]
    fn a_section_is_read() {
        assert_eq!(read([]), Ok(MqttOptions::default()));
        let options = read([
            ("host", "broker.local".into()),
            ("qos", 2.into()),
            ("user", "u".into()),
            ("password", "p".into()),
            ("client_id", "lab".into()),
            ("keep_alive_s", 30.into()),
            ("tls", true.into()),
            ("ca", "ca.pem".into()),
            ("clear", vec!["a/#"].into()),
            ("codec", "text".into()),
        ]);
        let options = options.expect("a good section").in_folder(Path::new("lab"));
        assert_eq!((options.address().as_str(), options.quality()), ("broker.local:8883", QoS::ExactlyOnce));
        assert_eq!(options.ca.as_deref(), Some(Path::new("lab/ca.pem")));
        assert_eq!(options.clear, Clear::Channels(vec!["a/#".into()]));
        assert_eq!(options.codec, Codec::Text);
    }

    #[test]
    fn what_cannot_be_is_told() {
        let wrong = |key: &'static str, value: Value| read([(key, value)]).expect_err("wrong");
        assert_eq!(wrong("qos", 3.into()), "`qos` in `[mqtt]` is 0, 1 or 2, not 3");
        assert_eq!(wrong("port", 0.into()), "`port` in `[mqtt]` is a port, not 0");
        assert_eq!(
            wrong("clear", vec!["a#"].into()),
            "`clear` in `[mqtt]` is true, false, or an array of topics, not [\"a#\"]"
        );
        assert_eq!(
            wrong("codec", "xml".into()),
            "`codec` in `[mqtt]` is one of \"json\", \"number\", \"text\", \"bytes\", not \"xml\""
        );
        assert_eq!(
            wrong("keepalive_s", 1.into()),
            "`[mqtt]` has no key `keepalive_s`: is it `keep_alive_s`?"
        );
        assert_eq!(wrong("password", "p".into()), "`[mqtt]` has a `password` without a `user`");
        assert_eq!(wrong("ca", "x".into()), "`[mqtt]` has a `ca` without `tls = true`");
    }
}
