//! `instr`, `replace`, `trim`, `length` and `substr` in linear time, which is charged.

use memchr::memmem;
use rusqlite::Result;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};

use super::{Adder, Arguments, Output, failed, integer, null, text};

/// Bytes of the longest text that `replace` makes.
const LONGEST: usize = 1_000_000;
/// Bytes that take as long to read as one replacement, in addition to those that it copies.
const COST_OF_REPLACEMENT: usize = 8;
/// Sorting characters reads each several times.
const COST_OF_SORTING: usize = 4;
/// How many times as long as reading a text counting its characters takes.
const COST_OF_COUNTING: usize = 3;

pub fn add(adder: &Adder<'_>) -> Result<()> {
    adder.scalar("instr", 2, instr)?;
    adder.texts("replace", 3, replace)?;
    adder.scalar("length", 1, length)?;
    for name in ["substr", "substring"] {
        adder.texts(name, 2, |arguments| part(arguments, None))?;
        adder.texts(name, 3, |arguments| match whole_number(arguments, 2) {
            Some(len) => part(arguments, Some(len)),
            None => Ok(null()),
        })?;
    }
    for (name, is_left, is_right) in [("trim", true, true), ("ltrim", true, false), ("rtrim", false, true)] {
        adder.texts(name, 1, move |arguments| trim(arguments, is_left, is_right))?;
        adder.texts(name, 2, move |arguments| trim(arguments, is_left, is_right))?;
    }
    Ok(())
}

/// The character at which a text begins in another, from 1; 0 if it is not there.
fn instr(arguments: &Arguments<'_, '_>) -> Output {
    let (Some(all), Some(part)) = (arguments.text(0)?, arguments.text(1)?) else { return Ok(null()) };
    arguments.charge(all.len() + part.len())?;
    let found = memmem::find(all.as_bytes(), part.as_bytes());
    Ok(integer(found.map_or(0, |at| all[..at].chars().count() as i64 + 1)))
}

/// The characters of a text, or the bytes of a blob.
fn length(arguments: &Arguments<'_, '_>) -> Output {
    if let ValueRef::Blob(bytes) = arguments.context.get_raw(0) {
        return Ok(integer(bytes.len() as i64));
    }
    let Some(all) = arguments.text(0)? else { return Ok(null()) };
    arguments.charge(all.len())?;
    // What is behind a zero character is not counted, as in SQLite.
    let end = memchr::memchr(0, all.as_bytes()).unwrap_or(all.len());
    Ok(integer(all[..end].chars().count() as i64))
}

/// A number as SQLite casts it to an integer.
fn whole_number(arguments: &Arguments<'_, '_>, at: usize) -> Option<i64> {
    match arguments.context.get_raw(at) {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number),
        ValueRef::Real(number) => Some(number as i64),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            let text = std::str::from_utf8(bytes).unwrap_or_default().trim_start();
            let sign = usize::from(text.starts_with(['-', '+']));
            let end = text[sign..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |end| sign + end);
            Some(text[..end].parse().unwrap_or(0))
        }
    }
}

/// Some characters from a place on, which counts from 1, or from the end below 0; before the place if their number is below 0.
fn part(arguments: &Arguments<'_, '_>, len: Option<i64>) -> Output {
    let Some(from) = whole_number(arguments, 1) else { return Ok(null()) };
    if let ValueRef::Blob(bytes) = arguments.context.get_raw(0) {
        let (start, end) = range(bytes.len(), from, len);
        return Ok(ToSqlOutput::Owned(Value::Blob(bytes[start..end].to_vec())));
    }
    let Some(all) = arguments.text(0)? else { return Ok(null()) };
    arguments.charge(COST_OF_COUNTING * all.len())?;
    // The number of all characters counts where the place is from the end alone.
    let count = if from < 0 { all.chars().count() } else { usize::MAX };
    let (start, end) = range(count, from, len);
    let mut characters = all.char_indices().map(|(at, _)| at);
    let first = characters.nth(start).unwrap_or(all.len());
    let behind = match end - start {
        0 => first,
        more => characters.nth(more - 1).unwrap_or(all.len()),
    };
    Ok(text(&all[first..behind]))
}

/// From where to where the characters are, of `count`.
fn range(count: usize, from: i64, len: Option<i64>) -> (usize, usize) {
    let count = i128::try_from(count).unwrap_or(i128::MAX);
    let (mut start, mut len) = (i128::from(from), len.map_or(i128::from(i64::MAX), i128::from));
    if start < 0 {
        start += count;
    } else if start > 0 {
        start -= 1;
    } else if len > 0 {
        // There is a place before the first character.
        len -= 1;
    }
    let (start, end) = if len < 0 { (start + len, start) } else { (start, start + len) };
    let within = |place: i128| usize::try_from(place.clamp(0, count)).unwrap_or(usize::MAX);
    (within(start), within(end))
}

fn replace(arguments: &Arguments<'_, '_>) -> Output {
    let (Some(all), Some(part), Some(by)) = (arguments.text(0)?, arguments.text(1)?, arguments.text(2)?) else {
        return Ok(null());
    };
    arguments.charge(all.len() + part.len())?;
    if part.is_empty() {
        return Ok(text(all));
    }
    let (mut out, mut from, mut count) = (String::new(), 0, 0);
    let most = LONGEST.max(all.len());
    for at in memmem::find_iter(all.as_bytes(), part.as_bytes()) {
        out.push_str(&all[from..at]);
        out.push_str(&by);
        (from, count) = (at + part.len(), count + 1);
        if out.len() > most {
            return Err(failed("replace: the text is too long"));
        }
    }
    arguments.charge(out.len() + COST_OF_REPLACEMENT * count)?;
    out.push_str(&all[from..]);
    Ok(text(out))
}

fn trim(arguments: &Arguments<'_, '_>, is_left: bool, is_right: bool) -> Output {
    let Some(all) = arguments.text(0)? else { return Ok(null()) };
    let mut characters = vec![' '];
    if arguments.context.len() == 2 {
        let Some(given) = arguments.text(1)? else { return Ok(null()) };
        arguments.charge(COST_OF_SORTING * given.len())?;
        characters = given.chars().collect();
        characters.sort_unstable();
        characters.dedup();
    }
    arguments.charge(all.len())?;
    let is_cut = |c: char| characters.binary_search(&c).is_ok();
    let mut rest = &*all;
    if is_left {
        rest = rest.trim_start_matches(is_cut);
    }
    if is_right {
        rest = rest.trim_end_matches(is_cut);
    }
    Ok(text(rest))
}
