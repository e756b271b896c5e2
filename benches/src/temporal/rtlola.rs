//! The peer for formulas with data: the interpreter of RTLola, a language of stream equations.
//!
//! A request spawns an instance of a stream with its id as parameter. The interpreter keeps instances in a hash table and timers of
//! instances in a heap, but it has no way to give a value to one instance because of an event, or to close one: each event that may
//! do so has it go through all instances. Therefore there are two specifications, both exact:
//!
//! - [`AT_ONCE`] is what one would write down first. Each request has a timer of its own, each response looks for its instance
//!   among all that wait (about 110 here), and violations are reported when time is over.
//! - [`BATCHED`] is the fastest that was found. A response spawns an instance, which is one insertion; requests whose time is over
//!   and responses meet every 500 ms. It reports violations up to 500 ms late, and is more than twice as fast.
//!
//! Deadlines are at 499.5 ms: times are whole milliseconds, and 500 ms are already too late. Ids are taken to be unique, as they are in
//! the trace. Events and verdicts do not pass through text. The interpreter is built for each run, the specification is parsed before.

use baselines::{Event, Kind};
use rtlola_interpreter::config::{MonitorConfig, OfflineMode};
use rtlola_interpreter::input::{EventFactory, EventFactoryError};
use rtlola_interpreter::monitor::{Change, Incremental, RawVerdict, Tracer, VerdictRepresentation};
use rtlola_interpreter::rtlola_mir::{InputReference, OutputReference};
use rtlola_interpreter::time::RelativeNanos;
use rtlola_interpreter::{ConfigBuilder, Value};
use std::collections::HashMap;
use std::convert::Infallible;

/// Violations are reported when time is over. The timer goes off again and again until the next response closes the instance, hence
/// the condition.
const AT_ONCE: &str = "
input request: UInt64
input response: UInt64

output unanswered(id)
  spawn with request
  eval @Local(499500us) when !unanswered(id).offset(by: -1).defaults(to: false) with true
  close @response when response == id || unanswered(id).hold(or: false)
";

/// Violations are reported at the next multiple of 500 ms. A response that comes when its request is already forgotten spawns an
/// instance that nobody asks for; like all the others, it is closed when it has been there for two rounds.
const BATCHED: &str = "
input request: UInt64
input response: UInt64

output unanswered(id)
  spawn with request
  eval @Global(500ms) when overdue(id).hold(or: false) && answered(id).get(or: 0) == 0 with true
  close @Global(500ms) when overdue(id).hold(or: false)

output overdue(id)
  spawn with request
  eval @Local(499500us) with true
  close @Global(500ms) when overdue(id).hold(or: false)

output answered(id)
  spawn with response when !overdue(response).hold(or: false)
  eval @Global(500ms) with answered(id).offset(by: -1).defaults(to: 0) + 1
  close @Global(500ms) when answered(id).hold(or: 0) >= 2
";

/// The stream of violations: the first one in both specifications.
const UNANSWERED: OutputReference = 0;

/// A specification, parsed and checked.
pub(super) struct Specification(MonitorConfig<Events, OfflineMode<RelativeNanos>, Violations, RelativeNanos>);

impl Specification {
    /// Violations are reported when time is over.
    pub(super) fn at_once() -> Self {
        Self::new(AT_ONCE)
    }

    /// Violations are reported up to 500 ms later.
    pub(super) fn batched() -> Self {
        Self::new(BATCHED)
    }

    fn new(specification: &str) -> Self {
        let config = ConfigBuilder::new()
            .spec_str(specification)
            .offline::<RelativeNanos>()
            .with_event_factory::<Events>()
            .with_verdict::<Violations>()
            .output_time::<RelativeNanos>()
            .build();
        assert_eq!(config.inner().ir.outputs[UNANSWERED].name, "unanswered");
        Self(config)
    }

    /// How many requests are not answered in time.
    pub(super) fn unanswered(&self, events: &[Event]) -> usize {
        let mut monitor = self.0.clone().monitor().expect("the inputs are known");
        let mut found = 0;
        for event in events {
            let now = event.at_ms * 1_000_000;
            let timed = if event.kind == Kind::Tick {
                monitor.accept_time(now)
            } else {
                let verdicts = monitor.accept_event(*event, now).expect("it is an event");
                found += verdicts.event.0;
                verdicts.timed
            };
            found += timed.iter().map(|(_, violations)| violations.0).sum::<usize>();
        }
        found
    }
}

/// Makes events of the interpreter from events of the trace.
#[derive(Clone, Debug)]
struct Events;

impl EventFactory for Events {
    type Record = Event;
    type Error = Infallible;
    type CreationData = ();

    fn try_new(
        inputs: HashMap<String, InputReference>,
        (): (),
    ) -> Result<(Self, Vec<String>), EventFactoryError> {
        assert_eq!(
            (inputs["request"], inputs["response"]),
            (0, 1),
            "inputs are in the order of the specification"
        );
        Ok((Self, inputs.into_keys().collect()))
    }

    fn get_event(&self, event: Event) -> Result<Vec<Value>, EventFactoryError> {
        Ok(match event.kind {
            Kind::Request => vec![Value::Unsigned(event.id), Value::None],
            Kind::Response => vec![Value::None, Value::Unsigned(event.id)],
            Kind::Tick => vec![Value::None, Value::None],
        })
    }
}

/// Whether the stream of violations was evaluated at all: nothing has to be asked of the interpreter if it was not.
#[derive(Clone, Copy, Debug, Default)]
struct Evaluated(bool);

impl Tracer for Evaluated {
    fn instance_eval_end(&mut self, output: OutputReference, _: &[Value]) {
        self.0 |= output == UNANSWERED;
    }
}

/// How many violations there are in one step of the interpreter.
#[derive(Clone, Copy, Debug)]
struct Violations(usize);

impl VerdictRepresentation for Violations {
    type Tracing = Evaluated;

    fn create(data: RawVerdict<'_>) -> Self {
        let changes = Incremental::create(data);
        let changes =
            changes.iter().filter(|(output, _)| *output == UNANSWERED).flat_map(|(_, changes)| changes);
        Self(changes.filter(|change| matches!(change, Change::Value(..))).count())
    }

    fn create_with_trace(data: RawVerdict<'_>, evaluated: Evaluated) -> Self {
        if evaluated.0 { Self::create(data) } else { Self(0) }
    }

    fn is_empty(&self) -> bool {
        self.0 == 0
    }
}
