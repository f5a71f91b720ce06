//! The items of an array that a slice selects (RFC 9535, section 2.3.4.2), without a list of all items.

use std::ops::ControlFlow;

use crate::base::work::Going;

use super::document::{Document, MemberKey};

/// The place of one item in this many is noted where a slice is read from its end.
const STRIDE: usize = 64;

/// A slice; bounds below 0 count from the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    pub start: Option<i64>,
    pub end: Option<i64>,
    pub step: i64,
}

impl Slice {
    /// Visits the selected items of the array: the index and the place of each.
    pub fn visit(self, document: &Document<'_, '_>, array: usize, item: impl FnMut(usize, usize) -> Going) -> Going {
        match self.step {
            0 => ControlFlow::Continue(()),
            1.. => self.forward(document, array, item),
            _ => self.backward(document, array, item),
        }
    }

    fn stride(self) -> usize {
        usize::try_from(self.step.unsigned_abs()).unwrap_or(usize::MAX)
    }

    fn forward(self, document: &Document<'_, '_>, array: usize, mut item: impl FnMut(usize, usize) -> Going) -> Going {
        let counts_back = |bound: Option<i64>| bound.is_some_and(|index| index < 0);
        let len = match counts_back(self.start) || counts_back(self.end) {
            true => document.count(array)? as i64,
            false => i64::MAX,
        };
        let absolute = |index: i64| if index >= 0 { index } else { len.saturating_add(index).max(0) };
        let (from, to) = (absolute(self.start.unwrap_or(0)), absolute(self.end.unwrap_or(len)));
        let (mut next, mut is_done) = (usize::try_from(from).unwrap_or(usize::MAX), from >= to);
        if is_done {
            return ControlFlow::Continue(());
        }
        let end = document.members(array, |name, start| {
            let MemberKey::Index(index) = name else { return ControlFlow::Continue(()) };
            if index as i64 >= to {
                is_done = true;
                return ControlFlow::Break(());
            }
            if index != next {
                return ControlFlow::Continue(());
            }
            next = next.saturating_add(self.stride());
            item(index, start)
        });
        if is_done { ControlFlow::Continue(()) } else { end }
    }

    fn backward(self, document: &Document<'_, '_>, array: usize, mut item: impl FnMut(usize, usize) -> Going) -> Going {
        let (mut noted, mut count) = (Vec::new(), 0);
        document.members(array, |_, start| {
            if count % STRIDE == 0 {
                noted.push(start);
            }
            count += 1;
            ControlFlow::Continue(())
        })?;
        let len = count as i64;
        let absolute = |index: i64| if index >= 0 { index } else { len.saturating_add(index) };
        let from = absolute(self.start.unwrap_or(len - 1)).min(len - 1);
        let to = self.end.map_or(-1, |end| absolute(end).max(-1));
        let (mut next, mut starts) = (from, Vec::new());
        while next > to {
            let index = next as usize;
            let first = index - index % STRIDE;
            starts.clear();
            // A block of items is read once, and visited from its end.
            let read = document.members_from(noted[index / STRIDE], first, false, |_, start| {
                starts.push(start);
                if starts.len() > index - first { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if starts.len() <= index - first {
                return read;
            }
            while next > to && next >= first as i64 {
                item(next as usize, starts[next as usize - first])?;
                next = next.saturating_sub(i64::try_from(self.stride()).unwrap_or(i64::MAX));
            }
        }
        ControlFlow::Continue(())
    }
}
