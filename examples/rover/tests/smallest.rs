//! Each of the ten bugs is found, and shown by a trace of which no message can be dropped and no delay be shorter.

use gainsay::settings;
use gainsay_msg::{Message, StdioBus, SystemFile, SystemTest, Timing};
use std::path::Path;

const MS: u64 = 1_000_000;

fn system() -> SystemFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("system.toml");
    SystemFile::read(&path).unwrap_or_else(|troubles| panic!("{troubles}")).0
}

fn rover(file: &SystemFile, bug: usize) -> StdioBus {
    let mut starting = file.starting.clone().expect("the file says how to start the rover");
    starting.command = vec![env!("CARGO_BIN_EXE_rover").into(), "--bug".into(), bug.to_string()];
    StdioBus::new(starting, file.timing == Timing::Virtual, file.can_reset)
}

/// The first property that is falsified, and what was sent.
fn falsified(file: &SystemFile, rover: &mut StdioBus) -> Option<(String, Vec<Message>)> {
    for rule in file.system.testable() {
        let settings = settings().seed(1).cases(300).without_corpus().allow_vacuous();
        let tested = SystemTest::new(&file.system, &rule.id).settings(settings).run(rover);
        let Some(trace) = tested.expect("the property can be tested").seen else { continue };
        let inputs = file.system.inputs();
        let is_input = |message: &Message| inputs.iter().any(|(channel, _)| *channel == message.channel);
        let sent = trace.messages.iter().filter(|message| is_input(message));
        return Some((rule.id.clone(), sent.map(|message| Message::clone(message)).collect()));
    }
    None
}

#[test]
fn every_bug_is_shown_by_a_trace_that_cannot_be_smaller() {
    let file = system();
    let (mut missed, mut larger) = (Vec::new(), Vec::new());
    for bug in 1..=10 {
        let mut rover = rover(&file, bug);
        let Some((id, sent)) = falsified(&file, &mut rover) else {
            missed.push(bug);
            continue;
        };
        let mut fails = |inputs: &[Message]| {
            let ran = SystemTest::new(&file.system, &id).run_trace(&mut rover, inputs);
            ran.expect("the trace can be sent").1.is_some()
        };
        assert!(fails(&sent), "bug {bug}: {sent:?}");
        let mut before = 0;
        for at in 0..sent.len() {
            let mut fewer = sent.clone();
            fewer.remove(at);
            let mut sooner = sent.clone();
            sooner[at..].iter_mut().for_each(|message| message.at = message.at.saturating_sub(MS));
            if fails(&fewer) || sent[at].at > before && fails(&sooner) {
                larger.push(format!("bug {bug}, {id}, message {at}: {sent:?}"));
            }
            before = sent[at].at;
        }
    }
    assert_eq!((missed, larger), (Vec::<usize>::new(), Vec::<String>::new()));
}
