//! The call of a tool at a time, as the core reads it.

use toolshape::host::Naming;
use toolshape::{Call, Error};

/// The call with these members, of a host with or without a store.
pub(crate) fn call_at(members: &str, has_store: bool, now: u64) -> Result<Call, Error> {
    let call = Call::from_json(&format!("{{{members},\"now\":{now}}}"), Naming::Camel)?;
    Ok(if has_store { call.with_store() } else { call })
}
