//! Names that are nearly right.

/// Longer names are near to none.
const LENGTH_MAX: usize = 100;

/// The one of some names that is so near to another that it may be meant.
pub(crate) fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = wrong.chars().count();
    let most = 1 + length / 4;
    // (Nobody types so long a name, and comparing two takes the product of their lengths.)
    let is_near = |name: &&str| length <= LENGTH_MAX && name.chars().count().abs_diff(length) <= most;
    let names = names.into_iter().filter(is_near);
    let near = names.map(|name| (distance(wrong, name), name)).filter(|(far, _)| *far <= most);
    near.min_by_key(|(far, _)| *far).map(|(_, name)| name)
}

/// How many characters must be changed, added or removed.
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (i, a) in one.to_lowercase().chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, b) in two.iter().enumerate() {
            let changed = before + usize::from(a != *b);
            before = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(before + 1);
        }
    }
    row[two.len()]
}
