//! What is claimed of these machines in the paper they come from, checked: where it is wrong, the test says so.

use coffee::Io::{Button, Coffee, Dime, Nickel};
use coffee::{INPUTS, Seller, c0, c1, c2, c3, c4, value};
use gainsay::Verdict;
use gainsay::machine::{
    Finite, Machine, Method, Refinement, Relation, after, conformance, enable_input, implementation, laws,
    refines, traces,
};

/// So many pairs of states are enough for machines with few states.
const PAIRS_MAX: usize = 1000;

fn implements(one: &impl Seller, other: &impl Seller) -> Refinement<coffee::Io, coffee::Io> {
    refines(one, other, &INPUTS, Relation::Uioco, PAIRS_MAX).unwrap()
}

fn holds(one: &impl Seller, other: &impl Seller) -> bool {
    matches!(implements(one, other), Refinement::Holds { .. })
}

/// What came last when one does not implement the other.
fn broken(one: &impl Seller, other: &impl Seller) -> Vec<coffee::Io> {
    match implements(one, other) {
        Refinement::Broken { trace, .. } => trace.into_iter().map(|(input, _)| input).collect(),
        held => panic!("{held}"),
    }
}

#[test]
fn c2_c3_and_c4_implement_c1() {
    assert!(holds(&c2(), &c1()));
    assert!(holds(&c3(), &c1()));
    // (Of the many states of c4, few are reached by what c1 specifies.)
    assert!(holds(&c4(), &c1()));
    assert!(holds(&c2(), &c0()));
}

#[test]
fn neither_c3_nor_c4_implements_c2() {
    assert_eq!(broken(&c3(), &c2()), [Nickel, Dime]);
    assert_eq!(broken(&c2(), &c3()), [Nickel, Dime]);
    let trace = broken(&c4(), &c2());
    assert!(trace.len() <= 4 && trace.ends_with(&[Button]), "{trace:?}");
    assert_eq!(broken(&c4(), &c3()).len(), 2);
    assert_eq!(broken(&c3(), &c4()).len(), 2);
    // The inputs of the paper show it too.
    assert_eq!(answers(&c4(), &[Dime, Dime, Button, Button]), [vec![], vec![], vec![Coffee], vec![Coffee]]);
    assert_eq!(answers(&c2(), &[Dime, Dime, Button, Button]), [vec![], vec![], vec![Coffee], vec![]]);
}

/// What a deterministic machine answers.
fn answers(machine: &impl Seller, inputs: &[coffee::Io]) -> Vec<Vec<coffee::Io>> {
    let all = traces(machine, &INPUTS, inputs.len());
    let is_it = |trace: &&Vec<(coffee::Io, Vec<coffee::Io>)>| trace.iter().map(|(input, _)| input).eq(inputs);
    let trace = all.iter().find(is_it).expect("it is total");
    trace.iter().map(|(_, outputs)| outputs.clone()).collect()
}

/// Erratum: the paper counts `[(Nickel, []), (Dime, [])]` among what c2 cannot do.
#[test]
fn traces_of_c2() {
    let is_trace = |trace: &[(coffee::Io, Vec<coffee::Io>)]| !after(&c2(), [0], trace).is_empty();
    assert!(is_trace(&[]));
    assert!(is_trace(&[(Nickel, vec![])]));
    assert!(is_trace(&[(Nickel, vec![]), (Nickel, vec![]), (Button, vec![Coffee])]));
    assert!(is_trace(&[(Dime, vec![]), (Button, vec![Coffee])]));
    assert!(is_trace(&[(Nickel, vec![]), (Dime, vec![])]));
    assert!(!is_trace(&[(Dime, vec![Coffee])]));
}

#[test]
fn enabling_input_makes_c2_of_c0_but_not_of_c1() {
    let same = |one: &dyn Fn() -> bool, other: &dyn Fn() -> bool| one() && other();
    assert!(same(&|| holds(&enable_input(c0()), &c2()), &|| holds(&c2(), &enable_input(c0()))));
    assert!(holds(&enable_input(c3()), &c3()) && holds(&c3(), &enable_input(c3())));
    assert!(!holds(&enable_input(c1()), &c2()));
    let finite = Finite::explore(&enable_input(c0()), INPUTS, 10).unwrap();
    assert_eq!(finite.difference(&Finite::explore(&c2(), INPUTS, 10).unwrap()), None);
}

