//! A subject of which nobody asks what its threads do: calls that have not returned when a time is over are taken to wait.

use gainsay_subject::{Live, Made, Patience, Rest, Returned, Settled, Subject, Trouble};
use std::time::Duration;
use warehouse::specification::Walk;

pub(super) struct Unasked<S> {
    pub(super) subject: S,
    /// How long to wait for calls; as long as patience lasts, if they all return.
    pub(super) limit: Option<Duration>,
}

impl<S: Subject<Walk, ()>> Subject<Walk, ()> for Unasked<S> {
    fn make(&mut self) -> Result<Made<Box<dyn Live<Walk, ()> + '_>>, Trouble> {
        Ok(match self.subject.make()? {
            Made::Ready(live) => Made::Ready(Box::new(LiveUnasked { live, limit: self.limit })),
            Made::Broken(why) => Made::Broken(why),
        })
    }
}

struct LiveUnasked<'a> {
    live: Box<dyn Live<Walk, ()> + 'a>,
    limit: Option<Duration>,
}

impl Live<Walk, ()> for LiveUnasked<'_> {
    fn start(&mut self, calls: &[(u32, Walk)]) -> Result<(), Trouble> {
        self.live.start(calls)
    }

    fn settle(&mut self, patience: Patience) -> Result<Settled<()>, Trouble> {
        let returned = self.live.collect(self.limit.unwrap_or(patience.running))?;
        Ok(Settled { returned, rest: Rest::Asleep })
    }

    fn reconsider(&mut self, _: Patience) -> Result<Settled<()>, Trouble> {
        Ok(Settled { returned: Vec::new(), rest: Rest::Asleep })
    }

    fn collect(&mut self, limit: Duration) -> Result<Vec<(u32, Returned<()>)>, Trouble> {
        self.live.collect(limit)
    }

    fn busy(&self) -> usize {
        self.live.busy()
    }
}
