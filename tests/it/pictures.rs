//! Machines as pictures: what is in them, and that nothing lies on anything else.

use crate::support::assert_contains;
use gainsay::Case;
use gainsay::machine::{Finite, machine};

type Plain = Finite<String, String, String>;

fn read(text: &str) -> Plain {
    Finite::from_dot(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Any machine with so many states, all of which are counted, and so many inputs.
fn any_machine(seed: u64, states: usize, inputs: usize) -> Finite<usize, usize, usize> {
    let mut case = Case::random(seed, 0);
    let cells: Vec<(usize, usize)> = (0..states * inputs)
        .map(|cell| {
            // (The first input leads from half of the states to the next, so that many can be reached.)
            let far = case.index(states);
            let to =
                if cell % inputs == 0 && far.is_multiple_of(2) { (cell / inputs + 1) % states } else { far };
            (to, case.index(3))
        })
        .collect();
    let drawn = machine(0, |state: &usize, input: &usize| {
        let (to, output) = cells[state * inputs + input];
        [(to, vec![output])]
    });
    Finite::explore(&drawn, 0..inputs, states).unwrap()
}

type Attributes = Vec<(String, String)>;

/// Its name and attributes, and the text in it.
type Element = (String, Attributes, String);

/// A picture taken apart: it panics where it is no well-formed XML.
#[derive(Debug, Default)]
struct Parts {
    elements: Vec<Element>,
}

impl Parts {
    fn of(svg: &str) -> Parts {
        let mut parts = Parts::default();
        let mut open: Vec<usize> = Vec::new();
        let mut rest = svg;
        while let Some((text, tag)) = rest.split_once('<') {
            let text = plain(text);
            match open.last() {
                Some(inner) => parts.elements[*inner].2 += &text,
                None => assert_eq!(text.trim(), "", "text outside of everything"),
            }
            let (tag, after) = tag.split_once('>').expect("a tag ends");
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                let opened = open.pop().map(|inner| parts.elements[inner].0.as_str());
                assert_eq!(opened, Some(name), "{svg}");
                continue;
            }
            let (tag, is_closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            if !is_closed {
                open.push(parts.elements.len());
            }
            parts.elements.push((name.into(), attributes_of(attributes), String::new()));
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "{svg}");
        parts
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.elements.iter().filter(move |(it, ..)| it == name)
    }

    fn texts(&self, name: &str) -> Vec<&str> {
        self.named(name).map(|(.., text)| text.as_str()).collect()
    }

    /// The boxes of states.
    fn boxes(&self) -> Vec<Area> {
        let boxes = self.named("rect").filter(|(_, all, _)| all.iter().any(|(name, _)| name == "rx"));
        boxes
            .map(|(_, all, _)| {
                let (left, top) = (number(all, "x"), number(all, "y"));
                Area { left, top, right: left + number(all, "width"), bottom: top + number(all, "height") }
            })
            .collect()
    }

    /// The lines of labels, of letters as wide as in the usual fonts.
    fn labels(&self) -> Vec<Area> {
        let mut anchor = "";
        let mut labels = Vec::new();
        for (name, all, text) in &self.elements {
            if let Some((_, value)) = all.iter().find(|(name, _)| name == "text-anchor") {
                anchor = value;
            }
            if name == "tspan" {
                let width = text.chars().count() as f64 * 6.6;
                let (x, y) = (number(all, "x"), number(all, "y"));
                let left = match anchor {
                    "start" => x,
                    "middle" => x - width / 2.0,
                    _ => x - width,
                };
                labels.push(Area { left, top: y - 8.0, right: left + width, bottom: y + 2.0 });
            }
        }
        labels
    }

    /// Points on all lines.
    fn points(&self) -> Vec<(f64, f64)> {
        let is_way = |all: &[(String, String)]| all.contains(&("class".into(), "way".into()));
        let ways = self.named("path").filter(|(_, all, _)| is_way(all));
        ways.flat_map(|(_, all, _)| points(&all.iter().find(|(name, _)| name == "d").unwrap().1)).collect()
    }
}

/// A text without its entities. Nothing else may stand where they do.
fn plain(text: &str) -> String {
    assert!(!text.chars().any(|letter| letter.is_control() && letter != '\n'), "{text:?}");
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, entity)) = rest.split_once('&') {
        plain += before;
        let (name, after) = entity.split_once(';').expect("an entity ends");
        let known = [("lt", '<'), ("gt", '>'), ("amp", '&'), ("quot", '"'), ("#39", '\'')];
        plain.push(known.iter().find(|(it, _)| *it == name).expect("it is known").1);
        rest = after;
    }
    plain + rest
}

