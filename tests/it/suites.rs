//! Complete suites, held against all implementations there are.

use crate::support::{assert_contains, proved, seeded};
use gainsay::machine::{Method, Suite, Table, tour};
use gainsay::{Case, equal};

/// Any table with so many states, two inputs and two answers.
fn any_table(case: &mut Case, states: usize) -> Table {
    let mut table = Table::new(states, 2);
    for state in 0..states as u32 {
        for input in 0..2 {
            table.set(state, input, case.index(states) as u32, case.index(2) as u32);
        }
    }
    table
}

/// Minimal specifications with so many states.
fn specifications(states: usize, count: usize) -> Vec<Table> {
    let drawn = (0..).map(|index| any_table(&mut Case::random(states as u64, index), states));
    drawn.map(|table| table.minimised().0).filter(|table| table.states() == states).take(count).collect()
}

/// Whether some test of a suite finds an implementation that answers otherwise.
fn kills(suite: &[Vec<u32>], specification: &Table, implementation: &Table) -> bool {
    suite.iter().any(|inputs| {
        let (mut here, mut there) = (0, 0);
        inputs.iter().any(|input| {
            let (Some((next, answer)), Some((reached, given))) =
                (specification.step(here, *input), implementation.step(there, *input))
            else {
                return true;
            };
            (here, there) = (next, reached);
            answer != given
        })
    })
}

#[test]
fn suites_find_exactly_the_wrong_ones_of_all_implementations() {
    let mut suites = Vec::new();
    for (states, count) in [(1, 50), (2, 50), (3, 100)] {
        for specification in specifications(states, count) {
            for method in Method::ALL {
                let suite = Suite::complete(&specification, method, 3 - states).unwrap();
                suites.push((specification.clone(), method, suite.iter().collect::<Vec<_>>()));
            }
        }
    }
    assert_eq!(suites.len(), 4 * 200);
    let verdict = seeded(1).exhaustive().verdict(|case| {
        let implementation = any_table(case, 3);
        // (Specifications come in fours, one for each method.)
        for group in suites.chunks(4) {
            let is_wrong = group[0].0.difference(&implementation, true).is_some();
            for (specification, method, suite) in group {
                let is_killed = kills(suite, specification, &implementation);
                assert_eq!(is_killed, is_wrong, "{method} of {specification:?} on {implementation:?}");
            }
        }
    });
    assert_eq!(proved(&verdict), 46_656);
}

#[test]
fn a_method_that_leaves_something_out_is_found() {
    // Without what tells states apart after the last transition, some transfer faults are missed.
    let specification = &specifications(3, 1)[0];
    let cover: Vec<Vec<u32>> = specification.access().into_iter().flatten().collect();
    let tests: Vec<Vec<u32>> =
        cover.iter().flat_map(|path| (0..2).map(|input| [path.as_slice(), &[input]].concat())).collect();
    let verdict = seeded(1).exhaustive().verdict(|case| {
        let implementation = any_table(case, 3);
        equal(
            kills(&tests, specification, &implementation),
            specification.difference(&implementation, true).is_some(),
        )
    });
    assert!(!verdict.is_good());
}

#[test]
fn suites_of_partial_specifications_find_what_is_specified_to_be_wrong() {
    let mut table = Table::new(3, 2);
    table.set(0, 0, 1, 0);
    table.set(1, 0, 2, 0);
    table.set(1, 1, 0, 1);
    table.set(2, 0, 0, 1);
    let told = Suite::complete(&table, Method::Wp, 0).unwrap_err().to_string();
    assert_contains(
        &told,
        "Wp needs a complete specification, and nothing is specified for input 1 in state 0",
    );
    for method in [Method::Hsi, Method::H] {
        let suite: Vec<Vec<u32>> = Suite::complete(&table, method, 0).unwrap().iter().collect();
        let verdict = seeded(1).exhaustive().verdict(|case| {
            let implementation = any_table(case, 3);
            let is_wrong = table.difference(&implementation, false).is_some();
            equal(kills(&suite, &table, &implementation), is_wrong)
        });
        assert_eq!(proved(&verdict), 46_656, "{method}");
    }
}

#[test]
fn what_has_no_suite_is_refused_by_name() {
    let mut table = Table::new(3, 2);
    for state in 0..3 {
        (0..2).for_each(|input| table.set(state, input, 0, 0));
    }
    let told = Suite::complete(&table, Method::H, 0).unwrap_err().to_string();
    assert_contains(&told, "state 1 cannot be reached");
    table.set(0, 0, 1, 0);
    table.set(1, 0, 2, 0);
    let told = Suite::complete(&table, Method::H, 0).unwrap_err().to_string();
    assert_contains(&told, "states 0 and 1 answer alike to all inputs");
    let told = Suite::complete(&specifications(3, 1)[0], Method::W, 40).unwrap_err().to_string();
    assert_contains(&told, "W with 40 more states would have more than");
}

#[test]
fn tours_take_every_transition() {
    for table in specifications(3, 20) {
        let mut is_taken = [false; 6];
        for inputs in tour(&table) {
            let mut state = 0;
            for input in inputs {
                is_taken[(2 * state + input) as usize] = true;
                state = table.step(state, input).unwrap().0;
            }
        }
        assert_eq!(is_taken, [true; 6], "{table:?}");
    }
}
