//! How a text is divided into rows.

use memchr::{memchr, memchr2};

use super::head::without_break;
use super::record;
use super::yaml_divider;

/// How a text is divided into rows, and a row into cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// RFC 4180, with this delimiter.
    Delimited(u8, Quotes),
    /// Lines with cells between bars.
    Bars,
    /// A JSON value on each line.
    JsonLines,
    YamlDocuments,
}

/// How a quote is written in a quoted cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// As two.
    Doubled,
    /// As two, or after a backslash, which is written as two.
    Escaped,
    /// As two; cells that are not quoted may have delimiters as prose has commas, before a space.
    Prose,
}

impl Quotes {
    /// Where the next delimiter or line break from `at` on is, outside of quotes.
    pub(super) fn cell_end(self, bytes: &[u8], mut at: usize, delimiter: u8) -> Option<usize> {
        loop {
            at += memchr2(delimiter, b'\n', &bytes[at..])?;
            if self != Self::Prose || bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b' ') {
                return Some(at);
            }
            at += 1;
        }
    }
}

impl Grammar {
    /// Where the row that begins at `start` ends, without its line break, and where the next one begins.
    pub fn row(self, text: &str, start: usize, end: usize) -> (usize, usize) {
        match self {
            Self::Delimited(delimiter, quotes) => {
                // Every row was read when the text was recognized.
                record::read(&text.as_bytes()[..end], start, delimiter, quotes)
                    .map_or((end, end), |record| (record.end, record.next))
            }
            Self::Bars | Self::JsonLines => {
                let next = memchr(b'\n', &text.as_bytes()[start..end]).map_or(end, |at| start + at + 1);
                (start + without_break(&text[start..next]).len(), next)
            }
            Self::YamlDocuments => {
                let next = yaml_divider::next(&text[..end], start);
                (start + without_break(&text[start..next]).len(), next)
            }
        }
    }
}
