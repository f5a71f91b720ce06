//! Estimates the length of a value's JSON text without reading any text: from the lengths of strings and the numbers of
//! members.
//!
//! A host may estimate many members at once, and must come to the same figures, to the last bit: see
//! `src/wasm/lengths.js`.

use crate::base::error::Error;
use crate::base::json_string;
use crate::value::sampling::spread;
use crate::value::source::Length;
use crate::value::source::{Kind, Source};

/// The assumed length of a number, a boolean or null.
const SCALAR: f64 = 8.0;
/// The assumed length of a member that is not visited: of an array, and of an object with its key.
const ITEM: f64 = 8.0;
const ENTRY: f64 = 24.0;
/// A container of at most so many members is visited completely, if there is room.
const SMALL: usize = 8;
/// Deeper levels are not visited.
const LEVELS: usize = 16;
/// One item of an array is visited for each so many values of room, because items are mostly alike.
const ITEM_ROOM: usize = 16;

/// The estimated length of a value. Visits at most `room` descendants, evenly spread; an unused share passes to later
/// siblings.
pub(crate) fn of<S: Source>(value: &S, room: usize) -> Length {
    value.length(room).unwrap_or_else(|| of_entry("", Some(value), &mut { room }, LEVELS))
}

/// The estimated lengths of the members at `places`, with their keys. Visits at most `room` values in all of them.
pub(crate) fn of_members<S: Source>(value: &S, places: &[usize], room: usize) -> Result<Vec<Length>, Error> {
    match value.lengths(places, room)? {
        Some(lengths) => Ok(lengths),
        None => visit_members(value, places, room),
    }
}

/// The estimated lengths of the members at `places`, member after member, for a [`Source::lengths`] whose members are
/// cheap to read. Visits at most `room` values in all of them.
///
/// # Errors
/// Whatever reading the value reports.
pub fn visit_members<S: Source>(value: &S, places: &[usize], room: usize) -> Result<Vec<Length>, Error> {
    let mut left = room;
    let mut lengths = Vec::with_capacity(places.len());
    each(value, places, |nth, key, member| {
        let share = left / (places.len() - nth);
        let mut unused = share;
        lengths.push(of_entry(key, member, &mut unused, LEVELS));
        left -= share - unused;
    })?;
    Ok(lengths)
}

/// Calls `with` for the members at `places`, which are in ascending order. Keys have their quotes, and are empty in
/// arrays. An item that cannot be read is passed as `None`: rendering reports its error if it is shown.
fn each<S: Source>(value: &S, places: &[usize], mut with: impl FnMut(usize, &str, Option<&S>)) -> Result<(), Error> {
    if value.kind() == Kind::Object {
        let mut nth = 0;
        return value.each_entry(places, &mut |key, member| {
            with(nth, key, Some(member));
            nth += 1;
        });
    }
    let mut nth = 0;
    value.each_item(places, &mut |item| {
        with(nth, "", item);
        nth += 1;
    });
    Ok(())
}

fn of_entry<S: Source>(key: &str, value: Option<&S>, left: &mut usize, levels: usize) -> Length {
    let Some(value) = value else { return Length { chars: around(key) + SCALAR, is_all: false } };
    value.member_length(key, left, levels).unwrap_or_else(|| visit_member(key, value, left, levels))
}

/// The characters of a separator, and of a key with its colon.
fn around(key: &str) -> f64 {
    if key.is_empty() { 1.0 } else { json_string::chars(key) as f64 + 2.0 }
}

/// The estimated length of a member, for a [`Source::member_length`] of one whose own members are cheap to read as what
/// they are. What is visited in it is taken from `left`.
pub fn visit_member<S: Source>(key: &str, value: &S, left: &mut usize, levels: usize) -> Length {
    let around = around(key);
    let found = |chars: f64| Length { chars: around + chars, is_all: true };
    let (count, unseen) = match value.kind() {
        Kind::String => return found((value.chars() + 2) as f64),
        Kind::Array => (value.len(), ITEM),
        Kind::Object => (value.len(), ENTRY),
        _ => return found(SCALAR),
    };
    let most = match value.kind() {
        _ if levels == 0 => 0,
        _ if count <= SMALL.min(*left) => count,
        Kind::Array => left.div_ceil(ITEM_ROOM),
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
    let (mut chars, mut is_all) = (0.0, places.len() == count);
    let read = each(value, &places, |nth, key, member| {
        let share = *left / (places.len() - nth);
        let mut unused = share;
        let length = of_entry(key, member, &mut unused, levels - 1);
        *left -= share - unused;
        chars += length.chars;
        is_all &= length.is_all;
    });
    match read {
        Ok(()) => Length { chars: around + 2.0 + chars / places.len() as f64 * count as f64, is_all },
        Err(_) => Length { is_all: false, ..outside },
    }
}
