//! A cell as a value.

use std::rc::Rc;

use toolshape_text::rows::cells::Cell;

use crate::base::json_string;
use crate::base::numbers;

/// Writes a cell as JSON text: the number that it spells, if quotes do not mark it as text and no host changes the spelling;
/// otherwise a string.
pub(super) fn write(cell: &Cell<'_>, out: &mut String) {
    let text = &*cell.text;
    match !cell.is_quoted && numbers::is_number(text) && numbers::is_exact(text) {
        true => out.push_str(text),
        false => json_string::quote_into(text, out),
    }
}

/// The JSON text of a cell.
pub(super) fn json(cell: &Cell<'_>) -> Rc<str> {
    let mut out = String::new();
    write(cell, &mut out);
    out.into()
}
