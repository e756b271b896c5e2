//! Tests that every implementation of an extension trait must pass.

use crate::case::Case;
use crate::choice::{Choice, Kind, Shape};
use crate::source::{Hint, Source};

/// Checks a [`Source`]: answers are in range, and equal questions get equal answers.
///
/// `make` must make the same source each time.
///
/// # Panics
/// If the source breaks a rule; the message says which.
pub fn source(make: impl Fn() -> Box<dyn Source>) {
    let shapes: Vec<Shape> =
        [Kind::Int, Kind::Wide, Kind::Flag, Kind::Index, Kind::Float, Kind::Char, Kind::More]
            .into_iter()
            .flat_map(|kind| {
                let bounds: &[u64] = match kind {
                    Kind::Flag | Kind::More => &[0, 1],
                    Kind::Index => &[0, 1, 6],
                    Kind::Float => &[u32::MAX as u64, u64::MAX],
                    Kind::Char => &[0x10_f7ff],
                    Kind::Int | Kind::Wide => &[0, 1, 9, 255, 256, 65_535, u64::MAX - 1, u64::MAX],
                };
                bounds.iter().map(move |&max| Shape::new(kind, max))
            })
            .collect();
    let answers = || {
        let mut source = make();
        let mut so_far: Vec<Choice> = Vec::new();
        let mut answers = Vec::new();
        for shape in shapes.iter().cycle().take(500) {
            let answer = source.choose(shape, Hint::None, &so_far);
            if let Some(value) = answer {
                assert!(value <= shape.max, "the source answered {value} to {shape:?}");
                so_far.push(Choice { value, shape: *shape });
            }
            answers.push(answer);
        }
        answers
    };
    assert_eq!(answers(), answers(), "the source answered equal questions differently");
    let draw = || Case::from_source(make()).any::<(Vec<Option<i32>>, String, f64)>();
    assert_eq!(format!("{:?}", draw()), format!("{:?}", draw()), "the source made two values of one case");
}
