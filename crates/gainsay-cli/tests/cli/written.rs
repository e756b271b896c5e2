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
fn fmt_leaves_owners_other_names_and_read_only_files_as_they_are() {
    use std::os::unix::fs::MetadataExt;
    let desk = Desk::new("fmt-owners");
    let path = |name: &str| desk.folder().join(name);
    desk.write("a.hpl", LOOSE);
    fs::hard_link(path("a.hpl"), path("b.hpl")).unwrap();
    assert_eq!(desk.gainsay(&["fmt", "a.hpl"]).code, Some(0));
    assert_eq!(
        (desk.read("a.hpl"), desk.read("b.hpl")),
        ("globally: no /a\n".into(), "globally: no /a\n".into())
    );
    assert_eq!(fs::metadata(path("a.hpl")).unwrap().nlink(), 2);
    // (Only the administrator can give something away.)
    desk.write("owned.hpl", LOOSE);
    if std::os::unix::fs::chown(path("owned.hpl"), Some(65_534), Some(65_534)).is_ok() {
        assert_eq!(desk.gainsay(&["fmt", "owned.hpl"]).code, Some(0));
        let found = fs::metadata(path("owned.hpl")).unwrap();
        assert_eq!(
            (found.uid(), found.gid(), desk.read("owned.hpl").as_str()),
            (65_534, 65_534, "globally: no /a\n")
        );
    }
    desk.write("fixed.hpl", LOOSE);
    fs::set_permissions(path("fixed.hpl"), fs::Permissions::from_mode(0o444)).unwrap();
    desk.gainsay(&["fmt", "fixed.hpl"]).said(2, &["failed to write `fixed.hpl`: it is read-only"]);
    assert_eq!(desk.read("fixed.hpl"), LOOSE);
    let made = std::process::Command::new("mkfifo").arg(path("pipe.hpl")).status().unwrap();
    assert!(made.success());
    desk.gainsay(&["fmt", "pipe.hpl"]).said(2, &["`pipe.hpl` is no file that can be written anew"]);
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
        &["--help"],
        &["--version"],
    ] {
        desk.write("p.hpl", LOOSE);
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = desk.gainsay_to(arguments, full);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains("failed to write to standard output"), "{arguments:?}: {}", ended.err);
    }
}
