//! Streams with times, by hand, from recordings; and things that run in virtual time.

use crate::support::seeded;
use gainsay::temporal::{
    Acceptor, Accepts, Atom, Event, Formula, Streams, TimedStreams, Truth, actor, adapter, always, atom,
    by_hand, eventually, next_observed, parse, recorded, relation, stream, timed_stream,
};
use gainsay::{Case, Verdict};
use std::time::Duration;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn letters() -> Vec<Atom<char>> {
    let others = |wanted: char| "ab.".chars().filter(|c| *c != wanted).collect::<Vec<_>>();
    let one = |name: char| {
        atom(name.to_string(), move |c: &char| *c == name).when_true([name]).when_false(others(name))
    };
    vec![one('a'), one('b')]
}

fn read(text: &str) -> Formula<char> {
    parse(text, &letters()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn timed_streams_satisfy_their_formulas() {
    let formulas = [
        "G (a -> F[10ms,20ms] b)",
        "F a & G (a -> X G[0s,30ms] !a)",
        "G (b -> O[5ms,50ms] a) & F b",
        "F (a & F[7ms,7ms] (b & F[3ms,4ms] a))",
        "(!b U[20ms,1s] a) & G (a -> !F[1ms,9ms] a)",
        "G (a -> G[0s,15ms] !b) & F a & F b",
    ];
    for text in formulas {
        let formula = read(text);
        let streams = TimedStreams::new(&formula, |case| ms(case.int(0..=40))).unwrap().length(3..=12);
        for number in 0..100 {
            let drawn =
                streams.try_draw(&mut Case::random(1, number)).unwrap_or_else(|error| panic!("{error}"));
            let elements: Vec<(Duration, &char)> = drawn.iter().map(|(time, c)| (*time, c)).collect();
            assert!(
                (3..=12).contains(&drawn.len()) && formula.holds_at_times(&elements),
                "{text} of {drawn:?}"
            );
        }
    }
    for impossible in ["F (a & b)", "F[5ms,10ms] a & G !a"] {
        let error = TimedStreams::new(&read(impossible), |_| ms(1)).unwrap_err().to_string();
        assert!(error.ends_with("it contradicts itself"), "{error}");
    }
    let narrow = read("G (F[0ms,0ms] a) & F[5ms,5ms] b & G (b -> F[1ms,2ms] b)");
    let error =
        TimedStreams::new(&narrow, |_| ms(1)).unwrap().length(1..=4).try_draw(&mut Case::random(1, 1));
    assert!(error.unwrap_err().to_string().starts_with("no stream of 1 to 4 elements was found"));
}

#[test]
fn timed_streams_are_found_though_most_ways_lead_nowhere() {
    for text in
        ["G (a -> F[10ms,20ms] b) & G (b -> F[10ms,20ms] a)", "G (a -> F[10ms,20ms] b) & F[100ms,200ms] a"]
    {
        let formula = read(text);
        let streams = TimedStreams::new(&formula, |case| ms(case.int(0..=20))).unwrap().length(10..=20);
        for number in 0..30 {
            let drawn =
                streams.try_draw(&mut Case::random(1, number)).unwrap_or_else(|error| panic!("{error}"));
            let elements: Vec<(Duration, &char)> = drawn.iter().map(|(time, c)| (*time, c)).collect();
            assert!(formula.holds_at_times(&elements), "{text} of {drawn:?}");
        }
    }
}

#[test]
fn what_is_given_holds_at_the_times_that_are_seen() {
    // (Timers are no finer than a millisecond: neither are delays.)
    let given = read("!a & F[0us,2300us] a");
    let seen =
        parse("!a & F[0us,2300us] a", &[atom("a", |event: &Event<char, char>| event.input() == Some(&'a'))])
            .unwrap();
    let verdict = actor(
        "still",
        |_: tokio::sync::mpsc::UnboundedReceiver<char>, _: tokio::sync::mpsc::UnboundedSender<char>| async {},
    )
    .given(given)
    .delays(|case| Duration::from_micros(case.int(0..=3000)))
    .length(2..=3)
    .expect_events(seen)
    .settings(seeded(1).cases(100))
    .verdict();
    assert!(verdict.is_good(), "{verdict}");
}

#[test]
fn a_late_answer_is_found_and_shrunk() {
    // Whoever is asked twice within ten milliseconds is too slow the second time.
    let make = |slow: u64| {
        move || {
            let mut last = None;
            move |time: Duration, _: char| {
                let is_soon = last.is_some_and(|last| time - last < ms(10));
                last = Some(time);
                if is_soon { slow } else { 1 }
            }
        }
    };
    let tested = |slow: u64| {
        let fast = atom("fast", |took: &u64| *took < 5);
        timed_stream("server", make(slow))
            .given(read("F a"))
            .delays(|case| ms(case.int(0..=100)))
            .expect(always(fast))
            .settings(seeded(1))
            .verdict()
    };
    assert!(tested(2).is_good());
    let verdict = tested(9);
    let notes: Vec<&str> =
        verdict.counterexample().unwrap().notes.iter().map(|note| note.value.as_str()).collect();
    assert_eq!(notes.len(), 2, "{verdict}");
    assert!(notes.iter().all(|note| note.starts_with("@0ns ")), "{verdict}");
}

#[test]
fn nothing_is_proved_of_times_that_were_not_tried() {
    let tested = |is_timed: bool| {
        let test = timed_stream("late", || |time: Duration, c: char| (time, c))
            .given(read("G a"))
            .expect(always(atom("early", |(time, _): &(Duration, char)| *time <= ms(1))))
            .length(1..=1);
        let test = if is_timed { test.delays(|case| ms(case.int(0..=1))) } else { test };
        test.settings(seeded(1).exhaustive()).verdict().to_string()
    };
    assert!(tested(false).starts_with("proved"), "{}", tested(false));
    assert!(!tested(true).starts_with("proved"), "{}", tested(true));
}

#[test]
fn streams_may_be_drawn_by_hand_or_recorded() {
    let rises = relation("rises", |before: Option<&i32>, now: &i32| before.is_none_or(|before| before < now));
    let streams = Streams::new(&always(rises.clone())).unwrap().length(4..=4);
    let streams = streams.by_hand(|so_far, case| Some(so_far.last().unwrap_or(&0) + case.int(-2..=3)));
    for number in 0..50 {
        let stream = streams.draw(&mut Case::random(1, number));
        assert!(stream.len() == 4 && stream.windows(2).all(|pair| pair[0] < pair[1]), "{stream:?}");
    }
    let either = parse("G a | G b", &letters()).unwrap();
    let second = Streams::new(&either).unwrap().length(3..=3).by_hand(|_, _| Some('b'));
    assert!((0..50).all(|number| second.draw(&mut Case::random(1, number)) == ['b', 'b', 'b']));
    let numbers = parse("G a", &[atom("a", |n: &u8| n % 2 == 1)]).unwrap();
    let odd = Streams::new(&numbers).unwrap().length(2..=2).by_hand(|_, case| Some(case.int(0..=3u8)));
    let verdict =
        seeded(1).exhaustive().verdict_with(odd, |stream: Vec<u8>| stream.iter().all(|n| n % 2 == 1));
    assert_eq!(verdict.to_string(), "proved: all 4 cases (6 rejected)", "{verdict}");
    let stuck = Streams::new(&always(rises)).unwrap().length(2..=2).by_hand(|_, _| Some(1));
    let error = stuck.try_draw(&mut Case::random(1, 1)).unwrap_err().to_string();
    assert!(error.starts_with("no element 1 that is drawn by hand goes with"), "{error}");

    let formula = read("G (a -> F b)");
    let recordings = ["a.b.a", "a.."].map(|text| text.chars().collect::<Vec<char>>());
    let draw = recorded(&formula, recordings).unwrap();
    let mut drawn: Vec<String> =
        (0..100).map(|number| draw(&mut Case::random(1, number)).into_iter().collect()).collect();
    drawn.sort();
    drawn.dedup();
    assert_eq!(drawn, ["", "a.b", "a.b."]);
    assert!(recorded(&read("F b"), [vec!['a']]).is_err());

    let verdict = stream("echo", || |c: char| c)
        .given(formula.clone())
        .drawn(recorded(&formula, [vec!['a', '.', 'b']]).unwrap())
        .expect(read("G (a -> F b)"))
        .settings(seeded(1))
        .verdict();
    assert!(verdict.is_good(), "{verdict}");
}

#[test]
fn judges_by_hand_go_with_formulas() {
    let few = || {
        by_hand("at most two", 0, |count: &mut u32, c: &char| {
            *count += u32::from(*c == 'a');
            if *count > 2 { Truth::False } else { Truth::PresumablyTrue }
        })
    };
    let mut both = few().and(Acceptor::new(&read("F b")).unwrap());
    let mut either = few().or(Acceptor::new(&read("F b")).unwrap());
    for (c, expected) in
        [('a', [Truth::PresumablyFalse, Truth::PresumablyTrue]), ('b', [Truth::PresumablyTrue, Truth::True])]
    {
        both.see(&c);
        either.see(&c);
        assert_eq!([both.truth(), either.truth()], expected);
    }
    let tested = |limit: usize| {
        let make = move || {
            let mut count = 0;
            move |c: char| {
                count += usize::from(c == 'a');
                if count > limit { '.' } else { c }
            }
        };
        stream("few", make).given(read("true")).expect_accepted(few()).settings(seeded(1)).verdict()
    };
    assert!(tested(2).is_good());
    assert_eq!(tested(3).counterexample().unwrap().notes.len(), 3);
}

#[test]
fn lost_signals_say_nothing() {
    let after = |signals: &[Option<u8>]| {
        let observed = atom("observed", |signal: &Option<u8>| signal.is_some());
        let one = atom("one", |signal: &Option<u8>| *signal == Some(1));
        next_observed(observed, one).holds(signals)
    };
    assert!(after(&[Some(0), None, None, Some(1)]));
    assert!(!after(&[Some(0), None, Some(0), Some(1)]));
    assert!(!after(&[Some(0), None]));
}

#[test]
fn adapters_of_iterators_are_tested_by_what_goes_in_and_comes_out() {
    // Without equal neighbours; the wrong one compares with the last output but one.
    let tested = |is_wrong: bool| {
        let differs = relation("differs", |before: Option<&u8>, now: &u8| before != Some(now));
        adapter("deduplicated", move |inputs| {
            let mut last = [None, None];
            inputs.filter(move |input: &u8| {
                let is_new = last[usize::from(is_wrong)] != Some(*input);
                if is_new {
                    last = [Some(*input), last[0]];
                }
                is_new
            })
        })
        .among(|case| case.int(0..=3))
        .expect(always(differs))
        .settings(seeded(1))
        .verdict()
    };
    assert!(tested(false).is_good());
    let verdict = tested(true);
    let notes: Vec<&str> =
        verdict.counterexample().unwrap().notes.iter().map(|note| note.value.as_str()).collect();
    assert_eq!(notes, ["@0ns → 0", "@0ns ← 0", "@0ns → 0", "@0ns ← 0"], "{verdict}");
}

/// An actor that echoes after a while; the wrong one is too slow after it was given seven twice.
fn echo(tires: bool) -> Verdict {
    let pressed = atom("in", |event: &Event<u8, u8>| event.input().is_some());
    let answered = atom("out", |event: &Event<u8, u8>| event.output().is_some());
    actor("echo", move |mut inbox: tokio::sync::mpsc::UnboundedReceiver<u8>, outbox| async move {
        let mut sevens = 0;
        while let Some(input) = inbox.recv().await {
            sevens += u32::from(input == 7);
            tokio::time::sleep(ms(if tires && sevens == 2 { 600 } else { 100 })).await;
            let _ = outbox.send(input);
        }
    })
    .among(|case| case.int(0..=9))
    .delays(|case| ms(100 + case.int(0..=300)))
    .length(0..=5)
    .expect_events(always(pressed.implies(eventually(answered).within(ms(0)..=ms(500)))))
    .settings(seeded(1))
    .verdict()
}

#[test]
fn actors_are_tested_in_virtual_time() {
    assert!(echo(false).is_good());
    let verdict = echo(true);
    let notes = &verdict.counterexample().unwrap_or_else(|| panic!("{verdict}")).notes;
    assert_eq!(notes.iter().filter(|note| note.value.ends_with("→ 7")).count(), 2, "{verdict}");
    assert_eq!(notes.iter().filter(|note| note.value.contains("→")).count(), 2, "{verdict}");
    let flood = actor("flood", |_: tokio::sync::mpsc::UnboundedReceiver<u8>, outbox| async move {
        while outbox.send(1u8).is_ok() {
            tokio::task::yield_now().await;
        }
    });
    let verdict = flood.among_all().settings(seeded(1)).verdict();
    assert!(verdict.to_string().contains("more than 10000 outputs came"), "{verdict}");
    let panics = actor(
        "panics",
        |mut inbox: tokio::sync::mpsc::UnboundedReceiver<u8>, _: tokio::sync::mpsc::UnboundedSender<u8>| async move {
            while let Some(input) = inbox.recv().await {
                assert!(input < 100, "too much");
            }
        },
    );
    let verdict = panics.among_all().length(1..=3).settings(seeded(1)).verdict();
    assert!(
        verdict.to_string().contains("too much") && verdict.to_string().contains("@0ns → 100"),
        "{verdict}"
    );
    let spins = actor(
        "spins",
        |mut inbox: tokio::sync::mpsc::UnboundedReceiver<u8>,
         outbox: tokio::sync::mpsc::UnboundedSender<u8>| async move {
            loop {
                if let Some(input) = inbox.recv().await {
                    let _ = outbox.send(input);
                }
            }
        },
    );
    let verdict = spins.among_all().length(0..=2).settings(seeded(1)).verdict();
    assert!(verdict.to_string().contains("it does not come to rest"), "{verdict}");
    let still = || {
        actor(
            "still",
            |_: tokio::sync::mpsc::UnboundedReceiver<u8>, _: tokio::sync::mpsc::UnboundedSender<u8>| async {},
        )
    };
    assert!(still().among_all().rest(Duration::MAX).settings(seeded(1).cases(5)).verdict().is_good());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let error = runtime.block_on(async { still().among_all().report().unwrap_err().to_string() });
    assert!(error.contains("cannot run inside of another"), "{error}");
}
