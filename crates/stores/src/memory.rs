//! The store in the memory of the process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolshape::Error;
use toolshape::host::MEMORY_BYTES;

use crate::ledger::{Incoming, Ledger};
use crate::store::{Limits, Store, locked};

/// A store in the memory of this process. If all values together exceed `max_bytes`, the oldest of the owner with the most
/// are removed first.
#[derive(Debug)]
pub struct MemoryStore(
    /// A text of `Arc<str>` would be copied into it.
    Values<Arc<String>>,
);

impl MemoryStore {
    /// An empty store with the default limits: 128 MiB, and 64 MiB for one value.
    pub fn new() -> Self {
        Self::with_limits(Limits::default()).expect("the defaults are in range")
    }

    /// An empty store.
    ///
    /// # Errors
    /// `INVALID_CALL` for a limit out of range.
    pub fn with_limits(limits: Limits) -> Result<Self, Error> {
        Values::new(&limits).map(Self)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Store for MemoryStore {
    fn read(&self, key: &str) -> Result<Option<String>, Error> {
        Ok(self.0.get(key, Arc::clone).map(Arc::unwrap_or_clone))
    }

    fn write(&self, key: &str, mut value: String, kept_for: Duration, owner: Option<&str>) -> Result<(), Error> {
        value.shrink_to_fit();
        let owner = owner.unwrap_or_default().to_owned();
        let incoming = Incoming { key: key.to_owned(), bytes: value.len() as u64, owner, kept_for };
        self.0.put(incoming, Arc::new(value))
    }

    fn renew(&self, key: &str, kept_for: Duration) -> Result<bool, Error> {
        Ok(locked(&self.0.0).ledger.renew(key, kept_for))
    }

    fn delete_all(&self, beginning: &str) -> Result<u64, Error> {
        Ok(self.0.delete_all(beginning))
    }

    fn is_quick(&self) -> bool {
        true
    }
}

/// Values in memory, in whatever form a host has them, within the limits of a store.
#[derive(Debug)]
pub struct Values<V>(Mutex<Kept<V>>);

#[derive(Debug)]
struct Kept<V> {
    ledger: Ledger,
    values: HashMap<String, V>,
}

impl<V> Values<V> {
    /// # Errors
    /// `INVALID_CALL` for a limit out of range.
    pub fn new(limits: &Limits) -> Result<Self, Error> {
        let ledger = Ledger::new(limits, MEMORY_BYTES)?;
        Ok(Self(Mutex::new(Kept { ledger, values: HashMap::new() })))
    }

    /// What is made of the value under a key; nothing if there is none or it has expired.
    pub fn get<R>(&self, key: &str, of: impl FnOnce(&V) -> R) -> Option<R> {
        let kept = locked(&self.0);
        kept.values.get(key).filter(|_| kept.ledger.has(key)).map(of)
    }

    /// # Errors
    /// `STORE_FAILED` if there is no room.
    pub fn put(&self, incoming: Incoming, value: V) -> Result<(), Error> {
        // A host's values may do anything when they are dropped, so they outlive the lock.
        let mut dropped = Vec::new();
        let mut kept = locked(&self.0);
        let Kept { ledger, values } = &mut *kept;
        ledger.check(incoming.bytes)?;
        dropped.extend(ledger.take_expired().iter().map(|entry| values.remove(&entry.key)));
        dropped.extend(ledger.evict_for(&incoming, 1.0)?.iter().map(|entry| values.remove(&entry.key)));
        ledger.enter(&incoming, false);
        dropped.push(values.insert(incoming.key, value));
        drop(kept);
        Ok(())
    }

    /// Deletes the values whose keys begin so, and returns how many could be read.
    pub fn delete_all(&self, beginning: &str) -> u64 {
        let mut kept = locked(&self.0);
        let Kept { ledger, values } = &mut *kept;
        let gone: HashMap<String, V> = values.extract_if(|key, _| key.starts_with(beginning)).collect();
        let count = gone.keys().filter(|key| ledger.has(key)).count() as u64;
        gone.keys().for_each(|key| _ = ledger.forget(key));
        drop(kept);
        drop(gone);
        count
    }

    pub fn delete(&self, key: &str) {
        let mut kept = locked(&self.0);
        kept.ledger.forget(key);
        let dropped = kept.values.remove(key);
        drop(kept);
        drop(dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn what_was_written_is_read_until_it_expires() {
        let store = MemoryStore::new();
        store.write("a", "one".to_owned(), HOUR, None).unwrap();
        store.write("b", "two".to_owned(), Duration::ZERO, None).unwrap();
        store.write("c", "three".to_owned(), Duration::MAX, None).unwrap();
        assert_eq!(store.read("a").unwrap().as_deref(), Some("one"));
        assert_eq!(store.read("b").unwrap(), None);
        assert_eq!(store.read("c").unwrap().as_deref(), Some("three"));
        assert_eq!(store.read("d").unwrap(), None);
        assert!(!store.renew("b", HOUR).unwrap() && !store.renew("d", HOUR).unwrap());
        assert!(store.renew("a", Duration::ZERO).unwrap());
        assert_eq!(store.read("a").unwrap(), None);
    }

    #[test]
    fn what_is_too_large_is_refused_and_what_is_new_is_kept() {
        let store = MemoryStore::new();
        let refused = store.write("a", "x".repeat((64 << 20) + 1), HOUR, None).unwrap_err();
        assert_eq!(refused.message(), "the value has 67108865 bytes, more than the 67108864 of one value");
        for key in ["a", "b", "c", "d"] {
            store.write(key, "x".repeat(60 << 20), HOUR, None).unwrap();
            assert!(store.read(key).unwrap().is_some(), "{key} was not kept");
        }
        assert!(store.read("a").unwrap().is_none());
    }
}
