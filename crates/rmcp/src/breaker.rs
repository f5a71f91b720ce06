//! Leaves a store that does not answer alone for a while, so that not every result waits for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolshape::host::ArchiveOptions;
use toolshape::{Error, ErrorCode};
use toolshape_stores::Store;

use crate::blocking::blocking;

/// Asks a store within the limits of an archive.
pub struct Breaker {
    timeout: Duration,
    pause: Duration,
    slow: Duration,
    late: String,
    paused: String,
    /// When the store may be asked again; nothing while it answers.
    again: Mutex<Option<Instant>>,
}

impl Breaker {
    pub fn new(options: &ArchiveOptions) -> Self {
        let terms = options.to_json();
        let text = |name: &str| terms[name].as_str().unwrap_or_default().to_owned();
        // A longer time has no instant at its end.
        let long = Duration::from_secs(u32::MAX.into());
        let time = |name: &str| {
            Duration::try_from_secs_f64(terms[name].as_f64().unwrap_or_default()).map_or(long, |time| time.min(long))
        };
        Self {
            timeout: time("timeoutSeconds"),
            pause: time("pauseSeconds"),
            slow: time("slowSeconds"),
            late: text("late"),
            paused: text("paused"),
            again: Mutex::default(),
        }
    }

    /// The store's answer.
    ///
    /// # Errors
    /// The store's own; `STORE_FAILED` if it takes too long, or is left alone.
    pub async fn ask<T: Send + 'static>(
        &self,
        store: &Arc<dyn Store>,
        work: impl FnOnce(&dyn Store) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        if store.is_quick() {
            return work(store.as_ref());
        }
        let began = Instant::now();
        if !self.may_ask(began) {
            return Err(Error::new(ErrorCode::StoreFailed, &*self.paused, ""));
        }
        let asked = Arc::clone(store);
        let answer = tokio::time::timeout(self.timeout, blocking(move || work(asked.as_ref()))).await;
        let is_slow = answer.is_err() || began.elapsed() > self.slow;
        let answer = answer.unwrap_or_else(|_| Err(Error::new(ErrorCode::StoreFailed, &*self.late, "")));
        let is_left_alone = answer.is_err() && is_slow && !self.pause.is_zero();
        *self.again() = is_left_alone.then(|| Instant::now() + self.pause);
        answer
    }

    /// Whether a call may ask the store. After a pause one call tries; until it has its answer, the others do not wait.
    fn may_ask(&self, now: Instant) -> bool {
        let mut again = self.again();
        match *again {
            Some(until) if now < until => return false,
            Some(_) => *again = Some(now + self.timeout),
            None => {}
        }
        true
    }

    fn again(&self) -> MutexGuard<'_, Option<Instant>> {
        self.again.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;
    use serde_json::json;
    use toolshape::host::Naming;

    /// A store that answers when its other end is closed, or at once without one.
    struct Waits(Option<Mutex<Receiver<()>>>);

    impl Store for Waits {
        fn read(&self, _: &str) -> Result<Option<String>, Error> {
            if let Some(end) = &self.0 {
                let _ = end.lock().unwrap().recv();
            }
            Ok(None)
        }

        fn write(&self, _: &str, _: String, _: Duration, _: Option<&str>) -> Result<(), Error> {
            Ok(())
        }
    }

    fn read(store: &dyn Store) -> Result<Option<String>, Error> {
        store.read("a")
    }

    fn breaker(pause_seconds: f64) -> Breaker {
        let options = json!({ "timeoutSeconds": 0.3, "pauseSeconds": pause_seconds });
        Breaker::new(&ArchiveOptions::new(&options, Naming::Camel).unwrap())
    }

    #[tokio::test]
    async fn a_store_that_is_late_is_left_alone() {
        let (end, waits) = channel();
        let late: Arc<dyn Store> = Arc::new(Waits(Some(Mutex::new(waits))));
        let prompt: Arc<dyn Store> = Arc::new(Waits(None));
        let breaker = breaker(600.0);
        let told = breaker.ask(&late, read).await.unwrap_err();
        assert_eq!(told.message(), "the store did not answer within 0.3 seconds");
        let told = breaker.ask(&prompt, read).await.unwrap_err();
        assert!(told.message().starts_with("the store did not answer a short while ago"));
        drop(end);
    }

    #[tokio::test]
    async fn times_without_an_end_are_long() {
        let (end, waits) = channel();
        let late: Arc<dyn Store> = Arc::new(Waits(Some(Mutex::new(waits))));
        let breaker = breaker(1e19);
        assert!(breaker.ask(&late, read).await.is_err());
        let told = breaker.ask(&late, read).await.unwrap_err();
        assert!(told.message().starts_with("the store did not answer a short while ago"));
        drop(end);
    }

    #[tokio::test]
    async fn after_a_pause_it_is_tried_again() {
        let (end, waits) = channel();
        let late: Arc<dyn Store> = Arc::new(Waits(Some(Mutex::new(waits))));
        let prompt: Arc<dyn Store> = Arc::new(Waits(None));
        let breaker = breaker(0.01);
        assert!(breaker.ask(&late, read).await.is_err());
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(breaker.ask(&prompt, read).await, Ok(None));
        assert_eq!(breaker.ask(&prompt, read).await, Ok(None));
        drop(end);
    }
}
