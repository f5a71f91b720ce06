//! A call as the core reads it: its members, put together here, and the time at which it is read.

use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};
use toolshape::host::Naming;
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
