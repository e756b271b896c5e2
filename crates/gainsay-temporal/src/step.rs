//! One element further: what is owed before it becomes what is owed after it.

use crate::closure::{Closure, Node, Part, Remembered};
use crate::owed::{Duty, Owed, TooMany};
use crate::shape::Bound;
use rustc_hash::FxHashMap;

/// What is known between two elements.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    /// Whether there was an element.
    pub(crate) has_begun: bool,
    /// What is owed: to each formula that is looked at, in order.
    pub(crate) owed: Vec<Owed>,
    /// What is remembered of each part that must be.
    pub(crate) memory: Vec<Memory>,
}

/// What is remembered of a part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Memory {
    /// Nothing: there was no element.
    Nothing,
    /// Its truth at the element before: that may depend on what is to come.
    Truth(Owed),
    /// Of a past operator that is bounded by time: how long ago each element that counts was, the last one first, and what it takes for it to count.
    Window(Vec<(u64, Owed)>),
}

impl State {
    /// Before the first element.
    pub(crate) fn start(closure: &Closure, formulas: &[Part]) -> State {
        let owed = |part: &Part| Owed::duty(Duty { part: *part, age: 0, weak: false, waits: false });
        State {
            has_begun: false,
            owed: formulas.iter().map(owed).collect(),
            memory: vec![Memory::Nothing; closure.remembered.len()],
        }
    }

    /// How much there is of it.
    pub(crate) fn weight(&self) -> usize {
        let of = |owed: &Owed| 1 + owed.ways.iter().map(|way| 1 + way.len()).sum::<usize>();
        let memory = |memory: &Memory| match memory {
            Memory::Nothing => 1,
            Memory::Truth(owed) => of(owed),
            Memory::Window(window) => window.iter().map(|(_, owed)| 1 + of(owed)).sum(),
        };
        4 + self.owed.iter().map(of).sum::<usize>() + self.memory.iter().map(memory).sum::<usize>()
    }

    /// The state after so much time, before the next element.
    pub(crate) fn after_time(&self, time: u64, closure: &Closure) -> Result<State, TooMany> {
        let mut state = self.clone();
        if !state.has_begun {
            return Ok(state);
        }
        for owed in &mut state.owed {
            *owed = aged(std::mem::take(owed), time, closure)?;
        }
        for memory in &mut state.memory {
            match memory {
                Memory::Nothing => {}
                Memory::Truth(owed) => *owed = aged(std::mem::take(owed), time, closure)?,
                Memory::Window(window) => {
                    for (age, owed) in window.iter_mut() {
                        *age = age.saturating_add(time);
                        *owed = aged(std::mem::take(owed), time, closure)?;
                    }
                }
            }
        }
        Ok(state)
    }

    /// The state after an element whose atoms hold as the bits say.
    pub(crate) fn after(&self, letter: u64, closure: &Closure) -> Result<State, TooMany> {
        let mut reading = Reading { closure, letter, before: self, now: FxHashMap::default() };
        let owed = self.owed.iter().map(|owed| reading.read(owed)).collect::<Result<_, _>>()?;
        let memory =
            closure.remembered.iter().map(|what| reading.remember(*what)).collect::<Result<_, _>>()?;
        Ok(State { has_begun: true, owed, memory })
    }
}

/// What is owed after so much time has passed: what can no longer be met is not.
fn aged(owed: Owed, time: u64, closure: &Closure) -> Result<Owed, TooMany> {
    if time == 0 || owed.duties().all(|duty| !is_timed(closure.node(duty.part))) {
        return Ok(owed);
    }
    let mut all = Owed::impossible();
    for way in owed.ways {
        let mut kept = Owed::nothing();
        for mut duty in way {
            let node = closure.node(duty.part);
            if is_timed(node) && !duty.waits {
                duty.age = duty.age.saturating_add(time);
            }
            let duty = match node {
                _ if duty.waits => Owed::duty(duty),
                Node::Until(Bound::Time(_, Some(to)), ..) if duty.age > *to => Owed::impossible(),
                Node::Release(Bound::Time(_, Some(to)), ..) if duty.age > *to => Owed::nothing(),
                // Nothing depends on how much more than that it is.
                Node::Until(Bound::Time(from, None), ..) | Node::Release(Bound::Time(from, None), ..) => {
                    Owed::duty(Duty { age: duty.age.min(*from), ..duty })
                }
                _ => Owed::duty(duty),
            };
            kept = kept.and(duty, closure)?;
        }
        all = all.or(kept, closure)?;
    }
    Ok(all)
}

