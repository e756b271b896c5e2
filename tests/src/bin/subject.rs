//! A program to be watched from outside: it runs one property, named by its first argument, in the ways that a test process
//! would not survive. Settings come from the environment, as for every user.

#![expect(clippy::print_stdout, reason = "tests read what it prints")]

use gainsay::prelude::*;
use gainsay::{EXIT_HANG, Settings};
use std::cell::Cell;
use std::time::{Duration, Instant};

fn main() {
    let scenario = std::env::args().nth(1).unwrap_or_default();
    match scenario.as_str() {
        "holds" => run(&scenario).for_all(|n: u32| u64::from(n) < 1 << 32),
        "sum" => run(&scenario).for_all(|list: Vec<u32>| sum(&list) < 1000),
        "sum of a check" => run(&scenario).check(|case| sum(&case.any::<Vec<u32>>()) < 1000),
        "many" => run(&scenario).for_all(|list: Vec<u64>| list.iter().filter(|n| **n > 1 << 60).count() < 25),
        "counted" => counted(),
        "interrupted" => interrupted(),
        "hangs" => run(&scenario).for_all(|list: Vec<u32>| list.iter().for_each(|n| endless_if(*n >= 1000))),
        "hangs early" => {
            settings().seed(1).name(&scenario).for_all(|list: Vec<u32>| endless_if(list.len() == 3))
        }
        "hangs while shrinking" => run(&scenario).for_all(hangs_while_shrinking),
        "hangs on a thread" => {
            run(&scenario).threads(2).for_all(|list: Vec<u32>| endless_if(list.len() > 40));
        }
        "slow on threads" => {
            run(&scenario).cases(200).threads(2).for_all(|_: u32| busy(Duration::from_millis(8)))
        }
        "aborts" => run(&scenario).for_all(|list: Vec<u32>| aborts_if(sum(&list) >= 1000)),
        "aborts early" => {
            settings().seed(1).name(&scenario).for_all(|list: Vec<u32>| aborts_if(list.len() == 3))
        }
        "isolated abort" => run(&scenario).isolate().for_all(|list: Vec<u32>| aborts_if(sum(&list) >= 1000)),
        "isolated abort of a check" => {
            run(&scenario).isolate().check(|case| aborts_if(sum(&case.any::<Vec<u32>>()) >= 1000));
        }
        "panics and aborts" => run(&scenario).for_all(|list: Vec<u32>| panics_twice_if(sum(&list) >= 1000)),
        "isolated panics and abort" => {
            run(&scenario).isolate().for_all(|list: Vec<u32>| panics_twice_if(sum(&list) >= 1000));
        }
        "silent hook" => run(&scenario).without_corpus().for_all(|n: u32| {
            std::panic::set_hook(Box::new(|_| {}));
            n < 700
        }),
        "isolated overflow" => run(&scenario).isolate().for_all(|list: Vec<u8>| overflow_if(list.len() >= 7)),
        "isolated and loud" => run(&scenario).isolate().for_all(|list: Vec<u8>| {
            if list.len() >= 7 {
                (0..800).for_each(|_| {
                    eprintln!("something that is said at length before the end, again and again")
                });
                overflow_if(true);
            }
        }),
        "isolated hang" => run(&scenario).isolate().for_all(|n: u16| endless_if(n >= 77)),
        "isolated panic" => {
            run(&scenario).isolate().for_all(|list: Vec<u32>| assert!(sum(&list) < 1000, "a panic"))
        }
        "panic" => run(&scenario).for_all(|list: Vec<u32>| assert!(sum(&list) < 1000, "a panic")),
        "isolated exit" => run(&scenario).isolate().for_all(|n: u32| {
            if n >= 50 {
                std::process::exit(3)
            }
        }),
        "isolated and holds" => run(&scenario).isolate().for_all(|list: Vec<u32>| sum(&list) < 1 << 50),
        "isolated and given" => run(&scenario).isolate().check_each([1u32, 2, 3], |n| aborts_if(n == 3)),
        "isolated and rejected" => isolated_and_rejected(),
        "endless child" => endless_child(),
        "hooks" => hooks(),
        "hook of another" => hook_of_another(),
        "caller" => caller(),
        other => panic!("there is no scenario `{other}`"),
    }
    println!("came to its end");
}

