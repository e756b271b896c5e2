//! What the workspace depends on: licences, bans, duplicates and known advisories.
//!
//! The configuration is that of cargo-deny (`deny.toml`), of which a part is checked here from `cargo metadata` and the lock files: cargo-deny itself takes
//! minutes to compile. Where it is installed, it is run as well. Advisories are those of `advisories.toml`.

mod licence;

use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};
use toml::{Table, Value};

/// The lock files that advisories are looked for in. What the benches compare with is not ours, but runs on our machines.
const LOCK_FILES: &[&str] = &["Cargo.lock", "benches/Cargo.lock"];

/// Checks everything, and tells all that is wrong.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let config = table(&root.join("deny.toml"))?;
    let known = table(&root.join("advisories.toml"))?;
    let packages = locked(root, LOCK_FILES[0])?;
    let metadata = metadata(root)?;
    let licences = licence::violations(&config, &metadata)?;
    let bans = [bans(&config, &packages)?, wildcards(&metadata)].concat();
    let duplicates = duplicates(&config, &packages)?;
    let mut advisories = Vec::new();
    for file in LOCK_FILES {
        advisories.extend(advised(&known, &locked(root, file)?, file)?);
    }
    let looked_at = known.get("looked_at").and_then(Value::as_str).unwrap_or("no day");
    match days_since(looked_at) {
        Some(days) => println!("advisories last looked at on {looked_at}, {days} days ago"),
        None => {
            return Err(format!(
                "`looked_at` in `advisories.toml` is a day such as 2026-01-31, not {looked_at}"
            ));
        }
    }
    let all =
        [("licences", &licences), ("bans", &bans), ("duplicates", &duplicates), ("advisories", &advisories)];
    for (kind, found) in all {
        found.iter().for_each(|what| println!("{kind}: {what}"));
    }
    let is_deny_there =
        Command::new("cargo-deny").arg("--version").output().is_ok_and(|said| said.status.success());
    if is_deny_there {
        crate::run(Command::new("cargo").args(["deny", "check", "licenses", "bans", "sources"]))?;
    }
    let counts: Vec<String> = all.iter().map(|(kind, found)| format!("{kind}={}", found.len())).collect();
    println!(
        "result: packages={} cargo_deny={} {}",
        packages.len(),
        u8::from(is_deny_there),
        counts.join(" ")
    );
    match all.iter().map(|(_, found)| found.len()).sum::<usize>() {
        0 => Ok(()),
        wrong => Err(format!("{wrong} dependencies are not as `deny.toml` and `advisories.toml` want them")),
    }
}

/// A package of a lock file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
}

fn table(path: &Path) -> Result<Table, String> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| format!("failed to read `{}`: {error}", path.display()))?;
    text.parse().map_err(|error| format!("failed to read `{}`: {error}", path.display()))
}

fn locked(root: &Path, file: &str) -> Result<Vec<Package>, String> {
    let lock = table(&root.join(file))?;
    let packages =
        lock.get("package").and_then(Value::as_array).ok_or_else(|| format!("`{file}` has no packages"))?;
    let text = |package: &Value, key: &str| package.get(key).and_then(Value::as_str).map(String::from);
    let package =
        |package: &Value| Some(Package { name: text(package, "name")?, version: text(package, "version")? });
    packages
        .iter()
        .map(package)
        .collect::<Option<_>>()
        .ok_or_else(|| format!("`{file}` has a package without a name"))
}

fn metadata(root: &Path) -> Result<Json, String> {
    let mut command = Command::new("cargo");
    command.args(["metadata", "--format-version", "1", "--all-features", "--locked"]).current_dir(root);
    let said = command.output().map_err(|error| format!("failed to run `cargo metadata`: {error}"))?;
    if !said.status.success() {
        return Err(format!("`cargo metadata` failed: {}", String::from_utf8_lossy(&said.stderr)));
    }
    serde_json::from_slice(&said.stdout).map_err(|error| format!("failed to read `cargo metadata`: {error}"))
}

