//! The corpus: failures are kept at once, tried first, and never lost.

use crate::support::{Folder, assert_contains, found, minimum, proved, seeded};
use gainsay::prelude::*;
use gainsay::{Origin, Report, Settings, prune};
use std::cell::Cell;
use std::fs;
use std::path::Path;

fn kept(folder: &Folder) -> Settings {
    seeded(1).random_only().corpus(folder.path()).name("kept")
}

/// A run of a property with a bug from `bound` on; a bound of `u32::MAX` is no bug.
fn run(folder: &Folder, bound: u32) -> Report {
    kept(folder).report_for_all(|n: u32| n < bound || bound == u32::MAX).unwrap()
}

/// All files below a folder with what they say, names of folders aside.
fn contents(folder: &Folder) -> Vec<Vec<u8>> {
    let mut contents: Vec<_> = folder.files().iter().map(|path| fs::read(path).unwrap()).collect();
    contents.sort();
    contents
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_failure_is_kept_before_it_is_shrunk() {
    let folder = Folder::new("at-once");
    let seen = Cell::new(None);
    let verdict = kept(&folder).verdict_for_all(|n: u32| {
        // The first run after the failure: it is being confirmed.
        if seen.get() == Some(1) {
            let text = read(&folder.only_file());
            assert!(text.contains("\nstatus: failing\n") && text.contains("not shrunk yet"), "{text}");
            seen.set(Some(2));
        }
        if n >= 1000 && seen.get().is_none() {
            seen.set(Some(1));
        }
        n < 1000
    });
    assert_eq!((minimum(&verdict).as_str(), seen.get()), ("1000", Some(2)));
    let file = folder.only_file();
    assert_contains(&read(&file), "shown: #1 = 1000\n");
    assert_eq!(found(&verdict).saved, Some(file.display().to_string()));
    assert_contains(&verdict.to_string(), &format!("saved   {}", file.display()));
}

#[test]
fn a_failure_that_is_kept_is_tried_first() {
    let folder = Folder::new("first");
    run(&folder, 1000);
    let again = run(&folder, 1000).verdict;
    assert_eq!((found(&again).origin, again.cases(), minimum(&again).as_str()), (Origin::Corpus, 1, "1000"));
    assert_contains(&again.to_string(), "from the corpus");
    folder.only_file();
    let holds = run(&Folder::new("first-twin"), u32::MAX).verdict;
    assert_eq!(holds.to_string(), "passed: 1000 cases");
}

#[test]
fn an_entry_that_passes_is_marked_and_kept_and_fails_again_when_the_bug_is_back() {
    let folder = Folder::new("fixed");
    run(&folder, 1000);
    let fixed = run(&folder, u32::MAX);
    assert!(fixed.verdict.is_good());
    assert_contains(&fixed.to_string(), "passes now: marked fixed, and kept");
    assert_contains(&read(&folder.only_file()), "status: fixed\n");
    // It stays a regression test, quietly.
    let tried = Cell::new(0);
    let report = kept(&folder).report_for_all(|n: u32| tried.set(tried.get() + u32::from(n == 1000)));
    assert!(report.unwrap().remarks.is_empty() && tried.get() >= 1);
    let back = run(&folder, 1000).verdict;
    assert_eq!(found(&back).origin, Origin::Corpus);
    assert_contains(&read(&folder.only_file()), "status: failing\n");
}

#[test]
fn failures_of_several_kinds_are_all_kept() {
    let folder = Folder::new("kinds");
    let two = |n: u32| {
        assert!(n <= 1_000_000, "too large");
        assert!(n < 700, "suspicious");
    };
    let verdict = kept(&folder).verdict_for_all(two);
    let Verdict::Falsified(falsified) = &verdict else { panic!("{verdict}") };
    assert_eq!((falsified.others.len(), folder.files().len()), (1, 2), "{verdict}");
    let fixed = kept(&folder).report_for_all(|_: u32| true).unwrap();
    assert_eq!(fixed.remarks.len(), 2, "{fixed}");
}

#[test]
fn what_is_in_the_corpus_is_not_counted_as_part_of_a_proof() {
    let folder = Folder::new("counts");
    let exhaustive = || kept(&folder).exhaustive();
    assert_eq!(minimum(&exhaustive().verdict_for_all(|n: u8| n < 200)), "200");
    assert_eq!(proved(&exhaustive().verdict_for_all(|_: u8| true)), 256);
}

/// One property, whose generator changes from a number to a text.
fn changing(settings: Settings, text: bool) -> Report {
    let property = |case: &mut Case| match text {
        false => case.any::<u32>() < 1000,
        true => case.any::<String>().len() < 1 << 20,
    };
    settings.report(property).unwrap()
}

#[test]
fn an_entry_that_no_longer_decodes_goes_to_stale() {
    let folder = Folder::new("stale");
    assert!(!changing(kept(&folder), false).verdict.is_good());
    let before = contents(&folder);
    let report = changing(kept(&folder), true);
    assert!(report.verdict.is_good());
    assert_contains(
        &report.to_string(),
        "is no case of this test any more (its generators have changed): moved to",
    );
    assert!(folder.only_file().parent().unwrap().ends_with("stale"));
    assert_eq!(contents(&folder), before, "unchanged");
    let later = changing(kept(&folder), true);
    assert!(later.remarks.is_empty(), "what is stale is not looked at: {later}");
}

#[test]
fn values_out_of_range_are_another_case() {
    let folder = Folder::new("range");
    let run = |most: u32| kept(&folder).report_with(0..=most, |n| n < 1000).unwrap();
    assert_eq!(minimum(&run(u32::MAX).verdict), "1000");
    let report = run(500);
    assert!(report.verdict.is_good());
    assert_contains(&report.to_string(), "is no case of this test any more");
}

#[test]
fn corrupt_files_are_reported_and_moved_aside() {
    let folder = Folder::new("corrupt");
    run(&folder, 1000);
    let good = read(&folder.only_file());
    let place = folder.only_file().parent().unwrap().to_path_buf();
    let bad: [(&str, Vec<u8>, &str); 6] = [
        ("empty", vec![], "line 1: expected `gainsay corpus 1`"),
        ("binary", vec![0, 159, 146, 150, 255], "it is not text"),
        ("foreign", b"{\"json\": true}\n".to_vec(), "line 1: expected `gainsay corpus 1`"),
        ("later", good.replace("corpus 1", "corpus 2").into(), "version 2, but this build knows version 1"),
        ("half", good[..good.len() / 2].into(), "is missing"),
        ("letters", good.replace("choices: i", "choices: !").into(), "is not a choice such as `i7`"),
    ];
    for (name, bytes, _) in &bad {
        fs::write(place.join(format!("{name}.case")), bytes).unwrap();
    }
    let before = contents(&folder);
    let report = run(&folder, 1000);
    for (name, _, reason) in &bad {
        let remark = report.remarks.iter().find(|remark| remark.contains(&format!("{name}.case")));
        let remark = remark.unwrap_or_else(|| panic!("nothing is said about {name}: {report}"));
        assert_contains(remark, reason);
        assert_contains(remark, "moved to");
    }
    assert_eq!(found(&report.verdict).origin, Origin::Corpus, "the good one was tried");
    assert_eq!(contents(&folder), before, "nothing is lost");
}

#[test]
fn a_second_file_of_the_same_name_does_not_take_the_place_of_the_first() {
    let folder = Folder::new("twice");
    run(&folder, 1000);
    let place = folder.only_file().parent().unwrap().to_path_buf();
    for text in ["one", "two", "three"] {
        fs::write(place.join("same.case"), text).unwrap();
        run(&folder, 1000);
    }
    let all = contents(&folder);
    assert!(
        ["one", "two", "three"].iter().all(|text| all.contains(&text.as_bytes().to_vec())),
        "one was overwritten"
    );
}

#[test]
fn a_failure_of_another_test_is_left_alone() {
    let folder = Folder::new("foreign");
    run(&folder, 1000);
    let file = folder.only_file();
    fs::write(&file, read(&file).replace("test: kept", "test: another")).unwrap();
    let before = contents(&folder);
    let report = run(&folder, u32::MAX);
    assert_contains(&report.to_string(), "is a failure of `another`, not of this test: left alone");
    assert_eq!((contents(&folder), folder.only_file()), (before, file));
}

/// Whatever becomes of a file, the run neither panics nor loses one.
#[test]
fn no_damage_to_a_file_loses_an_entry() {
    let folder = Folder::new("damage");
    run(&folder, 1000);
    let (path, good) = (folder.only_file(), fs::read(folder.only_file()).unwrap());
    seeded(6).cases(150).for_all(|at: usize, byte: u8, cut: bool| {
        let mut bytes = good.clone();
        let at = at % bytes.len();
        if cut {
            bytes.truncate(at)
        } else {
            bytes[at] = byte
        }
        fs::write(&path, &bytes).unwrap();
        let report = run(&folder, u32::MAX);
        assert!(report.verdict.is_good(), "{report}");
        let files = folder.files();
        // As it was, or read and marked; in its place or in `stale`.
        let kept = files.len() == 1
            && (fs::read(&files[0]).unwrap() == bytes || read(&files[0]).contains("status: fixed"));
        files.iter().for_each(|file| fs::remove_file(file).unwrap());
        kept
    });
}

#[test]
fn an_entry_that_fails_in_another_way_is_not_lost() {
    let folder = Folder::new("other-kind");
    let large = |n: u32| assert!(n < 1000, "too large");
    kept(&folder).verdict_for_all(large);
    let entry = fs::read(folder.only_file()).unwrap();
    let numbers = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes).lines().find(|l| l.starts_with("choices")).map(String::from)
    };
    // The first bug is mended; the case of it shows another one, whose smallest case is smaller.
    let odd = |n: u32| assert!(n < 10, "now this");
    assert_eq!(minimum(&kept(&folder).verdict_for_all(odd)), "10");
    let all: Vec<_> = contents(&folder).iter().map(|bytes| numbers(bytes)).collect();
    assert!(all.contains(&numbers(&entry)), "the case of the first bug is gone: {all:?}");
}

