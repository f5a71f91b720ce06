//! What a process has put into a store: how much, whose, until when; and what is evicted for a new value.
//!
//! First goes what has expired; then the writer's own oldest, where it is over its share; then the oldest of those who have
//! the most. What an owner has within an equal part of the store (its size, divided by its owners) is never evicted for
//! another's value: the value is refused instead. `ledger.ts` has the same rule.

mod account;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

use toolshape::Error;

pub use account::{Account, Keeping};

use crate::store::{LONGEST, Limits, failed};

/// A value on its way into a store. The owner is opaque; an empty one is an owner too.
#[derive(Clone, Debug, Default)]
pub struct Incoming {
    pub key: String,
    pub bytes: u64,
    pub owner: String,
    pub kept_for: Duration,
}

/// A value in the account.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    bytes: u64,
    owner: String,
    expires: Instant,
    /// The later it was entered, the higher.
    number: u64,
    /// A value that is being written is not evicted: it would be deleted before it is there.
    is_pending: bool,
}

/// What one owner has: the keys in the order in which they were entered.
#[derive(Debug, Default)]
struct Owner {
    bytes: u64,
    keys: BTreeMap<u64, String>,
}

/// The account of one store in one process.
#[derive(Debug)]
pub(crate) struct Ledger {
    max_bytes: u64,
    max_value_bytes: u64,
    /// The most bytes of one owner.
    share: f64,
    bytes: u64,
    entered: u64,
    entries: HashMap<String, Entry>,
    owners: HashMap<String, Owner>,
    by_expiry: BTreeMap<(Instant, u64), String>,
}

impl Ledger {
    /// # Errors
    /// `INVALID_CALL` for a limit out of range.
    pub fn new(limits: &Limits, default_bytes: u64) -> Result<Self, Error> {
        limits.check()?;
        let max_bytes = limits.max_bytes.unwrap_or(default_bytes);
        Ok(Self {
            max_bytes,
            max_value_bytes: limits.max_value_bytes,
            share: max_bytes as f64 * limits.max_share,
            bytes: 0,
            entered: 0,
            entries: HashMap::new(),
            owners: HashMap::new(),
            by_expiry: BTreeMap::new(),
        })
    }

    /// An account with the same limits and without values.
    pub fn emptied(&self) -> Self {
        let &Self { max_bytes, max_value_bytes, share, .. } = self;
        let (entries, owners, by_expiry) = Default::default();
        Self { max_bytes, max_value_bytes, share, bytes: 0, entered: 0, entries, owners, by_expiry }
    }

    /// # Errors
    /// `STORE_FAILED` for a value that is too large even for an empty store.
    pub fn check(&self, bytes: u64) -> Result<(), Error> {
        let share = self.share.floor() as u64;
        let limits = [(self.max_bytes, "the whole store"), (self.max_value_bytes, "one value"), (share, "one owner")];
        match limits.into_iter().find(|&(most, _)| bytes > most) {
            Some((most, whose)) => {
                Err(failed(format_args!("the value has {bytes} bytes, more than the {most} of {whose}")))
            }
            None => Ok(()),
        }
    }

    /// Whether a value was entered and has not expired.
    pub fn has(&self, key: &str) -> bool {
        self.entries.get(key).is_some_and(|entry| entry.expires > Instant::now())
    }

    /// Takes out everything that has expired.
    pub fn take_expired(&mut self) -> Vec<Entry> {
        let is_over = self.by_expiry.range(..=(Instant::now(), u64::MAX));
        let is_over: Vec<String> =
            is_over.filter(|(_, key)| !self.entries[*key].is_pending).map(|(_, key)| key.clone()).collect();
        is_over.iter().filter_map(|key| self.forget(key)).collect()
    }

    /// Whether a value has room without anything giving way.
    pub fn has_room(&self, value: &Incoming) -> bool {
        let (own, total) = self.after(value);
        own as f64 <= self.share && total <= self.max_bytes
    }

    /// Evicts entries for a value. If any entry is evicted, enough are that only `left`, a part, of the store is used.
    ///
    /// # Errors
    /// `STORE_FAILED` if too little may be evicted; then nothing is.
    pub fn evict_for(&mut self, value: &Incoming, left: f64) -> Result<Vec<Entry>, Error> {
        if self.has_room(value) {
            return Ok(Vec::new());
        }
        let gone = self.evicted(value, left)?;
        Ok(gone.iter().filter_map(|key| self.forget(key)).collect())
    }

    /// Enters a value, in place of one under the same key. Returns its number.
    pub fn enter(&mut self, value: &Incoming, is_pending: bool) -> u64 {
        self.forget(&value.key);
        self.entered += 1;
        let Incoming { key, bytes, owner, kept_for } = value.clone();
        let expires = Instant::now() + kept_for.min(LONGEST);
        self.add(Entry { key, bytes, owner, expires, number: self.entered, is_pending });
        self.entered
    }

