//! What is read once, if it can be.

use std::cell::OnceCell;

use crate::base::error::Error;

/// What the cell holds, found first if it is empty.
///
/// # Errors
/// Those of `find`, after which the cell is still empty.
pub(crate) fn once<T>(cell: &OnceCell<T>, find: impl FnOnce() -> Result<T, Error>) -> Result<&T, Error> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let found = find()?;
    Ok(cell.get_or_init(|| found))
}
