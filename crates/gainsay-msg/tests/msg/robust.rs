//! Whatever is read: nothing panics, and whoever is refused is told where and why.

use gainsay_core::{Case, settings};
use gainsay_msg::diagnostic::{Diagnostic, Source};
use gainsay_msg::{AnyChannels, SystemFile, hpl, mfotl, resolve};
use std::path::Path;

const CASES: u64 = 10_000;

/// Properties of all kinds.
const PROPERTIES: &str = include_str!("../../../../examples/rover/rover.hpl");
const MORE_PROPERTIES: &str = "# id: a\nafter (/a as A or /b as A {x > -1.5e3}) until /q {x = @A.x}: /b {xs[i + 1] in ![0 to 9]! and s != \"a\\\"b\"} \
    requires (/a {forall i in xs: xs[@i] ** 2 < max(@1.x, len(s), PI)} or ~c/d-e) within .5 s # at its end\n\n\
    globally: /c forbids /c within 20 ms\nuntil /q: some /b {not (p implies q iff r) or x in {1, 2.0, 'z'}}";
const SYSTEM: &str = include_str!("../../../../examples/rover/system.toml");
const MORE_SYSTEM: &str = "[system]\nname = \"x\"\nbus = \"stdio\"\nstart = [\"./p\"]\nready = \"stderr:up\"\ntime = \"real\"\nslack_ms = 2.5\n\
    projection = [\"n\"]\nundeclared = \"ignore\"\nenvironment = { A = \"b\" }\n[types]\nT = { x = \"float32\", ys = \"U[3]\" }\nU = { z = \"uint8\" }\n\
    [channels]\n\"/a\" = { type = \"T\" }\n\"/b\" = { type = \"std_msgs/Bool\", codec = \"json\", topic = \"b\" }\n[nodes]\n\
    n = { subscribes = [\"/a\"], publishes = [\"/b\"] }\n[properties]\ntext = \"globally: /a {x > 0} causes /b {data} within 1 s\"\n\
    [schemas]\np1 = \"forbid /a {x > 1}\\n+0..500: publish /a\\nawait /b\"\n[data]\nnan = true\nranges = { \"T.x\" = [0, 1] }\n[limits]\ncases = 5\n";

/// Pieces that somebody may put anywhere.
const PIECES: [&str; 44] = [
    "globally",
    "after",
    "until",
    ":",
    " ",
    "\n",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "![",
    "]!",
    "\"",
    "'",
    "\\",
    "#",
    "# id: x",
    "@",
    "$",
    "-",
    "**",
    "..",
    "/",
    "~",
    "é",
    "\u{1F600}",
    "\0",
    "\u{202e}",
    "\r\n",
    "999999999999999999999999999999999999999999",
    "1e999",
    ".",
    "forall i in",
    "not ",
    "within 0 ms",
    "= ",
    "in ",
    "NAN",
    "[system]",
    "= \"\"\"",
    "1/0",
    "@1.x",
];

/// A text that was valid, changed in some places.
fn mutated(case: &mut Case, of: &str) -> String {
    let mut text: Vec<char> = of.chars().collect();
    for _ in 0..case.int(1..=6) {
        let at = case.index(text.len() + 1);
        let length = case.int(0..=12usize).min(text.len() - at);
        let put: Vec<char> = match case.index(5) {
            0 => Vec::new(),
            1 => vec![case.char()],
            2 => PIECES[case.index(PIECES.len())].chars().collect(),
            // A part of it once more.
            3 => {
                let from = case.index(text.len() + 1);
                let until = (from + case.int(0..=60usize)).min(text.len());
                text[from..until].to_vec()
            }
            _ => {
                text.truncate(at + length);
                Vec::new()
            }
        };
        text.splice(at..at + length, put);
    }
    text.into_iter().collect()
}

