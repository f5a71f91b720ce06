//! Two services as one: small values in the first, which is quick, large ones in the second, which is cheap.

use std::time::Duration;

use super::{Backend, Counter, Failure};

pub struct Tiers {
    pub first: Box<dyn Backend>,
    pub second: Box<dyn Backend>,
    /// The bytes of the largest value that the first has.
    pub over: usize,
}

impl Backend for Tiers {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Failure> {
        match self.first.get(key) {
            Ok(Some(value)) => Ok(Some(value)),
            // It may be in the second although the first failed.
            first => match self.second.get(key) {
                Ok(None) => first,
                second => second,
            },
        }
    }

    fn set(&self, key: &str, value: Vec<u8>, kept_for: Duration) -> Result<(), Failure> {
        if value.len() <= self.over {
            return self.first.set(key, value, kept_for);
        }
        self.second.set(key, value.clone(), kept_for).or_else(|_| self.first.set(key, value, kept_for))
    }

    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Failure> {
        Ok(self.first.renew(key, kept_for)? || self.second.renew(key, kept_for)?)
    }

    fn delete(&self, key: &str) -> Result<(), Failure> {
        self.first.delete(key).and(self.second.delete(key))
    }

    fn delete_all(&self, beginning: &str) -> Result<u64, Failure> {
        let (first, second) = (self.first.delete_all(beginning), self.second.delete_all(beginning));
        Ok(first? + second?)
    }

    /// The first counts what both have.
    fn counter(&self) -> Option<&dyn Counter> {
        self.first.counter()
    }
}
