//! A call as the core reads it: its members, put together here, and the time at which it is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};
use toolshape::host::Naming;
use toolshape::{Call, Error};

/// The SDK's context of a call.
pub type CallContext = RequestContext<RoleServer>;

/// The conversation of a server with its one client, in which what it stored is listed.
#[derive(Clone)]
pub struct Session(pub Arc<str>);

impl Session {
    /// One that no other server has that shares the store.
    pub fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(format!("{} {since} {count}", std::process::id()).into())
    }
}

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
