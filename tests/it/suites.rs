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
    assert_eq!(suites.len(), Method::ALL.len() * 200);
    let verdict = seeded(1).exhaustive().verdict(|case| {
        let implementation = any_table(case, 3);
        // (Each specification comes once for each method.)
        for group in suites.chunks(Method::ALL.len()) {
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
    for method in [Method::Hsi, Method::H, Method::Spyh] {
        let suite: Vec<Vec<u32>> = Suite::complete(&table, method, 0).unwrap().iter().collect();
        let verdict = seeded(1).exhaustive().verdict(|case| {
            let implementation = any_table(case, 3);
            let is_wrong = table.difference(&implementation, false).is_some();
            equal(kills(&suite, &table, &implementation), is_wrong)
        });
        assert_eq!(proved(&verdict), 46_656, "{method}");
    }
}

/// All machines with so many states that pass a suite, as far as they are asked, put together cell by cell.
struct Passing<'a> {
    specification: &'a Table,
    suite: &'a [Vec<u32>],
    states: usize,
    /// The next state and the answer, where they were asked for.
    cells: Vec<Option<(u32, u32)>>,
}

impl Passing<'_> {
    fn cell(&self, state: u32, input: u32) -> usize {
        state as usize * self.specification.inputs() + input as usize
    }

    /// Whether one of them is wrong, or might be where it was not asked.
    fn has_wrong(&self) -> bool {
        let mut pairs = vec![(0, 0)];
        let mut at = 0;
        while at < pairs.len() {
            let (here, there) = pairs[at];
            for input in 0..self.specification.inputs() as u32 {
                let Some((next, answer)) = self.specification.step(here, input) else { continue };
                match self.cells[self.cell(there, input)] {
                    Some((reached, given)) if given == answer => {
                        if !pairs.contains(&(next, reached)) {
                            pairs.push((next, reached));
                        }
                    }
                    _ => return true,
                }
            }
            at += 1;
        }
        false
    }

    /// Whether a wrong one passes from a place in the tests on, from where the specification and the machine are. New states are taken
    /// in their order: their numbers do not matter.
    fn search(&mut self, test: usize, place: usize, (here, there): (u32, u32), used: usize) -> bool {
        let Some(inputs) = self.suite.get(test) else { return self.has_wrong() };
        let Some(input) = inputs.get(place) else { return self.search(test + 1, 0, (0, 0), used) };
        let (next, answer) = self.specification.step(here, *input).unwrap();
        let cell = self.cell(there, *input);
        if let Some((reached, given)) = self.cells[cell] {
            return given == answer && self.search(test, place + 1, (next, reached), used);
        }
        let is_found = (0..self.states.min(used + 1)).any(|reached| {
            self.cells[cell] = Some((reached as u32, answer));
            self.search(test, place + 1, (next, reached as u32), used.max(reached + 1))
        });
        self.cells[cell] = None;
        is_found
    }
}

/// Whether a machine that is wrong, with so many states, passes a suite.
fn is_fooled(suite: &Suite, specification: &Table, states: usize) -> bool {
    let suite: Vec<Vec<u32>> = suite.iter().collect();
    let cells = vec![None; states * specification.inputs()];
    Passing { specification, suite: &suite, states, cells }.search(0, 0, (0, 0), 1)
}

/// A table with holes.
fn any_partial_table(case: &mut Case, states: usize) -> Table {
    let mut table = Table::new(states, 2);
    for state in 0..states as u32 {
        for input in 0..2 {
            if case.index(5) > 0 {
                table.set(state, input, case.index(states) as u32, case.index(2) as u32);
            }
        }
    }
    table.reachable().0
}

#[test]
fn no_machine_that_passes_a_suite_is_wrong() {
    let (mut complete, mut partial) = (0, 0);
    for index in 0..600 {
        let case = &mut Case::random(1, index);
        let (states, extra) = (2 + case.index(3), case.index(3));
        let table =
            if case.flag() { any_table(case, states).reachable().0 } else { any_partial_table(case, states) };
        let states = table.states() + extra;
        if states > 5 {
            continue;
        }
        for method in [Method::Hsi, Method::H, Method::Spyh] {
            // (Some have states that are not told apart.)
            let Ok(suite) = Suite::complete(&table, method, extra) else { continue };
            assert!(!is_fooled(&suite, &table, states), "{method} of {table:?}, {extra} more");
            *if table.hole().is_some() { &mut partial } else { &mut complete } += 1;
        }
    }
    assert!(complete > 300 && partial > 150, "{complete}, {partial}");
}

#[test]
fn one_state_more_than_assumed_may_pass() {
    let is_found = specifications(3, 20).iter().any(|table| {
        let suite = Suite::complete(table, Method::Spyh, 0).unwrap();
        is_fooled(&suite, table, 4)
    });
    assert!(is_found);
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
    assert_contains(
        &told,
        "W with 40 more states has more than 200000000 inputs, the limit of steps: use H or SPYH, which are shorter",
    );
    for method in Method::ALL {
        let table = &specifications(3, 1)[0];
        let steps = Suite::complete(table, method, 1).unwrap().steps();
        assert_eq!(Suite::complete_within(table, method, 1, steps).unwrap().steps(), steps);
        let told = Suite::complete_within(table, method, 1, steps - 1).unwrap_err().to_string();
        assert_contains(&told, &format!("{method} with 1 more state has more than {} inputs", steps - 1));
    }
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
