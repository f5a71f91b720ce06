//! JSON text as a [`Source`]: checked in one pass, then sliced, never rebuilt.
//!
//! Output is made of spans of the input, so every number and key keeps its spelling (RFC 8259). No tree is built and
//! nothing recurses, so neither size nor nesting costs memory: only the places of large values and the lengths of
//! arrays are stored.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use toolshape_json::{Checked, Fault, LARGE, Outline, Steps, check, is_space, minify};
use toolshape_json::{next_member, skip_space, skip_string};

use crate::base::error::{Error, ErrorCode};
use crate::base::json_pointer;
use crate::base::json_string::{self, Quoted};
use crate::value::length_estimate;
use crate::value::numeric_column;
use crate::value::source::{Entry, Kind, Length, MAX_DEPTH, Source, too_deep};

/// The place of one item in so many is stored, so that a later page of a list is found without a scan.
const STRIDE: usize = 64;

/// A JSON value as a span of checked text.
#[derive(Clone, Debug)]
pub struct JsonText<'a> {
    /// Exactly the value: no white space around it.
    span: &'a str,
    /// For a large value: its offset in the checked text, and the outline of that text.
    outline: Option<(usize, Rc<Outline>)>,
    items: OnceCell<Rc<Items>>,
    /// Whether it is known to have no white space outside of strings.
    is_minified: bool,
}

/// The number of items of an array, and the offset of every [`STRIDE`]th; of a long string the number of characters.
#[derive(Clone, Debug, Default)]
struct Items {
    len: usize,
    starts: Vec<usize>,
}

impl Items {
    /// Adds the next item, which begins at `at`.
    fn note(&mut self, at: usize) {
        if self.len.is_multiple_of(STRIDE) {
            self.starts.push(at);
        }
        self.len += 1;
    }
}

/// Where the value of a checked text is, and what was found in it. It does not hold the text.
#[derive(Clone, Debug)]
pub(crate) struct JsonIndex {
    value: Range<usize>,
    outline: Option<Rc<Outline>>,
    items: OnceCell<Rc<Items>>,
    is_minified: bool,
}

impl JsonIndex {
    /// Checks that `text` is one JSON value.
    ///
    /// # Errors
    /// As [`JsonText::parse`].
    pub fn of(text: &str) -> Result<Self, Error> {
        let mut items = Items::default();
        let Checked { value, outline, is_minified } =
            check(text, MAX_DEPTH, &mut |at| items.note(at)).map_err(|fault| explain(fault, text))?;
        let outline = (value.len() >= LARGE).then(|| Rc::new(outline));
        let is_array = text[value.clone()].starts_with('[');
        let items = if is_array { OnceCell::from(Rc::new(items)) } else { OnceCell::new() };
        Ok(Self { value, outline, items, is_minified })
    }

    /// The place of a value of the checked `text`.
    pub fn within(value: &JsonText<'_>, text: &str) -> Self {
        let start = value.span.as_ptr() as usize - text.as_ptr() as usize;
        let outline = value.outline.as_ref().map(|(_, outline)| Rc::clone(outline));
        let is_minified = value.is_minified;
        Self { value: start..start + value.span.len(), outline, items: value.items.clone(), is_minified }
    }

    /// Keeps what was found in the value meanwhile.
    pub fn adopt(&self, value: &JsonText<'_>) {
        if let Some(items) = value.items.get() {
            self.items.get_or_init(|| Rc::clone(items));
        }
    }

    /// The value in the text that was checked.
    pub fn over<'a>(&self, text: &'a str) -> JsonText<'a> {
        let outline = self.outline.as_ref().map(|outline| (self.value.start, Rc::clone(outline)));
        JsonText { span: &text[self.value.clone()], outline, items: self.items.clone(), is_minified: self.is_minified }
    }
}

