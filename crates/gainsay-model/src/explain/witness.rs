//! Depth first: one explanation of a whole story.

use super::{Dead, Explained, ExplainedBy, Limits, Theory};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// A place to go on from.
struct Branch<T: Theory> {
    at: usize,
    /// How many steps led here.
    steps: usize,
    way: Way<T>,
}

enum Way<T: Theory> {
    /// With this configuration, after one more step if there was one.
    On(Option<T::Step>, T::Config),
    /// The event cannot be explained by this configuration: what else can happen unseen is still to be tried.
    Stuck(T::Why, T::Config),
}

/// Looks for steps that explain all `events`, from any of the configurations in `start`.
pub fn witness<T: Theory>(
    theory: &T,
    start: impl IntoIterator<Item = T::Config>,
    events: &[T::Event],
    limits: &Limits,
) -> ExplainedBy<T> {
    let on = |config| Branch { at: 0, steps: 0, way: Way::On(None, config) };
    let mut branches: Vec<Branch<T>> = start.into_iter().map(on).collect();
    branches.reverse();
    let mut seen = Seen::<T>::new(theory);
    let mut path: Vec<(usize, T::Step)> = Vec::new();
    let (mut next, mut steps) = (Vec::new(), Vec::new());
    let (mut furthest, mut dead) = (0, Vec::new());
    let mut configs = 0;
    while let Some(Branch { mut at, steps: length, way }) = branches.pop() {
        path.truncate(length);
        let mut config = match way {
            Way::On(step, config) => {
                path.extend(step.map(|step| (at, step)));
                config
            }
            Way::Stuck(why, config) => {
                theory.steps(&config, &events[at], &mut steps);
                branch(&mut branches, &mut steps, at, length);
                if at == furthest && dead.len() < limits.dead_max {
                    dead.push(Dead { config: config.clone(), steps: path.clone(), why });
                }
                continue;
            }
        };
        loop {
            let Some(event) = events.get(at) else {
                return Explained::Yes(path);
            };
            if at > furthest {
                furthest = at;
                dead.clear();
            }
            if !T::POSTPONES {
                if !seen.insert(at, &config) {
                    break;
                }
                theory.steps(&config, event, &mut steps);
                branch(&mut branches, &mut steps, at, path.len());
            }
            configs += 1;
            if configs > limits.configs_max {
                return Explained::GaveUp { configs };
            }
            match theory.after(config, event, &mut next) {
                Ok(()) => {
                    at += 1;
                    let Some(last) = next.pop() else { break };
                    let others = next.drain(..).map(|config| Way::On(None, config));
                    branches.extend(others.map(|way| Branch { at, steps: path.len(), way }));
                    config = last;
                }
                Err((why, stuck)) if T::POSTPONES => {
                    if !seen.insert(at, &stuck) {
                        break;
                    }
                    let helpful = theory.helpful_step(&stuck, event);
                    branches.push(Branch { at, steps: path.len(), way: Way::Stuck(why, stuck) });
                    let Some((step, helped)) = helpful else { break };
                    path.push((at, step));
                    config = helped;
                }
                Err((why, stuck)) => {
                    if at == furthest && dead.len() < limits.dead_max {
                        dead.push(Dead { config: stuck, steps: path.clone(), why });
                    }
                    break;
                }
            }
        }
    }
    Explained::No { event: furthest, dead }
}

/// Where the search has been: nothing was found there, or it will be.
struct Seen<'a, T: Theory> {
    theory: &'a T,
    /// By place and what is left of a configuration without its burden: burdens, none of which is part of another.
    places: FxHashMap<(usize, T::Config), Burdens>,
}

/// Mostly there is one.
struct Burdens {
    first: u64,
    others: Vec<u64>,
}

impl<'a, T: Theory> Seen<'a, T> {
    fn new(theory: &'a T) -> Self {
        Seen { theory, places: FxHashMap::default() }
    }

    /// Whether the search has not been there, nor at a place that is as good.
    fn insert(&mut self, at: usize, config: &T::Config) -> bool {
        let mut config = config.clone();
        let burden = self.theory.unburden(&mut config);
        let known = match self.places.entry((at, config)) {
            Entry::Vacant(vacant) => {
                vacant.insert(Burdens { first: burden, others: Vec::new() });
                return true;
            }
            Entry::Occupied(occupied) => occupied.into_mut(),
        };
        let is_part = |known: u64| known & burden == known;
        if is_part(known.first) || known.others.iter().any(|&known| is_part(known)) {
            return false;
        }
        known.others.retain(|&known| known & burden != burden);
        if known.first & burden == burden {
            known.first = burden;
        } else {
            known.others.push(burden);
        }
        true
    }
}

/// Leaves steps to be tried later, the first one first.
fn branch<T: Theory>(
    branches: &mut Vec<Branch<T>>,
    steps: &mut Vec<(T::Step, T::Config)>,
    at: usize,
    length: usize,
) {
    let later = steps.drain(..).rev();
    branches.extend(later.map(|(step, config)| Branch {
        at,
        steps: length,
        way: Way::On(Some(step), config),
    }));
}
