//! What the functions receive: the handles of shapers and of passing texts, calls and options as JSON text.

use std::rc::Rc;

use toolshape::host::{Naming, Passing};
use toolshape::{Call, Error, ErrorCode, Shaper};
use toolshape_methods::{Handles, RequestHost};

use super::value::host_hash;

thread_local! {
    /// What decides which texts pass, by its handle.
    static PASSING: Handles<Passing> = const { Handles::new("passing") };
}

/// JavaScript's names, clock and hash: the core has no clock, and no hash as fast as the host's.
pub(super) const HOST: RequestHost = RequestHost { naming: Naming::Camel, now: || Some(now()), hash: Some(host_hash) };

/// The time in seconds since 1970.
fn now() -> u64 {
    (js_sys::Date::now() / 1000.0) as u64
}

/// The handle of a new [`Passing`].
pub(super) fn add_passing(passing: Passing) -> usize {
    PASSING.with(|all| all.add(passing)) as usize
}

/// What `ask` finds in the [`Passing`] with a handle; nothing if there is none. It never runs code of the host.
pub(super) fn of_passing<T>(handle: usize, ask: impl FnOnce(&Passing) -> Option<T>) -> Option<T> {
    PASSING.with(|all| all.find(handle as u64)).ok().and_then(|passing| ask(&passing))
}

/// Removes all of these; their handles must not be used again.
pub(super) fn forget_passing() {
    PASSING.with(Handles::clear);
}

/// The shaper with a handle.
pub(super) fn find(shaper: usize) -> Result<Rc<Shaper>, Error> {
    toolshape_methods::shaper(shaper as u64)
}

/// A call, at this time.
pub(super) fn read_call(call: &str) -> Result<Call, Error> {
    Ok(Call::from_json(call, HOST.naming)?.at(now()).hashed_by(host_hash))
}

/// Options; an error with the code `INVALID_CALL` if they are invalid JSON.
pub(super) fn read_options(json: &str) -> Result<serde_json::Value, Error> {
    let unreadable = |error| Error::new(ErrorCode::InvalidCall, format!("the options cannot be read: {error}"), "");
    serde_json::from_str(json).map_err(unreadable)
}
