//! Compares values as filters do (RFC 9535, section 2.3.5.2.2); an empty text means no value.
//!
//! Numbers compare exactly by value, strings by Unicode code points; a lone surrogate counts as U+FFFD.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::ControlFlow;

use crate::base::json_string::Quoted;
use crate::base::sort_key_order;
use crate::base::sorting::sort_by;
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, Source};

/// How often the text of two values is read to compare them.
const READINGS: usize = 3;

/// Whether two values are equal; `spend` gets the number of bytes that are read again, and may stop the comparison.
pub(super) fn are_equal(a: &str, b: &str, spend: &mut dyn FnMut(usize) -> ControlFlow<()>) -> ControlFlow<(), bool> {
    if a.is_empty() || b.is_empty() {
        return ControlFlow::Continue(a.len() == b.len());
    }
    let mut waiting = vec![(JsonText::checked(a), JsonText::checked(b))];
    while let Some((a, b)) = waiting.pop() {
        if a.span() == b.span() {
            continue;
        }
        if a.kind() != b.kind() {
            return ControlFlow::Continue(false);
        }
        // Items and members are counted, then split.
        spend(READINGS * (a.span().len() + b.span().len()))?;
        let are_alike = match a.kind() {
            Kind::Null => true,
            Kind::Bool => false,
            Kind::Number => sort_key_order::numbers(a.span(), b.span()) == Ordering::Equal,
            Kind::String => text(a.span()) == text(b.span()),
            Kind::Array => {
                let (a, b) = (a.items(0, usize::MAX).unwrap_or_default(), b.items(0, usize::MAX).unwrap_or_default());
                let are_alike = a.len() == b.len();
                waiting.extend(a.into_iter().zip(b));
                are_alike
            }
            Kind::Object => {
                let (a, b) = (members(&a), members(&b));
                let are_alike = a.len() == b.len() && a.iter().zip(&b).all(|((a, _), (b, _))| a == b);
                waiting.extend(a.into_iter().zip(b).map(|((_, a), (_, b))| (a, b)));
                are_alike
            }
        };
        if !are_alike {
            return ControlFlow::Continue(false);
        }
    }
    ControlFlow::Continue(true)
}

/// Whether a value is less than another, as only numbers and strings can be.
pub(super) fn is_less(a: &str, b: &str) -> bool {
    let is_number = |json: &str| json.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let is_string = |json: &str| json.starts_with('"');
    if is_number(a) && is_number(b) {
        sort_key_order::numbers(a, b) == Ordering::Less
    } else {
        is_string(a) && is_string(b) && text(a) < text(b)
    }
}

/// The characters of a string, the items of an array, the members of an object.
pub(super) fn length(json: &str) -> Option<usize> {
    let value = JsonText::checked(json);
    match json.as_bytes().first()? {
        b'"' => Some(value.chars()),
        b'[' => Some(value.len()),
        b'{' => Some(members(&value).len()),
        _ => None,
    }
}

/// The members of an object by name; of members with one name, the first.
fn members<'a>(object: &JsonText<'a>) -> Vec<(String, JsonText<'a>)> {
    let entries = object.entries().unwrap_or_default();
    let mut members: Vec<_> = entries.into_iter().map(|(key, value)| (text(&key).into_owned(), value)).collect();
    sort_by(&mut members, |a, b| a.0.cmp(&b.0));
    members.dedup_by(|later, first| later.0 == first.0);
    members
}

/// The text of a JSON string.
fn text(json: &str) -> Cow<'_, str> {
    Quoted::new(json).text()
}
