//! About how long the JSON text of a value is, told without reading any of it: from the lengths of its strings and
//! from how many members there are.
//!
//! Hosts tell it of many members at once, and all in the same way, to the last bit: see
//! `src/wasm/lengths.js`.

use crate::base::error::Error;
use crate::base::json_string;
use crate::value::sampling::spread;
use crate::value::source::Length;
use crate::value::source::{Kind, Source};

/// What is taken for the length of a number or a word.
const SCALAR: f64 = 8.0;
/// Of a member that is not looked at, in an array and, with its key, in an object.
const ITEM: f64 = 8.0;
const ENTRY: f64 = 24.0;
/// So few members are all looked at, if there is room.
const SMALL: usize = 8;
/// What lies deeper is not looked at.
const LEVELS: usize = 16;
/// What an item of an array should have to be looked at with: its items are mostly alike.
const ITEM_ROOM: usize = 16;

/// The length of a value, for which `room` values within it may be looked at: members that lie evenly among all, and
/// what one of them leaves of its share is for those after it.
pub(crate) fn of<S: Source>(value: &S, room: usize) -> Length {
    of_entry("", Some(value), &mut { room }, LEVELS)
}

/// The lengths of the members at some places, with their keys; for all of them `room` values may be looked at.
pub(crate) fn of_members<S: Source>(value: &S, places: &[usize], room: usize) -> Result<Vec<Length>, Error> {
    match value.lengths(places, room)? {
        Some(lengths) => Ok(lengths),
        None => visit_members(value, places, room),
    }
}

/// The same by visiting one member after the other.
pub(crate) fn visit_members<S: Source>(value: &S, places: &[usize], room: usize) -> Result<Vec<Length>, Error> {
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

/// Calls `with` for the members at some places, which rise; keys are JSON string literals, and empty in arrays. An
/// item that cannot be read is none: nothing of it may ever be shown.
fn each<S: Source>(value: &S, places: &[usize], mut with: impl FnMut(usize, &str, Option<&S>)) -> Result<(), Error> {
    if value.kind() == Kind::Object {
        let entries = value.entries()?;
        let found = places.iter().enumerate().filter_map(|(nth, &at)| Some((nth, entries.get(at)?)));
        found.for_each(|(nth, (key, member))| with(nth, key, Some(member)));
        return Ok(());
    }
    let is_row = places.len() > 1 && places[places.len() - 1] + 1 - places[0] == places.len();
    let row = if is_row { value.items(places[0], places.len()).unwrap_or_default() } else { Vec::new() };
    for (nth, &at) in places.iter().enumerate() {
        match row.get(nth) {
            Some(item) => with(nth, "", Some(item)),
            None => with(nth, "", value.items(at, 1).unwrap_or_default().first()),
        }
    }
    Ok(())
}

fn of_entry<S: Source>(key: &str, value: Option<&S>, left: &mut usize, levels: usize) -> Length {
    let around = if key.is_empty() { 1.0 } else { json_string::chars(key) as f64 + 2.0 };
    let found = |chars: f64| Length { chars: around + chars, is_all: true };
    let Some(value) = value else { return Length { is_all: false, ..found(SCALAR) } };
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
        // Entries differ: of a few of them one learns less than from how many there are.
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
