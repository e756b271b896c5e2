//! A subject whose phases are counted.

use gainsay_subject::{Live, Made, Patience, Returned, Settled, Subject, Trouble};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use warehouse::specification::Walk;

pub(super) struct Counted<S> {
    pub(super) subject: S,
    pub(super) phases: Rc<Cell<u64>>,
}

impl<S: Subject<Walk, ()>> Subject<Walk, ()> for Counted<S> {
    fn make(&mut self) -> Result<Made<Box<dyn Live<Walk, ()> + '_>>, Trouble> {
        Ok(match self.subject.make()? {
            Made::Ready(live) => Made::Ready(Box::new(LiveCounted { live, phases: Rc::clone(&self.phases) })),
            Made::Broken(why) => Made::Broken(why),
        })
    }
}

struct LiveCounted<'a> {
    live: Box<dyn Live<Walk, ()> + 'a>,
    phases: Rc<Cell<u64>>,
}

impl Live<Walk, ()> for LiveCounted<'_> {
    fn start(&mut self, calls: &[(u32, Walk)]) -> Result<(), Trouble> {
        self.phases.set(self.phases.get() + 1);
        self.live.start(calls)
    }

    fn settle(&mut self, patience: Patience) -> Result<Settled<()>, Trouble> {
        self.live.settle(patience)
    }

    fn reconsider(&mut self, patience: Patience) -> Result<Settled<()>, Trouble> {
        self.live.reconsider(patience)
    }

    fn collect(&mut self, limit: Duration) -> Result<Vec<(u32, Returned<()>)>, Trouble> {
        self.live.collect(limit)
    }

    fn busy(&self) -> usize {
        self.live.busy()
    }
}
