//! The program `gainsay`, command by command.

use crate::desk::{ANSWERED, ASKED, Desk, SMALL};
use crate::support::assert_contains;
use gainsay_msg::{Format, Trace};
use serde_json::{Value as Json, json};
use std::fs::File;

/// A desk with a system that forgets numbers from 7 on.
fn forgetful(name: &str) -> Desk {
    let desk = Desk::new(name);
    desk.node("forgetful", &format!("{ANSWERED}{SMALL}{ASKED}"));
    desk
}

// check

#[test]
fn check_tells_all_mistakes_with_their_places() {
    let desk = Desk::new("check");
    desk.write(
        "bad.hpl",
        "# id: one\nglobally: no /laser {dist <}\nglobally: /a leads /b\n\nglobally: some /c within 0 s\n",
    );
    let all = desk.gainsay(&["check", "bad.hpl"]).with(2);
    assert_contains(&all, "--> bad.hpl:2:28");
    assert_contains(
        &all,
        "2 | globally: no /laser {dist <}\n  |                            ^ expected a value",
    );
    assert_contains(&all, "--> bad.hpl:3:14");
    assert_contains(&all, "3 | globally: /a leads /b\n  |              ^^^^^");
    assert_contains(&all, "= help: what must follow is said by `/a causes /b`");
    assert_contains(&all, "--> bad.hpl:5:");
    assert_contains(&all, "nothing happens within no time");
    // Several files in one run: one is good, one is not there.
    desk.write("good.hpl", "globally: no /b");
    let ended = desk.gainsay(&["check", "good.hpl", "bad.hpl"]);
    assert_contains(&ended.with(2), "p1  globally: no /b");
    desk.gainsay(&["check", "good.hpl", "missing.hpl"]).said(2, &["failed to read `missing.hpl`"]);
}

#[test]
fn check_says_what_may_be_meant_and_what_can_be_done() {
    let desk = Desk::new("check-system");
    desk.write(
        "p.hpl",
        "globally: no /laser {dits < 0}\nglobally: no /lasr\n# id: range\nglobally: no /laser {dist < 0}\n",
    );
    let system = "[system]\nbus = \"embedded\"\n[types.Laser]\ndist = \"float64\"\n[channels]\n\"/laser\" = { type = \"Laser\", direction = \
                  \"in\" }\n\"/stop\" = { type = \"std_msgs/Empty\", direction = \"out\" }\n[properties]\nfiles = [\"p.hpl\"]\n";
    desk.write("s.toml", system);
    let all = desk.gainsay(&["check", "s.toml"]).with(2);
    for part in [
        "Laser has no field `dits`",
        "p.hpl:1:22",
        "is it `dist`?",
        "there is no channel `/lasr`",
        "p.hpl:2:14",
        "is it `/laser`?",
    ] {
        assert_contains(&all, part);
    }
    desk.write(
        "p.hpl",
        "# id: range\nglobally: no /laser {dist < 0}\n# id: later\nglobally: /laser causes /stop\n# id: ours\nglobally: /laser requires \
         /stop\n# id: stops\nglobally: /laser causes /stop within 1 s\n",
    );
    let all = desk.gainsay(&["check", "s.toml"]).with(0);
    for part in [
        "range  axiom: it speaks of inputs only",
        "later  not falsifiable: `/stop` may always come later; add `within …`, or an end of the scope",
        "ours  not testable: `/laser` is sent by the test, not by the system",
        "stops  testable",
    ] {
        assert_contains(&all, part);
    }
}

#[test]
fn check_strict_takes_warnings_for_errors() {
    let desk = Desk::new("strict");
    desk.write("w.hpl", "globally: no /a as A");
    desk.gainsay(&["check", "w.hpl"]).said(0, &["warning: nobody refers to `A`", "p1  globally"]);
    desk.gainsay(&["check", "--strict", "w.hpl"]).said(2, &["warning: nobody refers to `A`"]);
}

#[test]
fn check_prints_what_properties_mean() {
    let desk = Desk::new("mfotl");
    desk.write("p.hpl", "# id: a\nglobally: no /b\n\n# id: b\nglobally: /a causes /b within 100 ms\n");
    let ended = desk.gainsay(&["check", "--mfotl", "p.hpl"]);
    assert_eq!(ended.with(0).lines().count(), 6, "{}", ended.out);
    assert_contains(&ended.out, "a\n  globally: no /b\n  G !(exists y. /b(y))\n");
    assert_contains(&ended.out, "F[0s,100ms)");
}

// fmt

#[test]
fn fmt_writes_the_usual_form_and_keeps_comments() {
    let desk = Desk::new("fmt");
    desk.write("p.hpl", "# remark\n# id:  one\nglobally:   no /b{x>1} # why\n\n\n\nglobally:\n  /a causes /b within 0.1s\n# end");
    desk.gainsay(&["fmt", "--check", "p.hpl"]).said(1, &["p.hpl would be changed"]);
    assert!(desk.read("p.hpl").contains("/b{x>1}"), "nothing is written by --check");
    desk.gainsay(&["fmt", "p.hpl"]).said(0, &["p.hpl"]);
    let wanted = "# remark\n# id: one\n# why\nglobally: no /b {x > 1}\n\nglobally: /a causes /b within 0.1 s\n\n# end\n";
    assert_eq!(desk.read("p.hpl"), wanted);
    assert_eq!(desk.gainsay(&["fmt", "p.hpl"]).with(0), "");
    assert_eq!(desk.gainsay(&["fmt", "--check", "p.hpl"]).with(0), "");
    assert_eq!(desk.gainsay_with(&["fmt"], "globally:no /a").with(0), "globally: no /a\n");
    assert_eq!(desk.gainsay_with(&["fmt", "-"], wanted).with(0), wanted);
    desk.gainsay_with(&["fmt", "--check"], "globally:no /a").with(1);
}

