//! The cells of one row.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::grammar::{Grammar, Quotes};
use super::record::closing_quote;

/// A cell of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell<'r> {
    pub text: Cow<'r, str>,
    /// Whether it is in quotes, which mark a text in delimited rows.
    pub is_quoted: bool,
}

/// The cells of a row, one after another.
pub enum Cells<'r> {
    /// The part of the row that is not read yet; `None` after the last cell.
    Delimited(Option<&'r str>, u8, Quotes),
    Bars(BetweenBars<'r>),
    /// The whole row.
    One(Option<&'r str>),
}

/// The cells of a row that its grammar has read.
pub fn of(row: &str, grammar: Grammar) -> Cells<'_> {
    match grammar {
        Grammar::Delimited(delimiter, quotes) => Cells::Delimited(Some(row), delimiter, quotes),
        Grammar::Bars => Cells::Bars(between_bars(row)),
        Grammar::JsonLines | Grammar::YamlDocuments => Cells::One(Some(row)),
    }
}

/// The texts of the cells of a row.
pub fn texts(row: &str, grammar: Grammar) -> Vec<String> {
    of(row, grammar).map(|cell| cell.text.into_owned()).collect()
}

impl<'r> Iterator for Cells<'r> {
    type Item = Cell<'r>;

    fn next(&mut self) -> Option<Cell<'r>> {
        let plain = |text| Cell { text, is_quoted: false };
        match self {
            Self::Delimited(rest, delimiter, quotes) => {
                let (cell, after) = delimited(rest.take()?, *delimiter, *quotes);
                *rest = after;
                Some(cell)
            }
            Self::Bars(cells) => cells.next().map(plain),
            Self::One(row) => row.take().map(Cow::Borrowed).map(plain),
        }
    }
}

/// The first cell of a row in RFC 4180, and what follows the delimiter after it.
fn delimited(row: &str, delimiter: u8, quotes: Quotes) -> (Cell<'_>, Option<&str>) {
    let Some(inside) = row.strip_prefix('"') else {
        let end = quotes.cell_end(row.as_bytes(), 0, delimiter).unwrap_or(row.len());
        return (Cell { text: row[..end].into(), is_quoted: false }, row.get(end + 1..));
    };
    // A row that is cut has no closing quote.
    let end = closing_quote(inside.as_bytes(), 0, quotes).unwrap_or(inside.len());
    let (text, after) = (&inside[..end], inside.get(end + 1..).unwrap_or_default());
    let text = match quotes {
        Quotes::Escaped if text.contains('\\') => Cow::Owned(unescaped(text)),
        _ if text.contains('"') => Cow::Owned(text.replace("\"\"", "\"")),
        _ => Cow::Borrowed(text),
    };
    let next = memchr(delimiter, after.as_bytes()).map(|at| &after[at + 1..]);
    (Cell { text, is_quoted: true }, next)
}

/// A cell in which a backslash is before quotes and backslashes; before others, such as `n`, it is a character.
fn unescaped(text: &str) -> String {
    let (mut cell, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = memchr2(b'"', b'\\', rest.as_bytes()) {
        let is_pair = matches!(&rest.as_bytes()[at..], [b'\\' | b'"', b'"', ..] | [b'\\', b'\\', ..]);
        let kept = at + usize::from(!is_pair);
        cell.push_str(&rest[..kept]);
        let next = at + 1;
        if is_pair {
            cell.push_str(&rest[next..=next]);
        }
        rest = &rest[next + usize::from(is_pair)..];
    }
    cell.push_str(rest);
    cell
}

/// The cells of a line of a table in Markdown: `| a | b |`, with `\|` for a bar.
pub fn between_bars(row: &str) -> BetweenBars<'_> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    BetweenBars { rest: Some(row), has_escapes: memchr(b'\\', row.as_bytes()).is_some() }
}

/// The cells of a line of a table in Markdown, one after another.
pub struct BetweenBars<'r> {
    /// What is not read yet; `None` after the last cell.
    rest: Option<&'r str>,
    has_escapes: bool,
}

