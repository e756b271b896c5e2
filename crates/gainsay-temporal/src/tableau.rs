//! One element further, one branch at a time: which elements a set of demands allows, and what it demands of the rest.
//!
//! This is the tableau of Gerth, Peled, Vardi and Wolper ("Simple on-the-fly automatic verification of linear temporal logic", 1995), with
//! acceptance on its edges as by Couvreur ("On-the-fly verification of linear temporal logic", 1999): an edge that postpones an until *puts it
//! off*, and each until is an acceptance set of its own, that of the edges which do not put it off. A branch goes only if another demands no more
//! *and* puts off no more: whoever follows a word and meets each until as soon as its second operand holds is never led astray by that.
//!
//! What past operators need is remembered as in `step`: it is one and the same in all branches, and depends on the atoms of their operands only.

use crate::closure::{Closure, Node, Part};
use crate::owed::TooMany;
use crate::parts::Parts;
use crate::shape::Bound;
use crate::step::{Memory, State, is_open};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is demanded of the rest of a word, and what is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    demands: Parts,
    memory: u32,
}

impl Place {
    /// Whether every rest will do.
    pub(crate) fn is_free(&self) -> bool {
        self.demands.is_empty()
    }
}

/// A way from one place to another.
#[derive(Debug, Clone)]
pub(crate) struct Edge {
    pub(crate) to: Place,
    pub(crate) branch: Branch,
}

/// A way to meet demands at an element.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Branch {
    /// The untils that are postponed.
    pub(crate) put_off: Parts,
    /// What is demanded from the next element on, with what follows from it at once.
    next: Parts,
    /// The atoms that must hold, as bits, and those that must not.
    holds: u64,
    fails: u64,
    /// Whether the element may be the last one.
    pub(crate) may_end: bool,
}

impl Branch {
    fn free() -> Branch {
        let (put_off, next) = (Parts::default(), Parts::default());
        Branch { put_off, next, holds: 0, fails: 0, may_end: true }
    }

    /// Whether an element with these atoms will do.
    pub(crate) fn allows(&self, letter: u64) -> bool {
        letter & self.holds == self.holds && letter & self.fails == 0
    }

    fn is_easier(&self, other: &Branch) -> bool {
        self.holds & !other.holds == 0
            && self.fails & !other.fails == 0
            && (self.may_end || !other.may_end)
            && self.next.is_subset(&other.next)
            && self.put_off.is_subset(&other.put_off)
    }

    /// Both together; nothing if they contradict each other.
    fn and(&self, other: &Branch) -> Option<Branch> {
        let (holds, fails) = (self.holds | other.holds, self.fails | other.fails);
        if holds & fails != 0 {
            return None;
        }
        let mut both = self.clone();
        both.next.unite(&other.next);
        both.put_off.unite(&other.put_off);
        both.may_end &= other.may_end;
        Some(Branch { holds, fails, ..both })
    }
}

/// All ways to meet something at an element. None of them is harder than another.
type Cover = Vec<Branch>;

/// The tableau of the parts of a closure, as far as it was looked at.
#[derive(Debug)]
pub(crate) struct Tableau {
    letters: Vec<u64>,
    /// Whether a letter is missing.
    is_narrow: bool,
    /// Whether words end. If they do not, nothing need be known of their ends, and otherwise nothing of what is put off.
    has_end: bool,
    /// By part: whether it looks back; and what it demands at once.
    looks_back: Vec<bool>,
    demands: Vec<Parts>,
    /// The atoms on which it depends what is remembered.
    remembered: u64,
    memories: Vec<Vec<Memory>>,
    numbers: FxHashMap<Vec<Memory>, u32>,
    /// By what is remembered, and the atoms that matter for that.
    after: FxHashMap<(u32, u64), u32>,
    /// By part, and what is remembered if it looks back.
    covers: FxHashMap<(Part, u32), Arc<Cover>>,
    is_possible: FxHashMap<(u64, u64), bool>,
    work: u64,
}

