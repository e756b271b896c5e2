//! System files: what they say, and what is wrong with them.

use crate::desk::{ANSWERED, Desk, SMALL, system};
use crate::support::assert_contains;
use gainsay_msg::{Direction, SystemFile};
use std::path::Path;

/// What is wrong with a text, as it is shown.
#[track_caller]
fn wrong(text: &str) -> Vec<String> {
    match SystemFile::parse("s.toml", text, Path::new("/nonexistent")) {
        Ok(_) => panic!("nothing is wrong with {text}"),
        Err(found) => found.all.iter().map(|(source, trouble)| source.show(trouble, false)).collect(),
    }
}

#[track_caller]
fn read(text: &str) -> SystemFile {
    match SystemFile::parse("s.toml", text, Path::new("/nonexistent")) {
        Ok((file, _)) => file,
        Err(found) => panic!("{found}"),
    }
}

const HEAD: &str = "[system]\nbus = \"embedded\"\n";

#[test]
fn each_mistake_is_told_at_its_place() {
    for (text, parts) in [
        ("", &["there is no section `[system]`", "begin with"][..]),
        ("[system]\nname = \"x\"\n", &["s.toml:1:1", "there is no `bus`", "`bus = \"stdio\"`"]),
        ("[system]\nbus = \"stdoi\"\n", &["s.toml:2:7", "`stdoi` is no `bus`", "is it `stdio`?"]),
        ("[system]\nbus = \"stdio\"\n", &["there is no `start`"]),
        ("[system]\nbus = \"stdio\"\nstart = []\n", &["s.toml:3:9", "there is no program to start"]),
        ("[system]\nbus = \"stdio\"\nstart = 5\n", &["`start` must be a list of texts"]),
        (
            "[system]\nbus = \"stdio\"\nstart = [\"a\"]\nready = \"port:x\"\n",
            &["s.toml:4:9", "`x` is no port"],
        ),
        ("[system]\nbus = \"mqtt\"\ntime = \"virtual\"\n", &["messages over a broker take real time"]),
        (
            "[system]\nbus = \"embedded\"\nslack_ms = -1\n",
            &["s.toml:3:12", "`slack_ms` is a time in milliseconds"],
        ),
        (
            "[system]\nbus = \"embedded\"\nresett = true\n",
            &["s.toml:3:1", "`resett` is no key of `[system]`", "is it `reset`?"],
        ),
        ("[system]\nbus = \"embedded\"\nreset = 1\n", &["`reset` must be true or false"]),
        (
            "[system]\nbus = \"embedded\"\n[chanels]\n",
            &["s.toml:3:2", "`chanels` is no section", "is it `channels`?"],
        ),
        ("[system]\nbus = \"embedded\"\ncases = -3\n", &["`cases` must be a whole number"]),
        (
            "[system]\nbus = \"embedded\"\n[channels]\n\"/a\" = { direction = \"in\" }\n",
            &["nobody says what messages on `/a` are like"],
        ),
        (
            "[system]\nbus = \"embedded\"\n[channels]\n\"/a\" = { type = \"bool\" }\n",
            &["where do messages on `/a` come from?"],
        ),
        ("[system]\nbus = \"embedded\"\n[channels]\n\"/a\" = 5\n", &["a channel is a table"]),
        (
            "[system]\nbus = \"embedded\"\n[channels]\n\"/a\" = { type = \"Lasr\", direction = \"out\" }\n[types.Laser]\nx = \"bool\"\n",
            &["s.toml:4:17", "there is no type `Lasr`; is it `Laser`?"],
        ),
        (
            "[system]\nbus = \"embedded\"\n[types.A]\nx = \"flaot64\"\n",
            &["there is no type `flaot64`; is it `float64`?"],
        ),
        ("[system]\nbus = \"embedded\"\n[types.A]\nx = \"A\"\n", &["there is no type `A`"]),
        ("[system]\nbus = \"embedded\"\n[types.A]\nx = \"bool[x]\"\n", &["`x` is no length of an array"]),
        ("[system]\nbus = \"embedded\"\n[types.A]\nx = 1\n", &["the type of `x` is text"]),
        (
            "[system]\nbus = \"embedded\"\n[types.A]\nx = \"int8\"\n[data]\nranges = { \"A.x\" = [5, 1] }\n",
            &["`A.x` is no range"],
        ),
        (
            "[system]\nbus = \"embedded\"\n[types.A]\nx = \"int8\"\n[data]\nranges = { \"A.y\" = [1, 5] }\n",
            &["s.toml:6:20", "there is no type or field `A.y`"],
        ),
        (
            "[system]\nbus = \"embedded\"\n[properties]\nfiles = [\"p.hpl\"]\n",
            &["s.toml:4:9", "failed to read `/nonexistent/p.hpl`"],
        ),
        (
            "[system]\nbus = \"embedded\"\n[types]\nfiles = [\"msgs\"]\n",
            &["failed to read `/nonexistent/msgs`"],
        ),
        ("[system]\nbus = \"embedded\"\nprojection = [\"a\"]\n", &["there are no `[nodes]` to choose from"]),
        (
            "[system]\nbus = \"embedded\"\nprojection = [\"contrl\"]\n[nodes.control]\n",
            &["there is no node `contrl`", "is it `control`?"],
        ),
        ("[system]\nbus = \"embedded\"\n[schemas]\np1 = \"forbid /a\"\n", &["there is no property `p1`"]),
        ("[system]\nbus = \"embedded\"\n[system]\n", &["duplicate key"]),
        ("[system\nbus", &["s.toml:1:"]),
    ] {
        let shown = wrong(text);
        assert_eq!(shown.len(), 1, "one mistake is told once: {shown:#?}");
        parts.iter().for_each(|part| assert_contains(&shown[0], part));
    }
}

