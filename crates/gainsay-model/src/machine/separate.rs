//! Inputs that tell states apart.

use super::Table;
use rustc_hash::FxHashMap;

/// For each two states the shortest inputs, specified in both, after which their answers differ.
#[derive(Debug)]
pub(super) struct Separators<'a> {
    table: &'a Table,
    /// By pair: how long the inputs are, and the first of them. No length: nothing tells them apart.
    first: Vec<(u32, u32)>,
}

impl<'a> Separators<'a> {
    pub(super) fn new(table: &'a Table) -> Separators<'a> {
        let states = table.states();
        let mut separators = Separators { table, first: vec![(0, 0); states * states] };
        let mut open: Vec<(u32, u32)> =
            (0..states as u32).flat_map(|one| (one + 1..states as u32).map(move |two| (one, two))).collect();
        let mut length = 1;
        loop {
            let mut found = Vec::new();
            open.retain(|&(one, two)| match separators.first_within(one, two, length) {
                Some(input) => {
                    found.push((one, two, input));
                    false
                }
                None => true,
            });
            if found.is_empty() {
                return separators;
            }
            for (one, two, input) in found {
                separators.first[one as usize * states + two as usize] = (length, input);
                separators.first[two as usize * states + one as usize] = (length, input);
            }
            length += 1;
        }
    }

    /// An input that leads to states told apart by so many inputs less one.
    fn first_within(&self, one: u32, two: u32, length: u32) -> Option<u32> {
        (0..self.table.inputs() as u32).find(|&input| {
            let (Some((here, answer)), Some((there, given))) =
                (self.table.step(one, input), self.table.step(two, input))
            else {
                return false;
            };
            answer != given || length > 1 && self.length(here, there) == Some(length - 1)
        })
    }

    /// How many inputs tell two states apart; nothing if none do.
    #[inline]
    pub(super) fn length(&self, one: u32, two: u32) -> Option<u32> {
        let (length, _) = self.first[one as usize * self.table.states() + two as usize];
        (length > 0).then_some(length)
    }

    /// The first of the shortest inputs that tell two states apart.
    #[inline]
    pub(super) fn first(&self, one: u32, two: u32) -> Option<u32> {
        let (length, input) = self.first[one as usize * self.table.states() + two as usize];
        (length > 0).then_some(input)
    }

    /// The shortest inputs that tell two states apart.
    pub(super) fn inputs(&self, one: u32, two: u32) -> Vec<u32> {
        let (mut one, mut two) = (one, two);
        let mut inputs = Vec::new();
        while self.length(one, two).is_some() {
            let (_, input) = self.first[one as usize * self.table.states() + two as usize];
            inputs.push(input);
            let (Some((here, answer)), Some((there, given))) =
                (self.table.step(one, input), self.table.step(two, input))
            else {
                break;
            };
            if answer != given {
                break;
            }
            (one, two) = (here, there);
        }
        inputs
    }

    /// Two states that nothing tells apart.
    pub(super) fn twins(&self) -> Option<(u32, u32)> {
        let states = self.table.states() as u32;
        (0..states)
            .flat_map(|one| (one + 1..states).map(move |two| (one, two)))
            .find(|&(one, two)| self.length(one, two).is_none())
    }

    /// After how many of these inputs the answers of two states differ; nothing if they do not.
    pub(super) fn cut(&self, one: u32, two: u32, inputs: &[u32]) -> Option<usize> {
        let (mut one, mut two) = (one, two);
        for (place, input) in inputs.iter().enumerate() {
            let (here, answer) = self.table.step(one, *input)?;
            let (there, given) = self.table.step(two, *input)?;
            if answer != given {
                return Some(place + 1);
            }
            (one, two) = (here, there);
        }
        None
    }

    /// Inputs of which some tell any two states apart. (The longest first: their beginnings serve others.)
    pub(super) fn set(&self) -> Vec<Vec<u32>> {
        let states = self.table.states() as u32;
        let mut pairs: Vec<(u32, u32)> =
            (0..states).flat_map(|one| (one + 1..states).map(move |two| (one, two))).collect();
        pairs.sort_by_key(|&(one, two)| std::cmp::Reverse(self.length(one, two)));
        let mut set: Vec<Vec<u32>> = Vec::new();
        for (one, two) in pairs {
            if !set.iter().any(|inputs| self.cut(one, two, inputs).is_some()) {
                set.push(self.inputs(one, two));
            }
        }
        set
    }

    /// For each state some of the beginnings of a set's inputs that tell it from all others.
    pub(super) fn of_each_state(&self, set: &[Vec<u32>]) -> Vec<Vec<Vec<u32>>> {
        let states = self.table.states() as u32;
        // Who answers alike to the inputs of the set, each by its own; and all who answer so.
        let alike: Vec<Vec<u32>> = set.iter().map(|inputs| self.alike(inputs)).collect();
        let together: Vec<Vec<States>> = alike.iter().map(|alike| together(alike)).collect();
        let of_state = |state: u32| {
            let mut others = States::all(states as usize);
            others.remove(state);
            let mut chosen = Vec::new();
            while !others.is_empty() {
                let told = |(alike, together): (&Vec<u32>, &Vec<States>)| {
                    others.count_without(&together[alike[state as usize] as usize])
                };
                // (Of equals the first.)
                let counts = alike.iter().zip(&together).map(told).enumerate().rev();
                let Some((best, _)) = counts.max_by_key(|(_, told)| *told).filter(|(_, told)| *told > 0)
                else {
                    break;
                };
                let alike = &together[best][alike[best][state as usize] as usize];
                let told = others.iter().filter(|other| !alike.has(*other));
                let length = told.filter_map(|other| self.cut(state, other, &set[best])).max().unwrap_or(0);
                others.retain(alike);
                chosen.push(set[best][..length].to_vec());
            }
            chosen
        };
        (0..states).map(of_state).collect()
    }

    /// Numbers for states, the same for those that answer alike to these inputs. (All are specified.)
    fn alike(&self, inputs: &[u32]) -> Vec<u32> {
        let states = self.table.states();
        let mut at: Vec<u32> = (0..states as u32).collect();
        let mut class = vec![0u32; states];
        let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for input in inputs {
            numbers.clear();
            for (at, class) in at.iter_mut().zip(&mut class) {
                let Some((next, answer)) = self.table.step(*at, *input) else { continue };
                let count = numbers.len() as u32;
                (*at, *class) = (next, *numbers.entry((*class, answer)).or_insert(count));
            }
        }
        class
    }

    /// For each state inputs, such that any two states have some in common (from their beginnings) that tell them apart.
    pub(super) fn harmonised(&self) -> Vec<Vec<Vec<u32>>> {
        let states = self.table.states() as u32;
        let mut pairs: Vec<(u32, u32)> =
            (0..states).flat_map(|one| (one + 1..states).map(move |two| (one, two))).collect();
        pairs.sort_by_key(|&(one, two)| std::cmp::Reverse(self.length(one, two)));
        let mut sets: Vec<Vec<Vec<u32>>> = vec![Vec::new(); states as usize];
        for (one, two) in pairs {
            let has = |state: u32, inputs: &[u32]| {
                sets[state as usize].iter().any(|known: &Vec<u32>| known.starts_with(inputs))
            };
            let cut = |inputs: &Vec<u32>| Some(inputs[..self.cut(one, two, inputs)?].to_vec());
            let cuts: Vec<Vec<u32>> =
                sets[one as usize].iter().chain(&sets[two as usize]).filter_map(cut).collect();
            if cuts.iter().any(|inputs| has(one, inputs) && has(two, inputs)) {
                continue;
            }
            let inputs = cuts.into_iter().min_by_key(Vec::len).unwrap_or_else(|| self.inputs(one, two));
            for state in [one, two] {
                let set = &mut sets[state as usize];
                if !set.iter().any(|known| known.starts_with(&inputs)) {
                    set.retain(|known| !inputs.starts_with(known));
                    set.push(inputs.clone());
                }
            }
        }
        sets
    }
}

/// Some of the states, as bits.
#[derive(Debug, Clone)]
struct States {
    words: Vec<u64>,
}

/// By number, who has it.
fn together(numbers: &[u32]) -> Vec<States> {
    let count = numbers.iter().max().map_or(0, |most| *most as usize + 1);
    let mut together = vec![States { words: vec![0; numbers.len().div_ceil(64)] }; count];
    for (state, number) in numbers.iter().enumerate() {
        together[*number as usize].words[state / 64] |= 1 << (state % 64);
    }
    together
}

impl States {
    fn all(states: usize) -> States {
        let mut words = vec![u64::MAX; states.div_ceil(64)];
        if let (Some(last), left @ 1..) = (words.last_mut(), states % 64) {
            *last = (1 << left) - 1;
        }
        States { words }
    }

    fn has(&self, state: u32) -> bool {
        self.words[state as usize / 64] >> (state % 64) & 1 == 1
    }

    fn remove(&mut self, state: u32) {
        self.words[state as usize / 64] &= !(1 << (state % 64));
    }

    fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// How many of them are not among others.
    fn count_without(&self, others: &States) -> u32 {
        self.words.iter().zip(&others.words).map(|(word, other)| (word & !other).count_ones()).sum()
    }

    fn retain(&mut self, others: &States) {
        self.words.iter_mut().zip(&others.words).for_each(|(word, other)| *word &= other);
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..64 * self.words.len() as u32).filter(|state| self.has(*state))
    }
}
