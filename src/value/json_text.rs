//! JSON text as a [`Source`]: checked in one pass, then sliced, never rebuilt.
//!
//! Output is made of spans of the input, so every number and key keeps its spelling (RFC 8259). No tree is built and
//! nothing recurses, so neither size nor nesting costs memory: only the places of large values and of some of their
//! members are stored.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use toolshape_json::{
    Checked, JsonFault, LARGE, MemberMark, Steps, TextLengths, ValueIndex, check, check_start, is_space, minify,
};
use toolshape_json::{named_members, next_member, skip_space, skip_string};

use crate::base::error::{Error, ErrorCode};
use crate::base::json_pointer;
use crate::base::json_string::{self, Quoted};
use crate::value::numeric_column;
use crate::value::source::{Entry, FastSource, Kind, Length, MAX_DEPTH, Source, too_deep};

/// A JSON value as a span of checked text.
#[derive(Clone, Debug)]
pub struct JsonText<'a> {
    /// Exactly the value: no white space around it.
    span: &'a str,
    /// For a large value: its offset in the checked text, and the outline of that text.
    outline: Option<(usize, Arc<ValueIndex>)>,
    /// The number of members, or of the characters of a long string, once they were counted.
    counted: OnceCell<usize>,
    /// Whether it is known to have no white space outside of strings.
    is_minified: bool,
}

/// Where a value of a checked text is, and what was found in it. It does not hold the text.
#[derive(Clone, Debug)]
pub struct JsonIndex {
    value: Range<usize>,
    /// As that of a [`JsonText`].
    outline: Option<(usize, Arc<ValueIndex>)>,
    counted: OnceLock<usize>,
    is_minified: bool,
}

impl JsonIndex {
    /// Checks that `text` is one JSON value.
    ///
    /// # Errors
    /// As [`JsonText::parse`].
    pub fn of(text: &str) -> Result<Self, Error> {
        check(text, MAX_DEPTH).map(Self::new).map_err(|fault| explain(fault, text))
    }

    /// Checks the value that `text` begins with; after it may be anything.
    ///
    /// # Errors
    /// Where the check stopped.
    pub(crate) fn of_start(text: &str) -> Result<Self, JsonFault> {
        check_start(text, MAX_DEPTH).map(Self::new)
    }

    fn new(checked: Checked) -> Self {
        let Checked { value, outline, is_minified } = checked;
        let outline = (value.len() >= LARGE).then(|| (value.start, Arc::new(outline)));
        Self { value, outline, counted: OnceLock::new(), is_minified }
    }

    /// Where the value ends in the checked text.
    pub(crate) fn end(&self) -> usize {
        self.value.end
    }

    /// The place of a checked value in `text`.
    pub fn within(value: &JsonText<'_>, text: &str) -> Self {
        let start = value.span.as_ptr() as usize - text.as_ptr() as usize;
        let counted = value.counted.get().copied().map(OnceLock::from).unwrap_or_default();
        let (outline, is_minified) = (value.outline.clone(), value.is_minified);
        Self { value: start..start + value.span.len(), outline, counted, is_minified }
    }

    /// Keeps what was found in the value meanwhile.
    pub(crate) fn adopt(&self, value: &JsonText<'_>) {
        if let Some(counted) = value.counted.get() {
            self.counted.get_or_init(|| *counted);
        }
    }

