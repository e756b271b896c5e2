//! `gainsay check`: checks system files and properties.

use crate::Mistake;
use crate::arguments::Check;
use gainsay_msg::diagnostic::{Diagnostics, Source};
use gainsay_msg::{AnyChannels, Rule, SystemFile, hpl, mfotl, resolve};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(arguments: &Check) -> Result<u8, Mistake> {
    let colours = std::io::stderr().is_terminal();
    let mut is_good = true;
    for path in &arguments.files {
        let (found, lines, rules) = one(path)?;
        crate::system::show(&found, colours);
        let is_bad = found.has_errors() || arguments.strict && !found.all.is_empty();
        is_good &= !is_bad;
        if is_bad {
            continue;
        }
        for (rule, line) in rules.iter().zip(lines) {
            if arguments.mfotl {
                say!("{}\n  {rule}\n  {}", rule.id, mfotl::translate(rule));
            } else {
                say!("{}  {line}", rule.id);
            }
        }
    }
    Ok(if is_good { 0 } else { crate::result::EXIT_MISTAKE })
}

type Checked = (Diagnostics, Vec<String>, Vec<Arc<Rule>>);

fn one(path: &Path) -> Result<Checked, Mistake> {
    if path.extension().is_some_and(|ending| ending == "toml") {
        return Ok(match SystemFile::read(path) {
            Ok((file, warnings)) => {
                let lines =
                    file.system.rules.iter().map(|rule| file.system.class(rule).to_string()).collect();
                (warnings, lines, file.system.rules)
            }
            Err(found) => (found, Vec::new(), Vec::new()),
        });
    }
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Mistake::new(format!("failed to read `{name}`: {error}")))?;
    let file = hpl::parse(&text);
    let (rules, troubles) = resolve(&file.properties, &AnyChannels);
    let mut found = Diagnostics::default();
    found.add(&Arc::new(Source::new(name, text)), file.troubles.into_iter().chain(troubles));
    let lines = rules.iter().map(ToString::to_string).collect();
    Ok((found, lines, rules.into_iter().map(Arc::new).collect()))
}
