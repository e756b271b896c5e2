//! Variables of the environment: replay, overrides, profiles.

use crate::child::Lab;
use crate::support::assert_contains;

#[test]
fn the_printed_line_replays_exactly_that_case() {
    for scenario in ["sum", "sum of a check"] {
        let lab = Lab::new(&format!("replay-{}", scenario.len()));
        let failed = lab.run(scenario, &[("GAINSAY_CORPUS", "off")]);
        assert_eq!(failed.code, Some(101), "{failed:?}");
        assert_contains(&failed.err, "[1000]");
        let replay = failed.replay();
        assert_eq!(replay.rsplit(':').next(), Some("1,1000,0"));
        let replayed = lab.run(scenario, &[("GAINSAY_CORPUS", "off"), ("GAINSAY_REPLAY", &replay)]);
        assert_eq!(replayed.code, Some(101));
        assert_contains(&replayed.err, "falsified after 1 case\n  3 choices, replayed\n");
        assert_contains(&replayed.err, "[1000]");
        assert_eq!(replayed.replay(), replay, "it can be replayed again");
        // Another case, which holds, alone.
        let other = lab.run(scenario, &[("GAINSAY_CORPUS", "off"), ("GAINSAY_REPLAY", "1:3:1,999,0")]);
        assert_eq!(other.code, Some(0));
        assert_contains(&other.err, "replayed `1:3:1,999,0` alone: Passed");
        assert!(lab.entries().is_empty());
    }
}

#[test]
fn a_random_case_can_be_replayed_by_its_number() {
    let lab = Lab::new("replay-number");
    let replay = |replay: &str| lab.run("sum", &[("GAINSAY_CORPUS", "off"), ("GAINSAY_REPLAY", replay)]);
    let all: Vec<_> = (0..20).map(|index| replay(&format!("1:50:seed=1,case={index}")).code).collect();
    assert!(all.contains(&Some(101)) && all.iter().all(|code| matches!(code, Some(0 | 101))), "{all:?}");
    let walk = replay("1:0:walk=0,seed=0");
    assert_eq!(walk.code, Some(0), "the first case of the enumeration holds: {walk:?}");
}

#[test]
fn a_long_case_is_replayed_from_its_file() {
    let lab = Lab::new("replay-entry");
    let failed = lab.run("many", &[]);
    assert_eq!(failed.code, Some(101));
    let replay = failed.replay();
    assert!(replay.starts_with("entry="), "{replay}");
    assert_eq!(lab.entries().len(), 1);
    let replayed = lab.run("many", &[("GAINSAY_REPLAY", &replay)]);
    assert_eq!(replayed.code, Some(101));
    assert_contains(&replayed.err, ", replayed\n");
    let values = |text: &str| text.lines().find(|line| line.contains("#1 = [")).map(String::from);
    assert_eq!(values(&replayed.err), values(&failed.err));
    let missing = lab.run("many", &[("GAINSAY_REPLAY", "entry=0000")]);
    assert_contains(&missing.err, "cannot replay `entry=0000`: no such file in");
    let off = lab.run("many", &[("GAINSAY_REPLAY", &replay), ("GAINSAY_CORPUS", "off")]);
    assert_contains(&off.err, "this test keeps no corpus");
}

#[test]
fn a_malformed_replay_is_refused_with_a_reason() {
    let lab = Lab::new("replay-malformed");
    for (replay, reason) in [
        ("nonsense", "it should look like `1:100:0,7,1`"),
        ("7:100:1", "it is of version 7"),
        ("1:x:1", "the size, a whole number"),
        ("1:100", "its third part, the numbers, is missing"),
        ("1:100:1,two", "whole and separated by commas"),
        ("1:100:1,-2", "whole and separated by commas"),
        ("1:100:seed=a,case=1", "seed and case should be whole numbers"),
        ("1:0:walk=a,seed=1", "walk and seed should be whole numbers"),
    ] {
        let ended = lab.run("holds", &[("GAINSAY_REPLAY", replay)]);
        assert_eq!(ended.code, Some(101), "{replay}");
        assert_contains(&ended.err, &format!("cannot replay `{replay}`"));
        assert_contains(&ended.err, reason);
    }
}

