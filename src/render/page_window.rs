//! Which rows of a list a call asks for: by page, by cursor, or those that the author's query gave.
//!
//! After rows are inserted or deleted, a cursor finds its place again by the row that was shown last; otherwise the
//! page is marked as shifted.

use std::borrow::Cow;
use std::rc::Rc;

use crate::base::error::{Error, ErrorCode};
use crate::render::counted_rows::CountedRows;
use crate::render::dense::DenseRows;
use crate::request::context::Context;
use crate::request::cursor::{Place, Unit, fingerprint};
use crate::request::keyset::KeysetRows;
use crate::request::policy::{Format, PAGE_SIZE};
use crate::value::source::{CHUNK, Kind, Source, identity, item, row_key};
use crate::value::token_count::LIKELY_BYTES;

/// How far from its old place a row is searched for after rows changed, so that the work does not grow with the list.
const SEARCH: usize = 500;
/// The fingerprint of a larger row covers only its start: the start of each of its first entries.
const MAX_IDENTITY_BYTES: usize = 1 << 16;
const MAX_IDENTITY_PART: usize = 1 << 10;
/// Small rows take at least 1/n of the budget, so that a page of them is worth a call.
const PAGE_PARTS: usize = 4;

/// The rows that a call asks for.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub start: usize,
    pub end: usize,
    pub total: usize,
    pub page_size: usize,
    /// Rows changed since the cursor was made, and its place was not found again.
    pub shifted: bool,
    /// The page before, by number, has no room for all of its rows.
    pub follows_gap: bool,
    /// The rows' keys, if rows are paged by keys; then `total` counts only the fetched rows.
    pub keyset: Option<Rc<KeysetRows>>,
}

impl Window {
    /// The rows of the call's cursor or page, by default the first page; if rows are paged by their keys, the fetched
    /// rows.
    ///
    /// # Errors
    /// `INVALID_CURSOR` for a cursor that cannot be used, `INVALID_CALL` for a page that does not exist.
    pub fn new<S: Source>(list: &CountedRows<'_, S>, ctx: &Context<'_>) -> Result<Self, Error> {
        if let Some(rows) = ctx.keyset() {
            let (total, page_size) = (rows.len(), rows.limit());
            let (end, keyset) = (page_size.min(total), Some(rows.clone()));
            return Ok(Self { start: 0, end, total, page_size, shifted: false, follows_gap: false, keyset });
        }
        let page_size = match named_size(ctx) {
            Some(rows) => rows,
            None => chosen_size(list, ctx)?,
        };
        Self::of_size(list.list(), page_size, ctx)
    }

    /// The same for pages of this many rows.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_size<S: Source>(list: &S, page_size: usize, ctx: &Context<'_>) -> Result<Self, Error> {
        let total = list.len();
        let (start, shifted) = match ctx.cursor(Unit::Rows)? {
            Some(cursor) => place(list, &cursor)?,
            None => (first_row(ctx.controls.page.unwrap_or(1), page_size, total)?, false),
        };
        let end = start.saturating_add(page_size).min(total);
        Ok(Self { start, end, total, page_size, shifted, follows_gap: false, keyset: None })
    }

    /// The first rows of a list, as many as a page may have.
    pub fn most(total: usize, ctx: &Context<'_>) -> Self {
        let page_size = ctx.settings.max_page_size;
        Self { start: 0, end: total.min(page_size), total, page_size, shifted: false, follows_gap: false, keyset: None }
    }

    /// The window of another page with another size over the same list.
    pub fn resized(&self, page: usize, page_size: usize) -> Self {
        let start = (page - 1) * page_size;
        let end = (start + page_size).min(self.total);
        Self { start, end, page_size, shifted: false, follows_gap: false, ..self.clone() }
    }

    /// The number of the page, from 1, with the last of `returned` rows that are shown.
    pub fn page(&self, returned: usize) -> usize {
        (self.start + returned).div_ceil(self.page_size).max(1)
    }

    /// Whether `returned` rows are exactly those of a page.
    pub fn is_page(&self, returned: usize) -> bool {
        let is_aligned = self.start.is_multiple_of(self.page_size);
        is_aligned && (returned == self.page_size || self.start + returned == self.total)
    }

    pub fn total_pages(&self) -> usize {
        self.total.div_ceil(self.page_size).max(1)
    }
}

/// How many rows a page has if the call or the policy says so.
pub(crate) fn named_size(ctx: &Context<'_>) -> Option<usize> {
    ctx.controls.page_size.or(ctx.settings.page_size)
}

