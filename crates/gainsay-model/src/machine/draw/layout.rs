//! What stands where in a picture.

use super::{Arrow, Layers, order, place, text};
use rustc_hash::FxHashMap;

/// Letters of states and of labels are so wide.
const NAME_LETTER: f64 = 7.3;
const LABEL_LETTER: f64 = 6.7;
/// From one line of a label to the next.
pub(super) const LINE: f64 = 13.0;
/// How high the loop above a state is.
pub(super) const LOOP: f64 = 20.0;
/// How long the head of an arrow is.
pub(super) const HEAD: f64 = 8.0;
/// Around everything that must not touch anything else.
pub(super) const AROUND: f64 = 7.0;
/// So many lines of a label are shown, the one that tells how many others there are included.
const LINES_MAX: usize = 4;

/// Something that takes a place in a column.
pub(super) enum Kind {
    State(usize),
    /// The label of an arrow.
    Label(usize),
    /// Where arrows that come from afar to the same state pass by.
    Trunk,
}

pub(super) struct Cell {
    pub(super) kind: Kind,
    pub(super) column: usize,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Lines come and go so far below its top.
    pub(super) hook: f64,
    pub(super) top: f64,
}

impl Cell {
    /// Where lines come and go.
    pub(super) fn at(&self) -> f64 {
        self.top + self.hook
    }
}

/// The box of a state.
#[derive(Clone, Copy, Default)]
pub(super) struct Frame {
    pub(super) cell: usize,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) is_reached: bool,
}

/// A line between cells in columns that are next to each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Link {
    pub(super) left: usize,
    pub(super) right: usize,
}

