//! Values that are shown together: as the items of a list, or as the members of an object. It is a [`Source`] itself:
//! nothing is read until it is shown, and nothing is written before it is stored.

use std::borrow::Cow;
use std::rc::Rc;

use crate::base::error::Error;
use crate::value::any_source::AnySource;
use crate::value::source::{Entry, FastSource, Kind, Length, RowSource, Source, json_if_short};

#[derive(Clone)]
pub(crate) enum Gathered<'v> {
    List(Rc<[AnySource<'v>]>),
    Object(Rc<[Entry<AnySource<'v>>]>),
    /// One of the values, or a value in one.
    Part(AnySource<'v>),
}

impl<'v> Gathered<'v> {
    pub fn list(items: Vec<AnySource<'v>>) -> Self {
        Self::List(items.into())
    }

    pub fn object(entries: Vec<Entry<AnySource<'v>>>) -> Self {
        Self::Object(entries.into())
    }

    fn part(&self) -> Option<&AnySource<'v>> {
        match self {
            Self::List(_) | Self::Object(_) => None,
            Self::Part(own) => Some(own),
        }
    }

    /// The values, each with the key before it.
    fn members(&self) -> Vec<(&str, &AnySource<'v>)> {
        match self {
            Self::List(items) => items.iter().map(|item| ("", item)).collect(),
            Self::Object(entries) => entries.iter().map(|(key, value)| (key.as_str(), value)).collect(),
            Self::Part(_) => Vec::new(),
        }
    }
}

impl Source for Gathered<'_> {
    fn kind(&self) -> Kind {
        match self {
            Self::List(_) => Kind::Array,
            Self::Object(_) => Kind::Object,
            Self::Part(own) => own.kind(),
        }
    }

    fn len(&self) -> usize {
        self.part().map_or_else(|| self.members().len(), Source::len)
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        let items: Vec<_> = match self {
            Self::List(items) => items.iter().skip(start).take(max).cloned().collect(),
            Self::Object(_) => Vec::new(),
            Self::Part(own) => own.items(start, max)?,
        };
        Ok(items.into_iter().map(Self::Part).collect())
    }

    fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
        self.entries_where(&mut |_, _| true)
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        let entries = match self {
            Self::List(_) => Vec::new(),
            Self::Object(entries) => {
                let all = entries.iter().enumerate();
                all.filter(|(at, (key, _))| is_wanted(*at, key)).map(|(_, entry)| entry.clone()).collect()
            }
            Self::Part(own) => own.entries_where(is_wanted)?,
        };
        Ok(entries.into_iter().map(|(key, value)| (key, Self::Part(value))).collect())
    }

    fn chars(&self) -> usize {
        self.part().map_or(0, Source::chars)
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        self.part().map_or(Ok(String::new()), |own| own.slice(start, max))
    }

    fn text(&self) -> Result<Cow<'_, str>, Error> {
        self.part().map_or(Ok(Cow::Borrowed("")), Source::text)
    }

    fn min_bytes(&self, enough: usize) -> usize {
        if let Some(own) = self.part() {
            return own.min_bytes(enough);
        }
        let mut bytes = 1;
        for (key, value) in self.members() {
            bytes += 1 + key.len() + usize::from(!key.is_empty());
            bytes += value.min_bytes(enough.saturating_sub(bytes));
            if bytes > enough {
                break;
            }
        }
        bytes.max(2)
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        let [open, close] = match self {
            Self::List(_) => ["[", "]"],
            Self::Object(_) => ["{", "}"],
            Self::Part(own) => return own.json(),
        };
        let mut out = open.to_owned();
        for (at, (key, value)) in self.members().into_iter().enumerate() {
            out += if at > 0 { "," } else { "" };
            out += key;
            out += if key.is_empty() { "" } else { ":" };
            out += &value.json()?;
        }
        Ok(Cow::Owned(out + close))
    }

    fn json_up_to(&self, most: usize) -> Result<Option<Cow<'_, str>>, Error> {
        self.part().map_or_else(|| json_if_short(self, most), |own| own.json_up_to(most))
    }

    fn fast(&self) -> Option<&dyn FastSource> {
        Some(self)
    }

    fn row(&self) -> Option<&dyn RowSource> {
        self.part()?.row()
    }
}

impl FastSource for Gathered<'_> {
    fn column(&self, path: &[String]) -> Result<Option<Vec<f64>>, Error> {
        self.part().and_then(Source::fast).map_or(Ok(None), |own| own.column(path))
    }

    fn lengths(&self, places: &[usize], room: usize) -> Result<Option<Vec<Length>>, Error> {
        self.part().and_then(Source::fast).map_or(Ok(None), |own| own.lengths(places, room))
    }

    fn member_length(&self, around: f64, left: &mut usize, levels: usize) -> Option<Length> {
        self.part()?.fast()?.member_length(around, left, levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json_text::JsonText;
    use crate::value::length_estimate;

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
            let parsed = JsonText::parse(text).unwrap();
            assert_eq!(gathered.json().unwrap(), text);
            assert_eq!((gathered.kind(), gathered.len()), (parsed.kind(), parsed.len()));
            for room in [0, 3, 64] {
                let length = length_estimate::of(&AnySource::new(gathered.clone()), room);
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
        let list = Gathered::list(values(&[r#""a é text""#, "[1,2,3]"]));
        let items = list.items(0, 2).unwrap();
        assert_eq!((items[0].chars(), items[0].text().unwrap()), (8, "a é text".into()));
        assert_eq!(items[0].slice(2, 1).unwrap(), "é");
        assert_eq!((items[1].len(), items[1].items(2, 1).unwrap()[0].json().unwrap()), (3, "3".into()));
    }
}
