//! What `gainsay monitor` says of traces: late answers, files that are none, times that go back.

use crate::desk::Desk;

const ASKED: &str = "globally: /ask as A causes /answer {id = @A.id} within 100 ms";

#[test]
fn a_late_answer_is_told_in_text_and_json() {
    let desk = Desk::new("late");
    desk.write("p.hpl", ASKED);
    let ask = "{\"at_ms\":1000,\"channel\":\"/ask\",\"msg\":{\"id\":8}}";
    let answer = "{\"at_ms\":1100,\"channel\":\"/answer\",\"msg\":{\"id\":8}}";
    desk.write("late.jsonl", &format!("{ask}\n{answer}\n"));
    desk.gainsay(&["monitor", "p.hpl", "late.jsonl"]).said(
        1,
        &["at 1100 ms: no /answer {id = @A.id} since @1000 ms  /ask {id: 8}; /answer {id: 8} came at 1100 ms, needed \
           before 1100 ms"],
    );
    let late = "\"late\":{\"at_ms\":1100,\"channel\":\"/answer\",\"msg\":{\"id\":8},\"needed_before_ms\":1100},\"what\":";
    desk.gainsay(&["monitor", "p.hpl", "late.jsonl", "--format", "json"]).said(1, &[late]);
    desk.gainsay(&["monitor", "p.hpl", "late.jsonl", "--format", "junit"])
        .said(1, &["came at 1100 ms, needed before 1100 ms"]);
    // One that comes in time is not late, and one that never comes is missing.
    desk.write("in-time.jsonl", &format!("{ask}\n{}\n", answer.replace("1100", "1099.999")));
    desk.gainsay(&["monitor", "p.hpl", "in-time.jsonl"]).said(0, &["not violated"]);
    desk.write("missing.jsonl", &format!("{ask}\n{{\"at_ms\":2000,\"end\":true}}\n"));
    let missing = desk.gainsay(&["monitor", "p.hpl", "missing.jsonl", "--format", "json"]);
    missing.said(1, &["\"what\":\"no /answer {id = @A.id} since @1000 ms  /ask {id: 8}\""]);
    assert!(!missing.out.contains("\"late\""), "{}", missing.out);
}

#[test]
fn files_that_are_no_traces_and_times_that_go_back_are_told_by_name() {
    let desk = Desk::new("no-traces");
    desk.write("p.hpl", "globally: no /b");
    for (name, text, parts) in [
        ("q.yaml", "a: b\n", &["q.yaml: by its ending `.yaml` this is taken for YAML"][..]),
        ("x.db3", "foo\n", &["x.db3: by its ending `.db3` this is taken for an SQLite database"]),
        ("x.mcap", "foo\n", &["x.mcap: by its ending `.mcap` this is taken for a recording as MCAP"]),
        ("x", "foo\n", &["x: without an ending this is taken for lines of JSON, but it begins with `foo`"]),
        (
            "back.jsonl",
            "{\"at_ms\":1700000000005,\"channel\":\"/a\",\"msg\":{}}\n{\"at_ms\":1700000000004,\"channel\":\"/b\",\"msg\":{}}\n",
            &["back.jsonl: line 2: time goes back from 1700000000005 ms to 1700000000004 ms"],
        ),
    ] {
        desk.write(name, text);
        let ended = desk.gainsay(&["monitor", "p.hpl", name]);
        ended.said(2, parts);
        assert_eq!(ended.out, "", "{name}");
    }
}
