//! The exam alone, without the peers of the benches.

use bench_systems::{Kind, exam};
use std::process::ExitCode;

fn main() -> ExitCode {
    // (Twins take half an hour: `exam bugs` leaves them out.)
    let twins = if std::env::args().nth(1).as_deref() == Some("bugs") { Vec::new } else { exam::twins };
    match exam::bugs() {
        Ok(rows) => print(&rows, &twins()),
        Err(trouble) => {
            eprintln!("{trouble}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn print(rows: &[exam::Row], twins: &[exam::Twin]) {
    for row in rows {
        let found = match &row.found {
            Some((property, traces)) => format!("{property} after {traces}"),
            None => "missed".to_owned(),
        };
        println!(
            "{:<12} bug {} {:<8} seed {}  {found}",
            row.system,
            row.bug,
            format!("{:?}", Kind::of(row.bug)),
            row.seed
        );
    }
    for twin in twins {
        for said in
            twin.alarm.iter().map(|alarm| format!("alarm: {alarm}")).chain(twin.undecided.iter().cloned())
        {
            println!("{:<12} twin seed {}  {said}", twin.system, twin.seed);
        }
    }
    let found = rows.iter().filter(|row| row.found.is_some()).count();
    let quiet = twins.iter().filter(|twin| twin.alarm.is_none()).count();
    println!("result: systems_found={found}/{} systems_true={quiet}/{}", rows.len(), twins.len());
}
