//! The light: an actor that receives presses, and sends what it shows.

use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, sleep, sleep_until};

/// Somebody presses the button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Press;

/// What cars see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// Go.
    Green,
    /// Stop, if you can.
    Yellow,
    /// Stop.
    Red,
}

/// What the light shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lights {
    /// To cars.
    pub cars: Color,
    /// Whether people may walk.
    pub walk: bool,
}

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// Nothing.
    None,
    /// Whoever presses while others walk is forgotten.
    Forgets,
    /// When somebody else has pressed meanwhile, yellow is short.
    Hurries,
    /// At the third walk, cars get green one second too early.
    Overlaps,
}

/// The wrong ones.
pub const MISTAKES: [Mistake; 3] = [Mistake::Forgets, Mistake::Hurries, Mistake::Overlaps];

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Shows lights until no more presses come.
pub async fn light(mistake: Mistake, mut presses: UnboundedReceiver<Press>, lights: UnboundedSender<Lights>) {
    // (Whoever does not look any more misses nothing.)
    let show = |cars, walk| _ = lights.send(Lights { cars, walk });
    for walks in 1.. {
        let green = Instant::now();
        show(Color::Green, false);
        if presses.recv().await.is_none() {
            return;
        }
        // Cars have ten seconds at least.
        sleep_until(green + seconds(10)).await;
        show(Color::Yellow, false);
        let is_short = mistake == Mistake::Hurries && !presses.is_empty();
        sleep(seconds(if is_short { 1 } else { 3 })).await;
        show(Color::Red, true);
        sleep(seconds(8)).await;
        if mistake == Mistake::Forgets {
            while presses.try_recv().is_ok() {}
        }
        if mistake == Mistake::Overlaps && walks == 3 {
            show(Color::Green, true);
            sleep(seconds(1)).await;
        }
        show(Color::Red, false);
        sleep(seconds(2)).await;
    }
}
