//! Text that has rows or data in it, read as rows or data.
//!
//! Whether it has is decided by its start and then by one pass over all of it, in which every row must be as the format
//! says: a text that is not certainly of a format is of none. Nothing is copied: a row is a span of the text, which is
//! read when the row is shown.

mod cells;
mod delimited;
mod embedded_json;
mod header;
mod json_lines;
mod pipe_table;
mod row_index;
mod row_value;
mod yaml_documents;

use std::ops::Range;
use std::rc::Rc;

use crate::value::any_source::AnySource;
use crate::value::json_text::JsonIndex;

use row_index::RowIndex;
use row_value::RowValue;

/// The bytes of a text's start by which most texts are excluded.
pub(crate) const HEAD: usize = 1 << 14;

/// What a text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFormat {
    Csv,
    Tsv,
    /// A table in Markdown, its cells between bars.
    Table,
    /// A JSON value on each line.
    JsonLines,
    /// JSON, as the whole text or in a code fence.
    Json,
    /// YAML documents, divided by `---`.
    Yaml,
    /// A log, by its errors and its templates.
    Log,
    /// A stack trace, without the frames in its middle.
    Trace,
    /// Markdown, with an outline of the rest.
    Markdown,
    /// HTML, as the text that a reader of the page sees.
    Html,
}

impl TextFormat {
    /// The format's name in results and receipts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Table => "table",
            Self::JsonLines => "ndjson",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Log => "log",
            Self::Trace => "trace",
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }

    /// Whether its rows have the same cells.
    pub fn is_table(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv | Self::Table)
    }
}

/// Which formats a text may be read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Formats {
    All,
    /// Text with delimiters between its cells. It is known to be that, so less evidence is enough.
    Delimited,
}

/// The structure of a text. It does not hold the text.
#[derive(Clone, Debug)]
pub(crate) struct Structure {
    pub format: TextFormat,
    /// The text before what is read, and after it.
    pub before: Range<usize>,
    pub after: Range<usize>,
    /// Whether the text ends inside its last row.
    pub is_cut: bool,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    Rows(Rc<RowIndex>),
    /// JSON in a part of the text.
    Json(Range<usize>, JsonIndex),
}

impl Structure {
    fn of_rows(format: TextFormat, index: RowIndex, text: &str, is_cut: bool) -> Self {
        let (before, after) = (0..index.first(), index.end()..text.len());
        Self { format, before, after, is_cut, body: Body::Rows(Rc::new(index)) }
    }

    /// The rows or the data of the text, which must be the one that was recognized.
    pub fn source<'a>(&self, text: &'a str) -> AnySource<'a> {
        match &self.body {
            Body::Rows(index) => AnySource::new(RowValue::List(text, Rc::clone(index))),
            Body::Json(place, index) => AnySource::new(index.over(&text[place.clone()])),
        }
    }

    /// The JSON text of the data, if it stands in the text.
    pub fn json_span<'a>(&self, text: &'a str) -> Option<&'a str> {
        match &self.body {
            Body::Rows(_) => None,
            Body::Json(place, _) => Some(&text[place.clone()]),
        }
    }
}

/// Whether a text that begins so may have a structure; `is_all` says whether that is all of it.
pub(crate) fn may_be_structured(head: &str, formats: Formats, is_all: bool) -> bool {
    let lines = Head::new(head, is_all);
    let is_delimited = delimited::dialect(&lines, formats).is_some();
    match formats {
        Formats::Delimited => is_delimited,
        Formats::All => {
            is_delimited
                || embedded_json::may_begin(head)
                || json_lines::may_begin(&lines)
                || yaml_documents::may_begin(&lines)
                || pipe_table::find(&lines).is_some()
        }
    }
}

/// The structure of a text, if it certainly has one.
pub(crate) fn recognize(text: &str, formats: Formats) -> Option<Structure> {
    let head = Head::of(text);
    let delimited = || delimited::recognize(text, &head, formats);
    match formats {
        Formats::Delimited => delimited(),
        Formats::All => embedded_json::recognize(text, &head)
            .or_else(|| json_lines::recognize(text, &head))
            .or_else(|| yaml_documents::recognize(text, &head))
            .or_else(|| pipe_table::recognize(text, &head))
            .or_else(delimited),
    }
}

/// The start of a text.
struct Head<'a> {
    /// Whole lines, unless that is all of the text.
    text: &'a str,
}

impl<'a> Head<'a> {
    fn of(text: &'a str) -> Self {
        let end = (0..=HEAD.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        Self::new(&text[..end], end == text.len())
    }

    fn new(start: &'a str, is_all: bool) -> Self {
        let end = if is_all { start.len() } else { start.rfind('\n').map_or(start.len(), |at| at + 1) };
        Self { text: &start[..end] }
    }

    /// The lines, without their line breaks, and where each begins.
    fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let mut at = 0;
        self.text.split_inclusive('\n').map(move |line| {
            let start = at;
            at += line.len();
            (start, without_break(line))
        })
    }
}

/// A line without its line break.
fn without_break(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests;
