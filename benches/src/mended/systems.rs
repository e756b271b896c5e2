//! Six message systems with five bugs each, and their correct twins.

use crate::table::print;
use bench_systems::Kind;
use bench_systems::exam::{self, Row, Twin};

/// How many bugs were found, with all seeds, and how many correct twins had no alarm.
pub(crate) fn compare() -> Result<(usize, usize), String> {
    let rows = exam::bugs()?;
    print(&table(&rows));
    let twins = exam::twins();
    alarms(&twins);
    let found = rows.iter().filter(|row| row.found.is_some()).count();
    let quiet = twins.iter().filter(|twin| twin.alarm.is_none()).count();
    println!("result: systems_found={found}/{} systems_true={quiet}/{}", rows.len(), twins.len());
    Ok((found, quiet))
}

fn table(rows: &[Row]) -> Vec<Vec<String>> {
    let head = ["system", "bug", "kind", "seed", "found by", "traces"].map(str::to_owned).to_vec();
    let line = |row: &Row| {
        let (by, traces) = match &row.found {
            Some((property, traces)) => (property.clone(), traces.to_string()),
            None => ("missed".to_owned(), String::new()),
        };
        let kind = format!("{:?}", Kind::of(row.bug)).to_lowercase();
        vec![row.system.to_owned(), row.bug.to_string(), kind, row.seed.to_string(), by, traces]
    };
    std::iter::once(head).chain(rows.iter().map(line)).collect()
}

/// Tells what was said of correct twins.
fn alarms(twins: &[Twin]) {
    for twin in twins {
        if let Some(alarm) = &twin.alarm {
            println!("alarm of the correct {}, seed {}: {alarm}", twin.system, twin.seed);
        }
        for undecided in &twin.undecided {
            println!("the correct {}, seed {}: {undecided}", twin.system, twin.seed);
        }
    }
}