    /// Lets a value expire so long from now; false if it is not there.
    pub fn renew(&mut self, key: &str, kept_for: Duration) -> bool {
        let is_there = self.has(key);
        if let Some(entry) = self.entries.get_mut(key).filter(|_| is_there) {
            self.by_expiry.remove(&(entry.expires, entry.number));
            entry.expires = Instant::now() + kept_for.min(LONGEST);
            self.by_expiry.insert((entry.expires, entry.number), key.to_owned());
        }
        is_there
    }

    /// Takes out a value.
    pub fn forget(&mut self, key: &str) -> Option<Entry> {
        let entry = self.entries.remove(key)?;
        self.by_expiry.remove(&(entry.expires, entry.number));
        self.bytes -= entry.bytes;
        if let Some(owner) = self.owners.get_mut(&entry.owner) {
            owner.keys.remove(&entry.number);
            owner.bytes -= entry.bytes;
            if owner.keys.is_empty() {
                self.owners.remove(&entry.owner);
            }
        }
        Some(entry)
    }

    fn add(&mut self, entry: Entry) {
        self.bytes += entry.bytes;
        let owner = self.owners.entry(entry.owner.clone()).or_default();
        owner.bytes += entry.bytes;
        owner.keys.insert(entry.number, entry.key.clone());
        self.by_expiry.insert((entry.expires, entry.number), entry.key.clone());
        self.entries.insert(entry.key.clone(), entry);
    }

    /// What the owner, and all together, have with a value.
    fn after(&self, value: &Incoming) -> (u64, u64) {
        let before = self.entries.get(&value.key);
        let replaced = before.map_or(0, |entry| entry.bytes);
        let replaced_own = before.filter(|entry| entry.owner == value.owner).map_or(0, |entry| entry.bytes);
        let own = self.owners.get(&value.owner).map_or(0, |owner| owner.bytes);
        (own - replaced_own + value.bytes, self.bytes - replaced + value.bytes)
    }

    /// The keys of the entries that are evicted for a value.
    fn evicted(&self, value: &Incoming, left: f64) -> Result<HashSet<String>, Error> {
        let (own, total) = self.after(value);
        let (own, total, most_of_all) = (own as f64, total as f64, self.max_bytes as f64);
        let mut eviction = Eviction { ledger: self, stays: &value.key, gone: HashSet::new(), freed: 0.0 };
        let writer = self.owners.get(&value.owner);
        if let Some(writer) = writer.filter(|_| own > self.share) {
            eviction.evict(writer, own, self.share * left, f64::INFINITY);
        }
        let stays = own - eviction.freed;
        if total - eviction.freed > most_of_all {
            let goal = most_of_all * left;
            let to_free = total - goal;
            let others = self.owners.iter().filter(|(name, _)| **name != value.owner);
            let mut others: Vec<&Owner> = others.map(|(_, owner)| owner).collect();
            let sizes: Vec<f64> = others.iter().map(|owner| owner.bytes as f64).collect();
            let mut most = level(sizes.iter().copied().chain([stays]).collect(), goal);
            let bytes = value.bytes as f64;
            if let Some(writer) = writer {
                eviction.evict(writer, stays, most.max(bytes), to_free);
            }
            // For a large value, owners with more than an equal share may lose more.
            if bytes > most {
                let equal = most_of_all / (sizes.len() + 1) as f64;
                most = level(sizes, goal - bytes).max(equal);
            }
            others.sort_by_key(|owner| std::cmp::Reverse(owner.bytes));
            for owner in others {
                eviction.evict(owner, owner.bytes as f64, most, to_free);
            }
        }
        if total - eviction.freed > most_of_all || own - eviction.freed > self.share {
            return Err(failed(format_args!("the store has no room left for a value of {} bytes", value.bytes)));
        }
        Ok(eviction.gone)
    }
}

/// The entries to evict, as they are chosen.
struct Eviction<'a> {
    ledger: &'a Ledger,
    /// The key of the value, which is replaced.
    stays: &'a str,
    gone: HashSet<String>,
    freed: f64,
}

impl Eviction<'_> {
    /// Chooses the oldest of an owner with this many bytes, until it has at most `most`, or `to_free` bytes are freed in all.
    fn evict(&mut self, owner: &Owner, mut bytes: f64, most: f64, to_free: f64) {
        for key in owner.keys.values() {
            if bytes <= most || self.freed >= to_free {
                return;
            }
            let entry = &self.ledger.entries[key];
            if !entry.is_pending && key != self.stays && self.gone.insert(key.clone()) {
                bytes -= entry.bytes as f64;
                self.freed += entry.bytes as f64;
            }
        }
    }
}

/// The most that each may keep, so that all have `most` together: who has less keeps all of it.
fn level(mut sizes: Vec<f64>, most: f64) -> f64 {
    sizes.sort_by(f64::total_cmp);
    let mut left = most;
    for (at, size) in sizes.iter().enumerate() {
        let part = left / (sizes.len() - at) as f64;
        if *size > part {
            return part.max(0.0);
        }
        left -= size;
    }
    f64::INFINITY
}
