//! Every formula with at most three operators over two atoms, on every word of up to five letters: does the acceptor say what the formula
//! means?

use gainsay::Case;
use gainsay::temporal::{
    Acceptor, Formula, Truth, always, atom, back_to, bits, eventually, formula, historically, next, once,
    previous, release, since, until, weak_next, weak_previous, weak_until,
};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

type Letters = Formula<u8>;

const LONGEST: usize = 5;

/// Formulas with bounds, and without.
fn bounded(formula: Letters) -> Vec<Letters> {
    vec![formula.clone().within(0..=0), formula.clone().within(0..=1), formula.clone().within(1..=2), formula]
}

/// All formulas with so many operators.
fn formulas(operators: usize, atoms: &[Letters]) -> Vec<Letters> {
    if operators == 0 {
        return atoms.to_vec();
    }
    let mut all = Vec::new();
    for of in formulas(operators - 1, atoms) {
        all.extend([
            !of.clone(),
            next(of.clone()),
            weak_next(of.clone()),
            previous(of.clone()),
            weak_previous(of.clone()),
        ]);
        for formula in [always(of.clone()), eventually(of.clone()), historically(of.clone()), once(of)] {
            all.extend(bounded(formula));
        }
    }
    for left in 0..operators {
        for one in formulas(left, atoms) {
            for two in formulas(operators - 1 - left, atoms) {
                all.extend(joined(one.clone(), two));
            }
        }
    }
    all
}

/// All ways to join two formulas.
fn joined(one: Letters, two: Letters) -> Vec<Letters> {
    let both = || (one.clone(), two.clone());
    let mut all = vec![
        one.clone() & two.clone(),
        one.clone() | two.clone(),
        one.clone().implies(two.clone()),
        one.clone().iff(two.clone()),
    ];
    let operators: [fn(Letters, Letters) -> Letters; 5] = [until, weak_until, release, since, back_to];
    for operator in operators {
        let (one, two) = both();
        all.extend(bounded(operator(one, two)));
    }
    all
}

/// Compares acceptor and meaning on all words; how often they differ.
fn differences(formula: &Letters) -> u64 {
    let mut acceptor = Acceptor::new(formula).expect("it has two atoms");
    let mut differences = 0;
    for length in 0..=LONGEST {
        for code in 0..4u32.pow(length as u32) {
            let word: Vec<u8> = (0..length).map(|place| (code >> (2 * place) & 3) as u8).collect();
            acceptor.reset();
            acceptor.see_all(&word);
            let truth = acceptor.truth();
            let differs = match truth {
                Truth::PresumablyTrue => !formula.holds(&word),
                Truth::PresumablyFalse => formula.holds(&word),
                Truth::True | Truth::False => false,
            };
            differences += u64::from(differs);
        }
    }
    differences
}

/// Compares random formulas of at most fifteen nodes over four atoms on random words; how often they differ.
pub(super) fn random(pairs: u64) -> u64 {
    let atoms: Vec<_> = bits().into_iter().take(4).collect();
    let one = |number: u64| {
        let mut case = Case::random(3, number);
        let formula = formula(&mut case, &atoms, 1 + number as usize % 15);
        let word = case.vec(0..=12, |case| case.int(0..=15u8));
        let mut acceptor = Acceptor::new(&formula).expect("it has four atoms");
        acceptor.see_all(&word);
        let holds = formula.holds(&word);
        let differs = match acceptor.truth() {
            Truth::PresumablyTrue => !holds,
            Truth::PresumablyFalse => holds,
            Truth::True | Truth::False => false,
        };
        u64::from(formula.size() <= 15 && differs)
    };
    (0..pairs).map(one).sum()
}

/// Compares all formulas up to so many operators, on two threads; how many there were, and how many differences.
pub(super) fn compare(operators_max: usize) -> (u64, u64) {
    let bit = |name: &str, bit: u8| Letters::from(atom(name, move |letter: &u8| letter >> bit & 1 == 1));
    let atoms = [bit("a", 0), bit("b", 1)];
    let (counted, wrong) = (AtomicU64::new(0), AtomicU64::new(0));
    for operators in 0..=operators_max {
        let all = formulas(operators, &atoms);
        let place = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while let Some(formula) = all.get(place.fetch_add(1, Relaxed)) {
                        // The same with other names is the same.
                        let text = formula.to_string();
                        if text.find('b') < text.find('a') && text.contains('b') {
                            continue;
                        }
                        counted.fetch_add(1, Relaxed);
                        wrong.fetch_add(differences(formula), Relaxed);
                    }
                });
            }
        });
        println!(
            "{operators} operators: {} formulas so far, {} differences",
            counted.load(Relaxed),
            wrong.load(Relaxed)
        );
    }
    (counted.into_inner(), wrong.into_inner())
}
