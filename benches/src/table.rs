//! Plain text tables.

/// Prints rows of cells in aligned columns: the first column to the left, the others to the right.
pub(crate) fn print(rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            if column == 0 {
                line += &format!("{cell:<width$}");
            } else {
                line += &format!("  {cell:>width$}");
            }
        }
        println!("{}", line.trim_end());
    }
}

/// A ratio for a `result:` line, or `n/a` where one side is missing.
pub(crate) fn ratio(over: Option<f64>, under: Option<f64>) -> String {
    match (over, under) {
        (Some(over), Some(under)) => format!("{:.2}", over / under),
        _ => "n/a".to_owned(),
    }
}
