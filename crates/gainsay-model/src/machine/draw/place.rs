//! Where cells stand: in the order of their columns, and so that lines are short and straight.

use super::layout::{Kind, Layout};

/// So often all columns are moved. Each time lines get shorter; later it is not seen.
const SWEEPS: usize = 40;
/// Around the picture.
const MARGIN: f64 = 16.0;
/// For the arrow that marks the start.
const START: f64 = 30.0;

pub(super) fn place(layout: &mut Layout) {
    let mut neighbours: Vec<Vec<(usize, f64)>> = vec![Vec::new(); layout.cells.len()];
    for link in &layout.links {
        let weight = weight(&layout.cells[link.left].kind, &layout.cells[link.right].kind);
        neighbours[link.left].push((link.right, weight));
        neighbours[link.right].push((link.left, weight));
    }
    for sweep in 0..SWEEPS {
        let count = layout.columns.len();
        for step in 0..count {
            let column = if sweep % 2 == 0 { step } else { count - 1 - step };
            settle(layout, column, &neighbours);
        }
    }
    let top = layout.cells.iter().map(|cell| cell.top).fold(f64::INFINITY, f64::min);
    layout.cells.iter_mut().for_each(|cell| cell.top += MARGIN - top);
    let bottom = layout.cells.iter().map(|cell| cell.top + cell.height).fold(0.0, f64::max);
    layout.height = bottom + MARGIN;
    spread(layout);
}

/// How much a line wants to be straight: long ones most of all.
fn weight(left: &Kind, right: &Kind) -> f64 {
    match (left, right) {
        (Kind::Trunk, Kind::Trunk) => 8.0,
        (Kind::State(_), _) | (_, Kind::State(_)) => 1.0,
        _ => 2.0,
    }
}

/// A run of cells that touch each other.
struct Run {
    weight: f64,
    /// Where they would like to be, by their weights.
    sum: f64,
    cells: usize,
}

impl Run {
    fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// Puts the cells of a column as near as possible to their neighbours, by least squares: whoever would overlap moves together.
fn settle(layout: &mut Layout, column: usize, neighbours: &[Vec<(usize, f64)>]) {
    let mut runs: Vec<Run> = Vec::new();
    let mut used = 0.0;
    for cell in &layout.columns[column] {
        let (mut weight, mut sum) = (0.01, 0.01 * layout.cells[*cell].at());
        for (other, by) in &neighbours[*cell] {
            weight += by;
            sum += by * layout.cells[*other].at();
        }
        // (As if all cells had no height: what is above is taken off, and given back later.)
        let above = used + layout.cells[*cell].hook;
        let mut run = Run { weight, sum: sum - weight * above, cells: 1 };
        while let Some(last) = runs.pop_if(|last| last.mean() > run.mean()) {
            run.weight += last.weight;
            run.sum += last.sum;
            run.cells += last.cells;
        }
        runs.push(run);
        used += layout.cells[*cell].height;
    }
    let mut cells = layout.columns[column].iter();
    let mut used = 0.0;
    for run in &runs {
        for cell in cells.by_ref().take(run.cells) {
            layout.cells[*cell].top = run.mean() + used;
            used += layout.cells[*cell].height;
        }
    }
}

/// Puts columns side by side, further apart where lines between them are steep.
fn spread(layout: &mut Layout) {
    let mut steepest: Vec<f64> = vec![0.0; layout.columns.len()];
    for link in &layout.links {
        let (left, right) = (&layout.cells[link.left], &layout.cells[link.right]);
        let steepness = &mut steepest[left.column];
        *steepness = steepness.max((left.at() - right.at()).abs());
    }
    let mut x = MARGIN + START;
    for (column, steepness) in layout.columns.iter().zip(steepest) {
        let width = column.iter().map(|cell| layout.cells[*cell].width).fold(0.0, f64::max);
        layout.sides.push((x, x + width));
        layout.width = x + width + MARGIN;
        x += width + (26.0 + steepness * 0.14).min(180.0);
    }
}