/// How many rows a page has where neither the policy nor the caller says: [`PAGE_SIZE`], or more where this many of the first rows
/// take less than one part in [`PAGE_PARTS`] of the budget. Of a map as many rows as fit; and of a text or its lines, which
/// are read from the start to the end, about as many.
fn chosen_size<S: Source>(list: &CountedRows<'_, S>, ctx: &Context<'_>) -> Result<usize, Error> {
    let rows = if list.list().len() > PAGE_SIZE { list.at(0, PAGE_SIZE)? } else { Vec::new() };
    let is_map = rows.first().is_some_and(|row| row_key(&row.source).is_some());
    let is_text = ctx.text.is_some() || rows.first().is_some_and(|row| row.source.kind() == Kind::String);
    let wanted = match () {
        () if is_map => ctx.budget,
        // Less is left for the rows, and so they fit with what surrounds them.
        () if is_text => ctx.budget - ctx.budget / PAGE_PARTS,
        () => ctx.budget / PAGE_PARTS,
    };
    let bytes = wanted.saturating_mul(LIKELY_BYTES);
    let mut left = bytes;
    for row in &rows {
        let Some(json) = row.source.json_up_to(left)? else { return Ok(PAGE_SIZE) };
        left -= json.len();
    }
    let mut tokens = 0;
    for row in &rows {
        let own = row.within(usize::MAX)?.map_or(0, |whole| whole.tokens);
        tokens += own + row_key(&row.source).map_or(1, |key| ctx.measure.count(key) + 2);
    }
    if ctx.format_of_pages() != Format::Json && !is_map {
        let texts: Vec<String> =
            rows.iter().map(|row| row.source.json().map(Cow::into_owned)).collect::<Result<_, _>>()?;
        let dense = DenseRows::of_objects(&format!("[{}]", texts.join(",")));
        tokens = dense.map_or(tokens, |dense| tokens.min((tokens as f64 * dense.times_of_more()) as usize));
    }
    if rows.is_empty() || tokens >= wanted {
        return Ok(PAGE_SIZE);
    }
    let size = (PAGE_SIZE * wanted).div_ceil(tokens).next_multiple_of(10);
    Ok(size.min(ctx.settings.max_page_size).max(PAGE_SIZE))
}

fn first_row(page: u64, page_size: usize, total: usize) -> Result<usize, Error> {
    let start = (page - 1).checked_mul(page_size as u64).filter(|&start| start == 0 || start < total as u64);
    start.map(|start| start as usize).ok_or_else(|| {
        let pages = total.div_ceil(page_size).max(1);
        let message = format!("page is {page}; with a pageSize of {page_size} this list has {pages}");
        Error::new(ErrorCode::InvalidCall, message, "/page")
    })
}

/// Where the cursor's row is now, and whether the place is uncertain.
///
/// Identical rows cannot be distinguished: of several candidates the nearest counts, and the place is uncertain unless the
/// list has its old length.
fn place<S: Source>(list: &S, cursor: &Place) -> Result<(usize, bool), Error> {
    let total = list.len();
    let position = cursor.position.min(total);
    if cursor.position == 0 {
        return Ok((0, false));
    }
    if cursor.fingerprint == 0 {
        return Ok((position, total != cursor.total));
    }
    let last = cursor.position - 1;
    let is_last_shown = |row: &S| -> Result<bool, Error> { Ok(row_fingerprint(row)? == cursor.fingerprint) };
    if total == cursor.total && item(list, last)?.map_or(Ok(false), |row| is_last_shown(&row))? {
        return Ok((position, false));
    }
    // Rows changed: the row that was shown last gives the place, if only one nearby is like it.
    let (from, to) = (last.saturating_sub(SEARCH), (last + SEARCH + 1).min(total));
    let mut found = Vec::new();
    for start in (from..to).step_by(CHUNK) {
        for (at, row) in list.items(start, CHUNK.min(to - start))?.iter().enumerate() {
            if is_last_shown(row)? {
                found.push(start + at);
            }
        }
    }
    match found[..] {
        [index] => Ok((index + 1, false)),
        _ => {
            let nearest = found.into_iter().min_by_key(|index| index.abs_diff(last));
            Ok((nearest.map_or(position, |index| index + 1), true))
        }
    }
}

/// The fingerprint of a row without an identity, whose JSON text is known unless it is large.
pub(crate) fn written_fingerprint<S: Source>(row: &S, json: Option<&str>) -> Result<u32, Error> {
    match json {
        Some(json) if json.len() <= MAX_IDENTITY_BYTES => Ok(fingerprint(json)),
        _ => row_fingerprint(row),
    }
}

/// The fingerprint of a row; of a large one without an identity only a part is read.
pub(crate) fn row_fingerprint<S: Source>(row: &S) -> Result<u32, Error> {
    if let Some(identity) = identity(row)? {
        return Ok(fingerprint(&identity));
    }
    match row.json_up_to(MAX_IDENTITY_BYTES)? {
        Some(json) => Ok(fingerprint(&json)),
        None => start_fingerprint(row),
    }
}

/// The fingerprint of the start of a large row.
fn start_fingerprint<S: Source>(row: &S) -> Result<u32, Error> {
    let mut seen = format!("{} {} {}", row.kind().name(), row.len(), row.chars());
    seen += &row.slice(0, MAX_IDENTITY_BYTES)?;
    for (key, value) in row.entries()?.iter().take(MAX_IDENTITY_BYTES / MAX_IDENTITY_PART) {
        seen += key;
        match value.json_up_to(MAX_IDENTITY_PART)? {
            Some(json) => seen += &json,
            None => seen += &value.slice(0, MAX_IDENTITY_PART)?,
        }
    }
    Ok(fingerprint(&seen))
}
