//! What the functions are given: the handle of a shaper, a call and options as JSON text.

use std::cell::RefCell;
use std::rc::Rc;

use crate::{Call, Error, ErrorCode, Naming, Shaper};

use super::value::host_hash;

thread_local! {
    /// The existing shapers, by their handles.
    static SHAPERS: RefCell<Vec<Rc<Shaper>>> = const { RefCell::new(Vec::new()) };
}

/// Adds a shaper, and returns its handle.
pub(super) fn add(shaper: Shaper) -> usize {
    SHAPERS.with_borrow_mut(|shapers| {
        shapers.push(Rc::new(shaper));
        shapers.len() - 1
    })
}

/// Removes all shapers; their handles must not be used again.
pub(super) fn forget_all() {
    SHAPERS.take();
}

/// The shaper of a handle.
pub(super) fn find(shaper: usize) -> Result<Rc<Shaper>, Error> {
    let known = SHAPERS.with_borrow(|shapers| shapers.get(shaper).cloned());
    known.ok_or_else(|| Error::new(ErrorCode::Internal, format!("there is no shaper {shaper}"), ""))
}

/// A call, at this time.
pub(super) fn read_call(call: &str) -> Result<Call, Error> {
    let call = Call::from_json(call, Naming::Camel)?;
    // The core has no clock, and no hash as fast as the host's.
    Ok(call.at((js_sys::Date::now() / 1000.0) as u64).hashed_by(host_hash))
}

/// Options; an error with `code` if they are no JSON.
pub(super) fn read_options(json: &str, code: ErrorCode) -> Result<serde_json::Value, Error> {
    serde_json::from_str(json).map_err(|error| Error::new(code, format!("the options cannot be read: {error}"), ""))
}
