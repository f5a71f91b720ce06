//! The rows of an answer in SQL, as columns: their number and what was left out first, then as many as fit.

use std::borrow::Cow;

use crate::base::json_string::{self, Quoted};
use crate::base::members::Members;
use crate::render::dense::{self, Around, DenseRows};
use crate::render::notes::sql as notes;
use crate::request::context::Context;
use crate::request::cursor::Unit;
use crate::request::policy::Format;
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, Source};

/// Long texts are shortened until this many rows fit.
const ENOUGH_ROWS: usize = 10;
/// No text is shortened to fewer characters.
const SHORTEST: usize = 24;

/// The rows of one statement.
#[derive(Default)]
pub(crate) struct SqlRows<'j> {
    /// The names of the columns, as JSON strings.
    pub columns: Vec<&'j str>,
    pub rows: Vec<Vec<SqlCell<'j>>>,
    /// The number of all rows, and the index of the first that is here.
    pub total: usize,
    pub from: usize,
    /// What a reader has to know, as sentences.
    pub notes: Vec<String>,
}

/// A value of a row.
pub(crate) enum SqlCell<'j> {
    /// JSON that is not a text.
    Plain(&'j str),
    /// A text, or its start, as a JSON string, and its characters.
    Text { json: &'j str, chars: usize, is_all: bool },
    /// A text that is a list or an object in JSON, and its characters.
    Nested { json: String, chars: usize },
}

impl<'j> SqlCell<'j> {
    /// A value, or a list of the start of a text and its characters.
    pub fn of(value: &JsonText<'j>) -> Self {
        match value.kind() {
            Kind::String => Self::whole(value.span()),
            Kind::Array => {
                let parts = value.items(0, 2).unwrap_or_default();
                match &parts[..] {
                    [start, chars] => {
                        Self::Text { json: start.span(), chars: chars.span().parse().unwrap_or(0), is_all: false }
                    }
                    _ => Self::Plain("null"),
                }
            }
            _ => Self::Plain(value.span()),
        }
    }

    fn whole(json: &'j str) -> Self {
        let text = Quoted::new(json).text();
        let chars = text.chars().count();
        // SQL has nested values as texts; shown as what they are they have no escapes.
        let may_be_nested = text.starts_with(['{', '[']);
        let nested = may_be_nested.then(|| JsonText::parse(&text).ok()).flatten();
        match nested {
            Some(value) => Self::Nested { json: value.minified().into_owned(), chars },
            None => Self::Text { json, chars, is_all: true },
        }
    }

    /// The value as JSON, a text of more than `most` characters by its start; and whether that is so.
    fn write(&self, most: usize) -> (Cow<'_, str>, bool) {
        match self {
            Self::Plain(json) => (Cow::Borrowed(json), false),
            Self::Text { json, chars, is_all: true } if *chars <= most => (Cow::Borrowed(json), false),
            Self::Nested { json, chars } if *chars <= most => (Cow::Borrowed(json), false),
            Self::Text { json, chars, .. } => (shortened(Quoted::new(json).literal(), *chars, most), true),
            Self::Nested { json, chars } => {
                let start: String = json.chars().take(most + 1).collect();
                let quoted = json_string::quoted(&start);
                (shortened(Quoted::new(&quoted).literal(), *chars, most).into_owned().into(), true)
            }
        }
    }
}

/// The start of a literal as a JSON string that says how long the text is.
fn shortened(literal: &str, chars: usize, most: usize) -> Cow<'static, str> {
    let start = json_string::slice(literal, 0, most).len();
    let start = if start < literal.len() { json_string::floor(literal, start) } else { start };
    Cow::Owned(format!("\"{}{}\"", &literal[..start], notes::cut(chars)))
}

/// The name of a column, of which one without an alias is the text of an expression; a long one by its start.
fn short_name(literal: &str, most: usize) -> Cow<'_, str> {
    let start = json_string::slice(literal, 0, most).len();
    if start >= literal.len() {
        return Cow::Borrowed(literal);
    }
    Cow::Owned(format!("{}…", &literal[..json_string::floor(literal, start)]))
}

/// The answer in at most `room` tokens; if not even one row fits, without rows. The only answer has a cursor that leads to the
/// others, and may be in the dense form.
pub(crate) fn write(answer: &SqlRows<'_>, room: usize, is_only: bool, ctx: &Context<'_>) -> String {
    let mut best: Option<ShownRows> = None;
    let mut most = usize::MAX;
    loop {
        let page = ShownRows::of(answer, most, room, is_only, ctx);
        let is_enough = page.shown >= answer.rows.len().min(ENOUGH_ROWS);
        if best.as_ref().is_none_or(|best| page.shown > best.shown) {
            best = Some(page);
        }
        if is_enough || most <= SHORTEST {
            break;
        }
        // The first that may shorten anything is about as long as all that fits.
        most = if most == usize::MAX { room.saturating_mul(4) } else { most / 2 }.max(SHORTEST);
    }
    best.map(|page| page.text).unwrap_or_default()
}

