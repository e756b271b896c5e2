//! A failure as a program of its own, without gainsay.

use super::{CallId, Clause, Resource};
use gainsay_core::escaped;
use gainsay_subject::Json;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The phases of a failure: what was called together, and which calls had returned then.
pub struct Phases<R: Resource> {
    pub(super) name: String,
    pub(super) phases: Vec<(Vec<R::Call>, Vec<CallId>)>,
    /// What calls have returned, as people read it; nothing if they ended otherwise.
    pub(super) values: BTreeMap<CallId, Option<String>>,
    pub(super) clause: Clause,
    /// What was wrong.
    pub(super) why: String,
    /// All that was told of it.
    pub(super) told: String,
}

impl<R: Resource> std::fmt::Debug for Phases<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Phases")
            .field("name", &self.name)
            .field("phases", &self.phases)
            .finish_non_exhaustive()
    }
}

impl<R: Resource> Phases<R> {
    /// The calls of each phase, and the numbers of those that had returned after it; calls are numbered from 0.
    pub fn phases(&self) -> &[(Vec<R::Call>, Vec<CallId>)] {
        &self.phases
    }

    /// What was wrong, as lines of a comment.
    fn comment(&self, start: &str) -> String {
        // What would end a comment, or mean something in one.
        let why = commented(&self.why);
        why.lines().map(|line| format!("{start}{line}\n")).collect()
    }

    /// What a call must return for the failure to be seen again, if that is what it is about.
    fn value(&self, call: CallId) -> Option<&str> {
        if self.clause != Clause::Post {
            return None;
        }
        self.values.get(&call)?.as_deref()
    }

    /// The calls that must throw or panic for the failure to be seen again, if that is what it is about.
    fn thrown(&self) -> Option<Vec<CallId>> {
        let thrown = self.values.iter().filter(|(_, value)| value.is_none()).map(|(id, _)| *id);
        (self.clause == Clause::Exception).then(|| thrown.collect())
    }

    /// A Java program with a `main`: it makes the calls in the same phases, says what has returned after each, and ends with 1 if the
    /// failure was seen again. `encode` says which method a call is and with which arguments, as for [`java`](super::java).
    pub fn to_java(
        &self,
        class: &str,
        arguments: &[Json],
        encode: impl Fn(&R::Call) -> (String, Vec<Json>),
    ) -> String {
        let list = |values: &[Json]| values.iter().map(literal).collect::<Vec<_>>().join(", ");
        let short = class.rsplit(['.', '$']).next().unwrap_or(class);
        let source = class.replace('$', ".");
        let mut body = String::new();
        let mut number = 0;
        for (place, (called, returned)) in self.phases.iter().enumerate() {
            let _ = writeln!(body, "        // phase {}", place + 1);
            for call in called {
                let (method, arguments) = encode(call);
                // (Who returns nothing that matters may return nothing at all.)
                let has_value = self.value(number).is_some_and(|value| value != "()");
                let [before, after] = if has_value { ["return ", ""] } else { ["", " return null;"] };
                let _ = writeln!(
                    body,
                    "        call({number}, () -> {{ {before}subject.{method}({});{after} }});",
                    list(&arguments)
                );
                number += 1;
            }
            let returned: Vec<String> = returned.iter().map(CallId::to_string).collect();
            let _ =
                writeln!(body, "        same &= returned({}, List.of({}));", place + 1, returned.join(", "));
        }
        for id in 0..number {
            if let Some(value) = self.value(id).filter(|value| *value != "()") {
                let _ = writeln!(
                    body,
                    "        same &= {}.equals(String.valueOf(VALUES.get({id})));",
                    java_text(value)
                );
            }
        }
        if let Some(thrown) = self.thrown() {
            let thrown: Vec<String> = thrown.iter().map(CallId::to_string).collect();
            let _ = writeln!(body, "        same &= THROWN.equals(Set.of({}));", thrown.join(", "));
        }
        format!(
            r#"import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Phases of calls in which {class_shown} does not do what it should:
{why} */
public class {short}Replay {{
    private static final List<Thread> CALLS = new ArrayList<>();
    private static final Map<Integer, Object> VALUES = new ConcurrentHashMap<>();
    private static final Set<Integer> THROWN = ConcurrentHashMap.newKeySet();

    public static void main(String[] given) throws Exception {{
        {source} subject = new {source}({arguments});
        boolean same = true;
{body}        System.out.println(same ? "the failure was seen again" : "the failure was not seen");
        Runtime.getRuntime().halt(same ? 1 : 0);
    }}

    private static void call(int number, Callable<Object> call) {{
        Thread thread = new Thread(() -> {{
            try {{
                Object value = call.call();
                if (value != null) {{
                    VALUES.put(number, value);
                    System.out.println("call " + number + " returned " + value);
                }}
            }} catch (Throwable problem) {{
                THROWN.add(number);
                System.out.println("call " + number + " threw " + problem);
            }}
        }});
        thread.setDaemon(true);
        CALLS.add(thread);
        thread.start();
    }}

    /** Waits until every call has returned or waits, and compares which have returned. */
    private static boolean returned(int phase, List<Integer> expected) throws InterruptedException {{
        int still = 0;
        for (int looks = 0; looks < 2000 && still < 20; looks++) {{
            boolean moves = false;
            for (Thread call : CALLS) {{
                Thread.State state = call.getState();
                moves |= state == Thread.State.RUNNABLE || state == Thread.State.NEW;
            }}
            still = moves ? 0 : still + 1;
            Thread.sleep(1);
        }}
        List<Integer> returned = new ArrayList<>();
        for (int number = 0; number < CALLS.size(); number++) {{
            if (CALLS.get(number).getState() == Thread.State.TERMINATED) {{
                returned.add(number);
            }}
        }}
        System.out.println("after phase " + phase + " the calls " + returned + " have returned");
        return returned.equals(expected);
    }}
}}
"#,
            why = self.comment(" * "),
            class_shown = commented(class),
            arguments = list(arguments),
        )
    }

