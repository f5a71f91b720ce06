//! Secrets in a text as it is written: the values of fields by their names, and texts by patterns.
//!
//! JSON is read, in JSON texts too, or tables, values after their names, and patterns. What of it a reader sees otherwise
//! is in [`seen_char`] and [`divided`]. The work is linear in the bytes.

pub mod closely;
mod column_names;
pub mod divided;
mod elements;
mod json;
mod lists;
mod long_keys;
mod named_values;
mod names;
mod pairs;
pub mod same_rows;
pub mod seen_char;
mod table;
mod tags;
mod text_pattern;

use std::borrow::Cow;

use toolshape_json::string;

use crate::replaced::Replaced;

pub use json::is_value;
use json::{JsonRedaction, SECRET};
use names::Fields;
use text_pattern::TextPattern;
pub use text_pattern::is_of_token;

/// What replaces a secret.
pub const REDACTED: &str = "[redacted]";

/// How many texts of JSON may be inside each other.
const MOST_TEXTS: usize = 4;
/// More levels of JSON are not read.
const MOST_LEVELS: usize = 4096;
/// A longer text is data, and not the message of an error.
const MOST_LABELLED: usize = 1 << 20;

/// What is secret.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Secrets {
    fields: Fields,
    texts: Vec<TextPattern>,
    /// The bytes without which a text has no secret, and those with which one of `texts` begins.
    marks: Marks,
    starts: Marks,
}

/// For each byte whether it is one of some.
#[derive(Clone, Debug, PartialEq)]
struct Marks([bool; 256]);

impl Marks {
    const fn of(bytes: &[u8]) -> Self {
        let (mut marks, mut at) = ([false; 256], 0);
        while at < bytes.len() {
            marks[bytes[at] as usize] = true;
            at += 1;
        }
        Self(marks)
    }

    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)]
    }

    /// Where the first of them is.
    fn find(&self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|byte| self.has(*byte))
    }

    fn are_in(&self, text: &str) -> bool {
        self.find(text.as_bytes()).is_some()
    }

    /// A text without those at its start and at its end, all of which are ASCII.
    fn trimmed<'t>(&self, text: &'t str) -> &'t str {
        let text = self.trimmed_end(text);
        let start = text.bytes().position(|byte| !self.has(byte));
        &text[start.unwrap_or(text.len())..]
    }

    fn trimmed_end<'t>(&self, text: &'t str) -> &'t str {
        let end = text.bytes().rposition(|byte| !self.has(byte));
        &text[..end.map_or(0, |end| end + 1)]
    }
}

impl Default for Marks {
    fn default() -> Self {
        Self([false; 256])
    }
}

impl FromIterator<u8> for Marks {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        Self::of(&bytes.into_iter().collect::<Vec<_>>())
    }
}

/// What the names in a text are names of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Names {
    OfData,
    /// Of the arguments of tools, whose descriptions stay.
    OfSchemas,
}

