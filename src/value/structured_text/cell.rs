//! A cell as a value.

use std::rc::Rc;

use crate::base::json_string;
use crate::value::json_text::JsonText;

/// A cell as JSON text: the number that it spells, otherwise a string.
pub(super) fn json(cell: &str) -> Rc<str> {
    if is_number(cell) { cell.into() } else { json_string::quoted(cell).into() }
}

/// Whether a text is a number as JSON spells it.
pub(super) fn is_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|&first| first == b'-' || first.is_ascii_digit())
        && bytes.last().is_some_and(u8::is_ascii_digit)
        && JsonText::parse(text).is_ok()
}
