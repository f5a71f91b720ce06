//! The rows of an answer in SQL, as columns: their number and what was left out first, then as many as fit.

use std::borrow::Cow;

use crate::base::json_string::{self, Quoted};
use crate::base::members::Members;
use crate::render::notes::sql as notes;
use crate::request::context::Context;
use crate::request::cursor::{Place, Unit};
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, Source};

/// Long texts are shortened until this many rows fit.
const ENOUGH_ROWS: usize = 10;
/// No text is shortened to fewer characters.
const SHORTEST: usize = 24;

/// The rows of one statement.
#[derive(Default)]
pub(crate) struct SqlRows<'j> {
    /// The names of the columns as a JSON array.
    pub columns: &'j str,
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

/// The answer in at most `room` tokens; if not even one row fits, without rows. A cursor leads to the others if `has_cursor`.
pub(crate) fn write(answer: &SqlRows<'_>, room: usize, has_cursor: bool, ctx: &Context<'_>) -> String {
    let mut best: Option<Page> = None;
    let mut most = usize::MAX;
    loop {
        let page = Page::of(answer, most, room, has_cursor, ctx);
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
struct Page {
    text: String,
    shown: usize,
}

impl Page {
    fn of(answer: &SqlRows<'_>, most: usize, room: usize, has_cursor: bool, ctx: &Context<'_>) -> Self {
        let (mut rows, mut tokens, mut is_cut) = (Vec::new(), 0, false);
        for row in &answer.rows {
            let mut out = String::from("[");
            for (at, cell) in row.iter().enumerate() {
                let (json, is_short) = cell.write(most);
                is_cut |= is_short;
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&json);
            }
            out.push(']');
            match ctx.measure.fits(&out, room.saturating_sub(tokens)) {
                Some(more) => tokens += more,
                None => break,
            }
            rows.push(out);
        }
        let mut shown = rows.len();
        loop {
            let text = page(answer, &rows[..shown], is_cut, has_cursor, ctx);
            if shown == 0 || ctx.measure.fits(&text, room).is_some() {
                return Self { text, shown };
            }
            // What the frame takes is little compared with the rows.
            shown -= (shown / 16).max(1);
        }
    }
}

fn page(answer: &SqlRows<'_>, rows: &[String], is_cut: bool, has_cursor: bool, ctx: &Context<'_>) -> String {
    let end = answer.from.saturating_add(rows.len());
    let cursor = || {
        let total = answer.total;
        ctx.encode(Place { unit: Unit::Rows, position: end, end: total, total, fingerprint: 0, pointer: String::new() })
    };
    let next = if has_cursor && end < answer.total && !rows.is_empty() { cursor() } else { None };
    let mut said = answer.notes.clone();
    if end < answer.total {
        said.push(notes::rows_of(answer.from, end, answer.total, next.is_some(), ctx));
    } else if answer.from > 0 {
        said.push(notes::last_rows(answer.from, answer.total));
    }
    if is_cut && !rows.is_empty() {
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
    out.json("columns", answer.columns);
    out.list("rows", rows);
    out.into_object()
}