impl<'a> JsonText<'a> {
    /// Checks that `text` is one JSON value.
    ///
    /// # Errors
    /// `INVALID_JSON` with line and column of the first fault, `TOO_DEEP` beyond [`MAX_DEPTH`] levels.
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        Ok(JsonIndex::of(text)?.over(text))
    }

    /// A value inside checked text.
    pub(crate) fn checked(span: &'a str) -> Self {
        Self { span, outline: None, items: OnceCell::new(), is_minified: false }
    }

    /// A value inside this one.
    fn inside(&self, start: usize, end: usize) -> Self {
        let outline = self.outline.as_ref().filter(|_| end - start >= LARGE);
        let outline = outline.map(|(at, outline)| (at + start, Rc::clone(outline)));
        Self { span: &self.span[start..end], outline, items: OnceCell::new(), is_minified: self.is_minified }
    }

    /// The steps through the value from `at` on.
    pub(crate) fn steps(&self, at: usize) -> Steps<'_> {
        let bytes = self.span.as_bytes();
        self.outline.as_ref().map_or_else(|| Steps::new(bytes), |(start, outline)| outline.steps(bytes, *start, at))
    }

    /// The number of members of the array or object inside this one that begins at `start`, if it is large.
    pub(crate) fn members_at(&self, start: usize) -> Option<usize> {
        self.outline.as_ref().and_then(|(at, outline)| outline.members(at + start))
    }

    /// The value inside this one that begins at `start`.
    pub(crate) fn value_at(&self, start: usize) -> Self {
        self.inside(start, self.steps(start).skip_value(start))
    }

    /// Where a value inside this one begins.
    pub(crate) fn start_of(&self, inside: &JsonText<'_>) -> usize {
        inside.span.as_ptr() as usize - self.span.as_ptr() as usize
    }

    /// The value's text in the input.
    pub fn span(&self) -> &'a str {
        self.span
    }

    /// The value's text without white space.
    pub(crate) fn minified(&self) -> Cow<'a, str> {
        if self.is_minified { Cow::Borrowed(self.span) } else { minify(self.span) }
    }

    /// The value at the reference tokens of a JSON Pointer, found in one pass.
    ///
    /// # Errors
    /// The last value on the path, and the number of tokens that lead to it.
    pub(crate) fn at(&self, tokens: &[String]) -> Result<Self, (Self, usize)> {
        let bytes = self.span.as_bytes();
        let mut start = 0;
        for (led, token) in tokens.iter().enumerate() {
            let index = json_pointer::index(token);
            let is_object = bytes[start] == b'{';
            if !is_object && bytes[start] != b'[' {
                return Err((self.value_at(start), led));
            }
            let (mut at, mut count) = (skip_space(bytes, start + 1), 0);
            let mut steps = self.steps(at);
            start = loop {
                if matches!(bytes[at], b'}' | b']') {
                    return Err((self.value_at(start), led));
                }
                let mut is_it = index == Some(count);
                if is_object {
                    let end = skip_string(bytes, at);
                    is_it = Quoted::new(&self.span[at..end]).is(token);
                    at = skip_space(bytes, skip_space(bytes, end) + 1);
                }
                if is_it {
                    break at;
                }
                at = next_member(bytes, steps.skip_value(at));
                count += 1;
            };
        }
        Ok(self.value_at(start))
    }

    /// A string's literal; empty for every other kind.
    fn literal(&self) -> &'a str {
        Quoted::of(self.span).map_or("", Quoted::literal)
    }

    fn indexed(&self) -> &Items {
        self.items.get_or_init(|| {
            let bytes = self.span.as_bytes();
            let (mut items, mut steps, mut at) = (Items::default(), self.steps(1), skip_space(bytes, 1));
            while bytes[at] != b']' {
                items.note(at);
                at = next_member(bytes, steps.skip_value(at));
            }
            Rc::new(items)
        })
    }

    /// The first value of an object under a key; the entries after it are not read.
    fn member(&self, name: &str) -> Option<Self> {
        self.members().find(|(key, ..)| Quoted::new(key).is(name)).map(|(_, start, end)| self.inside(start, end))
    }

    /// The keys of an object, with their quotes; none for any other value.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'a str> {
        (self.kind() == Kind::Object).then(|| self.members().map(|(key, ..)| key)).into_iter().flatten()
    }

    /// The entries of an object: the key with its quotes, and the start and end of the value.
    fn members(&self) -> impl Iterator<Item = (&'a str, usize, usize)> {
        let (span, mut steps) = (self.span, self.steps(1));
        let bytes = span.as_bytes();
        let mut at = skip_space(bytes, 1);
        std::iter::from_fn(move || {
            if bytes[at] == b'}' {
                return None;
            }
            let key_end = skip_string(bytes, at);
            let key = &span[at..key_end];
            let start = skip_space(bytes, skip_space(bytes, key_end) + 1);
            let end = steps.skip_value(start);
            at = next_member(bytes, end);
            Some((key, start, end))
        })
    }
}

/// The error for a fault, with the line and the column at which checking stopped.
fn explain(fault: Fault, text: &str) -> Error {
    let Fault::At(at, wanted) = fault else {
        return too_deep();
    };
    let before = &text.as_bytes()[..at];
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
    let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
    let found = match text.get(at..).and_then(|rest| rest.chars().next()) {
        Some(character) => format!("{character:?}"),
        None => "the end of the text".to_owned(),
    };
    let message = format!("line {line}, column {column}: found {found} where {wanted} belongs");
    Error::new(ErrorCode::InvalidJson, message, "")
}

