//! A list in another order, perhaps without some items. It is a [`Source`] itself: nothing is read until it is shown.

use std::borrow::Cow;
use std::rc::Rc;

use crate::base::error::Error;
use crate::value::any_source::AnySource;
use crate::value::source::{Entry, Kind, Source, write_json};

#[derive(Clone)]
pub(crate) enum Reordered<'v> {
    /// The list, and the indices of the items in it.
    List(AnySource<'v>, Rc<[usize]>),
    /// An item of the list, or a value in one.
    Part(AnySource<'v>),
}

impl<'v> Reordered<'v> {
    pub fn new(list: AnySource<'v>, order: Vec<usize>) -> Self {
        Self::List(list, order.into())
    }

    fn own(&self) -> &AnySource<'v> {
        match self {
            Self::List(own, _) | Self::Part(own) => own,
        }
    }
}

impl Source for Reordered<'_> {
    fn kind(&self) -> Kind {
        self.own().kind()
    }

    fn len(&self) -> usize {
        match self {
            Self::List(_, order) => order.len(),
            Self::Part(own) => own.len(),
        }
    }

    fn items(&self, start: usize, max: usize) -> Result<Vec<Self>, Error> {
        let mut items = Vec::new();
        match self {
            Self::List(list, order) => {
                for &at in order.iter().skip(start).take(max) {
                    items.extend(list.items(at, 1)?);
                }
            }
            Self::Part(own) => items = own.items(start, max)?,
        }
        Ok(items.into_iter().map(Self::Part).collect())
    }

    fn entries(&self) -> Result<Vec<Entry<Self>>, Error> {
        Ok(self.own().entries()?.into_iter().map(|(key, value)| (key, Self::Part(value))).collect())
    }

    fn chars(&self) -> usize {
        self.own().chars()
    }

    fn slice(&self, start: usize, max: usize) -> Result<String, Error> {
        self.own().slice(start, max)
    }

    fn min_bytes(&self, enough: usize) -> usize {
        match self {
            Self::List(_, order) if order.len() < self.own().len() => 2 * order.len(),
            _ => self.own().min_bytes(enough),
        }
    }

    fn json(&self) -> Result<Cow<'_, str>, Error> {
        match self {
            Self::List(..) => write_json(self, |part| Ok(part.own().json()?.into_owned())).map(Cow::Owned),
            Self::Part(own) => own.json(),
        }
    }

    fn original_index(&self, index: usize) -> usize {
        match self {
            Self::List(list, order) => order.get(index).map_or(index, |&at| list.original_index(at)),
            Self::Part(own) => own.original_index(index),
        }
    }

    fn key(&self) -> Option<&str> {
        match self {
            Self::List(..) => None,
            Self::Part(own) => own.key(),
        }
    }

    fn place(&self) -> Option<String> {
        match self {
            Self::List(..) => None,
            Self::Part(own) => own.place(),
        }
    }

    fn identity(&self) -> Result<Option<Cow<'_, str>>, Error> {
        match self {
            Self::List(..) => Ok(None),
            Self::Part(own) => own.identity(),
        }
    }
}
