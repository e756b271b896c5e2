//! A folder with files, and the program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a script does with a message that it answers.
pub(crate) const ANSWERS: &str =
    "echo \"${line%%,*},\\\"channel\\\":\\\"/out\\\",\\\"msg\\\":{\\\"n\\\":1}}\"";

pub(crate) struct Desk {
    folder: PathBuf,
}

/// How a run ended: its code, and both outputs.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Desk {
    pub(crate) fn new(name: &str) -> Desk {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Desk { folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap()
    }

    /// Writes `system.toml` of a system that is a shell script in virtual time: a number goes in on `/in`, and comes out on `/out`. `hears` is what it does
    /// with a line that is a message.
    pub(crate) fn script(&self, hears: &str, of_system: &str, properties: &str) {
        self.write(
            "system.sh",
            &format!(
                "echo '{{\"idle\":true}}'\nwhile read -r line; do\n  case \"$line\" in\n    *channel*) {hears} ;;\n    \
                 *) echo '{{\"idle\":true,\"next_timer_ms\":null}}' ;;\n  esac\ndone\n"
            ),
        );
        self.system("start = [\"sh\", \"system.sh\"]", of_system, properties);
    }

    pub(crate) fn system(&self, start: &str, of_system: &str, properties: &str) {
        self.write(
            "system.toml",
            &format!(
                "[system]\nname = \"echo\"\nbus = \"stdio\"\n{start}\ntime = \"virtual\"\nreset = true\n{of_system}\n\n\
                 [types.Number]\nn = \"int32\"\n\n[channels]\n\"/in\" = {{ type = \"Number\", direction = \"in\" }}\n\
                 \"/out\" = {{ type = \"Number\", direction = \"out\" }}\n\n[properties]\nfiles = [\"system.hpl\"]\n"
            ),
        );
        self.write("system.hpl", properties);
    }

    /// The program, in the folder. (Journals lie there, too: what one run leaves is not for the next run of the suite.)
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gainsay"));
        command.args(arguments).current_dir(&self.folder).env("XDG_RUNTIME_DIR", &self.folder);
        command
    }

    pub(crate) fn gainsay(&self, arguments: &[&str]) -> Ended {
        self.gainsay_to(arguments, Stdio::piped())
    }

    /// Runs it with words that a shell reads.
    pub(crate) fn in_shell(&self, shell: &str, words: &str) -> Ended {
        let program = env!("CARGO_BIN_EXE_gainsay");
        let mut command = Command::new(shell);
        command.args(["-c", &format!("exec \"$0\" {words}"), program]).current_dir(&self.folder);
        let output = command.env("XDG_RUNTIME_DIR", &self.folder).env("LC_ALL", "C.UTF-8").output().unwrap();
        Ended::of(output)
    }

    /// Runs it with its output to somewhere else.
    pub(crate) fn gainsay_to(&self, arguments: &[&str], to: impl Into<Stdio>) -> Ended {
        let mut command = self.command(arguments);
        let output = command.stdout(to).stderr(Stdio::piped());
        let output = output.spawn().and_then(|child| child.wait_with_output()).unwrap();
        Ended::of(output)
    }
}

impl Ended {
    fn of(output: std::process::Output) -> Ended {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// It ended with this code, and said all of this.
    #[track_caller]
    pub(crate) fn said(&self, code: i32, parts: &[&str]) {
        let all = format!("{}{}", self.out, self.err);
        assert_eq!(self.code, Some(code), "{all}");
        for part in parts {
            assert!(all.contains(part), "no `{part}` in\n{all}");
        }
    }
}
