//! Readers and writers with a line to stand in and a board that shows who is inside.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, RwLock};

#[derive(Clone, Copy, PartialEq)]
enum Visitor {
    Reader,
    Writer,
}

#[derive(Default)]
struct Line {
    last_number: u64,
    waiting: VecDeque<u64>,
}

#[derive(Default)]
pub struct Board {
    line: Mutex<Line>,
    moved: Condvar,
    inside: RwLock<Vec<Visitor>>,
}

impl Board {
    pub fn new() -> Board {
        Board::default()
    }

    fn read_board(&self) -> Vec<Visitor> {
        self.inside.read().unwrap().clone()
    }

    fn write_board(&self, inside: Vec<Visitor>) {
        *self.inside.write().unwrap() = inside;
    }

    fn may_enter(&self, visitor: Visitor) -> bool {
        let inside = self.read_board();
        match visitor {
            Visitor::Reader => !inside.contains(&Visitor::Writer),
            Visitor::Writer => inside.is_empty(),
        }
    }

    /// Stands in line until it is the first and may enter, then puts itself on the board.
    fn before(&self, visitor: Visitor) {
        let mut line = self.line.lock().unwrap();
        line.last_number += 1;
        let number = line.last_number;
        line.waiting.push_back(number);
        while line.waiting.front() != Some(&number) || !self.may_enter(visitor) {
            line = self.moved.wait(line).unwrap();
        }
        line.waiting.pop_front();
        let mut inside = self.read_board();
        inside.push(visitor);
        self.write_board(inside);
        self.moved.notify_all();
    }

    /// Takes one such visitor from the board and tells the line.
    fn after(&self, visitor: Visitor) {
        let mut inside = self.read_board();
        if let Some(i) = inside.iter().position(|&other| other == visitor) {
            inside.swap_remove(i);
        }
        self.write_board(inside);
        let _line = self.line.lock().unwrap();
        self.moved.notify_all();
    }

    pub fn before_read(&self) {
        self.before(Visitor::Reader);
    }

    pub fn after_read(&self) {
        self.after(Visitor::Reader);
    }

    pub fn before_write(&self) {
        self.before(Visitor::Writer);
    }

    pub fn after_write(&self) {
        self.after(Visitor::Writer);
    }
}