    /// The value in the text, or in an equal one.
    pub fn over<'a>(&self, text: &'a str) -> JsonText<'a> {
        let counted = self.counted.get().copied().map(OnceCell::from).unwrap_or_default();
        JsonText {
            span: &text[self.value.clone()],
            outline: self.outline.clone(),
            counted,
            is_minified: self.is_minified,
        }
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
        Self { span, outline: None, counted: OnceCell::new(), is_minified: false }
    }

    /// A value inside this one.
    fn inside(&self, start: usize, end: usize) -> Self {
        let outline = self.outline.as_ref().filter(|_| end - start >= LARGE);
        let outline = outline.map(|(at, outline)| (at + start, Arc::clone(outline)));
        Self { span: &self.span[start..end], outline, counted: OnceCell::new(), ..*self }
    }

    /// The value inside this one at which the steps are, and its end.
    fn step(&self, steps: &mut Steps<'_>, start: usize) -> (Self, usize) {
        let (end, entries) = steps.skip_counted(start);
        let counted = entries.map_or_else(OnceCell::new, OnceCell::from);
        (Self { counted, ..self.inside(start, end) }, end)
    }

    /// The steps through the value from `at` on.
    pub(crate) fn steps(&self, at: usize) -> Steps<'_> {
        let bytes = self.span.as_bytes();
        self.outline.as_ref().map_or_else(|| Steps::new(bytes), |(start, outline)| outline.steps(bytes, *start, at))
    }

    /// The value inside this one that begins at `start`.
    pub(crate) fn value_at(&self, start: usize) -> Self {
        self.inside(start, self.steps(start).skip_value(start))
    }

    /// The lengths of what is in it.
    fn text_lengths(&self) -> TextLengths<'_> {
        TextLengths::new(self.span, self.outline.as_ref().map(|(start, outline)| (*start, &**outline)))
    }

    /// The value's text in the input, if that is minified.
    pub(crate) fn minified_span(&self) -> Option<&'a str> {
        self.is_minified.then_some(self.span)
    }

    /// The value's text in the input.
    pub fn span(&self) -> &'a str {
        self.span
    }

    /// The value's text without white space.
    pub fn minified(&self) -> Cow<'a, str> {
        if self.is_minified { Cow::Borrowed(self.span) } else { minify(self.span) }
    }

    /// The value at the reference tokens of a JSON Pointer, found in one pass.
    ///
    /// # Errors
    /// The last value on the path, and the number of tokens that lead to it.
    pub fn at(&self, tokens: &[String]) -> Result<Self, (Self, usize)> {
        let bytes = self.span.as_bytes();
        let mut start = 0;
        for (led, token) in tokens.iter().enumerate() {
            let index = json_pointer::index(token);
            let is_object = bytes[start] == b'{';
            if !is_object && bytes[start] != b'[' {
                return Err((self.value_at(start), led));
            }
            let wanted = index.filter(|_| !is_object).unwrap_or_default();
            let MemberMark { index: mut count, mut at } = self.near(start, wanted);
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

    /// Where a walk to the member at `index` of the array or object at `start` begins: the last known member that is not
    /// after it, or the first one.
    fn near(&self, start: usize, index: usize) -> MemberMark {
        let known = self.outline.as_ref().and_then(|(own, outline)| {
            let MemberMark { index, at } = outline.mark(own + start, index)?;
            Some(MemberMark { index, at: at - own })
        });
        known.unwrap_or_else(|| MemberMark { index: 0, at: skip_space(self.span.as_bytes(), start + 1) })
    }

    /// The last known member up to the one at `place`, if it is after the one at `next`.
    fn known_after(&self, next: usize, place: usize) -> Option<MemberMark> {
        (place > next).then(|| self.near(0, place)).filter(|known| known.index > next)
    }

    /// The first value of an object under a key; the entries after it are not read.
    fn member(&self, name: &str) -> Option<Self> {
        self.all_members().find(|(key, _)| Quoted::new(key).is(name)).map(|(_, value)| value)
    }

    /// The members of an object with these names, of several with one name the last; none of any other value.
    pub fn named<const N: usize>(&self, names: &[&str; N]) -> [Option<Self>; N] {
        let mut places = [None; N];
        if self.kind() == Kind::Object {
            named_members(self.span, &mut self.steps(1), names, json_string::is_text, &mut places);
        }
        places.map(|place| place.map(|(start, end)| self.inside(start, end)))
    }

    /// The keys of an object, with their quotes; none for any other value.
    #[cfg(feature = "sql")]
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'a str> {
        (self.kind() == Kind::Object).then(|| self.all_members().map(|(key, _)| key)).into_iter().flatten()
    }

    /// The items of an array from `index` on.
    fn items_from(&self, index: usize) -> impl Iterator<Item = Self> {
        let MemberMark { index: known, mut at } = self.near(0, index);
        let (bytes, mut steps) = (self.span.as_bytes(), self.steps(at));
        let items = std::iter::from_fn(move || {
            if bytes[at] == b']' {
                return None;
            }
            let (item, end) = self.step(&mut steps, at);
            at = next_member(bytes, end);
            Some(item)
        });
        items.skip(index - known)
    }

    /// All entries of an object.
    fn all_members(&self) -> impl Iterator<Item = (&'a str, Self)> {
        self.members(self.near(0, 0).at)
    }

    /// The entries of an object from `at` on: the key with its quotes, and the value.
    fn members(&self, mut at: usize) -> impl Iterator<Item = (&'a str, Self)> {
        let (span, mut steps) = (self.span, self.steps(at));
        let bytes = span.as_bytes();
        std::iter::from_fn(move || {
            if bytes[at] == b'}' {
                return None;
            }
            let key_end = skip_string(bytes, at);
            let key = &span[at..key_end];
            let start = skip_space(bytes, skip_space(bytes, key_end) + 1);
            let (value, end) = self.step(&mut steps, start);
            at = next_member(bytes, end);
            Some((key, value))
        })
    }
}

