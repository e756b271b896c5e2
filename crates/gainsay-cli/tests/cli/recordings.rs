//! `gainsay monitor` judges recordings of robots.

use std::path::{Path, PathBuf};
use std::process::Command;

fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../gainsay-msg/tests/recordings").join(name)
}

/// What the program says of recordings, and its exit code.
fn monitored(name: &str, property: &str, recordings: &[&str], more: &[&str]) -> (Option<i32>, String) {
    let folder = std::env::temp_dir().join(format!("gainsay-cli-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let spec = folder.join("p.hpl");
    std::fs::write(&spec, property).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gainsay"));
    command.arg("monitor").arg(&spec).args(recordings.iter().map(|name| recording(name))).args(more);
    let ended = command.output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    (ended.status.code(), String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()).into_owned())
}

#[test]
fn recordings_of_ros_are_judged() {
    let rule = "globally: /laser {range < 1} causes /battery {percentage < 0.4} within 200 ms";
    for recordings in [&["plain.bag"][..], &["ros1.mcap"], &["ros2.mcap"], &["bz2.bag", "lz4.bag"]] {
        let (code, said) = monitored("judged", rule, recordings, &[]);
        assert_eq!(code, Some(1), "{recordings:?}: {said}");
        assert!(said.contains("at 700 ms: no /battery"), "{said}");
        // Nothing is late by more than 50 ms.
        let (code, said) = monitored("slack", rule, recordings, &["--slack", "60"]);
        assert_eq!(code, Some(0), "{recordings:?}: {said}");
    }
    let (code, said) = monitored("negative", rule, &["plain.bag"], &["--slack=-1"]);
    assert!(code == Some(2) && said.contains("--slack"), "{said}");
}

#[test]
fn other_files_are_refused_by_name() {
    let (code, said) = monitored("database", "globally: no /a", &["ros2.db3"], &[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("ros2.db3: this is no trace but an SQLite database"), "{said}");
    let (code, said) = monitored("folder", "globally: no /a", &["."], &[]);
    assert!(code == Some(2) && said.contains("is a folder: name the recordings in it"), "{said}");
    let (code, said) = monitored("script", "globally: no /a", &["plain.bag", "generate.py"], &[]);
    assert!(code == Some(2) && said.contains("generate.py: by its ending `.py`, which"), "{said}");
}
