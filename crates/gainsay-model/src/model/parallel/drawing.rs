//! What happened at the same time, drawn.

use gainsay_core::Failure;

/// A call from its beginning to its end.
pub(super) struct Bar {
    pub(super) title: String,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) text: String,
}

/// A call and what it returned, on a line.
pub(super) fn line(call: &str, result: &str) -> String {
    if result == "()" || result.is_empty() { call.to_string() } else { format!("{call} → {result}") }
}

/// Draws calls as bars over time. Only the order of beginnings and ends is to scale.
pub(super) fn draw(bars: &[Bar]) -> String {
    let mut moments: Vec<u64> = bars.iter().flat_map(|bar| [bar.from, bar.to]).collect();
    moments.sort_unstable();
    moments.dedup();
    let column = |moment: u64| moments.partition_point(|&other| other < moment);
    let titles = bars.iter().map(|bar| bar.title.len()).max().unwrap_or(0);
    let width = moments.len() + 1;
    let lines = bars.iter().map(|bar| {
        let (from, to) = (column(bar.from), column(bar.to).max(column(bar.from) + 1));
        let drawn = format!("{}├{}┤", " ".repeat(from), "─".repeat(to - from - 1));
        let gap = " ".repeat((width + 1).saturating_sub(to + 1));
        format!("{:titles$}  {drawn}{gap} {}", bar.title, bar.text)
    });
    lines.collect::<Vec<_>>().join("\n")
}

pub(super) fn with_story(mut failure: Failure, story: &str) -> Failure {
    if !story.is_empty() {
        failure.message = format!("{story}\n{}", failure.message);
    }
    failure
}

pub(in crate::model) fn with_prefix(mut failure: Failure, told: &[String]) -> Failure {
    if !told.is_empty() {
        let told: Vec<String> = told.iter().map(|line| format!("before  {line}")).collect();
        failure.message = format!("{}\n{}", told.join("\n"), failure.message);
    }
    failure
}
