//! Lists in pages: as many rows as the budget holds, at most a page, and a cursor to the next one.

use crate::columns::Columns;
use crate::context::{Context, Fit};
use crate::cursor::{Cursor, Unit, fingerprint, refuse};
use crate::elide::{self, Elision};
use crate::error::{Error, ErrorCode};
use crate::literal;
use crate::policy::Format;
use crate::source::{Source, item};

/// How far from its old place a row is looked for when rows came or went.
const SEARCH: usize = 500;
/// A row larger than this is not read for a fingerprint.
const MAX_IDENTITY_BYTES: usize = 1 << 16;
/// Rows that are read from the host at once.
const CHUNK: usize = 32;

/// The rows that a call asks for.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub start: usize,
    pub end: usize,
    pub total: usize,
    pub page_size: usize,
    /// Rows came or went since the cursor was made, and its place could not be found again.
    pub shifted: bool,
}

impl Window {
    /// The rows that the call's cursor or page names; the first page if it names none.
    ///
    /// # Errors
    /// `INVALID_CURSOR` for a cursor that cannot be used, `INVALID_CALL` for a page that does not exist.
    pub fn new<S: Source>(list: &S, cx: &Context<'_>) -> Result<Self, Error> {
        let total = list.len();
        let page_size = cx.controls.page_size.unwrap_or(cx.settings.page_size);
        let (start, shifted) = match cx.cursor(Unit::Rows)? {
            Some(cursor) => place(list, &cursor)?,
            None => (first_row(cx.controls.page.unwrap_or(1), page_size, total)?, false),
        };
        let end = start.saturating_add(page_size).min(total);
        Ok(Self { start, end, total, page_size, shifted })
    }

    /// The window of another page with another size over the same list.
    pub fn resized(&self, page: usize, page_size: usize) -> Self {
        let start = (page - 1) * page_size;
        Self { start, end: (start + page_size).min(self.total), total: self.total, page_size, shifted: false }
    }

    /// The number of the page that the first row lies on, from 1.
    fn page(&self) -> usize {
        self.start / self.page_size + 1
    }

    fn total_pages(&self) -> usize {
        self.total.div_ceil(self.page_size).max(1)
    }
}

fn first_row(page: u64, page_size: usize, total: usize) -> Result<usize, Error> {
    let start = (page - 1).checked_mul(page_size as u64).filter(|&start| start == 0 || start < total as u64);
    start.map(|start| start as usize).ok_or_else(|| {
        let pages = total.div_ceil(page_size).max(1);
        let message = format!("page is {page}; with a pageSize of {page_size} this list has {pages}");
        Error::new(ErrorCode::InvalidCall, message, "/page")
    })
}

/// Where the cursor's row is now, and whether that could not be told.
fn place<S: Source>(list: &S, cursor: &Cursor) -> Result<(usize, bool), Error> {
    let total = list.len();
    let position = cursor.position.min(total);
    if cursor.fingerprint == 0 || position == 0 {
        return Ok((position, total != cursor.total));
    }
    let is_last_shown = |index: usize| -> Result<bool, Error> {
        Ok(item(list, index)?.map_or(Ok(None), |row| row_fingerprint(&row))? == Some(cursor.fingerprint))
    };
    let last = position - 1;
    if total == cursor.total && is_last_shown(last)? {
        return Ok((position, false));
    }
    // Rows came or went: the row that was shown last tells where, if there is only one like it nearby.
    let mut found = Vec::new();
    for index in last.saturating_sub(SEARCH)..(last + SEARCH + 1).min(total) {
        if is_last_shown(index)? {
            found.push(index);
        }
    }
    match found[..] {
        [index] => Ok((index + 1, false)),
        [] => Ok((position, true)),
        _ => {
            let nearest = found.into_iter().min_by_key(|index| index.abs_diff(last)).unwrap_or(last);
            Ok((nearest + 1, true))
        }
    }
}

fn row_fingerprint<S: Source>(row: &S) -> Result<Option<u32>, Error> {
    if row.min_bytes(MAX_IDENTITY_BYTES) > MAX_IDENTITY_BYTES {
        return Ok(None);
    }
    Ok(Some(fingerprint(&row.identity()?)))
}

/// One page as a frame writes it.
pub(crate) struct Page<'a> {
    pub window: &'a Window,
    /// Rows that are shown, from the window's start.
    pub returned: usize,
    pub next: Option<String>,
    /// The rows, joined by commas.
    pub rows: &'a str,
    /// The keys of the rows, where these are written as columns.
    pub columns: Option<&'a str>,
    pub elisions: &'a [Elision],
    /// Fields that the default projection left out of the rows.
    pub omitted_fields: &'a [String],
}

