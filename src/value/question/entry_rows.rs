//! The entries of an object of JSON text as rows whose places are known, in any order.

use std::borrow::Cow;
use std::rc::Rc;

use toolshape_json::{skip_space, skip_string};

use crate::base::error::Error;
use crate::value::json_text::JsonText;
use crate::value::source::{Entry, Kind, Source, write_json};

#[derive(Clone)]
pub(crate) enum EntryRows<'t> {
    /// The text in which the entries are, and where they begin.
    List(JsonText<'t>, Rc<[usize]>),
    /// An entry: its key, with its quotes, and the value.
    Row(&'t str, JsonText<'t>),
    /// A value in a row.
    Part(JsonText<'t>),
}

impl<'t> EntryRows<'t> {
    /// Entries of `text` in an order.
    pub fn new(text: JsonText<'t>, places: &[usize], order: &[usize]) -> Self {
        Self::List(text, order.iter().map(|&at| places[at]).collect())
    }

    fn own(&self) -> &JsonText<'t> {
        match self {
            Self::List(own, _) | Self::Row(_, own) | Self::Part(own) => own,
        }
    }
}

impl Source for EntryRows<'_> {
    fn kind(&self) -> Kind {
        if matches!(self, Self::List(..)) { Kind::Array } else { self.own().kind() }
    }

    fn len(&self) -> usize {
        match self {
            Self::List(_, places) => places.len(),
            Self::Row(_, own) | Self::Part(own) => own.len(),
        }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        Ok(match self {
            Self::List(text, places) => {
                let row = |&start: &usize| {
                    let (span, bytes) = (text.span(), text.span().as_bytes());
                    let end = skip_string(bytes, start);
                    Self::Row(&span[start..end], text.value_at(skip_space(bytes, skip_space(bytes, end) + 1)))
                };
                places.iter().skip(start).take(max).map(row).collect()
            }
            Self::Row(_, own) | Self::Part(own) => own.items(start, max)?.into_iter().map(Self::Part).collect(),
        })
    }

    fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
        Ok(match self {
            Self::List(..) => Vec::new(),
            Self::Row(_, own) | Self::Part(own) => {
                own.entries()?.into_iter().map(|(key, value)| (key, Self::Part(value))).collect()
            }
        })
    }

    fn chars(&self) -> usize {
        self.own().chars()
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        self.own().slice(start, max)
    }

    fn min_bytes(&self, enough: usize) -> usize {
        match self {
            Self::List(_, places) => 3 * places.len(),
            Self::Row(_, own) | Self::Part(own) => own.min_bytes(enough),
        }
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        match self {
            Self::List(..) => write_json(self, |part| Ok(part.own().json()?.into_owned())).map(Cow::Owned),
            Self::Row(_, own) | Self::Part(own) => own.json(),
        }
    }

    fn key(&self) -> Option<&str> {
        match self {
            Self::Row(key, _) => Some(key),
            Self::List(..) | Self::Part(_) => None,
        }
    }

    fn identity(&self) -> Result<Option<Cow<'_, str>>, Error> {
        Ok(self.key().map(Cow::Borrowed))
    }
}