impl Source for JsonText<'_> {
    fn kind(&self) -> Kind {
        match self.span.as_bytes()[0] {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::String,
            b't' | b'f' => Kind::Bool,
            b'n' => Kind::Null,
            _ => Kind::Number,
        }
    }

    fn len(&self) -> usize {
        let known = || self.outline.as_ref().and_then(|(start, outline)| outline.members(*start));
        match self.kind() {
            Kind::Array => self.items.get().map(|items| items.len).or_else(known).unwrap_or_else(|| self.indexed().len),
            Kind::Object => known().unwrap_or_else(|| self.members().count()),
            _ => 0,
        }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        if self.kind() != Kind::Array || start >= self.len() {
            return Ok(Vec::new());
        }
        let bytes = self.span.as_bytes();
        let Items { len, starts } = self.indexed();
        let len = *len;
        let mut at = starts[start / STRIDE];
        let mut steps = self.steps(at);
        for _ in 0..start % STRIDE {
            at = next_member(bytes, steps.skip_value(at));
        }
        let count = max.min(len - start);
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            let end = steps.skip_value(at);
            items.push(self.inside(at, end));
            at = next_member(bytes, end);
        }
        Ok(items)
    }

    fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
        if self.kind() != Kind::Object {
            return Ok(Vec::new());
        }
        Ok(self.members().map(|(key, start, end)| (key.to_owned(), self.inside(start, end))).collect())
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        if self.kind() != Kind::Object {
            return Ok(Vec::new());
        }
        let wanted = self.members().enumerate().filter(|(at, (key, ..))| is_wanted(*at, key));
        Ok(wanted.map(|(_, (key, start, end))| (key.to_owned(), self.inside(start, end))).collect())
    }

    fn each_item(&self, places: &[usize], with: &mut dyn FnMut(Option<&Self>)) {
        let bytes = self.span.as_bytes();
        let (mut steps, mut at, mut next) = (self.steps(1), skip_space(bytes, 1), 0);
        for &place in places {
            while next < place && bytes[at] != b']' {
                at = next_member(bytes, steps.skip_value(at));
                next += 1;
            }
            if bytes[at] == b']' {
                with(None);
                continue;
            }
            let end = steps.skip_value(at);
            with(Some(&self.inside(at, end)));
            at = next_member(bytes, end);
            next += 1;
        }
    }

    fn each_entry(&self, places: &[usize], with: &mut dyn FnMut(&str, &Self)) -> Result<(), Error> {
        if self.kind() != Kind::Object {
            return Ok(());
        }
        let mut members = self.members();
        let mut next = 0;
        for &at in places {
            let Some((key, start, end)) = members.nth(at - next) else { break };
            with(key, &self.inside(start, end));
            next = at + 1;
        }
        Ok(())
    }

    fn chars(&self) -> usize {
        match self.kind() {
            Kind::String if self.span.len() >= LARGE => {
                let counted = || Rc::new(Items { len: json_string::chars(self.literal()), starts: Vec::new() });
                self.items.get_or_init(counted).len
            }
            _ => json_string::chars(self.literal()),
        }
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        Ok(json_string::slice(self.literal(), start, max).to_owned())
    }

    fn text(&self) -> Result<Cow<'_, str>, Error> {
        Ok(Quoted::of(self.span).map_or(Cow::Borrowed(""), Quoted::text))
    }

    fn column(&self, path: &[String]) -> Result<Option<Vec<f64>>, Error> {
        let Some((first, rest)) = path.split_first().filter(|_| self.kind() == Kind::Array) else { return Ok(None) };
        let bytes = self.span.as_bytes();
        let (mut numbers, mut steps, mut at) = (Vec::with_capacity(self.len()), self.steps(1), skip_space(bytes, 1));
        while bytes[at] != b']' {
            let end = steps.skip_value(at);
            let item = self.inside(at, end);
            numbers.push(match item.kind() {
                Kind::Object => {
                    item.member(first).map_or(Ok(f64::NAN), |found| numeric_column::number_at(&found, rest))?
                }
                _ => numeric_column::number_at(&item, path)?,
            });
            at = next_member(bytes, end);
        }
        Ok(Some(numbers))
    }

    fn lengths(&self, places: &[usize], room: usize) -> Result<Option<Vec<Length>>, Error> {
        // Here rather than in the core's walk over any source, which boxes every member.
        length_estimate::visit_members(self, places, room).map(Some)
    }

    fn length(&self, room: usize) -> Option<Length> {
        Some(length_estimate::visit(self, room))
    }

    fn min_bytes(&self, enough: usize) -> usize {
        if self.is_minified {
            return self.span.len().min(enough.saturating_add(1));
        }
        let bytes = self.span.as_bytes();
        let (mut count, mut at) = (0, 0);
        while at < bytes.len() && count <= enough {
            let end = match bytes[at] {
                b'"' => skip_string(bytes, at),
                _ => at + 1,
            };
            if !is_space(bytes[at]) {
                count += end - at;
            }
            at = end;
        }
        count
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        Ok(self.minified())
    }
}