impl Secrets {
    /// `fields` are names, or paths such as `user.email`, which match the end of a value's path; `*` is any part of a name.
    /// `texts` are patterns, in which `*` is a run of letters, digits and `_-./+=~`, and `**` is anything.
    ///
    /// # Errors
    /// The pattern that is invalid.
    pub fn new<'t>(fields: &[&str], texts: &[&'t str]) -> Result<Self, &'t str> {
        let texts = texts.iter().map(|text| TextPattern::new(text).ok_or(*text)).collect::<Result<Vec<_>, _>>()?;
        let fields = Fields::new(fields);
        let of_fields = if fields.is_empty() { &b"{["[..] } else { b"{[\n\t:=>-<|;,\xe2" };
        let of_texts = || texts.iter().filter_map(TextPattern::first_byte);
        let marks = of_fields.iter().copied().chain(of_texts()).collect();
        let starts = of_texts().collect();
        Ok(Self { fields, texts, marks, starts })
    }

    /// Whether nothing is secret.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.texts.is_empty()
    }

    /// A JSON text, which was checked, without secrets; `None` if it has none.
    pub fn of_json(&self, json: &str, names: Names) -> Option<String> {
        self.json(json, MOST_TEXTS, names)
    }

    /// A text that need not be JSON, without secrets; `None` if it has none.
    pub fn of_text(&self, text: &str) -> Option<String> {
        self.text(text, MOST_TEXTS)
    }

    fn json(&self, json: &str, texts: usize, names: Names) -> Option<String> {
        let mut replaced = Replaced::of(json, SECRET);
        JsonRedaction { of: self, texts, names }.redact(json, 0, &mut replaced);
        replaced.whole()
    }

    /// A text, whatever else is seen in it, after what follows its label.
    fn text(&self, text: &str, texts: usize) -> Option<String> {
        if !self.marks.are_in(text) {
            return None;
        }
        let labelled = labelled(text);
        let behind = labelled.and_then(|(label, rest)| Some([label, &self.part(rest, texts)?].concat()));
        let own = self.part(behind.as_deref().unwrap_or(text), texts);
        own.or(behind)
    }

    fn part(&self, text: &str, texts: usize) -> Option<String> {
        if texts > 0 && is_json(text) {
            // Data that a description quotes.
            return self.json(text, texts - 1, Names::OfData);
        }
        let mut now = Cow::Borrowed(text);
        let mut then = |read: &dyn Fn(&str) -> Option<String>| {
            if let Some(next) = read(&now) {
                now = Cow::Owned(next);
            }
        };
        if !self.fields.is_empty() {
            then(&|text| self.lines(text, texts));
            then(&|text| table::redacted(text, &|name| self.fields.has(name)));
            then(&|text| tags::redacted(text, &self.fields));
            then(&|text| named_values::redacted(text, &self.fields));
        }
        then(&|text| self.patterns(text));
        match now {
            Cow::Owned(now) if now != text => Some(now),
            _ => None,
        }
    }

    /// A text whose lines may be JSON.
    fn lines(&self, text: &str, texts: usize) -> Option<String> {
        let lines = JsonRedaction { of: self, texts: texts.saturating_sub(1), names: Names::OfData };
        let (mut replaced, mut end, bytes) = (Replaced::of(text, SECRET), 0, text.as_bytes());
        while texts > 0
            && let Some(bracket) = memchr::memchr2(b'{', b'[', &bytes[end..]).map(|bracket| end + bracket)
        {
            let start = end + memchr::memrchr(b'\n', &bytes[end..bracket]).map_or(0, |last| last + 1);
            end = line_end(text, bracket);
            let line = &text[start..end];
            if line.len() < text.len() && text[start..bracket].trim().is_empty() && is_json(line) {
                lines.redact(line, start, &mut replaced);
            }
        }
        replaced.whole()
    }

    /// A text without what the patterns match.
    fn patterns(&self, text: &str) -> Option<String> {
        if !self.starts.are_in(text) {
            return None;
        }
        let mut now = None;
        for pattern in &self.texts {
            now = pattern.redacted(now.as_deref().unwrap_or(text)).or(now);
        }
        now
    }
}

/// A text whose first line begins with a label, such as `Error calling tool 'x': `, which SDKs write before what a tool throws: the
/// label, and the rest, which is a text of its own.
pub fn labelled(text: &str) -> Option<(&str, &str)> {
    // Data begins otherwise, or has these in its first line.
    const ENDS: Marks = Marks::of(b":\n\"{[<|\t");
    let (bytes, mut end) = (text.as_bytes(), 0);
    while !bytes[..end].ends_with(b": ") {
        end += ENDS.find(&bytes[end..]).filter(|found| bytes[end + found] == b':')? + 1;
        end += usize::from(bytes.get(end) == Some(&b' '));
    }
    let (label, rest) = text.split_at(end);
    (label.starts_with(char::is_alphanumeric) && rest.len() <= MOST_LABELLED).then_some((label, rest))
}

/// Whether a text is a list or an object of JSON.
pub fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && toolshape_json::check(text, MOST_LEVELS).is_ok()
}

/// A text as a JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    string::quote_into(text, &mut out);
    out
}

/// The text of a JSON string.
fn unquoted(json: &str) -> Cow<'_, str> {
    string::text(&json[1..json.len() - 1])
}

/// Where the line ends that is here, with its line break.
fn line_end(text: &str, start: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |end| start + end + 1)
}