    /// A Rust test that needs nothing but the implementation: it makes the calls in the same phases, and fails if the failure is seen
    /// again. `make` is code that makes the real thing, and `call` code that calls it, where it is called `subject`.
    pub fn to_rust(&self, make: &str, call: impl Fn(&R::Call) -> String) -> String {
        let mut body = String::new();
        let mut number = 0;
        for (place, (called, returned)) in self.phases.iter().enumerate() {
            let _ = writeln!(body, "    // phase {}", place + 1);
            for each in called {
                // (Who returns nothing that matters may return what cannot be shown.)
                let shown = match self.value(number).is_some_and(|value| value != "()") {
                    true => format!("format!(\"{{:?}}\", {{ {} }})", call(each)),
                    false => format!("{}; String::new()", call(each)),
                };
                let _ = writeln!(body, "    calls.push(call(&subject, |subject| {{ {shown} }}));");
                number += 1;
            }
            let _ = writeln!(body, "    same &= returned(&calls) == {returned:?};");
        }
        let wanted = self.values.keys().filter_map(|id| Some((*id, self.value(*id)?)));
        let values: Vec<(CallId, &str)> = wanted.filter(|(_, value)| *value != "()").collect();
        if !values.is_empty() || self.thrown().is_some() {
            let ended = self.phases.last().map(|(_, returned)| returned.as_slice()).unwrap_or_default();
            body += "    let mut calls: Vec<_> = calls.into_iter().map(Some).collect();\n";
            body += "    let mut ended = |number: usize| calls[number].take().filter(|call| call.is_finished()).map(JoinHandle::join);\n";
            for id in ended {
                match (self.value(*id).filter(|value| *value != "()"), self.thrown()) {
                    (Some(value), _) => {
                        let _ = writeln!(
                            body,
                            "    same &= matches!(ended({id}), Some(Ok(value)) if value == {value:?});"
                        );
                    }
                    (None, Some(thrown)) => {
                        let is = if thrown.contains(id) { "" } else { "!" };
                        let _ = writeln!(body, "    same &= {is}matches!(ended({id}), Some(Err(_)));");
                    }
                    (None, None) => {}
                }
            }
        }
        let name: String =
            self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        // A name does not begin with a digit.
        let name = if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name };
        format!(
            r#"/// Phases of calls that did not do what they should:
{why}#[test]
fn {name}_is_mended() {{
    use std::sync::Arc;
    use std::thread::{{JoinHandle, sleep, spawn}};
    use std::time::Duration;

    fn call<T: Send + Sync + 'static>(subject: &Arc<T>, call: fn(&T) -> String) -> JoinHandle<String> {{
        let subject = Arc::clone(subject);
        spawn(move || call(&subject))
    }}

    // Whoever has not returned by then is taken to wait.
    fn returned(calls: &[JoinHandle<String>]) -> Vec<usize> {{
        sleep(Duration::from_millis(200));
        (0..calls.len()).filter(|number| calls[*number].is_finished()).collect()
    }}

    let subject = Arc::new({make});
    let mut calls = Vec::new();
    let mut same = true;
{body}    assert!(!same, "the failure was seen again");
}}
"#,
            why = self.comment("/// "),
            name = name.to_lowercase(),
        )
    }
}

/// Text that stands in a comment of Java or Rust: without what would end it, or mean something in it.
fn commented(text: &str) -> String {
    escaped(text).replace("*/", "* /").replace('\\', "/")
}

/// Text as it is written in Java. (There `\u000a` ends the line before anything else is read, so that control characters are written in octal.)
fn java_text(text: &str) -> String {
    let mut written = String::from("\"");
    for unit in text.encode_utf16() {
        match unit {
            0x22 => written += "\\\"",
            0x5c => written += "\\\\",
            0x20..0x7f => written.push(char::from(unit as u8)),
            0..0x80 => written += &format!("\\{unit:03o}"),
            _ => written += &format!("\\u{unit:04x}"),
        }
    }
    written + "\""
}

/// A value as it is written in Java: whole numbers that need it are long, and lists are lists.
fn literal(value: &Json) -> String {
    match value {
        Json::Number(number) if number.as_i64().is_some_and(|number| i32::try_from(number).is_err()) => {
            format!("{number}L")
        }
        Json::Number(number) if !number.is_f64() && number.as_i64().is_none() => {
            format!("Long.parseUnsignedLong(\"{number}\")")
        }
        Json::String(text) => java_text(text),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("List.of({})", items.join(", "))
        }
        // (`Map.of` takes ten at most.)
        Json::Object(items) => {
            let entry =
                |(key, value): (&String, &Json)| format!("Map.entry({}, {})", java_text(key), literal(value));
            let items: Vec<String> = items.iter().map(entry).collect();
            format!("Map.ofEntries({})", items.join(", "))
        }
        other => other.to_string(),
    }
}
