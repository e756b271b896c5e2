//! A line on the terminal while something takes long.

use crate::shrink::Progress;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How long a run is silent before it shows that it is alive.
const PATIENCE: Duration = Duration::from_secs(1);
const INTERVAL: Duration = Duration::from_millis(200);

/// One line that is written over and over, on terminals only.
#[derive(Debug)]
pub(crate) struct Line {
    on: bool,
    next: Instant,
    shown: bool,
}

impl Default for Line {
    fn default() -> Line {
        // (A terminal that cannot go back to the start of a line says so.)
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Line {
            on: std::io::stderr().is_terminal() && !is_dumb,
            next: Instant::now() + PATIENCE,
            shown: false,
        }
    }
}

impl Line {
    pub(crate) fn shrinking(&mut self, progress: Progress) {
        self.show(|| {
            format!(
                "shrinking: {} choices to {} with {} evaluations",
                progress.choices_before, progress.choices, progress.evaluations
            )
        });
    }

    pub(crate) fn searching(&mut self, cases: u64, cases_max: u64) {
        self.show(|| format!("{cases} of {cases_max} cases"));
    }

    fn show(&mut self, text: impl FnOnce() -> String) {
        if self.on && Instant::now() >= self.next {
            self.next = Instant::now() + INTERVAL;
            self.shown = true;
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", text());
        }
    }

    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