#[test]
fn a_wrong_direction_is_one_mistake() {
    let shown = wrong(&format!("{HEAD}[channels]\n\"/a\" = {{ type = \"bool\", direction = \"inn\" }}\n"));
    assert_contains(&shown.join("\n"), "`inn` is no `direction`");
    assert_contains(&shown.join("\n"), "is it `in`?");
    assert_eq!(shown.len(), 1, "{shown:#?}");
}

#[test]
fn mistakes_in_one_section_are_not_blamed_on_another() {
    let text = system("bus = \"embedded\"", &format!("{ANSWERED}{SMALL}"));
    let shown = wrong(&format!(
        "{text}\n[data]\nranges = {{ \"Number.n\" = 5 }}\n[schemas]\nanswered = \"+0..: publish /in\"\n"
    ));
    assert_eq!(shown.len(), 1, "{shown:#?}");
    assert_contains(&shown[0], "`Number.n` is no range");
}

#[test]
fn properties_inside_of_a_system_file_are_told_by_its_lines() {
    let text = system("bus = \"embedded\"", "globally: no /in\nglobally: no /in {m = 1}\n");
    let line = text.lines().position(|line| line.contains("{m = 1}")).unwrap() + 1;
    let shown = wrong(&text);
    assert_contains(&shown[0], "Number has no field `m`");
    assert_contains(&shown[0], &format!("s.toml:{line}:"));
}

