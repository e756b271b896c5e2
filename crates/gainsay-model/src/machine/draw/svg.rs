//! A picture as it is written.

use super::Arrow;
use super::layout::{AROUND, Cell, Frame, HEAD, Kind, LINE, LOOP, Layout, shown_lines, turns};
use super::text::{escaped, escaped_line, shortened_name};
use gainsay_core::plural;
use rustc_hash::FxHashMap;

/// Half of how wide the head of an arrow is.
const HALF: f64 = 3.5;
/// Half of how far a line comes back from where it went, where it turns.
const TURN: f64 = 4.0;
/// What is marked.
const MARK: &str = "#d6221f";
/// What is not, where something is.
const PALE: &str = "#8d959e";
/// Lines to the same state have the same colour: so they can be told from others.
const COLOURS: [&str; 8] =
    ["#1f5fa8", "#2b7a4b", "#8a5a00", "#6d45a8", "#00737a", "#a03c78", "#556b1a", "#5b6470"];

const STYLE: &str = "\
<style>
.gainsay-machine .way { fill: none; stroke-width: 1.3 }
.gainsay-machine .marked .way { stroke-width: 2.4 }
.gainsay-machine tspan.marked { font-weight: bold }
.gainsay-machine .arrow:hover .way { stroke-width: 3 }
.gainsay-machine .arrow:hover text { font-weight: bold }
</style>
";

/// The whole picture.
pub(super) fn write(names: &[String], arrows: &[Arrow], layout: &Layout, left_out: usize) -> String {
    let below = if left_out > 0 { 24.0 } else { 0.0 };
    let (width, height) = (layout.width, layout.height + below);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"gainsay-machine\" width=\"{width:.0}\" \
         height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"11\">\n{STYLE}\
         <rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#fff\"/>\n"
    );
    let ports = Ports::of(layout);
    let mut on_way = vec![false; names.len()];
    for arrow in arrows.iter().filter(|arrow| arrow.is_marked()) {
        on_way[arrow.from] = true;
        on_way[arrow.to] = true;
    }
    // (What is marked is drawn last, above all else.)
    let mut order: Vec<usize> = (0..arrows.len()).collect();
    order.sort_by_key(|number| arrows[*number].is_marked());
    for number in order {
        let arrow = &arrows[number];
        let colour = match arrow.is_marked() {
            true => MARK,
            false if on_way[0] => PALE,
            false => COLOURS[arrow.to % COLOURS.len()],
        };
        svg += &drawn_arrow(names, arrow, colour, &layout.routes[number], layout, &ports);
    }
    for (state, name) in names.iter().enumerate() {
        if let Some(frame) = layout.frames[state] {
            svg += &drawn_state(name, frame, layout, on_way[state]);
        }
    }
    svg += &drawn_start(layout);
    if left_out > 0 {
        let y = layout.height + 4.0;
        let states = plural(left_out as u64, "more state");
        svg += &format!("<text x=\"16\" y=\"{y:.0}\">… {states}</text>\n");
    }
    svg + "</svg>\n"
}

/// Where lines meet the boxes of states.
struct Ports {
    /// By the state's cell and the cell at the other end.
    heights: FxHashMap<(usize, usize), f64>,
}

impl Ports {
    /// Lines are spread over the sides of a box, in the order in which they come.
    fn of(layout: &Layout) -> Ports {
        let mut sides = vec![(Vec::new(), Vec::new()); layout.cells.len()];
        for link in &layout.links {
            sides[link.left].1.push(link.right);
            sides[link.right].0.push(link.left);
        }
        let mut heights = FxHashMap::default();
        for frame in layout.frames.iter().flatten() {
            let (left, right) = &mut sides[frame.cell];
            for side in [left, right] {
                side.sort_by(|one, other| layout.cells[*one].at().total_cmp(&layout.cells[*other].at()));
                let top = layout.cells[frame.cell].at() - frame.height / 2.0;
                let step = frame.height / (side.len() + 1) as f64;
                for (place, other) in side.iter().enumerate() {
                    heights.insert((frame.cell, *other), top + step * (place + 1) as f64);
                }
            }
        }
        Ports { heights }
    }

