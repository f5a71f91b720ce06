//! A call as the core reads it: its members, put together here, and the time at which it is read.

use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};
use toolshape::host::{Input, Naming};
use toolshape::{Call, Error};

/// The SDK's context of a call.
pub type CallContext = RequestContext<RoleServer>;

/// The members of a [`Call`].
pub type CallMembers = Map<String, Value>;

/// The call with these members, now.
pub fn call_now(members: &CallMembers) -> Result<Call, Error> {
    let mut members = members.clone();
    members.insert("now".to_owned(), json!(now()));
    Call::new(&Value::Object(members), Naming::Camel)
}

/// The call with these members, now, with a store for what `input` is shaped from.
pub fn call_with_store(members: &CallMembers, input: &Input) -> Result<Call, Error> {
    let mut members = members.clone();
    let (name, value) = match input {
        Input { redact_failure: Some(reason), .. } => ("redactFailure", json!(reason)),
        Input { store_failure: Some(reason), .. } => ("storeFailure", json!(reason)),
        _ => ("store", json!(true)),
    };
    members.insert(name.to_owned(), value);
    call_now(&members)
}

/// The same members, and others in place of those with their names.
pub fn with(members: &CallMembers, others: Value) -> CallMembers {
    let mut members = members.clone();
    if let Value::Object(others) = others {
        members.extend(others);
    }
    members
}

/// The time in seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
