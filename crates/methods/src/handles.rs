//! What a host creates and names by a number: shapers and relays.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use toolshape::{Error, ErrorCode, Shaper};
use toolshape_proxy::Relay;

thread_local! {
    pub(crate) static SHAPERS: Handles<Shaper> = const { Handles::new("shaper") };
    pub(crate) static RELAYS: Handles<RefCell<Relay>> = const { Handles::new("relay") };
}

/// The shaper with a number.
///
/// # Errors
/// `INVALID_CALL` if there is none.
pub fn shaper(number: u64) -> Result<Rc<Shaper>, Error> {
    SHAPERS.with(|shapers| shapers.find(number))
}

/// Things by their numbers, which are not reused.
pub struct Handles<T> {
    member: &'static str,
    created: RefCell<(u64, BTreeMap<u64, Rc<T>>)>,
}

impl<T> Handles<T> {
    /// An empty registry; `member` is the member of a request that names one.
    pub const fn new(member: &'static str) -> Self {
        Self { member, created: RefCell::new((0, BTreeMap::new())) }
    }

    /// Adds a thing; returns its number.
    pub fn add(&self, new: T) -> u64 {
        let (last, created) = &mut *self.created.borrow_mut();
        *last += 1;
        created.insert(*last, Rc::new(new));
        *last
    }

    /// The thing with a number.
    ///
    /// # Errors
    /// `INVALID_CALL` if there is none.
    pub fn find(&self, number: u64) -> Result<Rc<T>, Error> {
        let member = self.member;
        let missing = || Error::new(ErrorCode::InvalidCall, format!("unknown {member} {number}"), format!("/{member}"));
        self.created.borrow().1.get(&number).cloned().ok_or_else(missing)
    }

    /// Removes the thing with a number; returns whether there was one.
    pub fn remove(&self, number: u64) -> bool {
        self.created.borrow_mut().1.remove(&number).is_some()
    }

    /// Removes all.
    pub fn clear(&self) {
        self.created.borrow_mut().1.clear();
    }
}
