use super::*;

/// What a correct rover answers to these lines.
fn talk(lines: &str) -> Vec<String> {
    let mut out = Vec::new();
    serve(&mut Rover::new(None), lines.as_bytes(), &mut out).expect("memory can be written");
    let lines = String::from_utf8(out).expect("text");
    lines.lines().map(|line| sorted(serde_json::from_str(line).expect("JSON")).to_string()).collect()
}

/// The same with names in the order of the alphabet, whatever order they are written in.
fn sorted(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(fields) => {
            let fields: std::collections::BTreeMap<String, serde_json::Value> =
                fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            fields.into_iter().collect()
        }
        other => other,
    }
}

const PARKED: &str = r#"{"idle":true,"next_timer_ms":null}"#;

fn speed(at_ms: &str, speed: &str) -> String {
    let linear = format!(r#"{{"x":{speed},"y":0.0,"z":0.0}}"#);
    let angular = r#"{"x":0.0,"y":0.0,"z":0.0}"#;
    format!(r#"{{"at_ms":{at_ms},"channel":"/vel","msg":{{"angular":{angular},"linear":{linear}}}}}"#)
}

#[test]
fn it_waits_for_nothing_at_first() {
    assert_eq!(talk(""), [PARKED]);
}

#[test]
fn a_message_is_answered_by_its_outputs_only() {
    let said = talk(r#"{"at_ms":1.5,"channel":"/mode","msg":{"mode":2}}"#);
    let state = r#"{"at_ms":1.5,"channel":"/state","msg":{"mode":2}}"#;
    let lamp = r#"{"at_ms":1.5,"channel":"/lamp","msg":{"colour":1}}"#;
    assert_eq!(said, [PARKED, state, lamp]);
}

#[test]
fn advancing_fires_what_is_due_by_then_and_says_what_is_next() {
    let lines = r#"{"at_ms":0.25,"channel":"/mode","msg":{"mode":2}}
        {"advance_to_ms":200.25}"#;
    let end =
        [speed("100.25", "0.5"), speed("200.25", "0.5"), r#"{"idle":true,"next_timer_ms":300.25}"#.into()];
    assert_eq!(talk(lines)[3..], end);
}

#[test]
fn a_message_comes_after_timers_due_before_and_before_timers_due_then() {
    let lines = r#"{"at_ms":0,"channel":"/mode","msg":{"mode":2}}
        {"at_ms":200,"channel":"/laser","msg":{"dist":40}}
        {"advance_to_ms":200}"#;
    let idle = r#"{"idle":true,"next_timer_ms":300}"#.into();
    assert_eq!(talk(lines)[3..], [speed("100", "0.5"), speed("200", "0.0"), speed("200", "0.0"), idle]);
}

#[test]
fn a_reset_goes_back_to_the_start() {
    let lines = r#"{"at_ms":900,"channel":"/mode","msg":{"mode":1}}
        {"reset":true}
        {"at_ms":0,"channel":"/mode","msg":{"mode":2}}
        {"advance_to_ms":100}"#;
    let said = talk(lines);
    assert_eq!(said[3], PARKED);
    assert_eq!(said[6..], [speed("100", "0.5"), r#"{"idle":true,"next_timer_ms":200}"#.into()]);
}

#[test]
fn coordinates_are_repeated_to_the_last_bit() {
    for x in
        ["0.1", "-0.0", "1.7976931348623157e308", "5e-324", "122.416294033786585", "2.2250738585072011e-308"]
    {
        let line = format!(r#"{{"at_ms":0,"channel":"/goal","msg":{{"id":4294967295,"x":{x},"y":-1e308}}}}"#);
        let plan: Value = serde_json::from_str(&talk(&line)[2]).expect("a message");
        let (sent, repeated): (f64, f64) =
            (x.parse().expect("a number"), plan["msg"]["x"].as_f64().expect("a number"));
        assert_eq!(repeated.to_bits(), sent.to_bits(), "{x}");
        assert_eq!(plan["msg"]["goal"], 4_294_967_295_u32);
    }
}

#[test]
fn distances_that_are_too_long_are_finite() {
    let lines = r#"{"at_ms":0,"channel":"/goal","msg":{"id":1,"x":-1.7e308,"y":1.7e308}}
        {"at_ms":1,"channel":"/position","msg":{"x":1.7e308,"y":-1.7e308}}"#;
    let progress: Value = serde_json::from_str(&talk(lines)[3]).expect("a message");
    assert_eq!(progress["msg"]["distance"], f64::MAX);
}

#[test]
fn what_is_not_understood_changes_nothing() {
    let lines = [
        "",
        "{",
        "7",
        "{}",
        "\u{fffd}",
        r#"{"at_ms":-1,"channel":"/mode","msg":{"mode":2}}"#,
        r#"{"at_ms":1e300,"channel":"/mode","msg":{"mode":2}}"#,
        r#"{"at_ms":0,"channel":"/mode","msg":{"mode":256}}"#,
        r#"{"at_ms":0,"channel":"/mode","msg":{"mode":2.5}}"#,
        r#"{"at_ms":0,"channel":"/mode"}"#,
        r#"{"at_ms":0,"channel":"/goal","msg":{"id":4294967296,"x":0,"y":0}}"#,
        r#"{"at_ms":0,"channel":"/laser","msg":{"dist":"far"}}"#,
        r#"{"advance_to_ms":null}"#,
    ];
    assert_eq!(talk(&lines.join("\n")), [PARKED]);
}

#[test]
fn time_passes_even_if_a_message_means_nothing() {
    for (channel, message) in
        [("/horn", r#"{"loud":true}"#), ("/mode", r#"{"mode":3}"#), ("/bumper", r#"{"side":0,"state":2}"#)]
    {
        let line = format!(r#"{{"at_ms":150,"channel":"{channel}","msg":{message}}}"#);
        let lines = format!("{}\n{line}", r#"{"at_ms":0,"channel":"/mode","msg":{"mode":2}}"#);
        assert_eq!(talk(&lines)[3..], [speed("100", "0.5")]);
    }
}

#[test]
fn a_time_that_is_over_does_not_come_back() {
    let lines = r#"{"advance_to_ms":50}
        {"at_ms":49.999999,"channel":"/mode","msg":{"mode":2}}
        {"advance_to_ms":10}
        {"at_ms":50,"channel":"/mode","msg":{"mode":2}}"#;
    let said = talk(lines);
    assert_eq!(said[..3], [PARKED, PARKED, PARKED]);
    assert_eq!(said.len(), 5);
}
