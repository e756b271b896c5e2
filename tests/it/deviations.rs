//! What comes of it if somebody who is called does something else than he should; and what is also fine.

use gainsay::callout::{call, choice};
use gainsay::{Acts, Deviations, Effect, Model, Settings, cluster, mock, model, settings};
use std::time::Duration;

#[mock]
trait Disk {
    fn write(&mut self, byte: u8) -> bool;
    fn flush(&self);
}

/// What somebody does if the disk is full.
#[derive(Debug, Clone, Copy)]
enum Manner {
    Ignores,
    Tells,
    Panics,
    Waits,
}

struct Log {
    disk: MockDisk,
    manner: Manner,
}

impl Log {
    fn add(&mut self, byte: u8) -> bool {
        let done = self.disk.write(byte);
        match self.manner {
            Manner::Ignores => true,
            Manner::Tells => done,
            Manner::Panics => {
                assert!(done, "the disk is full");
                true
            }
            Manner::Waits => {
                if !done {
                    loop {
                        std::thread::park();
                    }
                }
                true
            }
        }
    }
}

fn seeded() -> Settings {
    settings().seed(1).without_corpus().cases(50)
}

fn log(manner: Manner) -> Model<u32, Log> {
    model(|| 0, move || Log { disk: MockDisk::new(), manner })
        .operation(
            "add",
            |_, case| case.any::<u8>(),
            |log, byte| log.add(*byte),
            |add| {
                add.calls(|_, byte| {
                    call(MockDisk::WRITE)
                        .given((*byte,))
                        .returns(true)
                        .deviation("full", |_| false)
                        .deviation_panics("broken", "the disk is gone")
                })
                .returns(|_, _| true)
                .next(|count, _| *count += 1)
            },
        )
        .operation(
            "flush",
            |_, _| (),
            |log, ()| log.disk.flush(),
            |flush| flush.when(|_| false).calls(|_, ()| call(MockDisk::FLUSH).deviation("lazy", |_| ())),
        )
        .settings(seeded().allow_vacuous())
}

fn table(manner: Manner, deviations: Deviations) -> String {
    log(manner).consequences(&deviations).to_string()
}

#[test]
fn a_deviation_is_seen_or_not() {
    assert!(log(Manner::Tells).verdict().is_good(), "nothing deviates in ordinary runs");
    let full = || Deviations::named(["full"]).acting([Acts::Once, Acts::From(3), Acts::Always]);
    assert_eq!(
        table(Manner::Tells, full()),
        "deviation  happens      consequence\n\
         full       once         visible: add(0) → false\n\
         full       from call 3  visible: add(0) → true (2 times); add(0) → false\n\
         full       always       visible: add(0) → false"
    );
    let ignored = log(Manner::Ignores).consequences(&full());
    for row in &ignored.rows {
        let Effect::NotSeen { tests, times } = row.effect else { panic!("{row:?}") };
        assert!(tests > 0 && times >= tests && (row.acts != Acts::Once || times == tests), "{row:?}");
    }
}

#[test]
fn crashes_are_told_apart_from_what_is_only_wrong() {
    let crashed = log(Manner::Panics).consequences(&Deviations::all().acting([Acts::Always]));
    let [broken, full] = &crashed.rows[..] else { panic!("{crashed}") };
    assert_eq!((broken.deviations[0].as_str(), full.deviations[0].as_str()), ("broken", "full"));
    assert!(matches!(broken.effect, Effect::Crash(_)), "{crashed}");
    let Effect::Crash(by) = &full.effect else { panic!("{crashed}") };
    assert!(by.message.contains("the disk is full"), "{}", by.message);
    assert_eq!(full.effect.to_string(), "crash: add(0) panicked");
}

