//! Finds the fields of a declared series that the author does not name, from a sample of bounded size: the first key that only
//! rises or only falls is the position, and the first other with numbers the value. Entries may be numbers or `[x, y]` pairs.

use std::cmp::Ordering;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::sort_key_order;
use crate::value::sampling::evenly;
use crate::value::source::{Entry, Kind, RECORD_KEYS, Source, items_at};

/// Entries of a list that are read to know what they are, evenly spaced.
pub(super) const SAMPLED: usize = 64;
/// A longer text is no position.
const POSITION_CHARS: usize = 64;

/// The fields of an entry with its value and its position.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SeriesPaths {
    /// `None` if no field has numbers; an empty path is the entry itself.
    pub value: Option<FieldPath>,
    pub at: Option<FieldPath>,
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

fn sample<S: Source>(list: &S, most: usize) -> Result<Vec<S>, Error> {
    if list.len() <= most {
        return list.items(0, most);
    }
    items_at(list, &evenly(list.len(), most))
}

/// Whether all are numbers or null, and not all null.
fn are_numbers<S: Source>(values: &[S]) -> bool {
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
fn is_monotonic<S: Source>(values: &[S]) -> Result<bool, Error> {
    let mut direction = None;
    let mut before: Option<String> = None;
    for value in values {
        if !matches!(value.kind(), Kind::Number | Kind::String) || value.chars() > POSITION_CHARS {
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
