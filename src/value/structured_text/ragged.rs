//! Rows that have more cells or fewer than their header, of which a table may have a few.

use std::rc::Rc;

use toolshape_text::rows::row_index::RowIndex;

use crate::base::json_string;

use super::structure::Skipped;

/// At most 1/n of the rows may be so, such as one with a delimiter too many, or the total.
pub(super) const RAGGED: usize = 32;
/// Cells of such a row that have no title.
const MOST_MORE: usize = 8;

/// The rows that are seen so far.
pub(super) struct Ragged {
    wanted: usize,
    most: usize,
    count: usize,
    /// The number of the first, from 1.
    first: usize,
}

impl Ragged {
    /// None, of a table whose header has `wanted` cells.
    pub fn of(wanted: usize) -> Self {
        Self { wanted, most: wanted, count: 0, first: 0 }
    }

    /// Sees the row at `index`, which has `cells` cells.
    pub fn note(&mut self, cells: usize, index: usize) {
        if cells != self.wanted {
            self.first = if self.count == 0 { index + 1 } else { self.first };
            self.count += 1;
            self.most = self.most.max(cells);
        }
    }

    /// Names the cells that no title names by their columns; `None` if the rows are not those of a table.
    pub fn judge(&self, index: &mut RowIndex) -> Option<Skipped> {
        let more = (self.wanted + 1..=self.most).map(|column| json_string::quoted(&format!("column_{column}")).into());
        let more: Vec<Rc<str>> = more.collect();
        if self.count * RAGGED > index.len
            || more.len() > MOST_MORE
            || more.iter().any(|name| index.names.contains(name))
        {
            return None;
        }
        index.names.extend(more);
        let ragged = Skipped::Ragged { count: self.count, first: self.first };
        Some(if self.count > 0 { ragged } else { Skipped::Nothing })
    }
}