    /// Where a line between two cells meets the first of them.
    fn height(&self, cell: usize, other: usize, layout: &Layout) -> f64 {
        self.heights.get(&(cell, other)).copied().unwrap_or_else(|| layout.cells[cell].at())
    }
}

/// An arrow with its label; in full when the mouse is over it.
fn drawn_arrow(
    names: &[String],
    arrow: &Arrow,
    colour: &str,
    route: &[usize],
    layout: &Layout,
    ports: &Ports,
) -> String {
    let drawn = match route {
        [] => drawn_loop(arrow, layout),
        _ => drawn_way(route, layout, ports) + &drawn_label(arrow, route, layout),
    };
    let class = if arrow.is_marked() { "arrow marked" } else { "arrow" };
    let mut title = format!("{} → {}", names[arrow.from], names[arrow.to]);
    for line in &arrow.lines {
        title.push('\n');
        title.push_str(&line.full);
    }
    let title = escaped(&title);
    format!("<g class=\"{class}\" stroke=\"{colour}\" fill=\"{colour}\"><title>{title}</title>{drawn}</g>\n")
}

/// The line of an arrow, and its head.
fn drawn_way(route: &[usize], layout: &Layout, ports: &Ports) -> String {
    let cell = |place: usize| &layout.cells[route[place]];
    let goes_right = |place: usize| cell(place + 1).column > cell(place).column;
    let last = route.len() - 1;
    let mut pen = Pen::new(side(cell(0), layout, goes_right(0)), ports.height(route[0], route[1], layout));
    for place in 0..last {
        let (left, right) = layout.sides[cell(place).column];
        pen.straight(if goes_right(place) { right } else { left });
        let (left, right) = layout.sides[cell(place + 1).column];
        let mut y = ports.height(route[place + 1], route[place], layout);
        if place == 0 && turns(route, &layout.cells) {
            let is_down = ports.height(route[2], route[1], layout) > pen.y;
            y += if is_down { -TURN } else { TURN };
            pen.curve(left, y);
            pen.turn(is_down);
        } else {
            pen.curve(if goes_right(place) { left } else { right }, y);
        }
    }
    let tip = side(cell(last), layout, !goes_right(last - 1));
    let base = if goes_right(last - 1) { tip - HEAD } else { tip + HEAD };
    pen.straight(base);
    format!("<path class=\"way\" d=\"{}\"/>{}", pen.path, head(tip, base, pen.y))
}

fn head(tip: f64, base: f64, y: f64) -> String {
    let (top, bottom) = (y - HALF, y + HALF);
    format!("<path stroke=\"none\" d=\"M{tip:.0} {y:.1}L{base:.0} {top:.1}V{bottom:.1}Z\"/>")
}

/// A side of a box; or of the whole column, where there is none.
fn side(cell: &Cell, layout: &Layout, is_right: bool) -> f64 {
    let (left, right) = layout.sides[cell.column];
    let half = match cell.kind {
        Kind::State(state) => layout.frames[state].map_or(0.0, |frame| frame.width / 2.0),
        Kind::Label(_) | Kind::Trunk => (right - left) / 2.0,
    };
    (left + right) / 2.0 + if is_right { half } else { -half }
}

/// Draws a line.
struct Pen {
    path: String,
    x: f64,
    y: f64,
}

impl Pen {
    fn new(x: f64, y: f64) -> Pen {
        Pen { path: format!("M{x:.0} {y:.1}"), x, y }
    }

    fn straight(&mut self, x: f64) {
        self.path += &format!("H{x:.0}");
        self.x = x;
    }

    /// It begins and ends level.
    fn curve(&mut self, x: f64, y: f64) {
        let middle = (self.x + x) / 2.0;
        self.path += &format!("C{middle:.0} {:.1} {middle:.0} {y:.1} {x:.0} {y:.1}", self.y);
        (self.x, self.y) = (x, y);
    }

    /// Half a circle, to go back.
    fn turn(&mut self, is_down: bool) {
        self.y += if is_down { 2.0 * TURN } else { -2.0 * TURN };
        let sweep = u8::from(is_down);
        self.path += &format!("A{TURN} {TURN} 0 0 {sweep} {:.0} {:.1}", self.x, self.y);
    }
}

