//! Components that call each other, held against each other: specifications alone, and the real ones linked.

use gainsay::callout::{Method, call, choice, none, repeat, self_call};
use gainsay::{Cluster, Model, Parts, Settings, Verdict, cluster, mock, model, settings};
use std::cell::RefCell;
use std::rc::Rc;

#[mock]
trait Store {
    fn push(&mut self, item: u8) -> bool;
    fn pop(&mut self, item: &mut u8) -> bool;
}

/// A store with so much room.
#[derive(Debug, Clone)]
struct Shelf {
    items: Rc<RefCell<Vec<u8>>>,
    room: usize,
}

impl Shelf {
    fn new(room: usize) -> Shelf {
        Shelf { items: Rc::default(), room }
    }
}

impl Store for Shelf {
    fn push(&mut self, item: u8) -> bool {
        let mut items = self.items.borrow_mut();
        let has_room = items.len() < self.room;
        if has_room {
            items.push(item);
        }
        has_room
    }

    fn pop(&mut self, item: &mut u8) -> bool {
        let mut items = self.items.borrow_mut();
        if items.is_empty() {
            return false;
        }
        *item = items.remove(0);
        true
    }
}

/// What keeps its letters in a store.
struct Desk<T>(T);

impl<T: Store> Desk<T> {
    fn post(&mut self, letter: u8) -> bool {
        self.0.push(letter)
    }

    fn fetch(&mut self) -> Option<u8> {
        let mut letter = 0;
        self.0.pop(&mut letter).then_some(letter)
    }
}

fn seeded() -> Settings {
    settings().seed(1).without_corpus()
}

/// A desk that says it holds so many letters.
fn desk<T: Store + 'static>(holds: usize, store: fn() -> T) -> Model<Vec<u8>, Desk<T>> {
    model(Vec::new, move || Desk(store()))
        .operation(
            "post",
            |_, case| case.any::<u8>(),
            |desk, letter| desk.post(*letter),
            move |post| {
                post.when(move |letters: &Vec<u8>| letters.len() < holds)
                    .calls(|_, letter| call(MockStore::PUSH).given((*letter,)).returns(true))
                    .returns(|_, _| true)
                    .next(|letters, letter| letters.push(*letter))
            },
        )
        .operation(
            "fetch",
            |_, _| (),
            |desk, ()| desk.fetch(),
            |fetch| {
                fetch
                    .when(|letters: &Vec<u8>| !letters.is_empty())
                    .calls(|letters, ()| {
                        let first = letters[0];
                        call(MockStore::POP).given((0,)).replies(move |(item,)| {
                            *item = first;
                            true
                        })
                    })
                    .returns(|letters, ()| letters.first().copied())
                    .next(|letters, ()| {
                        letters.remove(0);
                    })
            },
        )
}

/// A store that must not be asked for more than it has room for.
fn store(room: usize) -> Model<Vec<u8>, Shelf> {
    model(Vec::new, move || Shelf::new(room))
        .operation(
            "push",
            |_, case| case.any::<u8>(),
            |shelf, item| shelf.push(*item),
            move |push| {
                push.callers(["desk"])
                    .precondition(move |items: &Vec<u8>, _| items.len() < room)
                    .returns(|_, _| true)
                    .next(|items, item| items.push(*item))
            },
        )
        .operation(
            "pop",
            |_, _| (),
            |shelf, ()| {
                let mut item = 0;
                shelf.pop(&mut item).then_some(item)
            },
            |pop| {
                pop.callers(["desk"])
                    .when(|items: &Vec<u8>| !items.is_empty())
                    .returns(|items, ()| items.first().copied())
                    .next(|items, ()| {
                        items.remove(0);
                    })
            },
        )
}

fn bound(cluster: Cluster) -> Cluster {
    cluster.bind(MockStore::PUSH, "store", "push", |(item,)| *item, |_, done| *done).bind(
        MockStore::POP,
        "store",
        "pop",
        |_| (),
        |(item,), done| done.then_some(*item),
    )
}

fn both(holds: usize, room: usize) -> Cluster {
    let cluster = cluster("letters")
        .component("desk", desk(holds, MockStore::new))
        .component("store", store(room))
        .settings(seeded());
    bound(cluster)
}