pub(super) struct Layout {
    pub(super) cells: Vec<Cell>,
    /// Cells from top to bottom.
    pub(super) columns: Vec<Vec<usize>>,
    pub(super) links: Vec<Link>,
    /// The cells that each arrow goes through. A loop has none.
    pub(super) routes: Vec<Vec<usize>>,
    /// By state; nothing where it is not drawn.
    pub(super) frames: Vec<Option<Frame>>,
    /// Where columns begin and end.
    pub(super) sides: Vec<(f64, f64)>,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Layout {
    pub(super) fn of(names: &[String], layers: &Layers, arrows: &[Arrow]) -> Layout {
        let mut layout = Layout {
            cells: Vec::new(),
            columns: Vec::new(),
            links: Vec::new(),
            routes: Vec::new(),
            frames: Vec::new(),
            sides: Vec::new(),
            width: 0.0,
            height: 0.0,
        };
        layout.frames = (0..names.len()).map(|state| layout.state(state, layers)).collect();
        let mut trunks = FxHashMap::default();
        layout.routes =
            (0..arrows.len()).map(|number| layout.route(number, &arrows[number], &mut trunks)).collect();
        layout.link();
        layout.size(names, arrows);
        order::arrange(&mut layout);
        place::place(&mut layout);
        layout
    }

    fn add(&mut self, kind: Kind, column: usize) -> usize {
        let number = self.cells.len();
        self.columns.resize_with(self.columns.len().max(column + 1), Vec::new);
        self.columns[column].push(number);
        self.cells.push(Cell { kind, column, width: 0.0, height: 0.0, hook: 0.0, top: 0.0 });
        number
    }

    /// Layers of states are every second column: labels stand between them.
    fn state(&mut self, state: usize, layers: &Layers) -> Option<Frame> {
        let cell = self.add(Kind::State(state), 2 * layers.of[state]?);
        Some(Frame { cell, width: 0.0, height: 0.0, is_reached: layers.reached[state] })
    }

    /// The label stands next to where an arrow comes from. From there it goes with all others to the same state.
    fn route(
        &mut self,
        number: usize,
        arrow: &Arrow,
        trunks: &mut FxHashMap<(usize, usize), usize>,
    ) -> Vec<usize> {
        let (Some(from), Some(to)) = (self.frames[arrow.from], self.frames[arrow.to]) else { return vec![] };
        if arrow.from == arrow.to {
            return vec![];
        }
        let (start, end) = (self.cells[from.cell].column, self.cells[to.cell].column);
        let goes_left = end < start;
        let mut column = if goes_left { start - 1 } else { start + 1 };
        let mut route = vec![from.cell, self.add(Kind::Label(number), column)];
        while column.abs_diff(end) > 1 {
            column = if goes_left { column - 1 } else { column + 1 };
            let trunk = match trunks.get(&(arrow.to, column)) {
                Some(trunk) => *trunk,
                None => self.add(Kind::Trunk, column),
            };
            trunks.insert((arrow.to, column), trunk);
            route.push(trunk);
        }
        route.push(to.cell);
        route
    }

    /// The links that routes are made of, each one once.
    fn link(&mut self) {
        let mut known = rustc_hash::FxHashSet::default();
        for hop in self.routes.iter().flat_map(|route| route.windows(2)) {
            let is_right = self.cells[hop[0]].column < self.cells[hop[1]].column;
            let (left, right) = if is_right { (hop[0], hop[1]) } else { (hop[1], hop[0]) };
            if known.insert(Link { left, right }) {
                self.links.push(Link { left, right });
            }
        }
    }

    /// Gives everything its size.
    fn size(&mut self, names: &[String], arrows: &[Arrow]) {
        let mut ports = vec![(0, 0); self.cells.len()];
        for link in &self.links {
            ports[link.left].1 += 1;
            ports[link.right].0 += 1;
        }
        for cell in &mut self.cells {
            (cell.width, cell.height, cell.hook) = match cell.kind {
                Kind::Trunk => (0.0, AROUND, AROUND / 2.0),
                Kind::Label(number) => label_size(&arrows[number]),
                Kind::State(_) => (0.0, 0.0, 0.0),
            };
        }
        for route in &self.routes {
            // (The label of an arrow that turns back stands behind the turn, and not above the line.)
            if turns(route, &self.cells) {
                self.cells[route[1]].hook = self.cells[route[1]].height / 2.0;
            }
        }
        for (frame, name) in self.frames.iter_mut().zip(names) {
            let Some(frame) = frame else { continue };
            let (left, right) = ports[frame.cell];
            let letters = text::columns(&text::shortened_name(name)) as f64;
            frame.width = (letters * NAME_LETTER + 20.0).max(44.0);
            frame.height = (7.0 * f64::from(left.max(right) + 1)).clamp(30.0, 140.0);
            let cell = &mut self.cells[frame.cell];
            cell.width = frame.width + 2.0 * HEAD;
            cell.height = frame.height + 2.0 * AROUND;
            cell.hook = AROUND + frame.height / 2.0;
        }
        for arrow in arrows.iter().filter(|arrow| arrow.from == arrow.to) {
            let Some(frame) = self.frames[arrow.from] else { continue };
            let cell = &mut self.cells[frame.cell];
            let above = LOOP + shown_lines(arrow).len() as f64 * LINE;
            cell.width = cell.width.max(label_width(arrow));
            cell.height += above;
            cell.hook += above;
        }
    }
}

/// Whether an arrow goes to another state of the same layer.
pub(super) fn turns(route: &[usize], cells: &[Cell]) -> bool {
    route.len() == 3 && cells[route[0]].column == cells[route[2]].column
}

/// The line runs below the label, and leaves some room for letters that reach down.
fn label_size(arrow: &Arrow) -> (f64, f64, f64) {
    let bottom = AROUND + shown_lines(arrow).len() as f64 * LINE + 3.0;
    (label_width(arrow), bottom + AROUND, bottom)
}

fn label_width(arrow: &Arrow) -> f64 {
    let letters = shown_lines(arrow).iter().map(|(line, _)| text::columns(line)).max().unwrap_or_default();
    letters as f64 * LABEL_LETTER + 2.0 * AROUND
}

/// The lines of a label, and which of them are marked.
pub(super) fn shown_lines(arrow: &Arrow) -> Vec<(String, bool)> {
    let count = arrow.lines.len();
    let shown = if count > LINES_MAX { LINES_MAX - 1 } else { count };
    let mut lines: Vec<(String, bool)> =
        arrow.lines[..shown].iter().map(|line| (line.short.clone(), line.is_marked)).collect();
    if count > shown {
        let is_marked = arrow.lines[shown].is_marked;
        lines.push((format!("… {} more", count - shown), is_marked));
    }
    lines
}
