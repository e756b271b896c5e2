//! Exported tests are Rust, whatever properties and messages are called, and no failure takes the place of another.

use crate::desk::Desk;
use std::path::Path;
use std::process::Command;

/// As much of `gainsay_msg` as an exported test needs to be compiled.
const STUB: &str = r#"
pub struct SystemFile { pub starting: Option<u8>, pub timing: Timing, pub can_reset: bool, pub system: u8 }
impl SystemFile { pub fn read(_: &std::path::Path) -> Result<(SystemFile, u8), String> { Err(String::new()) } }
#[derive(PartialEq)] pub enum Timing { Virtual }
pub struct StdioBus;
impl StdioBus { pub fn new(_: u8, _: bool, _: bool) -> StdioBus { StdioBus } }
pub struct Message;
impl Message { pub fn from_json(_: &str) -> Result<Message, String> { Ok(Message) } }
pub struct SystemTest;
impl SystemTest {
    pub fn new(_: &u8, _: &str) -> SystemTest { SystemTest }
    pub fn run_trace(self, _: &mut StdioBus, _: &[Message]) -> Result<(u8, Option<String>), String> { Err(String::new()) }
}
"#;

fn rustc(folder: &Path, arguments: &[&str]) {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled =
        Command::new(rustc).args(["--edition", "2024"]).args(arguments).current_dir(folder).output();
    let compiled = compiled.unwrap();
    assert!(compiled.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&compiled.stderr));
}

#[test]
fn exported_tests_compile_whatever_ids_and_texts_there_are() {
    let ids = [
        "a-b",
        "a_b",
        "1st",
        "match",
        "self",
        "_",
        "größe",
        "x\"); } fn evil() { (\"",
        "*/ \\u000a // \u{1b}[2J",
    ];
    let desk = Desk::new("exported");
    let properties: Vec<String> = ids
        .iter()
        .map(|id| format!("# id: {id}\nglobally: /in {{t = \"a\\\"##b\"}} causes /out within 100 ms\n"))
        .collect();
    desk.script(":", "", &properties.concat());
    let system = desk.read("system.toml").replace("n = \"int32\"", "n = \"int32\"\nt = \"string\"");
    desk.write("system.toml", &system);
    // What was exported is there once, however often it is exported.
    for _ in 0..2 {
        let ended =
            desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "50", "--export", "kept"]);
        assert_eq!(ended.code, Some(1), "{}{}", ended.out, ended.err);
        assert!(!ended.out.contains('\u{1b}'), "{}", ended.out);
    }
    let mut tests: Vec<String> = std::fs::read_dir(desk.folder().join("kept"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".rs"))
        .collect();
    tests.sort();
    assert_eq!(tests.len(), ids.len(), "{tests:?}");
    assert!(tests.contains(&"a_b.rs".to_string()), "{tests:?}");
    desk.write("stub.rs", STUB);
    rustc(desk.folder(), &["--crate-type", "rlib", "--crate-name", "gainsay_msg", "stub.rs"]);
    // All of them in one program: their names are names, and differ.
    let module = |(place, name): (usize, &String)| format!("#[path = \"kept/{name}\"]\nmod m{place};\n");
    let modules: String = tests.iter().enumerate().map(module).collect();
    desk.write("all.rs", &modules);
    rustc(desk.folder(), &["--test", "--extern", "gainsay_msg=libgainsay_msg.rlib", "all.rs"]);
    let listed = Command::new(desk.folder().join("all")).arg("--list").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed.matches(": test").count(), ids.len(), "{listed}");
    assert!(!listed.contains("::evil"), "{listed}");
}

#[test]
fn another_failure_of_the_same_property_is_another_file() {
    let desk = Desk::new("exported-twice");
    for (least, name) in [(3, "answered.rs"), (7, "answered_2.rs")] {
        let property = format!("# id: answered\nglobally: /in {{n > {least}}} causes /out within 100 ms\n");
        desk.script(":", "", &property);
        let ended =
            desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "50", "--export", "kept"]);
        assert!(ended.out.contains(&format!("exported kept/{name}")), "{}{}", ended.out, ended.err);
    }
    assert!(desk.read("kept/answered.rs").contains("n > 3"));
    assert!(desk.read("kept/answered_2.jsonl").contains("{\"n\":8}"));
}
