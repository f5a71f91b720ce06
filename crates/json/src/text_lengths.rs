//! How long the values in checked text are, by estimate. The walk of [`lengths`](crate::lengths) is compiled for speed here,
//! because nearly every result is weighed by it.

use std::convert::Infallible;

use crate::chars::chars;
use crate::lengths::{Length, MemberReader, ValueSize, around, member_length, member_lengths};
use crate::outline::{LARGE, MemberMark, Steps, ValueIndex};
use crate::scan::{next_member, skip_space, skip_string};

/// The lengths of what is in one value of checked text.
pub struct TextLengths<'t>(MeasuredText<'t>);

impl<'t> TextLengths<'t> {
    /// Those in the value that is all of `text`; `outline` has the start of that at the given place, and is of a large value.
    pub fn new(text: &'t str, outline: Option<(usize, &'t ValueIndex)>) -> Self {
        Self(MeasuredText { text, outline })
    }

    /// As [`member_lengths`], of the value that is all of the text.
    pub fn of_members(&self, places: &[usize], room: usize) -> Vec<Length> {
        let Ok(lengths) = member_lengths(&self.0, &self.0.all(), places, room);
        lengths
    }

    /// As [`member_length`], of the value that is all of the text.
    pub fn of_all(&self, around: f64, left: &mut usize, levels: usize) -> Length {
        member_length(&self.0, &self.0.all(), around, left, levels)
    }
}

struct MeasuredText<'t> {
    text: &'t str,
    /// The places of the large values, and where they have the start of `text`.
    outline: Option<(usize, &'t ValueIndex)>,
}

/// A value of the text.
#[derive(Clone, Copy)]
struct ValuePart {
    start: usize,
    end: usize,
    /// The number of its entries, if that was found before.
    entries: Option<usize>,
}

impl<'t> MeasuredText<'t> {
    fn all(&self) -> ValuePart {
        ValuePart { start: 0, end: self.text.len(), entries: None }
    }

    /// The places in a value that may have some.
    fn outline_of(&self, part: ValuePart) -> Option<(usize, &'t ValueIndex)> {
        self.outline.filter(|_| part.end - part.start >= LARGE)
    }

    /// The steps through a value from `at` on.
    fn steps(&self, part: ValuePart, at: usize) -> Steps<'t> {
        let bytes = self.text.as_bytes();
        self.outline_of(part).map_or_else(|| Steps::new(bytes), |(own, outline)| outline.steps(bytes, own, at))
    }

    /// How many members an array or object has.
    fn count(&self, part: ValuePart) -> usize {
        let known = self.outline_of(part).and_then(|(own, outline)| outline.members(own + part.start));
        known.or(part.entries).unwrap_or_else(|| MemberWalk::new(self, part).count())
    }
}

impl MemberReader for MeasuredText<'_> {
    type Value = ValuePart;
    type Error = Infallible;

    fn size(&self, &part: &ValuePart) -> ValueSize {
        match self.text.as_bytes()[part.start] {
            b'"' => ValueSize::String(chars(&self.text[part.start + 1..part.end - 1])),
            b'[' => ValueSize::Array(self.count(part)),
            b'{' => ValueSize::Object(self.count(part)),
            _ => ValueSize::Scalar,
        }
    }

    fn each(
        &self,
        &part: &ValuePart,
        places: &[usize],
        mut with: impl FnMut(f64, Option<&ValuePart>),
    ) -> Result<(), Infallible> {
        let mut walk = MemberWalk::new(self, part);
        for &place in places {
            walk.go_to(place);
            match walk.next() {
                Some((key, member)) => with(around(key), Some(&member)),
                None if walk.is_object => break,
                None => with(around(""), None),
            }
        }
        Ok(())
    }
}

/// A walk over the members of an array or object: each with its key, which has its quotes and is empty in an array.
struct MemberWalk<'w, 't> {
    text: &'w MeasuredText<'t>,
    part: ValuePart,
    is_object: bool,
    /// Where the next member begins, and its index.
    at: usize,
    index: usize,
    steps: Steps<'t>,
}

impl<'w, 't> MemberWalk<'w, 't> {
    fn new(text: &'w MeasuredText<'t>, part: ValuePart) -> Self {
        let bytes = text.text.as_bytes();
        let at = skip_space(bytes, part.start + 1);
        Self { text, part, is_object: bytes[part.start] == b'{', at, index: 0, steps: text.steps(part, at) }
    }

    /// Goes on to a member that is not before the next one.
    fn go_to(&mut self, place: usize) {
        if place > self.index
            && let Some((own, outline)) = self.text.outline_of(self.part)
            && let Some(MemberMark { index, at }) = outline.mark(own + self.part.start, place)
            && index > self.index
        {
            (self.index, self.at) = (index, at - own);
            self.steps = self.text.steps(self.part, self.at);
        }
        while self.index < place && self.next().is_some() {}
    }
}

impl<'t> Iterator for MemberWalk<'_, 't> {
    type Item = (&'t str, ValuePart);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.text.text;
        let bytes = text.as_bytes();
        if matches!(bytes[self.at], b']' | b'}') {
            return None;
        }
        let (mut key, mut start) = ("", self.at);
        if self.is_object {
            let end = skip_string(bytes, start);
            key = &text[start..end];
            start = skip_space(bytes, skip_space(bytes, end) + 1);
        }
        let (end, entries) = self.steps.skip_counted(start);
        (self.at, self.index) = (next_member(bytes, end), self.index + 1);
        Some((key, ValuePart { start, end, entries }))
    }
}
