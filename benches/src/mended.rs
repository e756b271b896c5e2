//! Exams of what was once weak: each part plants bugs, and has correct twins that must pass.

mod certain;
mod systems;

use crate::generate::distribution;

/// Runs a part.
pub(crate) fn compare(part: &str) -> Result<(), String> {
    match part {
        "certain" => {
            let (certain, satisfiable) = certain::compare();
            println!("result: certain_differences={certain} satisfiability_differences={satisfiable}");
        }
        "vacuous" => println!("result: {}", vacuous()?),
        "systems" => {
            systems::compare()?;
        }
        _ => {
            return Err(format!("there is no part `{part}`; there are: certain, vacuous, systems"));
        }
    }
    Ok(())
}

/// Runs all parts.
pub(crate) fn compare_all() -> Result<(), String> {
    let vacuous = vacuous()?;
    let (certain, satisfiable) = certain::compare();
    let (found, quiet) = systems::compare()?;
    let figures = distribution::figures();
    println!(
        "result: certain_differences={certain} satisfiability_differences={satisfiable} {vacuous} systems_found={found}/90 \
         twins={quiet}/120 equal_args_pct={:.1} equal_strings_pct={:.1}",
        figures.equal_args_pct, figures.equal_strings_pct
    );
    Ok(())
}

/// How many properties of a system that never speaks are told to be vacuous or wrong.
fn vacuous() -> Result<String, String> {
    let (told, all) = bench_systems::exam::mute()?;
    Ok(format!("vacuous_told={told}/{all}"))
}
