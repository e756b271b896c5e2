//! Which failures are whose.

use gainsay_core::{Case, Failure, Outcome, Settings, Status, settings};
use std::path::{Path, PathBuf};

/// A folder that is gone when the test has ended.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("gainsay-identity-{name}-{}", std::process::id()));
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn kept(folder: &Path) -> Settings {
    settings().seed(1).corpus(folder)
}

fn small(case: &mut Case) -> Outcome {
    if case.int(0..=1000u32) < 700 {
        Outcome::of(Status::Passed)
    } else {
        Outcome::failed(Failure::new("here", "too large"))
    }
}

/// Specifications have names like `stack`, and so may those of other tests in other crates: a failure belongs to its test.
#[test]
fn a_failure_of_a_named_specification_belongs_to_its_test() {
    let folder = Folder::new("named");
    let report = kept(&folder.0).report_outcomes("stack", &mut small).unwrap();
    let saved = report.verdict.counterexample().and_then(|one| one.saved.clone()).unwrap();
    let test = "core.identity.a_failure_of_a_named_specification_belongs_to_its_test.stack";
    assert!(saved.contains(test), "{saved}");
    assert_eq!(report.name, "stack");
    // Another test with a specification of that name neither sees it nor takes it away.
    let elsewhere = std::thread::Builder::new().name("other::test".into()).spawn({
        let folder = folder.0.clone();
        move || kept(&folder).report_outcomes("stack", &mut |_| Outcome::of(Status::Passed)).unwrap()
    });
    let other = elsewhere.unwrap().join().unwrap();
    assert!(other.verdict.is_good() && other.remarks.is_empty(), "{other}");
    let again = kept(&folder.0).report_outcomes("stack", &mut small).unwrap();
    assert!(again.to_string().contains("from the corpus"), "{again}");
    // A name that was given is the identity as it is.
    let named = kept(&folder.0).name("mine").report_outcomes("stack", &mut small).unwrap();
    assert!(named.verdict.counterexample().unwrap().saved.as_ref().unwrap().contains("/mine/"), "{named}");
}
