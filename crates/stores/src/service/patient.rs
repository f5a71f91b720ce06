//! A service that did not answer is left alone for a while, each of two tiers on its own.

use std::time::{Duration, Instant};

use super::{ANSWER, Backend, CONNECT, Counter, Failure, FailureKind, SLOW};
use crate::pause::Pause;

const PAUSE: Duration = Duration::from_secs(10);

pub struct Patient {
    pub backend: Box<dyn Backend>,
    pub left_alone: Pause,
}

impl Patient {
    fn ask<T>(&self, operation: impl FnOnce(&dyn Backend) -> Result<T, Failure>) -> Result<T, Failure> {
        if !self.left_alone.may_ask(CONNECT + ANSWER) {
            let pause = PAUSE.as_secs();
            let detail =
                format!("the store did not answer a short while ago, and is tried again after {pause} seconds");
            return Err(Failure { detail, kind: FailureKind::Pause });
        }
        let began = Instant::now();
        let answer = operation(&*self.backend);
        let is_slow = answer.is_err() && began.elapsed() > SLOW;
        self.left_alone.answered(is_slow.then_some(PAUSE));
        answer
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

    /// Whoever deletes all waits as long as it takes.
    fn delete_all(&self, beginning: &str) -> Result<u64, Failure> {
        self.backend.delete_all(beginning)
    }

    fn counter(&self) -> Option<&dyn Counter> {
        self.backend.counter().map(|_| self as _)
    }
}

impl Patient {
    fn of_counter<T>(&self, operation: impl FnOnce(&dyn Counter) -> Result<T, Failure>) -> Result<T, Failure> {
        self.ask(|backend| operation(backend.counter().ok_or_else(|| Failure::new("it cannot count"))?))
    }
}

impl Counter for Patient {
    fn count(&self, key: &str, bytes: u64, kept_for: Duration, most: u64) -> Result<bool, Failure> {
        self.of_counter(|counter| counter.count(key, bytes, kept_for, most))
    }

    fn count_longer(&self, key: &str, kept_for: Duration) -> Result<(), Failure> {
        self.of_counter(|counter| counter.count_longer(key, kept_for))
    }

    fn forget(&self, key_or_tenant: &str) -> Result<(), Failure> {
        self.of_counter(|counter| counter.forget(key_or_tenant))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// A service that answers no read in time.
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

        fn delete_all(&self, _: &str) -> Result<u64, Failure> {
            Ok(0)
        }
    }

    #[test]
    fn a_service_that_hung_is_left_alone() {
        let service = Patient { backend: Box::new(Hung), left_alone: Pause::default() };
        let kind = || service.get("key").unwrap_err().kind;
        assert_eq!((kind(), kind()), (FailureKind::Silence, FailureKind::Pause));
        assert!(service.renew("key", Duration::MAX).is_err());
    }
}
