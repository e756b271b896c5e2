//! The order of cells in their columns: one in which lines cross seldom.

use super::layout::{Layout, Link};

/// So often all columns are put in order, in turns from the left and from the right. More often seldom helps.
const SWEEPS: usize = 24;

pub(super) fn arrange(layout: &mut Layout) {
    let mut to_left = vec![Vec::new(); layout.cells.len()];
    let mut to_right = vec![Vec::new(); layout.cells.len()];
    let mut gaps: Vec<Vec<Link>> = vec![Vec::new(); layout.columns.len()];
    for link in &layout.links {
        to_left[link.right].push(link.left);
        to_right[link.left].push(link.right);
        gaps[layout.cells[link.left].column].push(*link);
    }
    let mut places = vec![0.0; layout.cells.len()];
    for column in &layout.columns {
        number(column, &mut places);
    }
    let mut best = layout.columns.clone();
    let mut least = crossings(&layout.columns, &gaps);
    for sweep in 0..SWEEPS {
        let neighbours = if sweep % 2 == 0 { &to_left } else { &to_right };
        let count = layout.columns.len();
        for step in 0..count {
            let column = if sweep % 2 == 0 { step } else { count - 1 - step };
            sort(&mut layout.columns[column], neighbours, &mut places);
        }
        let now = crossings(&layout.columns, &gaps);
        if now < least {
            least = now;
            best.clone_from(&layout.columns);
        }
    }
    layout.columns = best;
}

/// Says where each cell is in its column, as a part of the whole: so columns of different lengths can be compared.
fn number(column: &[usize], places: &mut [f64]) {
    for (place, cell) in column.iter().enumerate() {
        places[*cell] = (place as f64 + 0.5) / column.len() as f64;
    }
}

/// Puts each cell to the mean of its neighbours on one side.
fn sort(column: &mut [usize], neighbours: &[Vec<usize>], places: &mut [f64]) {
    let wish = |cell: usize| match neighbours[cell].as_slice() {
        [] => places[cell],
        all => all.iter().map(|other| places[*other]).sum::<f64>() / all.len() as f64,
    };
    let mut wishes: Vec<(f64, usize)> = column.iter().map(|cell| (wish(*cell), *cell)).collect();
    wishes.sort_by(|one, other| one.0.total_cmp(&other.0));
    for (cell, (_, wished)) in column.iter_mut().zip(wishes) {
        *cell = wished;
    }
    number(column, places);
}

/// How often lines cross.
fn crossings(columns: &[Vec<usize>], gaps: &[Vec<Link>]) -> usize {
    let cells = columns.iter().map(Vec::len).sum();
    let mut places = vec![0; cells];
    for column in columns {
        column.iter().enumerate().for_each(|(place, cell)| places[*cell] = place);
    }
    let of_gap = |(column, links): (usize, &Vec<Link>)| {
        let mut ends: Vec<(usize, usize)> =
            links.iter().map(|link| (places[link.left], places[link.right])).collect();
        ends.sort_unstable();
        inversions(&ends, columns.get(column + 1).map_or(0, Vec::len))
    };
    gaps.iter().enumerate().map(of_gap).sum()
}

/// How many pairs of lines, ordered by their left ends, are not ordered by their right ends. The sums of a binary tree count those that
/// end further down.
fn inversions(ends: &[(usize, usize)], places: usize) -> usize {
    let mut tree = vec![0; places + 1];
    let mut crossings = 0;
    for (count, (_, right)) in ends.iter().enumerate() {
        let mut above = 0;
        let mut at = right + 1;
        while at > 0 {
            above += tree[at];
            at &= at - 1;
        }
        crossings += count - above;
        let mut at = right + 1;
        while at <= places {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    crossings
}
