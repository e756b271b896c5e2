//! `gainsay check`: checks system files and properties.

use crate::Mistake;
use crate::arguments::Check;
use gainsay_msg::diagnostic::Diagnostics;
use gainsay_msg::{Rule, SystemFile, mfotl};
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(arguments: &Check) -> Result<u8, Mistake> {
    let mut is_good = true;
    for path in &arguments.files {
        let (found, lines, rules) = one(path)?;
        crate::system::show(&found);
        let is_bad = found.has_errors() || arguments.strict && !found.all.is_empty();
        is_good &= !is_bad;
        if is_bad {
            continue;
        }
        if rules.is_empty() {
            say!("there are no properties in `{}`", path.display());
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
            Ok((file, mut warnings)) => {
                warnings.add(&file.source, crate::system::wrong_options(&file));
                let lines =
                    file.system.rules.iter().map(|rule| file.system.class(rule).to_string()).collect();
                (warnings, lines, file.system.rules)
            }
            Err(found) => (found, Vec::new(), Vec::new()),
        });
    }
    let (rules, found) = crate::system::properties(path)?;
    Ok((found, rules.iter().map(ToString::to_string).collect(), rules))
}