/// So many branches of the tableau of a formula are put together or compared, all in all, to decide something about it: less than a second of
/// work. What takes more is not decided: [`Formula::is_satisfiable`](crate::Formula::is_satisfiable) and its like end with an error, and an
/// [`Acceptor`](crate::Acceptor) only presumes what may be certain, and [says so](crate::Acceptor::gave_up).
pub const BRANCHES_MAX: u64 = 20_000_000;

impl Tableau {
    /// The tableau of words over these letters, with an end or without one.
    pub(crate) fn new(letters: Vec<u64>, atoms: usize, has_end: bool, closure: &Closure) -> Tableau {
        let mut looks_back: Vec<bool> = Vec::with_capacity(closure.len());
        let mut demands: Vec<Parts> = Vec::with_capacity(closure.len());
        let mut atoms_of: Vec<u64> = Vec::with_capacity(closure.len());
        // (Operands come before what they are operands of.)
        for part in 0..closure.len() as Part {
            let node = closure.node(part);
            let is_past = matches!(node, Node::Previous { .. } | Node::Since(..) | Node::Trigger(..));
            let operands = || node.operands().map(|operand| operand as usize);
            looks_back.push(is_past || operands().any(|operand| looks_back[operand]));
            let own = if let Node::Atom { atom, .. } = node { 1 << atom } else { 0 };
            atoms_of.push(operands().fold(own, |atoms, operand| atoms | atoms_of[operand]));
            let mut demanded = match node {
                Node::True | Node::And(..) => Parts::default(),
                _ => Parts::of(part),
            };
            match *node {
                Node::And(one, two) => {
                    demanded.unite(&demands[one as usize]);
                    demanded.unite(&demands[two as usize]);
                }
                Node::Release(bound, _, two) if is_open(bound, 0) => demanded.unite(&demands[two as usize]),
                _ => {}
            }
            demands.push(demanded);
        }
        let remembered = closure.remembered.iter().fold(0, |all, what| all | atoms_of[what.part() as usize]);
        Tableau {
            is_narrow: letters.len() < 1 << atoms,
            letters,
            has_end,
            looks_back,
            demands,
            remembered,
            memories: Vec::new(),
            numbers: FxHashMap::default(),
            after: FxHashMap::default(),
            covers: FxHashMap::default(),
            is_possible: FxHashMap::default(),
            work: 0,
        }
    }

    pub(crate) fn letters(&self) -> &[u64] {
        &self.letters
    }

