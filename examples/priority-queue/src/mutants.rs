//! An implementation, and what may go wrong with it.

use crate::{Input, Output};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// Nothing.
    None,
    /// It is an ordinary queue.
    OldestFirst,
    /// It is a stack.
    YoungestFirst,
    /// It gives the largest element first.
    LargestFirst,
    /// It holds 25 elements at most, and forgets the others.
    AtMost25,
    /// It holds every element once.
    OnceEach,
    /// An element that is there goes before its equals are taken out, and takes one of them with it.
    EqualsMeet,
    /// When the last element is taken out, it must be initialised anew.
    NewWhenEmpty,
    /// It initialises itself when the first element is put in.
    InitByIn,
    /// It keeps its elements over a reset.
    ResetKeeps,
    /// The sum is kept as a small number.
    SmallSum,
}

/// All of them.
pub const MISTAKES: [Mistake; 10] = [
    Mistake::OldestFirst,
    Mistake::YoungestFirst,
    Mistake::LargestFirst,
    Mistake::AtMost25,
    Mistake::OnceEach,
    Mistake::EqualsMeet,
    Mistake::NewWhenEmpty,
    Mistake::InitByIn,
    Mistake::ResetKeeps,
    Mistake::SmallSum,
];

/// A queue made of a heap.
#[derive(Debug)]
pub struct Heap {
    mistake: Mistake,
    is_ready: bool,
    heap: BinaryHeap<Reverse<u8>>,
    /// The elements in the order in which they came, for those who want them so.
    order: VecDeque<u8>,
}

impl Heap {
    /// One that is not initialised.
    pub fn new(mistake: Mistake) -> Heap {
        Heap { mistake, is_ready: false, heap: BinaryHeap::new(), order: VecDeque::new() }
    }

    /// Gives it an input.
    pub fn step(&mut self, input: &Input) -> Option<Output> {
        if !self.is_ready {
            return match input {
                Input::Init => {
                    self.is_ready = true;
                    if self.mistake != Mistake::ResetKeeps {
                        self.clear();
                    }
                    None
                }
                Input::In(element) if self.mistake == Mistake::InitByIn => {
                    self.is_ready = true;
                    self.clear();
                    self.put(*element);
                    None
                }
                Input::Size | Input::Sum => Some(Output::Number(0)),
                _ => None,
            };
        }
        match input {
            Input::Init => None,
            Input::Reset => {
                self.is_ready = false;
                None
            }
            Input::In(element) => {
                self.put(*element);
                None
            }
            Input::Out => self.take().map(Output::Element),
            Input::Size => Some(Output::Number(self.heap.len() as u32)),
            Input::Sum => Some(Output::Number(self.sum())),
        }
    }

    fn clear(&mut self) {
        self.heap.clear();
        self.order.clear();
    }

    fn put(&mut self, element: u8) {
        let is_there = self.order.contains(&element);
        match self.mistake {
            Mistake::AtMost25 if self.heap.len() == 25 => return,
            Mistake::OnceEach if is_there => return,
            Mistake::EqualsMeet if is_there => {
                self.remove(element);
            }
            _ => {}
        }
        self.heap.push(Reverse(element));
        self.order.push_back(element);
    }

    fn remove(&mut self, element: u8) {
        if let Some(place) = self.order.iter().position(|other| *other == element) {
            self.order.remove(place);
            self.heap = self.order.iter().copied().map(Reverse).collect();
        }
    }

    fn take(&mut self) -> Option<u8> {
        let next = match self.mistake {
            Mistake::OldestFirst => self.order.front().copied(),
            Mistake::YoungestFirst => self.order.back().copied(),
            Mistake::LargestFirst => self.order.iter().max().copied(),
            _ => self.heap.peek().map(|smallest| smallest.0),
        }?;
        self.remove(next);
        if self.mistake == Mistake::NewWhenEmpty && self.heap.is_empty() {
            self.is_ready = false;
        }
        Some(next)
    }

    fn sum(&self) -> u32 {
        match self.mistake {
            Mistake::SmallSum => {
                u32::from(self.order.iter().fold(0u8, |sum, element| sum.wrapping_add(*element)))
            }
            _ => self.order.iter().copied().map(u32::from).sum(),
        }
    }
}
