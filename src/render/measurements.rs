//! Whether objects are measurements, so that a list of them is a series: which of their fields is the place, and which the
//! value.

use std::cmp::Ordering;

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_string::{self, Quoted};
use crate::base::numbers;
use crate::base::sorting::sort_by;
use crate::render::detect::{self, SeriesPaths};
use crate::value::source::{Entry, Kind, RECORD_KEYS, Source};
use toolshape_text::values::moment::Moment;

/// Of this many entries at least one pair is of the same series, at the least.
const ENTRIES_OF_A_SERIES: usize = 4;
/// A longer text names no series, and is not a time.
pub(super) const NAME_CHARS: usize = 64;
/// How far, as a share of a step, a place may be from where equal steps would have it.
const UNEVEN: f64 = 1e-6;

/// Last words of keys that are places on an axis.
const PLACES: [&str; 30] = [
    "at",
    "date",
    "datetime",
    "day",
    "depth",
    "distance",
    "elapsed",
    "epoch",
    "frame",
    "generation",
    "hour",
    "iteration",
    "minute",
    "month",
    "offset",
    "period",
    "position",
    "quarter",
    "second",
    "seconds",
    "step",
    "t",
    "tick",
    "time",
    "timestamp",
    "ts",
    "week",
    "when",
    "x",
    "year",
];
/// Last words of keys that say which entry it is, not where it is.
const IDENTIFIERS: [&str; 9] = ["code", "guid", "id", "key", "no", "nr", "number", "rank", "uuid"];

/// A field of all entries.
struct Column<'e, S> {
    /// The key as a literal.
    key: &'e str,
    values: Vec<S>,
}

/// Whether a few entries look like measurements: what they all have are numbers, short texts and flags.
pub(super) fn may_be<S: Source>(entries: &[S]) -> Result<bool, Error> {
    let rows: Vec<Vec<Entry<S>>> = entries.iter().map(Source::entries).collect::<Result<_, _>>()?;
    let are_scalars = |column: &Column<'_, S>| {
        let is_text = column.is(&[Kind::String]) && column.values.iter().all(|text| text.chars() <= NAME_CHARS);
        is_text || column.is(&[Kind::Number, Kind::Null]) || column.is(&[Kind::Bool, Kind::Null])
    };
    Ok(columns(&rows).iter().all(are_scalars))
}

/// The fields with value and place, if the entries, of which these are the indices, are measurements.
pub(super) fn find<S: Source>(entries: &[S], indices: &[usize]) -> Result<Option<SeriesPaths>, Error> {
    let rows: Vec<Vec<Entry<S>>> = entries.iter().map(Source::entries).collect::<Result<_, _>>()?;
    if rows.first().is_none_or(|first| first.len() > RECORD_KEYS) {
        return Ok(None);
    }
    let columns = columns(&rows);
    let mut times = None;
    let (mut places, mut values, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for (at, column) in columns.iter().enumerate() {
        if column.is(&[Kind::Number, Kind::Null]) && detect::are_numbers(&column.values) {
            if !column.has_name(&IDENTIFIERS) {
                values.push(at);
            }
            if column.is_place(indices)? {
                places.push(at);
            }
        } else if column.is(&[Kind::String]) {
            match column.moments()? {
                Some(moments) if times.is_none() => times = Some((at, moments)),
                Some(_) => {}
                None => names.push(at),
            }
        } else if !column.is(&[Kind::Bool, Kind::Null]) {
            return Ok(None);
        }
    }
    let Some(names) = names.iter().map(|&at| columns[at].texts()).collect::<Result<Option<Vec<_>>, _>>()? else {
        return Ok(None);
    };
    let path = |at: usize| FieldPath::of_key(columns[at].key);
    let paths = |place: usize| {
        let value = values.iter().copied().find(|&value| value != place)?;
        Some(SeriesPaths { value: Some(path(value)), at: Some(path(place)) })
    };
    if let Some((at, moments)) = &times {
        return Ok(rise_or_fall(moments, &names).then(|| paths(*at)).flatten());
    }
    for at in places {
        if rise_or_fall(&columns[at].doubles()?, &names) {
            return Ok(paths(at));
        }
    }
    Ok(None)
}

/// The fields that all rows have.
fn columns<S: Source>(rows: &[Vec<Entry<S>>]) -> Vec<Column<'_, S>> {
    let mut columns = Vec::new();
    for (at, (key, _)) in rows.first().into_iter().flatten().enumerate() {
        // Most rows have the same fields in the same order.
        let value = |row: &Vec<Entry<S>>| match row.get(at) {
            Some((name, value)) if name == key => Some(value.clone()),
            _ => Some(row.iter().find(|(name, _)| name == key)?.1.clone()),
        };
        if let Some(values) = rows.iter().map(value).collect::<Option<Vec<S>>>() {
            columns.push(Column { key, values });
        }
    }
    columns
}

