//! What the thermostat decides, without a broker.

use std::time::{Duration, Instant};

/// The burner suffers when it is switched off too soon: so long it burns at least.
const BURN_MIN: Duration = Duration::from_millis(1000);
/// It heats when it is so much colder than it should be, and until it is as warm as it should be.
const HYSTERESIS: f64 = 0.5;
/// Pipes freeze soon, if it is colder.
const FROST: f64 = 3.0;
/// What is wanted, if nobody says.
const SETPOINT: f64 = 20.0;

/// What it hears.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Input {
    /// How warm it is.
    Temperature(f64),
    /// How warm it should be.
    Setpoint(f64),
    /// Whether the window is open now.
    Window { is_open: bool },
}

/// What it says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Output {
    /// Whether the heater is on.
    Heater { on: bool },
    /// Pipes may freeze.
    Frost { temperature: f64 },
}

/// The thermostat of a room.
#[derive(Debug)]
pub(crate) struct Thermostat {
    /// With the bug, the burner burns for its time, whatever happens.
    has_bug: bool,
    temperature: Option<f64>,
    setpoint: f64,
    is_open: bool,
    /// Since when the heater is on.
    on_since: Option<Instant>,
}

impl Thermostat {
    pub(crate) fn new(has_bug: bool) -> Thermostat {
        Thermostat { has_bug, temperature: None, setpoint: SETPOINT, is_open: false, on_since: None }
    }

    /// Takes something that it hears.
    pub(crate) fn hear(&mut self, now: Instant, input: Input, out: &mut Vec<Output>) {
        match input {
            Input::Temperature(temperature) => {
                self.temperature = Some(temperature);
                if temperature < FROST {
                    out.push(Output::Frost { temperature });
                }
            }
            Input::Setpoint(setpoint) => self.setpoint = setpoint,
            Input::Window { is_open } => self.is_open = is_open,
        }
        let has_changed = self.decide(now, out);
        // Whoever opens or closes the window wants to see what becomes of it.
        if matches!(input, Input::Window { .. }) && !has_changed {
            out.push(Output::Heater { on: self.on_since.is_some() });
        }
    }

    /// When it has to look again, if nothing is heard.
    pub(crate) fn timer(&self) -> Option<Instant> {
        self.on_since.filter(|_| !self.wants_heat()).map(|since| since + BURN_MIN)
    }

    /// Switches the heater, if it has to; whether it did.
    pub(crate) fn decide(&mut self, now: Instant, out: &mut Vec<Output>) -> bool {
        match (self.on_since, self.wants_heat()) {
            (None, true) => self.on_since = Some(now),
            (Some(since), false) if now >= since + BURN_MIN || self.is_open && !self.has_bug => {
                self.on_since = None
            }
            _ => return false,
        }
        out.push(Output::Heater { on: self.on_since.is_some() });
        true
    }

    fn wants_heat(&self) -> bool {
        let Some(temperature) = self.temperature.filter(|_| !self.is_open) else { return false };
        let enough = if self.on_since.is_some() { self.setpoint } else { self.setpoint - HYSTERESIS };
        temperature < enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What it says to inputs at times in milliseconds; `None` is the timer.
    fn told(has_bug: bool, story: &[(u64, Option<Input>)]) -> Vec<Output> {
        let start = Instant::now();
        let mut thermostat = Thermostat::new(has_bug);
        let mut out = Vec::new();
        for (at, input) in story {
            let now = start + Duration::from_millis(*at);
            match input {
                Some(input) => thermostat.hear(now, *input, &mut out),
                None => {
                    assert!(thermostat.timer().is_some_and(|due| due <= now));
                    thermostat.decide(now, &mut out);
                }
            }
        }
        out
    }

    const ON: Output = Output::Heater { on: true };
    const OFF: Output = Output::Heater { on: false };

    #[test]
    fn it_heats_until_it_is_warm() {
        use Input::{Setpoint, Temperature};
        let story = [(0, Some(Temperature(19.7))), (10, Some(Setpoint(21.0))), (20, Some(Temperature(20.9)))];
        assert_eq!(told(false, &story), [ON]);
        let burning = [&story[..], &[(100, Some(Temperature(21.0)))]].concat();
        assert_eq!(told(false, &burning), [ON]);
        assert_eq!(told(false, &[&burning[..], &[(1010, None)]].concat()), [ON, OFF]);
        assert_eq!(told(false, &[(0, Some(Temperature(2.5)))]), [Output::Frost { temperature: 2.5 }, ON]);
    }

    #[test]
    fn an_open_window_ends_it_but_not_with_the_bug() {
        let open = Some(Input::Window { is_open: true });
        let story = [(0, Some(Input::Temperature(10.0))), (100, open)];
        assert_eq!(told(false, &story), [ON, OFF]);
        assert_eq!(told(true, &story), [ON, ON]);
        assert_eq!(told(true, &[&story[..], &[(1000, None)]].concat()), [ON, ON, OFF]);
        assert_eq!(told(true, &[(0, Some(Input::Temperature(10.0))), (1100, open)]), [ON, OFF]);
    }
}