impl<'r> Iterator for BetweenBars<'r> {
    type Item = Cow<'r, str>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest?;
        let mut is_escaped = false;
        let mut is_end = |byte: u8| {
            let is_end = byte == b'|' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        };
        let end = match self.has_escapes {
            true => rest.bytes().position(&mut is_end),
            false => memchr(b'|', rest.as_bytes()),
        };
        self.rest = end.map(|end| &rest[end + 1..]);
        let cell = rest[..end.unwrap_or(rest.len())].trim();
        // After the last bar there is no cell.
        let is_none = end.is_none() && cell.is_empty();
        let is_escaped = self.has_escapes && cell.contains("\\|");
        (!is_none).then(|| if is_escaped { without_escapes(cell).into() } else { cell.into() })
    }
}

/// A cell with its bars and without the backslash before each.
fn without_escapes(cell: &str) -> String {
    let (mut out, mut escaped) = (String::new(), false);
    for character in cell.chars() {
        if character == '|' && escaped {
            out.pop();
        }
        out.push(character);
        escaped = character == '\\' && !escaped;
    }
    out
}

#[cfg(test)]
mod tests {
    use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};

    use super::super::record;
    use super::*;

    /// The cells as `csv-core` reads them.
    fn as_csv_core_reads(row: &str, reader: &mut Reader) -> Vec<String> {
        reader.reset();
        let (mut out, mut ends) = (vec![0; row.len() + 1], vec![0; row.len() + 2]);
        let (mut written, mut count, mut input) = (0, 0, row.as_bytes());
        loop {
            let (result, read, wrote, ended) = reader.read_record(input, &mut out[written..], &mut ends[count..]);
            (written, count, input) = (written + wrote, count + ended, &input[read..]);
            if result != ReadRecordResult::InputEmpty {
                break;
            }
        }
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let spans = starts.zip(&ends[..count]);
        spans.map(|(start, &end)| String::from_utf8_lossy(&out[start..end]).into_owned()).collect()
    }

    #[test]
    fn delimiters_before_a_space_are_of_their_cell_in_prose() {
        let grammar = Grammar::Delimited(b',', Quotes::Prose);
        assert_eq!(
            texts("1,(KHTML, like Gecko),\"a, b\", c,,", grammar),
            ["1", "(KHTML, like Gecko)", "a, b", " c", "", ""]
        );
        let parts = ["\"", ",", ", ", "a", "é", "\r", "\n"];
        for at in 0..parts.len().pow(6) {
            let text: String = (0..6).map(|part| parts[at / parts.len().pow(part) % parts.len()]).collect();
            let Some(read) = record::read(text.as_bytes(), 0, b',', Quotes::Prose) else { continue };
            assert_eq!(texts(&text[..read.end], grammar).len(), read.cells, "{text:?}");
        }
    }

    #[test]
    fn cells_are_those_that_csv_core_reads() {
        let parts = ["\"", ",", "\"\"", "a", "é", "\r", " ", "\n", "\\\"", "\\\\"];
        for (quotes, parts) in [(Quotes::Doubled, &parts[..8]), (Quotes::Escaped, &parts[..])] {
            let escape = (quotes == Quotes::Escaped).then_some(b'\\');
            let mut reader = ReaderBuilder::new().terminator(Terminator::Any(b'\n')).escape(escape).build();
            let mut rows = 0;
            for at in 0..parts.len().pow(6) {
                let text: String = (0..6).map(|part| parts[at / parts.len().pow(part) % parts.len()]).collect();
                let read = record::read(text.as_bytes(), 0, b',', quotes);
                let Some(read) = read.filter(|read| read.end > 0) else { continue };
                let row = &text[..read.end];
                let cells = texts(row, Grammar::Delimited(b',', quotes));
                assert_eq!(cells.len(), read.cells, "{row:?}");
                assert_eq!(cells, as_csv_core_reads(row, &mut reader), "{row:?}");
                rows += 1;
            }
            assert!(rows > 10_000, "{rows}");
        }
    }
}
