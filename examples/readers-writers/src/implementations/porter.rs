//! Readers and writers with a porter: a thread that receives all messages and opens the door.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{JoinHandle, spawn};

enum Message {
    BeforeRead(Sender<()>),
    AfterRead,
    BeforeWrite(Sender<()>),
    AfterWrite,
}

enum Waiting {
    Reader(Sender<()>),
    Writer(Sender<()>),
}

#[derive(Default)]
struct Room {
    readers: usize,
    writing: bool,
    queue: VecDeque<Waiting>,
}

impl Room {
    fn open_to_reader(&mut self, door: Sender<()>) {
        self.readers += 1;
        let _ = door.send(());
    }

    fn open_to_writer(&mut self, door: Sender<()>) {
        self.writing = true;
        let _ = door.send(());
    }

    /// Opens to those at the head of the queue as long as there is a free place for them.
    fn open_to_queue(&mut self) {
        while !self.writing {
            match self.queue.pop_front() {
                Some(Waiting::Reader(door)) => self.open_to_reader(door),
                Some(Waiting::Writer(door)) if self.readers == 0 => self.open_to_writer(door),
                Some(writer) => {
                    self.queue.push_front(writer);
                    return;
                }
                None => return,
            }
        }
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::BeforeRead(door) => {
                if self.writing {
                    self.queue.push_back(Waiting::Reader(door));
                } else {
                    self.open_to_reader(door);
                }
            }
            Message::BeforeWrite(door) => {
                if self.writing || self.readers > 0 {
                    self.queue.push_back(Waiting::Writer(door));
                } else {
                    self.open_to_writer(door);
                }
            }
            Message::AfterRead => {
                self.readers -= 1;
                self.open_to_queue();
            }
            Message::AfterWrite => {
                self.writing = false;
                self.open_to_queue();
            }
        }
    }
}

/// Works until the last sender is gone.
fn work(messages: Receiver<Message>) {
    let mut room = Room::default();
    for message in messages {
        room.handle(message);
    }
}

pub struct Porter {
    messages: Option<Sender<Message>>,
    thread: Option<JoinHandle<()>>,
}

impl Porter {
    pub fn new() -> Porter {
        let (sender, receiver) = channel();
        Porter { messages: Some(sender), thread: Some(spawn(move || work(receiver))) }
    }

    fn send(&self, message: Message) {
        let messages = self.messages.as_ref().expect("is there until drop");
        messages.send(message).expect("the porter is at work");
    }

    fn ask(&self, message: impl FnOnce(Sender<()>) -> Message) {
        let (door, opened) = channel();
        self.send(message(door));
        opened.recv().expect("the porter opens the door");
    }

    pub fn before_read(&self) {
        self.ask(Message::BeforeRead);
    }

    pub fn after_read(&self) {
        self.send(Message::AfterRead);
    }

    pub fn before_write(&self) {
        self.ask(Message::BeforeWrite);
    }

    pub fn after_write(&self) {
        self.send(Message::AfterWrite);
    }
}

impl Default for Porter {
    fn default() -> Self {
        Porter::new()
    }
}

impl Drop for Porter {
    fn drop(&mut self) {
        self.messages = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
