//! Weights of variants.

use gainsay::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Arbitrary)]
enum Weather {
    Sun,
    #[weight(8)]
    Rain,
    #[weight(0)]
    Frogs,
}

fn share(of: Weather) -> f64 {
    let drawn = (0..10_000).filter(|index| Case::random(11, *index).any::<Weather>() == of).count();
    drawn as f64 / 10_000.0
}

#[test]
fn weights_steer_random_cases() {
    // Half of the cases do without some alternatives, which brings the shares nearer to each other.
    assert!((0.60..0.89).contains(&share(Weather::Rain)), "{}", share(Weather::Rain));
    assert!((0.10..0.40).contains(&share(Weather::Sun)), "{}", share(Weather::Sun));
}

#[test]
fn weight_zero_is_never_drawn_at_random() {
    assert_eq!(share(Weather::Frogs), 0.0);
}

#[test]
fn weight_zero_is_enumerated() {
    assert_eq!(values::<Weather>().collect::<Vec<_>>(), [Weather::Sun, Weather::Rain, Weather::Frogs]);
    assert_eq!(nth::<Weather>(2), Some(Weather::Frogs));
}

/// Nothing but the recursion has a weight, and it branches: it must end all the same.
#[derive(Debug, Arbitrary)]
enum Growing {
    #[weight(0)]
    End,
    More([Box<Growing>; 3]),
}

impl Growing {
    fn size(&self) -> usize {
        match self {
            Growing::End => 1,
            Growing::More(rest) => 1 + rest.iter().map(|growing| growing.size()).sum::<usize>(),
        }
    }
}

#[test]
fn recursion_ends_whatever_the_weights() {
    for index in 0..200 {
        let size = Case::random(11, index).any::<Growing>().size();
        assert!(size < 50_000, "{size} nodes in case {index}");
    }
}
