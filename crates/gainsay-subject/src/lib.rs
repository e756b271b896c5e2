//! What is tested: objects on threads of this process, and programs in child processes. Both are handed calls, and are watched until
//! they have come to rest.

mod asleep;
mod child;
mod connect;
mod in_child;
mod java;
mod lines;
mod live;
mod mark;
mod process;
mod speaker;
mod warden;
mod workers;

pub use asleep::{Census, Rest, is_supported};
pub use connect::connect;
pub use in_child::{InChild, in_child};
pub use java::java;
pub use lines::Heard;
pub use live::{Live, Made, Patience, Returned, Settled, Subject, Trouble};
pub use process::Process;
pub use speaker::Speaker;
pub use workers::{OnThreads, on_threads, threads_left};

pub use serde_json::{Value as Json, json};

/// What a fuzzer feeds.
#[cfg(fuzzing)]
pub mod fuzz {
    /// A line of a harness, such as that for Java.
    pub fn harness_line(line: &str) {
        crate::in_child::fuzz_line(line);
    }
}
