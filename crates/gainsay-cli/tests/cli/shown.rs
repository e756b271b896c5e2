//! What comes from files and programs reaches a terminal without its control characters.

use crate::desk::Desk;

/// No output has a control character besides ends of lines.
fn is_harmless(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t')
}

#[test]
fn ids_channels_fields_and_last_words_are_shown_with_control_characters_escaped() {
    let desk = Desk::new("escaped");
    let nasty = "x\u{1b}]0;owned\u{7}\u{9b}2J";
    for (hears, words) in [
        (":".to_string(), "causes"),
        (format!("echo 'last {nasty} words' >&2; exit 3"), "last"),
        (format!("echo 'no {nasty} message'"), "no "),
    ] {
        let property = format!("# id: {nasty}\nglobally: /in causes /out within 100 ms\n");
        desk.script(&hears, "", &property);
        for format in ["text", "json", "junit"] {
            let ended =
                desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "20", "--format", format]);
            assert!(ended.code == Some(1) || ended.code == Some(4), "{}{}", ended.out, ended.err);
            assert!(is_harmless(&ended.err), "{format}: {:?}", ended.err);
            if format == "junit" {
                assert!(is_harmless(&ended.out), "{format}: {:?}", ended.out);
                assert!(ended.out.contains("x\\u{1b}]0;owned\\u{7}\\u{9b}2J"), "{:?}", ended.out);
            } else {
                assert!(is_harmless(&ended.out), "{format}: {:?}", ended.out);
                assert!(ended.out.contains(words), "{format}: {}", ended.out);
            }
            if format == "json" {
                let said: serde_json::Value =
                    serde_json::from_str(ended.out.lines().next().unwrap()).unwrap();
                assert_eq!(said["property"], nasty, "{}", ended.out);
            }
        }
    }
}

#[test]
fn recordings_and_specifications_with_control_characters_are_told_without_them() {
    let desk = Desk::new("escaped-files");
    desk.write("p.hpl", "globally: no /a {x > 1}\n");
    let line = "{\"at_ms\":0,\"channel\":\"/a\",\"msg\":{\"x\u{9b}\":1}}\nnot \u{1b}[31m this\n";
    desk.write("t.jsonl", line);
    desk.write("t.csv", "at_ms,channel,a\u{1b}[31m\n0,/a,1\nx,/a,2\n");
    desk.write("bad.hpl", "globally: no /a {\u{1b}[31m > 1}\n# id: \u{7}\nnever: /b\n");
    for arguments in [
        ["monitor", "p.hpl", "t.jsonl"].as_slice(),
        &["monitor", "p.hpl", "t.csv"],
        &["monitor", "bad.hpl", "t.jsonl"],
        &["check", "bad.hpl"],
        &["fmt", "bad.hpl"],
        &["check", "no\u{1b}[31mfile"],
    ] {
        let ended = desk.gainsay(arguments);
        assert_ne!(ended.code, Some(0), "{arguments:?}");
        assert!(!ended.err.is_empty(), "{arguments:?}");
        assert!(is_harmless(&ended.err) && is_harmless(&ended.out), "{arguments:?}: {:?}", ended.err);
    }
}

#[test]
fn replay_lines_are_quoted_for_a_shell() {
    let desk = Desk::new("quoted");
    desk.script(":", "", "# id: it's; echo\nglobally: /in causes /out within 100 ms\n");
    std::fs::rename(desk.folder().join("system.toml"), desk.folder().join("my system.toml")).unwrap();
    let ended = desk.gainsay(&["test", "my system.toml", "--seed", "1", "--cases", "20"]);
    let wanted = "replay  gainsay replay 'my system.toml' 'it'\\''s; echo' ";
    assert!(ended.out.contains(wanted), "{}{}", ended.out, ended.err);
}

#[test]
fn replay_lines_run_as_they_are_printed() {
    let desk = Desk::new("replayed");
    for (id, more) in
        [("plain", &["--corpus", "kept here"][..]), ("--help", &[]), ("b\u{202e}\u{1b}[2J", &[])]
    {
        desk.script(":", "", &format!("# id: {id}\nglobally: /in causes /out within 100 ms\n"));
        let arguments = ["test", "system.toml", "--seed", "1", "--cases", "20"];
        let ended = desk.gainsay(&[&arguments[..], more].concat());
        let line = ended.out.lines().find_map(|line| line.trim().strip_prefix("replay  gainsay "));
        let line = line.unwrap_or_else(|| panic!("{}{}", ended.out, ended.err));
        // (What quotes control characters is not in every shell.)
        let replayed = desk.in_shell("bash", line);
        assert_eq!(replayed.code, Some(1), "{line}: {}{}", replayed.out, replayed.err);
        assert!(replayed.out.contains("falsified"), "{line}: {}", replayed.out);
    }
}