fn falsified(verdict: &Verdict) -> (Vec<String>, String) {
    let Verdict::Falsified(falsified) = verdict else { panic!("{verdict}") };
    let counterexample = &falsified.counterexample;
    let notes = counterexample.notes.iter().map(|note| note.value.clone()).collect();
    (notes, counterexample.message.clone())
}

#[test]
fn one_component_overflows_the_other_and_both_specifications_say_so() {
    let (story, message) = falsified(&both(4, 3).verdict_model_only());
    let one = "desk.post(0) [store.push(0) → true]";
    assert_eq!(story, [one, one, one, "desk.post(0)"]);
    assert_eq!(
        message,
        "the specifications disagree: desk.post(0) calls store.push(0)\n  \
         desk: post(0) in state [0, 0, 0] is expected to call Store::push(0)\n  \
         store: push(0) must not be called in state [0, 0, 0]"
    );
    assert!(both(3, 3).verdict_model_only().is_good());
}

#[test]
fn what_the_caller_takes_for_granted_must_be_what_the_other_answers() {
    let shy = |room: usize| {
        model(|| 0, || ()).operation(
            "push",
            |_, case| case.any::<u8>(),
            |_, _| true,
            move |push| push.returns(move |count, _| *count < room).next(|count, _| *count += 1),
        )
    };
    let with = |holds: usize, room: usize| {
        cluster("letters")
            .component("desk", desk(holds, MockStore::new))
            .component("store", shy(room))
            .bind(MockStore::PUSH, "store", "push", |(item,)| *item, |_, done| *done)
            .settings(seeded())
    };
    let (_, message) = falsified(&with(usize::MAX, 1).verdict_model_only());
    assert!(message.contains("takes it for granted that Store::push(0) is answered true"), "{message}");
    assert!(message.contains("push(0) returned true in state 1; expected false"), "{message}");
    assert!(with(2, usize::MAX).verdict_model_only().is_good());
}

#[test]
fn real_components_are_judged_together() {
    let linked = |holds: usize, room: usize, real: usize| {
        let cluster = cluster("letters")
            .component("desk", desk(holds, || SpyStore::new(Shelf::new(3))))
            .component("store", store(room))
            .link(move || {
                let shelf = Shelf::new(real);
                Parts::new().with("desk", Desk(SpyStore::new(shelf.clone()))).with("store", shelf)
            })
            .settings(seeded());
        bound(cluster)
    };
    assert!(linked(3, 3, 3).verdict().is_good());
    // The store holds less than its specification says.
    let (story, message) = falsified(&linked(3, 3, 2).verdict());
    assert_eq!(story.iter().filter(|line| line.starts_with("desk.post(0)")).count(), 3, "{story:?}");
    assert_eq!(story[2], "desk.post(0) was stopped [store.push(0) → false]");
    assert_eq!(
        message,
        "store: push(0) returned false in state [0, 0]; expected true (called by desk.post(0))"
    );
    // The desk uses it more than its specification allows.
    let (_, message) = falsified(&linked(4, 3, 9).verdict());
    assert!(message.contains("push(0) must not be called in state [0, 0, 0]"), "{message}");
}

#[test]
fn mocks_stand_in_for_components_that_are_not_linked() {
    assert!(both(3, 3).verdict().is_good());
    let (_, message) = falsified(&both(4, 3).verdict());
    assert!(message.contains("push(0) must not be called in state [0, 0, 0]"), "{message}");
}

const ONE: Method<(u8,), u8> = Method::new("one");
const OTHER: Method<(u8,), u8> = Method::new("other");
const OUTSIDE: Method<(), u8> = Method::new("outside");

