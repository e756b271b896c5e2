//! Two machines compared: what an implementation lacks is no refinement.

use gainsay_model::machine::{Machine, Refinement, Relation, machine, refines, refines_where_specified};

/// A door: it opens, closes, and (if it has a lock) locks.
fn door(has_lock: bool) -> impl Machine<State = &'static str, Input = char, Output = char> {
    machine("closed", move |state: &&str, input: &char| match (*state, *input) {
        ("closed", 'o') => Some(("open", vec!['o'])),
        ("open", 'c') => Some(("closed", vec!['c'])),
        ("closed", 'l') if has_lock => Some(("locked", vec!['l'])),
        ("locked", 'u') => Some(("closed", vec!['u'])),
        _ => None,
    })
}

const INPUTS: [char; 4] = ['o', 'c', 'l', 'u'];

#[test]
fn an_implementation_that_lacks_an_input_refines_nothing() {
    for relation in [Relation::Uioco, Relation::Ioco] {
        let lacking = refines(&door(false), &door(true), &INPUTS, relation, 100).unwrap();
        let told = "falsified:\n  'l' is not specified by the implementation\n  expected ['l']";
        assert_eq!(lacking.to_string(), told);
        let twin = refines(&door(true), &door(true), &INPUTS, relation, 100).unwrap();
        assert_eq!(twin.to_string(), "proved: all 3 pairs of states");
        // What the specification does not speak of may be added.
        let more = refines(&door(true), &door(false), &INPUTS, relation, 100).unwrap();
        assert_eq!(more, Refinement::Holds { pairs: 2 });
    }
}

#[test]
fn the_shortest_way_to_what_is_lacking_is_told() {
    let locked_for_ever = machine("closed", |state: &&str, input: &char| match (*state, *input) {
        ("closed", 'o') => Some(("open", vec!['o'])),
        ("open", 'c') => Some(("closed", vec!['c'])),
        ("closed", 'l') => Some(("locked", vec!['l'])),
        _ => None,
    });
    let lacking = refines(&locked_for_ever, &door(true), &INPUTS, Relation::Uioco, 100).unwrap();
    let told = "falsified:\n  'l' → ['l']\n  'u' is not specified by the implementation\n  expected ['u']";
    assert_eq!(lacking.to_string(), told);
}

#[test]
fn whoever_says_so_lets_it_do_anything_there() {
    let free = refines_where_specified(&door(false), &door(true), &INPUTS, Relation::Uioco, 100).unwrap();
    assert_eq!(free, Refinement::Holds { pairs: 2 });
    let wrong = machine((), |(): &(), _: &char| [((), vec!['?'])]);
    let wrong = refines_where_specified(&wrong, &door(true), &INPUTS, Relation::Uioco, 100).unwrap();
    assert_eq!(wrong.to_string(), "falsified:\n  'o' → ['?']\n  expected ['o']");
}
