//! The rows that a question is about, and one pass over them.

use std::ops::ControlFlow;

use toolshape_json::{Fields, Steps, next_member, skip_space, skip_string};

use crate::base::field_path::FieldPath;
use crate::base::json_pointer;
use crate::base::json_string;
use crate::base::work::{Going, Work};
use crate::value::json_path::{self, Match, Query};
use crate::value::json_text::JsonText;

/// The field that is the row itself, for rows that are texts or numbers.
const ITSELF: &str = "@";

/// Rows of a text.
pub(crate) struct QuestionRows<'s, 't> {
    /// The text; what a filter calls `$`.
    pub text: &'s JsonText<'t>,
    pub are: Are<'s, 't>,
}

/// Which values of a text are the rows.
pub(crate) enum Are<'s, 't> {
    /// The items of the array, or the values of the object, that begins there.
    MembersOf(usize),
    /// What a query finds.
    FoundBy(&'s Query),
    /// What a query found.
    Found(&'s [Match<'t>]),
}

/// The place of a row: where its value begins, and where its member does, which is at the key in an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowPlace {
    pub member: usize,
    pub value: usize,
}

impl QuestionRows<'_, '_> {
    /// How many rows there are at least to make room for, as far as that is known.
    pub fn known(&self) -> usize {
        match self.are {
            Are::MembersOf(start) => self.text.members_at(start).unwrap_or(0),
            Are::FoundBy(_) => 0,
            Are::Found(matches) => matches.len(),
        }
    }

    /// Visits the rows in their order. The visitor gets each row's place, and returns where it ends.
    pub fn visit(&self, work: &Work, row: &mut dyn FnMut(&mut Steps<'_>, RowPlace) -> Going<usize>) -> Going {
        let (text, bytes) = (self.text, self.text.span().as_bytes());
        let mut at_value = |value: usize| {
            let place = RowPlace { member: value, value };
            row(&mut text.steps(value), place).map_continue(|_| ())
        };
        match self.are {
            Are::FoundBy(query) => return json_path::each(query, text, work, &mut at_value),
            Are::Found(matches) => return matches.iter().try_for_each(|one| at_value(one.start)),
            Are::MembersOf(_) => {}
        }
        let Are::MembersOf(start) = self.are else { return ControlFlow::Continue(()) };
        let is_object = bytes[start] == b'{';
        let mut at = skip_space(bytes, start + 1);
        let mut steps = text.steps(at);
        while !matches!(bytes[at], b']' | b'}') {
            let value = match is_object {
                true => skip_space(bytes, skip_space(bytes, skip_string(bytes, at)) + 1),
                false => at,
            };
            at = next_member(bytes, row(&mut steps, RowPlace { member: at, value })?);
        }
        ControlFlow::Continue(())
    }
}

/// The fields that a question names, each once.
#[derive(Default)]
pub(crate) struct NamedFields<'q> {
    fields: Vec<NamedField<'q>>,
}

struct NamedField<'q> {
    field: &'q FieldPath,
    path: &'q [String],
    /// Whether the question is about it; a filter only mentions what it looks at.
    is_asked: bool,
}

impl<'q> NamedFields<'q> {
    /// The number of a field that the question is about.
    pub fn number(&mut self, field: &'q FieldPath) -> usize {
        let number = self.known_or_new(field);
        self.fields[number].is_asked = true;
        number
    }

    /// The number of a field that a filter looks at.
    pub fn mention(&mut self, field: &'q FieldPath) -> usize {
        self.known_or_new(field)
    }

    fn known_or_new(&mut self, field: &'q FieldPath) -> usize {
        let path = match field.segments() {
            [own, rest @ ..] if own == ITSELF && !field.is_pointer() => rest,
            path => path,
        };
        self.fields.iter().position(|known| known.path == path).unwrap_or_else(|| {
            self.fields.push(NamedField { field, path, is_asked: false });
            self.fields.len() - 1
        })
    }

    /// A search for these fields in one row after another.
    pub fn search(&self) -> Fields {
        Fields::new(self.fields.iter().map(|known| known.path), json_string::is_text, json_pointer::index)
    }

    /// The first field that the question is about and no row had, and whether a list was on its way.
    pub fn unknown(&self, fields: &Fields) -> Option<Unknown<'q>> {
        let is_unknown = |&field: &usize| self.fields[field].is_asked && !fields.is_known(field);
        let unknown = (0..self.fields.len()).find(is_unknown)?;
        Some(Unknown { field: self.fields[unknown].field, is_in_list: fields.is_in_list(unknown) })
    }

    /// The fields that filters look at and no row had.
    pub fn mentioned_in_vain(&self, fields: &Fields) -> Vec<&'q str> {
        let unknown = (0..self.fields.len()).filter(|&field| !self.fields[field].is_asked && !fields.is_known(field));
        unknown.map(|field| self.fields[field].field.written()).collect()
    }
}

/// A field that no row has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknown<'q> {
    pub field: &'q FieldPath,
    /// Whether rows have a list on the way to it.
    pub is_in_list: bool,
}

/// Why a question has no answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum QuestionError<'q> {
    /// It takes too much work.
    Stopped,
    Unknown(Unknown<'q>),
    /// A number has too many digits to be added up.
    TooFar(&'q FieldPath),
}
