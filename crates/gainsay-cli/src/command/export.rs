//! Failures as standalone tests: the messages as a file, and a Rust test that sends them.

use gainsay_msg::{Direction, Message, Rule, System, Trace, Violation};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// Writes `ID.jsonl` and `ID.rs`; the path of the latter.
pub(crate) fn write(
    folder: &Path,
    file: &Path,
    system: &System,
    rule: &Rule,
    seen: &Trace,
    violation: Option<&Violation>,
) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let name: String = rule.id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let is_input = |message: &&std::sync::Arc<Message>| {
        system.channel(&message.channel).is_some_and(|channel| channel.direction == Direction::In)
    };
    let inputs: Vec<String> =
        seen.messages.iter().filter(is_input).map(|message| message.to_json()).collect();
    // All that was seen, so that it can be judged again.
    seen.write_lines(std::fs::File::create(folder.join(format!("{name}.jsonl")))?)?;
    let path = folder.join(format!("{name}.rs"));
    std::fs::write(&path, test(&name, file, rule, &inputs, violation))?;
    Ok(path)
}

fn test(name: &str, file: &Path, rule: &Rule, inputs: &[String], violation: Option<&Violation>) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "//! {rule}");
    if let Some(violation) = violation {
        let _ = writeln!(text, "//!\n//! Violated {violation}.");
    }
    let mut messages = String::new();
    for line in inputs {
        let _ = writeln!(messages, "        r##\"{line}\"##,");
    }
    let _ = write!(
        text,
        r#"//!
//! Needs the crate `gainsay-msg`, and runs where `{file}` is found.

use gainsay_msg::{{Message, StdioBus, SystemFile, SystemTest, Timing}};

#[test]
fn {name}() {{
    let (file, _) = SystemFile::read("{file}".as_ref()).expect("the system file can be read");
    let starting = file.starting.clone().expect("it says how the system is started");
    let mut bus = StdioBus::new(starting, file.timing == Timing::Virtual, file.can_reset);
    let inputs = [
{messages}    ];
    let inputs = inputs.map(|line| Message::from_json(line).expect("a message"));
    let (_, violation) = SystemTest::new(&file.system, "{id}").run_trace(&mut bus, &inputs).expect("the system runs");
    assert_eq!(violation.map(|violation| violation.to_string()), None);
}}
"#,
        file = file.display(),
        id = rule.id,
    );
    text
}
