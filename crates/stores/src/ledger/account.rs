//! Writes within the limits of a store that answers slowly: other calls go on meanwhile.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex};
#[cfg(feature = "service")]
use std::time::{Duration, Instant};

use toolshape::Error;

use crate::ledger::{Entry, Incoming, Ledger};
use crate::store::{Limits, locked};

/// The account of a store that several threads write to at once.
#[derive(Debug)]
pub struct Account {
    state: Mutex<State>,
    removed: Condvar,
}

#[derive(Debug)]
struct State {
    ledger: Ledger,
    /// The keys that are being deleted.
    leaving: HashSet<String>,
}

/// A value on its way into a store, between [`Account::begin`] and [`Account::end`].
#[derive(Debug)]
pub struct Keeping {
    value: Incoming,
    /// The number of its entry, or why it has no room.
    entered: Result<u64, Error>,
    /// What it replaces.
    before: Option<Entry>,
    /// What is evicted and not deleted yet.
    leaving: Vec<Entry>,
}

impl Keeping {
    /// The keys that are to be deleted before the value is written.
    pub fn leaving(&self) -> Vec<String> {
        self.leaving.iter().map(|entry| entry.key.clone()).collect()
    }

    /// # Errors
    /// `STORE_FAILED` if there is no room for the value.
    pub fn check(&self) -> Result<(), Error> {
        self.entered.clone().map(drop)
    }
}

impl Account {
    /// # Errors
    /// `INVALID_CALL` for a limit out of range.
    pub fn new(limits: &Limits, default_bytes: u64) -> Result<Self, Error> {
        let ledger = Ledger::new(limits, default_bytes)?;
        Ok(Self { state: Mutex::new(State { ledger, leaving: HashSet::new() }), removed: Condvar::new() })
    }

    /// Writes a value: `remove` deletes what is evicted, then `write` writes it. What has expired is left to the service: another
    /// process may have renewed it.
    ///
    /// # Errors
    /// `STORE_FAILED` if there is no room, and the errors of `remove` and `write`.
    #[cfg(feature = "service")]
    pub fn keep(
        &self,
        value: &Incoming,
        remove: impl Fn(&str) -> Result<(), Error>,
        write: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut state = locked(&self.state);
        let mut keeping = loop {
            match state.begin(value)? {
                Some(keeping) => break keeping,
                None => state = self.removed.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner),
            }
        };
        drop(state);
        let mut removed = Ok(());
        for entry in keeping.leaving.clone() {
            let gone = if entry.expires <= Instant::now() { Ok(()) } else { remove(&entry.key) };
            removed = removed.and(gone.map(|()| self.removed(&mut keeping, &entry.key)));
        }
        let outcome = removed.and_then(|()| keeping.check()).and_then(|()| write());
        self.end(keeping, outcome.is_ok());
        outcome
    }

    /// Enters a value. Nothing while its key is being deleted: else it might be deleted after it was written.
    ///
    /// # Errors
    /// `STORE_FAILED` for a value that is too large even for an empty store.
    pub fn begin(&self, value: &Incoming) -> Result<Option<Keeping>, Error> {
        locked(&self.state).begin(value)
    }

    /// What was evicted has been deleted.
    pub fn removed(&self, keeping: &mut Keeping, key: &str) {
        keeping.leaving.retain(|entry| entry.key != key);
        locked(&self.state).leaving.remove(key);
        self.removed.notify_all();
    }

    /// The value is written, or is not. What could not be deleted still counts.
    pub fn end(&self, keeping: Keeping, is_written: bool) {
        let Keeping { value, entered, before, leaving: kept } = keeping;
        let State { ledger, leaving } = &mut *locked(&self.state);
        for entry in kept {
            leaving.remove(&entry.key);
            if !ledger.entries.contains_key(&entry.key) {
                ledger.add(entry);
            }
        }
        self.removed.notify_all();
        let Ok(number) = entered else { return };
        match ledger.entries.get_mut(&value.key) {
            Some(entry) if is_written && entry.number == number => entry.is_pending = false,
            // A second write of the same value failed meanwhile.
            None if is_written => _ = ledger.enter(&value, false),
            Some(entry) if !is_written && entry.number == number => {
                ledger.forget(&value.key);
                // The earlier value may still be there.
                if let Some(before) = before.filter(|before| !before.is_pending) {
                    ledger.add(before);
                }
            }
            _ => {}
        }
    }

    /// A value is kept for longer.
    #[cfg(feature = "service")]
    pub fn renew(&self, key: &str, kept_for: Duration) {
        locked(&self.state).ledger.renew(key, kept_for);
    }

    /// The values whose keys begin so were deleted.
    #[cfg(feature = "service")]
    pub fn forget_all(&self, beginning: &str) {
        let ledger = &mut locked(&self.state).ledger;
        let gone: Vec<String> = ledger.entries.keys().filter(|key| key.starts_with(beginning)).cloned().collect();
        gone.iter().for_each(|key| _ = ledger.forget(key));
    }

    /// A value was deleted.
    pub fn forget(&self, key: &str) {
        locked(&self.state).ledger.forget(key);
    }
}

