//! What the functions are given: the handles of a shaper and of what passes, a call and options as JSON text.

use std::cell::RefCell;
use std::rc::Rc;

use toolshape::host::{Naming, Passing};
use toolshape::{Call, Error, ErrorCode, Shaper};

use super::value::host_hash;

thread_local! {
    /// The existing shapers, by their handles.
    static SHAPERS: RefCell<Vec<Rc<Shaper>>> = const { RefCell::new(Vec::new()) };
    /// What decides which texts pass, by its handle.
    static PASSING: RefCell<Vec<Passing>> = const { RefCell::new(Vec::new()) };
}

/// Adds a shaper, and returns its handle.
pub(super) fn add(shaper: Shaper) -> usize {
    SHAPERS.with_borrow_mut(|shapers| {
        shapers.push(Rc::new(shaper));
        shapers.len() - 1
    })
}

/// Removes all shapers; their handles must not be used again.
pub(super) fn forget_shapers() {
    SHAPERS.take();
}

/// Adds what decides which texts pass, and returns its handle.
pub(super) fn add_passing(passing: Passing) -> usize {
    PASSING.with_borrow_mut(|all| {
        all.push(passing);
        all.len() - 1
    })
}

/// What is asked of a [`Passing`], which never runs code of the host; nothing if there is none of this handle.
pub(super) fn of_passing<T>(handle: usize, ask: impl FnOnce(&Passing) -> Option<T>) -> Option<T> {
    PASSING.with_borrow(|all| all.get(handle).and_then(ask))
}

/// Removes all of these; their handles must not be used again.
pub(super) fn forget_passing() {
    PASSING.take();
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
