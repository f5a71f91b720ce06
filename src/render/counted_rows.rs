//! The rows of a list, each read and counted once, however many pages are tried with them.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::base::error::Error;
use crate::base::once::once;
use crate::base::tokens::CountedText;
use crate::render::page_window::written_fingerprint;
use crate::request::context::Context;
use crate::request::cursor::fingerprint;
use crate::value::source::{AT_ONCE_BYTES, Source, identity, row_key};
use crate::value::token_count::Measure;

/// The rows of a list.
pub(crate) struct CountedRows<'l, S> {
    list: &'l S,
    measure: Measure,
    budget: usize,
    read: RefCell<BTreeMap<usize, Rc<CountedRow<S>>>>,
    parts: Option<&'l PartsOfRows<'l>>,
}

/// Rows of which parts are shown.
pub(crate) struct PartsOfRows<'w> {
    /// Writes the parts of the rows from an index on, at most as many as the number: each as JSON, `None` if it is read as any
    /// other.
    pub write: &'w WriteRows<'w>,
    /// What identifies a row, if that is known without reading the part.
    pub fingerprint: &'w dyn Fn(usize) -> Result<Option<u32>, Error>,
}

type WriteRows<'l> = dyn Fn(usize, usize) -> Result<Vec<Option<String>>, Error> + 'l;

/// A row that was read.
pub(crate) struct CountedRow<S> {
    pub source: S,
    measure: Measure,
    /// A row is counted up to here, so that it is not counted again for a page with more room.
    budget: usize,
    /// The row as JSON, if it is small and was asked for.
    json: OnceCell<Option<String>>,
    counted: RefCell<Counted>,
    fingerprint: OnceCell<u32>,
}

/// What is known of a row's tokens.
enum Counted {
    /// More than this many.
    Over(usize),
    Whole(WholeRow),
}

/// A whole row as text.
#[derive(Clone)]
pub(crate) struct WholeRow {
    /// The row, after its key if it is an entry of a map.
    pub part: Rc<CountedText>,
    /// The tokens of the row without its key.
    pub tokens: usize,
    /// Where the row begins in the text.
    start: usize,
}

impl<'l, S: Source> CountedRows<'l, S> {
    pub fn new(list: &'l S, ctx: &Context<'_>) -> Self {
        Self { list, measure: ctx.measure, budget: ctx.budget, read: RefCell::default(), parts: None }
    }

    /// Parts of rows, which `list` has too.
    pub fn of_parts(list: &'l S, parts: &'l PartsOfRows<'l>, ctx: &Context<'_>) -> Self {
        Self { parts: Some(parts), ..Self::new(list, ctx) }
    }

    pub fn list(&self) -> &'l S {
        self.list
    }

    /// At most `most` rows from index `start`.
    ///
    /// # Errors
    /// Whatever reading the rows reports.
    pub fn at(&self, start: usize, most: usize) -> Result<Vec<Rc<CountedRow<S>>>, Error> {
        let end = start.saturating_add(most).min(self.list.len());
        let mut read = self.read.borrow_mut();
        if let Some(from) = (start..end).find(|at| !read.contains_key(at)) {
            let texts = self.parts.map_or_else(|| Ok(Vec::new()), |parts| (parts.write)(from, end - from))?;
            let texts = texts.into_iter().chain(std::iter::repeat(None));
            for ((at, source), text) in (from..).zip(self.list.items(from, end - from)?).zip(texts) {
                read.entry(at).or_insert_with(|| Rc::new(self.row(source, text)));
            }
        }
        Ok((start..end).map_while(|at| read.get(&at).cloned()).collect())
    }

    /// What identifies a row in a cursor, whatever part of it is shown; 0 if there is no such row.
    ///
    /// # Errors
    /// Whatever reading the row reports.
    pub fn fingerprint(&self, at: usize) -> Result<u32, Error> {
        let known = self.parts.map_or(Ok(None), |parts| (parts.fingerprint)(at))?;
        known.map_or_else(|| self.at(at, 1)?.first().map_or(Ok(0), |row| row.fingerprint()), Ok)
    }

    /// The same of a small row, which other rows may show parts of.
    ///
    /// # Errors
    /// Whatever reading the row reports.
    pub fn small_fingerprint(&self, at: usize) -> Result<Option<u32>, Error> {
        let rows = self.at(at, 1)?;
        let Some(row) = rows.first() else { return Ok(None) };
        let is_small = row.with_json(|json| json.is_some())?;
        if is_small { row.fingerprint().map(Some) } else { Ok(None) }
    }

    fn row(&self, source: S, text: Option<String>) -> CountedRow<S> {
        let json = text.map_or_else(OnceCell::new, |text| OnceCell::from(Some(text)));
        let (counted, fingerprint) = (RefCell::new(Counted::Over(0)), OnceCell::new());
        CountedRow { source, measure: self.measure, budget: self.budget, json, counted, fingerprint }
    }
}

impl<S: Source> CountedRow<S> {
    /// The row if it has at most `most` tokens without its key.
    ///
    /// # Errors
    /// Whatever reading the row reports.
    pub fn within(&self, most: usize) -> Result<Option<WholeRow>, Error> {
        let mut counted = self.counted.borrow_mut();
        if let Counted::Over(over) = *counted
            && over < most
        {
            let most = most.max(self.budget);
            let part = match self.json.get() {
                Some(Some(json)) => CountedText::within(json.clone(), most, self.measure.encoding),
                _ => self.measure.part_within(&self.source, most)?,
            };
            *counted = match part {
                Some(part) => Counted::Whole(self.with_key(part)),
                None => Counted::Over(most),
            };
        }
        Ok(match &*counted {
            Counted::Whole(row) if row.tokens <= most => Some(row.clone()),
            _ => None,
        })
    }

    fn with_key(&self, part: CountedText) -> WholeRow {
        let (tokens, len) = (part.tokens(), part.text().len());
        let part = match row_key(&self.source) {
            Some(key) => part.after(&format!("{key}:")),
            None => part,
        };
        WholeRow { start: part.text().len() - len, part: Rc::new(part), tokens }
    }

    fn fingerprint(&self) -> Result<u32, Error> {
        // A row that has an identity is not written for it.
        let find = || match identity(&self.source)? {
            Some(identity) => Ok(fingerprint(&identity)),
            None => self.with_json(|json| written_fingerprint(&self.source, json))?,
        };
        once(&self.fingerprint, find).copied()
    }

    /// Calls `read` with the row as JSON; with `None` if it is too large to be written at once.
    ///
    /// # Errors
    /// Whatever reading the row reports.
    pub fn with_json<T>(&self, read: impl FnOnce(Option<&str>) -> T) -> Result<T, Error> {
        if let Counted::Whole(row) = &*self.counted.borrow() {
            return Ok(read(Some(&row.part.text()[row.start..])));
        }
        let json = once(&self.json, || Ok(self.source.json_up_to(AT_ONCE_BYTES)?.map(Cow::into_owned)))?;
        Ok(read(json.as_deref()))
    }
}
