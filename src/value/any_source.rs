//! Any [`Source`] behind one type, so that the verbs are compiled once for all sources.
//!
//! Otherwise the WebAssembly module contains each verb once for each kind of source and each view of one.

use std::any::Any;
use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;

use crate::base::error::Error;
use crate::value::hashed::{Hashed, Hashing};
use crate::value::json_in_text::{self, SharedJson};
use crate::value::source::{Entry, Kind, Length, Source};

/// A source whose type is erased.
#[derive(Clone)]
pub(crate) struct AnySource<'a>(Rc<dyn Erased<'a> + 'a>);

impl<'a> AnySource<'a> {
    pub fn new(source: impl Source + 'a) -> Self {
        Self(Rc::new(source))
    }
}

/// The methods of [`Source`], without its type.
trait Erased<'a> {
    fn kind(&self) -> Kind;
    fn len(&self) -> usize;
    fn items(&self, start: usize, max: usize) -> Result<Vec<AnySource<'a>>, Error>;
    fn entries(&self) -> Result<Vec<Entry<AnySource<'a>>>, Error>;
    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool)
    -> Result<Vec<Entry<AnySource<'a>>>, Error>;
    fn chars(&self) -> usize;
    fn slice(&self, start: usize, max: usize) -> Result<String, Error>;
    fn min_bytes(&self, enough: usize) -> usize;
    fn json(&self) -> Result<Cow<'_, str>, Error>;
    fn text(&self) -> Result<Cow<'_, str>, Error>;
    fn whole(&self, is_text: bool, piece: &mut dyn FnMut(&str)) -> Result<(), Error>;
    fn hashed(&self, is_text: bool, hashing: Hashing<'_>, ends: usize) -> Result<Option<Hashed>, Error>;
    fn holds_whole(&self) -> bool;
    fn keep_whole(&self, is_text: bool);
    fn as_held(&self) -> Option<&dyn Any>;
    fn is_written_as(&self, text: &dyn Any) -> bool;
    fn writes_fast(&self) -> bool;
    fn column(&self, path: &[String]) -> Result<Option<Vec<f64>>, Error>;
    fn lengths(&self, places: &[usize], room: usize) -> Result<Option<Vec<Length>>, Error>;
    fn length(&self, room: usize) -> Option<Length>;
    fn member_length(&self, around: f64, left: &mut usize, levels: usize) -> Option<Length>;
    fn original_index(&self, index: usize) -> usize;
    fn key(&self) -> Option<&str>;
    fn place(&self) -> Option<String>;
    fn identity(&self) -> Result<Option<Cow<'_, str>>, Error>;
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

    fn entries(&self) -> Result<Vec<Entry<AnySource<'a>>>, Error> {
        Ok(Source::entries(self)?.into_iter().map(|(key, value)| (key, AnySource::new(value))).collect())
    }

    fn entries_where(
        &self,
        is_wanted: &mut dyn FnMut(usize, &str) -> bool,
    ) -> Result<Vec<Entry<AnySource<'a>>>, Error> {
        let entries = Source::entries_where(self, is_wanted)?;
        Ok(entries.into_iter().map(|(key, value)| (key, AnySource::new(value))).collect())
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

    fn text(&self) -> Result<Cow<'_, str>, Error> {
        Source::text(self)
    }

    fn whole(&self, is_text: bool, piece: &mut dyn FnMut(&str)) -> Result<(), Error> {
        Source::whole(self, is_text, piece)
    }

    fn hashed(&self, is_text: bool, hashing: Hashing<'_>, ends: usize) -> Result<Option<Hashed>, Error> {
        Source::hashed(self, is_text, hashing, ends)
    }

    fn holds_whole(&self) -> bool {
        Source::holds_whole(self)
    }

    fn keep_whole(&self, is_text: bool) {
        Source::keep_whole(self, is_text);
    }

    fn as_held(&self) -> Option<&dyn Any> {
        Source::as_held(self)
    }

    fn is_written_as(&self, text: &dyn Any) -> bool {
        Source::is_written_as(self, text)
    }

    fn writes_fast(&self) -> bool {
        Source::writes_fast(self)
    }

    fn column(&self, path: &[String]) -> Result<Option<Vec<f64>>, Error> {
        Source::column(self, path)
    }

    fn lengths(&self, places: &[usize], room: usize) -> Result<Option<Vec<Length>>, Error> {
        Source::lengths(self, places, room)
    }

    fn length(&self, room: usize) -> Option<Length> {
        Source::length(self, room)
    }

    fn member_length(&self, around: f64, left: &mut usize, levels: usize) -> Option<Length> {
        Source::member_length(self, around, left, levels)
    }

    fn original_index(&self, index: usize) -> usize {
        Source::original_index(self, index)
    }

    fn key(&self) -> Option<&str> {
        Source::key(self)
    }

    fn place(&self) -> Option<String> {
        Source::place(self)
    }

    fn identity(&self) -> Result<Option<Cow<'_, str>>, Error> {
        Source::identity(self)
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

    fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
        self.0.entries()
    }

    fn entries_where(&self, is_wanted: &mut dyn FnMut(usize, &str) -> bool) -> Result<Vec<Entry<Self>>, Error> {
        self.0.entries_where(is_wanted)
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

    fn text(&self) -> Result<Cow<'_, str>, Error> {
        self.0.text()
    }

    fn whole(&self, is_text: bool, piece: &mut dyn FnMut(&str)) -> Result<(), Error> {
        self.0.whole(is_text, piece)
    }

    fn hashed(&self, is_text: bool, hashing: Hashing<'_>, ends: usize) -> Result<Option<Hashed>, Error> {
        self.0.hashed(is_text, hashing, ends)
    }

    fn holds_whole(&self) -> bool {
        self.0.holds_whole()
    }

    fn keep_whole(&self, is_text: bool) {
        self.0.keep_whole(is_text);
    }

    fn as_held(&self) -> Option<&dyn Any> {
        self.0.as_held()
    }

    fn is_written_as(&self, text: &dyn Any) -> bool {
        self.0.is_written_as(text)
    }

    fn writes_fast(&self) -> bool {
        self.0.writes_fast()
    }

    fn in_text(&self, most: usize) -> Option<Self> {
        let is_it = self.0.writes_fast() && self.0.kind().is_container() && self.0.min_bytes(most) <= most;
        let json = if is_it { self.0.json().ok()?.into_owned() } else { return None };
        SharedJson::of(json).map(Self::new)
    }

    fn column(&self, path: &[String]) -> Result<Option<Vec<f64>>, Error> {
        self.0.column(path)
    }

    fn lengths(&self, places: &[usize], room: usize) -> Result<Option<Vec<Length>>, Error> {
        self.0.lengths(places, room)
    }

    fn length(&self, room: usize) -> Option<Length> {
        self.0.length(room)
    }

    fn member_length(&self, around: f64, left: &mut usize, levels: usize) -> Option<Length> {
        self.0.member_length(around, left, levels)
    }

    fn original_index(&self, index: usize) -> usize {
        self.0.original_index(index)
    }

    fn key(&self) -> Option<&str> {
        self.0.key()
    }

    fn place(&self) -> Option<String> {
        self.0.place()
    }

    fn identity(&self) -> Result<Option<Cow<'_, str>>, Error> {
        self.0.identity()
    }

    fn data_in_text(&self, left: &Cell<usize>) -> Result<Option<Self>, Error> {
        Ok(json_in_text::data_in(self, left)?.map(Self::new))
    }
}
