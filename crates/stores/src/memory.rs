//! The store in the memory of the process: bounded, the least recently used out first.

use std::sync::Arc;
use std::time::{Duration, Instant};

use moka::Expiry;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use toolshape::Error;
use toolshape::host::{Naming, default_store_limits};

use crate::store::{Store, check_size};

/// The store in the memory of this process, with the limits that adapters have by default: 128 MiB, 64 MiB for one value.
#[derive(Debug)]
pub struct MemoryStore {
    values: Cache<String, Kept>,
}

#[derive(Clone, Debug)]
struct Kept {
    value: Arc<str>,
    kept_for: Duration,
}

/// A value expires after the time to live that `set` gave it.
struct AsSaid;

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        let most = default_store_limits(Naming::Camel)["maxBytes"].as_u64().unwrap_or_default();
        let weigher = |key: &String, kept: &Kept| u32::try_from(key.len() + kept.value.len()).unwrap_or(u32::MAX);
        // Whatever is new is kept: a result that names it is about to be sent.
        let cache = Cache::builder().weigher(weigher).max_capacity(most).eviction_policy(EvictionPolicy::lru());
        Self { values: cache.expire_after(AsSaid).build() }
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
        check_size(&value)?;
        self.values.insert(key.to_owned(), Kept { value: value.into(), kept_for });
        Ok(())
    }

    fn is_quick(&self) -> bool {
        true
    }
}

impl Expiry<String, Kept> for AsSaid {
    fn expire_after_create(&self, _: &String, kept: &Kept, _: Instant) -> Option<Duration> {
        Some(kept.kept_for)
    }

    fn expire_after_update(&self, _: &String, kept: &Kept, _: Instant, _: Option<Duration>) -> Option<Duration> {
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
}