#[test]
fn hand_written_schemas_are_checked_and_followed() {
    let text = system("bus = \"embedded\"", &format!("{ANSWERED}{SMALL}"));
    let with = |schema: &str| format!("{text}\n[schemas]\nanswered = '''\n{schema}'''\n");
    for (schema, part) in [
        ("forbid /inn\n", "there is no channel `/inn`"),
        ("+5..3: publish /in\n", "nothing is between these times"),
        ("+x..3: publish /in\n", "it is no number"),
        ("+0..3 publish /in\n", "this is no line of a schema"),
        ("+0..: send /in\n", "expected `publish`"),
        ("hello\n", "this is no line of a schema"),
        ("+0..: publish /in {m = 1}\n", "Number has no field `m`"),
        ("+0..: publish /out\n", "`/out` is an output: nobody can publish it"),
        ("await /in\n", "`/in` is an input: nobody has to await it"),
    ] {
        assert_contains(&wrong(&with(schema)).join("\n"), part);
    }
    let file = read(&with(
        "# first a small one, much later a large one\nforbid /in {n > 5}\n+0..: publish /in {n < 3}\n+2000..2001: publish /in {n > 10}\n",
    ));
    assert_eq!(
        file.system.schemas[0].1.to_string(),
        "forbid /in {n > 5}\n+0..: publish /in {n < 3}\n+2000..2001: publish /in {n > 10}"
    );
    // By it alone a bug is found that needs just that.
    let desk = Desk::new("schemas");
    desk.node("forgetful", &format!("{ANSWERED}{SMALL}"));
    let text = desk.read("system.toml");
    desk.write(
        "system.toml",
        format!("{text}\n[schemas]\nanswered = '''\n+2000..2001: publish /in {{n > 900}}\n'''\n"),
    );
    let ended = desk.gainsay(&["test", "system.toml", "--seed", "1", "--cases", "20", "--format", "json"]);
    assert_eq!(ended.lines()[0]["verdict"], "falsified");
    assert_eq!(ended.lines()[0]["trace"][0]["at_ms"], 2000);
    assert_eq!(ended.lines()[0]["trace"][0]["msg"]["n"], 901);
}

const CHAIN: &str = "[types.T]\nx = \"float64\"\n[channels]\n\"/goal\" = { type = \"T\" }\n\"/plan\" = { type = \"T\" }\n\"/vel\" = { type = \
                     \"T\" }\n[nodes.planner]\nsubscribes = [\"/goal\"]\npublishes = [\"/plan\"]\n[nodes.control]\nsubscribes = [\"/plan\"]\n\
                     publishes = [\"/vel\"]\n";

#[test]
fn parts_of_a_system_are_chosen_by_its_nodes() {
    let directions = |projection: &str| {
        let file = read(&format!("{HEAD}{projection}\n{CHAIN}"));
        let shown = |channel: &gainsay_msg::Channel| {
            format!("{}{}", if channel.direction == Direction::In { "+" } else { "-" }, channel.name)
        };
        let mut all: Vec<String> = file.system.channels.iter().map(shown).collect();
        all.sort();
        all.join(" ")
    };
    assert_eq!(directions(""), "+/goal -/plan -/vel");
    assert_eq!(directions("projection = [\"control\"]"), "+/plan -/vel");
    assert_eq!(directions("projection = \"planner\""), "+/goal -/plan");
    assert_eq!(directions("projection = [\"planner\", \"control\"]"), "+/goal -/plan -/vel");
    // What the chosen part has nothing to do with is no channel.
    let text = format!(
        "{HEAD}projection = [\"control\"]\n{CHAIN}[properties]\ntext = \"globally: /goal causes /vel within 1 s\"\n"
    );
    assert_contains(&wrong(&text)[0], "there is no channel `/goal`");
}