/// Erratum: the paper says that a suite proves that c3 implements c2. Neither the suite nor the product does.
#[test]
fn no_suite_proves_that_c3_implements_c2() {
    for method in Method::ALL {
        for (real, is_right) in
            [(Finite::explore(&c2(), INPUTS, 10), true), (Finite::explore(&c3(), INPUTS, 10), false)]
        {
            let real = real.unwrap();
            let real = implementation(
                || 0,
                move |state: &mut u32, input: &coffee::Io| {
                    let mut next = gainsay::machine::Next::default();
                    real.step(state, input, &mut next);
                    let answer = next.listed().next().map(|(to, outputs)| (*to, outputs.to_vec()));
                    let (to, outputs) = answer.expect("it is total");
                    *state = to;
                    outputs
                },
            );
            let mut test = conformance("coffee", c2(), real)
                .inputs(INPUTS)
                .settings(gainsay::settings().seed(1).without_corpus());
            let verdict = test.report_suite(method, 0).unwrap().verdict;
            assert_eq!(matches!(verdict, Verdict::Proved(_)), is_right, "{method}: {verdict}");
        }
    }
}

#[test]
fn determinism_and_totality() {
    let told = laws(&c1(), INPUTS).settings(quiet()).deterministic().to_string();
    assert!(told.contains("state = 10") && told.contains("input = Button"), "{told}");
    let told = laws(&c1(), INPUTS).settings(quiet()).total().to_string();
    assert!(told.contains("nothing is specified"), "{told}");
    for verdict in [
        laws(&c2(), INPUTS).deterministic(),
        laws(&c2(), INPUTS).total(),
        laws(&c3(), INPUTS).deterministic(),
        laws(&c3(), INPUTS).total(),
    ] {
        assert_eq!(verdict.to_string(), "proved over the 3 states that can be reached: all 9 cases");
    }
    // There is no end to the states of c4.
    for verdict in [laws(&c4(), INPUTS).states(100).deterministic(), laws(&c4(), INPUTS).states(100).total()]
    {
        assert_eq!(verdict.to_string(), "passed: 300 cases");
    }
}

fn quiet() -> gainsay::Settings {
    gainsay::settings().seed(1).without_corpus()
}

/// Whether no money is lost.
fn is_fair(machine: &impl Seller) -> gainsay::machine::Laws<'_, impl Seller> {
    laws(machine, INPUTS).settings(quiet()).states(100)
}

#[test]
fn money_is_not_lost() {
    let fair = |transition: &gainsay::machine::Transition<u32, coffee::Io, coffee::Io>| {
        gainsay::equal(
            transition.from + value(&[transition.input]),
            transition.to + value(&transition.outputs),
        )
    };
    assert!(matches!(is_fair(&c0()).verdict(fair), Verdict::Proved(_)));
    assert!(matches!(is_fair(&c1()).verdict(fair), Verdict::Proved(_)));
    assert!(matches!(is_fair(&c3()).verdict(fair), Verdict::Proved(_)));
    assert!(matches!(is_fair(&c4()).verdict(fair), Verdict::Passed(_)));
    let given = is_fair(&c4()).over((0..=100).step_by(5)).verdict(fair);
    assert_eq!(given.to_string(), "proved over the 21 states that were given: all 63 cases");
    let told = is_fair(&c2()).verdict(fair).to_string();
    assert!(told.contains("state = 5") && told.contains("input = Dime"), "{told}");
    // To enable all inputs is not harmless.
    assert!(!is_fair(&enable_input(c1())).verdict(fair).is_good());
}

/// Over all values of its type, and not only those that can be reached, the money of c4 overflows.
#[test]
fn all_states_of_a_type_are_more_than_those_that_can_be_reached() {
    let more = |transition: &gainsay::machine::Transition<u32, coffee::Io, coffee::Io>| {
        transition.input == Button || transition.to > transition.from
    };
    assert!(laws(&c4(), INPUTS).settings(quiet()).states(100).verdict(more).is_good());
    let told = laws(&c4(), INPUTS).settings(quiet()).over_all().verdict(more).to_string();
    assert!(told.contains("attempt to add with overflow"), "{told}");
}
