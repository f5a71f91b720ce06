//! Values that are shown together: as the items of a list, or as the members of an object. Nothing is read until it is shown,
//! and nothing is written before it is stored.

use crate::base::error::Error;
use crate::value::any_source::{self, AnySource};
use crate::value::source::{Entry, Kind};

pub(crate) enum Gathered<'v> {
    List(Vec<AnySource<'v>>),
    Object(Vec<Entry<AnySource<'v>>>),
}

impl<'v> Gathered<'v> {
    pub fn list(items: Vec<AnySource<'v>>) -> Self {
        Self::List(items)
    }

    pub fn object(entries: Vec<Entry<AnySource<'v>>>) -> Self {
        Self::Object(entries)
    }
}

impl<'v> any_source::Erased<'v> for Gathered<'v> {
    fn kind(&self) -> Kind {
        match self {
            Self::List(_) => Kind::Array,
            Self::Object(_) => Kind::Object,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::List(items) => items.len(),
            Self::Object(entries) => entries.len(),
        }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<AnySource<'v>>, Error> {
        Ok(match self {
            Self::List(items) => items.iter().skip(start).take(max).cloned().collect(),
            Self::Object(_) => Vec::new(),
        })
    }

    fn entries_where(
        &self,
        is_wanted: &mut dyn FnMut(usize, &str) -> bool,
    ) -> Result<Vec<Entry<AnySource<'v>>>, Error> {
        let entries = if let Self::Object(entries) = self { &entries[..] } else { &[] };
        let wanted = entries.iter().enumerate().filter(|(at, (key, _))| is_wanted(*at, key));
        Ok(wanted.map(|(_, entry)| entry.clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json_text::JsonText;
    use crate::value::length_estimate;
    use crate::value::source::Source;

    fn values<'a>(texts: &[&'a str]) -> Vec<AnySource<'a>> {
        texts.iter().map(|text| AnySource::new(JsonText::parse(text).unwrap())).collect()
    }

    #[test]
    fn values_together_read_like_their_text() {
        let texts = ["[1, 2]", r#"{"a": "é\n"}"#, "\"word\"", "null", "[]"];
        let list = Gathered::list(values(&texts));
        let keys = ["\"0\"", "\"b c\"", "\"\"", "\"d\"", "\"e\""];
        let entries = keys.into_iter().map(str::to_owned).zip(values(&texts)).collect();
        let object = Gathered::object(entries);
        for (gathered, text) in [
            (list, r#"[[1,2],{"a":"é\n"},"word",null,[]]"#),
            (object, r#"{"0":[1,2],"b c":{"a":"é\n"},"":"word","d":null,"e":[]}"#),
            (Gathered::list(Vec::new()), "[]"),
            (Gathered::object(Vec::new()), "{}"),
        ] {
            let (gathered, parsed) = (AnySource::new(gathered), JsonText::parse(text).unwrap());
            assert_eq!(gathered.json().unwrap(), text);
            assert_eq!((gathered.kind(), gathered.len()), (parsed.kind(), parsed.len()));
            for room in [0, 3, 64] {
                let length = length_estimate::of(&gathered, room);
                assert_eq!(length, length_estimate::of(&parsed, room), "{text}, {room}");
            }
            for enough in [0, 5, usize::MAX] {
                assert!(gathered.min_bytes(enough) <= text.len());
                assert!(gathered.min_bytes(enough) > enough || gathered.min_bytes(enough) == text.len());
            }
            let own: Vec<_> =
                gathered.items(1, 3).unwrap().iter().map(|item| item.json().unwrap().into_owned()).collect();
            let told: Vec<_> =
                parsed.items(1, 3).unwrap().iter().map(|item| item.json().unwrap().into_owned()).collect();
            assert_eq!(own, told);
            for least in [0, 4] {
                let is_wanted = |at: usize, key: &str| at % 2 == 1 || key.len() >= least;
                let own = gathered.entries_where(&mut |at, key| is_wanted(at, key)).unwrap();
                let told = parsed.entries_where(&mut |at, key| is_wanted(at, key)).unwrap();
                let own: Vec<_> = own.into_iter().map(|(key, _)| key).collect();
                let told: Vec<_> = told.into_iter().map(|(key, _)| key).collect();
                assert_eq!(own, told);
            }
        }
    }

    #[test]
    fn a_value_in_it_reads_as_it_does_alone() {
        let list = AnySource::new(Gathered::list(values(&[r#""a é text""#, "[1,2,3]"])));
        let items = list.items(0, 2).unwrap();
        assert_eq!((items[0].chars(), items[0].text().unwrap()), (8, "a é text".into()));
        assert_eq!(items[0].slice(2, 1).unwrap(), "é");
        assert_eq!((items[1].len(), items[1].items(2, 1).unwrap()[0].json().unwrap()), (3, "3".into()));
    }
}
