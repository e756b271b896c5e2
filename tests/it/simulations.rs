//! Machines tried out by hand, by scripts of what is typed.

use crate::support::assert_contains;
use gainsay::machine::{Machine, machine, simulate, stepwise};
use std::io::{self, BufReader, Read};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum In {
    Coin,
    Button,
    Clean,
}

const INPUTS: [In; 3] = [In::Coin, In::Button, In::Clean];

/// Coffee for a coin, or tea: whichever there is. It can be cleaned as long as nobody has paid.
fn seller() -> impl Machine<State = bool, Input = In, Output = &'static str> {
    machine(false, |is_paid: &bool, input: &In| match (is_paid, input) {
        (false, In::Coin) => vec![(true, vec![])],
        (true, In::Coin) => vec![(true, vec!["coin"])],
        (true, In::Button) => vec![(false, vec!["coffee"]), (false, vec!["tea"]), (false, vec!["tea"])],
        (false, In::Clean) => vec![(false, vec!["steam", "water"])],
        (false, In::Button) | (true, In::Clean) => vec![],
    })
}

/// What is told, and the steps.
fn typed<M: Machine>(machine: &M, inputs: &[M::Input], script: &str) -> (String, Vec<String>) {
    let mut told = Vec::new();
    let trace = simulate(machine, inputs.iter().cloned(), script.as_bytes(), &mut told).unwrap();
    let steps = trace.iter().map(|(input, outputs)| format!("{input:?} → {outputs:?}")).collect();
    (String::from_utf8(told).unwrap(), steps)
}

