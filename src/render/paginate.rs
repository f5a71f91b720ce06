//! Lists in pages: as many rows as the budget holds, at most a page, and a cursor to the next one.

use crate::base::error::Error;
use crate::base::members::Members;
use crate::base::tokens::CountedText;
use crate::render::columnar::Columns;
use crate::render::elide::{self, Elision};
use crate::render::notes::page::PageNote;
use crate::render::page_window::{CHUNK, Window, row_fingerprint, written_fingerprint};
use crate::request::cursor::{Place, Unit, refuse};
use crate::request::handle::Handle;
use crate::request::policy::Format;
use crate::request::stored::Stored;
use crate::request::view::{Fit, View};
use crate::value::source::{Source, item};

/// If whole rows leave more of the budget unused, the start of the next row is shown.
const UNUSED_PERCENT: usize = 15;
/// Most tokens that joining two rows can save.
const SEAM: usize = 4;

/// One page as a frame writes it.
pub(crate) struct Page<'a> {
    pub cx: &'a View<'a>,
    pub window: &'a Window,
    /// How many rows are shown, from the window's start.
    pub returned: usize,
    pub next: Option<String>,
    /// Whether the frame contains any row.
    pub has_rows: bool,
    /// The keys of the rows, if these are written as columns.
    pub columns: Option<&'a str>,
    pub elisions: &'a [Elision],
    /// Fields that the default projection left out of the rows.
    pub omitted_fields: &'a [String],
    /// Where the list comes from, if there is a store.
    pub source: Option<&'static str>,
}

impl Page<'_> {
    fn has_more(&self) -> bool {
        self.window.start + self.returned < self.window.total
    }

    /// Whether every row of the list is shown whole.
    pub fn is_whole_list(&self) -> bool {
        self.returned == self.window.total && self.elisions.is_empty()
    }

    /// Writes the facts of the page: `totalItems` to `nextCursor`, then those that only some pages have.
    pub fn write_facts(&self, out: &mut Members) {
        let Window { start, end, total, page_size, shifted, .. } = *self.window;
        let is_keyset = self.window.keyset.is_some();
        if is_keyset {
            out.number("pageSize", page_size);
        } else {
            out.number("totalItems", total);
            out.number("page", self.window.page());
            out.number("pageSize", page_size);
            out.number("totalPages", self.window.total_pages());
        }
        if is_keyset || self.returned < end - start {
            out.number("returned", self.returned);
        }
        out.flag("hasMore", self.has_more());
        out.text_or_null("nextCursor", self.next.as_deref());
        if shifted {
            out.flag("shifted", true);
        }
        if let Some(source) = self.source {
            out.text("source", source);
        }
        elide::write_omitted_fields(self.omitted_fields, out);
    }

    /// The note: which rows the page shows, and how to get the others.
    ///
    /// `list` is the pointer to the list, empty if it is the whole result; `cursor` is the member with the next cursor,
    /// `uri` the member with the address of the stored result, if there is one.
    pub fn note(&self, list: &str, cursor: &str, handle: Option<Handle>) -> String {
        let window = self.window;
        let number = (window.page(), window.total_pages());
        PageNote {
            cx: self.cx,
            number: Some(number).filter(|_| window.keyset.is_none()),
            list,
            returned: self.returned,
            wanted: window.end - window.start,
            has_more: self.has_more(),
            next_cursor: self.next.as_ref().map(|_| cursor),
            has_shortened: !self.elisions.is_empty(),
            handle,
            omits_fields: !self.omitted_fields.is_empty(),
            shifted: window.shifted,
        }
        .text()
    }

    /// Writes the members for the rows, with the list open: `items`, or `columns` and `rows`.
    pub fn open_rows(&self, out: &mut Members) {
        match self.columns {
            Some(columns) => {
                out.json("columns", columns);
                out.open_list("rows");
            }
            None => out.open_list("items"),
        }
    }
}

/// What surrounds the rows of a page.
pub(crate) trait Frame {
    /// The text before the rows, and the text after them.
    fn around(&self, page: &Page<'_>) -> (String, String);

    /// Whether rows may be written as columns.
    fn takes_columns(&self) -> bool;

    /// Whether a row that does not fit may be shown shortened.
    fn shortens_rows(&self) -> bool {
        true
    }

    /// Whether everything beside the list is shown whole.
    fn is_lossless(&self) -> bool;

    /// JSON Pointer to the list, for cursors; empty if the list is the value itself.
    fn pointer(&self) -> &str;
}

/// The frame of a list that is the whole result.
pub(crate) struct ListFrame<'a> {
    pub cx: &'a View<'a>,
}