#[test]
fn what_is_not_met_is_not_reached_and_pairs_are_tried() {
    // A name counts once, and no name means none.
    let twice = Deviations::named(["full", "full"]).acting([Acts::Always]);
    assert_eq!(log(Manner::Ignores).consequences(&twice).rows.len(), 1);
    assert!(log(Manner::Ignores).consequences(&Deviations::named([""; 0])).rows.is_empty());
    let met = log(Manner::Ignores).consequences(&Deviations::named(["lazy", "no such"]));
    assert!(met.rows.iter().all(|row| matches!(row.effect, Effect::NotReached)), "{met}");
    let pairs = log(Manner::Tells).consequences(&Deviations::all().acting([Acts::Always]).and_pairs());
    let names: Vec<String> = pairs.rows.iter().map(|row| row.deviations.join("+")).collect();
    assert_eq!(names, ["broken", "full", "broken+full"]);
}

fn isolated(manner: Manner) -> Effect {
    let deviations = Deviations::named(["full"]).acting([Acts::From(2)]);
    let settings = seeded().isolate().cases(5).limits(|limits| {
        limits.case_time_max = Duration::from_millis(1500);
        limits.shrinks_max = 2;
    });
    let table = log(manner).settings(settings).consequences(&deviations);
    table.rows.into_iter().next().expect("one row").effect
}

#[test]
fn hangs_are_told_apart_in_isolation() {
    let effect = isolated(Manner::Waits);
    assert!(matches!(effect, Effect::Hang(_)), "{effect}");
}

#[test]
fn what_survives_in_isolation_is_not_seen() {
    let effect = isolated(Manner::Ignores);
    assert!(matches!(effect, Effect::NotSeen { .. }), "{effect}");
}

#[test]
fn deviations_are_found_for_isolated_runs_too() {
    let settings = seeded().isolate().cases(5);
    let table = log(Manner::Tells).settings(settings).consequences(&Deviations::all().acting([Acts::Always]));
    let names: Vec<&str> = table.rows.iter().map(|row| row.deviations[0].as_str()).collect();
    assert_eq!(names, ["broken", "full"], "{table}");
    assert!(matches!(table.rows[1].effect, Effect::Visible(_)), "{table}");
}

#[test]
fn pairs_happen_together_or_not_at_all() {
    let pair = Deviations::named(["full", "lazy"]).acting([Acts::Always]).and_pairs();
    let table = log(Manner::Ignores).consequences(&pair);
    let effects: Vec<String> = table.rows.iter().map(|row| row.effect.to_string()).collect();
    assert!(effects[0].starts_with("not seen in "), "{table}");
    assert_eq!(effects[1..], ["not reached", "not reached"], "{table}");
}

#[test]
fn a_deviation_is_no_ambiguity() {
    let model = model(|| (), MockDisk::new)
        .operation(
            "write",
            |_, _| (),
            |disk, ()| {
                disk.write(0);
            },
            |write| {
                write.calls(|_, ()| {
                    let deviating = call(MockDisk::WRITE).returns(true).deviation("full", |_| false);
                    choice([
                        deviating.into(),
                        call(MockDisk::WRITE).returns(true).then(call(MockDisk::FLUSH)),
                    ])
                })
            },
        )
        .settings(seeded());
    let table = model.consequences(&Deviations::all());
    assert!(table.rows.iter().all(|row| matches!(row.effect, Effect::NotSeen { .. })), "{table}");
}

#[test]
fn deviations_of_operations_belong_to_clusters() {
    let model = model(|| (), || ()).operation(
        "op",
        |_, _| (),
        |_, ()| 1,
        |op| op.deviation("other", |_, ()| 2, |_, ()| ()),
    );
    let error = model.report_consequences(&Deviations::all()).unwrap_err().to_string();
    assert!(error.contains("`op` of the model") && error.contains("ask a cluster"), "{error}");
}

#[test]
fn without_deviations_all_must_be_well() {
    let wrong = log(Manner::Tells).law("less than two", |count| *count < 2);
    let message = wrong.report_consequences(&Deviations::all()).unwrap_err().to_string();
    assert!(message.contains("without any, it is falsified"), "{message}");
}

