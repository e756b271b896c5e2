//! System files: what is tested, how it is reached, and what must hold of it.

mod table;

use super::{Channel, System};
use crate::bus::{Ready, Starting};
use crate::classify::Direction;
use crate::construct::Policy;
use crate::diagnostic::{Diagnostic, Diagnostics, Source, Span};
use crate::hpl;
use crate::names::nearest;
use crate::rule::resolve;
use crate::schema::{Schema, Statement, parse_schema};
use crate::time::MS;
use crate::types::{MessageType, Order, Type, Types, parse_msg};
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use table::{Entry, Table};

/// A system as its file describes it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SystemFile {
    /// The system.
    pub system: System,
    /// How it is reached.
    pub bus: BusKind,
    /// How it is started, if it has to be.
    pub starting: Option<Starting>,
    /// Whether its time is real.
    pub timing: Timing,
    /// Whether it can be made as new without being started again.
    pub can_reset: bool,
    /// Traces for each property, if the file says so.
    pub cases: Option<u64>,
    /// Instances side by side, if the file says so.
    pub jobs: Option<usize>,
    /// Time for each property, if the file says so.
    pub time_max: Option<Duration>,
    /// The command that builds the program to start, for people.
    pub build: Option<String>,
    /// Whether properties that nothing puts to the test pass all the same.
    pub allow_vacuous: bool,
    /// The node to test, of a program that has nodes of its own.
    pub node: Option<String>,
    /// What the file says to the bus: `[mqtt]`, say.
    pub options: BTreeMap<String, Value>,
    /// Where each of them is written.
    pub option_spans: BTreeMap<String, Span>,
    /// The text of the file.
    pub source: Arc<Source>,
    /// The folder of the file.
    pub folder: PathBuf,
}

/// The ways to a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BusKind {
    /// In this process.
    Embedded,
    /// A program that is spoken with in lines of JSON.
    Stdio,
    /// A broker.
    Mqtt,
}

/// Whose time it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// Time passes when it is told to.
    Virtual,
    /// Time passes.
    Real,
}

const SECTIONS: [&str; 11] = [
    "system",
    "types",
    "channels",
    "nodes",
    "properties",
    "schemas",
    "data",
    "limits",
    "mqtt",
    "ros",
    "report",
];

impl SystemFile {
    /// Reads a file, and the files that it names.
    ///
    /// # Errors
    /// What is wrong with them; warnings are among it.
    pub fn read(path: &Path) -> Result<(SystemFile, Diagnostics), Diagnostics> {
        let name = path.display().to_string();
        let text = gainsay_core::read_text(path).map_err(|error| {
            let source = Arc::new(Source::new(name.clone(), ""));
            let mut found = Diagnostics::default();
            let help = "`gainsay init` writes a system file";
            found.add(
                &source,
                [Diagnostic::error(0..0, format!("failed to read `{name}`: {error}")).help(help)],
            );
            found
        })?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        SystemFile::parse(&name, &text, folder)
    }

    /// Reads a text; files that it names are looked for in the folder.
    ///
    /// # Errors
    /// What is wrong with it; warnings are among it.
    pub fn parse(name: &str, text: &str, folder: &Path) -> Result<(SystemFile, Diagnostics), Diagnostics> {
        let source = Arc::new(Source::new(name, text));
        let mut reader = Reader {
            folder: folder.to_path_buf(),
            troubles: Vec::new(),
            others: Diagnostics::default(),
            text: text.to_string(),
            are_channels_known: false,
        };
        let read = reader.file(text);
        let mut found = Diagnostics::default();
        reader.troubles.sort_by_key(|trouble| trouble.span.start);
        found.add(&source, reader.troubles);
        found.all.extend(reader.others.all);
        match read {
            Some(mut file) if !found.has_errors() => {
                file.source = source;
                Ok((file, found))
            }
            _ => Err(found),
        }
    }
}

struct Reader {
    folder: PathBuf,
    troubles: Vec<Diagnostic>,
    /// What is wrong with other files.
    others: Diagnostics,
    text: String,
    /// Whether channels and their types are known: where they are not, nothing that is said of them makes sense.
    are_channels_known: bool,
}

