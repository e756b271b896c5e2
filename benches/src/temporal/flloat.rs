//! flloat, from PyPI, in an environment of its own: does it say the same of formulas as they mean here?

use gainsay::Case;
use gainsay::temporal::{
    Atom, Formula, always, bits, eventually, next, release, until, weak_next, weak_until,
};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SEED: u64 = 1;
const ATOMS: usize = 3;
const OPERATORS_MAX: usize = 8;
const LENGTH_MAX: usize = 6;

/// A formula of ours, and the same for flloat.
///
/// There, everything is in parentheses: a chain of `->` is read from the left, and `R` binds tighter than `U`.
type Both = (Formula<u8>, String);

/// Compares random formulas on random words: how many pairs there were, and how many differences. Nothing if flloat cannot be installed.
pub(super) fn compare(pairs: usize) -> Option<(usize, usize)> {
    let python = environment()?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/formulas.py");
    let mut command = Command::new(python);
    let mut process = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    // The end of its input is when this is dropped. It says little before, so neither waits for the other.
    let given = process.stdin.take().map(|mut input| input.write_all(lines(pairs).as_bytes()));
    let output = process.wait_with_output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout);
    said.lines().for_each(|line| println!("  flloat: {line}"));
    given?.ok()?;
    let (compared, differences) =
        said.lines().last()?.strip_prefix("compared ")?.split_once(", differences ")?;
    Some((compared.parse().ok()?, differences.parse().ok()?))
}

/// The pairs, as the script reads them.
fn lines(pairs: usize) -> String {
    let atoms = &bits()[..ATOMS];
    let (mut lines, mut true_ones) = (String::new(), 0);
    for number in 0..pairs {
        let mut case = Case::random(SEED, number as u64);
        let operators = case.int(0..=OPERATORS_MAX);
        let (ours, theirs) = formula(&mut case, atoms, operators);
        // LTLf has no empty words.
        let word = case.vec(1..=LENGTH_MAX, |case| case.int(0..1u8 << ATOMS));
        let named = |letter: &u8| -> Vec<&str> {
            let holds = atoms.iter().filter(|atom| atom.holds(None, letter));
            holds.map(Atom::name).collect()
        };
        let names: Vec<Vec<&str>> = word.iter().map(named).collect();
        let (holds, text) = (ours.holds(&word), ours.to_string());
        true_ones += usize::from(holds);
        // Texts have nothing that JSON would write in another way.
        let _ = writeln!(
            lines,
            r#"{{"formula": {theirs:?}, "word": {names:?}, "holds": {holds}, "ours": {text:?}}}"#
        );
    }
    println!("{true_ones} of {pairs} formulas hold of their words");
    lines
}

/// Draws a formula with so many operators.
fn formula(case: &mut Case, atoms: &[Atom<u8>], operators: usize) -> Both {
    if operators == 0 {
        return leaf(case, atoms);
    }
    if case.index(2) == 0 {
        let (ours, theirs) = formula(case, atoms, operators - 1);
        return match case.index(5) {
            0 => (!ours, format!("!({theirs})")),
            1 => (next(ours), format!("X({theirs})")),
            2 => (weak_next(ours), format!("WX({theirs})")),
            3 => (eventually(ours), format!("F({theirs})")),
            _ => (always(ours), format!("G({theirs})")),
        };
    }
    let left = case.int(0..operators);
    let (one, f) = formula(case, atoms, left);
    let (two, g) = formula(case, atoms, operators - 1 - left);
    match case.index(7) {
        0 => (one & two, format!("({f}) & ({g})")),
        1 => (one | two, format!("({f}) | ({g})")),
        2 => (one.implies(two), format!("({f}) -> ({g})")),
        3 => (one.iff(two), format!("({f}) <-> ({g})")),
        4 => (until(one, two), format!("({f}) U ({g})")),
        5 => (release(one, two), format!("({f}) R ({g})")),
        // flloat has no weak until. It is spelt by release, as ours is spelt by until and always.
        _ => (weak_until(one, two), format!("({g}) R (({f}) | ({g}))")),
    }
}

/// Atoms more often than constants.
fn leaf(case: &mut Case, atoms: &[Atom<u8>]) -> Both {
    match case.index(2 * atoms.len() + 3) {
        0 => (true.into(), "true".into()),
        1 => (false.into(), "false".into()),
        // The last instant, for which flloat has a word.
        2 => (weak_next(false), "last".into()),
        number => {
            let atom = &atoms[(number - 3) / 2];
            (atom.clone().into(), atom.name().into())
        }
    }
}

fn environment() -> Option<PathBuf> {
    let folder = std::env::temp_dir().join("gainsay-bench-flloat");
    let python = folder.join("bin/python");
    if !folder.join("done").is_file() {
        let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).status().ok()?;
        let installed = made.success()
            && Command::new(folder.join("bin/pip"))
                .args(["install", "-q", "flloat==0.3.0"])
                .status()
                .ok()?
                .success();
        if !installed {
            println!("flloat cannot be installed");
            return None;
        }
        std::fs::write(folder.join("done"), "").ok()?;
    }
    Some(python)
}