fn attributes_of(text: &str) -> Attributes {
    let mut all = Vec::new();
    let mut rest = text.trim();
    while let Some((name, value)) = rest.split_once("=\"") {
        assert!(!name.contains(['"', ' ']), "{text}");
        let (value, after) = value.split_once('"').expect("a value ends");
        all.push((name.into(), plain(value)));
        rest = after.trim_start();
    }
    assert_eq!(rest, "", "{text}");
    all
}

fn number(attributes: &[(String, String)], name: &str) -> f64 {
    attributes.iter().find(|(it, _)| it == name).unwrap().1.parse().unwrap()
}

#[derive(Debug, Clone, Copy)]
struct Area {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Area {
    fn overlaps(&self, other: &Area) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Whether a point lies in it, and not only at its rim.
    fn holds(&self, (x, y): (f64, f64)) -> bool {
        self.left + 1.0 < x && x < self.right - 1.0 && self.top + 1.0 < y && y < self.bottom - 1.0
    }
}

/// Points of a path, close to each other.
fn points(path: &str) -> Vec<(f64, f64)> {
    let mut all: Vec<(f64, f64)> = Vec::new();
    let starts: Vec<usize> = path.match_indices(char::is_alphabetic).map(|(at, _)| at).collect();
    for (place, start) in starts.iter().enumerate() {
        let end = starts.get(place + 1).copied().unwrap_or(path.len());
        let of: Vec<f64> =
            path[start + 1..end].split(' ').map(|it| it.parse().expect("it is a number")).collect();
        let (x, y) = all.last().copied().unwrap_or_default();
        let parts = (1..=50).map(|part| f64::from(part) / 50.0);
        match &path[*start..=*start] {
            "M" | "A" => all.push((of[of.len() - 2], of[of.len() - 1])),
            "H" => all.extend(parts.map(|t| (x + (of[0] - x) * t, y))),
            "C" => all.extend(parts.map(|t| {
                let at = |a: f64, b: f64, c: f64, d: f64| {
                    let s = 1.0 - t;
                    s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
                };
                (at(x, of[0], of[2], of[4]), at(y, of[1], of[3], of[5]))
            })),
            other => panic!("there is no {other} in these pictures"),
        }
    }
    all
}

/// Nothing lies on anything else.
fn assert_apart(svg: &str) {
    let parts = Parts::of(svg);
    let mut areas = parts.boxes();
    areas.extend(parts.labels());
    for (place, area) in areas.iter().enumerate() {
        let other = areas[..place].iter().find(|other| other.overlaps(area));
        assert!(other.is_none(), "{area:?} lies on {other:?}: {svg}");
    }
    for point in parts.points() {
        let area = areas.iter().find(|area| area.holds(point));
        assert!(area.is_none(), "a line goes through {area:?} at {point:?}: {svg}");
    }
}

const BELL: &str = r#"digraph { off -> on [label="press / "]; on -> off [label="press / ring"]; on -> on [label="hold / hum"]; start -> off }"#;

#[test]
fn a_small_picture_is_known_to_the_letter() {
    let svg = read(BELL).to_svg();
    let (_, drawn) = svg.split_once("</style>\n").unwrap();
    // (Below, each element has a line of its own.)
    let drawn = ["<path", "<text"]
        .iter()
        .fold(String::from(drawn), |drawn, tag| drawn.replace(&format!(">{tag}"), &format!(">\n{tag}")));
    assert_eq!(drawn, SMALL);
    assert_apart(&svg);
}

const SMALL: &str = r##"<rect width="354" height="109" fill="#fff"/>
<g class="arrow" stroke="#2b7a4b" fill="#2b7a4b"><title>off → on
press</title>
<path class="way" d="M98 66.0H106C120 66.0 120 56.0 134 56.0H229C243 56.0 243 66.0 257 66.0H267"/>
<path stroke="none" d="M275 66.0L267 62.5V69.5Z"/>
<text text-anchor="start" stroke="none"><tspan x="136" y="50">press</tspan></text></g>
<g class="arrow" stroke="#1f5fa8" fill="#1f5fa8"><title>on → off
press / ring</title>
<path class="way" d="M275 76.0H257C243 76.0 243 86.0 229 86.0H134C120 86.0 120 76.0 106 76.0H106"/>
<path stroke="none" d="M98 76.0L106 72.5V79.5Z"/>
<text text-anchor="end" stroke="none"><tspan x="227" y="80">press / ring</tspan></text></g>
<g class="arrow" stroke="#2b7a4b" fill="#2b7a4b"><title>on → on
hold / hum</title>
<path class="way" d="M288 56.0C279 32.0 315 32.0 306 48.0"/>
<path stroke="none" d="M306 56.0L303.6 48.0H310.6Z"/>
<text text-anchor="middle" stroke="none"><tspan x="297" y="33">hold / hum</tspan></text></g>
<g class="state"><rect x="54" y="56.0" width="44" height="30.0" rx="9" fill="#f6f8fa" stroke="#333" stroke-width="1.5"/>
<text x="76" y="75.0" text-anchor="middle" font-size="12" fill="#111">off</text></g>
<g class="state"><rect x="275" y="56.0" width="44" height="30.0" rx="9" fill="#f6f8fa" stroke="#333" stroke-width="1.5"/>
<text x="297" y="75.0" text-anchor="middle" font-size="12" fill="#111">on</text></g>
<g class="start" stroke="#333" fill="#333"><circle cx="28" cy="71.0" r="3"/>
<path class="way" d="M28 71.0H46"/>
<path stroke="none" d="M54 71.0L46 67.5V74.5Z"/></g>
</svg>
"##;

#[test]
fn what_inputs_take_is_marked_and_drawn_last() {
    let bell = read(BELL);
    let svg = bell.to_svg_marked(&["press".into(), "hold".into()]);
    let parts = Parts::of(&svg);
    assert_eq!(parts.texts("title"), ["on → off\npress / ring", "off → on\npress", "on → on\nhold / hum"]);
    assert_eq!(svg.matches("class=\"arrow marked\" stroke=\"#d6221f\"").count(), 2);
    assert_eq!(svg.matches("class=\"arrow\" stroke=\"#8d959e\"").count(), 1);
    assert_contains(&svg, "class=\"marked\">hold / hum</tspan>");
    // What is not specified, or no input at all, ends it.
    assert_eq!(bell.to_svg_marked(&["hold".into(), "press".into()]), bell.to_svg());
    assert_eq!(bell.to_svg_marked(&["kick".into(), "press".into()]), bell.to_svg());
    assert_eq!(bell.to_svg_marked(&["press".into()]), bell.to_svg_marked(&["press".into(), "kick".into()]));
}

#[test]
fn long_lists_are_shortened_and_told_in_full() {
    let busy = machine((), |(): &(), key: &u32| [((), vec![key * key])]);
    let busy = Finite::explore(&busy, 0..10, 1).unwrap();
    let parts = Parts::of(&busy.to_svg());
    assert_eq!(parts.texts("tspan"), ["0 / 0", "1 / 1", "2 / 4", "… 7 more"]);
    let all: Vec<String> = (0..10).map(|key| format!("\n{key} / {}", key * key)).collect();
    assert_eq!(parts.texts("title"), [format!("() → (){}", all.concat())]);
    // What is marked is shown first.
    let parts = Parts::of(&busy.to_svg_marked(&[8, 3]));
    assert_eq!(parts.texts("tspan"), ["3 / 9", "8 / 64", "0 / 0", "… 7 more"]);
}

#[test]
fn awkward_names_are_well_formed() {
    let long = "x".repeat(1000);
    let names = [
        "<b>&amp;</b>",
        "\"'",
        "",
        "a\nb\u{0}\u{1b}[1m",
        "]]>",
        "日本語の長い名前がここにある。とても長い",
        &long,
        "-->",
        "\u{ffff}é",
    ];
    let awkward =
        machine(0, |state: &usize, input: &usize| [((state + input) % 9, vec![(state * input) % 9])]);
    let awkward = Finite::explore(&awkward, 0..9, 9).unwrap();
    let name = |number: &usize| String::from(names[*number]);
    let svg = awkward.to_svg_named(name, name, |all| all.iter().map(name).collect(), &[1, 2, 3]);
    let parts = Parts::of(&svg);
    let shown = parts.texts("text");
    for name in
        ["<b>&amp;</b>", "\"'", "", "a b  [1m", "]]>", "日本語の長い…。とても長い", "-->", "\u{fffd}é"]
    {
        assert!(shown.contains(&name), "{name:?} is not in {shown:?}");
    }
    let short = format!("{}…{}", &long[..13], &long[..12]);
    assert!(shown.contains(&short.as_str()), "{shown:?}");
    assert!(parts.texts("title").contains(&long.as_str()));
    assert_apart(&svg);
}

#[test]
fn texts_are_shown_without_quotes_and_long_steps_without_their_middles() {
    let named = machine("a state", |_: &&str, _: &String| [("a state", vec!["the answer to everything"; 2])]);
    let named = Finite::explore(&named, [String::from("a question that is long")], 1).unwrap();
    let parts = Parts::of(&named.to_svg());
    assert_eq!(parts.texts("text"), ["", "a state"]);
    assert_eq!(parts.texts("tspan"), ["a quest…is long / the ans…rything"]);
    let full =
        "a state → a state\na question that is long / the answer to everything the answer to everything";
    assert_eq!(parts.texts("title"), [full]);
}

#[test]
fn states_that_cannot_be_reached_are_dashed() {
    let odd = read(
        r#"digraph { start -> a; a -> b [label="x/1"]; c -> d [label="x/1"]; d -> b [label="x/1"]; e [label="e"]; c -> a [label="y/1"] }"#,
    );
    let svg = odd.to_svg();
    assert_eq!(Parts::of(&svg).boxes().len(), 5);
    assert_eq!(svg.matches("stroke-dasharray").count(), 3);
    assert_apart(&svg);
}

#[test]
fn machines_of_any_size_are_drawn_with_everything_apart() {
    for (states, inputs) in [(1, 1), (1, 5), (2, 3), (5, 2), (16, 7), (60, 4), (200, 3)] {
        for seed in 0..3 {
            let any = any_machine(seed, states, inputs);
            let svg = any.to_svg_marked(&[0; 5]);
            assert_eq!(Parts::of(&svg).boxes().len(), any.states().len());
            assert_apart(&svg);
        }
    }
}

#[test]
fn a_long_row_with_ways_back_shares_them() {
    let row = machine(0, |at: &u32, back: &bool| [(if *back { 0 } else { (at + 1).min(199) }, vec![()])]);
    let row = Finite::explore(&row, [false, true], 200).unwrap();
    let svg = row.to_svg();
    assert_apart(&svg);
    // All arrows back to the start arrive at the same place, but for the loop and the one from the next state.
    let heads: Vec<&str> = svg
        .lines()
        .filter(|line| line.starts_with("true / ()</title>"))
        .filter_map(|line| line.split("stroke=\"none\" d=\"").nth(1)?.split('"').next())
        .collect();
    let distinct: std::collections::HashSet<&str> = heads.iter().copied().collect();
    assert_eq!((heads.len(), distinct.len()), (200, 3));
}

#[test]
fn of_too_many_states_the_nearest_are_drawn() {
    let row = machine(0, |at: &u32, _: &()| [((at + 1).min(599), vec![()])]);
    let row = Finite::explore(&row, [()], 600).unwrap();
    let svg = row.to_svg_marked(&[(); 700]);
    assert_eq!(Parts::of(&svg).boxes().len(), 250);
    assert_contains(&svg, ">… 350 more states</text>");
    assert_contains(&svg, ">249</text>");
}