#[test]
fn what_is_also_fine_is_tolerated_by_name() {
    let rounding = |tolerant: bool| {
        model(|| (), || ()).operation(
            "half",
            |(), case| case.int(0..=9u8),
            |_, number| number.div_ceil(2),
            move |half| {
                let half = half.returns(|(), number| number / 2);
                match tolerant {
                    true => half.tolerates("rounded up", |(), number, result| *result == number / 2 + 1),
                    false => half,
                }
            },
        )
    };
    assert!(!rounding(false).settings(seeded()).verdict().is_good());
    let report = rounding(true).settings(seeded()).report().expect("it makes sense");
    assert!(report.verdict.is_good(), "{report}");
    assert!(report.remarks.iter().any(|remark| remark.starts_with("tolerated ")), "{:?}", report.remarks);
    let exact = model(|| (), || ()).operation(
        "half",
        |(), case| case.int(0..=9u8),
        |_, number| number / 2,
        |half| half.returns(|(), number| number / 2).tolerates("rounded up", |(), _, _| true),
    );
    let report = exact.settings(seeded()).report().expect("it makes sense");
    assert!(report.remarks.is_empty(), "what is right need not be tolerated: {:?}", report.remarks);
    let strict = model(|| (), || ()).operation(
        "half",
        |(), case| case.int(0..=9u8),
        |_, number| *number,
        |half| {
            let half = half.returns(|(), number| number / 2).tolerates("anything", |(), _, _| true);
            half.ensures(|(), _, result| *result < 9)
        },
    );
    assert!(!strict.settings(seeded()).verdict().is_good(), "what it must ensure holds all the same");
}

#[test]
fn the_model_of_a_component_deviates_too() {
    let device = || {
        model(|| 0_u32, || ()).operation(
            "write",
            |_, case| case.any::<u8>(),
            |_, _| true,
            |write| {
                write
                    .callers(["log"])
                    .returns(|_, _| true)
                    .next(|count, _| *count += 1)
                    .deviation("small", |count, _| *count < 2, |count, _| *count = (*count + 1).min(2))
                    .deviation("slow", |_, _| true, |count, _| *count += 1)
            },
        )
    };
    let both = || {
        cluster("log on device")
            .component("log", log(Manner::Ignores))
            .component("device", device())
            .bind(MockDisk::WRITE, "device", "write", |(byte,)| *byte, |_, done| *done)
            .settings(seeded().allow_vacuous())
    };
    assert!(both().verdict_model_only().is_good());
    let table = both().consequences(&Deviations::all().acting([Acts::Always])).to_string();
    let mut lines = table.lines().skip(1);
    assert!(lines.next().is_some_and(|line| line.starts_with("slow       always   not seen in ")), "{table}");
    let small = "small      always   visible: log.add(0) [device.write(0) → true] (3 times)";
    assert_eq!(lines.next(), Some(small), "{table}");
}

#[test]
fn a_deviation_happens_whichever_alternative_says_it() {
    let told = |is_first: bool| {
        model(|| (), || Log { disk: MockDisk::new(), manner: Manner::Tells })
            .operation(
                "add",
                |_, case| case.int(1..=1u8),
                |log, byte| {
                    let done = log.add(*byte);
                    log.disk.flush();
                    done
                },
                move |add| {
                    add.calls(move |(), byte| {
                        let write = || call(MockDisk::WRITE).given((*byte,)).returns(true);
                        let flushed = write().then(call(MockDisk::FLUSH));
                        let deviating = write().deviation("full", |_| false).then(
                            call(MockDisk::FLUSH).then(gainsay::callout::optional(call(MockDisk::FLUSH))),
                        );
                        if is_first { choice([deviating, flushed]) } else { choice([flushed, deviating]) }
                    })
                    .returns(|(), _| true)
                },
            )
            .settings(seeded())
            .consequences(&Deviations::all().acting([Acts::Once]))
            .to_string()
    };
    assert!(told(true).contains("visible"), "{}", told(true));
    assert_eq!(told(false), told(true));
}
