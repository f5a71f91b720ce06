//! A map of alike values (by id, by name) as rows: the entries of an object as the items of an array, each of which knows
//! its key.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use toolshape_json::lengths::spread;

use crate::base::error::Error;
use crate::value::any_source::AnySource;
use crate::value::source::{
    Entry, FastSource, Kind, Length, RECORD_KEYS, RowSource, Source, identity, json_if_short, original_index,
    write_json,
};

/// An object with fewer entries is a record, not a map. As many are compared, so that alike values are not a coincidence.
const MIN_ENTRIES: usize = 8;
/// Entries that are read at once, at first.
const CHUNK: usize = 256;

/// Whether an object is a map: it has many entries, and those that are compared are alike.
///
/// # Errors
/// Whatever reading the object reports.
pub(crate) fn is_map<S: Source>(object: &S) -> Result<bool, Error> {
    let len = if object.kind() == Kind::Object { object.len() } else { 0 };
    if len < MIN_ENTRIES {
        return Ok(false);
    }
    let places = spread(len, MIN_ENTRIES);
    let mut ahead = places.iter().peekable();
    let entries = object.entries_where(&mut |at, _| ahead.next_if_eq(&&at).is_some())?;
    let Some((_, first)) = entries.first() else { return Ok(false) };
    let kind = first.kind();
    if entries.iter().any(|(_, value)| value.kind() != kind) {
        return Ok(false);
    }
    if kind != Kind::Object {
        // An object of scalars is a record, unless it has more keys than one has.
        return Ok(kind == Kind::Array || len > RECORD_KEYS);
    }
    let keys_of = |value: &S| -> Result<Vec<String>, Error> {
        let entries = value.entries_where(&mut |at, _| at < RECORD_KEYS)?;
        Ok(entries.into_iter().map(|(key, _)| key).collect())
    };
    let expected = keys_of(first)?;
    for (_, value) in &entries[1..] {
        let keys = keys_of(value)?;
        let shared = keys.iter().filter(|key| expected.contains(key)).count();
        if 2 * shared < keys.len().max(expected.len()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The entries of an object as rows.
#[derive(Clone)]
pub(crate) enum MapRows<'v> {
    Map {
        object: AnySource<'v>,
        len: usize,
        read: Rc<RefCell<ReadEntries<'v>>>,
    },
    /// An entry: its key, with its quotes, and the value.
    Row(Rc<str>, AnySource<'v>),
    /// A value in a row.
    Part(AnySource<'v>),
}

/// The entries that were read last, and the index of the first.
#[derive(Default)]
pub(crate) struct ReadEntries<'v> {
    start: usize,
    entries: Vec<Entry<AnySource<'v>>>,
}

impl<'v> MapRows<'v> {
    pub fn new(object: AnySource<'v>) -> Self {
        Self::Map { len: object.len(), object, read: Rc::default() }
    }

    fn own(&self) -> &AnySource<'v> {
        match self {
            Self::Map { object, .. } => object,
            Self::Row(_, own) | Self::Part(own) => own,
        }
    }
}

impl Source for MapRows<'_> {
    fn kind(&self) -> Kind {
        match self {
            Self::Map { .. } => Kind::Array,
            Self::Row(_, own) | Self::Part(own) => own.kind(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Map { len, .. } => *len,
            Self::Row(_, own) | Self::Part(own) => own.len(),
        }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        let (object, len, read) = match self {
            Self::Map { object, len, read } => (object, *len, read),
            Self::Row(_, own) | Self::Part(own) => {
                return Ok(own.items(start, max)?.into_iter().map(Self::Part).collect());
            }
        };
        let end = start.saturating_add(max).min(len);
        if start >= end {
            return Ok(Vec::new());
        }
        let is_read = |read: &ReadEntries<'_>| read.start <= start && end <= read.start + read.entries.len();
        if !is_read(&read.borrow()) {
            // Whoever reads on reads twice as much each time, so that all entries are found in few passes.
            let known = read.borrow().entries.len();
            let is_next = known > 0 && (read.borrow().start..=read.borrow().start + known).contains(&start);
            let chunk = if is_next { 2 * known } else { CHUNK };
            let wanted = start..end.max(start.saturating_add(chunk));
            let entries = object.entries_where(&mut |at, _| wanted.contains(&at))?;
            read.replace(ReadEntries { start, entries });
        }
        let read = read.borrow();
        let entries = read.entries.iter().skip(start - read.start).take(end - start);
        Ok(entries.map(|(key, value)| Self::Row(key.as_str().into(), value.clone())).collect())
    }

    fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
        self.entries_where(&mut |_, _| true)
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        match self {
            Self::Map { .. } => Ok(Vec::new()),
            Self::Row(_, own) | Self::Part(own) => {
                let entries = own.entries_where(is_wanted)?;
                Ok(entries.into_iter().map(|(key, value)| (key, Self::Part(value))).collect())
            }
        }
    }

    fn each_item(&self, places: &[usize], with: &mut dyn FnMut(Option<&Self>)) {
        match self {
            Self::Map { object, .. } => {
                let mut missing = places.len();
                // An error of the object is that of each entry which it has not given.
                let _ = object.each_entry(places, &mut |key, value| {
                    missing -= 1;
                    with(Some(&Self::Row(key.into(), value.clone())));
                });
                (0..missing).for_each(|_| with(None));
            }
            Self::Row(_, own) | Self::Part(own) => {
                own.each_item(places, &mut |item| with(item.map(|item| Self::Part(item.clone())).as_ref()));
            }
        }
    }

    fn chars(&self) -> usize {
        self.own().chars()
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        self.own().slice(start, max)
    }

    fn min_bytes(&self, enough: usize) -> usize {
        self.own().min_bytes(enough)
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        match self {
            Self::Map { .. } => {
                let json = write_json(self, usize::MAX, |part| matches!(part, Self::Map { .. }))?;
                Ok(Cow::Owned(json.unwrap_or_default()))
            }
            Self::Row(_, own) | Self::Part(own) => own.json(),
        }
    }

    fn json_up_to(&self, most: usize) -> Result<Option<Cow<'_, str>>, Error> {
        match self {
            Self::Map { .. } => json_if_short(self, most),
            Self::Row(_, own) | Self::Part(own) => own.json_up_to(most),
        }
    }

    fn fast(&self) -> Option<&dyn FastSource> {
        Some(self)
    }

    fn row(&self) -> Option<&dyn RowSource> {
        Some(self)
    }
}