/// The error for a fault, with the line and the column at which checking stopped.
fn explain(fault: JsonFault, text: &str) -> Error {
    let JsonFault::At(at, wanted) = fault else {
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
            Kind::Array => known().unwrap_or_else(|| *self.counted.get_or_init(|| self.items_from(0).count())),
            Kind::Object => known().unwrap_or_else(|| *self.counted.get_or_init(|| self.all_members().count())),
            _ => 0,
        }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        if self.kind() != Kind::Array {
            return Ok(Vec::new());
        }
        Ok(self.items_from(start).take(max).collect())
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        if self.kind() != Kind::Object {
            return Ok(Vec::new());
        }
        let wanted = self.all_members().enumerate().filter(|(at, (key, _))| is_wanted(*at, key));
        Ok(wanted.map(|(_, (key, value))| (key.to_owned(), value)).collect())
    }

    fn each_item(&self, places: &[usize], with: &mut dyn FnMut(Option<&Self>)) {
        let (mut items, mut next) = (self.items_from(0), 0);
        for &place in places {
            if self.known_after(next, place).is_some() {
                (items, next) = (self.items_from(place), place);
            }
            with(items.nth(place - next).as_ref());
            next = place + 1;
        }
    }

    fn each_entry(&self, places: &[usize], with: &mut dyn FnMut(&str, &Self)) -> Result<(), Error> {
        if self.kind() != Kind::Object {
            return Ok(());
        }
        let (mut members, mut next) = (self.members(self.near(0, 0).at), 0);
        for &place in places {
            if let Some(MemberMark { index, at }) = self.known_after(next, place) {
                (members, next) = (self.members(at), index);
            }
            let Some((key, value)) = members.nth(place - next) else { break };
            with(key, &value);
            next = place + 1;
        }
        Ok(())
    }

    fn chars(&self) -> usize {
        match self.kind() {
            Kind::String if self.span.len() >= LARGE => {
                *self.counted.get_or_init(|| json_string::chars(self.literal()))
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

    fn fast(&self) -> Option<&dyn FastSource> {
        Some(self)
    }
}

impl FastSource for JsonText<'_> {
    fn minified_here(&self) -> Option<&str> {
        self.minified_span()
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
        Ok(Some(self.text_lengths().of_members(places, room)))
    }

    fn member_length(&self, around: f64, left: &mut usize, levels: usize) -> Option<Length> {
        Some(self.text_lengths().of_all(around, left, levels))
    }
}