#[test]
fn two_properties_of_one_test_do_not_take_each_others_entries_away() {
    let folder = Folder::new("two");
    let test = |bug: u32| {
        let first = seeded(1)
            .random_only()
            .corpus(folder.path())
            .verdict_for_all(|text: String| text.len() < 1 << 20);
        let second = seeded(1).random_only().corpus(folder.path()).verdict_for_all(|n: u32| n < bug);
        (first, second)
    };
    let (first, second) = test(1000);
    assert!(first.is_good() && minimum(&second) == "1000");
    let (first, second) = test(1000);
    assert!(first.is_good());
    assert_eq!(
        found(&second).origin,
        Origin::Corpus,
        "the entry of the second property was moved away by the first"
    );
}

#[test]
fn names_with_odd_characters_find_their_entries_again() {
    for name in ["a::b::c", " blanks ", "tab\tand\nnew line", "ünï/cödé", "..", "x".repeat(300).as_str()]
    {
        let folder = Folder::new("names");
        let corpus = folder.path().join("corpus");
        let run = || seeded(1).random_only().corpus(&corpus).name(name).verdict_for_all(|n: u32| n < 1000);
        assert_eq!(found(&run()).origin, Origin::Search);
        assert!(folder.only_file().starts_with(&corpus), "{name:?} led outside: {:?}", folder.files());
        assert_eq!(found(&run()).origin, Origin::Corpus, "{name:?}");
    }
}