#[test]
fn the_environment_goes_before_the_code() {
    let lab = Lab::new("overrides");
    let counted = |environment: &[(&str, &str)]| lab.run("counted", environment).out;
    assert_contains(&counted(&[]), "judged 1000 ");
    assert_contains(&counted(&[("GAINSAY_CASES", "17")]), "judged 17 ");
    assert_contains(&counted(&[("GAINSAY_PROFILE", "quick")]), "judged 100 ");
    assert_contains(&counted(&[("GAINSAY_PROFILE", "thorough")]), "judged 100000 ");
    assert_contains(&counted(&[("GAINSAY_PROFILE", "quick"), ("GAINSAY_CASES", "23")]), "judged 23 ");
    assert_contains(&counted(&[("GAINSAY_PROFILE", "usual")]), "judged 1000 ");
    assert_contains(&counted(&[("GAINSAY_SEED", "4711")]), " seed 4711 ");
    assert_contains(&counted(&[("GAINSAY_CASES", ""), ("GAINSAY_SEED", "")]), "judged 1000 ");
    let late = counted(&[("GAINSAY_TIME_MS", "0"), ("GAINSAY_CASES", "100000000")]);
    assert_contains(&late, "ended by the time limit");
    // Without a seed of one's own every run has another.
    assert_ne!(counted(&[]), counted(&[]));
}

#[test]
fn a_budget_for_shrinking_can_be_given() {
    let lab = Lab::new("budget");
    let failed = lab.run("sum", &[("GAINSAY_SHRINKS", "3"), ("GAINSAY_CORPUS", "off")]);
    assert_contains(&failed.err, "with 3 evaluations, ended by a limit");
}

#[test]
fn a_malformed_variable_is_refused_with_its_name() {
    let lab = Lab::new("malformed");
    for (name, value, expected) in [
        ("GAINSAY_CASES", "many", "a whole number"),
        ("GAINSAY_CASES", "-1", "a whole number"),
        ("GAINSAY_SEED", "0x10", "a whole number"),
        ("GAINSAY_SHRINKS", "1.5", "a whole number"),
        ("GAINSAY_TIME_MS", "1s", "a whole number"),
        ("GAINSAY_CASE_TIME_MS", "soon", "a whole number"),
        ("GAINSAY_PROFILE", "fast", "one of `quick`, `usual`, `thorough`"),
    ] {
        let ended = lab.run("counted", &[(name, value)]);
        let message = format!("error: the environment variable {name} is `{value}`, which is not {expected}");
        assert_contains(&ended.out, &message);
    }
}

#[test]
fn lines_and_statistics_can_be_asked_for_from_outside() {
    let lab = Lab::new("outside");
    let lines = lab.folder.path().join("lines");
    let ended = lab.run("holds", &[("GAINSAY_TYCHE", lines.to_str().unwrap()), ("GAINSAY_CASES", "30")]);
    assert_eq!(ended.code, Some(0));
    assert_eq!(std::fs::read_to_string(&lines).unwrap().lines().count(), 30);
    assert!(!ended.err.contains("passed"), "{ended:?}");
    let ended = lab.run("holds", &[("GAINSAY_STATISTICS", "1")]);
    assert_contains(&ended.err, "holds: passed: 1000 cases");
}

#[test]
fn the_panic_of_a_failing_check_is_at_its_caller() {
    let lab = Lab::new("caller");
    let ended = lab.run("caller", &[]);
    let line: u32 = ended.out.trim().strip_prefix("line ").unwrap().parse().unwrap();
    assert_contains(&ended.err, &format!("subject.rs:{line}:"));
    assert_eq!(ended.code, Some(101));
}
