//! What a host made and names by a number.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use toolshape::{Error, ErrorCode};

/// Things by their numbers, which are not given again.
pub struct Handles<T> {
    what: &'static str,
    made: RefCell<(u64, BTreeMap<u64, Rc<T>>)>,
}

impl<T> Handles<T> {
    /// None yet; `what` they are, for messages and as the member that names one.
    pub const fn new(what: &'static str) -> Self {
        Self { what, made: RefCell::new((0, BTreeMap::new())) }
    }

    /// The number of a new one.
    pub fn add(&self, new: T) -> u64 {
        let (last, made) = &mut *self.made.borrow_mut();
        *last += 1;
        made.insert(*last, Rc::new(new));
        *last
    }

    /// The one with a number.
    ///
    /// # Errors
    /// `INVALID_CALL` if there is none.
    pub fn find(&self, number: u64) -> Result<Rc<T>, Error> {
        let missing = || {
            let what = self.what;
            Error::new(ErrorCode::InvalidCall, format!("there is no {what} {number}"), format!("/{what}"))
        };
        self.made.borrow().1.get(&number).cloned().ok_or_else(missing)
    }

    /// Forgets the one with a number; says whether there was one.
    pub fn forget(&self, number: u64) -> bool {
        self.made.borrow_mut().1.remove(&number).is_some()
    }
}
