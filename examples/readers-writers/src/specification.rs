//! What readers and writers are promised.

use gainsay::Case;
use gainsay::resource::{Client, Policy, Resource, Seen};

/// Several read, or one writes.
#[derive(Debug, Clone)]
pub struct ReadersWriters;

/// What whoever reads or writes says before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// May I read?
    BeforeRead,
    /// I have read.
    AfterRead,
    /// May I write?
    BeforeWrite,
    /// I have written.
    AfterWrite,
}

use Call::{AfterRead, AfterWrite, BeforeRead, BeforeWrite};

/// Who is inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Inside {
    /// How many read.
    pub readers: u32,
    /// Whether somebody writes.
    pub writing: bool,
}

impl Resource for ReadersWriters {
    type State = Inside;
    type Call = Call;
    type Value = ();

    fn start(&self) -> Inside {
        Inside { readers: 0, writing: false }
    }

    fn cpre(&self, inside: &Inside, call: &Call) -> bool {
        match call {
            BeforeRead => !inside.writing,
            BeforeWrite => inside.readers == 0 && !inside.writing,
            AfterRead | AfterWrite => true,
        }
    }

    fn post(&self, inside: &Inside, call: &Call) -> Vec<(Inside, ())> {
        let Inside { readers, writing } = *inside;
        let after = match call {
            BeforeRead => Inside { readers: readers + 1, writing },
            AfterRead => Inside { readers: readers.saturating_sub(1), writing },
            BeforeWrite => Inside { readers, writing: true },
            AfterWrite => Inside { readers, writing: false },
        };
        vec![(after, ())]
    }

    fn invariant(&self, inside: &Inside) -> bool {
        inside.readers == 0 || !inside.writing
    }
}

fn is_before(call: &Call) -> bool {
    matches!(call, BeforeRead | BeforeWrite)
}

/// First come, first served, of those who want to read or write.
pub fn policy() -> Policy<ReadersWriters> {
    Policy::fifo_by(is_before)
}

/// Readers and writers for a validation of the specification.
pub fn clients(readers: usize, writers: usize) -> Vec<Client<ReadersWriters>> {
    let reader = |number| Client::forever(&format!("reader {number}"), [BeforeRead, AfterRead]);
    let writer = |number| Client::forever(&format!("writer {number}"), [BeforeWrite, AfterWrite]);
    (1..=readers).map(reader).chain((1..=writers).map(writer)).collect()
}

/// So many wait at most.
const WAITING_MAX: usize = 5;

/// What happens next: somebody comes, or somebody who is inside goes.
pub fn next(seen: &Seen<ReadersWriters>, case: &mut Case) -> Option<Call> {
    let count = |wanted: Call| seen.returned().filter(|(call, ())| **call == wanted).count();
    let open = |wanted: Call| seen.open().filter(|call| **call == wanted).count();
    let mut possible = Vec::new();
    if seen.open().filter(|call| is_before(call)).count() < WAITING_MAX {
        possible.extend([BeforeRead, BeforeWrite]);
    }
    for (before, after) in [(BeforeRead, AfterRead), (BeforeWrite, AfterWrite)] {
        if count(before) > count(after) + open(after) {
            possible.push(after);
        }
    }
    (!possible.is_empty()).then(|| possible[case.index(possible.len())])
}

/// A call for people.
pub fn show(call: &Call) -> String {
    match call {
        BeforeRead => "beforeRead",
        AfterRead => "afterRead",
        BeforeWrite => "beforeWrite",
        AfterWrite => "afterWrite",
    }
    .into()
}

/// A state for people.
pub fn show_inside(inside: &Inside) -> String {
    format!("{} reading{}", inside.readers, if inside.writing { ", one writing" } else { "" })
}
