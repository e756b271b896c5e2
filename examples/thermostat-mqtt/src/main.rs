//! A thermostat: hears of the temperature, of what is wanted and of the window, and switches the heater.

mod thermostat;

use rumqttc::{Client, ClientError, Connection, Event, MqttOptions, Packet, QoS, RecvTimeoutError};
use serde_json::json;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use thermostat::{Input, Output, Thermostat};

const TEMPERATURE: &str = "home/living-room/temperature";
const SETPOINT: &str = "home/living-room/setpoint";
const WINDOW: &str = "home/living-room/window";
const HEATER: &str = "home/living-room/heater";
const ALARM: &str = "home/living-room/alarm";

const USAGE: &str = "\
thermostat-mqtt [--host HOST] [--port PORT] [--bug]     (or MQTT_HOST and MQTT_PORT; otherwise 127.0.0.1 and 1883)";

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("thermostat: {why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let name = format!("thermostat-{}", std::process::id());
    let mut options = MqttOptions::new(name, arguments.host, arguments.port);
    options.set_keep_alive(Duration::from_secs(10));
    let (client, mut connection) = Client::new(options, 100);
    connection.eventloop.network_options.set_tcp_nodelay(true);
    match serve(&client, &mut connection, Thermostat::new(arguments.has_bug)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("thermostat: {why}");
            ExitCode::FAILURE
        }
    }
}

struct Arguments {
    host: String,
    port: u16,
    has_bug: bool,
}

fn arguments() -> Result<Arguments, String> {
    let (mut host, mut port) = (std::env::var("MQTT_HOST").ok(), std::env::var("MQTT_PORT").ok());
    let mut has_bug = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bug" => has_bug = true,
            "--host" => host = Some(arguments.next().ok_or("`--host` needs a host")?),
            "--port" => port = Some(arguments.next().ok_or("`--port` needs a port")?),
            other => return Err(format!("`{other}` is not understood")),
        }
    }
    let port = port.unwrap_or("1883".into());
    let port = port.parse().map_err(|_| format!("`{port}` is no port"))?;
    Ok(Arguments { host: host.unwrap_or("127.0.0.1".into()), port, has_bug })
}

/// Hears and answers until the broker is gone.
fn serve(client: &Client, connection: &mut Connection, mut thermostat: Thermostat) -> Result<(), String> {
    let topics = [TEMPERATURE, SETPOINT, WINDOW];
    let lost = |error: ClientError| error.to_string();
    for topic in topics {
        client.subscribe(topic, QoS::AtLeastOnce).map_err(lost)?;
    }
    let mut subscribed = 0;
    loop {
        let patience = thermostat
            .timer()
            .map_or(Duration::from_secs(3600), |due| due.saturating_duration_since(Instant::now()));
        let event = match connection.recv_timeout(patience) {
            Ok(event) => Some(event.map_err(|error| error.to_string())?),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        let now = Instant::now();
        let mut out = Vec::new();
        match event {
            Some(Event::Incoming(Packet::Publish(publish))) => match read(&publish.topic, &publish.payload) {
                Some(input) => thermostat.hear(now, input, &mut out),
                None => eprintln!(
                    "thermostat: ignored `{}` on {}",
                    String::from_utf8_lossy(&publish.payload),
                    publish.topic
                ),
            },
            Some(Event::Incoming(Packet::SubAck(_))) => {
                subscribed += 1;
                if subscribed == topics.len() {
                    eprintln!("thermostat: ready");
                }
            }
            _ => {}
        }
        if thermostat.timer().is_some_and(|due| due <= now) {
            thermostat.decide(now, &mut out);
        }
        for output in out {
            let (topic, payload, is_kept) = written(output);
            client.try_publish(topic, QoS::AtLeastOnce, is_kept, payload).map_err(lost)?;
        }
    }
}

fn read(topic: &str, payload: &[u8]) -> Option<Input> {
    let text = std::str::from_utf8(payload).ok()?.trim();
    let number = || text.parse().ok().filter(|number: &f64| number.is_finite());
    match topic {
        TEMPERATURE => number().map(Input::Temperature),
        SETPOINT => number().map(Input::Setpoint),
        WINDOW => match text {
            "open" => Some(Input::Window { is_open: true }),
            "closed" => Some(Input::Window { is_open: false }),
            _ => None,
        },
        _ => None,
    }
}

/// Topic and payload; the broker keeps what is true until something else is said.
fn written(output: Output) -> (&'static str, String, bool) {
    match output {
        Output::Heater { on } => (HEATER, json!({ "on": on }).to_string(), true),
        Output::Frost { temperature } => {
            (ALARM, json!({ "reason": "frost", "temperature": temperature }).to_string(), false)
        }
    }
}