/// The entries of a list in `[bans]`, by the name of their crate, with their reasons.
fn entries(config: &Table, list: &str) -> Result<Vec<(String, String)>, String> {
    let all = config.get("bans").and_then(|bans| bans.get(list)).and_then(Value::as_array);
    let all = all.ok_or_else(|| format!("`deny.toml` has no list `{list}` in `[bans]`"))?;
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(String::from);
    let entry = |entry: &Value| Some((text(entry, "crate")?, text(entry, "reason")?));
    all.iter()
        .map(entry)
        .collect::<Option<_>>()
        .ok_or_else(|| format!("an entry of `{list}` in `deny.toml` has no `crate` or no `reason`"))
}

fn bans(config: &Table, packages: &[Package]) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for (name, reason) in entries(config, "deny")? {
        found.extend(
            packages
                .iter()
                .filter(|package| package.name == name)
                .map(|package| format!("{name} {} must not be used: {reason}", package.version)),
        );
    }
    Ok(found)
}

/// Dependencies of ours on any version at all, unless they are a path in this workspace.
fn wildcards(metadata: &Json) -> Vec<String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let ours = packages.filter(|package| package["source"].is_null());
    ours.flat_map(|package| {
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let any = dependencies.filter(|dependency| dependency["req"] == "*" && dependency["path"].is_null());
        any.map(|dependency| format!("{} takes any version of {}", package["name"], dependency["name"]))
    })
    .collect()
}

/// Packages that are there in several versions, except for those that are listed; and what is listed in vain.
fn duplicates(config: &Table, packages: &[Package]) -> Result<Vec<String>, String> {
    let skipped: BTreeSet<String> = entries(config, "skip")?.into_iter().map(|(of, _)| of).collect();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    let mut found: Vec<String> = Vec::new();
    for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
        let left: Vec<&&str> =
            versions.iter().filter(|version| !skipped.contains(&format!("{name}@{version}"))).collect();
        if left.len() > 1 {
            found.push(format!(
                "{name} is there in {} versions ({}): go on to one, or list the others in `skip` of `deny.toml`",
                versions.len(),
                versions.join(", ")
            ));
        }
    }
    let is_duplicate = |of: &str| {
        of.split_once('@').is_some_and(|(name, version)| {
            versions.get(name).is_some_and(|all| all.len() > 1 && all.contains(&version))
        })
    };
    found.extend(
        skipped
            .iter()
            .filter(|of| !is_duplicate(of))
            .map(|of| format!("{of} in `skip` of `deny.toml` is no duplicate any more: remove it")),
    );
    Ok(found)
}

/// Packages of a lock file with known advisories, except for those that are accepted there; and what is accepted in vain.
fn advised(known: &Table, packages: &[Package], file: &str) -> Result<Vec<String>, String> {
    let list = |name: &str| known.get(name).and_then(Value::as_array).into_iter().flatten();
    let text = |entry: &Value, key: &str| match entry.get(key).and_then(Value::as_str) {
        Some(text) => Ok(text.to_string()),
        None => Err(format!("an entry of `advisories.toml` has no `{key}`")),
    };
    let mut accepted = BTreeSet::new();
    for entry in list("accepted") {
        text(entry, "reason")?;
        if text(entry, "file")? == file {
            accepted.insert(text(entry, "package")?);
        }
    }
    let mut found = Vec::new();
    let mut needed = BTreeSet::new();
    for advisory in list("advisory") {
        let name = text(advisory, "package")?;
        let ids = advisory.get("ids").and_then(Value::as_array).ok_or("an advisory has no `ids`")?;
        let ids: Vec<&str> = ids.iter().filter_map(Value::as_str).collect();
        let fixed = advisory.get("fixed").and_then(Value::as_str);
        let is_bad = |package: &&Package| {
            package.name == name && fixed.is_none_or(|fixed| numbers(&package.version) < numbers(fixed))
        };
        for package in packages.iter().filter(is_bad) {
            if accepted.contains(&name) {
                needed.insert(name.clone());
                continue;
            }
            let way_out = fixed.map_or("use another package".into(), |fixed| format!("update it to {fixed}"));
            found.push(format!("{name} {} in `{file}` has {}: {way_out}", package.version, ids.join(", ")));
        }
    }
    let in_vain = accepted.difference(&needed);
    found.extend(
        in_vain.map(|name| format!("{name} is accepted in `{file}`, and has no advisory there: remove it")),
    );
    Ok(found)
}

/// The numbers of a version. What comes after them (a preview, a build) is left out.
fn numbers(version: &str) -> Vec<u64> {
    let version = version.split(['-', '+']).next().unwrap_or_default();
    version.split('.').map(|number| number.parse().unwrap_or(0)).collect()
}