#[test]
fn fmt_changes_nothing_that_cannot_be_read() {
    let desk = Desk::new("fmt-bad");
    let bad = "globally: no /a   {x\nglobally:no /b";
    desk.write("p.hpl", bad);
    desk.gainsay(&["fmt", "p.hpl"]).said(2, &["p.hpl:2:1"]);
    assert_eq!(desk.read("p.hpl"), bad);
    desk.gainsay(&["fmt", "missing.hpl"]).said(2, &["failed to read `missing.hpl`"]);
}

// test

#[test]
fn test_prints_for_people() {
    let desk = forgetful("text");
    let ended = desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "100"]);
    ended.with(1);
    let name = desk.failures()[0].file_stem().unwrap().to_string_lossy().into_owned();
    let wanted = "  echo  3 properties (1 axiom), 2 channels, 1 open input\n\
                  ✗ answered  globally: /in as A causes /out {n = @A.n} within 100 ms\n    falsified after ";
    assert!(ended.out.starts_with(wanted), "{}", ended.out);
    for part in [
        ", shrunk to 1 message\n      @  0 ms    /in {n: 7}\n      @100 ms    nothing on /out {n = @A.n} since, where @A.n is 7\n",
        &format!("    replay  gainsay replay system.toml answered {name}\n"),
        "· small     axiom: it speaks of inputs only\n",
        "✓ asked     passed 100 traces",
    ] {
        assert_contains(&ended.out, part);
    }
}

#[test]
fn test_prints_json_and_is_the_same_for_the_same_seed() {
    let desk = forgetful("json");
    let run = |seed: &str| -> Vec<Json> {
        let ended = desk.gainsay(&[
            "test",
            "system.toml",
            "--seed",
            seed,
            "--cases",
            "60",
            "--no-corpus",
            "--format",
            "json",
        ]);
        ended.with(1);
        let mut lines = ended.lines();
        for line in &mut lines {
            line.as_object_mut().unwrap().remove("time_ms");
        }
        lines
    };
    let (first, again, other) = (run("5"), run("5"), run("6"));
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert!(desk.failures().is_empty(), "no failures are kept");
    let words: Vec<&str> = first.iter().map(|line| line["verdict"].as_str().unwrap()).collect();
    assert_eq!(words, ["falsified", "axiom", "passed"]);
    let found = &first[0];
    assert_eq!(found["property"], "answered");
    assert_eq!(found["seed"], 5);
    assert_eq!(found["shrunk_to"], 1);
    assert_eq!(found["trace"], json!([{"at_ms": 0, "channel": "/in", "msg": {"n": 7}}]));
    assert_eq!(found["violation"]["at_ms"], 100);
    assert_eq!(found["violation"]["witness"][0]["role"], "stimulus");
    assert_eq!(
        found["lines"],
        json!(["@  0 ms    /in {n: 7}", "@100 ms    nothing on /out {n = @A.n} since, where @A.n is 7"])
    );
    assert_eq!(first[2]["traces"], 60);
}

#[test]
fn test_prints_junit() {
    let desk = forgetful("junit");
    let ended = desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "20", "--format", "junit"]);
    ended.with(1);
    assert!(ended.out.starts_with("<?xml"), "{}", ended.out);
    for part in [
        "<testsuites name=\"gainsay\" tests=\"3\" skipped=\"1\" failures=\"1\" errors=\"0\">",
        "<testcase name=\"answered\" classname=\"echo\"",
        "<failure message=\"falsified: globally: /in as A causes /out",
        "type=\"falsified\"",
        "/in {n: 7}",
        "replay  gainsay replay system.toml answered",
        "<skipped message=\"axiom: it speaks of inputs only\"/>",
        "</testsuites>",
    ] {
        assert_contains(&ended.out, part);
    }
}

#[test]
fn exit_codes_say_what_became_of_it() {
    let desk = Desk::new("codes");
    let test = |more: &[&str]| {
        desk.gainsay(&[&["test", "system.toml", "--seed", "1", "--cases", "30"], more].concat())
    };
    desk.node("echo", &format!("{ANSWERED}{SMALL}"));
    test(&[]).said(0, &["✓ answered"]);
    // What was never put to the test is not known.
    let never = "# id: never\nafter /out {n = 12}: /in as A causes /out {n = @A.n} within 1 s\n\
                 # id: small\nglobally: no /in {n > 9}\n";
    desk.node("echo", never);
    test(&[]).said(3, &["∅ never", "vacuous"]);
    // What was asked for and cannot be tested is a mistake; what was not is none.
    desk.node("echo", "# id: later\nglobally: /in causes /out\n");
    test(&[]).said(0, &["· later", "not falsifiable"]);
    test(&["--property", "later"]).said(2, &["later", "not falsifiable"]);
    test(&["--property", "nobody"]).said(2, &["there is no property `nobody`; there are later"]);
    test(&["--shard", "3/2"]).said(2, &["`3/2` is no part"]);
    test(&["--shard", "x"]).said(2, &["`x` is no part"]);
    desk.gainsay(&["test", "missing.toml"]).said(2, &["failed to read `missing.toml`", "`gainsay init`"]);
    desk.gainsay(&["test"]).said(2, &["Usage"]);
    desk.gainsay(&["tset"]).said(2, &["test"]);
    desk.gainsay(&["--help"]).said(0, &["Exit codes: 1 falsified; 2 a mistake of the user"]);
    desk.gainsay(&["--version"]).said(0, &["gainsay 0.1.0"]);
    desk.node("nobody", ANSWERED);
    test(&[]).said(2, &["this program has no node `nobody` (it has echo, forgetful)"]);
    desk.node("echo", "");
    test(&[]).said(2, &["`system.toml` has no properties"]);
}

