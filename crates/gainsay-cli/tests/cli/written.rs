//! Files are written whole or not at all, with their mode, through links, and nobody else's file is touched.
#![cfg(unix)]

use crate::desk::Desk;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

const LOOSE: &str = "globally:   no /a\n";

#[test]
fn fmt_keeps_the_mode_writes_through_links_and_leaves_other_files_alone() {
    let desk = Desk::new("fmt-files");
    desk.write("x.hpl", LOOSE);
    desk.write("x.hpl.new", "mine");
    let path = desk.folder().join("x.hpl");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir(desk.folder().join("elsewhere")).unwrap();
    fs::rename(&path, desk.folder().join("elsewhere/real.hpl")).unwrap();
    symlink("elsewhere/real.hpl", &path).unwrap();
    let ended = desk.gainsay(&["fmt", "x.hpl"]);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(fs::symlink_metadata(&path).unwrap().file_type().is_symlink());
    let real = desk.folder().join("elsewhere/real.hpl");
    assert_eq!(fs::read_to_string(&real).unwrap(), "globally: no /a\n");
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(desk.read("x.hpl.new"), "mine");
    let mut left: Vec<String> = fs::read_dir(desk.folder())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["elsewhere", "x.hpl", "x.hpl.new"]);
    assert_eq!(fs::read_dir(desk.folder().join("elsewhere")).unwrap().count(), 1);
}

#[test]
fn output_that_cannot_be_written_is_an_error_in_every_command() {
    let desk = Desk::new("full");
    desk.script(
        "echo \"${line%%,*},\\\"channel\\\":\\\"/out\\\",\\\"msg\\\":{\\\"n\\\":1}}\"",
        "",
        "globally: /in causes /out within 100 ms\n",
    );
    desk.write("p.hpl", LOOSE);
    desk.write("t.jsonl", "{\"at_ms\":0,\"channel\":\"/b\",\"msg\":{}}\n");
    desk.write("m.dot", "digraph { __start0 -> a; a -> a [label=\"i/o\"]; }\n");
    for arguments in [
        ["test", "system.toml", "--cases", "20"].as_slice(),
        &["test", "system.toml", "--cases", "20", "--format", "junit"],
        &["monitor", "p.hpl", "t.jsonl"],
        &["monitor", "p.hpl", "t.jsonl", "--format", "json"],
        &["check", "system.toml"],
        &["fmt", "p.hpl"],
        &["schema", "system.toml"],
        &["mutate", "system.toml", "--list"],
        &["machine", "minimise", "m.dot"],
        &["completions", "bash"],
        &["man"],
    ] {
        desk.write("p.hpl", LOOSE);
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = desk.gainsay_to(arguments, full);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains("failed to write to standard output"), "{arguments:?}: {}", ended.err);
    }
}
