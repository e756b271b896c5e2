//! Long stories: bugs that need several messages, a running sum, the same value again, or a moment that only the system knows.

mod systems;

use gainsay_core::settings;
use gainsay_msg::{EmbeddedBus, Message, System, SystemTest, Tested};
use systems::{MS, Story, stories};

fn bus(story: &Story, bug: usize) -> EmbeddedBus {
    let make = story.node;
    EmbeddedBus::new(move |_| vec![make(bug)])
}

fn tested(
    story: &Story,
    system: &System,
    bug: usize,
    property: &str,
    (seed, cases, shrinks): (u64, u64, u64),
) -> Tested {
    let settings = settings().seed(seed).cases(cases).without_corpus().allow_vacuous();
    let settings = settings.limits(|limits| limits.shrinks_max = shrinks);
    SystemTest::new(system, property).settings(settings).run(&mut bus(story, bug)).unwrap()
}

#[test]
fn what_is_correct_raises_no_alarm() {
    for story in stories() {
        let system = (story.system)();
        for rule in system.testable() {
            for seed in 1..=2 {
                let tested = tested(&story, &system, 0, &rule.id, (seed, 400, 0));
                assert!(
                    tested.report.verdict.is_good(),
                    "{} {}: {}",
                    story.name,
                    rule.id,
                    tested.report.verdict
                );
            }
        }
    }
}

/// Whether a property is violated by given inputs.
fn is_violated(story: &Story, system: &System, bug: usize, property: &str, inputs: &[Message]) -> bool {
    let test = SystemTest::new(system, property);
    test.run_trace(&mut bus(story, bug), inputs).unwrap().1.is_some()
}

#[test]
fn long_stories_are_found_and_no_message_can_be_dropped_and_no_delay_be_shorter() {
    let (mut missed, mut larger) = (Vec::new(), Vec::new());
    for story in stories() {
        let system = (story.system)();
        for (place, property) in story.wrong.iter().enumerate() {
            let bug = place + 1;
            let tested = tested(&story, &system, bug, property, (1, 40_000, 20_000));
            let Some(seen) = &tested.seen else {
                missed.push(format!("{} {bug}: {property}", story.name));
                continue;
            };
            let is_input = |message: &&std::sync::Arc<Message>| {
                system.inputs().iter().any(|(channel, _)| *channel == message.channel)
            };
            let inputs: Vec<Message> =
                seen.messages.iter().filter(is_input).map(|one| (**one).clone()).collect();
            assert!(is_violated(&story, &system, bug, property, &inputs), "{} {bug}", story.name);
            for at in 0..inputs.len() {
                let mut fewer = inputs.clone();
                fewer.remove(at);
                let mut sooner = inputs.clone();
                let before = if at == 0 { 0 } else { inputs[at - 1].at };
                let is_later = inputs[at].at > before;
                sooner[at..].iter_mut().for_each(|message| message.at = message.at.saturating_sub(MS));
                let is_smaller = |inputs: &[Message]| is_violated(&story, &system, bug, property, inputs);
                if is_smaller(&fewer) || is_later && is_smaller(&sooner) {
                    let lines: Vec<String> = inputs.iter().map(ToString::to_string).collect();
                    larger.push(format!("{} {bug}, message {at}: {}", story.name, lines.join("; ")));
                    break;
                }
            }
        }
    }
    assert_eq!((missed, larger), (Vec::<String>::new(), Vec::<String>::new()));
}
