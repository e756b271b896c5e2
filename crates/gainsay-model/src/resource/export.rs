//! A failure as a program of its own, without gainsay.

use super::{CallId, Resource};
use gainsay_subject::Json;
use std::fmt::Write;

/// The phases of a failure: what was called together, and which calls had returned then.
pub struct Phases<R: Resource> {
    pub(super) name: String,
    pub(super) phases: Vec<(Vec<R::Call>, Vec<CallId>)>,
    /// What was wrong.
    pub(super) why: String,
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
        self.why.lines().map(|line| format!("{start}{line}\n")).collect()
    }

    /// A Java program with a `main`: it makes the calls in the same phases, says what has returned after each, and ends with 1 if the
    /// failure was seen again. `encode` says which method a call is and with which arguments, as for [`java`](super::java).
    pub fn to_java(
        &self,
        class: &str,
        arguments: &[Json],
        encode: impl Fn(&R::Call) -> (String, Vec<Json>),
    ) -> String {
        let list = |values: &[Json]| values.iter().map(Json::to_string).collect::<Vec<_>>().join(", ");
        let mut body = String::new();
        let mut number = 0;
        for (place, (called, returned)) in self.phases.iter().enumerate() {
            let _ = writeln!(body, "        // phase {}", place + 1);
            for call in called {
                let (method, arguments) = encode(call);
                let _ = writeln!(
                    body,
                    "        call({number}, () -> {{ subject.{method}({}); return null; }});",
                    list(&arguments)
                );
                number += 1;
            }
            let returned: Vec<String> = returned.iter().map(CallId::to_string).collect();
            let _ =
                writeln!(body, "        same &= returned({}, List.of({}));", place + 1, returned.join(", "));
        }
        format!(
            r#"import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Phases of calls in which {class} does not do what it should:
{why} */
public class {class}Replay {{
    private static final List<Thread> CALLS = new ArrayList<>();

    public static void main(String[] given) throws Exception {{
        {class} subject = new {class}({arguments});
        boolean same = true;
{body}        System.out.println(same ? "the failure was seen again" : "the failure was not seen");
        Runtime.getRuntime().halt(same ? 1 : 0);
    }}

    private static void call(int number, Callable<Object> call) {{
        Thread thread = new Thread(() -> {{
            try {{
                call.call();
            }} catch (Exception problem) {{
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
            arguments = list(arguments),
        )
    }

    /// A Rust test that needs nothing but the implementation: it makes the calls in the same phases, and fails if the failure is seen
    /// again. `make` is code that makes the real thing, and `call` code that calls it, where it is called `subject`.
    pub fn to_rust(&self, make: &str, call: impl Fn(&R::Call) -> String) -> String {
        let mut body = String::new();
        for (place, (called, returned)) in self.phases.iter().enumerate() {
            let _ = writeln!(body, "    // phase {}", place + 1);
            for each in called {
                let _ = writeln!(body, "    calls.push(call(&subject, |subject| {{ {}; }}));", call(each));
            }
            let _ = writeln!(body, "    same &= returned(&calls) == {returned:?};");
        }
        let name: String =
            self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        format!(
            r#"/// Phases of calls that did not do what they should:
{why}#[test]
fn {name}_is_mended() {{
    use std::sync::Arc;
    use std::thread::{{JoinHandle, sleep, spawn}};
    use std::time::Duration;

    fn call<T: Send + Sync + 'static>(subject: &Arc<T>, call: fn(&T)) -> JoinHandle<()> {{
        let subject = Arc::clone(subject);
        spawn(move || call(&subject))
    }}

    // Whoever has not returned by then is taken to wait.
    fn returned(calls: &[JoinHandle<()>]) -> Vec<usize> {{
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