impl Page<'_> {
    fn has_more(&self) -> bool {
        self.window.start + self.returned < self.window.total
    }

    /// Whether every row of the list is shown, and whole.
    pub fn is_whole_list(&self) -> bool {
        self.returned == self.window.total && self.elisions.is_empty()
    }

    /// The facts of the page as JSON members: `totalItems` to `nextCursor`.
    pub fn facts(&self) -> String {
        let Window { start, end, total, page_size, shifted } = *self.window;
        let (page, pages) = (self.window.page(), self.window.total_pages());
        let mut out =
            format!("\"totalItems\":{total},\"page\":{page},\"pageSize\":{page_size},\"totalPages\":{pages},");
        if self.returned < end - start {
            out += &format!("\"returned\":{},", self.returned);
        }
        let next = self.next.as_deref().map_or("null".to_owned(), literal::quoted);
        out += &format!("\"hasMore\":{},\"nextCursor\":{next}", self.has_more());
        if shifted {
            out += ",\"shifted\":true";
        }
        if !self.omitted_fields.is_empty() {
            let names: Vec<String> = self.omitted_fields.iter().map(|name| literal::quoted(name)).collect();
            out += &format!(",\"omittedFields\":[{}]", names.join(","));
        }
        out
    }

    /// One sentence or a few: where the page stands, and how to get what it does not show.
    ///
    /// `of` names the list where it is not the whole result, `cursor` where its next cursor stands.
    pub fn note(&self, of: &str, cursor: &str) -> String {
        let wanted = self.window.end - self.window.start;
        let mut out = format!("Page {}/{}{of}", self.window.page(), self.window.total_pages());
        if self.returned < wanted {
            let fit = if self.returned == 1 { "fits" } else { "fit" };
            out += &format!(": {} of its {wanted} rows {fit}", self.returned);
        }
        out.push('.');
        if !self.has_more() {
            out += " It is the last.";
        } else if self.next.is_some() {
            out += &format!(" For the next rows call again with the same arguments and cursor set to {cursor}.");
        } else {
            out += " For the next rows ask for the next page.";
        }
        if !self.elisions.is_empty() {
            out += " Shortened values end in … or stand in brackets; for one in full call again with fields set to [its pointer].";
        }
        if !self.omitted_fields.is_empty() {
            out += " Omitted fields come when named in fields.";
        }
        if self.window.shifted {
            out += " The list changed since the last page: rows may repeat or be missing.";
        }
        out
    }

    /// The rows as JSON members: `items`, or `columns` and `rows`.
    pub fn body(&self) -> String {
        match self.columns {
            Some(columns) => format!("\"columns\":{columns},\"rows\":[{}]", self.rows),
            None => format!("\"items\":[{}]", self.rows),
        }
    }
}

/// How a page becomes the whole text.
pub(crate) trait Frame {
    fn text(&self, page: &Page<'_>) -> String;

    /// Whether rows may be written as columns here.
    fn takes_columns(&self) -> bool;

    /// Whether everything around the list is shown whole.
    fn is_lossless(&self) -> bool;

    /// JSON Pointer to the list, for cursors; empty if the list is what is shown.
    fn pointer(&self) -> &str;
}

/// The frame of a list that is the whole result.
pub(crate) struct ListFrame<'a> {
    pub cx: &'a Context<'a>,
}

impl Frame for ListFrame<'_> {
    fn text(&self, page: &Page<'_>) -> String {
        let note = literal::quoted(&page.note("", "nextCursor"));
        let elisions = match page.elisions {
            [] => String::new(),
            some => format!("\"elisions\":{},", elide::list(some, self.cx.budget / 5, self.cx.measure)),
        };
        format!("{{\"paginated\":true,{},\"note\":{note},{elisions}{}}}", page.facts(), page.body())
    }

    fn takes_columns(&self) -> bool {
        true
    }

    fn is_lossless(&self) -> bool {
        true
    }

    fn pointer(&self) -> &str {
        ""
    }
}

/// A page that fits.
pub(crate) struct Filled {
    pub text: String,
    pub tokens: usize,
    pub returned: usize,
    pub columns: bool,
    /// Whether a row had to be shortened.
    pub shortened: bool,
}

impl Filled {
    /// Whether the page holds all of its window's rows whole.
    pub fn is_complete(&self, window: &Window) -> bool {
        !self.shortened && self.returned == window.end - window.start
    }
}

/// Fills a page with the rows of `window`, in the format that the call or the policy asks for.
///
/// Gives `None` where not even the frame fits.
pub(crate) fn fill<S: Source>(
    list: &S,
    window: &Window,
    omitted_fields: &[String],
    frame: &dyn Frame,
    cx: &Context<'_>,
) -> Result<Option<Filled>, Error> {
    let filler = Filler { list, window, omitted_fields, frame, cx };
    let columns = match cx.format() {
        Format::Columns | Format::Auto if frame.takes_columns() => filler.columns()?,
        _ => None,
    };
    let in_columns = match &columns {
        Some(columns) => filler.whole_rows(Some(columns))?,
        None => None,
    };
    let plain = match (&in_columns, cx.format()) {
        (Some(_), Format::Columns) => None,
        _ => filler.whole_rows(None)?,
    };
    let better = match (in_columns, plain) {
        (Some(a), Some(b)) if (a.returned, b.tokens) > (b.returned, a.tokens) => Some(a),
        (a, b) => b.or(a),
    };
    match better {
        Some(filled) => Ok(Some(filled)),
        None => filler.shortened_row(),
    }
}

