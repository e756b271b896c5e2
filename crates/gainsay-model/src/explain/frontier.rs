//! All configurations at once, one event after the other.

use super::bag::Bag;
use super::{Dead, DeadBy, Explained, ExplainedBy, Limits, Theory, witness};

/// The configurations that explain everything seen so far.
///
/// Past [`Limits::frontier_max`] configurations the frontier keeps the last small one and looks for a single witness from there, with
/// every further event anew.
#[derive(Debug)]
pub struct Frontier<T: Theory> {
    theory: T,
    limits: Limits,
    /// What is possible now; or, when there was too much of it, what was possible before `since`.
    configs: Bag<T::Config>,
    since: Vec<T::Event>,
    crowded: bool,
    /// Nothing is known any more.
    lost: bool,
    seen: usize,
    /// Lists that are used again with every event.
    spare: (Vec<T::Config>, Vec<T::Config>),
}

impl<T: Theory> Frontier<T> {
    /// Begins with some configurations.
    pub fn new(theory: T, start: impl IntoIterator<Item = T::Config>, limits: Limits) -> Frontier<T> {
        let mut configs = Bag::new();
        configs.extend(start);
        Frontier {
            theory,
            limits,
            configs,
            since: Vec::new(),
            crowded: false,
            lost: false,
            seen: 0,
            spare: Default::default(),
        }
    }

    /// What is possible; `None` if there was too much of it to keep.
    pub fn configs(&self) -> Option<impl Iterator<Item = &T::Config> + Clone> {
        (!self.crowded).then(|| self.configs.iter())
    }

    /// The theory.
    pub fn theory(&self) -> &T {
        &self.theory
    }

    /// Takes account of an event. [`Explained::Yes`] has no steps unless there was too much to keep.
    #[inline]
    pub fn observe(&mut self, event: T::Event) -> ExplainedBy<T> {
        self.see(&event)
    }

    /// The same, with an event that stays where it is.
    #[inline]
    pub(crate) fn see(&mut self, event: &T::Event) -> ExplainedBy<T> {
        let number = self.seen;
        self.seen += 1;
        if self.lost {
            return Explained::GaveUp { configs: self.limits.frontier_max };
        }
        // Mostly there is one, before and after.
        if let (false, Some(config)) = (self.crowded, self.configs.only())
            && self.theory.advance(config, event)
        {
            return Explained::Yes(Vec::new());
        }
        self.see_more(event, number)
    }

    /// The same, where much may come of it.
    fn see_more(&mut self, event: &T::Event, number: usize) -> ExplainedBy<T> {
        if !self.crowded && !T::UNSEEN && self.configs.len() <= self.limits.frontier_max {
            return match self.advance_seen(event) {
                Some(Ok(())) => Explained::Yes(Vec::new()),
                Some(Err(dead)) => Explained::No { event: number, dead },
                None => {
                    self.lost = true;
                    self.crowded = true;
                    Explained::GaveUp { configs: self.limits.frontier_max }
                }
            };
        }
        if !self.crowded {
            match self.advance(event) {
                Some(Ok(next)) => {
                    self.configs = next;
                    return Explained::Yes(Vec::new());
                }
                Some(Err(dead)) => return Explained::No { event: number, dead },
                None => self.crowded = true,
            }
        }
        self.since.push(event.clone());
        let first = self.seen - self.since.len();
        match witness(&self.theory, self.configs.iter().cloned(), &self.since, &self.limits) {
            Explained::No { event, dead } => Explained::No { event: first + event, dead },
            explained => explained,
        }
    }

    /// Moves on where nothing happens unseen; if nothing explains the event, all stays as it is. `None` if there is too much.
    fn advance_seen(&mut self, event: &T::Event) -> Option<Result<(), Vec<DeadBy<T>>>> {
        let (mut after, list) = std::mem::take(&mut self.spare);
        // Mostly there is one, before and after.
        let list = match self.configs.take_only() {
            None => list,
            Some(config) => match self.theory.after(config, event, &mut after) {
                Ok(()) => {
                    self.configs.extend(after.drain(..));
                    self.spare = (after, list);
                    return Some(Ok(()));
                }
                Err((why, config)) => {
                    self.configs.insert(config.clone());
                    return Some(Err(vec![Dead { config, steps: Vec::new(), why }]));
                }
            },
        };
        let mut next = Bag::in_place_of(list);
        let mut dead = Vec::new();
        for config in self.configs.drain() {
            match self.theory.after(config, event, &mut after) {
                Ok(()) => next.extend(after.drain(..)),
                Err((why, config)) => dead.push((why, config)),
            }
            if next.len() > self.limits.frontier_max {
                return None;
            }
        }
        if next.len() > 0 {
            self.spare = (after, std::mem::replace(&mut self.configs, next).into_list());
            return Some(Ok(()));
        }
        for (_, config) in &dead {
            self.configs.insert(config.clone());
        }
        let few = dead.into_iter().take(self.limits.dead_max);
        Some(Err(few.map(|(why, config)| Dead { config, steps: Vec::new(), why }).collect()))
    }

    /// All configurations after an event, or why there is none; `None` if there are too many.
    fn advance(&self, event: &T::Event) -> Option<Result<Bag<T::Config>, Vec<DeadBy<T>>>> {
        let mut met = Bag::new();
        let mut open: Vec<T::Config> = self.configs.iter().cloned().collect();
        let mut next = Bag::new();
        let (mut after, mut steps, mut dead) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(config) = open.pop() {
            if met.len() + next.len() > self.limits.frontier_max {
                return None;
            }
            if !met.insert(config.clone()) {
                continue;
            }
            if !T::POSTPONES {
                self.theory.steps(&config, event, &mut steps);
            }
            match self.theory.after(config, event, &mut after) {
                Ok(()) => next.extend(after.drain(..)),
                Err((why, config)) => {
                    if T::POSTPONES {
                        self.theory.steps(&config, event, &mut steps);
                    }
                    if dead.len() < self.limits.dead_max {
                        dead.push(Dead { config, steps: Vec::new(), why });
                    }
                }
            }
            open.extend(steps.drain(..).map(|(_, config)| config));
        }
        Some(if next.len() == 0 { Err(dead) } else { Ok(next) })
    }
}
