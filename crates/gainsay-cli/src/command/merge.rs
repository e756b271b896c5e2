//! `gainsay merge`: puts results of several shards together.

use crate::Mistake;
use crate::arguments::Merge;
use crate::result::{Printer, PropertyResult};

pub(crate) fn run(arguments: &Merge) -> Result<u8, Mistake> {
    let mut results: Vec<PropertyResult> = Vec::new();
    for path in &arguments.files {
        let name = path.display().to_string();
        let text = gainsay_core::read_text(path)
            .map_err(|error| Mistake::new(format!("failed to read `{name}`: {error}")))?;
        if text.trim().is_empty() {
            return Err(Mistake::new(format!("there are no results in `{name}`: was its run interrupted?")));
        }
        for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |why: String| Mistake::new(format!("{name}, line {}: {why}", place + 1));
            let json = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            let result = PropertyResult::from_json(&json)
                .ok_or_else(|| wrong("this is no result: `gainsay test --format json` prints them".into()))?;
            // The worse of two results of one property counts.
            match results.iter_mut().find(|known| known.property == result.property) {
                Some(known) => {
                    let worse = crate::result::exit_code([known.word.as_str(), result.word.as_str()]);
                    if crate::result::code_of(&known.word) != worse {
                        *known = result;
                    }
                }
                None => results.push(result),
            }
        }
    }
    let widest = results.iter().map(|result| result.property.chars().count()).max().unwrap_or(0);
    let mut printer = Printer::new(arguments.format, "merged", widest);
    results.into_iter().for_each(|result| printer.add(result));
    Ok(printer.finish())
}
