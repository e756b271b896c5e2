//! Message systems as users have them: a folder with a system file, and the program `gainsay`.

use crate::child::{Ended, Lab};
use crate::support::assert_contains;
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};

/// Of a system that answers: what must hold.
pub(crate) const ANSWERED: &str = "# id: answered\nglobally: /in as A causes /out {n = @A.n} within 100 ms\n";
/// What is assumed.
pub(crate) const SMALL: &str = "# id: small\nglobally: no /in {n < 0 or n > 1000}\n";
/// What holds of one that forgets.
pub(crate) const ASKED: &str = "# id: asked\nglobally: /out as B requires /in {n = @B.n}\n";

/// A folder in which somebody works.
pub(crate) struct Desk {
    lab: Lab,
}

impl Desk {
    pub(crate) fn new(name: &str) -> Desk {
        Desk { lab: Lab::new(&format!("desk-{name}")) }
    }

    pub(crate) fn path(&self) -> &Path {
        self.lab.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Writes `system.toml` of a system in lines that behaves so; `more` goes into `[system]`.
    pub(crate) fn stdio(&self, behaviour: &[&str], more: &str, properties: &str) {
        let program = env!("CARGO_BIN_EXE_stdio_system");
        let start: Vec<&str> = [program].into_iter().chain(behaviour.iter().copied()).collect();
        self.write("system.toml", system(&format!("bus = \"stdio\"\nstart = {start:?}\n{more}"), properties));
    }

    /// Writes `system.toml` of a node of the program.
    pub(crate) fn node(&self, node: &str, properties: &str) {
        self.write("system.toml", system(&format!("bus = \"embedded\"\nnode = {node:?}"), properties));
    }

    #[track_caller]
    pub(crate) fn gainsay(&self, arguments: &[&str]) -> Ended {
        self.lab.gainsay(arguments, "")
    }

    #[track_caller]
    pub(crate) fn gainsay_with(&self, arguments: &[&str], input: &str) -> Ended {
        self.lab.gainsay(arguments, input)
    }

    /// The failures that were kept, beside the system file.
    pub(crate) fn failures(&self) -> Vec<PathBuf> {
        let is_case = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "case");
        self.lab.folder.files().into_iter().filter(is_case).collect()
    }
}

/// A system file: a number goes in on `/in`, and comes out on `/out`.
pub(crate) fn system(of_system: &str, properties: &str) -> String {
    format!(
        "[system]\nname = \"echo\"\n{of_system}\n\n[types.Number]\nn = \"int32\"\n\n[channels]\n\
         \"/in\" = {{ type = \"Number\", direction = \"in\" }}\n\"/out\" = {{ type = \"Number\", direction = \"out\" }}\n\n\
         [properties]\ntext = '''\n{properties}'''\n"
    )
}

impl Ended {
    /// It ended with this code; both outputs together.
    #[track_caller]
    pub(crate) fn with(&self, code: i32) -> String {
        let all = format!("{}{}", self.out, self.err);
        assert_eq!(self.code, Some(code), "{all}");
        assert!(!all.contains("panicked"), "{all}");
        all
    }

    /// It ended with this code, and said all of this.
    #[track_caller]
    pub(crate) fn said(&self, code: i32, parts: &[&str]) {
        let all = self.with(code);
        parts.iter().for_each(|part| assert_contains(&all, part));
    }

    /// The lines of JSON it printed.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Json> {
        let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.out.lines().map(read).collect()
    }
}