#[test]
fn odd_efforts_are_mistakes_not_panics() {
    let desk = forgetful("efforts");
    for time in ["--time=-1", "--time=nan", "--time=1e300", "--time=inf"] {
        let ended =
            desk.gainsay(&["test", "system.toml", "--seed", "1", "--no-corpus", "--cases", "5", time]);
        assert!(matches!(ended.code, Some(1 | 2)) && !ended.err.contains("panicked"), "{time}: {ended:?}");
    }
    for listen in ["--live=nan", "--live=-1"] {
        let ended = desk.gainsay(&["monitor", "system.toml", listen]);
        assert!(!ended.err.contains("panicked"), "{listen}: {ended:?}");
    }
    for cases in ["0", "1"] {
        let ended = desk.gainsay(&[
            "test",
            "system.toml",
            "--seed",
            "1",
            "--no-corpus",
            "--cases",
            cases,
            "--jobs",
            "0",
        ]);
        assert!(!ended.err.contains("panicked"), "{cases}: {ended:?}");
    }
}

#[test]
fn only_what_is_asked_for_is_tested() {
    let desk = forgetful("chosen");
    let ended = desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "7", "--property", "asked"]);
    ended.said(0, &["✓ asked  passed 7 traces"]);
    assert!(!ended.out.contains("answered"), "{}", ended.out);
    let ended =
        desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "30", "--fail-fast", "--jobs", "1"]);
    ended.with(1);
    assert!(!ended.out.contains("asked  "), "nothing follows the first that does not hold: {}", ended.out);
    // In any number of threads the results are in the order of the file.
    let ended = desk.gainsay(&[
        "test",
        "system.toml",
        "--seed",
        "1",
        "--cases",
        "30",
        "--jobs",
        "3",
        "--format",
        "json",
    ]);
    let order: Vec<String> =
        ended.lines().iter().map(|line| line["property"].as_str().unwrap().to_string()).collect();
    assert_eq!(order, ["answered", "small", "asked"]);
}

