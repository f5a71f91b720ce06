//! Lists in pages: as many rows as the budget holds, at most a page, and a cursor to the next one.

use crate::base::error::Error;
use crate::base::json_string;
use crate::base::tokens::Part;
use crate::render::columnar::Columns;
use crate::render::elide::{self, Elision};
use crate::render::page_window::{CHUNK, Window, row_fingerprint, written_fingerprint};
use crate::request::call::Call;
use crate::request::context::{Context, Fit};
use crate::request::cursor::{Cursor, Unit, refuse};
use crate::request::policy::Format;
use crate::request::stored::{self, Stored};
use crate::value::source::{Source, item};

/// Where whole rows leave more of the budget unused, the next one is begun.
const UNUSED_PERCENT: usize = 15;
/// No two rows together have so many tokens less than each by itself.
const SEAM: usize = 4;

/// One page as a frame writes it.
pub(crate) struct Page<'a> {
    pub call: &'a Call,
    pub window: &'a Window,
    /// Rows that are shown, from the window's start.
    pub returned: usize,
    pub next: Option<String>,
    /// Whether any row stands between what the frame writes.
    pub has_rows: bool,
    /// The keys of the rows, where these are written as columns.
    pub columns: Option<&'a str>,
    pub elisions: &'a [Elision],
    /// What to do to see one of them in full.
    pub ask_in_full: &'a str,
    /// Fields that the default projection left out of the rows.
    pub omitted_fields: &'a [String],
    /// The JSON member that says where the list comes from, if there is a store.
    pub source: &'static str,
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
        let Window { start, end, total, page_size, shifted, .. } = *self.window;
        let is_keyset = self.window.keyset.is_some();
        let mut out = if is_keyset {
            format!("\"pageSize\":{page_size},")
        } else {
            let (page, pages) = (self.window.page(), self.window.total_pages());
            format!("\"totalItems\":{total},\"page\":{page},\"pageSize\":{page_size},\"totalPages\":{pages},")
        };
        if is_keyset || self.returned < end - start {
            out += &format!("\"returned\":{},", self.returned);
        }
        let next = self.next.as_deref().map_or("null".to_owned(), json_string::quoted);
        out += &format!("\"hasMore\":{},\"nextCursor\":{next}", self.has_more());
        if shifted {
            out += ",\"shifted\":true";
        }
        out += self.source;
        if let Some(member) = elide::omitted_fields(self.omitted_fields) {
            out += &format!(",{member}");
        }
        out
    }

    /// One sentence or a few: where the page stands, and how to get what it does not show.
    ///
    /// `of` names the list where it is not the whole result, `cursor` where its next cursor stands, and `uri`
    /// where the address of the whole does, if it is told.
    pub fn note(&self, of: &str, cursor: &str, uri: Option<&str>) -> String {
        let wanted = self.window.end - self.window.start;
        let is_keyset = self.window.keyset.is_some();
        let mut out = if is_keyset {
            format!("{} {}{of}", self.returned, if self.returned == 1 { "row" } else { "rows" })
        } else {
            format!("Page {}/{}{of}", self.window.page(), self.window.total_pages())
        };
        if self.returned < wanted {
            let fit = if self.returned == 1 { "fits" } else { "fit" };
            out += &match is_keyset {
                true => format!(", as many as {fit}"),
                false => format!(": {} of its {wanted} rows {fit}", self.returned),
            };
        }
        out.push('.');
        if !self.has_more() {
            out += if is_keyset { " No more follow." } else { " It is the last." };
        } else if self.next.is_some() {
            let argument = self.call.argument("cursor");
            out += &format!(" For the next rows call again with the same arguments and {argument} set to {cursor}.");
        } else {
            out += " For the next rows ask for the next page.";
        }
        if !self.elisions.is_empty() {
            out += " Shortened values end in … or stand in brackets; for one in full ";
            out += &uri.map_or_else(|| self.ask_in_full.to_owned(), stored::way_to_part);
        }
        if !self.omitted_fields.is_empty() {
            out += &format!(" Omitted fields come when named in {}.", self.call.argument("fields"));
        }
        if self.window.shifted {
            out += " The list changed since the last page: rows may repeat or be missing.";
        }
        out
    }

    /// The JSON members that hold the rows, up to the list that they make: `items`, or `columns` and `rows`.
    pub fn body(&self) -> String {
        self.columns.map_or("\"items\":".to_owned(), |columns| format!("\"columns\":{columns},\"rows\":"))
    }
}

