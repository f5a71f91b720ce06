//! The small members of a list's first rows, and of the objects and lists of objects in them.

use crate::base::error::Error;
use crate::render::counted_rows::CountedRow;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, Source};

/// A small value in a row.
pub(crate) struct SmallMember<'m> {
    /// The key of what it is in, unless that is the row. Keys have their quotes.
    pub outer: Option<&'m str>,
    /// Whether that is a list, whose first item represents all.
    pub is_listed: bool,
    pub key: &'m str,
    pub kind: Kind,
    pub json: &'m str,
}

/// What of a row is looked at.
pub(crate) struct Look<'w> {
    /// The first members of each object, this many at most.
    pub members: usize,
    /// The bytes of the longest value.
    pub bytes: usize,
    pub with: &'w mut dyn FnMut(&SmallMember<'_>),
}

impl Look<'_> {
    /// Looks at a row.
    ///
    /// # Errors
    /// Whatever reading the row reports.
    pub fn at_row(&mut self, row: &CountedRow<AnySource<'_>>) -> Result<(), Error> {
        row.with_json(|json| match json {
            Some(json) => self.at(&JsonText::checked(json), None, false),
            None => self.at(&row.source, None, false),
        })?
    }

    fn at<S: Source>(&mut self, object: &S, outer: Option<&str>, is_listed: bool) -> Result<(), Error> {
        let places: Vec<usize> = (0..self.members).collect();
        let mut looked = Ok(());
        object.each_entry(&places, &mut |key, value| {
            if looked.is_ok() {
                looked = self.at_entry(key, value, outer, is_listed);
            }
        })?;
        looked
    }

    fn at_entry<S: Source>(&mut self, key: &str, value: &S, outer: Option<&str>, is_listed: bool) -> Result<(), Error> {
        let kind = value.kind();
        let first = if kind == Kind::Array { value.items(0, 1)?.pop() } else { None };
        let inner = first.as_ref().map_or(kind, Source::kind);
        match (inner, outer) {
            (Kind::Object, None) => self.at(first.as_ref().unwrap_or(value), Some(key), first.is_some()),
            (Kind::Object, _) => Ok(()),
            (Kind::Array, _) if first.is_some() => Ok(()),
            _ => {
                if let Some(json) = value.json_up_to(self.bytes)? {
                    (self.with)(&SmallMember { outer, is_listed, key, kind, json: &json });
                }
                Ok(())
            }
        }
    }
}
