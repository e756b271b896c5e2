//! Failures as standalone tests: the messages as a file, and a Rust test that sends them.

use gainsay_core::{escaped, write_text, write_whole};
use gainsay_msg::{Direction, Message, Rule, System, Trace, Violation};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// Writes `NAME.jsonl` and `NAME.rs`; the path of the latter. What another failure has left under the same name stays.
pub(crate) fn write(
    folder: &Path,
    file: &Path,
    system: &System,
    rule: &Rule,
    seen: &Trace,
    violation: Option<&Violation>,
) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let is_input = |message: &&std::sync::Arc<Message>| {
        system.channel(&message.channel).is_some_and(|channel| channel.direction == Direction::In)
    };
    let inputs: Vec<String> =
        seen.messages.iter().filter(is_input).map(|message| message.to_json()).collect();
    let own = identifier(&rule.id);
    for count in 1.. {
        let name = if count == 1 { own.clone() } else { format!("{own}_{count}") };
        let path = folder.join(format!("{name}.rs"));
        let text = test(&name, file, rule, &inputs, violation);
        match std::fs::read_to_string(&path) {
            Ok(known) if known == text => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            _ => continue,
        }
        // All that was seen, so that it can be judged again.
        write_whole(&folder.join(format!("{name}.jsonl")), |file| seen.write_lines(file))?;
        write_text(&path, &text)?;
        return Ok(path);
    }
    Err(io::Error::other("there is no free name"))
}

/// Words that are no names in Rust.
const KEYWORDS: [&str; 53] = [
    "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "Self",
    "static", "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// A name in Rust for the id of a property: the id itself if it is one, otherwise something like it, with a number by which similar ids are told
/// apart.
fn identifier(id: &str) -> String {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = id.chars().all(is_letter)
        && id.starts_with(|c: char| !c.is_ascii_digit())
        && !KEYWORDS.contains(&id)
        && id.len() <= LENGTH_MAX;
    if is_name {
        return id.to_string();
    }
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    let like: String = id.chars().take(LENGTH_MAX).map(|c| if is_letter(c) { c } else { '_' }).collect();
    format!("p_{like}_{:08x}", hasher.finish() as u32)
}

/// A file's name has a limit.
const LENGTH_MAX: usize = 100;

/// Text as lines of a comment.
fn comment(text: &str) -> String {
    escaped(text).lines().map(|line| format!("//! {line}\n")).collect()
}

fn test(name: &str, file: &Path, rule: &Rule, inputs: &[String], violation: Option<&Violation>) -> String {
    let mut text = comment(&rule.to_string());
    if let Some(violation) = violation {
        text += &format!("//!\n{}", comment(&format!("Violated {violation}.")));
    }
    let file = file.display().to_string();
    text += &format!(
        "//!\n{}",
        comment(&format!("Needs the crate `gainsay-msg`, and runs where `{file}` is found."))
    );
    let mut messages = String::new();
    for line in inputs {
        let _ = writeln!(messages, "        {line:?},");
    }
    let _ = write!(
        text,
        r#"
use gainsay_msg::{{Message, StdioBus, SystemFile, SystemTest, Timing}};

#[test]
fn {name}() {{
    let (file, _) = SystemFile::read({file:?}.as_ref()).expect("the system file can be read");
    let starting = file.starting.clone().expect("it says how the system is started");
    let mut bus = StdioBus::new(starting, file.timing == Timing::Virtual, file.can_reset);
    let inputs: [&str; {count}] = [
{messages}    ];
    let inputs = inputs.map(|line| Message::from_json(line).expect("a message"));
    let (_, violation) = SystemTest::new(&file.system, {id:?}).run_trace(&mut bus, &inputs).expect("the system runs");
    assert_eq!(violation.map(|violation| violation.to_string()), None);
}}
"#,
        count = inputs.len(),
        id = rule.id,
    );
    text
}
