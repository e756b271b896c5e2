//! States as people read them: short ones on a line, long ones with what they consist of counted instead of listed.

use std::fmt::Debug;

/// So many characters are shown as they are.
const LINE_MAX: usize = 160;

/// Of more than so many parts only the first and the last are shown.
const PARTS_MAX: usize = 12;
const FIRST: usize = 8;
const LAST: usize = 2;

/// A value as it is debugged, unless that is long: then lists are abbreviated, and counted.
pub(crate) fn shown(value: &dyn Debug) -> String {
    let line = format!("{value:?}");
    if line.chars().count() <= LINE_MAX {
        return line;
    }
    let text = format!("{value:#?}");
    // (Line breaks inside of texts are escaped: each line is an opening, a part or a closing.)
    let lines: Vec<&str> = text.lines().collect();
    joined(&abbreviated(&lines))
}

/// The lines of a value without most parts of what has many.
fn abbreviated(lines: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let depth = indent(lines[at]);
        // The parts that stand beside each other here: each is a line, and what is deeper or closes it.
        let mut parts: Vec<std::ops::Range<usize>> = Vec::new();
        let mut end = at;
        while end < lines.len() && indent(lines[end]) >= depth {
            let is_new = indent(lines[end]) == depth && !closes(lines[end]);
            match parts.last_mut() {
                Some(part) if !is_new => part.end = end + 1,
                _ => parts.push(end..end + 1),
            }
            end += 1;
        }
        let hidden = if parts.len() > PARTS_MAX { FIRST..parts.len() - LAST } else { 0..0 };
        for (place, part) in parts.iter().enumerate() {
            if hidden.contains(&place) {
                if place == hidden.start {
                    kept.push(format!("… {} more …,", hidden.len()));
                }
                continue;
            }
            let (first, rest) = (lines[part.start], &lines[part.start + 1..part.end]);
            kept.push(first.trim().to_string());
            if let Some((last, inner)) = rest.split_last() {
                kept.extend(abbreviated(inner));
                kept.push(last.trim().to_string());
            }
        }
        at = end;
    }
    kept
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn closes(line: &str) -> bool {
    line.trim_start().starts_with([')', ']', '}'])
}

/// One line of many.
fn joined(lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        let tight = text.is_empty() || text.ends_with(['(', '[']) || line.starts_with([')', ']']);
        if closes(line) && text.ends_with(',') {
            text.pop();
        }
        if !tight {
            text.push(' ');
        }
        text += line;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn long_values_are_abbreviated_and_counted() {
        assert_eq!(shown(&vec![1, 2, 3]), "[1, 2, 3]");
        let many: Vec<u32> = (0..256).collect();
        assert_eq!(shown(&many), "[0, 1, 2, 3, 4, 5, 6, 7, … 246 more …, 254, 255]");
        #[derive(Debug)]
        #[expect(dead_code, reason = "only shown")]
        struct State {
            name: &'static str,
            items: Vec<(u32, bool)>,
            by: BTreeMap<u32, Vec<u32>>,
        }
        let items = (0..100).map(|number| (number, true)).collect();
        let by = (0..13).map(|key| (key, vec![key])).collect();
        let state = State { name: "a\nb, [c]", items, by };
        assert_eq!(
            shown(&state),
            "State { name: \"a\\nb, [c]\", items: [(0, true), (1, true), (2, true), (3, true), (4, true), (5, true), (6, true), \
             (7, true), … 90 more …, (98, true), (99, true)], by: { 0: [0], 1: [1], 2: [2], 3: [3], 4: [4], 5: [5], 6: [6], \
             7: [7], … 3 more …, 11: [11], 12: [12] } }"
        );
    }
}
