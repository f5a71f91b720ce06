//! Rows in another order, perhaps without some. It is a [`Source`] itself: nothing is read until it is shown.

use std::borrow::Cow;
use std::rc::Rc;

use crate::base::error::Error;
use crate::value::any_source::AnySource;
use crate::value::source::{Entry, Kind, RowSource, Source, identity, original_index, row_key, write_json};

#[derive(Clone)]
pub(crate) enum Reordered<'v> {
    /// The list, and the indices of the items in it.
    Items(AnySource<'v>, Rc<[u32]>),
    /// An item of the list, or a value in a row.
    Part(AnySource<'v>),
}

impl<'v> Reordered<'v> {
    /// Items of a list, by their indices.
    pub fn of_items(list: AnySource<'v>, order: Vec<u32>) -> Self {
        Self::Items(list, order.into())
    }

    /// The value itself, if it is not a list of rows.
    fn own(&self) -> Option<&AnySource<'v>> {
        match self {
            Self::Items(..) => None,
            Self::Part(own) => Some(own),
        }
    }
}

impl Source for Reordered<'_> {
    fn kind(&self) -> Kind {
        self.own().map_or(Kind::Array, Source::kind)
    }

    fn len(&self) -> usize {
        match self {
            Self::Items(_, rows) => rows.len(),
            Self::Part(own) => own.len(),
        }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        match self {
            Self::Items(list, order) => {
                let mut items = Vec::new();
                for &at in order.iter().skip(start).take(max) {
                    items.extend(list.items(at as usize, 1)?.into_iter().map(Self::Part));
                }
                Ok(items)
            }
            Self::Part(own) => Ok(own.items(start, max)?.into_iter().map(Self::Part).collect()),
        }
    }

    fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
        let entries = self.own().map_or(Ok(Vec::new()), Source::entries)?;
        Ok(entries.into_iter().map(|(key, value)| (key, Self::Part(value))).collect())
    }

    fn chars(&self) -> usize {
        self.own().map_or(0, Source::chars)
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        self.own().map_or(Ok(String::new()), |own| own.slice(start, max))
    }

    fn min_bytes(&self, enough: usize) -> usize {
        match self {
            Self::Items(list, order) if order.len() < list.len() => 2 * order.len(),
            Self::Items(list, _) => list.min_bytes(enough),
            Self::Part(own) => own.min_bytes(enough),
        }
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        match self.own() {
            Some(own) => own.json(),
            None => {
                let json = write_json(self, usize::MAX, |part| part.own().is_none())?;
                Ok(Cow::Owned(json.unwrap_or_default()))
            }
        }
    }

    fn row(&self) -> Option<&dyn RowSource> {
        Some(self)
    }
}

impl RowSource for Reordered<'_> {
    fn original_index(&self, index: usize) -> usize {
        match self {
            Self::Items(list, order) => order.get(index).map_or(index, |&at| original_index(list, at as usize)),
            Self::Part(own) => original_index(own, index),
        }
    }

    fn key(&self) -> Option<&str> {
        self.own().and_then(row_key)
    }

    fn place(&self) -> Option<String> {
        self.own()?.row()?.place()
    }

    fn identity(&self) -> Result<Option<Cow<'_, str>>, Error> {
        self.own().map_or(Ok(None), identity)
    }
}
