//! Licences: expressions of SPDX, judged by a list of those that are allowed.

use serde_json::Value as Json;
use std::collections::BTreeSet;
use toml::{Table, Value};

/// Packages of others whose licences are not allowed.
pub(super) fn violations(config: &Table, metadata: &Json) -> Result<Vec<String>, String> {
    let allowed = config.get("licenses").and_then(|licences| licences.get("allow")).and_then(Value::as_array);
    let allowed = allowed.ok_or("`deny.toml` has no list `allow` in `[licenses]`")?;
    let allowed: BTreeSet<&str> = allowed.iter().filter_map(Value::as_str).collect();
    let packages = metadata["packages"].as_array().ok_or("`cargo metadata` names no packages")?;
    let mut found = Vec::new();
    for package in packages.iter().filter(|package| !package["source"].is_null()) {
        let (name, version) = (&package["name"], &package["version"]);
        match package["license"].as_str() {
            None => found.push(format!("{name} {version} does not say its licence")),
            Some(licence) if !is_allowed(licence, &allowed) => {
                found.push(format!(
                    "{name} {version} has the licence `{licence}`, which `deny.toml` does not allow"
                ));
            }
            Some(_) => {}
        }
    }
    Ok(found)
}

/// Whether an expression can be satisfied by licences that are allowed. What is no expression is not.
fn is_allowed(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    // (A slash is how `OR` was written in earlier days.)
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut left = &words[..];
    either(&mut left, allowed) == Some(true) && left.is_empty()
}

fn either(left: &mut &[&str], allowed: &BTreeSet<&str>) -> Option<bool> {
    let mut is_good = both(left, allowed)?;
    while let Some(("OR", rest)) = left.split_first().map(|(word, rest)| (*word, rest)) {
        *left = rest;
        is_good |= both(left, allowed)?;
    }
    Some(is_good)
}

fn both(left: &mut &[&str], allowed: &BTreeSet<&str>) -> Option<bool> {
    let mut is_good = one(left, allowed)?;
    while let Some(("AND", rest)) = left.split_first().map(|(word, rest)| (*word, rest)) {
        *left = rest;
        is_good &= one(left, allowed)?;
    }
    Some(is_good)
}

fn one(left: &mut &[&str], allowed: &BTreeSet<&str>) -> Option<bool> {
    let (word, rest) = left.split_first()?;
    *left = rest;
    if *word == "(" {
        let is_good = either(left, allowed)?;
        let (end, rest) = left.split_first()?;
        *left = rest;
        return (*end == ")").then_some(is_good);
    }
    match left.split_first() {
        Some((&"WITH", rest)) => {
            let (exception, rest) = rest.split_first()?;
            *left = rest;
            Some(allowed.contains(format!("{word} WITH {exception}").as_str()))
        }
        _ => Some(allowed.contains(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_judged() {
        let allowed = BTreeSet::from(["MIT", "ISC", "Unicode-3.0"]);
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/Apache-2.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR MIT",
        ] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "MIT WITH x", "(MIT", "MIT)", "", "MIT ISC", "GPL-3.0 OR"] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }
}