#[test]
fn types_are_read_from_msg_files() {
    let desk = Desk::new("msgs");
    desk.write("msgs/robot_msgs/msg/Bumper.msg", "# which one\nuint8 LEFT=0\nuint8 PRESSED = 1   # yes\nstring NAME=a#b\nuint8 state\nSide[2] sides\nHeader header\n");
    desk.write("msgs/robot_msgs/msg/Side.msg", "float32 x 1.5\nint32[<=4] ys\n");
    let text = |property: &str| {
        format!(
            "{HEAD}[types]\nfiles = [\"msgs\"]\n[channels]\n\"/bumper\" = {{ type = \"robot_msgs/Bumper\", direction = \"out\" }}\n\
             [properties]\ntext = 'globally: no /bumper {{{property}}}'\n"
        )
    };
    desk.write(
        "s.toml",
        text("state = PRESSED and sides[1].x > 0.5 and len(sides[0].ys) > 1 and header.frame_id = NAME"),
    );
    desk.gainsay(&["check", "s.toml"]).said(0, &["p1  testable"]);
    for (property, part) in
        [("state = PRESED", "is it `PRESSED`?"), ("sides[2].x > 0", "there is no element 2")]
    {
        desk.write("s.toml", text(property));
        let ended = desk.gainsay(&["check", "s.toml"]);
        assert_contains(&format!("{}{}", ended.out, ended.err), part);
    }
    desk.write("msgs/robot_msgs/msg/Side.msg", "float32\n");
    desk.gainsay(&["check", "s.toml"]).said(2, &["Side.msg:1:1", "`float32` has no name"]);
    desk.write("msgs/robot_msgs/msg/Side.msg", "Nothing x\n");
    desk.gainsay(&["check", "s.toml"]).said(2, &["there is no type `Nothing`"]);
    desk.write("msgs/robot_msgs/msg/Side.msg", "int32 A=x\n");
    desk.gainsay(&["check", "s.toml"]).said(2, &["`x` is no number"]);
}

#[test]
fn what_a_file_says_is_what_it_means() {
    let file = read(
        "[system]\nname = \"n\"\nbus = \"stdio\"\nstart = [\"p\", \"a b\"]\nready = \"stderr: up\"\nslack_ms = 2.5\nrest_ms = 30\nreset = true\n\
         start_ms = 100\nanswer_ms = 50\nenvironment = { A = \"1\" }\n[limits]\ncases = 7\njobs = 2\ntime_s = 1.5\n[data]\nnan = true\ninfinities = true\n\
         array_max = 2\ntext_max = 3\nranges = { float64 = [-1, 1.5] }\n",
    );
    let starting = file.starting.unwrap();
    assert_eq!(starting.command, ["p", "a b"]);
    assert_eq!(starting.ready, gainsay_msg::Ready::Words("up".into()));
    assert_eq!((starting.start_max.as_millis(), starting.answer_max.as_millis()), (100, 50));
    assert_eq!(starting.environment, [("A".to_string(), "1".to_string())]);
    assert_eq!((file.timing, file.can_reset), (gainsay_msg::Timing::Real, true));
    assert_eq!((file.cases, file.jobs, file.time_max.unwrap().as_millis()), (Some(7), Some(2), 1500));
    assert_eq!((file.system.slack, file.system.rest), (2_500_000, Some(30_000_000)));
    let policy = &file.system.policy;
    assert!(policy.nan && policy.infinite);
    assert_eq!(
        (policy.array_max, policy.text_max, policy.ranges.as_slice()),
        (2, 3, &[("float64".to_string(), -1.0, 1.5)][..])
    );
}

#[test]
fn limits_that_make_no_sense_are_not_passed_over() {
    for line in ["start_ms = 0", "start_ms = -5", "answer_ms = 1e12", "time_s = -1", "time_s = nan"] {
        let shown = wrong(&format!("[system]\nbus = \"stdio\"\nstart = [\"p\"]\n{line}\n"));
        assert_contains(&shown[0], line.split(' ').next().unwrap());
    }
}

#[test]
fn properties_of_several_files_are_counted_through() {
    let desk = Desk::new("several");
    desk.write("a.hpl", "globally: no /out {n = 1}\n# id: two\nglobally: no /out {n = 2}\n");
    desk.write("b.hpl", "globally: no /out {n = 3}\n");
    let text = system("bus = \"embedded\"\nnode = \"echo\"", "globally: no /out {n = 4}\n");
    desk.write("s.toml", text.replace("[properties]", "[properties]\nfiles = [\"a.hpl\", \"b.hpl\"]"));
    let ended = desk.gainsay(&["check", "s.toml"]);
    assert_eq!(ended.with(0), "p1  testable\ntwo  testable\np3  testable\np4  testable\n");
    desk.write("b.hpl", "# id: two\nglobally: no /out {n = 3}\n");
    desk.gainsay(&["check", "s.toml"]).said(2, &["two properties are called `two`", "b.hpl:2:1"]);
}
