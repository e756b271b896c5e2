//! Lines of JSON, in and out.

use std::io::{self, BufRead, BufReader, Read, Write};

use serde_json::{Map, Value, json};

use crate::message::{Goal, Input, Mode, Output, Point};
use crate::rover::Rover;
use crate::time::Time;

/// Lets the rover hear what comes in until there is no more. What it says goes out before we wait for input.
/// A line that cannot be understood is complained about and left out.
pub(crate) fn serve(rover: &mut Rover, input: impl Read, mut out: impl Write) -> io::Result<()> {
    let mut input = BufReader::new(input);
    write_idle(rover, &mut out)?;
    let mut line = Vec::new();
    loop {
        if !input.buffer().contains(&b'\n') {
            out.flush()?;
        }
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return out.flush();
        }
        if !line.trim_ascii().is_empty() {
            take_line(rover, &line, &mut out)?;
        }
    }
}

/// A line that comes in.
#[derive(Debug, PartialEq)]
enum Line {
    /// `None` is a message on another channel, or with a value that has no name.
    Message {
        at: Time,
        input: Option<Input>,
    },
    AdvanceTo(Time),
    Reset,
}

fn take_line(rover: &mut Rover, line: &[u8], out: &mut impl Write) -> io::Result<()> {
    match read_line(line) {
        Ok(Line::Message { at, input }) => {
            let is_heard = rover.hear(at, input);
            write_said(rover, out)?;
            if !is_heard {
                complain(line, "its time is over");
            }
            Ok(())
        }
        Ok(Line::AdvanceTo(at)) => {
            rover.advance_to(at);
            write_said(rover, out)?;
            write_idle(rover, out)
        }
        Ok(Line::Reset) => {
            rover.reset();
            write_idle(rover, out)
        }
        Err(why) => {
            complain(line, &why);
            Ok(())
        }
    }
}

fn complain(line: &[u8], why: &str) {
    eprintln!("rover: ignored the line `{}`: {why}", String::from_utf8_lossy(line).trim());
}

fn write_said(rover: &mut Rover, out: &mut impl Write) -> io::Result<()> {
    rover.take_said().into_iter().try_for_each(|(at, output)| write_message(at, output, out))
}

fn write_message(at: Time, output: Output, out: &mut impl Write) -> io::Result<()> {
    let (channel, message) = output.to_json();
    writeln!(out, "{}", json!({ "at_ms": at.to_json(), "channel": channel, "msg": message }))
}

fn write_idle(rover: &Rover, out: &mut impl Write) -> io::Result<()> {
    let next_timer_ms = rover.next_timer().map(Time::to_json);
    writeln!(out, "{}", json!({ "idle": true, "next_timer_ms": next_timer_ms }))?;
    out.flush()
}

fn read_line(line: &[u8]) -> Result<Line, String> {
    let object: Map<String, Value> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if object.get("reset") == Some(&Value::Bool(true)) {
        return Ok(Line::Reset);
    }
    if object.contains_key("advance_to_ms") {
        return time(&object, "advance_to_ms").map(Line::AdvanceTo);
    }
    let at = time(&object, "at_ms")?;
    let channel = object.get("channel").and_then(Value::as_str).ok_or("`channel` is not a string")?;
    let message = object.get("msg").and_then(Value::as_object).ok_or("`msg` is not an object")?;
    let input = read_message(channel, message)?;
    Ok(Line::Message { at, input })
}

fn read_message(channel: &str, message: &Map<String, Value>) -> Result<Option<Input>, String> {
    let input = match channel {
        "/laser" => Input::Laser(float(message, "dist")?),
        "/position" => Input::Position(point(message)?),
        "/goal" => Input::Goal(Goal { id: integer(message, "id")?, place: point(message)? }),
        "/bumper" => {
            let (side, state): (u8, u8) = (integer(message, "side")?, integer(message, "state")?);
            let pressed = match state {
                0 => false,
                1 => true,
                _ => return Ok(None),
            };
            Input::Bumper { side, pressed }
        }
        "/mode" => Input::Mode(match integer(message, "mode")? {
            0_u8 => Mode::Parked,
            1 => Mode::Creep,
            2 => Mode::Cruise,
            _ => return Ok(None),
        }),
        _ => return Ok(None),
    };
    Ok(Some(input))
}

fn time(object: &Map<String, Value>, key: &str) -> Result<Time, String> {
    Time::from_ms(float(object, key)?).ok_or_else(|| format!("`{key}` is not a time of the first day"))
}

fn point(message: &Map<String, Value>) -> Result<Point, String> {
    Ok(Point { x: float(message, "x")?, y: float(message, "y")? })
}

fn float(object: &Map<String, Value>, key: &str) -> Result<f64, String> {
    object.get(key).and_then(Value::as_f64).ok_or_else(|| format!("`{key}` is not a number"))
}

fn integer<T: TryFrom<u64>>(object: &Map<String, Value>, key: &str) -> Result<T, String> {
    let number = object.get(key).and_then(Value::as_u64);
    number.and_then(|n| T::try_from(n).ok()).ok_or_else(|| format!("`{key}` is not an integer in range"))
}

#[cfg(test)]
mod tests;