/// Whether places only rise or only fall among the entries with the same names, of which there have to be many.
fn rise_or_fall<T: PartialOrd>(places: &[T], names: &[Vec<String>]) -> bool {
    let name_of = |at: usize| names.iter().map(|column| &column[at]).collect::<Vec<_>>();
    let mut order: Vec<usize> = (0..places.len()).collect();
    // Stable, so that the entries of a series keep their order.
    sort_by(&mut order, |&a, &b| name_of(a).cmp(&name_of(b)));
    let (mut pairs, mut direction) = (0, None);
    for pair in order.windows(2).filter(|pair| name_of(pair[0]) == name_of(pair[1])) {
        let step = places[pair[0]].partial_cmp(&places[pair[1]]);
        if step.is_none_or(Ordering::is_eq) || direction.is_some_and(|direction| Some(direction) != step) {
            return false;
        }
        (pairs, direction) = (pairs + 1, step);
    }
    pairs > 0 && pairs + places.len() / ENTRIES_OF_A_SERIES >= places.len()
}

impl<S: Source> Column<'_, S> {
    fn is(&self, kinds: &[Kind]) -> bool {
        self.values.iter().all(|value| kinds.contains(&value.kind()))
    }

    /// Whether the last word of the key is one of these: `created_at`, `createdAt` and `AT` end in `at`.
    fn has_name(&self, words: &[&str]) -> bool {
        let name = Quoted::new(self.key).text();
        let mut start = 0;
        let mut before_is_lower = false;
        for (at, c) in name.char_indices() {
            if !c.is_alphanumeric() {
                start = at + c.len_utf8();
            } else if c.is_uppercase() && before_is_lower {
                start = at;
            }
            before_is_lower = c.is_lowercase();
        }
        words.contains(&&*name[start..].to_ascii_lowercase())
    }

    /// Whether the numbers are places on an axis: by their key, or because each is as far from the next.
    fn is_place(&self, indices: &[usize]) -> Result<bool, Error> {
        if self.has_name(&IDENTIFIERS) {
            return Ok(false);
        }
        if self.has_name(&PLACES) {
            return Ok(true);
        }
        let places = self.doubles()?;
        let [Some(from), Some(to)] = [places.first(), places.last()] else { return Ok(false) };
        let last = *indices.last().unwrap_or(&0) as f64;
        let step = (to - from) / last;
        let is_even =
            |(place, at): (&f64, &usize)| (place - from - step * *at as f64).abs() <= (step * UNEVEN).abs() * last;
        Ok(places.len() > 2 && step != 0.0 && places.iter().zip(indices).all(is_even))
    }

    fn doubles(&self) -> Result<Vec<f64>, Error> {
        self.values.iter().map(|value| Ok(numbers::finite(&value.json()?))).collect()
    }

    /// The texts, if all are short.
    fn texts(&self) -> Result<Option<Vec<String>>, Error> {
        let text = |value: &S| {
            Ok((value.chars() <= NAME_CHARS).then_some(json_string::unescape(&value.slice(0, NAME_CHARS)?)))
        };
        self.values.iter().map(text).collect()
    }

    /// The times, if all are times.
    fn moments(&self) -> Result<Option<Vec<Moment>>, Error> {
        let texts = self.texts()?;
        Ok(texts.and_then(|texts| texts.iter().map(|text| Moment::parse(text)).collect()))
    }
}
