//! Writes within the limits of a store that answers slowly: other calls go on meanwhile.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, PoisonError};

use toolshape::Error;

use crate::ledger::{Incoming, Ledger};
use crate::store::locked;

/// The account of a store that several threads write to at once.
#[derive(Debug)]
pub(crate) struct Account {
    state: Mutex<State>,
    removed: Condvar,
}

#[derive(Debug)]
struct State {
    ledger: Ledger,
    /// The keys that are being deleted.
    leaving: HashSet<String>,
}

impl Account {
    pub fn new(ledger: Ledger) -> Self {
        Self { state: Mutex::new(State { ledger, leaving: HashSet::new() }), removed: Condvar::new() }
    }

    /// Writes a value: `remove` deletes what is evicted, then `write` writes it.
    ///
    /// # Errors
    /// `STORE_FAILED` if there is no room, and the errors of `remove` and `write`.
    pub fn keep(
        &self,
        value: &Incoming,
        remove: impl Fn(&str) -> Result<(), Error>,
        write: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut state = locked(&self.state);
        state.ledger.check(value.bytes)?;
        // Else it might be deleted after it was written.
        while state.leaving.contains(&value.key) {
            state = self.removed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let State { ledger, leaving } = &mut *state;
        let mut gone = ledger.take_expired();
        let before = ledger.entries.get(&value.key).cloned();
        let entered = ledger.evict_for(value, 1.0).map(|more| {
            gone.extend(more);
            ledger.enter(value, true)
        });
        leaving.extend(gone.iter().map(|entry| entry.key.clone()));
        drop(state);
        let mut outcome = Ok(());
        for entry in gone {
            let removed = remove(&entry.key);
            let mut state = locked(&self.state);
            state.leaving.remove(&entry.key);
            // What could not be deleted still counts.
            if removed.is_err() && !state.ledger.entries.contains_key(&entry.key) {
                state.ledger.add(entry);
            }
            outcome = outcome.and(removed);
            self.removed.notify_all();
        }
        let number = match entered {
            Ok(number) => number,
            Err(refusal) => return outcome.and(Err(refusal)),
        };
        let outcome = outcome.and_then(|()| write());
        let ledger = &mut locked(&self.state).ledger;
        match (&outcome, ledger.entries.get_mut(&value.key)) {
            (Ok(()), Some(entry)) if entry.number == number => entry.is_pending = false,
            // A second write of the same value failed meanwhile.
            (Ok(()), None) => _ = ledger.enter(value, false),
            (Err(_), Some(entry)) if entry.number == number => {
                ledger.forget(&value.key);
                // The earlier value may still be there.
                if let Some(before) = before.filter(|before| !before.is_pending) {
                    ledger.add(before);
                }
            }
            _ => {}
        }
        outcome
    }
}
