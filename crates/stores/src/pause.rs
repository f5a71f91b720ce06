//! A store that did not answer is left alone for a while: each call that waits for it would hold up a tool.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::store::locked;

/// When a store may be asked again; nothing while it answers.
#[derive(Default)]
pub(crate) struct Pause(Mutex<Option<Instant>>);

impl Pause {
    /// Whether a call may ask the store. After a pause one call tries, and the others do not wait for its answer, which takes at
    /// most `answer`.
    pub fn may_ask(&self, answer: Duration) -> bool {
        let (now, mut until) = (Instant::now(), locked(&self.0));
        match *until {
            Some(end) if now < end => return false,
            Some(_) => *until = Some(now + answer),
            None => {}
        }
        true
    }

    /// A call has its answer: the store is left alone for so long, or not at all.
    pub fn answered(&self, pause: Option<Duration>) {
        *locked(&self.0) = pause.map(|pause| Instant::now() + pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_pause_one_call_tries() {
        let (pause, long) = (Pause::default(), Duration::from_secs(600));
        assert!(pause.may_ask(long) && pause.may_ask(long));
        pause.answered(Some(long));
        assert!(!pause.may_ask(long));
        pause.answered(Some(Duration::ZERO));
        assert!(pause.may_ask(long) && !pause.may_ask(long));
        pause.answered(None);
        assert!(pause.may_ask(long) && pause.may_ask(long));
    }
}
