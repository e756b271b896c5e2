//! `gainsay fmt`: writes properties in the usual form.

use crate::Mistake;
use crate::arguments::Fmt;
use gainsay_core::{read_text, read_text_of, write_text};
use gainsay_msg::diagnostic::{Diagnostics, Source};
use gainsay_msg::hpl;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(arguments: &Fmt) -> Result<u8, Mistake> {
    if arguments.files.is_empty() || arguments.files == [Path::new("-")] {
        let read = read_text_of(std::io::stdin());
        let text = read.map_err(|error| Mistake::new(format!("failed to read standard input: {error}")))?;
        let formatted = formatted("standard input", &text)?;
        if arguments.check {
            return Ok(u8::from(formatted != text));
        }
        say_as_it_is!("{formatted}");
        return Ok(0);
    }
    let mut differs = false;
    for path in &arguments.files {
        let name = path.display().to_string();
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(Mistake::new(format!(
                "`{name}` is no file that can be written anew: `gainsay fmt -` reads standard input"
            )));
        }
        let text =
            read_text(path).map_err(|error| Mistake::new(format!("failed to read `{name}`: {error}")))?;
        let formatted = formatted(&name, &text)?;
        if formatted == text {
            continue;
        }
        differs = true;
        if arguments.check {
            say!("{name} would be changed");
        } else {
            write_text(path, &formatted)
                .map_err(|error| Mistake::new(format!("failed to write `{name}`: {error}")))?;
            say!("{name}");
        }
    }
    Ok(u8::from(differs && arguments.check))
}

fn formatted(name: &str, text: &str) -> Result<String, Mistake> {
    let file = hpl::parse(text);
    if file.troubles.is_empty() {
        return Ok(hpl::format(&file));
    }
    let mut found = Diagnostics::default();
    found.add(&Arc::new(Source::new(name, text)), file.troubles);
    Err(crate::system::wrong(&found))
}
