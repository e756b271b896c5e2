//! Systems, as commands need them: read, and reached by a bus.

use crate::output::has_colours;
use crate::{Mistake, Program};
use gainsay_core::{Settings, settings};
use gainsay_msg::diagnostic::{Diagnostic, Diagnostics, Source};
use gainsay_msg::{AnyChannels, Bus, BusKind, EmbeddedBus, Rule, StdioBus, SystemFile, Timing, hpl, resolve};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Reads a system file; warnings go to the terminal.
pub(crate) fn read(path: &Path) -> Result<SystemFile, Mistake> {
    match SystemFile::read(path) {
        Ok((file, warnings)) => {
            show(&warnings);
            let mut found = Diagnostics::default();
            found.add(&file.source, wrong_options(&file));
            if found.has_errors() { Err(wrong(&found)) } else { Ok(file) }
        }
        Err(found) => Err(wrong(&found)),
    }
}

/// Reads properties alone: channels and types are those of the messages.
pub(crate) fn properties(path: &Path) -> Result<(Vec<Arc<Rule>>, Diagnostics), Mistake> {
    let name = path.display().to_string();
    let text = gainsay_core::read_text(path)
        .map_err(|error| Mistake::new(format!("failed to read `{name}`: {error}")))?;
    let file = hpl::parse(&text);
    let (rules, troubles) = resolve(&file.properties, &AnyChannels);
    let mut found = Diagnostics::default();
    found.add(&Arc::new(Source::new(name, text)), file.troubles.into_iter().chain(troubles));
    Ok((rules.into_iter().map(Arc::new).collect(), found))
}

/// Shows what is wrong with a file, or looks so.
pub(crate) fn show(found: &Diagnostics) {
    if !found.all.is_empty() {
        eprintln!("{}\n", found.show(has_colours(&std::io::stderr())));
    }
}

/// The mistake of whoever wrote a file.
pub(crate) fn wrong(found: &Diagnostics) -> Mistake {
    Mistake::rendered(found.show(has_colours(&std::io::stderr())))
}

/// How a system in lines is reached, as often as one wants.
pub(crate) fn stdio(file: &SystemFile) -> Option<impl Fn() -> StdioBus> {
    let starting = file.starting.as_ref().filter(|_| file.bus == BusKind::Stdio)?;
    Some(|| StdioBus::new(starting.clone(), file.timing == Timing::Virtual, file.can_reset))
}

/// The way to a system.
pub(crate) fn bus(program: &Program, file: &SystemFile) -> Result<Box<dyn Bus>, Mistake> {
    match file.bus {
        BusKind::Stdio => match stdio(file) {
            Some(bus) => Ok(Box::new(bus())),
            None => Err(Mistake::new("the system file does not say how the system is started")),
        },
        BusKind::Embedded => {
            let known: Vec<&str> = program.nodes.keys().map(String::as_str).collect();
            let name = match (&file.node, known.as_slice()) {
                (Some(name), _) => name.clone(),
                (None, [only]) => (*only).to_string(),
                (None, _) => file.system.name.clone(),
            };
            let Some(make) = program.nodes.get(&name).cloned() else {
                let has = if known.is_empty() { "none".to_string() } else { known.join(", ") };
                return Err(Mistake::new(format!(
                    "this program has no node `{name}` (it has {has})\n\
                     nodes are Rust code: a program that has them is made by `gainsay_cli::Program::new().node(\"{name}\", …).main()`"
                )));
            };
            Ok(Box::new(EmbeddedBus::new(move |case| make(case))))
        }
        BusKind::Mqtt => mqtt(file, false),
    }
}

/// What is wrong with what a file says to its bus.
#[cfg(not(feature = "mqtt"))]
pub(crate) fn wrong_options(_: &SystemFile) -> Vec<Diagnostic> {
    Vec::new()
}

#[cfg(feature = "mqtt")]
pub(crate) fn wrong_options(file: &SystemFile) -> Vec<Diagnostic> {
    use gainsay_msg::Value;
    let one = |(key, value): (&String, &Value)| {
        // (Some keys make sense with others only.)
        let mut alone =
            BTreeMap::from([("user".into(), Value::Text("x".into())), ("tls".into(), Value::Bool(true))]);
        alone.insert(key.clone(), value.clone());
        let why = gainsay_mqtt::MqttOptions::from_values(&alone).err()?;
        Some(Diagnostic::error(file.option_spans.get(key).cloned().unwrap_or(0..0), why))
    };
    let found: Vec<Diagnostic> = file.options.iter().filter_map(one).collect();
    match gainsay_mqtt::MqttOptions::from_values(&file.options) {
        Err(why) if found.is_empty() => {
            vec![Diagnostic::error(file.option_spans.values().next().cloned().unwrap_or(0..0), why)]
        }
        _ => found,
    }
}

#[cfg(not(feature = "mqtt"))]
pub(crate) fn mqtt(_: &SystemFile, _: bool) -> Result<Box<dyn Bus>, Mistake> {
    Err(Mistake::new("this program is built without the feature `mqtt`"))
}

