//! Rows in another order, perhaps without some. Nothing is read until it is shown.

use crate::base::error::Error;
use crate::value::any_source::{self, AnySource};
use crate::value::source::{RowSource, Source, original_index};

/// The list, and the indices of the items in it.
pub(crate) struct Reordered<'v>(pub AnySource<'v>, pub Vec<u32>);

impl<'v> any_source::Erased<'v> for Reordered<'v> {
    fn len(&self) -> usize {
        self.1.len()
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<AnySource<'v>>, Error> {
        let mut items = Vec::new();
        for &at in self.1.iter().skip(start).take(max) {
            items.extend(Source::items(&self.0, at as usize, 1)?);
        }
        Ok(items)
    }

    fn min_bytes(&self, enough: usize) -> usize {
        if self.1.len() < Source::len(&self.0) { 2 * self.1.len() } else { Source::min_bytes(&self.0, enough) }
    }

    fn row(&self) -> Option<&dyn RowSource> {
        Some(self)
    }
}

impl RowSource for Reordered<'_> {
    fn original_index(&self, index: usize) -> usize {
        self.1.get(index).map_or(index, |&at| original_index(&self.0, at as usize))
    }
}