fn is_timed(node: &Node) -> bool {
    matches!(node, Node::Until(Bound::Time(..), ..) | Node::Release(Bound::Time(..), ..))
}

/// Reads an element.
struct Reading<'a> {
    closure: &'a Closure,
    letter: u64,
    before: &'a State,
    /// What parts come to, whose time begins here.
    now: FxHashMap<Part, Owed>,
}

impl Reading<'_> {
    /// What was owed, now that the element is there.
    fn read(&mut self, owed: &Owed) -> Result<Owed, TooMany> {
        let mut all = Owed::impossible();
        for way in &owed.ways {
            let mut kept = Owed::nothing();
            for duty in way {
                kept = kept.and(self.due(*duty)?, self.closure)?;
                if kept.is_impossible() {
                    break;
                }
            }
            all = all.or(kept, self.closure)?;
            if all.is_met() {
                break;
            }
        }
        Ok(all)
    }

    /// What a duty comes to.
    fn due(&mut self, duty: Duty) -> Result<Owed, TooMany> {
        if duty.age == 0 {
            return self.part(duty.part);
        }
        match *self.closure.node(duty.part) {
            Node::Until(bound, one, two) => self.until(duty.part, bound, one, two, duty.age),
            Node::Release(bound, one, two) => self.release(duty.part, bound, one, two, duty.age),
            _ => self.part(duty.part),
        }
    }

    /// What a part comes to at this element.
    fn part(&mut self, part: Part) -> Result<Owed, TooMany> {
        if let Some(known) = self.now.get(&part) {
            return Ok(known.clone());
        }
        let closure = self.closure;
        closure.count(1);
        let owed = match *closure.node(part) {
            Node::True => Owed::nothing(),
            Node::False => Owed::impossible(),
            Node::Atom { atom, holds } => Owed::constant((self.letter >> atom & 1 == 1) == holds),
            Node::And(one, two) => {
                let one = self.part(one)?;
                if one.is_impossible() { one } else { one.and(self.part(two)?, closure)? }
            }
            Node::Or(one, two) => {
                let one = self.part(one)?;
                if one.is_met() { one } else { one.or(self.part(two)?, closure)? }
            }
            Node::Next { weak, of } => {
                Owed::duty(Duty { part: of, age: 0, weak, waits: is_timed(closure.node(of)) })
            }
            Node::Previous { weak, of } => self.previous(of, weak)?,
            Node::Until(bound, one, two) => self.until(part, bound, one, two, 0)?,
            Node::Release(bound, one, two) => self.release(part, bound, one, two, 0)?,
            Node::Since(Bound::Time(from, _), ..) => {
                let window = self.window(part)?;
                let mut any = Owed::impossible();
                for (_, owed) in window.into_iter().filter(|(age, _)| *age >= from) {
                    any = any.or(owed, closure)?;
                }
                any
            }
            Node::Trigger(Bound::Time(from, _), ..) => {
                let window = self.window(part)?;
                let mut all = Owed::nothing();
                for (_, owed) in window.into_iter().filter(|(age, _)| *age >= from) {
                    all = all.and(owed, closure)?;
                }
                all
            }
            Node::Since(bound, one, two) => {
                let far = match closure.rest(part) {
                    Some(rest) => self.part(one)?.and(self.previous(rest, false)?, closure)?,
                    None => Owed::impossible(),
                };
                if is_open(bound, 0) { self.part(two)?.or(far, closure)? } else { far }
            }
            Node::Trigger(bound, one, two) => {
                let far = match closure.rest(part) {
                    Some(rest) => self.part(one)?.or(self.previous(rest, true)?, closure)?,
                    None => Owed::nothing(),
                };
                if is_open(bound, 0) { self.part(two)?.and(far, closure)? } else { far }
            }
        };
        self.now.insert(part, owed.clone());
        Ok(owed)
    }

    fn until(&mut self, part: Part, bound: Bound, one: Part, two: Part, age: u64) -> Result<Owed, TooMany> {
        let far = match self.closure.rest(part) {
            Some(rest) => {
                let later = Owed::duty(Duty { part: rest, age, weak: false, waits: false });
                self.part(one)?.and(later, self.closure)?
            }
            None => Owed::impossible(),
        };
        if is_open(bound, age) { self.part(two)?.or(far, self.closure) } else { Ok(far) }
    }

    fn release(&mut self, part: Part, bound: Bound, one: Part, two: Part, age: u64) -> Result<Owed, TooMany> {
        let far = match self.closure.rest(part) {
            Some(rest) => {
                let later = Owed::duty(Duty { part: rest, age, weak: true, waits: false });
                self.part(one)?.or(later, self.closure)?
            }
            None => Owed::nothing(),
        };
        if is_open(bound, age) { self.part(two)?.and(far, self.closure) } else { Ok(far) }
    }

    /// The truth of a part at the element before; where there is none, `weak` decides.
    fn previous(&mut self, part: Part, weak: bool) -> Result<Owed, TooMany> {
        match &self.before.memory[self.closure.place(Remembered::Truth(part))] {
            Memory::Truth(owed) => self.read(owed),
            Memory::Nothing | Memory::Window(_) => Ok(Owed::constant(weak)),
        }
    }

    /// For a past operator that is bounded by time: how long ago each element that may count was, the last one first, and what it takes.
    fn window(&mut self, part: Part) -> Result<Vec<(u64, Owed)>, TooMany> {
        let (closure, before) = (self.closure, self.before);
        let (is_since, from, to, one, two) = match *closure.node(part) {
            Node::Since(Bound::Time(from, to), one, two) => (true, from, to, one, two),
            Node::Trigger(Bound::Time(from, to), one, two) => (false, from, to, one, two),
            _ => return Ok(Vec::new()),
        };
        let mut window = vec![(0, self.part(two)?)];
        let Memory::Window(known) = &before.memory[closure.place(Remembered::Window(part))] else {
            return Ok(window);
        };
        let one = self.part(one)?;
        for (age, owed) in known {
            let last =
                window.last().map(|(_, owed)| if is_since { owed.is_met() } else { owed.is_impossible() });
            // What is further away ends earlier, and is no more than this.
            if to.is_some_and(|to| *age > to) || from == 0 && last == Some(true) {
                break;
            }
            let owed = self.read(owed)?;
            let owed =
                if is_since { owed.and(one.clone(), closure)? } else { owed.or(one.clone(), closure)? };
            // Where there is no end, all that is far enough away counts alike.
            let age = if to.is_none() { (*age).min(from) } else { *age };
            match window.last_mut() {
                Some((known, last)) if *known == age => {
                    let both = std::mem::take(last);
                    *last = if is_since { both.or(owed, closure)? } else { both.and(owed, closure)? };
                }
                // What can never count any more, or does not matter, is forgotten.
                _ if if is_since { owed.is_impossible() } else { owed.is_met() } => {}
                _ => window.push((age, owed)),
            }
        }
        Ok(window)
    }

    /// What is to be remembered of a part.
    fn remember(&mut self, what: Remembered) -> Result<Memory, TooMany> {
        match what {
            Remembered::Truth(part) => Ok(Memory::Truth(self.part(part)?)),
            Remembered::Window(part) => Ok(Memory::Window(self.window(part)?)),
        }
    }
}

/// Whether something of this age counts already.
pub(crate) fn is_open(bound: Bound, age: u64) -> bool {
    match bound {
        Bound::None => true,
        Bound::Steps(from, _) => from == 0,
        Bound::Time(from, to) => age >= from && to.is_none_or(|to| age <= to),
    }
}
