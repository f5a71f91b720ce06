//! Where parts may be merged, by the tokens that they would make.
//!
//! Promises the places of the least token, the leftmost first. Where tokens are merged from earlier ones, what a
//! merge makes possible comes after it, and all places of a token can be taken at once.

use crate::base::radix_heap::RadixHeap;
use std::{cmp::Reverse, collections::BinaryHeap};

#[derive(Default)]
pub(crate) struct Queue {
    rises: bool,
    rising: RadixHeap,
    /// In place of that where a merge may make possible one that comes before it.
    falling: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Queue {
    /// Forgets all places; `rises` says whether no token that is added later is less than one that was popped.
    pub(crate) fn clear(&mut self, rises: bool) {
        self.rises = rises;
        self.rising.clear();
        self.falling.clear();
    }

    /// Adds a place under a token.
    #[inline]
    pub(crate) fn push(&mut self, token: u32, place: u32) {
        match self.rises {
            true => self.rising.push(token, place),
            false => self.falling.push(Reverse((token, place))),
        }
    }

    /// Exchanges `places` for places of the least token, in order, and answers it.
    pub(crate) fn pop(&mut self, places: &mut Vec<u32>) -> Option<u32> {
        if self.rises {
            return self.rising.pop(places);
        }
        let Reverse((token, place)) = self.falling.pop()?;
        places.clear();
        places.push(place);
        Some(token)
    }
}
