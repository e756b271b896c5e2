//! Dependencies between the crates point one way.

use std::fs;
use std::path::Path;

/// Each crate with those of ours that it may depend on.
const ORDER: &[(&str, &[&str])] = &[
    ("gainsay-core", &[]),
    ("gainsay-macros", &[]),
    ("gainsay-subject", &["gainsay-core"]),
    ("gainsay-model", &["gainsay-core", "gainsay-subject"]),
    ("gainsay-temporal", &["gainsay-core"]),
    ("gainsay-msg", &["gainsay-core", "gainsay-subject", "gainsay-temporal"]),
    ("gainsay-mqtt", &["gainsay-core", "gainsay-msg", "gainsay-subject"]),
    (
        "gainsay-cli",
        &[
            "gainsay-core",
            "gainsay-model",
            "gainsay-mqtt",
            "gainsay-msg",
            "gainsay-subject",
            "gainsay-temporal",
        ],
    ),
    (
        "gainsay",
        &[
            "gainsay-core",
            "gainsay-macros",
            "gainsay-model",
            "gainsay-msg",
            "gainsay-subject",
            "gainsay-temporal",
        ],
    ),
];

/// Checks the manifests of all crates.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let mut folders = Vec::new();
    for place in ["crates", "adapters"].map(|place| root.join(place)) {
        let listed =
            fs::read_dir(&place).map_err(|error| format!("failed to list `{}`: {error}", place.display()))?;
        folders.extend(listed.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()));
    }
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let manifest = folder.join("Cargo.toml");
        let text = fs::read_to_string(&manifest)
            .map_err(|error| format!("failed to read `{}`: {error}", manifest.display()))?;
        let Some((_, allowed)) = ORDER.iter().find(|(known, _)| *known == name) else {
            return Err(format!(
                "`{name}` has no place in the order of crates: give it one in xtask/src/order.rs"
            ));
        };
        for dependency in dependencies(&text).filter(|dependency| dependency.starts_with("gainsay")) {
            if !allowed.contains(&dependency) {
                return Err(format!("`{name}` must not depend on `{dependency}`"));
            }
        }
    }
    Ok(())
}

/// The names in the section of dependencies; those of tests may point anywhere.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    manifest
        .lines()
        .skip_while(|line| line.trim() != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['=', '.', ' ']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
}