impl Frame for ListFrame<'_> {
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let mut out = Members::new();
        out.flag("paginated", true);
        self.cx.write_text(page.next.is_some(), &mut out);
        page.write_facts(&mut out);
        self.cx.write_stored(page.next.is_some(), &mut out);
        out.text("note", &page.note("", "nextCursor", self.cx.handle(page.next.is_some())));
        elide::write_elisions(page.elisions, self.cx.budget / 5, self.cx.measure, &mut out);
        page.open_rows(&mut out);
        out.into_parts()
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
    /// Rows that are shown whole.
    pub whole: usize,
    pub columns: bool,
    /// Whether one more row is shown shortened.
    pub shortened: bool,
}

impl Filled {
    /// Whether the page has all rows of its window whole.
    pub fn is_complete(&self, window: &Window) -> bool {
        !self.shortened && self.whole == window.end - window.start
    }
}

/// Fills a page with the rows of `window`, in the format that the call or the policy asks for.
///
/// `None` if not even the frame fits.
pub(crate) fn fill<S: Source>(
    list: &S,
    window: &Window,
    omitted_fields: &[String],
    frame: &dyn Frame,
    cx: &View<'_>,
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
        (Some(a), Some(b)) if (a.rows.len(), b.tokens) > (b.rows.len(), a.tokens) => Some(a),
        (a, b) => b.or(a),
    };
    match better {
        Some(whole) => filler.filled_up(whole).map(Some),
        None if frame.shortens_rows() => filler.shortened_row(),
        None => Ok(None),
    }
}

/// The tokens of a page without its rows.
pub(crate) fn overhead<S: Source>(list: &S, window: &Window, frame: &dyn Frame, cx: &View<'_>) -> Result<usize, Error> {
    let filler = Filler { list, window, omitted_fields: &[], frame, cx };
    // Its cursor is as long as the cursor of a page with one row.
    let first = item(list, window.start)?;
    let fingerprint = first.as_ref().map_or(Ok(0), row_fingerprint)?;
    let page = PageRows { returned: first.iter().len(), fingerprint, has_rows: false, header: None, elisions: &[] };
    let (before, after) = filler.around(&page);
    Ok(cx.measure.count(&(before + &after)))
}

/// A row as it is shown.
struct Row<S> {
    source: S,
    part: CountedText,
    is_in_columns: bool,
}

impl<S: Source> Row<S> {
    fn fingerprint(&self) -> Result<u32, Error> {
        match self.is_in_columns {
            true => row_fingerprint(&self.source),
            false => written_fingerprint(&self.source, self.part.text()),
        }
    }
}

/// Whole rows that fit.
struct WholeRows<S> {
    rows: Vec<Row<S>>,
    /// The keys of the rows, if these are written as columns.
    header: Option<String>,
    text: String,
    tokens: usize,
}

/// The rows of a page, as far as the frame depends on them.
struct PageRows<'a> {
    returned: usize,
    /// Of the last row; 0 if there is none.
    fingerprint: u32,
    has_rows: bool,
    header: Option<&'a str>,
    elisions: &'a [Elision],
}

struct Filler<'a, S> {
    list: &'a S,
    window: &'a Window,
    omitted_fields: &'a [String],
    frame: &'a dyn Frame,
    cx: &'a View<'a>,
}