impl Reader {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.troubles.push(Diagnostic::error(span, message));
    }

    fn file(&mut self, text: &str) -> Option<SystemFile> {
        let parsed = match toml::de::DeTable::parse(text) {
            Ok(parsed) => parsed,
            Err(error) => {
                let span = error.span().unwrap_or(0..text.len().min(1));
                self.error(span, error.message().to_string());
                return None;
            }
        };
        let root = Table::new(parsed.get_ref(), 0..0);
        root.check_keys(&SECTIONS, "section", &mut self.troubles);
        let Some(of_system) = root.table("system", &mut self.troubles) else {
            let trouble = Diagnostic::error(0..0, "there is no section `[system]`");
            self.troubles.push(
                trouble.help("begin with\n[system]\nname = \"…\"\nbus = \"stdio\"\nstart = [\"./program\"]"),
            );
            return None;
        };
        let section = |name: &str, reader: &mut Self| root.table(name, &mut reader.troubles);
        let types = section("types", self);
        let types = self.types(types);
        let channels = self.channels(&root, &of_system, &types);
        self.are_channels_known =
            !self.troubles.iter().any(Diagnostic::is_error) && !self.others.has_errors();
        let mut file = self.system(&of_system)?;
        file.system.channels = channels;
        let data = section("data", self);
        file.system.policy = self.policy(data, &types);
        if let Some(limits) = root.table("limits", &mut self.troubles) {
            limits.check_keys(&["cases", "jobs", "time_s"], "limit", &mut self.troubles);
            file.cases = self.at_least_one(&limits, "cases").or(file.cases);
            file.jobs = self.at_least_one(&limits, "jobs").map(|jobs| jobs as usize).or(file.jobs);
            file.time_max = self.seconds(&limits).or(file.time_max);
        }
        let properties = section("properties", self);
        self.properties(&mut file.system, properties);
        let schemas = section("schemas", self);
        self.schemas(&mut file.system, schemas);
        if let Some(options) = root.table("mqtt", &mut self.troubles) {
            file.options = options.values();
            file.option_spans =
                options.entries().map(|(key, entry)| (key.to_string(), entry.span())).collect();
        }
        Some(file)
    }

    fn system(&mut self, table: &Table<'_>) -> Option<SystemFile> {
        const KEYS: [&str; 20] = [
            "name",
            "bus",
            "start",
            "ready",
            "time",
            "reset",
            "directory",
            "environment",
            "slack_ms",
            "rest_ms",
            "cases",
            "jobs",
            "time_s",
            "undeclared",
            "node",
            "start_ms",
            "answer_ms",
            "projection",
            "allow_vacuous",
            "build",
        ];
        table.check_keys(&KEYS, "key of `[system]`", &mut self.troubles);
        let name = table.text("name", &mut self.troubles).unwrap_or_else(|| "system".to_string());
        let bus = match table.one_of("bus", &["embedded", "stdio", "mqtt"], &mut self.troubles).as_deref() {
            Some("stdio") => BusKind::Stdio,
            Some("mqtt") => BusKind::Mqtt,
            Some(_) => BusKind::Embedded,
            None => {
                if !table.has("bus") {
                    let trouble = Diagnostic::error(table.span.clone(), "there is no `bus`");
                    self.troubles.push(trouble.help("`bus = \"stdio\"`, `\"mqtt\"` or `\"embedded\"`"));
                }
                return None;
            }
        };
        let usual = if bus == BusKind::Embedded { "virtual" } else { "real" };
        let timing = table.one_of("time", &["virtual", "real"], &mut self.troubles);
        let timing =
            if timing.as_deref().unwrap_or(usual) == "virtual" { Timing::Virtual } else { Timing::Real };
        if bus == BusKind::Mqtt && timing == Timing::Virtual {
            self.error(table.span_of("time"), "messages over a broker take real time");
        }
        let starting = self.starting(table, bus);
        let ms = |key: &str, reader: &mut Self| {
            let value = table.number(key, &mut reader.troubles)?;
            if !(0.0..1e12).contains(&value) {
                reader.error(table.span_of(key), format!("`{key}` is a time in milliseconds"));
                return None;
            }
            Some((value * MS as f64).round() as u64)
        };
        let slack = ms("slack_ms", self);
        if timing == Timing::Virtual && slack.is_some_and(|slack| slack > 0) {
            let warning =
                Diagnostic::warning(table.span_of("slack_ms"), "virtual time is exact: nothing is forgiven");
            self.troubles.push(warning);
        }
        let system = System {
            name,
            slack: if timing == Timing::Real { slack.unwrap_or(20 * MS) } else { 0 },
            rest: ms("rest_ms", self),
            ignores_undeclared: table
                .one_of("undeclared", &["error", "ignore"], &mut self.troubles)
                .as_deref()
                == Some("ignore"),
            ..System::default()
        };
        Some(SystemFile {
            system,
            bus,
            starting,
            timing,
            can_reset: table.flag("reset", &mut self.troubles).unwrap_or(false),
            cases: self.at_least_one(table, "cases"),
            jobs: self.at_least_one(table, "jobs").map(|jobs| jobs as usize),
            time_max: self.seconds(table),
            build: table.text("build", &mut self.troubles),
            allow_vacuous: table.flag("allow_vacuous", &mut self.troubles).unwrap_or(false),
            node: table.text("node", &mut self.troubles),
            options: BTreeMap::new(),
            option_spans: BTreeMap::new(),
            source: Arc::new(Source::new("", "")),
            folder: self.folder.clone(),
        })
    }

    fn at_least_one(&mut self, table: &Table<'_>, key: &str) -> Option<u64> {
        let number = table.whole(key, &mut self.troubles)?;
        if number == 0 {
            self.error(table.span_of(key), format!("`{key}` is at least 1"));
            return None;
        }
        Some(number)
    }

    /// The time for each property.
    fn seconds(&mut self, table: &Table<'_>) -> Option<Duration> {
        let seconds = table.number("time_s", &mut self.troubles)?;
        if !(0.0..=1e9).contains(&seconds) {
            self.error(table.span_of("time_s"), "`time_s` is a number of seconds, not below 0");
            return None;
        }
        Some(Duration::from_secs_f64(seconds))
    }

    fn starting(&mut self, table: &Table<'_>, bus: BusKind) -> Option<Starting> {
        let Some(command) = table.texts("start", &mut self.troubles) else {
            if bus == BusKind::Stdio && !table.has("start") {
                let trouble = Diagnostic::error(table.span.clone(), "there is no `start`");
                self.troubles.push(trouble.help("`start = [\"./program\", \"argument\"]`"));
            }
            return None;
        };
        if command.first().is_none_or(String::is_empty) {
            self.error(table.span_of("start"), "there is no program to start");
            return None;
        }
        let mut starting = Starting::new(command);
        // A path may be written as seen from here, or from the file.
        let program = Path::new(&starting.command[0]);
        if program.components().count() > 1 && !program.exists() && self.folder.join(program).exists() {
            starting.command[0] = self.folder.join(program).display().to_string();
        }
        starting.directory =
            table.text("directory", &mut self.troubles).map(|folder| self.folder.join(folder));
        if let Some(variables) = table.table("environment", &mut self.troubles) {
            for (name, entry) in variables.entries() {
                match entry.text() {
                    Some(value) => starting.environment.push((name.to_string(), value.to_string())),
                    None => self.error(entry.span(), format!("`{name}` is text")),
                }
            }
        }
        let ready = table.text("ready", &mut self.troubles);
        let usual = if bus == BusKind::Stdio { "idle" } else { "now" };
        let ready = ready.as_deref().unwrap_or(usual);
        starting.ready = match ready.split_once(':') {
            Some(("stderr", words)) => Ready::Words(words.trim().to_string()),
            Some(("port", port)) => match port.trim().parse() {
                Ok(port) => Ready::Port(port),
                Err(_) => {
                    self.error(table.span_of("ready"), format!("`{}` is no port", port.trim()));
                    Ready::Now
                }
            },
            _ => match ready {
                "idle" => Ready::Idle,
                "now" => Ready::Now,
                channel => Ready::Channel(channel.to_string()),
            },
        };
        let mut limit = |key: &str| {
            let ms = table.number(key, &mut self.troubles)?;
            let limit = (1.0..=1e9).contains(&ms).then(|| Duration::from_secs_f64(ms / 1000.0));
            if limit.is_none() {
                self.error(table.span_of(key), format!("`{key}` is a time in milliseconds, at least 1"));
            }
            limit
        };
        if let Some(limit) = limit("start_ms") {
            starting.start_max = limit;
        }
        if let Some(limit) = limit("answer_ms") {
            starting.answer_max = limit;
        }
        Some(starting)
    }

    /// Message types: those of the file, which may speak of each other, and those of `.msg` files.
    fn types(&mut self, table: Option<Table<'_>>) -> Types {
        let mut types = Types::new();
        let Some(table) = table else { return types };
        if let Some(files) = table.texts("files", &mut self.troubles) {
            self.msg_files(&mut types, &files, table.span_of("files"));
        }
        let names: Vec<(String, Entry<'_>)> = table
            .entries()
            .filter(|(name, _)| *name != "files")
            .map(|(name, entry)| (name.to_string(), entry))
            .collect();
        let kinds = names.iter().map(|(name, entry)| {
            let kinds =
                entry.table().map(|table| table.entries().filter_map(|(_, kind)| kind.text()).collect());
            (name.as_str(), kinds.unwrap_or_default())
        });
        let order = Order::of(kinds.collect());
        let mut missing = BTreeSet::new();
        for place in order.places {
            let (name, entry) = &names[place];
            let mut troubles = Vec::new();
            match message_type(name, entry, &types, &mut troubles) {
                Some(message) => types.add(message),
                None => {
                    // (What is made of something that is wrong is not told as well.)
                    if !order.mentions[place].iter().any(|other| missing.contains(other)) {
                        self.troubles.extend(troubles);
                    }
                    missing.insert(place);
                }
            }
        }
        types
    }

    fn msg_files(&mut self, types: &mut Types, files: &[String], span: Span) {
        let mut definitions = Vec::new();
        for file in files {
            let path = self.folder.join(file);
            let mut found: Vec<PathBuf> = Vec::new();
            if path.is_dir() {
                let mut left = FILES_MAX;
                if !collect_msgs(&path, &mut found, 0, &mut left) {
                    let path = path.display();
                    let message = format!(
                        "there are more than {FILES_MAX} files in `{path}`: name a folder further down"
                    );
                    self.error(span.clone(), message);
                    continue;
                }
                found.sort();
            } else {
                found.push(path.clone());
            }
            if found.is_empty() {
                self.error(span.clone(), format!("there are no `.msg` files in `{}`", path.display()));
            }
            for path in found {
                let text = match gainsay_core::read_named_text(&path) {
                    Ok(text) => text,
                    Err(error) => {
                        self.error(span.clone(), format!("failed to read `{}`: {error}", path.display()));
                        continue;
                    }
                };
                match parse_msg(&text) {
                    Ok(definition) => definitions.push((name_of_msg(&path), definition)),
                    Err(trouble) => {
                        let source = Arc::new(Source::new(path.display().to_string(), text));
                        self.others.add(&source, [trouble]);
                    }
                }
            }
        }
        if let Err((name, why)) = types.add_msgs(definitions) {
            self.error(span, format!("`{name}`: {why}"));
        }
    }

    fn channels(&mut self, root: &Table<'_>, of_system: &Table<'_>, types: &Types) -> Vec<Channel> {
        let nodes = root.table("nodes", &mut self.troubles);
        let projection = of_system.texts("projection", &mut self.troubles);
        let graph = self.graph(nodes.as_ref(), projection.as_deref(), of_system.span_of("projection"));
        let Some(table) = root.table("channels", &mut self.troubles) else { return Vec::new() };
        let mut channels = Vec::new();
        for (name, entry) in table.entries() {
            let mut of = Type::Any;
            let (mut direction, mut topic, mut codec) = (None, None, None);
            let named = |kind: &str, reader: &mut Self, span: Span| match types.named(kind, None) {
                Ok(kind) => kind,
                Err(why) => {
                    reader.error(span, why);
                    Type::Any
                }
            };
            if let Some(kind) = entry.text() {
                of = named(kind, self, entry.span());
            } else if let Some(inner) = entry.table() {
                inner.check_keys(
                    &["type", "direction", "topic", "codec"],
                    "key of a channel",
                    &mut self.troubles,
                );
                if let Some(kind) = inner.text("type", &mut self.troubles) {
                    of = named(&kind, self, inner.span_of("type"));
                }
                direction = inner.one_of("direction", &["in", "out", "internal"], &mut self.troubles);
                topic = inner.text("topic", &mut self.troubles);
                codec = inner.one_of("codec", &["json", "number", "text", "bytes"], &mut self.troubles);
            } else {
                let trouble = Diagnostic::error(entry.span(), "a channel is a table");
                self.troubles.push(trouble.help("`\"/laser\" = { type = \"Laser\", direction = \"in\" }`"));
                continue;
            }
            let by_graph = graph.as_ref().and_then(|graph| graph.get(name).copied());
            // (One that is wrong has been told.)
            let has_direction = entry.table().is_some_and(|table| table.has("direction"));
            let direction = match (by_graph, direction.as_deref()) {
                (Some(known), _) => known,
                (None, Some("in")) => Some(Direction::In),
                (None, Some(_)) => Some(Direction::Out),
                (None, None) if graph.is_some() || has_direction => None,
                (None, None) => {
                    let trouble =
                        Diagnostic::error(entry.span(), format!("where do messages on `{name}` come from?"));
                    self.troubles.push(
                        trouble.help("`direction = \"in\"` if tests send them, `\"out\"` if the system does"),
                    );
                    continue;
                }
            };
            // (What the chosen part of the system has nothing to do with is left out.)
            let Some(direction) = direction else { continue };
            if direction == Direction::In
                && of == Type::Any
                && !self.troubles.iter().any(Diagnostic::is_error)
            {
                let trouble = Diagnostic::error(
                    entry.span(),
                    format!("nobody says what messages on `{name}` are like"),
                );
                self.troubles.push(trouble.help("give it a `type`: tests send on this channel"));
            }
            channels.push(Channel { name: name.into(), of, direction, topic, codec });
        }
        channels
    }

    /// For each channel of the parts that are tested, where its messages come from.
    fn graph(
        &mut self,
        nodes: Option<&Table<'_>>,
        projection: Option<&[String]>,
        span: Span,
    ) -> Option<BTreeMap<String, Option<Direction>>> {
        let Some(nodes) = nodes else {
            if projection.is_some() {
                let trouble = Diagnostic::error(span, "there are no `[nodes]` to choose from");
                self.troubles
                    .push(trouble.help("[nodes.control]\nsubscribes = [\"/plan\"]\npublishes = [\"/vel\"]"));
            }
            return None;
        };
        let mut all: BTreeMap<String, Option<Direction>> = BTreeMap::new();
        let mut known = Vec::new();
        for (name, entry) in nodes.entries() {
            known.push(name.to_string());
            let Some(node) = entry.table() else {
                self.error(entry.span(), format!("`{name}` is a table"));
                continue;
            };
            node.check_keys(&["subscribes", "publishes"], "key of a node", &mut self.troubles);
            let is_chosen = projection.is_none_or(|chosen| chosen.iter().any(|one| one == name));
            let subscribes = node.texts("subscribes", &mut self.troubles).unwrap_or_default();
            let publishes = node.texts("publishes", &mut self.troubles).unwrap_or_default();
            for channel in subscribes {
                let place = all.entry(channel).or_insert(None);
                if is_chosen && place.is_none() {
                    *place = Some(Direction::In);
                }
            }
            for channel in publishes {
                let place = all.entry(channel).or_insert(None);
                if is_chosen {
                    *place = Some(Direction::Out);
                }
            }
        }
        for wrong in projection.unwrap_or_default().iter().filter(|name| !known.contains(name)) {
            let mut trouble = Diagnostic::error(span.clone(), format!("there is no node `{wrong}`"));
            if let Some(near) = nearest(wrong, known.iter().map(String::as_str)) {
                trouble = trouble.help(format!("is it `{near}`?"));
            }
            self.troubles.push(trouble);
        }
        Some(all)
    }

    fn policy(&mut self, table: Option<Table<'_>>, types: &Types) -> Policy {
        let mut policy = Policy::default();
        let Some(table) = table else { return policy };
        table.check_keys(
            &["nan", "infinities", "array_max", "text_max", "ranges"],
            "key of `[data]`",
            &mut self.troubles,
        );
        policy.nan = table.flag("nan", &mut self.troubles).unwrap_or(false);
        policy.infinite = table.flag("infinities", &mut self.troubles).unwrap_or(false);
        let most = |key: &str, usual: usize, troubles: &mut Vec<Diagnostic>| {
            table.whole(key, troubles).map_or(usual, |most| most.min(10_000) as usize)
        };
        policy.array_max = most("array_max", policy.array_max, &mut self.troubles);
        policy.text_max = most("text_max", policy.text_max, &mut self.troubles);
        if let Some(ranges) = table.table("ranges", &mut self.troubles) {
            for (name, entry) in ranges.entries() {
                let is_known = match name.rsplit_once('.') {
                    _ if !self.are_channels_known || Type::primitive(name).is_some() => true,
                    Some((of, field)) => {
                        matches!(types.named(of, None), Ok(Type::Record(of)) if of.field(field).is_some())
                    }
                    None => types.named(name, None).is_ok(),
                };
                if !is_known {
                    self.error(entry.span(), format!("there is no type or field `{name}`"));
                    continue;
                }
                match entry.numbers().as_deref() {
                    Some([low, high]) if low <= high => policy.ranges.push((name.to_string(), *low, *high)),
                    _ => {
                        let trouble = Diagnostic::error(entry.span(), format!("`{name}` is no range"));
                        self.troubles.push(trouble.help("`\"Laser.dist\" = [0, 100]`"));
                    }
                }
            }
        }
        policy
    }

    fn properties(&mut self, system: &mut System, table: Option<Table<'_>>) {
        let Some(table) = table else { return };
        table.check_keys(&["files", "text"], "key of `[properties]`", &mut self.troubles);
        let mut texts: Vec<(Arc<Source>, Option<usize>)> = Vec::new();
        for file in table.texts("files", &mut self.troubles).unwrap_or_default() {
            let path = self.folder.join(&file);
            match gainsay_core::read_named_text(&path) {
                Ok(text) => texts.push((Arc::new(Source::new(path.display().to_string(), text)), None)),
                Err(error) => {
                    let message = format!("failed to read `{}`: {error}", path.display());
                    self.error(table.span_of("files"), message);
                }
            }
        }
        if let Some(text) = table.text("text", &mut self.troubles) {
            let place = self.place_of(&text, table.span_of("text"));
            texts.push((Arc::new(Source::new("[properties] text", text)), place));
        }
        let mut before = 0;
        for (source, place) in texts {
            let file = hpl::parse(&source.text);
            self.told(&source, place, file.troubles);
            if !self.are_channels_known {
                continue;
            }
            let (rules, troubles) = resolve(&file.properties, system);
            self.told(&source, place, troubles);
            for mut rule in rules {
                // Places are counted through all files.
                if rule.property.id().is_none() {
                    let place =
                        file.properties.iter().position(|property| property.span == rule.property.span);
                    rule.id = format!("p{}", before + place.unwrap_or(0) + 1);
                }
                if system.rule(&rule.id).is_some() {
                    let message = format!("two properties are called `{}`", rule.id);
                    self.told(&source, place, vec![Diagnostic::error(rule.property.span.clone(), message)]);
                    continue;
                }
                system.rules.push(Arc::new(rule));
            }
            before += file.properties.len();
        }
    }

    /// Where in the file a text begins that is written in it as it is.
    fn place_of(&self, text: &str, span: Span) -> Option<usize> {
        let written = self.text.get(span.clone())?;
        let place = written.find(text)?;
        (!text.is_empty()).then_some(span.start + place)
    }

    /// Tells what is wrong with a text: at its place in this file, if it has one.
    fn told(&mut self, source: &Arc<Source>, place: Option<usize>, troubles: Vec<Diagnostic>) {
        let Some(place) = place else { return self.others.add(source, troubles) };
        self.troubles.extend(troubles.into_iter().map(|mut trouble| {
            trouble.span = trouble.span.start + place..trouble.span.end + place;
            trouble
        }));
    }

    fn schemas(&mut self, system: &mut System, table: Option<Table<'_>>) {
        let Some(table) = table else { return };
        for (id, entry) in table.entries() {
            let Some(text) = entry.text() else {
                self.error(entry.span(), format!("the schema of `{id}` is text"));
                continue;
            };
            if !self.are_channels_known {
                continue;
            }
            if system.rule(id).is_none() {
                // (One that makes no sense is there all the same.)
                if !self.others.has_errors() && !self.troubles.iter().any(Diagnostic::is_error) {
                    self.error(entry.span(), format!("there is no property `{id}`"));
                }
                continue;
            }
            match parse_schema("by hand", text, system) {
                Ok(schema) => {
                    if let Some(line) = wrong_way(&schema, system) {
                        self.error(entry.span(), line);
                    }
                    system.schemas.push((id.to_string(), schema));
                }
                Err(troubles) => {
                    let place = self.place_of(text, entry.span());
                    let source = Arc::new(Source::new(format!("[schemas] {id}"), text));
                    self.told(&source, place, troubles);
                }
            }
        }
    }
}

