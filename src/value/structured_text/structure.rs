//! What a text has in it: its rows, or JSON.

use std::ops::Range;
use std::rc::Rc;

use toolshape_text::rows::row_index::RowIndex;

use crate::value::any_source::AnySource;
use crate::value::json_in_text::SharedJson;
use crate::value::json_text::JsonIndex;

use super::row_value::{RowValue, write_rows};

/// The format by which a text is read, in [`Step::Text`](crate::Step::Text).
///
/// ```
/// use toolshape::{Call, Shaper, Step, TextFormat};
/// let rows: String = (0..1000).map(|n| format!("{n},name {n}\n")).collect();
/// let shaped = Shaper::default().shape_text(&format!("id,name\n{rows}"), &Call::tool("export"))?;
/// assert!(shaped.receipt.steps.contains(&Step::Text(TextFormat::Csv)));
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextFormat {
    Csv,
    Tsv,
    /// A table in Markdown, or one that a program printed for people.
    Table,
    /// A JSON value on each line.
    JsonLines,
    /// JSON, as the whole text, in a code fence or with a little prose around it.
    Json,
    /// Server-sent events with JSON.
    Events,
    /// XML, as an object.
    Xml,
    /// A literal of Python, as `repr` writes it.
    Python,
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
    /// Any text whose base64, hex digits or hex dumps are shortened.
    Base64,
    /// Any text of which lines were written over, as a terminal shows it at last.
    Terminal,
}

/// The formats, with their names in results and receipts.
pub const TEXT_FORMATS: [(TextFormat, &str); 15] = [
    (TextFormat::Csv, "csv"),
    (TextFormat::Tsv, "tsv"),
    (TextFormat::Table, "table"),
    (TextFormat::JsonLines, "ndjson"),
    (TextFormat::Json, "json"),
    (TextFormat::Events, "events"),
    (TextFormat::Xml, "xml"),
    (TextFormat::Python, "python"),
    (TextFormat::Yaml, "yaml"),
    (TextFormat::Log, "log"),
    (TextFormat::Trace, "trace"),
    (TextFormat::Markdown, "markdown"),
    (TextFormat::Html, "html"),
    (TextFormat::Base64, "base64"),
    (TextFormat::Terminal, "terminal"),
];

impl TextFormat {
    /// The format's name in results and receipts.
    pub fn name(self) -> &'static str {
        TEXT_FORMATS.iter().find(|(format, _)| *format == self).map_or("", |(_, name)| name)
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
    /// Whether the end of the text is missing.
    pub is_cut: bool,
    pub skipped: Skipped,
    pub(super) body: Body,
}

/// What reading a text leaves out or changes, which its note says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipped {
    Nothing,
    /// `NaN` and infinities are texts.
    NotNumbers,
    /// Lines without data.
    Lines(usize),
    /// Lines that are not values, and the first of them, from 1.
    BadLines {
        count: usize,
        first: usize,
    },
    /// Nothing: rows that have more or fewer cells than the header, and the first of them, from 1.
    Ragged {
        count: usize,
        first: usize,
    },
    /// What is not data in XML, and in a report what is not about a case.
    OfXml,
    OfReport,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    Rows(Rc<RowIndex>),
    /// JSON in a part of the text.
    Json(Range<usize>, JsonIndex),
    /// The JSON of a literal.
    Literal(SharedJson),
}

impl Structure {
    /// The data that a whole text is.
    pub(super) fn of_all(format: TextFormat, skipped: Skipped, body: Body) -> Self {
        Self { format, before: 0..0, after: 0..0, is_cut: false, skipped, body }
    }

    pub(super) fn of_rows(format: TextFormat, index: RowIndex, text: &str, is_cut: bool) -> Self {
        let (before, after) = (0..index.first(), index.end()..text.len());
        let body = Body::Rows(Rc::new(index));
        Self { before, after, is_cut, ..Self::of_all(format, Skipped::Nothing, body) }
    }

    /// The rows or the data of the text, which must be the one that was recognized.
    pub fn source<'a>(&self, text: &'a str) -> AnySource<'a> {
        match &self.body {
            Body::Rows(index) => AnySource::new(RowValue::List(text, Rc::clone(index))),
            Body::Json(place, index) => AnySource::new(index.over(&text[place.clone()])),
            Body::Literal(json) => AnySource::new(json.clone()),
        }
    }

    /// At most `max` of its rows from number `start` on as a list in JSON, if it has rows.
    pub fn some_rows(&self, text: &str, start: usize, max: usize) -> Option<String> {
        let Body::Rows(index) = &self.body else { return None };
        write_rows(text, index, start, max).ok()
    }

    /// Where its rows are, if it has rows of cells or of lines.
    pub fn rows(&self) -> Option<&RowIndex> {
        match &self.body {
            Body::Rows(index) => Some(index),
            Body::Json(..) | Body::Literal(_) => None,
        }
    }

    /// The JSON text of the data, if it is in the text.
    #[cfg(feature = "sql")]
    pub fn json_span<'a>(&self, text: &'a str) -> Option<&'a str> {
        match &self.body {
            Body::Rows(_) | Body::Literal(_) => None,
            Body::Json(place, _) => Some(&text[place.clone()]),
        }
    }
}
