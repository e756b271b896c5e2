//! What people write who know another language, and how it is said here.

/// Words and signs, by where they are met.
pub(super) enum Met {
    /// Where a scope, a pattern or an event is expected.
    Outside,
    /// After a pattern, on the same line.
    After,
    /// In a condition, where an operator is expected.
    Inside,
}

const OUTSIDE: [(&str, &str); 12] = [
    ("never", "what must not come is `no /channel`"),
    ("not", "what must not come is `no /channel`, and after another event `/a forbids /b`"),
    ("no", "what must not come after another event is `/a forbids /b`"),
    (
        "always",
        "what must come is `some /channel`; what must be so of each message is `no /channel {not (…)}`",
    ),
    ("between", "write `after /start until /stop:`"),
    ("before", "write `until /stop:`, or `after /start until /stop:`"),
    ("leads", "what must follow is said by `/a causes /b`"),
    ("triggers", "what must follow is said by `/a causes /b`"),
    ("implies", "what must follow is said by `/a causes /b`"),
    ("needs", "what must come before is said by `/b requires /a`"),
    (
        "and",
        "a pattern has one event on each side: write a property for each, or `(/a or /b)` for one of several",
    ),
    ("within", "a bound of time belongs to the pattern, at its end: `globally: no /a within 5 s`"),
];

const AFTER: [(&str, &str); 3] = [
    ("in", "a bound of time is `within 500 ms`"),
    (
        "and",
        "a pattern has one event on each side: write a property for each, or `(/a or /b)` for one of several",
    ),
    ("every", "`/x causes /x within 1 s` says that it comes again and again"),
];

const INSIDE: [(&str, &str); 8] = [
    ("is", "equality is `=`"),
    ("then", "a condition of another is `a implies b`"),
    ("all", "of each element is `forall i in xs: xs[@i] > 0`"),
    (",", "both is `and`, and one of both is `or`"),
    ("..", "ranges are written `[0 to 10]`"),
    ("mod", "there is no remainder of a division"),
    ("contains", "an element is `x in xs`"),
    ("between", "a range is `x in [0 to 10]`"),
];

/// The way out, if it is known.
pub(super) fn hint(met: Met, found: &str) -> Option<&'static str> {
    let known: &[(&str, &str)] = match met {
        Met::Outside => &OUTSIDE,
        Met::After => &AFTER,
        Met::Inside => &INSIDE,
    };
    let found = found.to_ascii_lowercase();
    known.iter().find(|(word, _)| *word == found).map(|(_, help)| *help)
}

/// The same for a character that means nothing.
pub(super) fn hint_of_character(found: char) -> Option<&'static str> {
    Some(match found {
        '&' => "both is `and`",
        '|' => "one of both is `or`, and a magnitude is `abs(x)`",
        ';' => "properties stand one after the other, with no sign between them",
        '%' => "there is no remainder of a division",
        '^' => "a power is `**`",
        _ => return None,
    })
}
