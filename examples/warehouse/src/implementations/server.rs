//! A row of warehouses that is owned by a server thread; the robots send their requests through a channel.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, spawn};

#[derive(Clone, Copy)]
enum Action {
    Enter,
    Exit,
}

struct Request {
    action: Action,
    n: usize,
    weight: u32,
    done: Sender<()>,
}

struct State {
    weight_max: u32,
    weights: Vec<u32>,
    occupied: Vec<bool>,
}

impl State {
    fn has_corridor(&self, n: usize) -> bool {
        n + 1 < self.weights.len()
    }

    fn is_possible(&self, request: &Request) -> bool {
        let n = request.n;
        match request.action {
            Action::Enter => self.weights[n] + request.weight <= self.weight_max,
            Action::Exit => !self.has_corridor(n) || !self.occupied[n + 1],
        }
    }

    fn perform(&mut self, request: &Request) {
        let n = request.n;
        match request.action {
            Action::Enter => {
                self.weights[n] += request.weight;
                self.occupied[n] = false;
            }
            Action::Exit => {
                self.weights[n] -= request.weight;
                if self.has_corridor(n) {
                    self.occupied[n + 1] = true;
                }
            }
        }
    }
}

/// Ends when all senders are gone.
fn serve(mut state: State, requests: Receiver<Request>) {
    let mut waiting = Vec::new();
    for request in requests {
        waiting.push(request);
        while let Some(i) = waiting.iter().position(|request| state.is_possible(request)) {
            let request = waiting.remove(i);
            state.perform(&request);
            // an error means that the robot does not wait for the answer any more
            let _ = request.done.send(());
        }
    }
}

pub struct Server {
    requests: Option<Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub fn new(count: usize, weight_max: u32) -> Server {
        let (sender, receiver) = channel();
        let state = State { weight_max, weights: vec![0; count], occupied: vec![false; count] };
        Server { requests: Some(sender), thread: Some(spawn(move || serve(state, receiver))) }
    }

    fn ask(&self, action: Action, n: usize, weight: u32) {
        let (done, answer) = channel();
        let requests = self.requests.as_ref().expect("is there until drop");
        requests.send(Request { action, n, weight, done }).expect("the server runs");
        answer.recv().expect("the server answers");
    }

    pub fn enter(&self, n: usize, weight: u32) {
        self.ask(Action::Enter, n, weight);
    }

    pub fn exit(&self, n: usize, weight: u32) {
        self.ask(Action::Exit, n, weight);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