impl<S: Source> Filler<'_, S> {
    fn columns(&self) -> Result<Option<Columns>, Error> {
        let Window { start, end, .. } = *self.window;
        Columns::of(&self.list.items(start, end - start)?)
    }

    /// As many whole rows as fit; `None` if the frame or the first row does not fit.
    fn whole_rows(&self, columns: Option<&Columns>) -> Result<Option<WholeRows<S>>, Error> {
        let Window { start, end, .. } = *self.window;
        let measure = self.cx.measure;
        let header = columns.map(Columns::header);
        let overhead = self.page(&[], None, header.as_deref())?.tokens;
        let Some(room) = self.cx.budget.checked_sub(overhead) else { return Ok(None) };
        // Tokens may span the seams between rows, so joined rows count less than their sum.
        let (mut rows, mut joined) = (Vec::new(), measure.counter());
        'rows: for from in (start..end).step_by(CHUNK) {
            for source in self.list.items(from, CHUNK.min(end - from))? {
                // The remaining room, and what the seams may save.
                let left = room.saturating_sub(joined.total()) + SEAM * (rows.len() + 1);
                // A row in columns is at best half as long as the row itself.
                let most = if columns.is_some() { left * 2 } else { left };
                let Some(mut part) = measure.part_within(&source, most)? else { break 'rows };
                if let Some(columns) = columns {
                    part = measure.part(columns.row(&source)?);
                }
                if !rows.is_empty() {
                    joined.push(",");
                }
                joined.push_part(&part);
                rows.push(Row { source, part, is_in_columns: columns.is_some() });
                if joined.total() > room {
                    break 'rows;
                }
            }
        }
        while start == end || !rows.is_empty() {
            let last = rows.last().map_or(Ok(0), Row::fingerprint)?;
            let Fit { text, tokens } = self.page(&rows, Some(last), header.as_deref())?;
            if tokens <= self.cx.budget {
                return Ok(Some(WholeRows { rows, header, text, tokens }));
            }
            if rows.pop().is_none() {
                break;
            }
        }
        Ok(None)
    }

    /// Whole rows and, if they leave too much of the budget unused, the start of the next row.
    fn filled_up(&self, whole: WholeRows<S>) -> Result<Filled, Error> {
        let count = whole.rows.len();
        let wanted = self.cx.budget - self.cx.budget * UNUSED_PERCENT / 100;
        let at = self.window.start + count;
        let is_wanted = whole.tokens < wanted && at < self.window.end && self.frame.shortens_rows();
        let next = if is_wanted { item(self.list, at)? } else { None };
        let columns = whole.header.is_some();
        if let Some(row) = next {
            let room = self.cx.budget - whole.tokens;
            let fit = self.shortened(&whole.rows, &row, whole.header.as_deref(), room, room / 4)?;
            // If hardly anything of the row fits, it is left to the next page.
            if let Some(Fit { text, tokens }) = fit.filter(|fit| fit.tokens >= wanted) {
                return Ok(Filled { text, tokens, whole: count, columns, shortened: true });
            }
        }
        Ok(Filled { text: whole.text, tokens: whole.tokens, whole: count, columns, shortened: false })
    }

    /// The window's first row, shortened, because it is too large by itself.
    fn shortened_row(&self) -> Result<Option<Filled>, Error> {
        let Some(row) = item(self.list, self.window.start)? else { return Ok(None) };
        let fit = self.shortened(&[], &row, None, self.cx.budget, 0)?;
        Ok(fit.map(|Fit { text, tokens }| Filled { text, tokens, whole: 0, columns: false, shortened: true }))
    }

    /// A page of whole rows and a shortened one, which gets from `spend` down to `least` tokens.
    fn shortened(
        &self,
        before: &[Row<S>],
        row: &S,
        header: Option<&str>,
        spend: usize,
        least: usize,
    ) -> Result<Option<Fit>, Error> {
        let at = self.window.start + before.len();
        // JSON Pointer to the row in the tool's own result.
        let pointer = format!("{}{}/{}", self.cx.base, self.frame.pointer(), self.list.original_index(at));
        let (fingerprint, entries) = (row_fingerprint(row)?, row.entries_where(&mut |at, _| at <= self.cx.budget)?);
        let mut within = elide::value(row, &entries, &pointer, self.cx.measure);
        self.cx.shrink_from(spend, least, |spend| {
            let (json, elisions) = within(spend)?;
            let returned = before.len() + 1;
            let shown = PageRows { returned, fingerprint, has_rows: true, header, elisions: &elisions };
            Ok(self.joined(before.iter().map(|row| &row.part).chain([&self.cx.measure.part(json)]), &shown))
        })
    }

    /// A page of whole rows; `fingerprint` is that of the last row, `None` if only the frame is weighed.
    fn page(&self, rows: &[Row<S>], fingerprint: Option<u32>, header: Option<&str>) -> Result<Fit, Error> {
        let (returned, fingerprint) = (rows.len(), fingerprint.unwrap_or(0));
        let shown = PageRows { returned, fingerprint, has_rows: !rows.is_empty(), header, elisions: &[] };
        Ok(self.joined(rows.iter().map(|row| &row.part), &shown))
    }

    /// Rows in their frame; rows that are counted already are not counted again.
    fn joined<'p>(&self, rows: impl Iterator<Item = &'p CountedText>, shown: &PageRows<'_>) -> Fit {
        let (mut text, after) = self.around(shown);
        let mut counter = self.cx.measure.counter();
        counter.push(&text);
        for (at, row) in rows.enumerate() {
            if at > 0 {
                text.push(',');
                counter.push(",");
            }
            text += row.text();
            counter.push_part(row);
        }
        text += &after;
        counter.push(&after);
        Fit { text, tokens: counter.total() }
    }

    fn around(&self, shown: &PageRows<'_>) -> (String, String) {
        let PageRows { returned, fingerprint, has_rows, header, elisions } = *shown;
        let window = self.window;
        let position = window.start + returned;
        let next = if let Some(rows) = &window.keyset {
            rows.next(position).and_then(|after| self.cx.encode_after(after))
        } else if position < window.total {
            let (end, total) = (window.total, window.total);
            let pointer = self.frame.pointer().to_owned();
            self.cx.encode(Place { unit: Unit::Rows, position, end, total, fingerprint, pointer })
        } else {
            None
        };
        let (omitted_fields, source) = (self.omitted_fields, self.cx.stored.as_ref().and_then(Stored::source));
        self.frame.around(&Page {
            cx: self.cx,
            window,
            returned,
            next,
            has_rows,
            columns: header,
            elisions,
            omitted_fields,
            source,
        })
    }
}

/// The error for a cursor into a list that is gone.
pub(crate) fn list_is_gone() -> Error {
    refuse("the list that it pages is no longer in the result")
}
