//! The fixture `subject` as a child process.

use crate::support::Folder;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// However slow the machine: by then the child should have ended.
const PATIENCE: Duration = Duration::from_secs(50);

/// A folder with the corpus, the temporary files and the output of one scenario, and a mark by which its processes are known.
pub(crate) struct Lab {
    pub(crate) folder: Folder,
    mark: String,
}

/// What a child left behind.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Lab {
    pub(crate) fn new(name: &str) -> Lab {
        let lab = Lab {
            folder: Folder::new(name),
            mark: format!("GAINSAY_TESTS_MARK={}-{name}", std::process::id()),
        };
        for part in ["corpus", "tmp"] {
            fs::create_dir(lab.folder.path().join(part)).unwrap();
        }
        lab
    }

    pub(crate) fn corpus(&self) -> PathBuf {
        self.folder.path().join("corpus")
    }

    /// The entries of the corpus, `stale` ones included.
    pub(crate) fn entries(&self) -> Vec<PathBuf> {
        let is_entry =
            |path: &PathBuf| path.starts_with(self.corpus()) && path.extension().is_some_and(|e| e == "case");
        self.folder.files().into_iter().filter(is_entry).collect()
    }

    /// Starts a scenario.
    pub(crate) fn start(&self, scenario: &str, environment: &[(&str, &str)]) -> Child {
        let mut command = self.command(env!("CARGO_BIN_EXE_subject"));
        command.arg(scenario).env("GAINSAY_CORPUS", self.corpus()).envs(environment.iter().copied());
        command.spawn().unwrap()
    }

    /// Runs the program `gainsay` in the folder, with something to read; afterwards none of its processes is left.
    #[track_caller]
    pub(crate) fn gainsay(&self, arguments: &[&str], input: &str) -> Ended {
        let given = self.folder.path().join("in");
        fs::write(&given, input).unwrap();
        let mut command = self.command(env!("CARGO_BIN_EXE_gainsay_with_nodes"));
        command.args(arguments).stdin(File::open(given).unwrap());
        let ended = self.finish(command.spawn().unwrap());
        self.assert_no_orphans();
        ended
    }

    /// A program that runs in the folder, with the mark.
    fn command(&self, program: &str) -> Command {
        let path = self.folder.path();
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GAINSAY"))
        {
            command.env_remove(name);
        }
        let (name, value) = self.mark.split_once('=').unwrap();
        command
            .env(name, value)
            .env("TMPDIR", path.join("tmp"))
            // (Journals lie there: what one run leaves is not for the next run of the suite.)
            .env("XDG_RUNTIME_DIR", path.join("tmp"))
            .env("RUST_BACKTRACE", "0")
            .current_dir(path)
            .stdin(Stdio::null())
            .stdout(File::create(path.join("out")).unwrap())
            .stderr(File::create(path.join("err")).unwrap());
        command
    }

    pub(crate) fn out(&self) -> String {
        fs::read_to_string(self.folder.path().join("out")).unwrap()
    }

    /// Waits until a scenario that was started has ended.
    pub(crate) fn finish(&self, mut child: Child) -> Ended {
        let ended = wait_for(|| child.try_wait().unwrap());
        let status = ended.unwrap_or_else(|| {
            self.end_all();
            panic!(
                "the child did not end; it said:\n{}",
                fs::read_to_string(self.folder.path().join("err")).unwrap()
            );
        });
        let err = fs::read_to_string(self.folder.path().join("err")).unwrap();
        Ended { code: status.code(), out: self.out(), err }
    }

    /// Runs a scenario to its end; afterwards none of its processes is left.
    #[track_caller]
    pub(crate) fn run(&self, scenario: &str, environment: &[(&str, &str)]) -> Ended {
        let ended = self.finish(self.start(scenario, environment));
        self.assert_no_orphans();
        ended
    }

    /// The processes with the mark of this lab.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
        let ids =
            processes.flatten().filter_map(|entry| entry.file_name().to_string_lossy().parse::<u32>().ok());
        let marked = |id: &u32| {
            let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == self.mark.as_bytes())
        };
        ids.filter(marked).collect()
    }

    #[track_caller]
    pub(crate) fn assert_no_orphans(&self) {
        let gone = wait_for_at_most(Duration::from_secs(5), || self.processes().is_empty().then_some(()));
        let left = self.processes();
        self.end_all();
        assert!(gone.is_some(), "processes are left behind: {left:?}");
    }

    /// Ends what this lab has started.
    fn end_all(&self) {
        for id in self.processes() {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.end_all();
    }
}

/// Waits for a condition.
pub(crate) fn wait_for<T>(condition: impl FnMut() -> Option<T>) -> Option<T> {
    wait_for_at_most(PATIENCE, condition)
}

fn wait_for_at_most<T>(limit: Duration, mut condition: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        if let Some(value) = condition() {
            return Some(value);
        }
        if start.elapsed() > limit {
            return None;
        }
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

impl Ended {
    /// The value of the replay variable that was printed.
    #[track_caller]
    pub(crate) fn replay(&self) -> String {
        let all = format!("{}{}", self.out, self.err);
        let start = all.find("GAINSAY_REPLAY='").unwrap_or_else(|| panic!("no replay line in:\n{all}"));
        all[start + 16..].split('\'').next().unwrap().to_string()
    }
}
