//! Shapes in a row: a recursive type, its values at random and in order, a wrong bounding box and a right one.

#![expect(clippy::print_stdout, reason = "the example tells its story on the terminal")]

use gainsay::prelude::*;

fn main() {
    println!("1. The first shapes of the enumeration, small to large.\n");
    for (n, shape) in values::<Shape>().take(8).enumerate() {
        println!("   {n}: {shape:?}");
    }

    println!("\n2. How many shapes there are of each cost, and one far away, found by counting.\n");
    let mut index = Index::<Shape>::new();
    let counts: Vec<u128> = (0..12).map(|cost| index.len_of_level(cost)).collect();
    println!("   {counts:?}");
    println!("   {FAR}: {:?}", index.nth(FAR));

    println!("\n3. A wrong bounding box, judged by the claim that every shape fits into its box.\n");
    let wrong = judge(bounds_stacked);
    show(&wrong);

    println!("\n4. The right one, at random and then for every shape up to a size.\n");
    let right = judge(bounds);
    show(&right);
    let small = judge_small(bounds);
    show(&small);

    assert!(wrong.counterexample().is_some(), "the planted bug was not found");
    assert!([&right, &small].iter().all(|verdict| verdict.is_good()));
}

/// A place in the enumeration that nobody would walk to.
const FAR: u128 = 1_000_000_000_000;

/// What can be drawn. The members of a group stand side by side.
#[derive(Debug, Clone, PartialEq, Arbitrary)]
enum Shape {
    /// A point without extent.
    Dot,
    /// A disc.
    Circle { radius: u8 },
    /// Several shapes in a row.
    Group(Vec<Shape>),
}

/// The box around a shape.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Bounds {
    width: f64,
    height: f64,
}

/// The area that is covered.
fn area(shape: &Shape) -> f64 {
    match shape {
        Shape::Dot => 0.0,
        Shape::Circle { radius } => std::f64::consts::PI * f64::from(*radius).powi(2),
        Shape::Group(members) => members.iter().map(area).sum(),
    }
}

/// The bounding box: a group is as wide as its members together, and as high as the highest.
fn bounds(shape: &Shape) -> Bounds {
    match shape {
        Shape::Dot => Bounds::default(),
        Shape::Circle { radius } => square(2.0 * f64::from(*radius)),
        Shape::Group(members) => members.iter().map(bounds).fold(Bounds::default(), |all, one| Bounds {
            width: all.width + one.width,
            height: all.height.max(one.height),
        }),
    }
}

/// The planted bug: a group is only as wide as its widest member.
fn bounds_stacked(shape: &Shape) -> Bounds {
    match shape {
        Shape::Dot => Bounds::default(),
        Shape::Circle { radius } => square(2.0 * f64::from(*radius)),
        Shape::Group(members) => members.iter().map(bounds_stacked).fold(Bounds::default(), |all, one| {
            Bounds { width: all.width.max(one.width), height: all.height.max(one.height) }
        }),
    }
}

fn square(side: f64) -> Bounds {
    Bounds { width: side, height: side }
}

/// The claim about a way to find bounds, for one shape.
fn fits(bounds: fn(&Shape) -> Bounds, shape: &Shape) -> Property {
    let Bounds { width, height } = bounds(shape);
    at_most(area(shape), width * height)
}

/// The verdict after random cases. With a fixed seed and no corpus, every run of this example says the same.
fn judge(bounds: fn(&Shape) -> Bounds) -> Verdict {
    settings().seed(7).without_corpus().verdict_for_all(|shape: Shape| fits(bounds, &shape))
}

/// The verdict after all shapes whose numbers add up to 16 at most.
fn judge_small(bounds: fn(&Shape) -> Bounds) -> Verdict {
    settings().exhaustive_up_to(16).without_corpus().verdict_for_all(|shape: Shape| fits(bounds, &shape))
}

fn show(verdict: &Verdict) {
    for line in verdict.to_string().lines() {
        println!("   {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[property]
    #[example(Shape::Group(vec![Shape::Circle { radius: 1 }, Shape::Circle { radius: 1 }]))]
    fn a_shape_fits_into_its_bounds(shape: &Shape) -> Property {
        fits(bounds, shape)
    }

    #[test]
    fn the_bug_shrinks_to_two_small_circles() {
        let verdict = judge(bounds_stacked);
        let smallest = verdict.counterexample().expect("the planted bug is found");
        assert_eq!(smallest.shown(), "#1 = Group([Circle { radius: 1 }, Circle { radius: 1 }])");
    }

    #[test]
    fn walking_and_counting_agree() {
        let mut index = Index::<Shape>::new();
        for (n, shape) in values::<Shape>().take(2000).enumerate() {
            assert_eq!(index.nth(n as u128), Some(shape));
        }
        assert_eq!(index.len(), None, "there is no end to groups");
    }

    #[test]
    fn what_is_proved_is_counted() {
        let count: u128 = (0..=16).map(|cost| Index::<Shape>::new().len_of_level(cost)).sum();
        assert_eq!(judge_small(bounds).to_string(), format!("proved up to size 16: all {count} cases"));
    }
}