impl FastSource for MapRows<'_> {
    fn writes_fast(&self) -> bool {
        match self {
            Self::Map { .. } => false,
            Self::Row(_, own) | Self::Part(own) => own.fast().is_some_and(FastSource::writes_fast),
        }
    }

    fn lengths(&self, places: &[usize], room: usize) -> Result<Option<Vec<Length>>, Error> {
        self.own().fast().map_or(Ok(None), |own| own.lengths(places, room))
    }

    fn length(&self, room: usize) -> Option<Length> {
        match self {
            Self::Map { .. } => None,
            Self::Row(_, own) | Self::Part(own) => own.fast()?.length(room),
        }
    }

    fn member_length(&self, around: f64, left: &mut usize, levels: usize) -> Option<Length> {
        match self {
            Self::Map { .. } => None,
            Self::Row(_, own) | Self::Part(own) => own.fast()?.member_length(around, left, levels),
        }
    }
}

impl RowSource for MapRows<'_> {
    fn original_index(&self, index: usize) -> usize {
        match self {
            Self::Map { .. } => index,
            Self::Row(_, own) | Self::Part(own) => original_index(own, index),
        }
    }

    fn key(&self) -> Option<&str> {
        match self {
            Self::Row(key, _) => Some(key),
            Self::Map { .. } | Self::Part(_) => None,
        }
    }

    fn identity(&self) -> Result<Option<Cow<'_, str>>, Error> {
        match self {
            Self::Row(key, _) => Ok(Some(Cow::Borrowed(key))),
            Self::Map { .. } => Ok(None),
            Self::Part(own) => identity(own),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::value::json_text::JsonText;
    use crate::value::source::items_at;

    /// An object that counts how often its entries are read.
    #[derive(Clone)]
    struct CountedPasses<'a>(JsonText<'a>, &'a Cell<usize>);

    impl Source for CountedPasses<'_> {
        fn kind(&self) -> Kind {
            self.0.kind()
        }

        fn len(&self) -> usize {
            self.0.len()
        }

        fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
            Ok(self.0.items(start, max)?.into_iter().map(|item| Self(item, self.1)).collect())
        }

        fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
            self.1.set(self.1.get() + 1);
            Ok(self.0.entries()?.into_iter().map(|(key, value)| (key, Self(value, self.1))).collect())
        }

        fn chars(&self) -> usize {
            self.0.chars()
        }

        fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
            self.0.slice(start, max)
        }

        fn min_bytes(&self, enough: usize) -> usize {
            self.0.min_bytes(enough)
        }

        fn json(&self) -> Result<Cow<'_, str>, Error> {
            self.0.json()
        }
    }

    #[test]
    fn rows_at_many_places_are_found_in_one_pass() {
        let entries: Vec<String> = (0..5_000).map(|at| format!("\"k{at}\":{at}")).collect();
        let json = format!("{{{}}}", entries.join(","));
        let passes = Cell::new(0);
        let object = CountedPasses(JsonText::parse(&json).unwrap(), &passes);
        let rows = AnySource::new(MapRows::new(AnySource::new(object)));
        let places: Vec<usize> = (0..50).map(|at| at * 100).collect();
        let found = items_at(&rows, &places).unwrap();
        let keys: Vec<&str> = found.iter().filter_map(|row| row.row()?.key()).collect();
        let wanted: Vec<String> = places.iter().map(|at| format!("\"k{at}\"")).collect();
        assert_eq!((keys, passes.get()), (wanted.iter().map(String::as_str).collect(), 1));
    }
}
