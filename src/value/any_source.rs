//! Any [`Source`] behind one type, so that shapes are compiled once for all sources.
//!
//! Otherwise the WebAssembly module contains each shape once for each kind of source and each view of one.

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use crate::base::error::Error;
use crate::value::json_in_text::{self, SharedJson};
use crate::value::source::{Entry, FastSource, Kind, RowSource, Source};
use crate::value::structured_text::TextFormat;
use crate::value::text_reading;

/// A source whose type is erased.
#[derive(Clone)]
pub(crate) struct AnySource<'a>(Rc<dyn Erased<'a> + 'a>);

impl<'a> AnySource<'a> {
    pub fn new(source: impl Erased<'a> + 'a) -> Self {
        Self(Rc::new(source))
    }
}

/// The methods of [`Source`], without its type. A view of other values implements this and not [`Source`]: what it does not define is
/// that of a list or an object, made of its items or entries.
pub(crate) trait Erased<'a> {
    fn kind(&self) -> Kind {
        Kind::Array
    }

    fn len(&self) -> usize;

    fn items(&self, _start: usize, _max: usize) -> Result<Vec<AnySource<'a>>, Error> {
        Ok(Vec::new())
    }

    fn entries_where(
        &self,
        _is_wanted: &mut dyn FnMut(usize, &str) -> bool,
    ) -> Result<Vec<Entry<AnySource<'a>>>, Error> {
        Ok(Vec::new())
    }

    fn each_item(&self, places: &[usize], with: &mut dyn FnMut(Option<&AnySource<'a>>)) {
        places.iter().for_each(|&at| with(self.items(at, 1).unwrap_or_default().first()));
    }

    fn chars(&self) -> usize {
        0
    }

    fn slice(&self, _start: usize, _max: usize) -> Result<String, Error> {
        Ok(String::new())
    }

    /// The items or the entries, each with the key before it.
    fn members(&self) -> Result<Vec<Entry<AnySource<'a>>>, Error> {
        match self.kind() {
            Kind::Array => Ok(self.items(0, usize::MAX)?.into_iter().map(|item| (String::new(), item)).collect()),
            _ => self.entries_where(&mut |_, _| true),
        }
    }

    fn min_bytes(&self, enough: usize) -> usize {
        let mut bytes = 1;
        for (key, value) in self.members().unwrap_or_default() {
            bytes += 1 + key.len() + usize::from(!key.is_empty());
            bytes += Source::min_bytes(&value, enough.saturating_sub(bytes));
            if bytes > enough {
                break;
            }
        }
        bytes.max(2)
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        let [open, close] = if self.kind() == Kind::Array { ['[', ']'] } else { ['{', '}'] };
        let mut out = String::from(open);
        for (at, (key, value)) in self.members()?.into_iter().enumerate() {
            out += if at > 0 { "," } else { "" };
            out += &key;
            out += if key.is_empty() { "" } else { ":" };
            out += &Source::json(&value)?;
        }
        out.push(close);
        Ok(Cow::Owned(out))
    }

    fn json_up_to(&self, most: usize) -> Result<Option<Cow<'_, str>>, Error> {
        if most < usize::MAX && self.min_bytes(most) > most {
            return Ok(None);
        }
        Ok(Some(self.json()?).filter(|json| json.len() <= most))
    }

    fn text(&self) -> Result<Cow<'_, str>, Error> {
        Ok(Cow::Borrowed(""))
    }

    fn fast(&self) -> Option<&dyn FastSource> {
        None
    }

    fn row(&self) -> Option<&dyn RowSource> {
        None
    }
}

impl<'a, S: Source + 'a> Erased<'a> for S {
    fn kind(&self) -> Kind {
        Source::kind(self)
    }

    fn len(&self) -> usize {
        Source::len(self)
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<AnySource<'a>>, Error> {
        Ok(Source::items(self, start, max)?.into_iter().map(AnySource::new).collect())
    }

    fn entries_where(
        &self,
        is_wanted: &mut dyn FnMut(usize, &str) -> bool,
    ) -> Result<Vec<Entry<AnySource<'a>>>, Error> {
        let entries = Source::entries_where(self, is_wanted)?;
        Ok(entries.into_iter().map(|(key, value)| (key, AnySource::new(value))).collect())
    }

    fn each_item(&self, places: &[usize], with: &mut dyn FnMut(Option<&AnySource<'a>>)) {
        Source::each_item(self, places, &mut |item| with(item.map(|item| AnySource::new(item.clone())).as_ref()));
    }

    fn chars(&self) -> usize {
        Source::chars(self)
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        Source::slice(self, start, max)
    }

    fn min_bytes(&self, enough: usize) -> usize {
        Source::min_bytes(self, enough)
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        Source::json(self)
    }

    fn json_up_to(&self, most: usize) -> Result<Option<Cow<'_, str>>, Error> {
        Source::json_up_to(self, most)
    }

    fn text(&self) -> Result<Cow<'_, str>, Error> {
        Source::text(self)
    }

    fn fast(&self) -> Option<&dyn FastSource> {
        Source::fast(self)
    }

    fn row(&self) -> Option<&dyn RowSource> {
        Source::row(self)
    }
}

impl<'a> Source for AnySource<'a> {
    fn kind(&self) -> Kind {
        self.0.kind()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        self.0.items(start, max)
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        self.0.entries_where(is_wanted)
    }

    fn each_item(&self, places: &[usize], with: &mut dyn FnMut(Option<&Self>)) {
        self.0.each_item(places, with);
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

    fn json_up_to(&self, most: usize) -> Result<Option<Cow<'_, str>>, Error> {
        self.0.json_up_to(most)
    }

    fn text(&self) -> Result<Cow<'_, str>, Error> {
        self.0.text()
    }

    fn in_text(&self, most: usize) -> Option<Self> {
        let is_it = self.0.fast().is_some_and(FastSource::writes_fast) && self.0.kind().is_container();
        let json = if is_it { self.0.json_up_to(most).ok()?? } else { return None };
        SharedJson::of(json.into_owned()).map(Self::new)
    }

    fn data_in_text(&self, left: &Cell<usize>) -> Result<Option<Self>, Error> {
        Ok(json_in_text::data_in(self, left)?.map(Self::new))
    }

    fn reading_of_text(&self, left: &Cell<usize>) -> Result<Option<(TextFormat, Self)>, Error> {
        Ok(text_reading::of(self, left)?.map(|(format, data)| (format, Self::new(data))))
    }

    fn fast(&self) -> Option<&dyn FastSource> {
        self.0.fast()
    }

    fn row(&self) -> Option<&dyn RowSource> {
        self.0.row()
    }
}