#[test]
fn shards_together_are_the_whole() {
    let desk = forgetful("shards");
    let run = |more: &[&str]| {
        let usual =
            ["test", "system.toml", "--seed", "1", "--cases", "40", "--no-corpus", "--format", "json"];
        desk.gainsay(&[&usual[..], more].concat())
    };
    let whole = run(&[]);
    whole.with(1);
    for (shard, name) in [("1/2", "one.json"), ("2/2", "two.json")] {
        let part = run(&["--shard", shard]);
        assert!(part.lines().len() < 3);
        desk.write(name, &part.out);
    }
    let merged = desk.gainsay(&["merge", "one.json", "two.json", "--format", "json"]);
    merged.with(1);
    let plain = |lines: Vec<Json>| {
        let mut lines: Vec<String> = lines
            .into_iter()
            .map(|mut line| {
                line.as_object_mut().unwrap().remove("time_ms");
                // (The order of keys says nothing.)
                let sorted: std::collections::BTreeMap<String, Json> = serde_json::from_value(line).unwrap();
                serde_json::to_string(&sorted).unwrap()
            })
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(plain(merged.lines()), plain(whole.lines()));
    desk.gainsay(&["merge", "one.json", "two.json"])
        .said(1, &["✗ answered", "/in {n: 7}", "✓ asked", "· small"]);
    desk.gainsay(&["merge", "two.json"]).with(0);
    desk.write("none.json", "\n");
    desk.gainsay(&["merge", "two.json", "none.json"]).said(2, &["there are no results in `none.json`"]);
    // The worse of two results counts, in whatever order they come.
    desk.write("good.json", "{\"property\":\"answered\",\"verdict\":\"passed\"}\n");
    for files in [["good.json", "one.json"], ["one.json", "good.json"]] {
        desk.gainsay(&["merge", files[0], files[1]]).said(1, &["✗ answered"]);
    }
    desk.write("bad.json", "{\"property\":\"x\",\"verdict\":\"passed\"}\nhello\n");
    desk.gainsay(&["merge", "bad.json"]).said(2, &["bad.json, line 2"]);
    desk.write("bad.json", "{\"a\":1}");
    desk.gainsay(&["merge", "bad.json"]).said(2, &["bad.json, line 1: this is no result"]);
}

// replay

/// The words of the printed replay line after the name of the program.
fn replay_line(out: &str) -> Vec<String> {
    let line =
        out.lines().find_map(|line| line.trim().strip_prefix("replay  gainsay ")).expect("a replay line");
    line.split(' ').map(|word| word.trim_matches('\'').to_string()).collect()
}

#[test]
fn what_was_printed_is_run_again() {
    let desk = forgetful("replay");
    for more in [&[][..], &["--no-corpus"]] {
        let first =
            desk.gainsay(&[&["test", "system.toml", "--seed", "1", "--property", "answered"], more].concat());
        first.with(1);
        let words = replay_line(&first.out);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let again = desk.gainsay(&words);
        again
            .said(1, &["✗ answered", "@  0 ms    /in {n: 7}", "replay  gainsay replay system.toml answered"]);
        let trace = desk.gainsay(&[&words[..], &["--trace", "seen.jsonl", "--format", "json"]].concat());
        assert_eq!(trace.lines()[0]["verdict"], "falsified");
        assert_eq!(
            desk.read("seen.jsonl"),
            "{\"at_ms\":0,\"channel\":\"/in\",\"msg\":{\"n\":7}}\n{\"at_ms\":100,\"end\":true}\n"
        );
        desk.gainsay(&["monitor", "system.toml", "seen.jsonl"]).said(1, &["✗ answered", "violated once"]);
    }
    // When the system is mended, it passes.
    let name = desk.failures()[0].file_stem().unwrap().to_string_lossy().into_owned();
    desk.node("echo", &format!("{ANSWERED}{SMALL}{ASKED}"));
    desk.gainsay(&["replay", "system.toml", "answered", &name]).said(0, &["✓ answered"]);
    // What was seen is written, whatever came of it.
    desk.gainsay(&["replay", "system.toml", "answered", &name, "--trace", "seen.jsonl"])
        .said(0, &["trace   seen.jsonl"]);
    assert_contains(&desk.read("seen.jsonl"), "\"channel\":\"/out\"");
}

#[test]
fn what_cannot_be_run_again_is_told() {
    let desk = forgetful("no-replay");
    for (arguments, part) in [
        (["answered", "deadbeef"], "cannot replay `entry=deadbeef`: no such file"),
        (["answered", "rubbish"], "cannot replay `rubbish`"),
        (["small", "1:2:0"], "`small` is axiom"),
        (["nobody", "1:2:0"], "`system.toml` has no property `nobody`"),
    ] {
        desk.gainsay(&["replay", "system.toml", arguments[0], arguments[1]]).said(2, &[part]);
    }
}

#[test]
fn failures_are_exported_as_tests_and_traces() {
    let desk = Desk::new("export");
    desk.stdio(&["forgetful"], "time = \"virtual\"\nreset = true", &format!("{ANSWERED}{SMALL}"));
    let ended = desk.gainsay(&["test", "system.toml", "--seed", "1", "--export", "kept"]);
    ended.said(1, &["exported kept/answered.rs"]);
    let test = desk.read("kept/answered.rs");
    for part in [
        "//! globally: /in as A causes /out {n = @A.n} within 100 ms\n",
        "Violated at 100 ms: no /out {n = @A.n} since @0 ms  /in {n: 7}",
        "#[test]\nfn answered() {",
        r#""{\"at_ms\":0,\"channel\":\"/in\",\"msg\":{\"n\":7}}""#,
        "SystemTest::new(&file.system, \"answered\").run_trace(&mut bus, &inputs)",
    ] {
        assert_contains(&test, part);
    }
    assert_contains(
        &desk.read("kept/answered.jsonl"),
        "{\"at_ms\":0,\"channel\":\"/in\",\"msg\":{\"n\":7}}\n",
    );
    // The trace shows the violation by itself.
    desk.gainsay(&["monitor", "system.toml", "kept/answered.jsonl"]).said(1, &["✗ answered", "at 100 ms"]);
}

// monitor

const TRACE: &str = "{\"at_ms\":0,\"channel\":\"/a\",\"msg\":{\"x\":1}}\n{\"at_ms\":50.5,\"channel\":\"/b\",\"msg\":{\"x\":2}}\n\
                     {\"at_ms\":60,\"channel\":\"/a\",\"msg\":{\"x\":2}}\n{\"at_ms\":200,\"channel\":\"/c\",\"msg\":{}}\n";

#[test]
fn monitor_judges_all_kinds_of_files_alike() {
    let desk = Desk::new("monitor");
    desk.write("p.hpl", "globally: no /b {x = 2}\nglobally: /a causes /b within 100 ms\nglobally: some /c\nglobally: /c requires /d");
    desk.write("t.jsonl", TRACE);
    desk.write("t.csv", "at_ms,channel,x\n0,/a,1\n50.5,/b,2\n60,/a,2\n200,/c,\n");
    desk.write("msg.csv", "channel,at_ms,msg\n/a,0,\"{\"\"x\"\":1}\"\n/b,50.5,\"{\"\"x\"\":2}\"\n/a,60,\"{\"\"x\"\":2}\"\n/c,200,{}\n");
    let trace = Trace::read(TRACE.as_bytes(), Format::Lines).unwrap();
    trace.write_mcap(File::create(desk.path().join("t.mcap")).unwrap()).unwrap();
    let wanted = desk.gainsay(&["monitor", "p.hpl", "t.jsonl", "--format", "json"]);
    wanted.with(1);
    // Exactly so: other tools read it.
    assert_eq!(
        wanted.out,
        "{\"property\":\"p1\",\"verdict\":\"violated\",\"at_ms\":50.5,\"violations\":[{\"at_ms\":50.5,\"witness\":[{\"at_ms\":50.5,\
         \"channel\":\"/b\",\"msg\":{\"x\":2},\"role\":\"behaviour\"}],\"what\":\"@50.5 ms  /b {x: 2}\"}]}\n\
         {\"property\":\"p2\",\"verdict\":\"violated\",\"at_ms\":160,\"violations\":[{\"at_ms\":160,\"witness\":[{\"at_ms\":60,\
         \"channel\":\"/a\",\"msg\":{\"x\":2},\"role\":\"stimulus\"}],\"what\":\"no /b since @60 ms  /a {x: 2}\"}]}\n\
         {\"property\":\"p3\",\"verdict\":\"satisfied\",\"violations\":[]}\n\
         {\"property\":\"p4\",\"verdict\":\"violated\",\"at_ms\":200,\"violations\":[{\"at_ms\":200,\"witness\":[{\"at_ms\":200,\
         \"channel\":\"/c\",\"msg\":{},\"role\":\"behaviour\"}],\"what\":\"@200 ms  /c {} without /d before it\"}]}\n"
    );
    for file in ["t.csv", "msg.csv", "t.mcap"] {
        let ended = desk.gainsay(&["monitor", "p.hpl", file, "--format", "json"]);
        assert_eq!((ended.with(1), file), (wanted.out.clone(), file));
    }
    for arguments in
        [&["monitor", "p.hpl", "--format", "json"][..], &["monitor", "p.hpl", "-", "--format", "json"]]
    {
        assert_eq!(desk.gainsay_with(arguments, TRACE).with(1), wanted.out);
        // Whoever has no name is known by how it begins.
        assert_eq!(desk.gainsay_with(arguments, &desk.read("t.csv")).with(1), wanted.out);
    }
    desk.write("recorded", std::fs::read(desk.path().join("t.mcap")).unwrap());
    assert_eq!(desk.gainsay(&["monitor", "p.hpl", "recorded", "--format", "json"]).with(1), wanted.out);
    desk.gainsay(&["monitor", "p.hpl", "t.jsonl"]).said(
        1,
        &[
            "✗ p1  globally: no /b {x = 2}\n    violated once\n      at 50.5 ms: @50.5 ms  /b {x: 2}\n",
            "✓ p3  satisfied\n",
        ],
    );
    desk.gainsay(&["monitor", "p.hpl", "t.jsonl", "--format", "junit"])
        .said(1, &["failures=\"3\"", "<testcase name=\"p3\""]);
    desk.gainsay(&["monitor", "p.hpl", "t.jsonl", "--property", "p3"]).with(0);
    desk.gainsay(&["monitor", "p.hpl", "t.jsonl", "--property", "p9"])
        .said(2, &["there is no property `p9`"]);
}

#[test]
fn recordings_know_when_they_end_and_may_have_more_in_them() {
    let desk = Desk::new("recordings");
    desk.write("p.hpl", "globally: /a causes /b within 100 ms");
    let lines = "{\"at_ms\":0,\"channel\":\"/a\",\"msg\":{}}\n{\"at_ms\":100,\"end\":true}\n";
    let trace = Trace::read(lines.as_bytes(), Format::Lines).unwrap();
    trace.write_mcap(File::create(desk.path().join("t.mcap")).unwrap()).unwrap();
    desk.gainsay(&["monitor", "p.hpl", "t.mcap"]).said(1, &["at 100 ms: no /b since @0 ms  /a {}"]);
    // What nobody cares about may be written in any way.
    let others = include_bytes!("../../crates/gainsay-msg/tests/recordings/others.mcap");
    desk.write("m.mcap", others);
    desk.gainsay(&["monitor", "p.hpl", "m.mcap"]).said(1, &["at 100 ms"]);
    desk.write("camera.hpl", "globally: no /camera");
    desk.gainsay(&["monitor", "camera.hpl", "m.mcap"])
        .said(2, &["messages on `/camera` cannot be read: their schema is not in the recording"]);
    // However it is damaged, somebody is told.
    let whole = std::fs::read(desk.path().join("m.mcap")).unwrap();
    for place in (8..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[place] = 0xff;
        desk.write("d.mcap", &damaged);
        let ended = desk.gainsay(&["monitor", "p.hpl", "d.mcap"]);
        assert!(matches!(ended.code, Some(0..=3)), "{place}: {:?}\n{}", ended.code, ended.err);
    }
}

#[test]
fn cells_of_tables_are_what_their_types_say() {
    let desk = Desk::new("cells");
    desk.write(
        "system.toml",
        r#"
        [system]
        bus = "embedded"
        [types.Word]
        text = "string"
        f = "float32"
        ns = "uint8[]"
        [channels]
        "/a" = { type = "Word", direction = "in" }
        [properties]
        text = '''
        # id: seven
        globally: no /a {text = "007" and f = 0.1}
        # id: empty
        globally: no /a {text = "" and ns[1] = 3}
        # id: word
        globally: no /a {text = "true"}
        '''
        "#,
    );
    desk.write(
        "t.csv",
        "at_ms,channel,text,f,ns\n0,/a,007,0.1,[]\n1,/a,,1,\"[2, 3]\"\n2,/a,true,1,[]\n3,/other,,,\n",
    );
    let ended = desk.gainsay(&["monitor", "system.toml", "t.csv", "--format", "json"]);
    ended.with(1);
    let at: Vec<Json> = ended.lines().iter().map(|line| line["at_ms"].clone()).collect();
    assert_eq!(at, [0, 1, 2]);
    desk.write("t.csv", "at_ms,channel,text,f,ns\n0,/a,x,one,[]\n");
    desk.gainsay(&["monitor", "system.toml", "t.csv"])
        .said(2, &["line 2: a message on `/a`: f: \"one\" is text, not float32"]);
}

#[test]
fn monitor_says_what_is_owed() {
    let desk = Desk::new("owed");
    desk.write("p.hpl", "# id: a\nglobally: /a causes /b within 100 ms\n# id: b\nglobally: no /b\n");
    let line = "{\"at_ms\":0,\"channel\":\"/a\",\"msg\":{}}\n";
    let ended = desk.gainsay_with(&["monitor", "p.hpl", "--format", "json"], line);
    assert_eq!(
        ended.with(3),
        "{\"property\":\"a\",\"verdict\":\"pending\",\"owed\":true,\"violations\":[]}\n\
         {\"property\":\"b\",\"verdict\":\"vacuous\",\"judgement\":\"pending\",\"never\":[\"a message on `/b`\"],\"violations\":[]}\n"
    );
    desk.gainsay_with(&["monitor", "p.hpl"], line)
        .said(3, &["pending: something is still owed", "∅ b  globally: no /b"]);
    desk.gainsay_with(&["monitor", "p.hpl", "--allow-vacuous"], line).said(3, &["✓ b  not violated"]);
    let end = |at: u32| format!("{line}{{\"at_ms\":{at},\"end\":true}}\n");
    desk.gainsay_with(&["monitor", "p.hpl"], &end(99)).with(3);
    desk.gainsay_with(&["monitor", "p.hpl"], &end(100)).said(1, &["at 100 ms: no /b since @0 ms  /a {}"]);
}

#[test]
fn monitor_shows_the_first_of_many_violations() {
    let desk = Desk::new("many");
    desk.write("p.hpl", "globally: no /b");
    let lines: String =
        (0..1000).map(|at| format!("{{\"at_ms\":{at},\"channel\":\"/b\",\"msg\":{{}}}}\n")).collect();
    let ended = desk.gainsay_with(&["monitor", "p.hpl"], &lines);
    ended.said(1, &["violated 1000 times", "at 9 ms", "… and 990 more"]);
    assert!(ended.out.lines().count() < 20, "{}", ended.out);
}

#[test]
fn broken_traces_are_told_by_their_line() {
    let desk = Desk::new("broken");
    desk.write("p.hpl", "globally: no /b");
    let good = "{\"at_ms\":5,\"channel\":\"/a\",\"msg\":{}}\n";
    for (name, text, part) in [
        (
            "t.jsonl",
            format!("{good}{{\"at_ms\":4,\"channel\":\"/a\",\"msg\":{{}}}}\n"),
            "t.jsonl: line 2: time goes back from 5 ms to 4 ms",
        ),
        ("t.jsonl", format!("{good}\nhello\n"), "t.jsonl: line 3: this is no JSON: expected value"),
        ("t.jsonl", format!("{good}{{\"channel\":\"/a\",\"msg\":{{}}}}"), "line 2: there is no `at_ms`"),
        ("t.jsonl", "{\"at_ms\":1,\"msg\":{}}".into(), "line 1: there is no `channel`"),
        ("t.jsonl", "{\"at_ms\":1,\"channel\":\"/b\"}".into(), "line 1: there is no `msg`"),
        (
            "t.jsonl",
            "{\"at_ms\":\"1\",\"channel\":\"/b\",\"msg\":{}}".into(),
            "line 1: `at_ms` is \"1\": it is no number",
        ),
        ("t.jsonl", "{\"at_ms\":-1,\"channel\":\"/b\",\"msg\":{}}".into(), "it is below 0"),
        (
            "t.jsonl",
            "{\"at_ms\":1,\"channel\":\"/b\",\"msg\":{}".into(),
            "line 1: this is no JSON: EOF while parsing",
        ),
        ("t.jsonl", "[1]".into(), "write each message of the array as a line"),
        (
            "t.jsonl",
            format!("{{\"at_ms\":1,\"channel\":\"/b\",\"msg\":{}{}}}", "[".repeat(5000), "]".repeat(5000)),
            "line 1: ",
        ),
        (
            "t.jsonl",
            format!("{{\"at_ms\":9,\"end\":true}}\n{good}"),
            "line 2: there is something after the end",
        ),
        (
            "t.jsonl",
            "{\"at_ms\":1,\"channel\":\"/b\",\"msg\":{},\"end\":true}".into(),
            "line 1: the end is a line of its own",
        ),
        (
            "t.csv",
            "at_ms,topic\n1,/b\n".into(),
            "t.csv: line 1: a table of messages has the columns `at_ms` and `channel`",
        ),
        ("t.csv", "at_ms,channel\n1,/a\nx,/a\n".into(), "line 3: `at_ms` is `x`: it is no number"),
        ("t.csv", "at_ms,channel\n2,/a\n1,/a\n".into(), "line 3: time goes back"),
        ("t.csv", "at_ms,channel\n2,\n".into(), "line 2: there is no channel"),
        ("t.csv", "at_ms,channel\n2,/a,7\n".into(), "line 2"),
        ("t.csv", "at_ms,channel,x,x\n2,/a,7,7\n".into(), "line 1: two columns are called `x`"),
        (
            "t.csv",
            "at_ms,channel,x,x.y\n2,/a,7,7\n".into(),
            "line 2: `y` is a field of something that has a value already",
        ),
        ("t.csv", "at_ms,channel,x.y,x\n2,/a,7,7\n".into(), "line 2: `x` has a value already"),
        ("t.mcap", "hello".into(), "t.mcap: by its ending `.mcap` this is taken for a recording as MCAP"),
    ] {
        desk.write(name, &text);
        desk.gainsay(&["monitor", "p.hpl", name]).said(2, &[part]);
    }
    desk.write("t.jsonl", b"{\"at_ms\":1,\"channel\":\"/\xff\",\"msg\":{}}\n");
    desk.gainsay(&["monitor", "p.hpl", "t.jsonl"]).said(2, &["t.jsonl: line 1: "]);
    desk.gainsay(&["monitor", "p.hpl", "missing.jsonl"]).said(2, &["failed to read `missing.jsonl`"]);
    desk.gainsay(&["monitor", "missing.hpl", "t.jsonl"]).said(2, &["failed to read `missing.hpl`"]);
    desk.write("empty.hpl", "# nothing\n");
    desk.gainsay(&["monitor", "empty.hpl", "t.jsonl"]).said(2, &["there are no properties in `empty.hpl`"]);
    desk.write("bad.hpl", "globally: no");
    desk.gainsay(&["monitor", "bad.hpl", "t.jsonl"]).said(2, &["bad.hpl:1:13"]);
}

#[test]
fn monitor_watches_a_running_system() {
    let desk = Desk::new("live");
    desk.stdio(
        &["echo"],
        "time = \"virtual\"",
        "# id: quiet\nglobally: no /out\n# id: some\nglobally: some /out within 1 s\n",
    );
    let ended = desk.gainsay(&["monitor", "system.toml", "--live", "2", "--format", "json"]);
    ended.with(1);
    let words: Vec<Json> = ended.lines().iter().map(|line| line["verdict"].clone()).collect();
    assert_eq!(words, ["vacuous", "violated"]);
    desk.stdio(&["exits"], "", ANSWERED);
    desk.gainsay(&["monitor", "system.toml", "--live", "1"]).said(4, &["there is no licence"]);
}

// The rest.

#[test]
fn schemas_are_shown() {
    let desk = forgetful("schema");
    let ended = desk.gainsay(&["schema", "system.toml"]);
    ended.said(
        0,
        &[
            "answered  globally: /in as A causes /out {n = @A.n} within 100 ms\n  base\n      forbid /in as A\n      +0..: publish /in as A\n",
            "  refined by axioms\n",
            "+0..: publish /in as A {not (n < 0 or n > 1000)}",
            "  twice in time\n",
            "+0..100: publish /in as A",
        ],
    );
    assert!(!ended.out.contains("small"), "{}", ended.out);
    desk.gainsay(&["schema", "system.toml", "--property", "small"]).said(0, &["small  axiom"]);
    desk.gainsay(&["schema", "system.toml", "--property", "nobody"])
        .said(2, &["there is no property `nobody`"]);
}

#[test]
fn mutants_are_listed_and_killed() {
    let desk = forgetful("mutate");
    let ended = desk.gainsay(&["mutate", "system.toml", "--list"]);
    ended.said(
        0,
        &[
            "answered~1  channel ",
            "negation    globally: /in as A causes /out {not n = @A.n} within 100 ms",
            "relational  globally: /in as A causes /out {n < @A.n} within 100 ms",
            "asked~",
        ],
    );
    let listed = ended.out.lines().count();
    let ended = desk.gainsay(&["mutate", "system.toml", "--seed", "1", "--cases", "30", "--format", "json"]);
    ended.with(0);
    let rows = ended.lines();
    assert_eq!(
        rows.iter().map(|row| row["schemas"].as_str().unwrap()).collect::<Vec<_>>(),
        ["base", "empty"]
    );
    assert_eq!(rows[0]["mutants"], listed);
    assert!(rows[0]["score"].as_f64().unwrap() > 0.5, "{}", rows[0]);
}

#[test]
fn shells_and_manuals() {
    let desk = Desk::new("shells");
    desk.gainsay(&["completions", "bash"]).said(0, &["_gainsay()", "monitor", "--format"]);
    desk.gainsay(&["completions", "zsh"]).said(0, &["#compdef gainsay"]);
    desk.gainsay(&["completions", "tcsh"]).said(2, &["tcsh"]);
    desk.gainsay(&["man"]).said(0, &[".TH gainsay 1", "monitor"]);
}

#[test]
fn the_doctor_looks_at_this_machine_and_at_a_system() {
    let desk = Desk::new("doctor");
    desk.gainsay(&["doctor"]).said(0, &["mosquitto", "cc"]);
    desk.stdio(&["echo"], "time = \"virtual\"", ANSWERED);
    desk.gainsay(&["doctor", "system.toml"])
        .said(0, &["✓ system.toml  2 channels, 1 properties", "✓ echo starts, and is ready"]);
    desk.stdio(&["exits"], "time = \"virtual\"", ANSWERED);
    desk.gainsay(&["doctor", "system.toml"]).said(4, &["✗ the system did not start", "there is no licence"]);
    desk.write("system.toml", desk.read("system.toml").replace("stdio_system", "no-such-system"));
    desk.gainsay(&["doctor", "system.toml"]).said(4, &["is not there: build it, or mend its path"]);
    desk.node("echo", ANSWERED);
    desk.gainsay(&["doctor", "system.toml"]).said(0, &["✓ echo starts"]);
}

#[test]
fn a_system_file_is_begun() {
    let desk = Desk::new("init");
    let program = env!("CARGO_BIN_EXE_stdio_system");
    desk.gainsay(&["init", "--output", "new.toml", "--", program, "echo"])
        .said(0, &["new.toml  0 channels seen"]);
    let text = desk.read("new.toml");
    for part in [
        "name = \"stdio_system\"",
        "bus = \"stdio\"",
        "ready = \"idle\"",
        "time = \"virtual\"",
        "[channels]",
        "[properties]",
    ] {
        assert_contains(&text, part);
    }
    desk.gainsay(&["check", "new.toml"]).said(0, &["example"]);
    desk.gainsay(&["doctor", "new.toml"]).said(0, &["starts, and is ready"]);
    desk.gainsay(&["init", "--output", "new.toml"])
        .said(2, &["`new.toml` is there already; `--force` writes over it"]);
    desk.gainsay(&["init", "--output", "new.toml", "--force"]).with(0);
    desk.gainsay(&["init", "--output", "e.toml", "--bus", "embedded"]).with(0);
    desk.gainsay(&["check", "e.toml"]).with(0);
    desk.gainsay(&["init", "--output", "x.toml", "--", program, "exits"]).said(4, &["there is no licence"]);
}

#[test]
fn a_system_file_is_written_from_what_is_seen() {
    let desk = Desk::new("init-seen");
    let says = "echo '{\"idle\":true}'; while read -r line; do echo '{\"at_ms\":5,\"channel\":\"/pose/now\",\"msg\":{\"p\":{\"x\":1.5},\"ok\":\
                true,\"tags\":[\"a\"],\"id\":7,\"none\":{}}}'; echo '{\"idle\":true,\"next_timer_ms\":null}'; done";
    desk.gainsay(&["init", "--output", "new.toml", "--", "sh", "-c", says]).said(0, &["1 channel seen"]);
    let text = desk.read("new.toml");
    for part in [
        "\"/pose/now\" = { type = \"PoseNow\", direction = \"out\" }",
        "ok = \"bool\"",
        "tags = \"string[]\"",
        "x = \"float64\"",
    ] {
        assert_contains(&text, part);
    }
    // (Nothing of the program is lost, quotes and all.)
    desk.gainsay(&["check", "new.toml"]).said(0, &["example  testable"]);
    desk.gainsay(&["doctor", "new.toml"]).said(0, &["starts, and is ready"]);
}

const LAMP: &str =
    "digraph { __start0 -> off; off -> on [label=\"press / click\"]; on -> off [label=\"press / clack\"]; }";

#[test]
fn a_program_is_tested_by_a_machine() {
    let desk = Desk::new("machine");
    desk.write("lamp.dot", LAMP);
    let right = "n=0; while read -r line; do n=$((1-n)); [ $n = 1 ] && echo click || echo clack; done";
    let wrong = "while read -r line; do echo click; done";
    desk.gainsay(&["test", "lamp.dot", "--seed", "1", "--cases", "5", "--", "sh", "-c", right])
        .said(0, &["✓ lamp.dot"]);
    let ended = desk.gainsay(&["test", "lamp.dot", "--seed", "1", "--cases", "5", "--", "sh", "-c", wrong]);
    ended.said(1, &["✗ lamp.dot", "the program conforms to the machine", "press"]);
    // The line that replays it is one that a shell takes, with the case in front.
    let replay = ended.out.lines().find(|line| line.contains("replay")).unwrap();
    assert_contains(replay, "replay  GAINSAY_REPLAY='1:");
    assert_contains(replay, "' gainsay test lamp.dot -- sh -c '");
    desk.gainsay(&["test", "lamp.dot", "--shard", "1/2", "--", "sh"])
        .said(2, &["`--shard` is for system files"]);
    desk.gainsay(&["test", "lamp.dot", "--suite", "1", "--", "sh", "-c", right]).said(0, &["✓ lamp.dot"]);
    desk.gainsay(&["test", "lamp.dot"]).said(2, &["which program is tested?"]);
    desk.gainsay(&["test", "lamp.dot", "--", "no-such-lamp"])
        .said(4, &["the system did not start: there is no program `no-such-lamp`"]);
    desk.write("bad.dot", "digraph {");
    desk.gainsay(&["test", "bad.dot", "--", "sh"]).with(2);
    desk.gainsay(&["test", "missing.dot", "--", "sh"]).said(2, &["missing.dot"]);
    desk.node("echo", ANSWERED);
    desk.gainsay(&["test", "system.toml", "--", "sh"])
        .said(2, &["a program behind `--` is tested by a machine"]);
}
