//! A store within limits of time: one that does not answer has failed, and is left alone for a while, so that not every result
//! waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use toolshape::Error;
use toolshape::host::ArchiveOptions;

use crate::pause::Pause;
use crate::store::{Store, failed};

/// The most calls of a store that may be open: those that are given up stay open until it answers.
const MOST_OPEN: usize = 256;

/// Asks a store within the time limits of an archive. Whoever waits for it learns after the limit; the store may still do what
/// it was asked.
///
/// ```
/// use serde_json::json;
/// use toolshape::host::{ArchiveOptions, Naming};
/// use toolshape_stores::{MemoryStore, Store, TimedStore};
///
/// let options = ArchiveOptions::new(&json!({ "timeoutSeconds": 2 }), Naming::Camel)?;
/// let store = TimedStore::new(MemoryStore::new(), &options);
/// assert_eq!(store.read(&format!("{}.txt", "0".repeat(64)))?, None);
/// # Ok::<(), toolshape::Error>(())
/// ```
pub struct TimedStore {
    store: Arc<dyn Store>,
    timeout: Duration,
    pause: Duration,
    slow: Duration,
    late: String,
    paused: String,
    left_alone: Pause,
    open: Arc<AtomicUsize>,
}

impl TimedStore {
    /// The store within the limits of these options.
    pub fn new(store: impl Store, options: &ArchiveOptions) -> Self {
        let terms = options.to_json();
        let text = |name: &str| terms[name].as_str().unwrap_or_default().to_owned();
        // A longer time has no instant at its end.
        let long = Duration::from_secs(u32::MAX.into());
        let time = |name: &str| {
            Duration::try_from_secs_f64(terms[name].as_f64().unwrap_or_default()).map_or(long, |time| time.min(long))
        };
        Self {
            store: Arc::new(store),
            timeout: time("timeoutSeconds"),
            pause: time("pauseSeconds"),
            slow: time("slowSeconds"),
            late: text("late"),
            paused: text("paused"),
            left_alone: Pause::default(),
            open: Arc::default(),
        }
    }

    fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Store) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        if self.store.is_quick() {
            return work(self.store.as_ref());
        }
        let began = Instant::now();
        if !self.left_alone.may_ask(self.timeout) || self.open.load(Ordering::Relaxed) >= MOST_OPEN {
            return Err(failed(&self.paused));
        }
        let (sender, answer) = channel();
        let (store, open) = (Arc::clone(&self.store), Arc::clone(&self.open));
        open.fetch_add(1, Ordering::Relaxed);
        let asked = thread::Builder::new().spawn(move || {
            let _open = Open(open);
            let done = work(store.as_ref());
            // Whoever has the answer may end the store.
            drop(store);
            // Nobody may wait for it any more.
            let _ = sender.send(done);
        });
        let answer = match asked {
            Ok(_) => answer.recv_timeout(self.timeout),
            Err(error) => Ok(Err(failed(error))),
        };
        let is_slow = answer.is_err() || began.elapsed() > self.slow;
        let answer = match answer {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Err(failed(&self.late)),
            Err(RecvTimeoutError::Disconnected) => Err(failed("the store has ended")),
        };
        let is_left_alone = answer.is_err() && is_slow && !self.pause.is_zero();
        self.left_alone.answered(is_left_alone.then_some(self.pause));
        answer
    }
}

/// A call that is open until this is dropped, also by a panic of the store.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Store for TimedStore {
    fn read(&self, key: &str) -> Result<Option<String>, Error> {
        let key = key.to_owned();
        self.ask(move |store| store.read(&key))
    }

    fn write(&self, key: &str, value: String, kept_for: Duration, owner: Option<&str>) -> Result<(), Error> {
        let (key, owner) = (key.to_owned(), owner.map(str::to_owned));
        self.ask(move |store| store.write(&key, value, kept_for, owner.as_deref()))
    }

    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Error> {
        let key = key.to_owned();
        self.ask(move |store| store.renew(&key, kept_for))
    }

    /// It takes as long as there are keys.
    fn delete_all(&self, beginning: &str) -> Result<u64, Error> {
        self.store.delete_all(beginning)
    }

    fn is_quick(&self) -> bool {
        self.store.is_quick()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender};

    use serde_json::json;
    use toolshape::host::Naming;

    use super::*;
    use crate::store::locked;

    /// A store whose first read is answered when its other end is closed, and which fails at once to write.
    struct Waits(Mutex<Option<Receiver<()>>>);

    impl Store for Waits {
        fn read(&self, _: &str) -> Result<Option<String>, Error> {
            let end = locked(&self.0).take();
            end.map(|end| end.recv());
            Ok(None)
        }

        fn write(&self, _: &str, _: String, _: Duration, _: Option<&str>) -> Result<(), Error> {
            Err(failed("full"))
        }
    }

    fn timed(pause_seconds: f64) -> (Sender<()>, TimedStore) {
        let (end, waits) = channel();
        let options = json!({ "timeoutSeconds": 0.3, "pauseSeconds": pause_seconds });
        let options = ArchiveOptions::new(&options, Naming::Camel).unwrap();
        (end, TimedStore::new(Waits(Mutex::new(Some(waits))), &options))
    }

    #[test]
    fn a_store_that_is_late_is_left_alone() {
        // Times without an end are long.
        for pause in [600.0, 1e19] {
            let (end, store) = timed(pause);
            assert_eq!(store.read("a").unwrap_err().message(), "the store did not answer within 0.3 seconds");
            let told = store.read("a").unwrap_err();
            assert!(told.message().starts_with("the store did not answer a short while ago"));
            drop(end);
        }
    }

    #[test]
    fn after_a_pause_it_is_tried_again() {
        let (end, store) = timed(0.01);
        assert!(store.read("a").is_err());
        thread::sleep(Duration::from_millis(20));
        assert_eq!((store.read("a"), store.read("a")), (Ok(None), Ok(None)));
        drop(end);
    }

    #[test]
    fn a_store_that_fails_at_once_is_asked_again() {
        let (_end, store) = timed(600.0);
        let write = || store.write("a", String::new(), Duration::MAX, None).unwrap_err();
        assert_eq!((write().message(), write().message()), ("full", "full"));
    }
}
