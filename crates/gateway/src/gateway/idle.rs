//! Connections without a request: where there are too many, those that wait longest are closed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use crate::lock::locked;

/// The connections without a request, the ones that wait longest first.
#[derive(Default)]
pub struct Idle(Mutex<(u64, BTreeMap<u64, Arc<Notify>>)>);

/// A connection, which has at most one request at a time.
pub struct IdleConnection {
    all: Arc<Idle>,
    place: Mutex<u64>,
    /// It is to be closed.
    pub closed: Arc<Notify>,
}

/// A request is open until this is dropped.
pub struct BusyConnection(Arc<IdleConnection>);

impl Idle {
    pub fn connection(self: &Arc<Self>) -> Arc<IdleConnection> {
        let closed = Arc::new(Notify::new());
        let place = Mutex::new(self.enter(&closed));
        Arc::new(IdleConnection { all: Arc::clone(self), place, closed })
    }

    /// Closes the one that waits longest, if there is one.
    pub fn close_oldest(&self) {
        if let Some((_, closed)) = locked(&self.0).1.pop_first() {
            closed.notify_one();
        }
    }

    fn enter(&self, closed: &Arc<Notify>) -> u64 {
        let (next, all) = &mut *locked(&self.0);
        *next += 1;
        all.insert(*next, Arc::clone(closed));
        *next
    }

    fn leave(&self, place: u64) {
        locked(&self.0).1.remove(&place);
    }
}

impl IdleConnection {
    pub fn begin(self: &Arc<Self>) -> BusyConnection {
        self.all.leave(*locked(&self.place));
        BusyConnection(Arc::clone(self))
    }
}

impl Drop for BusyConnection {
    fn drop(&mut self) {
        *locked(&self.0.place) = self.0.all.enter(&self.0.closed);
    }
}

impl Drop for IdleConnection {
    fn drop(&mut self) {
        self.all.leave(*locked(&self.place));
    }
}