/// A component with one operation that calls something.
fn calling(name: &str, method: Method<(u8,), u8>, callers: &[&'static str]) -> Model<(), ()> {
    let callers = callers.to_vec();
    model(|| (), || ()).operation(
        name,
        |_, case| case.any::<u8>(),
        |_, number| *number,
        move |operation| {
            let operation = operation.calls(move |_, number| call(method).given((*number,)).returns(*number));
            operation.returns(|_, number| *number).callers(callers)
        },
    )
}

#[test]
fn calls_that_go_round_in_circles_are_an_error() {
    let (_, message) = falsified(
        &cluster("circle")
            .component("a", calling("f", ONE, &[]))
            .component("b", calling("g", OTHER, &["a"]))
            .bind(ONE, "b", "g", |(number,)| *number, |_, result| *result)
            .bind(OTHER, "a", "f", |(number,)| *number, |_, result| *result)
            .settings(seeded())
            .verdict_model_only(),
    );
    assert_eq!(message, "calls between components go on for ever: a.f(0) → b.g(0) → a.f(0) → b.g(0) → …");
}

#[test]
fn only_callers_may_call() {
    let (_, message) = falsified(
        &cluster("strangers")
            .component("a", calling("f", ONE, &[]))
            .component("b", calling("g", OTHER, &["c"]))
            .component("c", calling("h", OTHER, &[]))
            .bind(ONE, "b", "g", |(number,)| *number, |_, result| *result)
            .settings(seeded())
            .verdict_model_only(),
    );
    assert!(message.contains("a.f(0) calls b.g(0)"), "{message}");
    assert!(message.contains("only c may call b.g(0)"), "{message}");
}

#[test]
fn what_is_not_bound_stays_outside_and_every_way_through_a_term_is_tried() {
    let talker = |most: usize| {
        model(|| 0_usize, || ()).operation(
            "talk",
            |_, _| (),
            |_, ()| (),
            move |talk| {
                talk.when(move |calls| *calls <= most)
                    .calls(|_, ()| {
                        let drawn = call(OUTSIDE).draws(|case| case.int(0..=3)).capture_answer("drawn");
                        repeat(choice([drawn.into(), call(ONE).given((7,)).returns(7).into()])).then(none())
                    })
                    .observe_calls(|calls, (), captured| {
                        *calls += usize::from(captured.get::<u8>("drawn") == Some(&3))
                    })
            },
        )
    };
    let verdict = cluster("talk")
        .component("talker", talker(1).law("at most one", |calls| *calls <= 1))
        .settings(seeded())
        .verdict_model_only();
    let (story, message) = falsified(&verdict);
    assert_eq!(story, ["talker.talk() [outside() → 3]", "talker.talk() [outside() → 3]"]);
    assert!(message.contains("talker: the law `at most one` does not hold in state 2"), "{message}");
    let good = cluster("talk").component("talker", talker(0).law("at most one", |calls| *calls <= 1));
    assert!(good.settings(seeded()).verdict_model_only().is_good());
}

#[test]
fn clusters_that_make_no_sense_are_refused() {
    let error = |cluster: Cluster| cluster.report_model_only().expect_err("it makes no sense").to_string();
    let one = || cluster("c").component("a", calling("f", ONE, &[]));
    let bind = |cluster: Cluster, component: &str, operation: &str| {
        cluster.bind(ONE, component, operation, |(number,)| *number, |_, result| *result)
    };
    for (cluster, said) in [
        (cluster("c"), "has no component"),
        (one().component("a", calling("f", ONE, &[])), "has two components called `a`"),
        (bind(one(), "b", "f"), "binds `one` to `b`, which is not in it"),
        (bind(one(), "a", "g"), "binds `one` to `g`, which `a` does not have"),
        (bind(bind(one(), "a", "f"), "a", "f"), "binds `one` twice"),
        (one().bind(ONE, "a", "f", |_| "x", |_, r| *r), "arguments or results of other types"),
        (one().component("b", calling("g", ONE, &["z"])), "has no component `z`, which is a caller of `b`"),
        (cluster("c").component("a", calling("f", ONE, &["a"])), "no operation that is called from outside"),
        (one().len(std::ops::RangeInclusive::new(3, 2)), "change `.len(…)`"),
    ] {
        let message = error(cluster);
        assert!(message.contains(said), "{message}");
    }
    let observing = model(|| 0, || ()).operation(
        "look",
        |_, _| (),
        |_, ()| 1,
        |look| look.observe(|state, (), seen| *state = *seen),
    );
    let message = error(cluster("c").component("a", observing));
    assert!(message.contains("`a.look` observes what it really returns"), "{message}");
}

#[test]
fn arguments_that_nobody_knows_are_asked_for() {
    let vague = model(|| (), || ()).operation(
        "f",
        |_, _| (),
        |_, ()| (),
        |f| f.calls(|_, ()| call(ONE).with(|(number,)| *number > 3).returns(1)),
    );
    let report = cluster("vague")
        .component("a", vague)
        .component("b", calling("g", OTHER, &[]))
        .bind(ONE, "b", "g", |(number,)| *number, |_, result| *result)
        .settings(seeded())
        .report_model_only()
        .expect("it makes sense");
    // Nothing is contradicted by that, and it is said.
    assert!(!matches!(report.verdict, Verdict::Falsified(_)), "{report}");
    let said = "the arguments of one(_) are not known beforehand: say `.given(…)`";
    assert!(report.remarks.iter().any(|remark| remark.contains(said)), "{report}");
}

/// Counts down, by calling itself through a cluster.
fn down(from: u8) -> Cluster {
    let model = model(|| (), || ()).operation(
        "down",
        move |_, _| from,
        |_, _| 0_u8,
        |down| {
            down.calls(|_, number| match number.checked_sub(1) {
                Some(less) => call(ONE).given((less,)).returns(0).into(),
                None => none(),
            })
            .returns(|_, _| 0)
        },
    );
    cluster("down")
        .component("a", model)
        .bind(ONE, "a", "down", |(number,)| *number, |_, result| *result)
        .settings(seeded().cases(5))
        .len(1..=1)
}

#[test]
fn depth_is_no_fault() {
    assert!(down(40).verdict_model_only().is_good());
    let report = down(200).report_model_only().expect("it makes sense");
    assert!(matches!(report.verdict, Verdict::Inconclusive(_)), "{report}");
    assert!(report.remarks.iter().any(|remark| remark.contains("nested more than 100 deep")), "{report}");
}

#[test]
fn every_silent_way_is_tried() {
    let ways = |most: u8| {
        let set = |to: u8| self_call("set", |_: &u8| none(), move |state: &mut u8| *state = to);
        model(|| 0, || ()).operation(
            "go",
            |_, _| (),
            |_, ()| (),
            move |go| go.calls(move |_, ()| choice([set(0), set(most)])).self_calls(),
        )
    };
    let run = |most: u8| {
        let model = ways(most).law("small", |state| *state < 9);
        cluster("ways").component("a", model).settings(seeded()).verdict_model_only()
    };
    assert!(run(8).is_good());
    assert!(!run(9).is_good());
}

struct Broken;

impl Store for Broken {
    fn push(&mut self, _: u8) -> bool {
        panic!("out of paper")
    }

    fn pop(&mut self, _: &mut u8) -> bool {
        false
    }
}

#[test]
fn a_real_component_that_panics_is_to_blame() {
    let forgiving = model(Vec::<u8>::new, || Desk(SpyStore::new(Broken))).operation(
        "post",
        |_, case| case.any::<u8>(),
        |desk, letter| {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| desk.post(*letter)));
        },
        |post| post.calls(|_, letter| call(MockStore::PUSH).given((*letter,)).returns(true)),
    );
    let cluster =
        cluster("letters").component("desk", forgiving).component("store", store(3)).settings(seeded());
    let (_, message) = falsified(&bound(cluster).verdict());
    assert!(message.contains("store.push(0) did not return, as its specification says"), "{message}");
}

