//! What was written by hand shows each bug, and nothing of the correct twin.

use bench_systems::{BUGS, SUBJECTS};
use gainsay_msg::Class;

#[test]
fn each_bug_is_shown_and_its_twin_passes() {
    for subject in SUBJECTS {
        for bug in 1..=BUGS {
            assert_ne!(subject.violated(bug, bug), [""; 0], "{}, bug {bug}", subject.name);
            assert_eq!(subject.violated(0, bug), [""; 0], "{}, the twin of bug {bug}", subject.name);
        }
    }
}

#[test]
fn all_properties_are_axioms_or_testable() {
    for subject in SUBJECTS {
        let system = subject.system();
        for rule in &system.rules {
            let class = system.class(rule);
            let is_known = matches!(class, Class::Axiom | Class::Testable);
            assert!(is_known, "{}, {}: {class:?}", subject.name, rule.id);
        }
        // Inputs are restricted where the world does so, and most properties are about the system.
        assert!((1..=3).contains(&system.axioms().len()), "{}", subject.name);
        assert!(system.testable().len() >= 9, "{}", subject.name);
    }
}
