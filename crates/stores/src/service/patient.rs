//! A service that did not answer is left alone for a while: each call that waits for it would hold up a tool.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::{Backend, Failure, FailureKind, SLOW};
use crate::store::locked;

const PAUSE: Duration = Duration::from_secs(10);

pub struct Patient {
    pub backend: Box<dyn Backend>,
    pub paused_until: Mutex<Option<Instant>>,
}

impl Patient {
    fn ask<T>(&self, operation: impl FnOnce(&dyn Backend) -> Result<T, Failure>) -> Result<T, Failure> {
        if !self.may_ask() {
            let pause = PAUSE.as_secs();
            let detail =
                format!("the store did not answer a short while ago, and is tried again after {pause} seconds");
            return Err(Failure { detail, kind: FailureKind::Pause });
        }
        let began = Instant::now();
        let answer = operation(&*self.backend);
        let is_slow = answer.is_err() && began.elapsed() > SLOW;
        *locked(&self.paused_until) = is_slow.then(|| Instant::now() + PAUSE);
        answer
    }

    /// Whether it may be asked now. After a pause one call tries it, and the others go on without it.
    fn may_ask(&self) -> bool {
        let mut paused_until = locked(&self.paused_until);
        let is_over = paused_until.map(|until| Instant::now() >= until);
        if is_over == Some(true) {
            *paused_until = Some(Instant::now() + PAUSE);
        }
        is_over != Some(false)
    }
}

impl Backend for Patient {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Failure> {
        self.ask(|backend| backend.get(key))
    }

    fn set(&self, key: &str, value: Vec<u8>, kept_for: Duration) -> Result<(), Failure> {
        self.ask(|backend| backend.set(key, value, kept_for))
    }

    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Failure> {
        self.ask(|backend| backend.renew(key, kept_for))
    }

    fn delete(&self, key: &str) -> Result<(), Failure> {
        self.ask(|backend| backend.delete(key))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    /// A service that answers nothing until it learns to.
    struct Hung;

    impl Backend for Hung {
        fn get(&self, _: &str) -> Result<Option<Vec<u8>>, Failure> {
            thread::sleep(2 * SLOW);
            Err(Failure::silence("nothing came"))
        }

        fn set(&self, _: &str, _: Vec<u8>, _: Duration) -> Result<(), Failure> {
            Ok(())
        }

        fn renew(&self, _: &str, _: Duration) -> Result<bool, Failure> {
            Ok(true)
        }

        fn delete(&self, _: &str) -> Result<(), Failure> {
            Ok(())
        }
    }

    #[test]
    fn one_call_tries_a_service_that_hung() {
        let service = Arc::new(Patient { backend: Box::new(Hung), paused_until: Mutex::default() });
        let kind = |service: &Patient| service.get("key").unwrap_err().kind;
        assert_eq!(kind(&service), FailureKind::Silence);
        assert_eq!(kind(&service), FailureKind::Pause);
        *locked(&service.paused_until) = Some(Instant::now());
        let tries = thread::spawn({
            let service = Arc::clone(&service);
            move || kind(&service)
        });
        while locked(&service.paused_until).is_some_and(|until| until <= Instant::now()) {
            thread::yield_now();
        }
        assert_eq!(kind(&service), FailureKind::Pause);
        assert_eq!(tries.join().unwrap(), FailureKind::Silence);
    }
}
