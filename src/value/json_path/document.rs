//! The searched text: every look at it is spent from the work of the call.

use std::ops::ControlFlow;

use toolshape_json::{Fields, Steps, next_member, skip_space, skip_string};

use crate::base::work::{Going, Work};
use crate::value::json_text::JsonText;

/// A searched text; a value in it is known by the place where it begins.
pub(super) struct Document<'s, 'a> {
    text: &'s JsonText<'a>,
    pub work: &'s Work,
}

/// The name of a value in the array or object that contains it.
#[derive(Clone, Copy, Debug)]
pub(super) enum MemberKey<'a> {
    /// A key with its quotes.
    Key(&'a str),
    Index(usize),
}

/// The member with which a walk begins: its place and its number.
struct First {
    at: usize,
    index: usize,
    is_object: bool,
}

/// What it takes to step over large values, in bytes that are looked at: their places are looked up among those of all
/// large values of the text, which may be millions.
const STEPPING_OVER: usize = 1024;

/// The bytes that are looked at where a value is skipped, and this many of its bytes are in values that are stepped over.
fn looked_at(bytes: usize, unread: usize) -> usize {
    bytes.min(bytes - unread + STEPPING_OVER)
}

impl<'s, 'a> Document<'s, 'a> {
    pub fn new(text: &'s JsonText<'a>, work: &'s Work) -> Self {
        Self { text, work }
    }

    pub fn text(&self) -> &'a str {
        self.text.span()
    }

    /// See [`JsonText::counted_as`].
    pub fn counted_as<'j>(&self, json: &'j str) -> &'j str {
        self.text.counted_as(json)
    }

    pub fn byte(&self, at: usize) -> u8 {
        self.text.span().as_bytes()[at]
    }

    /// Whether an array or an object begins there.
    pub fn is_container(&self, start: usize) -> bool {
        matches!(self.byte(start), b'{' | b'[')
    }

    /// The end of the value that begins there.
    pub fn end_of(&self, start: usize) -> Going<usize> {
        let mut steps = self.text.steps(start);
        let end = steps.skip_value(start);
        self.work.step(looked_at(end - start, steps.unread()))?;
        ControlFlow::Continue(end)
    }

    /// The value that begins there.
    pub fn value(&self, start: usize) -> Going<&'a str> {
        ControlFlow::Continue(&self.text.span()[start..self.end_of(start)?])
    }

    /// The place of the first member of an array or object, or of its closing bracket.
    pub fn inside(&self, start: usize) -> usize {
        skip_space(self.text.span().as_bytes(), start + 1)
    }

    /// Whether the closing bracket is there.
    pub fn is_end(&self, at: usize) -> bool {
        matches!(self.byte(at), b'}' | b']')
    }

    /// The place after a value that ends at `end`: of the next member, or of the closing bracket.
    pub fn after(&self, end: usize) -> usize {
        next_member(self.text.span().as_bytes(), end)
    }

    /// The key at `at`, and the place of its value.
    pub fn key(&self, at: usize) -> (&'a str, usize) {
        let span = self.text.span();
        let end = skip_string(span.as_bytes(), at);
        (&span[at..end], skip_space(span.as_bytes(), skip_space(span.as_bytes(), end) + 1))
    }

    /// Visits the members of the array or object at `start`: the name and the place of each; none of any other value.
    pub fn members(&self, start: usize, member: impl FnMut(MemberKey<'a>, usize) -> Going) -> Going {
        match self.is_container(start) {
            true => self.members_from(self.inside(start), 0, self.byte(start) == b'{', member),
            false => ControlFlow::Continue(()),
        }
    }

    /// The same from the member at `at` on, which is number `index`.
    pub fn members_from(
        &self,
        at: usize,
        index: usize,
        is_object: bool,
        mut member: impl FnMut(MemberKey<'a>, usize) -> Going,
    ) -> Going {
        let first = First { at, index, is_object };
        self.walk(first, &mut (), |(), steps, at| steps.skip_value(at), |(), name, at| member(name, at))
    }

    /// Visits the members of the array or object at `start`, with the places of some fields in each.
    pub fn members_with(
        &self,
        start: usize,
        fields: &mut Fields,
        member: impl FnMut(&Fields, MemberKey<'a>, usize) -> Going,
    ) -> Going {
        let first = First { at: self.inside(start), index: 0, is_object: self.byte(start) == b'{' };
        let text = self.text.span();
        self.walk(first, fields, |fields, steps, at| fields.read(text, steps, at), member)
    }

    /// Whether the array or object at `start` has enough bytes that it pays to look for fields of its members.
    pub fn is_large(&self, start: usize) -> bool {
        self.is_container(start) && self.text.members_at(start).is_some()
    }

    /// Visits members from the first on; `end_of` finds where each value ends.
    fn walk<S>(
        &self,
        First { mut at, mut index, is_object }: First,
        state: &mut S,
        end_of: impl Fn(&mut S, &mut Steps<'_>, usize) -> usize,
        mut member: impl FnMut(&S, MemberKey<'a>, usize) -> Going,
    ) -> Going {
        self.work.step(0)?;
        let mut steps = self.text.steps(at);
        while !self.is_end(at) {
            let (before, mut name) = (at, MemberKey::Index(index));
            if is_object {
                let (key, start) = self.key(at);
                (name, at) = (MemberKey::Key(key), start);
            }
            let unread = steps.unread();
            let end = end_of(state, &mut steps, at);
            self.work.step(looked_at(end - before, steps.unread() - unread))?;
            member(state, name, at)?;
            at = self.after(end);
            index += 1;
        }
        ControlFlow::Continue(())
    }

    /// The number of members of the array or object at `start`.
    pub fn count(&self, start: usize) -> Going<usize> {
        let mut count = 0;
        self.members(start, |_, _| {
            count += 1;
            ControlFlow::Continue(())
        })?;
        ControlFlow::Continue(count)
    }
}