#[test]
fn what_a_mock_may_not_do_in_place_of_a_component_is_said() {
    let rash = model(|| (), MockStore::new).operation(
        "post",
        |_, _| (),
        |store, ()| {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| store.push(0)));
        },
        |post| post.calls(|_, ()| call(MockStore::PUSH).given((0,)).panics("full")),
    );
    let cluster = cluster("letters").component("desk", rash).component("store", store(3)).settings(seeded());
    let (_, message) = falsified(&bound(cluster).verdict());
    assert!(message.contains("takes it for granted that Store::push(0)"), "{message}");
}

#[test]
fn whoever_is_called_back_must_know_his_state() {
    const ASK: Method<(), ()> = Method::new("ask");
    const TELL: Method<(), ()> = Method::new("tell");
    let run = |told: bool, changes: bool| {
        let a = model(|| 0u8, || ())
            .operation("tell", |_, _| (), |_, ()| (), |tell| tell.callers(["b"]).next(|state, ()| *state = 1))
            .operation(
                "go",
                |_, _| (),
                |_, ()| (),
                move |go| {
                    let set = move || self_call("set", |_: &u8| none(), |state: &mut u8| *state = 2);
                    go.calls(move |_, ()| {
                        let ask = call(ASK).given(()).returns(());
                        if changes { set().then(ask) } else { ask.into() }
                    })
                    .self_calls()
                },
            );
        let b = model(|| (), || ()).operation(
            "ask",
            |_, _| (),
            |_, ()| (),
            move |ask| {
                let ask = ask.callers(["a"]);
                if told { ask.calls(|_, ()| call(TELL).given(()).returns(())) } else { ask }
            },
        );
        cluster("callback")
            .component("a", a)
            .component("b", b)
            .bind(ASK, "b", "ask", |()| (), |(), ()| ())
            .bind(TELL, "a", "tell", |()| (), |(), ()| ())
            .settings(seeded())
            .report_model_only()
            .unwrap()
    };
    assert!(run(true, false).verdict.is_good());
    assert!(run(false, true).verdict.is_good());
    let both = run(true, true);
    assert!(both.to_string().contains("a was called back while a.go() was at work"), "{both}");
    assert!(matches!(both.verdict, Verdict::Inconclusive(_)), "{both}");
}