/// A line of a schema that sends what the system says, or waits for what tests send.
fn wrong_way(schema: &Schema, system: &System) -> Option<String> {
    let is_input =
        |channel: &str| system.channel(channel).is_some_and(|channel| channel.direction == Direction::In);
    schema.statements.iter().find_map(|statement| {
        let (event, wanted) = match statement {
            Statement::Publish { event, .. } => (event, true),
            Statement::Await { event } => (event, false),
            Statement::Forbid(_) => return None,
        };
        let one = event.alternatives.iter().find(|one| is_input(&one.channel) != wanted)?;
        Some(match wanted {
            true => format!("`{}` is an output: nobody can publish it, but `await` it", one.channel),
            false => format!("`{}` is an input: nobody has to await it, but `publish` it", one.channel),
        })
    })
}

fn message_type(
    name: &str,
    entry: &Entry<'_>,
    types: &Types,
    troubles: &mut Vec<Diagnostic>,
) -> Option<MessageType> {
    let Some(table) = entry.table() else {
        let trouble = Diagnostic::error(entry.span(), format!("the type `{name}` is a table"));
        troubles.push(trouble.help(format!("[types.{name}]\nx = \"float64\"")));
        return None;
    };
    let mut fields = Vec::new();
    let mut constants = Vec::new();
    for (field, entry) in table.entries() {
        if field == "constants" && entry.table().is_some() {
            for (constant, value) in entry.table()?.entries() {
                constants.push((constant.to_string(), value.value()));
            }
            continue;
        }
        let Some(kind) = entry.text() else {
            let trouble = Diagnostic::error(entry.span(), format!("the type of `{field}` is text"));
            troubles
                .push(trouble.help("`x = \"float64\"`, `xs = \"int32[]\"`, `pose = \"geometry_msgs/Pose\"`"));
            return None;
        };
        match types.named(kind, None) {
            Ok(kind) => fields.push((field.to_string(), kind)),
            Err(why) => {
                troubles.push(Diagnostic::error(entry.span(), why));
                return None;
            }
        }
    }
    match MessageType::new(name, fields, constants).checked() {
        Ok(message) => Some(message),
        Err(why) => {
            troubles.push(Diagnostic::error(entry.span(), why));
            None
        }
    }
}

/// Folders are nested so deep at most, and have so many files at most, all of them together, where `.msg` files are looked for.
const FOLDERS_DEPTH_MAX: usize = 6;
const FILES_MAX: usize = 20_000;

/// Finds `.msg` files. False if there are more files than are looked at.
fn collect_msgs(folder: &Path, found: &mut Vec<PathBuf>, depth: usize, left: &mut usize) -> bool {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(fewer) = left.checked_sub(1) else { return false };
        *left = fewer;
        let path = entry.path();
        if path.is_dir() {
            if depth < FOLDERS_DEPTH_MAX && !collect_msgs(&path, found, depth + 1, left) {
                return false;
            }
        } else if path.extension().is_some_and(|ending| ending == "msg") {
            found.push(path);
        }
    }
    true
}

/// `…/package/msg/Type.msg` is `package/Type`.
fn name_of_msg(path: &Path) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = path.parent().and_then(|folder| {
        if folder.file_name().is_some_and(|name| name == "msg") { folder.parent() } else { Some(folder) }
    });
    match folder.and_then(Path::file_name) {
        Some(package) => format!("{}/{name}", package.to_string_lossy()),
        None => name,
    }
}
