//! The call of a tool at a time, as the core reads it.

use toolshape::host::{Naming, quoted};
use toolshape::{Call, Error};

/// The call with these members, of a host with or without a store, or with one that failed.
pub(crate) fn call_at(members: &str, has_store: bool, store_failure: Option<&str>, now: u64) -> Result<Call, Error> {
    let store = match store_failure {
        Some(reason) => format!(",\"storeFailure\":{}", quoted(reason)),
        None if has_store => ",\"store\":true".to_owned(),
        None => String::new(),
    };
    Call::from_json(&format!("{{{members}{store},\"now\":{now}}}"), Naming::Camel)
}
