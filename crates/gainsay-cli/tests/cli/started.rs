//! Systems that do not start, or not as agreed; and system files that are begun.

use crate::desk::{ANSWERS, Desk};

const PROPERTIES: &str = "# id: answered\nglobally: /in causes /out within 100 ms\n# id: small\nglobally: no /out {n > 9}\n\
                          # id: asked\nglobally: /out requires /in\n";
const RUN: [&str; 7] = ["test", "system.toml", "--seed", "1", "--cases", "10", "--no-corpus"];

#[test]
fn a_system_that_does_not_start_is_told_once_with_what_builds_it() {
    let desk = Desk::new("started-not");
    desk.system("start = [\"./build/echo\"]", "build = \"make echo\"", PROPERTIES);
    let ended = desk.gainsay(&RUN);
    ended.said(
        4,
        &[
            "✗ answered",
            "it is built by `make echo`",
            "2 other properties were not tested, for the same reason",
        ],
    );
    assert_eq!(ended.out.matches("the system did not start").count(), 1, "{}", ended.out);
    // Programs hear of each property.
    let ended = desk.gainsay(&[&RUN[..], &["--format", "json"]].concat());
    assert_eq!(ended.out.matches("\"verdict\":\"trouble\"").count(), 3, "{}", ended.out);
}

#[test]
fn an_idle_line_after_each_message_is_explained() {
    let desk = Desk::new("started-idle");
    desk.script(&format!("{ANSWERS}; echo '{{\"idle\":true}}'"), "", PROPERTIES);
    let wanted = "`{\"idle\":true}` came though nobody asked: it answers `advance_to_ms` and `reset`, not each message";
    desk.gainsay(&[&RUN[..], &["--property", "answered"]].concat()).said(4, &[wanted]);
    desk.script(ANSWERS, "", PROPERTIES);
    desk.gainsay(&RUN).said(0, &["✓ answered"]);
}

#[test]
fn what_init_writes_is_tested() {
    let desk = Desk::new("started-init");
    // It speaks by itself.
    desk.write(
        "talks.sh",
        "echo '{\"idle\":true,\"next_timer_ms\":10}'\nwhile read -r line; do\n  case \"$line\" in\n    *reset*|*:0*) ;;\n    \
         *) echo '{\"at_ms\":10,\"channel\":\"/tick\",\"msg\":{\"n\":1}}' ;;\n  esac\n  echo '{\"idle\":true,\"next_timer_ms\":null}'\ndone\n",
    );
    desk.gainsay(&["init", "--output", "talks.toml", "--", "sh", "talks.sh"]).said(0, &["1 channel seen"]);
    assert!(
        desk.read("talks.toml").contains("globally: some /tick within 2 s"),
        "{}",
        desk.read("talks.toml")
    );
    // It is called like the script, and not like what runs it.
    assert!(desk.read("talks.toml").contains("name = \"talks\""), "{}", desk.read("talks.toml"));
    desk.gainsay(&["check", "talks.toml"]).said(0, &["example  testable"]);
    // It must be asked.
    desk.script(":", "", "");
    desk.gainsay(&["init", "--output", "asked.toml", "--", "sh", "system.sh"]).said(0, &["0 channels seen"]);
    desk.gainsay(&["check", "asked.toml"]).said(0, &["example  testable"]);
    desk.gainsay(&["test", "asked.toml", "--seed", "1", "--cases", "10", "--no-corpus"])
        .said(1, &["✗ example"]);
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_told() {
    let desk = Desk::new("started-full");
    desk.write("p.hpl", "globally: no /a\n");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    desk.gainsay_to(&["check", "p.hpl"], full).said(2, &["failed to write to standard output"]);
}
