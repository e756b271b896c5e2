//! Tickets: values that the system produces and wants to see again, and that depend on everything it was sent before.

use gainsay_core::settings;
use gainsay_msg::types::{MessageType, Types};
use gainsay_msg::{
    Bus, Channel, EmbeddedBus, Message, Node, Outbox, Starting, StdioBus, System, SystemTest, Value, message,
};

/// A desk that pays on tickets, 500 each at most, until they are handed back.
fn system() -> System {
    let mut types = Types::new();
    let fields = |types: &Types, names: &[(&str, &str)]| {
        names.iter().map(|(name, of)| (name.to_string(), types.named(of, None).unwrap())).collect()
    };
    for (name, of) in [
        ("Open", &[("user", "uint8")][..]),
        ("Pay", &[("ticket", "uint32"), ("amount", "uint16")]),
        ("Close", &[("ticket", "uint32")]),
        ("Opened", &[("ticket", "uint32")]),
        ("Paid", &[("ticket", "uint32"), ("total", "uint32")]),
    ] {
        let fields = fields(&types, of);
        types.add(MessageType::new(name, fields, vec![]));
    }
    let of = |name: &str| types.named(name, None).unwrap();
    let channels = vec![
        Channel::input("/open", of("Open")),
        Channel::input("/pay", of("Pay")),
        Channel::input("/close", of("Close")),
        Channel::output("/opened", of("Opened")),
        Channel::output("/paid", of("Paid")),
    ];
    System::new("desk", channels)
        .with_properties(
            "# id: closed\nafter /close as C: no /paid {ticket = @C.ticket}\n\
             # id: limited\nglobally: no /paid {total > 500}\n",
        )
        .unwrap()
}

#[derive(Clone, Copy, PartialEq)]
enum Bug {
    None,
    /// A ticket that was handed back is still good.
    Closed,
    /// Each payment may be 500.
    Limited,
}

#[derive(Default)]
struct Desk {
    bug: Option<Bug>,
    heard: i128,
    ticket: i128,
    total: i128,
}

impl Node for Desk {
    fn receive(&mut self, said: &Message, out: &mut Outbox) {
        let number = |name: &str| match said.value.at(name) {
            Some(Value::Int(number)) => *number,
            _ => 0,
        };
        self.heard += 1;
        match &*said.channel {
            "/open" => {
                self.ticket = (self.heard * 7919 + number("user") * 31) % 65_521 + 70_000;
                self.total = 0;
                out.publish("/opened", message([("ticket", self.ticket.into())]));
            }
            "/close" if number("ticket") == self.ticket && self.bug != Some(Bug::Closed) => self.ticket = 0,
            "/pay" if number("ticket") == self.ticket && self.ticket != 0 => {
                let amount = number("amount");
                let is_too_much =
                    if self.bug == Some(Bug::Limited) { amount > 500 } else { self.total + amount > 500 };
                if !is_too_much {
                    self.total += amount;
                    out.publish(
                        "/paid",
                        message([("ticket", self.ticket.into()), ("total", self.total.into())]),
                    );
                }
            }
            _ => {}
        }
    }
}

fn embedded(bug: Bug) -> EmbeddedBus {
    EmbeddedBus::of_node(move |_| Desk { bug: Some(bug), ..Desk::default() })
}

/// The same desk in a program of its own.
fn program(bug: Bug) -> StdioBus {
    let (close, most) = match bug {
        Bug::None => ("ticket=0", "$((total + amount))"),
        Bug::Closed => (":", "$((total + amount))"),
        Bug::Limited => ("ticket=0", "$amount"),
    };
    let script = format!(
        r#"heard=0; ticket=0; total=0
        number() {{ number=${{line#*\"$1\":}}; number=${{number%%[,\}}]*}}; }}
        echo '{{"idle":true}}'
        while read -r line; do
            case "$line" in
                *reset*) heard=0; ticket=0; total=0; echo '{{"idle":true}}'; continue ;;
                *advance_to_ms*) echo '{{"idle":true}}'; continue ;;
            esac
            heard=$((heard + 1))
            case "$line" in
                *'"/open"'*)
                    number user
                    ticket=$(((heard * 7919 + number * 31) % 65521 + 70000)); total=0
                    echo "{{\"channel\":\"/opened\",\"msg\":{{\"ticket\":$ticket}}}}" ;;
                *'"/close"'*)
                    number ticket
                    [ "$number" = $ticket ] && {close} ;;
                *'"/pay"'*)
                    number amount; amount=$number
                    number ticket
                    if [ $ticket != 0 ] && [ "$number" = $ticket ] && [ {most} -le 500 ]; then
                        total=$((total + amount))
                        echo "{{\"channel\":\"/paid\",\"msg\":{{\"ticket\":$ticket,\"total\":$total}}}}"
                    fi ;;
            esac
        done"#
    );
    StdioBus::new(Starting::new(["sh", "-c", &script]), true, true)
}

/// What was sent in the smallest failing run.
fn smallest(bus: &mut dyn Bus, property: &str, seed: u64, cases: u64) -> Option<Vec<String>> {
    let system = system();
    let settings = settings().seed(seed).cases(cases).without_corpus();
    let tested = SystemTest::new(&system, property).settings(settings).run(bus).unwrap();
    let seen = tested.seen?;
    let inputs = seen.messages.iter().filter(|one| ["/open", "/pay", "/close"].contains(&&*one.channel));
    Some(inputs.map(|one| format!("{} {}", one.at / 1_000_000, one.channel)).collect())
}

#[test]
fn a_value_that_the_system_has_produced_comes_back_and_the_trace_is_still_minimal() {
    for seed in 1..=4 {
        for (bug, property, wanted) in [
            (Bug::Closed, "closed", ["0 /open", "0 /close", "0 /pay"]),
            (Bug::Limited, "limited", ["0 /open", "0 /pay", "0 /pay"]),
        ] {
            let wanted: Option<Vec<String>> = Some(wanted.map(String::from).into());
            assert_eq!(smallest(&mut embedded(bug), property, seed, 4000), wanted, "{property} {seed}");
            assert_eq!(
                smallest(&mut program(bug), property, seed, 4000),
                wanted,
                "{property} {seed} (program)"
            );
            assert_eq!(smallest(&mut embedded(Bug::None), property, seed, 4000), None);
        }
    }
    assert_eq!(smallest(&mut program(Bug::None), "closed", 1, 1000), None);
}