/// Random cases alone, always the same.
fn run(name: &str) -> Settings {
    settings().seed(1).name(name).random_only()
}

fn sum(list: &[u32]) -> u64 {
    list.iter().map(|n| u64::from(*n)).sum()
}

fn endless_if(condition: bool) {
    if condition {
        loop {
            std::hint::spin_loop();
        }
    }
}

fn aborts_if(condition: bool) {
    if condition {
        std::process::abort();
    }
}

/// A panic whose unwinding meets another one.
fn panics_twice_if(condition: bool) {
    struct Careless;
    impl Drop for Careless {
        fn drop(&mut self) {
            panic!("and the destructor too");
        }
    }
    if condition {
        let _careless = Careless;
        panic!("the first panic");
    }
}

fn overflow_if(condition: bool) {
    #[expect(unconditional_recursion, reason = "that is the point")]
    fn deeper(n: u64) -> u64 {
        std::hint::black_box(deeper(std::hint::black_box(n + 1)) + 1)
    }
    if condition {
        deeper(0);
    }
}

fn busy(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Fails for large numbers; at the other end, where shrinking looks first, there is an endless loop.
fn hangs_while_shrinking(list: Vec<u32>, n: u32) {
    endless_if(n == 0 && !list.is_empty());
    assert!(n < 1 << 20 || list.is_empty(), "too large");
}

/// Says how many cases were judged, and with what settings.
fn counted() {
    let judged = Cell::new(0);
    let report =
        settings().name("counted").random_only().report_for_all(|_: u64| judged.set(judged.get() + 1));
    match report {
        Ok(report) => println!("judged {} seed {} {}", judged.get(), report.seed, report.verdict),
        Err(error) => println!("error: {error}"),
    }
}

/// Waits for ever once a failure is being shrunk.
fn interrupted() {
    let failed = Cell::new(0);
    run("interrupted").for_all(|list: Vec<u32>| {
        let fails = sum(&list) >= 1000;
        failed.set(failed.get() + u32::from(fails));
        if failed.get() == 5 {
            println!("shrinking");
            loop {
                std::thread::park();
            }
        }
        !fails
    });
}

fn isolated_and_rejected() {
    let report = run("isolated and rejected").isolate().cases(50).report(|case| {
        let n: u8 = case.any();
        case.classify("large", n > 100);
        case.note("n", &n);
        case.assume(n.is_multiple_of(2)) && n < 200
    });
    println!("{}", report.unwrap_or_else(|error| panic!("{error}")));
}

/// A child that hangs, and says so by a file.
fn endless_child() {
    let sign = std::env::temp_dir().join("hanging");
    run("endless child").isolate().for_all(|n: u32| {
        if n >= 1000 {
            std::fs::write(&sign, "").unwrap();
            endless_if(true);
        }
    });
}

/// Only what happens inside a case is silent; hooks set before and after are called.
fn hooks() {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        eprintln!("[the first hook]");
        previous(info);
    }));
    let verdict = run("hooks").without_corpus().verdict_for_all(|n: u32| {
        if n == 1000 {
            // A thread that is not inside a case, though one waits for it.
            let helper = std::thread::spawn(|| panic!("a panic elsewhere"));
            assert!(helper.join().is_err());
        }
        assert!(n < 1000, "a panic inside");
    });
    println!("{verdict}");
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        eprintln!("[the second hook]");
        previous(info);
    }));
    let _ = std::panic::catch_unwind(|| panic!("a panic afterwards"));
}

/// Code under test that replaces the panic hook.
fn hook_of_another() {
    let replaced = Cell::new(false);
    let verdict = run("hook of another").without_corpus().verdict_for_all(|n: u32| {
        if !replaced.replace(true) {
            std::panic::set_hook(Box::new(|_| {}));
        }
        assert!(n <= 1_000_000, "too large");
        assert!(n < 700, "suspicious");
    });
    println!("{verdict}");
}

fn caller() {
    println!("line {}", line!() + 1);
    run("caller").without_corpus().for_all(|n: u32| n < 10);
    std::process::exit(EXIT_HANG + 1);
}
