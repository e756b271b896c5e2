//! Reads the logs. An event's time is the number of its line.

use super::history::{Operation, Outcome};
use super::{kv, register};
use std::collections::HashMap;

/// One line of a log.
struct Event<C, R> {
    process: u32,
    kind: Kind<C, R>,
}

enum Kind<C, R> {
    Call(C),
    Return(R),
    /// It did not happen.
    Fail,
    /// Nobody knows whether it has happened or will: the call stays open.
    Lost,
}

/// A log of etcd as Jepsen wrote it, lines of `INFO  jepsen.util - process type function value`.
///
/// A compare-and-set that fails has returned `false`; anything else that fails says nothing. A process whose
/// operation ended in `:info` is never heard of again: another one takes its place.
pub(super) fn register(log: &str) -> Result<Vec<Operation<register::Call, register::Return>>, String> {
    use register::{Call, Return};
    operations(log, |line| {
        let mut words = line.split_whitespace().skip_while(|word| *word != "-").skip(1);
        let process = words.next()?.parse().ok()?;
        let kind = words.next()?;
        let function = words.next()?;
        let mut numbers = words.map(|word| word.trim_matches(['[', ']']).parse().ok());
        let mut number = || numbers.next()?;
        let kind = match (kind, function) {
            (":invoke", ":read") => Kind::Call(Call::Read),
            (":invoke", ":write") => Kind::Call(Call::Write(number()?)),
            (":invoke", ":cas") => Kind::Call(Call::Cas { from: number()?, to: number()? }),
            (":ok", ":read") => Kind::Return(Return::Read(number())),
            (":ok", ":write") => Kind::Return(Return::Write),
            (":ok", ":cas") => Kind::Return(Return::Cas(true)),
            (":fail", ":cas") => Kind::Return(Return::Cas(false)),
            (":fail", _) => Kind::Fail,
            (":info", _) => Kind::Lost,
            _ => return None,
        };
        Some(Event { process, kind })
    })
}

/// A log of a key-value store, lines of `{:process 0, :type :invoke, :f :get, :key "k", :value nil}`.
pub(super) fn kv(log: &str) -> Result<Vec<Operation<kv::Call, kv::Return>>, String> {
    use kv::{Action, Call, Return};
    operations(log, |line| {
        let field = |name: &str| {
            let value = line.split_once(name)?.1;
            match value.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"').map(|(text, _)| text),
                None => value.split([',', '}']).next(),
            }
        };
        let process = field(":process ")?.parse().ok()?;
        let value = field(":value ")?.to_owned();
        let call = |action| Some(Call { key: field(":key ")?.to_owned(), action });
        let kind = match (field(":type ")?, field(":f ")?) {
            (":invoke", ":get") => Kind::Call(call(Action::Get)?),
            (":invoke", ":put") => Kind::Call(call(Action::Put(value))?),
            (":invoke", ":append") => Kind::Call(call(Action::Append(value))?),
            (":ok", ":get") => Kind::Return(Return::Get(value)),
            (":ok", ":put") => Kind::Return(Return::Put),
            (":ok", ":append") => Kind::Return(Return::Append),
            (":fail", _) => Kind::Fail,
            (":info", _) => Kind::Lost,
            _ => return None,
        };
        Some(Event { process, kind })
    })
}

/// Joins returns to their calls, in the order of calls. What never returns is pending.
fn operations<C, R>(
    log: &str,
    event: impl Fn(&str) -> Option<Event<C, R>>,
) -> Result<Vec<Operation<C, R>>, String> {
    let mut operations: Vec<Operation<C, R>> = Vec::new();
    let mut open: HashMap<u32, usize> = HashMap::new();
    for (line, time) in log.lines().zip(1..) {
        let wrong = |what| format!("line {time}: {what}: {line}");
        let Event { process, kind } = event(line).ok_or_else(|| wrong("not an event"))?;
        if let Kind::Call(call) = kind {
            if open.insert(process, operations.len()).is_some() {
                return Err(wrong("the process has not returned from its last call"));
            }
            operations.push(Operation { process, call, call_time: time, outcome: Outcome::Pending });
            continue;
        }
        let at = open.remove(&process).ok_or_else(|| wrong("the process has called nothing"))?;
        operations[at].outcome = match kind {
            Kind::Return(value) => Outcome::Returned { time, value },
            Kind::Fail => Outcome::Failed { time },
            Kind::Lost | Kind::Call(_) => Outcome::Pending,
        };
    }
    Ok(operations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_register_log() {
        let log = "INFO  jepsen.util - 0\t:invoke\t:cas\t[1 0]\n\
                   INFO  jepsen.util - 1\t:invoke\t:read\tnil\n\
                   INFO  jepsen.util - 2   :invoke :write  7\n\
                   INFO  jepsen.util - 0\t:fail\t:cas\t[1 0]\n\
                   INFO  jepsen.util - 1\t:ok\t:read\tnil\n\
                   INFO  jepsen.util - 2\t:info\t:write\t:timed-out\n\
                   INFO  jepsen.util - 1\t:invoke\t:read\tnil\n\
                   INFO  jepsen.util - 1\t:fail\t:read\t:timed-out\n";
        let operations = register(log).expect("the log is well formed");
        let shown: Vec<String> = operations
            .iter()
            .map(|one| format!("{} {:?} {:?} {}", one.process, one.call, one.outcome, one.call_time))
            .collect();
        assert_eq!(
            shown,
            [
                "0 Cas { from: 1, to: 0 } Returned { time: 4, value: Cas(false) } 1",
                "1 Read Returned { time: 5, value: Read(None) } 2",
                "2 Write(7) Pending 3",
                "1 Read Failed { time: 8 } 7",
            ]
        );
        let wrong = register("INFO  jepsen.util - 0\t:ok\t:write\t1\n").expect_err("nothing was called");
        assert!(wrong.starts_with("line 1: the process has called nothing"), "{wrong}");
    }

    #[test]
    fn a_kv_log() {
        let log = "{:process 3, :type :invoke, :f :append, :key \"0\", :value \"x 0 0 y\"}\n\
                   {:process 4, :type :invoke, :f :get, :key \"0\", :value nil}\n\
                   {:process 3, :type :ok, :f :append, :key \"0\", :value \"x 0 0 y\"}\n\
                   {:process 4, :type :ok, :f :get, :key \"0\", :value \"\"}\n";
        let operations = kv(log).expect("the log is well formed");
        assert_eq!(operations[0].call.action, kv::Action::Append("x 0 0 y".to_owned()));
        assert_eq!((operations[1].process, operations[1].call.key.as_str()), (4, "0"));
        let Outcome::Returned { time: 4, value: kv::Return::Get(value) } = &operations[1].outcome else {
            panic!("{:?}", operations[1]);
        };
        assert_eq!(value, "");
    }
}
