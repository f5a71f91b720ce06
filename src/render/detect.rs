//! Detects whether a list is a series or a grid, from a sample of bounded size.
//!
//! A series is an array of numbers, of `[x, y]` pairs, or of objects that are measurements: one key is a time or another
//! place on an axis, which only rises or only falls, another has numbers, and a text names at most which of a few series an
//! entry is of; within each of them the time rises or falls. A table, whose rows have names of their own, is not a series, and
//! an id is not a position. A grid is an array of equally long arrays of numbers.

use std::cmp::Ordering;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::sort_key_order;
use crate::render::measurements;
use crate::value::sampling::evenly;
use crate::value::source::{Entry, Kind, RECORD_KEYS, Source, items_at};

/// Entries of a list that are read to know what they are, evenly spaced.
pub(super) const SAMPLED: usize = 64;

/// The fields of an entry with its value and its position.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SeriesPaths {
    /// `None` if no field has numbers; an empty path is the entry itself.
    pub value: Option<FieldPath>,
    pub at: Option<FieldPath>,
}

/// The fields of a list's entries, if the list is a series without anybody saying so.
pub(crate) fn series<S: Source>(list: &S) -> Result<Option<SeriesPaths>, Error> {
    let are_objects = |entries: &[S]| !entries.is_empty() && entries.iter().all(|entry| entry.kind() == Kind::Object);
    // These show of most lists that they are not series.
    let few = sample(list, 4)?;
    if are_objects(&few) && !measurements::may_be(&few)? {
        return Ok(None);
    }
    let entries = sample(list, SAMPLED)?;
    if are_objects(&entries) {
        return measurements::find(&entries, &evenly(list.len(), SAMPLED));
    }
    let found = keys(list)?;
    let makes_a_series = found.value.as_ref().is_some_and(|value| value.segments().is_empty() || found.at.is_some());
    Ok(makes_a_series.then_some(found))
}

/// Finds the fields of the entries of a list that is declared as a series.
pub(crate) fn keys<S: Source>(list: &S) -> Result<SeriesPaths, Error> {
    let entries = sample(list, SAMPLED)?;
    let are_all = |kind: Kind| entries.iter().all(|entry| entry.kind() == kind);
    if are_numbers(&entries) {
        return Ok(SeriesPaths { value: Some(FieldPath::parse("")), at: None });
    }
    if are_all(Kind::Array) && entries.iter().all(|entry| entry.len() == 2) {
        return pairs(&entries);
    }
    if are_all(Kind::Object) { objects(&entries) } else { Ok(SeriesPaths::default()) }
}

/// Whether a list is a matrix of numbers.
pub(crate) fn is_matrix<S: Source>(list: &S) -> Result<bool, Error> {
    let rows = sample(list, SAMPLED)?;
    let width = rows.first().map_or(0, Source::len);
    if width < 2 || rows.iter().any(|row| row.kind() != Kind::Array || row.len() != width) {
        return Ok(false);
    }
    let mut has_numbers = false;
    for row in &rows {
        let items = sample(row, 16)?;
        if !items.iter().all(|item| matches!(item.kind(), Kind::Number | Kind::Null)) {
            return Ok(false);
        }
        has_numbers |= are_numbers(&items);
    }
    Ok(has_numbers)
}

fn sample<S: Source>(list: &S, most: usize) -> Result<Vec<S>, Error> {
    if list.len() <= most {
        return list.items(0, most);
    }
    items_at(list, &evenly(list.len(), most))
}

/// Whether all are numbers or null, and not all null.
pub(super) fn are_numbers<S: Source>(values: &[S]) -> bool {
    values.iter().all(|value| matches!(value.kind(), Kind::Number | Kind::Null))
        && values.iter().any(|value| value.kind() == Kind::Number)
}

fn pairs<S: Source>(entries: &[S]) -> Result<SeriesPaths, Error> {
    let mut columns = [Vec::new(), Vec::new()];
    for entry in entries {
        for (column, item) in columns.iter_mut().zip(entry.items(0, 2)?) {
            column.push(item);
        }
    }
    let [x, y] = columns;
    let has_places = are_numbers(&x) || is_monotonic(&x)?;
    let named = |name: &str| FieldPath::parse(name);
    Ok(SeriesPaths { value: are_numbers(&y).then(|| named("1")), at: has_places.then(|| named("0")) })
}

/// The first monotonic key, and the first other key with numbers.
fn objects<S: Source>(entries: &[S]) -> Result<SeriesPaths, Error> {
    let rows: Vec<Vec<Entry<S>>> = entries.iter().map(Source::entries).collect::<Result<_, _>>()?;
    let Some(first) = rows.first().filter(|first| first.len() <= RECORD_KEYS) else {
        return Ok(SeriesPaths::default());
    };
    let (mut at, mut numbers) = (None, Vec::new());
    for (key, _) in first {
        let column: Option<Vec<S>> =
            rows.iter().map(|row| Some(row.iter().find(|(name, _)| name == key)?.1.clone())).collect();
        let Some(column) = column else { continue };
        if at.is_none() && is_monotonic(&column)? {
            at = Some(FieldPath::of_key(key));
        } else if are_numbers(&column) {
            numbers.push(FieldPath::of_key(key));
        }
    }
    Ok(SeriesPaths { value: numbers.into_iter().next(), at })
}

/// Whether numbers or texts are strictly monotonic.
pub(super) fn is_monotonic<S: Source>(values: &[S]) -> Result<bool, Error> {
    let mut direction = None;
    let mut before: Option<String> = None;
    for value in values {
        if !matches!(value.kind(), Kind::Number | Kind::String) || value.chars() > measurements::NAME_CHARS {
            return Ok(false);
        }
        let json = value.json()?.into_owned();
        if let Some(before) = &before {
            let order = sort_key_order::compare(before, &json);
            if order.is_none_or(Ordering::is_eq) || direction.is_some_and(|direction| Some(direction) != order) {
                return Ok(false);
            }
            direction = order;
        }
        before = Some(json);
    }
    Ok(direction.is_some())
}