    /// Whether the work is more than anybody wants to wait for.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.work > BRANCHES_MAX
    }

    /// Where these parts are demanded, and this is remembered.
    pub(crate) fn place(
        &mut self,
        parts: impl Iterator<Item = Part>,
        memory: &[Memory],
        closure: &Closure,
    ) -> Place {
        let mut demands = Parts::default();
        parts.for_each(|part| demands.unite(&self.demands[part as usize]));
        let memory = self.memory(memory.to_vec());
        Place { demands: self.needed(demands, closure), memory }
    }

    fn memory(&mut self, memory: Vec<Memory>) -> u32 {
        if let Some(number) = self.numbers.get(&memory) {
            return *number;
        }
        let number = self.memories.len() as u32;
        self.memories.push(memory.clone());
        self.numbers.insert(memory, number);
        number
    }

    /// Demands without those that others meet at once: an operand of a disjunction, or what an until waits for.
    fn needed(&self, mut demands: Parts, closure: &Closure) -> Parts {
        let is_met = |part: Part| {
            let has = |part: Part| self.demands[part as usize].is_subset(&demands);
            match *closure.node(part) {
                Node::Or(one, two) => has(one) || has(two),
                Node::Until(bound, _, two) => is_open(bound, 0) && has(two),
                _ => false,
            }
        };
        let met: Vec<Part> = demands.descending().filter(|part| is_met(*part)).collect();
        met.into_iter().for_each(|part| demands.remove(part));
        demands
    }

    /// All ways to go on, those first that put little off.
    ///
    /// # Errors
    /// If there are too many.
    pub(crate) fn edges(&mut self, from: &Place, closure: &Closure) -> Result<Vec<Edge>, TooMany> {
        // (A place costs as much as many branches, and so does an edge.)
        self.spend(256)?;
        let (mut members, mut covered) = (Vec::new(), Parts::default());
        for part in from.demands.descending() {
            if !covered.contains(part) {
                covered.unite(&self.demands[part as usize]);
                members.push(self.cover(part, from.memory, closure)?);
            }
        }
        members.sort_by_key(|cover| cover.len());
        let mut all = vec![Branch::free()];
        for cover in members {
            all = self.product(&all, &cover)?;
        }
        all.sort_by_cached_key(|branch| (branch.put_off.len(), branch.next.len(), branch.clone()));
        let mut edges = Vec::with_capacity(all.len());
        for branch in all {
            let demands = self.needed(branch.next.clone(), closure);
            for seen in self.seen(&branch) {
                self.spend(8)?;
                let memory = self.memory_after(from.memory, seen, closure)?;
                let mut branch = branch.clone();
                (branch.holds, branch.fails) = (branch.holds | seen, branch.fails | self.remembered & !seen);
                edges.push(Edge { to: Place { demands: demands.clone(), memory }, branch });
            }
        }
        Ok(edges)
    }

    /// What the atoms may be on which it depends what is remembered.
    fn seen(&self, branch: &Branch) -> Vec<u64> {
        if self.remembered == 0 {
            return vec![0];
        }
        let allowed = self.letters.iter().filter(|letter| branch.allows(**letter));
        let mut seen: Vec<u64> = allowed.map(|letter| letter & self.remembered).collect();
        seen.sort_unstable();
        seen.dedup();
        seen
    }

    fn memory_after(&mut self, memory: u32, seen: u64, closure: &Closure) -> Result<u32, TooMany> {
        if closure.remembered.is_empty() {
            return Ok(memory);
        }
        if let Some(after) = self.after.get(&(memory, seen)) {
            return Ok(*after);
        }
        closure.count_anew();
        let state =
            State { has_begun: true, owed: Vec::new(), memory: self.memories[memory as usize].clone() };
        let after = state.after(seen, closure)?;
        self.spend(closure.work())?;
        let number = self.memory(after.memory);
        self.after.insert((memory, seen), number);
        Ok(number)
    }

    /// All ways to meet a part.
    fn cover(&mut self, part: Part, memory: u32, closure: &Closure) -> Result<Arc<Cover>, TooMany> {
        let key = (part, if self.looks_back[part as usize] { memory } else { 0 });
        if let Some(known) = self.covers.get(&key) {
            return Ok(Arc::clone(known));
        }
        let cover = match *closure.node(part) {
            Node::True => always(),
            Node::False => never(),
            Node::Atom { atom, holds } => {
                let (bit, free) = (1 << atom, Branch::free());
                vec![if holds { Branch { holds: bit, ..free } } else { Branch { fails: bit, ..free } }]
            }
            Node::And(one, two) => {
                let (one, two) = (self.cover(one, memory, closure)?, self.cover(two, memory, closure)?);
                self.product(&one, &two)?
            }
            Node::Or(one, two) => {
                let (one, two) = (self.cover(one, memory, closure)?, self.cover(two, memory, closure)?);
                self.sum(&one, &two)?
            }
            Node::Next { weak, of } => vec![self.later(of, weak)],
            Node::Previous { weak, of } => self.previous(of, weak, memory, closure)?,
            Node::Until(bound, one, two) => {
                let far = match closure.rest(part) {
                    Some(rest) => {
                        let mut later = self.later(rest, false);
                        // (What comes nearer with each element is not put off.)
                        if rest == part && !self.has_end {
                            later.put_off.insert(part);
                        }
                        let one = self.cover(one, memory, closure)?;
                        self.product(&one, &[later])?
                    }
                    None => never(),
                };
                self.near_or_far(bound, two, far, memory, closure)?
            }
            Node::Since(bound, one, two) => {
                let far = match closure.rest(part) {
                    Some(rest) => {
                        let one = self.cover(one, memory, closure)?;
                        let before = self.previous(rest, false, memory, closure)?;
                        self.product(&one, &before)?
                    }
                    None => never(),
                };
                self.near_or_far(bound, two, far, memory, closure)?
            }
            Node::Release(bound, one, two) => {
                let far = match closure.rest(part) {
                    Some(rest) => {
                        let later = self.later(rest, true);
                        let one = self.cover(one, memory, closure)?;
                        self.sum(&one, &[later])?
                    }
                    None => always(),
                };
                self.near_and_far(bound, two, far, memory, closure)?
            }
            Node::Trigger(bound, one, two) => {
                let far = match closure.rest(part) {
                    Some(rest) => {
                        let one = self.cover(one, memory, closure)?;
                        let before = self.previous(rest, true, memory, closure)?;
                        self.sum(&one, &before)?
                    }
                    None => always(),
                };
                self.near_and_far(bound, two, far, memory, closure)?
            }
        };
        let cover = Arc::new(cover);
        self.covers.insert(key, Arc::clone(&cover));
        Ok(cover)
    }

    /// Meets a part from the next element on.
    fn later(&self, part: Part, weak: bool) -> Branch {
        Branch { next: self.demands[part as usize].clone(), may_end: weak || !self.has_end, ..Branch::free() }
    }

    fn near_or_far(
        &mut self,
        bound: Bound,
        two: Part,
        far: Cover,
        memory: u32,
        closure: &Closure,
    ) -> Result<Cover, TooMany> {
        if !is_open(bound, 0) {
            return Ok(far);
        }
        let near = self.cover(two, memory, closure)?;
        self.sum(&near, &far)
    }

    fn near_and_far(
        &mut self,
        bound: Bound,
        two: Part,
        far: Cover,
        memory: u32,
        closure: &Closure,
    ) -> Result<Cover, TooMany> {
        if !is_open(bound, 0) {
            return Ok(far);
        }
        let near = self.cover(two, memory, closure)?;
        self.product(&near, &far)
    }

    /// All ways in which a part can have been true at the element before; where there is none, `weak` decides.
    fn previous(&mut self, part: Part, weak: bool, memory: u32, closure: &Closure) -> Result<Cover, TooMany> {
        let place = closure.place(crate::closure::Remembered::Truth(part));
        let Memory::Truth(owed) = self.memories[memory as usize][place].clone() else {
            return Ok(if weak { always() } else { never() });
        };
        let mut any = never();
        for way in &owed.ways {
            let mut all = always();
            for duty in way {
                let cover = self.cover(duty.part, memory, closure)?;
                all = self.product(&all, &cover)?;
            }
            any = self.sum(&any, &all)?;
        }
        Ok(any)
    }

    fn sum(&mut self, one: &[Branch], two: &[Branch]) -> Result<Cover, TooMany> {
        let mut either = one.to_vec();
        for branch in two {
            self.add(&mut either, branch.clone())?;
        }
        Ok(either)
    }

    fn product(&mut self, one: &[Branch], two: &[Branch]) -> Result<Cover, TooMany> {
        let mut both = Vec::new();
        for one in one {
            for two in two {
                self.spend(1)?;
                if let Some(branch) = one.and(two)
                    && self.is_possible(&branch)
                {
                    self.add(&mut both, branch)?;
                }
            }
        }
        Ok(both)
    }

    /// Adds a branch, unless there is an easier one; harder ones go.
    fn add(&mut self, cover: &mut Cover, branch: Branch) -> Result<(), TooMany> {
        self.spend(1 + cover.len() as u64 / 4)?;
        if !cover.iter().any(|known| known.is_easier(&branch)) {
            cover.retain(|known| !branch.is_easier(known));
            cover.push(branch);
        }
        Ok(())
    }

    /// Whether some letter will do.
    fn is_possible(&mut self, branch: &Branch) -> bool {
        let letters = &self.letters;
        !self.is_narrow
            || *(self.is_possible.entry((branch.holds, branch.fails)))
                .or_insert_with(|| letters.iter().any(|letter| branch.allows(*letter)))
    }

    fn spend(&mut self, work: u64) -> Result<(), TooMany> {
        self.work += work;
        if self.is_exhausted() { Err(TooMany) } else { Ok(()) }
    }
}

fn always() -> Cover {
    vec![Branch::free()]
}

fn never() -> Cover {
    Vec::new()
}
