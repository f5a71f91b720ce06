//! The lists of what was stored, as a host writes and reads them in its store.
//!
//! A list is read, and written again with what is new. Results that are stored at once read the same list, so each shaper
//! remembers what it added until it has seen it in the store: what another call overwrote comes back with the next one.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::api::session::keep::ToStore;
use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::request::call::Call;
use crate::request::handle::handle_of;
use crate::request::listing::{self, Listed, Listing};

/// The lists of which additions are remembered. Each is one of a session, which ends without a word.
const REMEMBERED: usize = 1000;

/// What was added to lists and not yet seen in the store, by their keys.
#[derive(Debug, Default)]
pub(crate) struct Listings(Mutex<BTreeMap<String, Listing>>);

impl Listings {
    /// The list that a store has, with what was added to it.
    fn whole(&self, key: &str, known: Listing, new: &[Listed]) -> Listing {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REMEMBERED && !all.contains_key(key) {
            all.clear();
        }
        let added = all.entry(key.to_owned()).or_default();
        added.0.retain(|one| !known.has(one));
        *added = std::mem::take(added).with(new);
        let whole = known.with(&added.0);
        if added.0.is_empty() {
            all.remove(key);
        }
        whole
    }
}

impl Shaper {
    /// The key under which a store has the list of what was stored for the caller; `None` for a caller without a scope or a session.
    pub(crate) fn list_key(&self, call: &Call) -> Result<Option<String>, Error> {
        Ok(listing::key(call, &self.settings(call)?.cursor_keys))
    }

    /// The text for the store of a list to which these results were added, each with its call.
    pub(crate) fn listing(
        &self,
        key: &str,
        known: Option<&str>,
        stored: &[(&Call, &ToStore)],
        call: &Call,
    ) -> Result<String, Error> {
        let new = stored.iter().map(|(call, content)| Listed {
            handle: handle_of(&content.ticket).unwrap_or_default().to_owned(),
            tool: call.tool_name().unwrap_or_default().to_owned(),
            at: call.now.unwrap_or_default(),
            about: content.about.clone(),
            within: listing::processes(call).map(str::to_owned).collect(),
        });
        let whole = self.whole_list(key, known, &new.collect::<Vec<_>>(), call)?;
        Ok(whole.to_text(call.owner(), &self.settings(call)?.cursor_keys))
    }

    /// What is listed under a key, the newest first.
    pub(crate) fn listed(&self, key: &str, known: Option<&str>, call: &Call) -> Result<Vec<Listed>, Error> {
        let processes: Vec<&str> = listing::processes(call).collect();
        let mut all = self.whole_list(key, known, &[], call)?.0;
        all.retain(|one| one.is_of(&processes));
        Ok(all)
    }

    fn whole_list(&self, key: &str, known: Option<&str>, new: &[Listed], call: &Call) -> Result<Listing, Error> {
        let keys = &self.settings(call)?.cursor_keys;
        let known = known.map(|text| Listing::read(text, call.owner(), keys)).unwrap_or_default();
        Ok(self.listings.whole(key, known, new))
    }
}
