//! Suites held against all single mistakes in machines like those of real protocols.

use gainsay::Case;
use gainsay::machine::{Finite, Method, Suite, Table};

/// A machine as protocols have: mostly one way forward, much that is ignored, and a sink.
fn protocol(seed: u64, states: u32, inputs: u32) -> Table {
    let mut case = Case::random(seed, 1);
    let mut table = Table::new(states as usize, inputs as usize);
    for state in 0..states {
        for input in 0..inputs {
            let (next, answer) = match case.index_weighted(&[5, 3, 2, 1]) {
                0 => (state, 0),
                1 => ((state + 1) % states, 1 + case.index(3) as u32),
                2 => (states - 1, 1),
                _ => (case.index(states as usize) as u32, case.index(4) as u32),
            };
            table.set(state, input, next, answer);
        }
    }
    table.minimised().0
}

/// Whether a suite finds a machine that answers otherwise.
fn kills(suite: &[Vec<u32>], specification: &Table, implementation: &Table) -> bool {
    suite.iter().any(|inputs| {
        let (mut here, mut there) = (0, 0);
        inputs.iter().any(|input| {
            let (next, answer) = specification.step(here, *input).unwrap();
            let (reached, given) = implementation.step(there, *input).unwrap();
            (here, there) = (next, reached);
            answer != given
        })
    })
}

/// All machines that differ in one answer, or in where one transition leads.
fn mutants(table: &Table) -> impl Iterator<Item = Table> + '_ {
    let cells = (0..table.states() as u32)
        .flat_map(|state| (0..table.inputs() as u32).map(move |input| (state, input)));
    cells.flat_map(move |(state, input)| {
        let (next, answer) = table.step(state, input).unwrap();
        let mutant = move |next, answer| {
            let mut mutant = table.clone();
            mutant.set(state, input, next, answer);
            mutant
        };
        let others = (0..table.states() as u32).filter(move |other| *other != next);
        std::iter::once(mutant(next, answer + 1)).chain(others.map(move |other| mutant(other, answer)))
    })
}

#[test]
fn every_single_mistake_is_found_unless_it_is_none() {
    let mut wrong = 0;
    for seed in 0..8 {
        let table = protocol(seed, 9, 4);
        let suites = Method::ALL.map(|method| {
            let suite = Suite::complete(&table, method, 0).unwrap();
            (method, suite.iter().collect::<Vec<_>>())
        });
        for mutant in mutants(&table) {
            let is_wrong = table.difference(&mutant, true).is_some();
            wrong += usize::from(is_wrong);
            for (method, suite) in &suites {
                assert_eq!(kills(suite, &table, &mutant), is_wrong, "{method} of {table:?} on {mutant:?}");
            }
        }
    }
    assert!(wrong > 500, "{wrong}");
}

#[test]
fn machines_are_read_written_and_read_again() {
    let text = "digraph g {\n  __start0 [label=\"\" shape=\"none\"];\n  __start0 -> closed;\n  closed -> open [label=\"SYN / SYN+ACK\"];\n  open -> closed [label=\"FIN / \"];\n}";
    let machine = Finite::from_dot(text).unwrap();
    assert_eq!((machine.states().len(), machine.inputs().len(), machine.table().transitions()), (2, 2, 2));
    let again = Finite::from_dot(&machine.to_dot_text()).unwrap();
    assert_eq!(machine.difference(&again), None);
    let told = Finite::from_dot("digraph g {\n  a -> b [label=\"x/1\"\n}").unwrap_err().to_string();
    assert!(told.contains("line 3, column 1"), "{told}");
}