/// The way to a system on a broker; `watches`: nobody but others sends.
#[cfg(feature = "mqtt")]
pub(crate) fn mqtt(file: &SystemFile, watches: bool) -> Result<Box<dyn Bus>, Mistake> {
    let options = gainsay_mqtt::MqttOptions::from_values(&file.options).map_err(Mistake::new)?;
    let options = options.in_folder(&file.folder);
    let bus = gainsay_mqtt::MqttBus::new(options, &file.system.channels, file.starting.clone());
    let bus = bus.map_err(Mistake::new)?;
    Ok(Box::new(if watches { bus.hearing_inputs() } else { bus }))
}

/// Traces for each property in real time, if nobody says otherwise. (In virtual time, as many as there are in two seconds.)
const USUAL_CASES: u64 = 50;

/// The settings of the engine for a property.
pub(crate) fn engine(file: &SystemFile, effort: &crate::arguments::Effort) -> Settings {
    let usual = Duration::from_secs(if file.timing == Timing::Virtual { 60 } else { 120 });
    let time = effort.time.map(Duration::from_secs_f64).or(file.time_max).unwrap_or(usual);
    let is_real = file.timing == Timing::Real;
    let mut engine = settings().time(time).limits(|limits| {
        // Buses have limits of their own.
        limits.case_time_max = Duration::MAX;
        if is_real {
            limits.shrinks_max = 200;
            limits.shrink_time_max = Duration::from_secs(120);
            limits.repeats_max = 5;
        }
    });
    let usual = is_real.then_some(USUAL_CASES);
    if let Some(cases) = effort.cases.or(file.cases).or(usual) {
        engine = engine.cases(cases);
    }
    if effort.time.is_some() {
        engine = engine.budget(USUAL_CASES, time);
    }
    if let Some(seed) = effort.seed {
        engine = engine.seed(seed);
    }
    if effort.time.is_some() {
        // Whoever is in a hurry does not wait for a small failure.
        engine = engine.limits(|limits| limits.shrink_time_max = limits.shrink_time_max.min(time));
    }
    engine
}

/// The properties that are asked for, of those that there are.
pub(crate) fn chosen<'r>(all: &'r [Arc<Rule>], ids: &[String]) -> Result<Vec<&'r Arc<Rule>>, Mistake> {
    if ids.is_empty() {
        return Ok(all.iter().collect());
    }
    let one = |id: &String| {
        all.iter().find(|rule| rule.id == *id).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|rule| rule.id.as_str()).collect();
            Mistake::new(format!("there is no property `{id}`; there are {}", known.join(", ")))
        })
    };
    ids.iter().map(one).collect()
}

/// What is said on a system for a while, and how it is written on each channel.
pub(crate) type Listened = (Vec<Arc<gainsay_msg::Message>>, BTreeMap<String, String>);

/// What is said on a broker for a while.
#[cfg(not(feature = "mqtt"))]
pub(crate) fn listen_mqtt(_: &str, _: Duration) -> Result<Listened, Mistake> {
    Err(Mistake::new("this program is built without the feature `mqtt`"))
}

#[cfg(feature = "mqtt")]
pub(crate) fn listen_mqtt(broker: &str, time: Duration) -> Result<Listened, Mistake> {
    let (host, port) = broker.rsplit_once(':').unwrap_or((broker, "1883"));
    let mut options = gainsay_mqtt::MqttOptions::default();
    options.host = host.to_string();
    options.port = port.parse().map_err(|_| Mistake::new(format!("`{port}` is no port")))?;
    let listened = gainsay_mqtt::listen(&options, time);
    let listened = listened.map_err(|trouble| Mistake::of_system(trouble.to_string()))?;
    let codecs =
        listened.codecs.iter().map(|(channel, codec)| (channel.to_string(), codec.name().to_string()));
    Ok((listened.messages, codecs.collect()))
}

#[cfg(all(test, feature = "mqtt"))]
mod tests {
    use super::*;

    #[test]
    fn each_wrong_option_of_a_bus_is_told_at_its_place() {
        let wrong = |options: &str| -> Vec<String> {
            let text = format!("[system]\nbus = \"mqtt\"\n[mqtt]\n{options}\n");
            let (file, _) = SystemFile::parse("s.toml", &text, Path::new("."))
                .map_err(|found| found.to_string())
                .unwrap();
            wrong_options(&file).iter().map(|trouble| file.source.show(trouble, false)).collect()
        };
        let shown = wrong("qos = 7\nhots = 1\nport = 99999");
        assert_eq!(shown.len(), 3, "{shown:#?}");
        assert!(
            shown.iter().any(|one| one.contains("s.toml:4:7") && one.contains("0, 1 or 2, not 7")),
            "{shown:#?}"
        );
        assert!(shown.iter().any(|one| one.contains("is it `host`?")), "{shown:#?}");
        assert!(wrong("password = \"x\"")[0].contains("a `password` without a `user`"));
        assert_eq!(wrong("user = \"x\"\npassword = \"y\"\ntls = true\nca = \"ca.pem\""), [""; 0]);
    }
}
