//! Properties that nothing puts to the test are marked, counted and told apart from those that pass.

use crate::desk::{ANSWERS, Desk};

const RULES: &str = "# id: answered\nglobally: /ask causes /answer within 1 s\n\n# id: no_error\nglobally: no /error\n\n\
                     # id: late\nafter /stop: no /vel\n";
const OTHER: &str = "{\"at_ms\":1,\"channel\":\"/pose\",\"msg\":{\"x\":1}}\n{\"at_ms\":2,\"channel\":\"/vel\",\"msg\":{\"x\":1}}\n";

#[test]
fn a_recording_without_the_channels_of_a_property_is_vacuous() {
    let desk = Desk::new("vacuous-monitor");
    desk.write("rules.hpl", RULES);
    desk.write("trace.jsonl", OTHER);
    let text = [
        "∅ answered  globally: /ask causes /answer within 1 s\n    vacuous: never met the trigger `/ask`\n",
        "∅ no_error  globally: no /error\n    vacuous: never met a message on `/error`\n",
        "∅ late      after /stop: no /vel\n    vacuous: never met the activator `/stop`\n",
    ];
    desk.gainsay(&["monitor", "rules.hpl", "trace.jsonl"]).said(3, &text);
    let json = "{\"property\":\"answered\",\"verdict\":\"vacuous\",\"judgement\":\"pending\",\"never\":[\"the trigger `/ask`\"],\"violations\":[]}\n";
    desk.gainsay(&["monitor", "rules.hpl", "trace.jsonl", "--format", "json"]).said(3, &[json]);
    let junit = ["failures=\"3\"", "type=\"vacuous\"", "never met the trigger `/ask`"];
    desk.gainsay(&["monitor", "rules.hpl", "trace.jsonl", "--format", "junit"]).said(3, &junit);
    let allowed = ["✓ answered  not violated\n    vacuous, which is allowed: never met the trigger `/ask`\n"];
    desk.gainsay(&["monitor", "rules.hpl", "trace.jsonl", "--allow-vacuous"]).said(0, &allowed);
    let json = "{\"property\":\"answered\",\"verdict\":\"pending\",\"owed\":false,\"violations\":[]}\n";
    desk.gainsay(&["monitor", "rules.hpl", "trace.jsonl", "--allow-vacuous", "--format", "json"])
        .said(0, &[json]);
}

#[test]
fn a_recording_that_puts_properties_to_the_test_is_judged_as_before() {
    let desk = Desk::new("vacuous-monitor-twin");
    desk.write("rules.hpl", &RULES.replace("# id: no_error", "# id: no_error\n# allow_vacuous: true"));
    let more = "{\"at_ms\":3,\"channel\":\"/ask\",\"msg\":{}}\n{\"at_ms\":4,\"channel\":\"/answer\",\"msg\":{}}\n\
                {\"at_ms\":5,\"channel\":\"/stop\",\"msg\":{}}\n";
    desk.write("trace.jsonl", &format!("{OTHER}{more}"));
    desk.gainsay(&["monitor", "rules.hpl", "trace.jsonl"])
        .said(0, &["✓ answered  not violated\n", "✓ no_error  not violated\n", "✓ late      not violated\n"]);
    // What is violated is told before what is vacuous.
    desk.write("trace.jsonl", "{\"at_ms\":3,\"channel\":\"/error\",\"msg\":{}}\n");
    desk.gainsay(&["monitor", "rules.hpl", "trace.jsonl"]).said(1, &["∅ answered", "✗ no_error", "∅ late"]);
}

const PROPERTIES: &str = "# id: answered\nglobally: /in causes /out within 100 ms\n# id: small\nglobally: no /out {n > 9}\n\
                          # id: asked\nglobally: /out requires /in\n";

#[test]
fn a_silent_system_passes_nothing() {
    let desk = Desk::new("vacuous-silent");
    desk.script(":", "", PROPERTIES);
    let run = ["test", "system.toml", "--seed", "1", "--cases", "20", "--no-corpus"];
    let text = [
        "✗ answered",
        "∅ small     globally: no /out {n > 9}\n    vacuous after 20 traces: never met a message on `/out`\n",
        "∅ asked     globally: /out requires /in\n    vacuous after 20 traces: never met `/out`\n",
    ];
    desk.gainsay(&run).said(1, &text);
    let alone = |more: &[&str]| {
        let asked = ["--property", "small", "--property", "asked"];
        desk.gainsay(&[&run[..], &asked, more].concat())
    };
    alone(&[]).said(3, &["∅ small", "∅ asked"]);
    let json = [
        "\"property\":\"small\",\"verdict\":\"vacuous\"",
        "\"never\":[\"a message on `/out`\"]",
        "\"exercise\":{\"scopes\":20,\"obligations\":20,\"met\":0,\"heard\":0}",
    ];
    alone(&["--format", "json"]).said(3, &json);
    alone(&["--format", "junit"]).said(3, &["failures=\"2\" errors=\"0\"", "type=\"vacuous\""]);
    let allowed = "✓ small  passed 20 traces\n    vacuous, which is allowed: never met a message on `/out`\n";
    alone(&["--allow-vacuous"]).said(0, &[allowed]);
    desk.script(":", "allow_vacuous = true", PROPERTIES);
    alone(&[]).said(0, &[allowed]);
}

#[test]
fn its_twin_that_answers_passes() {
    let desk = Desk::new("vacuous-twin");
    desk.script(ANSWERS, "", PROPERTIES);
    let run = ["test", "system.toml", "--seed", "1", "--cases", "20", "--no-corpus"];
    desk.gainsay(&run).said(0, &["✓ answered  passed 20", "✓ small     passed 20", "✓ asked     passed 20"]);
}