/// How a page becomes the whole text.
pub(crate) trait Frame {
    /// What stands before the rows, and behind them.
    fn around(&self, page: &Page<'_>) -> (String, String);

    /// Whether rows may be written as columns here.
    fn takes_columns(&self) -> bool;

    /// Whether a row that does not fit may be shown shortened.
    fn shortens_rows(&self) -> bool {
        true
    }

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
    fn around(&self, page: &Page<'_>) -> (String, String) {
        let note = json_string::quoted(&page.note("", "nextCursor", self.cx.uri("", page.next.is_some()).as_deref()));
        let elisions = match page.elisions {
            [] => String::new(),
            some => elide::members(some, "", self.cx.budget / 5, self.cx.measure) + ",",
        };
        let (facts, body) = (page.facts(), page.body());
        let stored = self.cx.store_members("", page.next.is_some());
        (format!("{{\"paginated\":true,{facts},{stored}\"note\":{note},{elisions}{body}["), "]}".to_owned())
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
    /// Whether one more is shown that had to be shortened.
    pub shortened: bool,
}

impl Filled {
    /// Whether the page holds all of its window's rows whole.
    pub fn is_complete(&self, window: &Window) -> bool {
        !self.shortened && self.whole == window.end - window.start
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
pub(crate) fn overhead<S: Source>(
    list: &S,
    window: &Window,
    frame: &dyn Frame,
    cx: &Context<'_>,
) -> Result<usize, Error> {
    let filler = Filler { list, window, omitted_fields: &[], frame, cx };
    // Its cursor is as long as that of a page with one row.
    let first = item(list, window.start)?;
    let fingerprint = first.as_ref().map_or(Ok(0), row_fingerprint)?;
    let page = Shown { returned: first.iter().len(), fingerprint, has_rows: false, header: None, elisions: &[] };
    let (before, after) = filler.around(&page);
    Ok(cx.measure.count(&(before + &after)))
}

/// A row as it is shown.
struct Row<S> {
    source: S,
    part: Part,
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
struct Whole<S> {
    rows: Vec<Row<S>>,
    /// The keys of the rows, where these are written as columns.
    header: Option<String>,
    text: String,
    tokens: usize,
}

/// What a frame is to be written around.
struct Shown<'a> {
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
    cx: &'a Context<'a>,
}

impl<S: Source> Filler<'_, S> {
    fn columns(&self) -> Result<Option<Columns>, Error> {
        let Window { start, end, .. } = *self.window;
        Columns::of(&self.list.items(start, end - start)?)
    }

    /// As many whole rows as fit; `None` if not even the first does, or the frame does not.
    fn whole_rows(&self, columns: Option<&Columns>) -> Result<Option<Whole<S>>, Error> {
        let Window { start, end, .. } = *self.window;
        let measure = self.cx.measure;
        let header = columns.map(Columns::header);
        let overhead = self.page(&[], None, header.as_deref())?.tokens;
        let Some(room) = self.cx.budget.checked_sub(overhead) else { return Ok(None) };
        // Tokens reach across the seams between rows, so that joined rows count less than their sum.
        let (mut rows, mut joined) = (Vec::new(), measure.counter());
        'rows: for from in (start..end).step_by(CHUNK) {
            for source in self.list.items(from, CHUNK.min(end - from))? {
                // What is left, and what the seams between rows may give back.
                let left = room.saturating_sub(joined.total()) + SEAM * (rows.len() + 1);
                // A row in columns is shorter than the row itself, at best by half.
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
                return Ok(Some(Whole { rows, header, text, tokens }));
            }
            if rows.pop().is_none() {
                break;
            }
        }
        Ok(None)
    }

    /// Whole rows and, where they leave too much of the budget unused, the start of the next one.
    fn filled_up(&self, whole: Whole<S>) -> Result<Filled, Error> {
        let count = whole.rows.len();
        let wanted = self.cx.budget - self.cx.budget * UNUSED_PERCENT / 100;
        let at = self.window.start + count;
        let is_wanted = whole.tokens < wanted && at < self.window.end && self.frame.shortens_rows();
        let next = if is_wanted { item(self.list, at)? } else { None };
        let columns = whole.header.is_some();
        if let Some(row) = next {
            let room = self.cx.budget - whole.tokens;
            let fit = self.shortened(&whole.rows, &row, whole.header.as_deref(), room, room / 4)?;
            // A row of which hardly anything is seen is better left to the next page.
            if let Some(Fit { text, tokens }) = fit.filter(|fit| fit.tokens >= wanted) {
                return Ok(Filled { text, tokens, whole: count, columns, shortened: true });
            }
        }
        Ok(Filled { text: whole.text, tokens: whole.tokens, whole: count, columns, shortened: false })
    }

    /// The window's first row, shortened, because it is too large even alone.
    fn shortened_row(&self) -> Result<Option<Filled>, Error> {
        let Some(row) = item(self.list, self.window.start)? else { return Ok(None) };
        let fit = self.shortened(&[], &row, None, self.cx.budget, 0)?;
        Ok(fit.map(|Fit { text, tokens }| Filled { text, tokens, whole: 0, columns: false, shortened: true }))
    }

    /// A page of whole rows and a shortened one, on which `spend` tokens may be spent, and not less than `least`.
    fn shortened(
        &self,
        before: &[Row<S>],
        row: &S,
        header: Option<&str>,
        spend: usize,
        least: usize,
    ) -> Result<Option<Fit>, Error> {
        let at = self.window.start + before.len();
        // JSON Pointer to the row in the result as the tool returned it.
        let pointer = format!("{}{}/{}", self.cx.base, self.frame.pointer(), self.list.original_index(at));
        let (fingerprint, entries) = (row_fingerprint(row)?, row.entries()?);
        let mut within = elide::value(row, &entries, &pointer, self.cx.measure);
        self.cx.shrink_from(spend, least, |spend| {
            let (json, elisions) = within(spend)?;
            let returned = before.len() + 1;
            let shown = Shown { returned, fingerprint, has_rows: true, header, elisions: &elisions };
            Ok(self.joined(before.iter().map(|row| &row.part).chain([&self.cx.measure.part(json)]), &shown))
        })
    }

    /// A page of whole rows; `fingerprint` is that of the last one, or none where only the frame is to be weighed.
    fn page(&self, rows: &[Row<S>], fingerprint: Option<u32>, header: Option<&str>) -> Result<Fit, Error> {
        let (returned, fingerprint) = (rows.len(), fingerprint.unwrap_or(0));
        let shown = Shown { returned, fingerprint, has_rows: !rows.is_empty(), header, elisions: &[] };
        Ok(self.joined(rows.iter().map(|row| &row.part), &shown))
    }

    /// Rows in their frame; what was counted of them is not counted again.
    fn joined<'p>(&self, rows: impl Iterator<Item = &'p Part>, shown: &Shown<'_>) -> Fit {
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

    fn around(&self, shown: &Shown<'_>) -> (String, String) {
        let Shown { returned, fingerprint, has_rows, header, elisions } = *shown;
        let window = self.window;
        let position = window.start + returned;
        let next = if let Some(rows) = &window.keyset {
            rows.next(position).and_then(|after| self.cx.encode_after(after))
        } else if position < window.total {
            let (end, total) = (window.total, window.total);
            let pointer = self.frame.pointer().to_owned();
            self.cx.encode(Cursor { unit: Unit::Rows, position, end, total, fingerprint, pointer })
        } else {
            None
        };
        let call = self.cx.call;
        let (omitted_fields, source) = (self.omitted_fields, self.cx.stored.as_ref().map_or("", Stored::source));
        let ask_in_full = &self.cx.ask_in_full();
        self.frame.around(&Page {
            call,
            window,
            returned,
            next,
            has_rows,
            columns: header,
            elisions,
            ask_in_full,
            omitted_fields,
            source,
        })
    }
}

/// The refusal of a cursor whose list is gone.
pub(crate) fn list_is_gone() -> Error {
    refuse("the list that it pages is no longer in the result")
}
