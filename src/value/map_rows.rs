//! A map of alike values (by id, by name) as rows: the entries of an object as the items of an array, each of which knows
//! its key.

use std::borrow::Cow;
use std::cell::RefCell;

use toolshape_json::lengths::spread;

use crate::base::error::Error;
use crate::value::any_source::{self, AnySource};
use crate::value::source::{Entry, FastSource, Kind, Length, RECORD_KEYS, RowSource, Source, original_index};

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
pub(crate) struct MapRows<'v> {
    object: AnySource<'v>,
    len: usize,
    /// The entries that were read last, and the index of the first.
    read: RefCell<(usize, Vec<Entry<AnySource<'v>>>)>,
}

/// An entry: its key, with its quotes, and the value.
struct Row<'v>(Box<str>, AnySource<'v>);

fn row<'v>(key: &str, value: &AnySource<'v>) -> AnySource<'v> {
    AnySource::new(Row(key.into(), value.clone()))
}

impl<'v> MapRows<'v> {
    pub fn new(object: AnySource<'v>) -> Self {
        Self { len: object.len(), object, read: RefCell::default() }
    }
}

impl<'v> any_source::Erased<'v> for MapRows<'v> {
    fn len(&self) -> usize {
        self.len
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<AnySource<'v>>, Error> {
        let end = start.saturating_add(max).min(self.len);
        if start >= end {
            return Ok(Vec::new());
        }
        let (from, known) = {
            let read = self.read.borrow();
            (read.0, read.1.len())
        };
        if start < from || from + known < end {
            // Whoever reads on reads twice as much each time, so that all entries are found in few passes.
            let is_next = known > 0 && (from..=from + known).contains(&start);
            let chunk = if is_next { 2 * known } else { CHUNK };
            let wanted = start..end.max(start.saturating_add(chunk));
            let entries = Source::entries_where(&self.object, &mut |at, _| wanted.contains(&at))?;
            self.read.replace((start, entries));
        }
        let (from, entries) = &*self.read.borrow();
        Ok(entries.iter().skip(start - from).take(end - start).map(|(key, value)| row(key, value)).collect())
    }

    fn each_item(&self, places: &[usize], with: &mut dyn FnMut(Option<&AnySource<'v>>)) {
        let mut missing = places.len();
        // An error of the object is that of each entry which it has not given.
        let _ = self.object.each_entry(places, &mut |key, value| {
            missing -= 1;
            with(Some(&row(key, value)));
        });
        (0..missing).for_each(|_| with(None));
    }

    fn min_bytes(&self, enough: usize) -> usize {
        Source::min_bytes(&self.object, enough)
    }

    fn fast(&self) -> Option<&dyn FastSource> {
        Some(self)
    }
}

impl FastSource for MapRows<'_> {
    fn lengths(&self, places: &[usize], room: usize) -> Result<Option<Vec<Length>>, Error> {
        self.object.fast().map_or(Ok(None), |own| own.lengths(places, room))
    }
}

impl<'v> any_source::Erased<'v> for Row<'v> {
    fn kind(&self) -> Kind {
        Source::kind(&self.1)
    }

    fn len(&self) -> usize {
        Source::len(&self.1)
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<AnySource<'v>>, Error> {
        Source::items(&self.1, start, max)
    }

    fn entries_where(
        &self,
        is_wanted: &mut dyn FnMut(usize, &str) -> bool,
    ) -> Result<Vec<Entry<AnySource<'v>>>, Error> {
        Source::entries_where(&self.1, is_wanted)
    }

    fn each_item(&self, places: &[usize], with: &mut dyn FnMut(Option<&AnySource<'v>>)) {
        Source::each_item(&self.1, places, with);
    }

    fn chars(&self) -> usize {
        Source::chars(&self.1)
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        Source::slice(&self.1, start, max)
    }

    fn min_bytes(&self, enough: usize) -> usize {
        Source::min_bytes(&self.1, enough)
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        Source::json(&self.1)
    }

    fn json_up_to(&self, most: usize) -> Result<Option<Cow<'_, str>>, Error> {
        Source::json_up_to(&self.1, most)
    }

    fn text(&self) -> Result<Cow<'_, str>, Error> {
        Source::text(&self.1)
    }

    fn fast(&self) -> Option<&dyn FastSource> {
        Source::fast(&self.1)
    }

    fn row(&self) -> Option<&dyn RowSource> {
        Some(self)
    }
}

impl RowSource for Row<'_> {
    fn original_index(&self, index: usize) -> usize {
        original_index(&self.1, index)
    }

    fn key(&self) -> Option<&str> {
        Some(&self.0)
    }

    fn identity(&self) -> Result<Option<Cow<'_, str>>, Error> {
        Ok(Some(Cow::Borrowed(&self.0)))
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

        fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
            self.1.set(self.1.get() + 1);
            let entries = self.0.entries_where(is_wanted)?;
            Ok(entries.into_iter().map(|(key, value)| (key, Self(value, self.1))).collect())
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
