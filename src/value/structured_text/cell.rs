//! A cell as a value.

use std::borrow::Cow;
use std::rc::Rc;

use toolshape_text::rows::cells::Cell;

use crate::base::json_string;
use crate::base::numbers;

/// Writes a cell as JSON text: the number that it spells, if quotes do not mark it as text and no host changes the spelling;
/// nothing as `null`, as SQL has it; otherwise a string.
pub(super) fn write(cell: &Cell<'_>, out: &mut String) {
    match cell.is_quoted {
        true => json_string::quote_into(&cell.text, out),
        false if cell.text.is_empty() => out.push_str("null"),
        false if is_number(&cell.text) => out.push_str(&cell.text),
        false => json_string::quote_into(&cell.text, out),
    }
}

/// A text that no quotes mark as one, as JSON text.
pub(super) fn value(text: &str) -> Cow<'_, str> {
    match is_number(text) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(json_string::quoted(text)),
    }
}

fn is_number(text: &str) -> bool {
    numbers::is_number(text) && numbers::is_exact(text)
}

/// The JSON text of a cell.
pub(super) fn json(cell: &Cell<'_>) -> Rc<str> {
    let mut out = String::new();
    write(cell, &mut out);
    out.into()
}
