//! `gainsay init`: writes a system file, from a running system where that is possible.

use crate::Mistake;
use crate::arguments::Init;
use crate::command::program_name::program_name;
use gainsay_core::{Case, plural};
use gainsay_msg::{Bus, Message, Ready, Starting, StdioBus, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn run(arguments: &Init) -> Result<u8, Mistake> {
    let shown = arguments.output.display().to_string();
    if arguments.output.exists() && !arguments.force {
        return Err(Mistake::new(format!("`{shown}` is there already; `--force` writes over it")));
    }
    let heard = listen(arguments)?;
    let (text, seen) = (text(arguments, &heard), &heard.seen);
    gainsay_core::write_text(&arguments.output, &text)
        .map_err(|error| Mistake::new(format!("failed to write `{shown}`: {error}")))?;
    let channels: std::collections::BTreeSet<&str> = seen.iter().map(|message| &*message.channel).collect();
    let channels = plural(channels.len() as u64, "channel");
    say!("{shown}  {channels} seen; now say which inputs there are, and what must hold");
    Ok(0)
}

/// What a running system says.
#[derive(Default)]
struct Heard {
    seen: Vec<Arc<Message>>,
    /// So many of them came before it was ready.
    before: usize,
    /// How messages are written on each channel.
    codecs: BTreeMap<String, String>,
    is_virtual: bool,
}

fn listen(arguments: &Init) -> Result<Heard, Mistake> {
    let limit = (arguments.listen.clamp(0.0, 3600.0) * 1e9) as u64;
    let mut heard = Heard::default();
    let of_system = |trouble: gainsay_msg::Trouble| Mistake::of_system(trouble.to_string());
    match (arguments.bus.as_str(), arguments.program.is_empty()) {
        ("stdio", false) => {
            let mut starting = Starting::new(arguments.program.iter().cloned());
            starting.start_max = Duration::from_secs(3);
            // One that says when it is ready keeps virtual time; others are listened to.
            let mut bus = StdioBus::new(starting.clone(), true, false);
            let mut begun = bus.begin(&mut Case::random(0, 0));
            heard.is_virtual = begun.is_ok();
            if begun.is_err() {
                starting.ready = Ready::Now;
                bus = StdioBus::new(starting, false, false);
                begun = bus.begin(&mut Case::random(0, 0));
            }
            heard.seen = begun.map_err(of_system)?;
            heard.before = heard.seen.len();
            bus.pass(limit, false, &mut heard.seen).map_err(of_system)?;
        }
        ("mqtt", _) => {
            (heard.seen, heard.codecs) =
                crate::system::listen_mqtt(&arguments.broker, Duration::from_nanos(limit))?;
        }
        _ => {}
    }
    Ok(heard)
}

fn text(arguments: &Init, heard: &Heard) -> String {
    let Heard { seen, codecs, is_virtual, .. } = heard;
    let mut text = String::new();
    let name = program_name(&arguments.program).unwrap_or_else(|| "system".into());
    let _ = writeln!(text, "[system]\nname = {name:?}\nbus = {:?}", arguments.bus);
    if arguments.bus == "stdio" || !arguments.program.is_empty() {
        let program = if arguments.program.is_empty() {
            vec!["./program".to_string()]
        } else {
            arguments.program.clone()
        };
        let _ = writeln!(text, "start = {program:?}");
    }
    match arguments.bus.as_str() {
        "stdio" => {
            let _ = writeln!(
                text,
                "ready = {:?}\ntime = {:?}",
                if *is_virtual { "idle" } else { "now" },
                if *is_virtual { "virtual" } else { "real" }
            );
            if *is_virtual {
                let _ = writeln!(text, "# reset = true      # if it answers {{\"reset\":true}}");
            }
        }
        "mqtt" => {
            let (host, port) = arguments.broker.rsplit_once(':').unwrap_or((&arguments.broker, "1883"));
            let _ = writeln!(text, "\n[mqtt]\nhost = {host:?}\nport = {port}");
        }
        _ => {
            let _ = writeln!(text, "node = {name:?}");
        }
    }
    let mut types: BTreeMap<String, String> = BTreeMap::new();
    let mut channels: BTreeMap<&str, String> = BTreeMap::new();
    for message in seen {
        if !channels.contains_key(&*message.channel) {
            let kind = type_of(&message.value, &name_of(&message.channel), &mut types);
            channels.insert(&message.channel, kind);
        }
    }
    // Something that it said by itself can be demanded; otherwise it must be asked.
    let by_itself = heard.seen[heard.before..].first();
    if by_itself.is_none() {
        types.insert("Input".into(), "x = \"float64\"\n".into());
    }
    for (name, fields) in &types {
        let _ = write!(text, "\n[types.{name}]\n{fields}");
    }
    let _ = writeln!(text, "\n[channels]");
    for (channel, kind) in &channels {
        let codec = codecs.get(*channel).map_or_else(String::new, |codec| format!(", codec = {codec:?}"));
        let _ = writeln!(text, "{channel:?} = {{ type = {kind:?}, direction = \"out\"{codec} }}");
    }
    let mark = if by_itself.is_some() { "# " } else { "" };
    let _ = writeln!(text, "{mark}\"/input\" = {{ type = \"Input\", direction = \"in\" }}");
    if channels.is_empty() {
        let _ = writeln!(text, "\"/output\" = {{ type = \"std_msgs/Empty\", direction = \"out\" }}");
    }
    let first = channels.keys().next().unwrap_or(&"/output");
    let (title, property) = match by_itself {
        Some(message) => {
            let (channel, seconds) = (&message.channel, 2 * (message.at / 1_000_000_000 + 1));
            (format!("It speaks on {channel}"), format!("globally: some {channel} within {seconds} s"))
        }
        None => {
            ("What goes in is answered".to_string(), format!("globally: /input causes {first} within 1 s"))
        }
    };
    let _ =
        writeln!(text, "\n[properties]\ntext = \"\"\"\n# id: example\n# title: {title}\n{property}\n\"\"\"");
    text
}

/// A name for the type of messages on a channel.
fn name_of(channel: &str) -> String {
    let mut name = String::new();
    for part in channel.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        let (first, rest) = part.split_at(1);
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() { format!("T{name}") } else { name }
}

/// The type of a value, with the records in it written down.
fn type_of(value: &Value, name: &str, types: &mut BTreeMap<String, String>) -> String {
    match value {
        Value::Bool(_) => "bool".into(),
        Value::Int(value) if (0..256).contains(value) => "uint8".into(),
        Value::Int(_) => "int64".into(),
        Value::Float(_) => "float64".into(),
        Value::Text(_) => "string".into(),
        Value::List(items) => match items.first() {
            Some(item) => format!("{}[]", type_of(item, &format!("{name}Item"), types)),
            None => "any[]".into(),
        },
        Value::Record(record) if record.values().is_empty() => "std_msgs/Empty".into(),
        Value::Record(record) => {
            let mut fields = String::new();
            for (field, value) in record.iter() {
                let kind = type_of(value, &format!("{name}{}", name_of(field)), types);
                let _ = writeln!(fields, "{field} = {kind:?}");
            }
            types.insert(name.to_string(), fields);
            name.to_string()
        }
        _ => "any".into(),
    }
}