/// An answer with as many rows as fit.
struct ShownRows {
    text: String,
    shown: usize,
}

impl ShownRows {
    fn of(answer: &SqlRows<'_>, most: usize, room: usize, is_only: bool, ctx: &Context<'_>) -> Self {
        let format = if is_only { ctx.format_of_pages() } else { Format::Json };
        let written = Written::of(answer, most, room, format, ctx);
        let plain_of = |rows: usize| {
            dense::plain_cells(&written.facts(answer, rows, is_only, ctx), &written.names(), &written.rows[..rows])
        };
        let mut shown = written.plain;
        let (text, tokens) = loop {
            let text = plain_of(shown);
            match ctx.measure.fits(&text, room) {
                Some(tokens) => break (text, tokens),
                None if shown == 0 => break (text, 0),
                // What the frame takes is little compared with the rows.
                None => shown -= (shown / 16).max(1),
            }
        };
        let plain = Self { text, shown };
        if format == Format::Json || shown == 0 {
            return plain;
        }
        let list = format!("[{}]", written.rows.join(","));
        let around = |rows: usize| {
            let facts = format!("{},", written.facts(answer, rows, is_only, ctx));
            Ok(Around { facts, member: String::new(), after: String::new() })
        };
        let dense = DenseRows::of_cells(&list, &written.names());
        let found = dense.as_ref().and_then(|dense| Some((dense, dense.within(room, ctx.measure, around).ok()??)));
        match found {
            Some((dense, (rows, fit)))
                if dense::is_better(format, (rows, fit.tokens), (shown, tokens))
                    && dense.represents(&fit.text, &plain_of(rows)) =>
            {
                Self { text: fit.text, shown: rows }
            }
            _ => plain,
        }
    }
}

/// The first rows of an answer as lists of JSON.
struct Written<'j> {
    names: Vec<Cow<'j, str>>,
    rows: Vec<String>,
    /// Which of them have shortened texts.
    cut: Vec<bool>,
    /// How many of them may fit as they are.
    plain: usize,
}

impl<'j> Written<'j> {
    /// More than fit, if they are shown in another form.
    fn of(answer: &SqlRows<'j>, most: usize, room: usize, format: Format, ctx: &Context<'_>) -> Self {
        let names = answer.columns.iter().map(|name| short_name(Quoted::new(name).literal(), most)).collect();
        let mut written = Self { names, rows: Vec::new(), cut: Vec::new(), plain: 0 };
        let times = if format == Format::Json { 1 } else { 2 * dense::ROWS_TRIED };
        let (mut tokens, all) = (0, room.saturating_mul(times));
        for row in &answer.rows {
            let cells: Vec<(Cow<'_, str>, bool)> = row.iter().map(|cell| cell.write(most)).collect();
            let texts: Vec<&str> = cells.iter().map(|(json, _)| &**json).collect();
            let out = format!("[{}]", texts.join(","));
            match ctx.measure.fits(&out, all.saturating_sub(tokens)) {
                Some(more) => tokens += more,
                None => break,
            }
            written.cut.push(cells.iter().any(|(_, is_short)| *is_short));
            written.rows.push(out);
            written.plain += usize::from(tokens <= room);
        }
        written
    }

    fn names(&self) -> Vec<&str> {
        self.names.iter().map(|name| &**name).collect()
    }

    /// What is to be known about some of the rows.
    fn facts(&self, answer: &SqlRows<'_>, rows: usize, is_only: bool, ctx: &Context<'_>) -> String {
        let is_cut = self.cut[..rows].contains(&true);
        facts(answer, rows, is_cut, is_only, ctx).into_parts().0
    }
}

/// The number of rows, and how to read those that are not among the first ones.
fn facts(answer: &SqlRows<'_>, rows: usize, is_cut: bool, is_only: bool, ctx: &Context<'_>) -> Members {
    let end = answer.from.saturating_add(rows);
    let (total, is_read_on) = (answer.total, is_only && rows > 0);
    let next = if is_read_on { ctx.cursor_to(Unit::Rows, (end, total), total, 0, "") } else { None };
    let mut said = answer.notes.clone();
    if end < answer.total {
        said.push(notes::rows_of(answer.from, end, answer.total, next.is_some(), ctx));
    } else if answer.from > 0 {
        said.push(notes::last_rows(answer.from, answer.total));
    }
    if is_cut {
        said.push(notes::SHORTENED.to_owned());
    }
    let mut out = Members::new();
    out.number("totalItems", answer.total);
    if !said.is_empty() {
        out.text("note", &said.join(" "));
    }
    if let Some(next) = next {
        out.text("nextCursor", &next);
    }
    out
}
