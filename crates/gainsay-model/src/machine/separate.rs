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
        // Who answers alike to the inputs of the set, each by its own.
        let alike: Vec<Vec<u32>> = set.iter().map(|inputs| self.alike(inputs)).collect();
        let of_state = |state: u32| {
            let mut others: Vec<u32> = (0..states).filter(|other| *other != state).collect();
            let mut chosen = Vec::new();
            while !others.is_empty() {
                let told = |alike: &Vec<u32>| {
                    let own = alike[state as usize];
                    others.iter().filter(|other| alike[**other as usize] != own).count()
                };
                // (Of equals the first.)
                let best = alike.iter().enumerate().rev().max_by_key(|(_, alike)| told(alike));
                let Some((best, alike)) = best.filter(|(_, alike)| told(alike) > 0) else { break };
                let mut length = 0;
                others.retain(|other| {
                    let is_told = alike[*other as usize] != alike[state as usize];
                    if is_told {
                        length = length.max(self.cut(state, *other, &set[best]).unwrap_or(0));
                    }
                    !is_told
                });
                chosen.push(set[best][..length].to_vec());
            }
            chosen
        };
        (0..states).map(of_state).collect()
    }

    /// Numbers for states, the same for those that answer alike to these inputs. (All are specified.)
    fn alike(&self, inputs: &[u32]) -> Vec<u32> {
        let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let states = 0..self.table.states() as u32;
        let answers = states.map(|state| {
            let mut at = state;
            let answers = inputs.iter().map_while(|input| {
                let (next, answer) = self.table.step(at, *input)?;
                at = next;
                Some(answer)
            });
            answers.collect::<Vec<u32>>()
        });
        let numbered = answers.map(|answers| {
            let count = numbers.len() as u32;
            *numbers.entry(answers).or_insert(count)
        });
        numbered.collect()
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