#[test]
fn a_whole_session() {
    let (told, steps) = typed(&seller(), &INPUTS, "1\nButton\n2\nundo\ntrace\nBu\n1\nquit\nCoin\n");
    assert_eq!(
        told,
        "\
state false
  1  Coin → [], then true
  2  Clean → [\"steam\", \"water\"], then false
> Coin → []
state true
  1  Coin → [\"coin\"], then true
  2  Button → [\"coffee\"], then false; or [\"tea\"], then false
>   1  [\"coffee\"], then false
  2  [\"tea\"], then false
which? Button → [\"tea\"]
state false
  1  Coin → [], then true
  2  Clean → [\"steam\", \"water\"], then false
> state true
  1  Coin → [\"coin\"], then true
  2  Button → [\"coffee\"], then false; or [\"tea\"], then false
>   Coin → []
>   1  [\"coffee\"], then false
  2  [\"tea\"], then false
which? Button → [\"coffee\"]
state false
  1  Coin → [], then true
  2  Clean → [\"steam\", \"water\"], then false
> "
    );
    assert_eq!(steps, ["Coin → []", "Button → [\"coffee\"]"]);
}

/// What is answered to one line, in the first state.
fn answer(line: &str) -> String {
    let (told, _) = typed(&seller(), &INPUTS, line);
    let (_, after) = told.split_once("> ").unwrap();
    String::from(after.strip_suffix("> \n").unwrap_or(after))
}

#[test]
fn whatever_is_typed_gets_an_answer() {
    assert_eq!(answer("undo"), "there is nothing to undo\n");
    assert_eq!(answer("trace"), "there were no inputs yet\n");
    assert_eq!(answer("Button"), "Button is not specified here\n");
    assert_eq!(answer("C"), "`C` may be Coin (`:1`) or Clean (`:2`)\n");
    assert_eq!(answer("0"), "`0` is neither an input nor a command: try `help`\n");
    assert_eq!(answer("3"), "`3` is neither an input nor a command: try `help`\n");
    assert_eq!(answer("-1"), "`-1` is neither an input nor a command: try `help`\n");
    assert_eq!(answer(":"), "`:` is neither an input nor a command: try `help`\n");
    assert_eq!(answer("coin \u{1b}[1m"), "`coin \\u{1b}[1m` is neither an input nor a command: try `help`\n");
    assert_eq!(
        answer(&"9".repeat(100)),
        format!("`{}…` is neither an input nor a command: try `help`\n", "9".repeat(60))
    );
    let state = "state false\n  1  Coin → [], then true\n  2  Clean → [\"steam\", \"water\"], then false\n";
    assert_eq!(answer("\n"), state);
    assert_eq!(answer("reset"), state);
    assert_eq!(answer(""), "\n");
    assert_eq!(
        answer("h"),
        "  type the number of an input, or its text, or the beginning of it
  undo   takes the last input back
  reset  starts anew
  trace  shows all inputs since the start
  help   shows this
  quit   ends it, as the end of the input does
  :3 is always a number and :undo a command, whatever inputs are called
"
    );
}

#[test]
fn a_choice_can_be_left_and_must_be_clear() {
    let (told, steps) = typed(&seller(), &INPUTS, "Coin\nButton\n3\nundo\nCl\nButton\nreset\n:2");
    assert_contains(&told, "which? type a number from 1 to 2, `undo` or `quit`\nwhich? state true\n");
    assert_contains(&told, "> `Cl` is neither an input nor a command: try `help`\n");
    assert_eq!(steps, ["Coin → []", "Button → [\"tea\"]"]);
    // It may end there.
    assert_eq!(typed(&seller(), &INPUTS, "Coin\nButton\nquit\nCoin").1, ["Coin → []"]);
    assert_eq!(typed(&seller(), &INPUTS, "Coin\nButton\n").1, ["Coin → []"]);
    assert_eq!(typed(&seller(), &INPUTS, "Coin\nCoin\nreset\nClean").1, ["Clean → [\"steam\", \"water\"]"]);
}

#[test]
fn inputs_may_be_called_like_commands_and_numbers() {
    let odd = machine(0, |state: &u32, input: &&str| {
        (*input != "only" || *state > 0).then(|| (state + 1, vec![*input]))
    });
    let inputs = ["2", "1", "reset", "un", "only", "only once", "2"];
    let taken = |script: &str| typed(&odd, &inputs, script);
    assert_contains(&taken("1").0, "> `1` may be \"1\" (`:2`) or \"2\" (`:1`)\n");
    assert_contains(&taken("reset").0, "> `reset` may be \"reset\" (`:3`) or the command `:reset`\n");
    assert_contains(&taken("u").0, "> `u` may be \"un\" (`:4`) or the command `:undo`\n");
    assert_contains(&taken("only").0, "> \"only\" is not specified here\n");
    assert_eq!(taken(":1\n:2\n:3\nun\n\"un\"\n\"unx").1.len(), 5);
    assert_eq!(
        taken("un\n:undo\n:3\nonly\nonly o").1,
        ["\"reset\" → [\"reset\"]", "\"only\" → [\"only\"]", "\"only once\" → [\"only once\"]"]
    );
}

#[test]
fn where_nothing_can_be_given_it_says_why() {
    let end = machine(0, |state: &u32, (): &()| (*state < 1).then_some((1, vec![()])));
    let (told, _) = typed(&end, &[()], "1\n1\nu\n");
    assert_contains(&told, "state 1\n     nothing is specified here\n> `1` is neither");
    assert_contains(&told, "> state 0\n  1  () → [()], then 1\n> \n");
    let judged = stepwise(0, |_: &u32, input: &char, next| match input {
        'a' => next.to(1, [1]),
        _ => next.judge(|outputs: &[u32]| outputs.to_vec()),
    });
    let (told, steps) = typed(&judged, &['a', 'b'], "'b'\n'a'\n");
    assert_contains(&told, "     1 more whose outputs are judged, not listed: they cannot be given\n");
    assert_contains(&told, "> 'b' cannot be given here: its outputs are judged, not listed\n");
    assert_eq!(steps, ["'a' → [1]"]);
    assert_eq!(typed(&judged, &[], "1\n").0.lines().nth(1), Some("     nothing is specified here"));
}

#[test]
fn many_inputs_are_not_all_listed_but_can_be_given() {
    let many = machine(0, |_: &u32, input: &u32| [(*input, vec![()])]);
    let inputs: Vec<u32> = (1000..2000).collect();
    let (told, steps) = typed(&many, &inputs, "1999\n:1\n");
    assert_eq!(told.lines().take(53).last(), Some("> 1999 → [()]"));
    assert_contains(&told, " 50  1049 → [()], then 1049\n     … 950 more\n");
    assert_eq!(steps, ["1999 → [()]", "1000 → [()]"]);
}

#[test]
fn endless_input_ends() {
    let (told, steps) = typed(&seller(), &INPUTS, &"Coin\n".repeat(10_001));
    assert_eq!(steps.len(), 10_000);
    assert!(told.ends_with("10000 lines were read: this is the end\n"));
    for byte in [0, b'\n', b'x', 0xff] {
        let mut told = Vec::new();
        let trace = simulate(&seller(), INPUTS, BufReader::new(io::repeat(byte)), &mut told).unwrap();
        assert_eq!(trace, []);
        assert!(told.len() < 10_000_000);
    }
    // Between inputs too.
    let endless = "Coin\nButton\n".as_bytes().chain(io::repeat(b'\n'));
    let trace = simulate(&seller(), INPUTS, BufReader::new(endless), io::sink()).unwrap();
    assert_eq!(trace, [(In::Coin, vec![])]);
}

#[test]
fn trouble_with_reading_or_writing_is_an_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("broken"))
        }
    }
    impl io::Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::other("broken"))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    assert!(simulate(&seller(), INPUTS, BufReader::new(Broken), io::sink()).is_err());
    assert!(simulate(&seller(), INPUTS, "1\n".as_bytes(), Broken).is_err());
}
