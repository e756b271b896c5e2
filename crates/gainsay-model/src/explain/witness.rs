//! Depth first: one explanation of a whole story.

use super::{Dead, Explained, ExplainedBy, Limits, Theory};
use rustc_hash::FxHashSet;

/// A place to go on from.
struct Branch<T: Theory> {
    at: usize,
    /// How many steps led here, and one more.
    steps: usize,
    step: Option<T::Step>,
    config: T::Config,
}

/// Looks for steps that explain all `events`, from any of the configurations in `start`.
pub fn witness<T: Theory>(
    theory: &T,
    start: impl IntoIterator<Item = T::Config>,
    events: &[T::Event],
    limits: &Limits,
) -> ExplainedBy<T> {
    let mut branches: Vec<Branch<T>> =
        start.into_iter().map(|config| Branch { at: 0, steps: 0, step: None, config }).collect();
    branches.reverse();
    // Where the search has been, for each event: nothing was found there, or it will be.
    let mut seen: Vec<FxHashSet<T::Config>> = vec![FxHashSet::default(); events.len()];
    let mut path: Vec<(usize, T::Step)> = Vec::new();
    let (mut next, mut steps) = (Vec::new(), Vec::new());
    let (mut furthest, mut dead) = (0, Vec::new());
    let mut configs = 0;
    while let Some(Branch { mut at, steps: length, step, mut config }) = branches.pop() {
        path.truncate(length);
        path.extend(step.map(|step| (at, step)));
        loop {
            let Some(event) = events.get(at) else {
                return Explained::Yes(path);
            };
            if at > furthest {
                furthest = at;
                dead.clear();
            }
            if !T::POSTPONES {
                if !seen[at].insert(config.clone()) {
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
                    branches.extend(next.drain(..).map(|config| Branch {
                        at,
                        steps: path.len(),
                        step: None,
                        config,
                    }));
                    config = last;
                }
                Err((why, stuck)) => {
                    if T::POSTPONES {
                        if seen[at].contains(&stuck) {
                            break;
                        }
                        theory.steps(&stuck, event, &mut steps);
                        branch(&mut branches, &mut steps, at, path.len());
                    }
                    if at == furthest && dead.len() < limits.dead_max {
                        dead.push(Dead { config: stuck.clone(), steps: path.clone(), why });
                    }
                    if T::POSTPONES {
                        seen[at].insert(stuck);
                    }
                    break;
                }
            }
        }
    }
    Explained::No { event: furthest, dead }
}

/// Leaves steps to be tried later, the first one first.
fn branch<T: Theory>(
    branches: &mut Vec<Branch<T>>,
    steps: &mut Vec<(T::Step, T::Config)>,
    at: usize,
    length: usize,
) {
    let later = steps.drain(..).rev();
    branches.extend(later.map(|(step, config)| Branch { at, steps: length, step: Some(step), config }));
}
