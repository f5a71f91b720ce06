//! The places where parts may be merged, by the tokens that they would make.
//!
//! Returns the places of the least token, the leftmost first. If tokens are always merged from earlier ones, a merge
//! makes only later tokens possible, so all places of a token can be taken at once.

use crate::base::radix_heap::RadixHeap;
use std::{cmp::Reverse, collections::BinaryHeap};

#[derive(Default)]
pub(crate) struct Queue {
    rises: bool,
    rising: RadixHeap,
    /// Used instead if a merge may make an earlier token possible.
    falling: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Queue {
    /// Clears all places; `rises` means that no token that is added later is less than a popped one.
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

    /// Replaces `places` by places of the least token, in order, and returns the token.
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
