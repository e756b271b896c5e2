//! A stack without locks, and a broken one.

use shuttle::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};

/// A stack without locks, in an arena: 0 is no node. If `broken`, it does not look whether somebody else was faster.
pub(super) struct Stack {
    nodes: Vec<(AtomicU64, AtomicUsize)>,
    used: AtomicUsize,
    head: AtomicUsize,
    broken: bool,
}

impl Stack {
    pub(super) fn new(broken: bool) -> Stack {
        let nodes = (0..40).map(|_| (AtomicU64::new(0), AtomicUsize::new(0))).collect();
        Stack { nodes, used: AtomicUsize::new(0), head: AtomicUsize::new(0), broken }
    }

    fn swing(&self, from: usize, to: usize) -> bool {
        if self.broken {
            self.head.store(to, SeqCst);
            return true;
        }
        self.head.compare_exchange(from, to, SeqCst, SeqCst).is_ok()
    }

    pub(super) fn push(&self, value: u64) {
        let node = self.used.fetch_add(1, SeqCst) + 1;
        self.nodes[node].0.store(value, SeqCst);
        loop {
            let head = self.head.load(SeqCst);
            self.nodes[node].1.store(head, SeqCst);
            if self.swing(head, node) {
                return;
            }
        }
    }

    pub(super) fn pop(&self) -> Option<u64> {
        loop {
            let head = self.head.load(SeqCst);
            if head == 0 {
                return None;
            }
            let next = self.nodes[head].1.load(SeqCst);
            if self.swing(head, next) {
                return Some(self.nodes[head].0.load(SeqCst));
            }
        }
    }
}