/// The label of an arrow, on the side where it comes from.
fn drawn_label(arrow: &Arrow, route: &[usize], layout: &Layout) -> String {
    let (from, label) = (&layout.cells[route[0]], &layout.cells[route[1]]);
    let (left, right) = layout.sides[label.column];
    let top = label.top + AROUND;
    match from.column < label.column {
        true if turns(route, &layout.cells) => drawn_lines(arrow, "start", left + TURN + 5.0, top + 2.0),
        true => drawn_lines(arrow, "start", left + 2.0, top),
        false => drawn_lines(arrow, "end", right - 2.0, top),
    }
}

fn drawn_lines(arrow: &Arrow, anchor: &str, x: f64, top: f64) -> String {
    let mut text = format!("<text text-anchor=\"{anchor}\" stroke=\"none\">");
    for (place, (line, is_marked)) in shown_lines(arrow).iter().enumerate() {
        let y = top + LINE * (place + 1) as f64 - 3.0;
        let class = if *is_marked { " class=\"marked\"" } else { "" };
        text += &format!("<tspan x=\"{x:.0}\" y=\"{y:.0}\"{class}>{}</tspan>", escaped_line(line));
    }
    text + "</text>"
}

/// An arrow from a state to itself, above it.
fn drawn_loop(arrow: &Arrow, layout: &Layout) -> String {
    let Some(frame) = layout.frames[arrow.from] else { return String::new() };
    let (x, y) = middle(frame, layout);
    let y = y - frame.height / 2.0;
    let (top, base) = (y - LOOP - 4.0, y - HEAD);
    let (one, other) = (x - 9.0, x + 9.0);
    format!(
        "<path class=\"way\" d=\"M{one:.0} {y:.1}C{:.0} {top:.1} {:.0} {top:.1} {other:.0} {base:.1}\"/>\
         <path stroke=\"none\" d=\"M{other:.0} {y:.1}L{:.1} {base:.1}H{:.1}Z\"/>{}",
        one - 9.0,
        other + 9.0,
        other - HALF + 1.0,
        other + HALF + 1.0,
        drawn_lines(arrow, "middle", x, layout.cells[frame.cell].top + AROUND)
    )
}

/// The middle of a box.
fn middle(frame: Frame, layout: &Layout) -> (f64, f64) {
    let cell = &layout.cells[frame.cell];
    let (left, right) = layout.sides[cell.column];
    ((left + right) / 2.0, cell.at())
}

fn drawn_state(name: &str, frame: Frame, layout: &Layout, is_marked: bool) -> String {
    let Frame { width, height, .. } = frame;
    let (x, y) = middle(frame, layout);
    let (left, top) = (x - width / 2.0, y - height / 2.0);
    let short = shortened_name(name);
    let title = if short == *name { String::new() } else { format!("<title>{}</title>", escaped(name)) };
    let stroke = if is_marked { MARK } else { "#333" };
    let dashes = if frame.is_reached { "" } else { " stroke-dasharray=\"4 3\"" };
    format!(
        "<g class=\"state\">{title}<rect x=\"{left:.0}\" y=\"{top:.1}\" width=\"{width:.0}\" \
         height=\"{height:.1}\" rx=\"9\" fill=\"#f6f8fa\" stroke=\"{stroke}\" stroke-width=\"1.5\"{dashes}/>\
         <text x=\"{x:.0}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"12\" fill=\"#111\">{}</text></g>\n",
        y + 4.0,
        escaped_line(&short)
    )
}

/// The arrow to where it starts.
fn drawn_start(layout: &Layout) -> String {
    let Some(frame) = layout.frames[0] else { return String::new() };
    let (x, y) = middle(frame, layout);
    let tip = x - frame.width / 2.0;
    let (tail, base) = (tip - 26.0, tip - HEAD);
    format!(
        "<g class=\"start\" stroke=\"#333\" fill=\"#333\"><circle cx=\"{tail:.0}\" cy=\"{y:.1}\" r=\"3\"/>\
         <path class=\"way\" d=\"M{tail:.0} {y:.1}H{base:.0}\"/>{}</g>\n",
        head(tip, base, y)
    )
}
