//! Back-pressure: a side whose lines are not taken is read no further, as with a pipe.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The most bytes of a side that wait, unless one line has more.
const MOST: usize = 1 << 20;

/// How many bytes of a side wait.
#[derive(Default)]
pub struct Gate {
    waiting: Mutex<usize>,
    taken: Condvar,
}

/// Bytes that wait until this is dropped.
pub struct Load {
    gate: Arc<Gate>,
    bytes: usize,
}

impl Gate {
    /// The load of what holds up nobody.
    pub fn open() -> Arc<Load> {
        Arc::new(Arc::new(Self::default()).pass(0))
    }

    /// Lets bytes in; waits while too many are inside.
    pub fn pass(self: &Arc<Self>, bytes: usize) -> Load {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |waiting: &mut usize| *waiting > 0 && *waiting + bytes > MOST;
        let mut waiting = self.taken.wait_while(waiting, is_full).unwrap_or_else(PoisonError::into_inner);
        *waiting += bytes;
        Load { gate: Arc::clone(self), bytes }
    }

    /// Lets bytes in; `None` if too many are inside.
    pub fn try_pass(self: &Arc<Self>, bytes: usize) -> Option<Load> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if *waiting > 0 && *waiting + bytes > MOST {
            return None;
        }
        *waiting += bytes;
        Some(Load { gate: Arc::clone(self), bytes })
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        *self.gate.waiting.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.gate.taken.notify_one();
    }
}
