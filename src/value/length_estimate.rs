//! Estimates the length of a source's JSON text without reading any text: see [`toolshape_json::lengths`].

use std::marker::PhantomData;

use toolshape_json::lengths::{Length, MemberReader, ValueSize, around, length, member_length, member_lengths};

use crate::base::error::Error;
use crate::value::source::{Kind, Source};

/// How the members of sources are read.
struct Sources<S>(PhantomData<S>);

/// The estimated length of a value. Visits at most `room` descendants, evenly spread; an unused share passes to later
/// siblings.
pub(crate) fn of<S: Source>(value: &S, room: usize) -> Length {
    value.fast().and_then(|fast| fast.length(room)).unwrap_or_else(|| length(&Sources(PhantomData), value, room))
}

/// The estimated lengths of the members at `places`, with their keys. Visits at most `room` values in all of them.
pub(crate) fn of_members<S: Source>(value: &S, places: &[usize], room: usize) -> Result<Vec<Length>, Error> {
    match value.fast().map_or(Ok(None), |fast| fast.lengths(places, room))? {
        Some(lengths) => Ok(lengths),
        None => visit_members(value, places, room),
    }
}

/// The estimated lengths of the members at `places`, member after member, for a `FastSource::lengths` whose members are
/// cheap to read. Visits at most `room` values in all of them.
///
/// # Errors
/// Whatever reading the value reports.
pub fn visit_members<S: Source>(value: &S, places: &[usize], room: usize) -> Result<Vec<Length>, Error> {
    member_lengths(&Sources(PhantomData), value, places, room)
}

/// The estimated length of a member, for a `FastSource::member_length` of one whose own members are cheap to read as what
/// they are. What is visited in it is taken from `left`.
pub fn visit_member<S: Source>(value: &S, around: f64, left: &mut usize, levels: usize) -> Length {
    member_length(&Sources(PhantomData), value, around, left, levels)
}

impl<S: Source> MemberReader for Sources<S> {
    type Value = S;
    type Error = Error;

    fn size(&self, value: &S) -> ValueSize {
        match value.kind() {
            Kind::String => ValueSize::String(value.chars()),
            Kind::Array => ValueSize::Array(value.len()),
            Kind::Object => ValueSize::Object(value.len()),
            Kind::Null | Kind::Bool | Kind::Number => ValueSize::Scalar,
        }
    }

    fn each(&self, value: &S, places: &[usize], mut with: impl FnMut(f64, Option<&S>)) -> Result<(), Error> {
        if value.kind() == Kind::Object {
            return value.each_entry(places, &mut |key, member| with(around(key), Some(member)));
        }
        // An item that cannot be read: rendering reports its error if it is shown.
        value.each_item(places, &mut |item| with(around(""), item));
        Ok(())
    }

    fn known_length(&self, value: &S, around: f64, left: &mut usize, levels: usize) -> Option<Length> {
        value.fast()?.member_length(around, left, levels)
    }
}