/// How many days ago a day such as 2026-01-31 was.
fn days_since(day: &str) -> Option<i64> {
    let [year, month, day] =
        <[i64; 3]>::try_from(day.split('-').map(|number| number.parse().ok()).collect::<Option<Vec<i64>>>()?)
            .ok()?;
    // The number of days since 1970 in the Gregorian calendar, with years that begin in March (Hinnant, "chrono-compatible low-level date algorithms").
    let shifted = if month > 2 { year } else { year - 1 };
    let (era, month) = (shifted.div_euclid(400), (month + 9) % 12);
    let of_era = shifted - era * 400;
    let days =
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + day - 1 - 719_468;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs() / 86_400;
    Some(i64::try_from(now).ok()? - days)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages(all: &[(&str, &str)]) -> Vec<Package> {
        let package =
            |(name, version): &(&str, &str)| Package { name: (*name).into(), version: (*version).into() };
        all.iter().map(package).collect()
    }

    fn config(bans: &str) -> Table {
        format!("[bans]\n{bans}").parse().expect("good TOML")
    }

    #[test]
    fn what_is_banned_twice_there_or_listed_in_vain_is_told() {
        let locked =
            packages(&[("a", "1.0.0"), ("a", "2.0.0"), ("b", "1.0.0"), ("b", "2.0.0"), ("paste", "1.0.15")]);
        let config = config(
            "deny = [{ crate = \"paste\", reason = \"unmaintained\" }]\n\
             skip = [{ crate = \"a@1.0.0\", reason = \"x\" }, { crate = \"c@1.0.0\", reason = \"x\" }]",
        );
        assert_eq!(bans(&config, &locked).unwrap(), ["paste 1.0.15 must not be used: unmaintained"]);
        let found = duplicates(&config, &locked).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("b is there in 2 versions (1.0.0, 2.0.0)"), "{found:?}");
        assert!(found[1].starts_with("c@1.0.0 in `skip` of `deny.toml` is no duplicate"), "{found:?}");
    }

    #[test]
    fn versions_before_the_fixed_one_are_told() {
        let known = "[[advisory]]\npackage = \"w\"\nfixed = \"0.103.13\"\nids = [\"R-1\", \"R-2\"]\n\
                     [[advisory]]\npackage = \"p\"\nids = [\"R-3\"]\n";
        let known: Table = known.parse().expect("good TOML");
        let locked = packages(&[
            ("w", "0.102.8"),
            ("w", "0.103.13"),
            ("w", "0.103.9"),
            ("p", "9.0.0"),
            ("q", "1.0.0"),
        ]);
        let found = advised(&known, &locked, "Cargo.lock").unwrap();
        assert_eq!(
            found,
            [
                "w 0.102.8 in `Cargo.lock` has R-1, R-2: update it to 0.103.13",
                "w 0.103.9 in `Cargo.lock` has R-1, R-2: update it to 0.103.13",
                "p 9.0.0 in `Cargo.lock` has R-3: use another package",
            ]
        );
        // What is accepted in one lock file is not in another.
        let accepted = "[[accepted]]\npackage = \"p\"\nfile = \"benches/Cargo.lock\"\nreason = \"a peer\"\n";
        let known = format!("{known}{accepted}").parse().expect("good TOML");
        let locked = packages(&[("p", "9.0.0")]);
        assert_eq!(advised(&known, &locked, "benches/Cargo.lock").unwrap(), [""; 0]);
        assert_eq!(advised(&known, &locked, "Cargo.lock").unwrap().len(), 1);
        let in_vain = "p is accepted in `benches/Cargo.lock`, and has no advisory there: remove it";
        assert_eq!(advised(&known, &[], "benches/Cargo.lock").unwrap(), [in_vain]);
    }

    #[test]
    fn days_are_counted_over_leap_years() {
        let between = |one: &str, other: &str| days_since(one).unwrap() - days_since(other).unwrap();
        assert_eq!(between("2024-02-28", "2024-03-01"), 2);
        assert_eq!(between("2023-02-28", "2023-03-01"), 1);
        assert_eq!(between("1970-01-01", "2026-11-18"), 20_775);
        assert_eq!(days_since("yesterday"), None);
    }
}
