//! The store in the memory of the process: bounded, the least recently used out first.

use std::sync::Arc;
use std::time::{Duration, Instant};

use moka::Expiry;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use toolshape::Error;

use crate::store::{Limits, Store, default_limit};

/// A store in the memory of this process. It drops the least recently used value first.
#[derive(Debug)]
pub struct MemoryStore {
    values: Cache<String, MemoryEntry>,
    limits: Limits,
}

#[derive(Clone, Debug)]
struct MemoryEntry {
    value: Arc<str>,
    kept_for: Duration,
}

/// A value expires after the time to live that `set` gave it.
struct TimeToLive;

impl MemoryStore {
    /// An empty store with the default limits: 128 MiB, and 64 MiB for one value.
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// An empty store.
    pub fn with_limits(limits: Limits) -> Self {
        let most = limits.max_bytes.unwrap_or_else(|| default_limit("maxBytes"));
        let weigher =
            |key: &String, kept: &MemoryEntry| u32::try_from(key.len() + kept.value.len()).unwrap_or(u32::MAX);
        // Whatever is new is kept: a result that names it is about to be sent.
        let cache = Cache::builder().weigher(weigher).max_capacity(most).eviction_policy(EvictionPolicy::lru());
        Self { values: cache.expire_after(TimeToLive).build(), limits }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Store for MemoryStore {
    fn read(&self, key: &str) -> Result<Option<String>, Error> {
        Ok(self.values.get(key).map(|kept| kept.value.as_ref().to_owned()))
    }

    fn write(&self, key: &str, value: String, kept_for: Duration, _owner: Option<&str>) -> Result<(), Error> {
        self.limits.check(&value)?;
        self.values.insert(key.to_owned(), MemoryEntry { value: value.into(), kept_for });
        Ok(())
    }

    fn is_quick(&self) -> bool {
        true
    }
}

impl Expiry<String, MemoryEntry> for TimeToLive {
    fn expire_after_create(&self, _: &String, kept: &MemoryEntry, _: Instant) -> Option<Duration> {
        Some(kept.kept_for)
    }

    fn expire_after_update(&self, _: &String, kept: &MemoryEntry, _: Instant, _: Option<Duration>) -> Option<Duration> {
        Some(kept.kept_for)
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
        assert_eq!(store.read("a").unwrap().as_deref(), Some("one"));
        assert_eq!(store.read("b").unwrap(), None);
        assert_eq!(store.read("c").unwrap(), None);
    }

    #[test]
    fn what_is_too_large_is_refused_and_what_is_new_is_kept() {
        let store = MemoryStore::new();
        let refused = store.write("a", "x".repeat((64 << 20) + 1), HOUR, None).unwrap_err();
        assert_eq!(refused.message(), "the result has 67108865 bytes, and the store takes at most 67108864");
        for key in ["a", "b", "c", "d"] {
            store.write(key, "x".repeat(60 << 20), HOUR, None).unwrap();
            store.values.run_pending_tasks();
            assert!(store.read(key).unwrap().is_some(), "{key} was not kept");
        }
        assert!(store.read("a").unwrap().is_none());
    }

    #[test]
    fn limits_are_options() {
        let store = MemoryStore::with_limits(Limits::default().max_bytes(100).max_value_bytes(60));
        assert!(store.write("a", "x".repeat(61), HOUR, None).is_err());
        for key in ["a", "b"] {
            store.write(key, "x".repeat(60), HOUR, None).unwrap();
            store.values.run_pending_tasks();
        }
        assert!(store.read("a").unwrap().is_none() && store.read("b").unwrap().is_some());
    }
}