impl State {
    fn begin(&mut self, value: &Incoming) -> Result<Option<Keeping>, Error> {
        self.ledger.check(value.bytes)?;
        if self.leaving.contains(&value.key) {
            return Ok(None);
        }
        let mut leaving = self.ledger.take_expired();
        let before = self.ledger.entries.get(&value.key).cloned();
        let entered = self.ledger.evict_for(value, 1.0).map(|more| {
            leaving.extend(more);
            self.ledger.enter(value, true)
        });
        self.leaving.extend(leaving.iter().map(|entry| entry.key.clone()));
        Ok(Some(Keeping { value: value.clone(), entered, before, leaving }))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn account(max_bytes: u64) -> Account {
        Account::new(&Limits::default().max_bytes(max_bytes), 0).unwrap()
    }

    fn value(key: &str) -> Incoming {
        let kept_for = Duration::from_secs(60);
        Incoming { key: key.to_owned(), bytes: 100, kept_for, ..Incoming::default() }
    }

    /// Begins to keep a value; what is evicted is deleted.
    fn begun(account: &Account, key: &str) -> (Keeping, Vec<String>) {
        let mut keeping = account.begin(&value(key)).unwrap().unwrap();
        let leaving = keeping.leaving();
        leaving.iter().for_each(|key| account.removed(&mut keeping, key));
        (keeping, leaving)
    }

    fn keep(account: &Account, key: &str) -> Vec<String> {
        let (keeping, leaving) = begun(account, key);
        keeping.check().unwrap();
        account.end(keeping, true);
        leaving
    }

    #[test]
    fn a_failed_write_is_not_counted_and_what_it_evicted_is_gone() {
        let account = account(300);
        ["a", "b", "c"].iter().for_each(|key| _ = keep(&account, key));
        let (keeping, leaving) = begun(&account, "d");
        assert_eq!(leaving, ["a"]);
        account.end(keeping, false);
        assert!(keep(&account, "e").is_empty());
        // What could not be deleted is there still, and counts.
        let keeping = account.begin(&value("f")).unwrap().unwrap();
        assert_eq!(keeping.leaving(), ["b"]);
        account.end(keeping, false);
        assert_eq!(keep(&account, "f").len(), 1);
    }

    #[test]
    fn what_a_failed_write_would_have_replaced_still_counts() {
        let account = account(200);
        ["a", "b"].iter().for_each(|key| _ = keep(&account, key));
        let keeping = begun(&account, "a").0;
        account.end(keeping, false);
        assert_eq!(keep(&account, "c").len(), 1);
    }

    #[test]
    fn a_value_is_not_written_while_its_key_is_being_deleted() {
        let account = account(200);
        ["a", "b"].iter().for_each(|key| _ = keep(&account, key));
        let mut keeping = account.begin(&value("c")).unwrap().unwrap();
        assert_eq!(keeping.leaving(), ["a"]);
        assert!(account.begin(&value("a")).unwrap().is_none());
        account.removed(&mut keeping, "a");
        assert!(account.begin(&value("a")).unwrap().is_some());
        account.end(keeping, true);
    }

    #[test]
    fn a_value_that_is_being_written_is_not_evicted() {
        let account = account(200);
        let (a, b) = (begun(&account, "a").0, begun(&account, "b").0);
        let c = account.begin(&value("c")).unwrap().unwrap();
        assert_eq!(c.check().unwrap_err().message(), "the store has no room left for a value of 100 bytes");
        account.end(c, false);
        account.end(a, true);
        account.end(b, true);
        account.forget("b");
        assert!(keep(&account, "c").is_empty());
    }
}
