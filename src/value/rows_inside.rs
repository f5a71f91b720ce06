//! The rows inside a text that is read by its lines: blocks with a head and a body, the rows of tables, or blocks of names and values.

use std::borrow::Cow;

use toolshape_text::prose::terminal;

use crate::value::as_read;
use crate::value::field_blocks::FieldBlocks;
use crate::value::headed_blocks::HeadedBlocks;
use crate::value::prose::recognize;
use crate::value::prose::sample::Sample;
use crate::value::structured_text::TextFormat;
use crate::value::table_rows::TableRows;

/// Names of columns that a note has.
const NAMED: usize = 6;

pub(crate) enum RowsInside<'t> {
    Headed(HeadedBlocks<'t>),
    Tables(TableRows<'t>),
    Fields(FieldBlocks),
}

impl<'t> RowsInside<'t> {
    /// The rows of a text of these lines, which as a page has other ones; `None` if it has none.
    pub fn of(lines: &'t [&'t str], page: &[&'t str]) -> Option<Self> {
        let headed = HeadedBlocks::of(lines).map(Self::Headed);
        let rows = headed.or_else(|| TableRows::of(page).map(Self::Tables));
        rows.or_else(|| FieldBlocks::of(lines).map(Self::Fields))
    }

    /// How many rows there are, and some names of their columns.
    pub fn about(&self) -> (usize, String) {
        match self {
            Self::Headed(blocks) => (blocks.len(), some(blocks.names()) + ", body"),
            Self::Tables(rows) => (rows.len(), some(rows.names())),
            Self::Fields(blocks) => (blocks.len(), some(blocks.names())),
        }
    }

    /// A list of objects.
    #[cfg(feature = "sql")]
    pub fn json(self) -> String {
        match self {
            Self::Headed(blocks) => blocks.json(),
            Self::Tables(rows) => rows.json(),
            Self::Fields(blocks) => blocks.json(),
        }
    }
}

/// The first of the names of columns, and a mark if there are more.
pub(crate) fn some<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut first: Vec<&str> = Vec::new();
    for name in names {
        if first.len() == NAMED && !first.contains(&name) {
            return first.join(", ") + ", …";
        }
        if !first.contains(&name) {
            first.push(name);
        }
    }
    first.join(", ")
}

/// How many rows are inside a text, and some names of their columns.
pub(crate) fn about(text: &str) -> Option<(usize, String)> {
    let shown = terminal::shown(text);
    let page = page(text, &shown);
    let (lines, page): (Vec<&str>, Vec<&str>) = (shown.lines().collect(), page.lines().collect());
    RowsInside::of(&lines, &page).map(|rows| rows.about())
}

/// The page that a text makes if it is HTML, or else the text as it is shown.
pub(crate) fn page<'t>(text: &'t str, shown: &'t str) -> Cow<'t, str> {
    let is_page = recognize::format(&Sample::of_text(text)) == Some(TextFormat::Html);
    if is_page { as_read::shown(text) } else { Cow::Borrowed(shown) }
}
