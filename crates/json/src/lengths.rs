//! Estimates how long the JSON text of a value is without reading it: from the lengths of strings and the numbers of members.
//!
//! The walk is the same for every value whose members can be asked for. A host may make it many at once, and must come to the
//! same figures, to the last bit: see `src/wasm/lengths.js`.

use crate::chars::chars;

/// The assumed length of a number, a boolean or null.
const SCALAR: f64 = 8.0;
/// The assumed length of a member that is not visited: of an array, and of an object with its key.
const ITEM: f64 = 8.0;
const ENTRY: f64 = 24.0;
/// A container with at most this many members is visited completely, if there is room.
const SMALL: usize = 8;
/// Deeper levels are not visited.
const LEVELS: usize = 16;
/// One item of an array is visited per this many values of room, because items are mostly alike.
const ITEM_ROOM: usize = 16;

/// The estimated length of a value's JSON text, in characters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    pub chars: f64,
    /// Whether every value within it was visited.
    pub is_all: bool,
}

/// What is asked of a value first: the characters of a string, or how many members there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSize {
    Scalar,
    String(usize),
    Array(usize),
    Object(usize),
}

/// How the members of values are read.
pub trait MemberReader {
    type Value;
    type Error;

    fn size(&self, value: &Self::Value) -> ValueSize;

    /// Calls `with` for the members of a value at `places`, which are in ascending order: with the characters [`around`] each,
    /// and with `None` for one that cannot be read.
    ///
    /// # Errors
    /// Whatever reading the value reports.
    fn each(
        &self,
        value: &Self::Value,
        places: &[usize],
        with: impl FnMut(f64, Option<&Self::Value>),
    ) -> Result<(), Self::Error>;

    /// The same as [`member_length`], of a value that has a faster way.
    fn known_length(&self, _value: &Self::Value, _around: f64, _left: &mut usize, _levels: usize) -> Option<Length> {
        None
    }
}

/// The characters around a member: a separator, and a key, which has its quotes, with its colon. A key that is empty is none.
pub fn around(key: &str) -> f64 {
    if key.is_empty() { 1.0 } else { chars(key) as f64 + 2.0 }
}

/// The estimated length of a value after a separator. Visits at most `room` descendants, evenly spread; an unused share passes
/// to later siblings.
pub fn length<M: MemberReader>(members: &M, value: &M::Value, room: usize) -> Length {
    of_member(members, around(""), Some(value), &mut { room }, LEVELS)
}

/// The estimated lengths of the members at `places`, which are in ascending order, each with what is around it. Visits at most
/// `room` values in all of them.
///
/// # Errors
/// Whatever reading the value reports.
pub fn member_lengths<M: MemberReader>(
    members: &M,
    value: &M::Value,
    places: &[usize],
    room: usize,
) -> Result<Vec<Length>, M::Error> {
    let mut left = room;
    let mut lengths = Vec::with_capacity(places.len());
    members.each(value, places, |around, member| {
        let share = left / (places.len() - lengths.len());
        let mut unused = share;
        lengths.push(of_member(members, around, member, &mut unused, LEVELS));
        left -= share - unused;
    })?;
    Ok(lengths)
}

fn of_member<M: MemberReader>(
    members: &M,
    around: f64,
    value: Option<&M::Value>,
    left: &mut usize,
    levels: usize,
) -> Length {
    let Some(value) = value else { return Length { chars: around + SCALAR, is_all: false } };
    members
        .known_length(value, around, left, levels)
        .unwrap_or_else(|| member_length(members, value, around, left, levels))
}

/// The estimated length of a value with this many characters around it, down to this many levels below it. What is visited in it
/// is taken from `left`.
pub fn member_length<M: MemberReader>(
    members: &M,
    value: &M::Value,
    around: f64,
    left: &mut usize,
    levels: usize,
) -> Length {
    let found = |chars: f64| Length { chars: around + chars, is_all: true };
    let size = members.size(value);
    let (count, unseen) = match size {
        ValueSize::Scalar => return found(SCALAR),
        ValueSize::String(chars) => return found((chars + 2) as f64),
        ValueSize::Array(count) => (count, ITEM),
        ValueSize::Object(count) => (count, ENTRY),
    };
    let most = match size {
        _ if levels == 0 => 0,
        _ if count <= SMALL.min(*left) => count,
        ValueSize::Array(_) => left.div_ceil(ITEM_ROOM),
        // Entries differ, so a few of them say less than their number does.
        _ if *left < SMALL => 0,
        _ => *left,
    };
    let places = spread(count, most);
    let outside = Length { chars: around + 2.0 + count as f64 * unseen, is_all: count == 0 };
    if places.is_empty() {
        return outside;
    }
    *left -= places.len();
    let (mut chars, mut is_all, mut ahead) = (0.0, places.len() == count, places.len());
    let read = members.each(value, &places, |around, member| {
        let share = *left / ahead;
        let mut unused = share;
        let length = of_member(members, around, member, &mut unused, levels - 1);
        *left -= share - unused;
        ahead -= 1;
        chars += length.chars;
        is_all &= length.is_all;
    });
    match read {
        Ok(()) => Length { chars: around + 2.0 + chars / places.len() as f64 * count as f64, is_all },
        Err(_) => Length { is_all: false, ..outside },
    }
}

/// At most `most` indices below `count`, evenly spread: the middles of equal stretches.
pub fn spread(count: usize, most: usize) -> Vec<usize> {
    let taken = count.min(most);
    (0..taken).map(|nth| ((2 * nth + 1) as u64 * count as u64 / (2 * taken) as u64) as usize).collect()
}