#[test]
fn a_corpus_that_cannot_be_written_is_no_reason_to_lose_a_failure() {
    let folder = Folder::new("unwritable");
    let file = folder.path().join("file");
    fs::write(&file, "in the way").unwrap();
    let long = || seeded(1).random_only().corpus(&file);
    let report =
        long().report_for_all(|list: Vec<u64>| list.iter().filter(|n| **n > 1 << 60).count() < 25).unwrap();
    assert_contains(&report.to_string(), "the failure could not be saved");
    let failure = found(&report.verdict);
    assert!(failure.saved.is_none() && !failure.replay.starts_with("entry="), "{}", failure.replay);
}

#[test]
fn what_was_left_of_an_interrupted_write_is_ignored() {
    let folder = Folder::new("half-written");
    run(&folder, 1000);
    let half = folder.only_file().with_extension("4711.tmp");
    fs::write(&half, "gainsay corp").unwrap();
    let report = run(&folder, 1000);
    assert!(report.remarks.is_empty() && half.exists(), "{report}");
    assert_eq!(found(&report.verdict).origin, Origin::Corpus);
}

#[test]
fn only_pruning_deletes_and_only_what_is_stale_or_fixed() {
    let folder = Folder::new("prune");
    let named = |name: &str, bound: u32| {
        let settings = seeded(1).random_only().corpus(folder.path()).name(name);
        settings.verdict_for_all(move |n: u32| n < bound || bound == u32::MAX)
    };
    named("failing", 1000);
    named("fixed", 1000);
    named("fixed", u32::MAX);
    for text in [false, true] {
        changing(seeded(1).random_only().corpus(folder.path()).name("stale"), text);
    }
    fs::write(folder.path().join("notes.txt"), "of a person").unwrap();
    assert_eq!(folder.files().len(), 4);
    assert_eq!(prune(folder.path()).unwrap(), 2);
    let left: Vec<String> = folder.files().iter().map(|path| read(path)).collect();
    assert!(left.len() == 2 && left.iter().any(|text| text.contains("status: failing")), "{left:?}");
    assert_eq!(prune(folder.path()).unwrap(), 0);
    let missing = prune(&folder.path().join("nowhere")).unwrap_err().to_string();
    assert_contains(&missing, "failed to list the corpus");
}