/// Any bytes, as text; some of them look like something.
fn arbitrary(case: &mut Case) -> String {
    if case.flag() {
        let bytes: Vec<u8> = case.list(0..=60);
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    let pieces = case.vec(0..=30, |case| match case.index(4) {
        0 => case.char().to_string(),
        _ => PIECES[case.index(PIECES.len())].to_string(),
    });
    pieces.concat()
}

/// A diagnostic lies inside of its text, and can be shown.
#[track_caller]
fn check_shown(source: &Source, diagnostic: &Diagnostic) {
    let span = &diagnostic.span;
    assert!(span.start <= span.end && span.end <= source.text.len(), "{diagnostic:?} in {:?}", source.text);
    assert!(
        source.text.is_char_boundary(span.start) && source.text.is_char_boundary(span.end),
        "{diagnostic:?} in {:?}",
        source.text
    );
    let message = &diagnostic.message;
    assert!(!message.is_empty() && !message.ends_with('.'), "{message}");
    for colours in [false, true] {
        assert!(!source.show(diagnostic, colours).is_empty());
    }
}

#[track_caller]
fn check_properties(text: &str) {
    let source = Source::new("some.hpl", text);
    let file = hpl::parse(text);
    let (rules, troubles) = resolve(&file.properties, &AnyChannels);
    file.troubles.iter().chain(&troubles).for_each(|trouble| check_shown(&source, trouble));
    let has_errors = file.troubles.iter().chain(&troubles).any(Diagnostic::is_error);
    assert!(has_errors || rules.len() == file.properties.len(), "somebody is left out without a word");
    for rule in &rules {
        let _ = mfotl::translate(rule);
    }
    // What could be read is written so that it says the same.
    let formatted = hpl::format(&file);
    let again = hpl::parse(&formatted);
    assert!(!again.troubles.iter().any(Diagnostic::is_error), "{formatted:?}: {:?}", again.troubles);
    assert_eq!(hpl::format(&again), formatted);
    let all = |file: &hpl::File| file.properties.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(all(&again), all(&file));
}

#[track_caller]
fn check_system(text: &str) {
    match SystemFile::parse("some.toml", text, Path::new("/nonexistent")) {
        Ok((_, warnings)) => assert!(!warnings.has_errors()),
        Err(found) => {
            assert!(found.has_errors(), "it is refused without a word: {text:?}");
            found.all.iter().for_each(|(source, trouble)| check_shown(source, trouble));
        }
    }
}

#[test]
fn any_text_is_read_as_properties_or_refused() {
    settings().cases(CASES).seed(11).without_corpus().random_only().check(|case: &mut Case| {
        let text = arbitrary(case);
        case.note("text", &text);
        check_properties(&text);
    });
}

#[test]
fn properties_with_mistakes_are_read_or_refused() {
    check_properties(PROPERTIES);
    check_properties(MORE_PROPERTIES);
    settings().cases(CASES).seed(12).without_corpus().random_only().check(|case: &mut Case| {
        let of = if case.flag() { PROPERTIES } else { MORE_PROPERTIES };
        let text = mutated(case, of);
        case.note("text", &text);
        check_properties(&text);
    });
}

#[test]
fn any_text_is_read_as_a_system_or_refused() {
    settings().cases(CASES).seed(13).without_corpus().random_only().check(|case: &mut Case| {
        let text = arbitrary(case);
        case.note("text", &text);
        check_system(&text);
    });
}

#[test]
fn systems_with_mistakes_are_read_or_refused() {
    let (read, _) = SystemFile::parse("some.toml", MORE_SYSTEM, Path::new("/nonexistent")).unwrap();
    assert_eq!((read.system.rules.len(), read.system.schemas.len(), read.cases), (1, 1, Some(5)));
    settings().cases(CASES).seed(14).without_corpus().random_only().check(|case: &mut Case| {
        let of = if case.flag() { SYSTEM } else { MORE_SYSTEM };
        let text = mutated(case, of);
        case.note("text", &text);
        check_system(&text);
    });
}
