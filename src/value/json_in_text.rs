//! JSON that is in a string: an object or an array that was written as text before it became a member of a value.
//!
//! A string is such a text only if all of it is one object or one array: whoever shows it as data must not have guessed. It is
//! read and checked once, and from then on sliced like any JSON text.

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use crate::base::error::Error;
use crate::base::json_string;
use crate::value::json_text::{JsonIndex, JsonText};
use crate::value::source::{Entry, FastSource, Kind, Length, Source};

/// Characters of a string's start that show of most strings that they are not JSON.
pub(crate) const START_CHARS: usize = 256;
/// The bytes of the longest escape of one byte: `\u0000`.
const LONGEST_ESCAPE: usize = 6;

/// A value in a JSON text that all values in it share.
#[derive(Clone, Debug)]
pub(crate) struct SharedJson {
    text: Rc<str>,
    index: JsonIndex,
}

/// The object or the array that a string is the JSON text of; `None` for any other value, and for a string of more bytes than
/// are `left` to read. What is read is taken from these.
///
/// # Errors
/// Whatever reading the string reports.
pub(crate) fn data_in<S: Source>(string: &S, left: &Cell<usize>) -> Result<Option<SharedJson>, Error> {
    if string.kind() != Kind::String || !begins_data(&json_string::unescape(&string.slice(0, START_CHARS)?)) {
        return Ok(None);
    }
    let Some(text) = text_within(string, left)? else { return Ok(None) };
    Ok(SharedJson::of(text.into()))
}

/// The text of a string, whose bytes are taken from those that are `left` to read; `None` for one of more.
///
/// # Errors
/// Whatever reading the string reports.
pub(crate) fn text_within<'s, S: Source>(string: &'s S, left: &Cell<usize>) -> Result<Option<Cow<'s, str>>, Error> {
    // Hosts have different lower bounds, so these only spare the reading of what is too long in each of them.
    let longest = left.get().saturating_mul(LONGEST_ESCAPE).saturating_add("\"\"".len());
    if string.min_bytes(longest) > longest {
        return Ok(None);
    }
    let text = string.text()?;
    let rest = left.get().checked_sub(text.len());
    Ok(rest.map(|rest| {
        left.set(rest);
        text
    }))
}

/// Whether an object or an array begins there, as its first two characters tell.
pub(crate) fn begins_data(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut characters = text.chars().filter(|character| !character.is_whitespace());
    match (characters.next(), characters.next()) {
        (Some('{'), Some(next)) => matches!(next, '"' | '}'),
        (Some('['), Some(next)) => matches!(next, '"' | '{' | '[' | ']' | '-' | '0'..='9' | 't' | 'f' | 'n'),
        _ => false,
    }
}

impl SharedJson {
    /// The value of a JSON text.
    pub fn of(text: String) -> Option<Self> {
        JsonIndex::of(&text).ok().map(|index| Self { text: text.into(), index })
    }

    fn read<R>(&self, read: impl FnOnce(&JsonText<'_>) -> R) -> R {
        let value = self.index.over(&self.text);
        let found = read(&value);
        self.index.adopt(&value);
        found
    }

    fn inside(&self, value: &JsonText<'_>) -> Self {
        Self { text: Rc::clone(&self.text), index: JsonIndex::within(value, &self.text) }
    }
}

impl Source for SharedJson {
    fn kind(&self) -> Kind {
        self.read(|value| value.kind())
    }

    fn len(&self) -> usize {
        self.read(|value| value.len())
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        self.read(|value| Ok(value.items(start, max)?.iter().map(|item| self.inside(item)).collect()))
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        self.read(|value| {
            let entries = value.entries_where(is_wanted)?;
            Ok(entries.into_iter().map(|(key, value)| (key, self.inside(&value))).collect())
        })
    }

    fn chars(&self) -> usize {
        self.read(|value| value.chars())
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        self.read(|value| value.slice(start, max))
    }

    fn min_bytes(&self, enough: usize) -> usize {
        self.read(|value| value.min_bytes(enough))
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        Ok(self.index.over(&self.text).minified())
    }

    fn fast(&self) -> Option<&dyn FastSource> {
        Some(self)
    }
}

impl FastSource for SharedJson {
    fn minified_here(&self) -> Option<&str> {
        self.index.over(&self.text).minified_span()
    }

    fn lengths(&self, places: &[usize], room: usize) -> Result<Option<Vec<Length>>, Error> {
        self.read(|value| value.lengths(places, room))
    }

    fn member_length(&self, around: f64, left: &mut usize, levels: usize) -> Option<Length> {
        self.read(|value| value.member_length(around, left, levels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data_of(text: &str) -> Option<SharedJson> {
        let string = json_string::quoted(text);
        data_in(&JsonText::parse(&string).unwrap(), &Cell::new(1 << 20)).unwrap()
    }

    #[test]
    fn values_in_a_text_are_those_of_the_text() {
        let rows: Vec<String> = (0..300).map(|n| format!(r#"{{"n": {n}, "s": "é\n{}"}}"#, "w ".repeat(n))).collect();
        let text = format!(" {{ \"rows\" : [ {} ], \"n\": 1.0 }}\n", rows.join(" , "));
        let data = data_of(&text).unwrap();
        let parsed = JsonText::parse(&text).unwrap();
        assert_eq!((data.kind(), data.len()), (Kind::Object, 2));
        assert_eq!(data.json().unwrap(), parsed.json().unwrap());
        let ((key, list), own) = (data.entries().unwrap().remove(0), parsed.entries().unwrap().remove(0).1);
        assert_eq!((&*key, list.len()), ("\"rows\"", 300));
        for (item, wanted) in list.items(250, 40).unwrap().iter().zip(own.items(250, 40).unwrap()) {
            assert_eq!(item.json().unwrap(), wanted.json().unwrap());
            let (string, wanted) = (item.entries().unwrap().remove(1).1, wanted.entries().unwrap().remove(1).1);
            assert_eq!((string.chars(), string.slice(0, 9).unwrap()), (wanted.chars(), wanted.slice(0, 9).unwrap()));
        }
    }

    #[test]
    fn only_a_whole_object_or_array_is_data() {
        for text in ["{\"a\":1}", " [1, 2]\n", "[]", "{}"] {
            assert!(data_of(text).is_some(), "{text}");
        }
        for text in
            ["", "1", "\"a\"", "{\"a\":1} and more", "{\"a\":1", "[1][2]", "{a: 1}", "[see](http://x)", "[0.1.2]"]
        {
            assert!(data_of(text).is_none(), "{text}");
        }
    }

    #[test]
    fn what_is_read_is_taken_from_what_may_be_read() {
        let read = |text: &str, left: usize| {
            let (string, left) = (json_string::quoted(text), Cell::new(left));
            let found = data_in(&JsonText::parse(&string).unwrap(), &left).unwrap();
            (found.is_some(), left.get())
        };
        let text = format!("[{}1]", "1,".repeat(500));
        assert_eq!(read(&text, 1002), (false, 1002));
        assert_eq!(read(&text, 1005), (true, 2));
        assert_eq!(read(&text.replace("1]", "1"), 2000), (false, 998));
        assert_eq!(read(&"words ".repeat(500), 5000), (false, 5000));
    }
}
