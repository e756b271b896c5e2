//! Formulas, small ones and random ones, and where what is said of them is not what the reference says.

use super::reference::{ONES, One, Reference, TWOS, Tree, Two};
use gainsay_temporal::Acceptor;

/// Numbers that look random.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % end as u64) as usize
    }
}

/// A random formula.
pub(crate) fn random(numbers: &mut Numbers, operators: usize, atoms: usize) -> Tree {
    if operators == 0 {
        return Tree::Atom(numbers.below(atoms) as u8);
    }
    let bound = |numbers: &mut Numbers, has_bound: bool| {
        let from = numbers.below(3) as u64;
        let bound = (from, from + numbers.below(3) as u64);
        (has_bound && numbers.below(8) == 0).then_some(bound)
    };
    if numbers.below(5) < 3 {
        let operator = ONES[numbers.below(ONES.len())];
        let has_bound = matches!(operator, One::Always | One::Eventually | One::Historically | One::Once);
        let bound = bound(numbers, has_bound);
        return Tree::One(operator, bound, Box::new(random(numbers, operators - 1, atoms)));
    }
    let operator = TWOS[numbers.below(TWOS.len())];
    let has_bound = !matches!(operator, Two::And | Two::Or | Two::Implies | Two::Iff);
    let bound = bound(numbers, has_bound);
    let left = numbers.below(operators);
    let one = Box::new(random(numbers, left, atoms));
    Tree::Two(operator, bound, one, Box::new(random(numbers, operators - 1 - left, atoms)))
}

/// How many formulas with so many operators there are, over so many atoms.
pub(crate) fn count(operators: usize, atoms: usize) -> usize {
    if operators == 0 {
        return atoms;
    }
    let splits = (0..operators).map(|left| count(left, atoms) * count(operators - 1 - left, atoms));
    ONES.len() * count(operators - 1, atoms) + TWOS.len() * splits.sum::<usize>()
}

/// One of them, by its number.
pub(crate) fn numbered(operators: usize, atoms: usize, mut number: usize) -> Tree {
    if operators == 0 {
        return Tree::Atom(number as u8);
    }
    let ones = ONES.len() * count(operators - 1, atoms);
    if number < ones {
        let of = numbered(operators - 1, atoms, number / ONES.len());
        return Tree::One(ONES[number % ONES.len()], None, Box::new(of));
    }
    number -= ones;
    let operator = TWOS[number % TWOS.len()];
    number /= TWOS.len();
    for left in 0..operators {
        let (ones, twos) = (count(left, atoms), count(operators - 1 - left, atoms));
        if number < ones * twos {
            let one = numbered(left, atoms, number / twos);
            let two = numbered(operators - 1 - left, atoms, number % twos);
            return Tree::Two(operator, None, Box::new(one), Box::new(two));
        }
        number -= ones * twos;
    }
    unreachable!("there are as many as were counted")
}

/// Words after which a formula is judged.
pub(crate) fn words(letters: u8, longest: usize) -> Vec<Vec<u8>> {
    let mut words = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = words.len();
        for place in from..to {
            let word = words[place].clone();
            words.extend((0..letters).map(|letter| [word.as_slice(), &[letter]].concat()));
        }
        from = to;
    }
    words
}

/// Differences in what is certain, and in what can be satisfied.
pub(crate) type Differences = (Vec<String>, Vec<String>);

/// What is said of a formula otherwise than by the reference: of beginnings, and of whether there are streams at all. Nothing if it is too large
/// for the reference.
pub(crate) fn differences(tree: &Tree, atoms: usize, words: &[Vec<u8>]) -> Option<Differences> {
    let reference = Reference::new(tree, atoms)?;
    let formula = tree.formula();
    let mut acceptor = Acceptor::new(&formula).expect("it has few atoms");
    let mut certain = Vec::new();
    for word in words {
        acceptor.reset();
        word.iter().for_each(|letter| acceptor.see(letter));
        let (said, is) = (acceptor.truth(), reference.truth(word, formula.holds(word)));
        if said != is {
            certain.push(format!("{formula} after {word:?} is {is}, and said to be {said}"));
        }
    }
    let mut satisfiable = Vec::new();
    for holds in [true, false] {
        let formula = if holds { formula.clone() } else { !formula.clone() };
        if formula.is_satisfiable().expect("it is small") != reference.is_satisfiable(holds) {
            satisfiable.push(format!("{formula} is satisfiable: {}", reference.is_satisfiable(holds)));
        }
        let stream = formula.satisfied_by().expect("it is small");
        if stream.as_ref().is_some_and(|stream| !formula.holds(stream)) {
            satisfiable.push(format!("{stream:?} does not satisfy {formula}"));
        }
        let there_is = reference.is_satisfiable_with_end(holds) || formula.holds(&[]);
        if stream.is_some() != there_is {
            satisfiable.push(format!("{formula} is said to be satisfied by {stream:?}"));
        }
    }
    Some((certain, satisfiable))
}

/// Whether two formulas are said to mean the same, or not to, and do not (or do). Nothing if they are too large for the reference.
pub(crate) fn equivalence(one: &Tree, two: &Tree, atoms: usize) -> Option<Vec<String>> {
    let both = Tree::Two(Two::Iff, None, Box::new(one.clone()), Box::new(two.clone()));
    let reference = Reference::new(&both, atoms)?;
    let (one, two) = (one.formula(), two.formula());
    let mut wrong = Vec::new();
    let is_same = !reference.is_satisfiable(false);
    if one.is_equivalent(&two).expect("they are small") != is_same {
        wrong.push(format!("{one} is equivalent to {two}: {is_same}"));
    }
    let apart = one.told_apart(&two).expect("they are small");
    let differ = reference.is_satisfiable_with_end(false) || one.holds(&[]) != two.holds(&[]);
    if apart.is_some() != differ {
        wrong.push(format!("{one} and {two} are said to be told apart by {apart:?}"));
    }
    Some(wrong)
}
