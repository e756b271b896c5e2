//! `gainsay schema`: shows the schemas by which traces are drawn.

use crate::Mistake;
use crate::arguments::Schema;
use crate::system::{chosen, read};
use gainsay_msg::Class;

pub(crate) fn run(arguments: &Schema) -> Result<u8, Mistake> {
    let file = read(&arguments.file)?;
    for rule in chosen(&file.system.rules, &arguments.properties)? {
        let class = file.system.class(rule);
        if class != Class::Testable {
            if !arguments.properties.is_empty() {
                say!("{}  {class}", rule.id);
            }
            continue;
        }
        let schemas = file.system.schemas_of(rule);
        say!("{}  {rule}", rule.id);
        block("base", &schemas.base.to_string());
        block("refined by axioms", &schemas.refined.to_string());
        for schema in &schemas.specialised {
            block(&schema.name, &schema.to_string());
        }
        for (name, line, axioms, why) in &schemas.clashes {
            let axioms = if axioms.is_empty() { String::new() } else { format!(" ({})", axioms.join(", ")) };
            say!("  ✗ `{name}` cannot be followed: {line}: {why}{axioms}");
        }
        say!("");
    }
    Ok(0)
}

fn block(name: &str, text: &str) {
    say!("  {name}");
    if text.is_empty() {
        say!("      (anything)");
    }
    for line in text.lines() {
        say!("      {line}");
    }
}
