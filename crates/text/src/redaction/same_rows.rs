//! Rows whose cells are the same as data and in the text: what is hidden of one is hidden of the other.

use std::ops::Range;

use crate::rows::cells;
use crate::rows::row_index::RowIndex;

use super::Marks;

/// What says what another part of a cell is, or spells characters: marks and delimiters, and all that is not printable ASCII.
const SAYS: Marks = Marks::of(b"<&[{\\%\"'`,;|");

/// Whether the cells of some rows are the same in what is left of the text, `left`, but for the columns that `hides` names, of which it has
/// the mark, and nothing more is hidden of a cell by itself, as `shows` says.
pub fn are_the_same(
    (text, index): (&str, &RowIndex),
    left: Option<(&str, &RowIndex)>,
    rows: Range<usize>,
    (hides, mark): (&[bool], &str),
    shows: &mut dyn FnMut(&str) -> bool,
) -> bool {
    let mut left = left.map(|(text, index)| index.rows(text, rows.start, rows.len()));
    index.rows(text, rows.start, rows.len()).all(|(_, row)| {
        let left = left.as_mut().map(|left| left.next().map_or("", |(_, row)| row));
        let mut own = cells::of(row, index.grammar);
        let mut left = left.filter(|left| *left != row).map(|left| cells::of(left, index.grammar));
        hides.iter().all(|is_hidden| {
            let Some(own) = own.next().map(|cell| cell.text) else { return false };
            let left = left.as_mut().map(|left| left.next().map_or_else(Default::default, |cell| cell.text));
            match left.as_deref().unwrap_or(&own) {
                left if *is_hidden => left == mark,
                left => left == own && (is_plain(&own) || !shows(&own)),
            }
        })
    })
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !SAYS.has(byte))
}