struct Filler<'a, S> {
    list: &'a S,
    window: &'a Window,
    omitted_fields: &'a [String],
    frame: &'a dyn Frame,
    cx: &'a Context<'a>,
}

impl<S: Source> Filler<'_, S> {
    fn columns(&self) -> Result<Option<Columns>, Error> {
        let Window { start, end, .. } = *self.window;
        Columns::of(&self.list.items(start, end - start)?)
    }

    /// As many whole rows as fit; `None` if not even the first does, or the frame does not.
    fn whole_rows(&self, columns: Option<&Columns>) -> Result<Option<Filled>, Error> {
        let Window { start, end, .. } = *self.window;
        let measure = self.cx.measure;
        let header = columns.map(Columns::header);
        let render =
            |rows: &[String], last: Option<&S>| self.text(rows.len(), last, &rows.join(","), header.as_deref(), &[]);
        let overhead = measure.count(&render(&[], None)?);
        let Some(room) = self.cx.budget.checked_sub(overhead) else { return Ok(None) };
        let (mut rows, mut sources, mut sum) = (Vec::new(), Vec::new(), 0);
        'rows: for from in (start..end).step_by(CHUNK) {
            for row in self.list.items(from, CHUNK.min(end - from))? {
                // A row in columns is shorter than the row itself, at best by half.
                let most = if columns.is_some() { room * 2 } else { room };
                let Some((mut json, mut tokens)) = measure.json_within(&row, most)? else { break 'rows };
                if let Some(columns) = columns {
                    json = columns.row(&row)?;
                    tokens = measure.count(&json);
                }
                rows.push(json);
                sources.push(row);
                sum += tokens + 1;
                // Tokens reach across the seams between rows, so that joined rows count less than their sum.
                if sum > room {
                    sum = measure.count(&rows.join(","));
                }
                if sum > room {
                    break 'rows;
                }
            }
        }
        let mut count = rows.len();
        while count > 0 || start == end {
            let text = render(&rows[..count], sources[..count].last())?;
            if let Some(tokens) = measure.fits(&text, self.cx.budget) {
                return Ok(Some(Filled {
                    text,
                    tokens,
                    returned: count,
                    columns: columns.is_some(),
                    shortened: false,
                }));
            }
            if count == 0 {
                return Ok(None);
            }
            count -= 1;
        }
        Ok(None)
    }

    /// The window's first row, shortened, because it is too large even alone.
    fn shortened_row(&self) -> Result<Option<Filled>, Error> {
        let Some(row) = item(self.list, self.window.start)? else { return Ok(None) };
        let index = self.list.original_index(self.window.start);
        let pointer = format!("{}{}/{index}", self.cx.base, self.frame.pointer());
        let fit = self.cx.shrink(|spend| {
            let (json, elisions) = elide::value(&row, spend, &pointer, self.cx.measure)?;
            self.text(1, Some(&row), &json, None, &elisions)
        })?;
        Ok(fit.map(|Fit { text, tokens }| Filled { text, tokens, returned: 1, columns: false, shortened: true }))
    }

    fn text(
        &self,
        returned: usize,
        last: Option<&S>,
        rows: &str,
        columns: Option<&str>,
        elisions: &[Elision],
    ) -> Result<String, Error> {
        let window = self.window;
        let position = window.start + returned;
        let next = if position < window.total {
            let fingerprint = last.map_or(Ok(None), row_fingerprint)?.unwrap_or(0);
            let (end, total) = (window.total, window.total);
            let pointer = self.frame.pointer().to_owned();
            self.cx.encode(&Cursor { unit: Unit::Rows, position, end, total, fingerprint, pointer })
        } else {
            None
        };
        let omitted_fields = self.omitted_fields;
        Ok(self.frame.text(&Page { window, returned, next, rows, columns, elisions, omitted_fields }))
    }
}

/// The list that a cursor pages inside of an object, as a pointer.
///
/// # Errors
/// `INVALID_CURSOR` as for any cursor.
pub(crate) fn cursor_pointer(cx: &Context<'_>) -> Result<Option<String>, Error> {
    Ok(cx.cursor(Unit::Rows)?.map(|cursor| cursor.pointer))
}

/// The refusal of a cursor whose list is gone.
pub(crate) fn list_is_gone() -> Error {
    refuse("the list that it pages is no longer in the result")
}