#[test]
fn methods_are_bound_by_their_types_and_modules() {
    #[gainsay::mock]
    trait Port<T> {
        fn put(&self, value: T) -> bool;
    }
    struct Real;
    impl Port<u8> for Real {
        fn put(&self, _: u8) -> bool {
            true
        }
    }
    impl Port<u16> for Real {
        fn put(&self, _: u16) -> bool {
            true
        }
    }
    type Ports = (SpyPort<u8, Real>, SpyPort<u16, Real>);
    let run = |result: bool, both: bool| {
        let caller = model(|| (), || -> Ports { (SpyPort::new(Real), SpyPort::new(Real)) }).operation(
            "go",
            |_, _| (),
            move |ports, ()| {
                ports.1.put(2);
                ports.0.put(1);
                result
            },
            |go| {
                go.calls(|_, ()| {
                    let wide = call(MockPort::<u16>::PUT).given((2,)).returns(true);
                    wide.then(call(MockPort::<u8>::PUT).given((1,)).returns(true))
                })
                .returns(|_, ()| true)
            },
        );
        let sink = model(|| 0, || ())
            .operation(
                "got",
                |_, case| case.any::<u8>(),
                |_, _| true,
                |got| got.callers(["caller"]).returns(|_, _| true).next(|count, _| *count += 1),
            )
            .operation(
                "wide",
                |_, case| case.any::<u16>(),
                |_, _| true,
                |got| got.callers(["caller"]).returns(|_, _| true),
            );
        let cluster = cluster("ports")
            .component("caller", caller)
            .component("sink", sink)
            .bind(MockPort::<u8>::PUT, "sink", "got", |(value,)| *value, |_, done| *done)
            .settings(seeded());
        if both {
            cluster.bind(MockPort::<u16>::PUT, "sink", "wide", |(value,)| *value, |_, done| *done).verdict()
        } else {
            cluster.verdict()
        }
    };
    for both in [false, true] {
        let verdict = run(true, both);
        assert!(verdict.is_good(), "{verdict}");
        let (_, message) = falsified(&run(false, both));
        assert!(message.contains("caller: go() returned false"), "{message}");
    }
}

#[test]
fn operations_that_never_stop_calling_are_not_decided() {
    const PUT: Method<(u8,), ()> = Method::new("put");
    fn endless() -> gainsay::callout::Term<u8> {
        self_call("go", |_: &u8| call(PUT).given((1,)).returns(()).then(endless()), |_| {})
    }
    let caller = model(|| 0u8, || ()).operation(
        "go",
        |_, _| (),
        |_, ()| (),
        |go| go.calls(|_, ()| endless()).self_calls(),
    );
    let sink = model(|| (), || ()).operation(
        "got",
        |_, case| case.any::<u8>(),
        |_, _| (),
        |got| got.callers(["caller"]),
    );
    let verdict = cluster("endless")
        .component("caller", caller)
        .component("sink", sink)
        .bind(PUT, "sink", "got", |(value,)| *value, |_, ()| ())
        .settings(seeded().cases(3))
        .verdict_model_only();
    assert!(matches!(verdict, Verdict::Inconclusive(_)), "{verdict}");
}
