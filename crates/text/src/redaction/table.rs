//! Columns with secret names in tables of any number of rows: delimited, of Markdown and boxes, and printed with spaces between columns.
//! In a row of two cells the first may name the second.

use std::ops::Range;

use crate::chars::floor_char;

use super::names::NAME;
use super::{Marks, REDACTED, Replaced, line_end};

/// What divides cells, in the order in which it is looked for.
const DELIMITERS: [char; 5] = ['│', '|', '\t', ';', ','];
/// The last byte of each, and a line break.
const DIVIDES: Marks = Marks::of(b"\x82|\t;,\n");
/// What may be around a name.
const AROUND: Marks = Marks::of(b"\"'*`");
/// The most words of a name in a header.
const WORDS: usize = 3;
/// The most bytes of a header with line breaks in quotes.
const HEADER: usize = 1000;

/// How often a line has each delimiter, and wide gaps.
type Counts = [usize; DELIMITERS.len() + 1];

/// The text without the values of columns with secret names; `None` if there are none.
pub(super) fn redacted(text: &str, is_secret: &dyn Fn(&str) -> bool) -> Option<String> {
    if !DIVIDES.are_in(text) {
        return None;
    }
    let mut tables = Tables { text, is_secret, replaced: Replaced::of(text, REDACTED), open: None };
    let (mut at, mut last): (usize, Counts) = (0, [0; DELIMITERS.len() + 1]);
    while at < text.len() {
        let end = line_end(text, at);
        let next = tables.row(at, end);
        at = match next {
            Some(end) => end,
            None => {
                let (counts, end) = tables.header(at, end, last);
                last = counts;
                end
            }
        };
    }
    tables.replaced.whole()
}

struct Tables<'t, 's> {
    text: &'t str,
    is_secret: &'s dyn Fn(&str) -> bool,
    replaced: Replaced<'t>,
    /// The table whose rows are read, if one of its columns is secret.
    open: Option<Table>,
}

/// A table with secret columns.
enum Table {
    Delimited {
        delimiter: char,
        cells: usize,
        secret: Vec<usize>,
    },
    /// Columns by the characters of their lines: the end of the column before, their own name, the start of the next one.
    Printed(Vec<(usize, Range<usize>, usize)>),
}

impl Tables<'_, '_> {
    /// Where a row of the open table ends that begins here.
    fn row(&mut self, start: usize, line_end: usize) -> Option<usize> {
        let line = &self.text[start..line_end];
        let table = self.open.as_ref()?;
        if is_rule(line) {
            return Some(line_end);
        }
        let (end, has_delimiter) = match table {
            // The first cell may have a line break.
            Table::Delimited { delimiter, .. } => {
                let end = record_end(self.text, start, line_end, *delimiter);
                (end, self.text[start..end].contains(*delimiter))
            }
            Table::Printed(_) => (line_end, true),
        };
        if line.trim().is_empty() || !has_delimiter {
            self.open = None;
            return None;
        }
        match table {
            Table::Delimited { delimiter, cells, secret } => {
                let row = &self.text[start..end];
                let (mut hidden, mut next, mut count, mut last) = (Vec::new(), secret.iter().peekable(), 0, 0..0);
                let mut is_named = false;
                for cell in split(row, *delimiter) {
                    if next.next_if_eq(&&count).is_some() || is_named {
                        hidden.push(cell.clone());
                    }
                    // In a page a row may be a name and its value.
                    is_named =
                        count == 0 && *cells == 2 && is_bar(*delimiter) && (self.is_secret)(bare(&row[cell.clone()]));
                    (count, last) = (count + 1, cell);
                }
                // Which cell has the comma too many is unknown.
                if count > *cells && *delimiter != '|' {
                    hidden.truncate(1);
                    hidden.iter_mut().for_each(|first| first.end = last.end);
                }
                hidden.into_iter().for_each(|cell| self.hide(start + cell.start..start + cell.end));
            }
            Table::Printed(columns) => {
                let words: Vec<_> = words(line).collect();
                let last = words.last().map_or(0, |(chars, _)| chars.end);
                let columns = columns.iter().take_while(|(before, ..)| *before < last);
                let hidden: Vec<_> = columns.filter_map(|column| under(&words, column)).collect();
                hidden.into_iter().for_each(|cell| self.hide(start + cell.start..start + cell.end));
            }
        }
        Some(end)
    }

    /// Reads a line that may be a header, or have a name and its value, and returns where it ends. `last` counts the delimiters of
    /// the line before.
    fn header(&mut self, start: usize, line_end: usize, last: Counts) -> (Counts, usize) {
        let nearby = &self.text[..floor_char(self.text, (start + HEADER).max(line_end))];
        let counts = counts(&self.text[start..line_end]);
        let is_open = has_open_quote(&self.text[start..line_end]);
        for kind in 0..counts.len() {
            if counts[kind] == 0 && !is_open {
                continue;
            }
            let delimiter = DELIMITERS.get(kind).copied();
            let end = delimiter.map_or(line_end, |delimiter| record_end(nearby, start, line_end, delimiter));
            let line = &self.text[start..end];
            let next = &self.text[end..super::line_end(self.text, end)];
            let next = next.strip_suffix('\n').unwrap_or(next);
            let is_above_rule = is_rule(next);
            let count = &if end > line_end { self::counts(line)[kind] } else { counts[kind] };
            let is_first = *count != last[kind] || is_above_rule;
            if *count == 0 || !is_first && *count != 1 && *count != 3 {
                continue;
            }
            let is_name = |cell: &Range<usize>| (self.is_secret)(bare(&line[cell.clone()]));
            let (mut are_names, mut names, mut cells) = (true, Vec::new(), 0);
            let (mut second, mut last) = (0..0, 0..0);
            for cell in cells_of(line, delimiter) {
                are_names &= may_be_name(&line[cell.clone()]);
                if is_name(&cell) {
                    names.push(cells);
                }
                if !are_names && names != [0] {
                    break;
                }
                if cells == 1 {
                    second = cell.clone();
                }
                (cells, last) = (cells + 1, cell);
            }
            // A sentence may end with the last cell; in others a full stop is that of an abbreviation.
            are_names &= !is_end_of_sentence(&line[last]);
            if cells < 2 || names.is_empty() || !are_names && names != [0] {
                continue;
            }
            // A table with bars has a rule under its header, but the rows of a page have none.
            let next_end = (end + next.len() + 1).min(self.text.len());
            let nearby = &self.text[..nearby.len().max(next_end)];
            let row = match delimiter {
                Some(delimiter) => &self.text[end..record_end(nearby, end, next_end, delimiter)],
                None => next,
            };
            let has_rows = is_first
                && (is_above_rule || self::counts(row)[kind] > 0 || delimiter.is_none() && !next.trim().is_empty());
            let is_pair = cells == 2
                && names == [0]
                && !(has_rows && (is_above_rule || delimiter.is_some_and(|delimiter| !is_bar(delimiter))));
            if has_rows && are_names {
                self.open = Some(match delimiter {
                    Some(delimiter) => Table::Delimited { delimiter, cells, secret: names },
                    None => Table::Printed(columns(line, &names)),
                });
            }
            if is_pair {
                self.hide(start + second.start..start + second.end);
            }
            return (counts, end);
        }
        let line = &self.text[start..line_end];
        // A column of its own.
        if counts == Counts::default()
            && (start == 0 && line.ends_with('\n') || self.is_above_dashes(line_end))
            && !line.contains(':')
            && (self.is_secret)(bare(line))
        {
            self.open = Some(Table::Printed(vec![(0, 0..line.len(), usize::MAX)]));
        }
        (counts, line_end)
    }

    /// Whether the next line has dashes alone.
    fn is_above_dashes(&self, line_end: usize) -> bool {
        let Some(b'-' | 0..=b' ' | 0x80..) = self.text.as_bytes().get(line_end) else { return false };
        let next = self.text[line_end..super::line_end(self.text, line_end)].trim();
        !next.is_empty() && next.bytes().all(|byte| byte == b'-')
    }

    fn hide(&mut self, cell: Range<usize>) {
        let value = &self.text[cell.clone()];
        if !value.is_empty() && value != REDACTED && cell.start >= self.replaced.end() {
            self.replaced.add(cell, REDACTED);
        }
    }
}

fn counts(line: &str) -> Counts {
    let mut counts = [0; DELIMITERS.len() + 1];
    let mut spaces = usize::MAX / 2;
    for byte in line.trim_end().bytes() {
        match byte {
            b'|' => counts[1] += 1,
            b'\t' => counts[2] += 1,
            b';' => counts[3] += 1,
            b',' => counts[4] += 1,
            // The last byte of `│`.
            0x82 => counts[0] += 1,
            _ => {}
        }
        spaces = if byte == b' ' { spaces + 1 } else { 0 };
        counts[5] += usize::from(spaces == 2);
    }
    counts
}

/// A name without what is around it.
fn bare(cell: &str) -> &str {
    AROUND.trimmed(cell.trim()).trim()
}

fn may_be_name(cell: &str) -> bool {
    cell.len() <= NAME && cell.split_whitespace().count() <= WORDS
}

fn is_end_of_sentence(cell: &str) -> bool {
    cell.trim_end().ends_with(['.', '!', '?']) && cell.split_whitespace().count() > 1
}

/// Whether a line only rules off.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let is_of_rule =
        |letter: char| matches!(letter, '-' | '=' | '+' | '|' | ':' | ' ' | '\t' | '\u{2500}'..='\u{257f}');
    line.chars().all(is_of_rule) && line.contains(['-', '=', '─', '━', '═', '╌'])
}

/// The cells of a line, one by one; without a delimiter those with gaps between them.
fn cells_of<'l>(line: &'l str, delimiter: Option<char>) -> Box<dyn Iterator<Item = Range<usize>> + 'l> {
    match delimiter {
        Some(delimiter) => Box::new(split(line, delimiter)),
        None => Box::new(gaps(line)),
    }
}

fn is_bar(delimiter: char) -> bool {
    matches!(delimiter, '|' | '│')
}

/// The cells of a line or a record, without the space around them; quotes hold them together.
fn split(line: &str, delimiter: char) -> impl Iterator<Item = Range<usize>> {
    let line = line.trim_end_matches(['\n', '\r']);
    let has_quotes = matches!(delimiter, ',' | ';' | '\t') && line.contains('"');
    let mut start = Some(0);
    let cell = move || {
        let from = start?;
        let end = from + cell_end(&line[from..], delimiter, has_quotes);
        start = (end < line.len()).then(|| end + delimiter.len_utf8());
        let cell = &line[from..end];
        let before = cell.len() - cell.trim_start().len();
        Some(from + before..from + before.max(cell.trim_end().len()))
    };
    let mut cells = std::iter::from_fn(cell).peekable();
    // The bars around a row have nothing before them and behind them.
    if is_bar(delimiter) {
        cells.next_if(Range::is_empty);
    }
    let mut is_first = true;
    std::iter::from_fn(move || {
        let cell = cells.next()?;
        let is_end = !std::mem::take(&mut is_first) && cell.is_empty() && cells.peek().is_none();
        (!is_end || !is_bar(delimiter)).then_some(cell)
    })
}

/// Where the first cell of a line ends.
fn cell_end(line: &str, delimiter: char, has_quotes: bool) -> usize {
    if !has_quotes {
        let found = match u8::try_from(delimiter) {
            Ok(delimiter) => memchr::memchr(delimiter, line.as_bytes()),
            Err(_) => line.find(delimiter),
        };
        return found.unwrap_or(line.len());
    }
    let mut is_quoted = false;
    // Whether the cell has only space so far, and whether a quote is just before.
    let (mut is_blank, mut is_after_quote) = (true, false);
    for (at, letter) in line.char_indices() {
        match letter {
            '"' if is_quoted || is_blank => is_quoted = !is_quoted,
            '"' if is_after_quote => is_quoted = true,
            _ if letter == delimiter && !is_quoted => return at,
            _ => {}
        }
        is_blank &= letter.is_whitespace();
        is_after_quote = letter == '"';
    }
    line.len()
}

/// Where a record ends that has line breaks in quotes. Quotes that do not end are none.
fn record_end(text: &str, start: usize, line_end: usize, delimiter: char) -> usize {
    if !matches!(delimiter, ',' | ';' | '\t') || !has_open_quote(&text[start..line_end]) {
        return line_end;
    }
    let mut end = line_end;
    while end < text.len() {
        let start = end;
        end = super::line_end(text, start);
        if has_open_quote(&text[start..end]) {
            break;
        }
    }
    end
}

/// Whether a quote of a line does not end in it.
fn has_open_quote(line: &str) -> bool {
    memchr::memchr_iter(b'"', line.as_bytes()).count() % 2 == 1
}

/// The cells of a line with at least two spaces between them.
fn gaps(line: &str) -> impl Iterator<Item = Range<usize>> {
    let mut words = words(line).map(|(_, word)| word).peekable();
    std::iter::from_fn(move || {
        let mut cell = words.next()?;
        while let Some(word) = words.next_if(|word| word.start <= cell.end + 1) {
            cell.end = word.end;
        }
        Some(cell)
    })
}

/// The words of a line: where each begins and ends in characters, and in bytes.
fn words(line: &str) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let mut letters = line.char_indices().enumerate().peekable();
    std::iter::from_fn(move || {
        let (place, (at, _)) = letters.find(|(_, (_, letter))| !letter.is_whitespace())?;
        let (mut end, mut last) = (place + 1, line.len());
        for (place, (at, letter)) in letters.by_ref() {
            if letter.is_whitespace() {
                last = at;
                break;
            }
            end = place + 1;
        }
        Some((place..end, at..last))
    })
}

/// The secret columns under a header with gaps between its names, in their order.
fn columns(line: &str, names: &[usize]) -> Vec<(usize, Range<usize>, usize)> {
    let (mut counted, mut chars) = (0, 0);
    let mut place = |at: usize| {
        chars += line[counted..at].chars().count();
        counted = at;
        chars
    };
    let places: Vec<Range<usize>> = gaps(line).map(|cell| place(cell.start)..place(cell.end)).collect();
    let column = |at: &usize| {
        let before = at.checked_sub(1).map_or(0, |before| places[before].end);
        (before, places[*at].clone(), places.get(at + 1).map_or(usize::MAX, |next| next.start))
    };
    names.iter().map(column).collect()
}

/// The bytes of the words under a column's name: those that begin with it, or else end with it, or else are in its room.
fn under(
    words: &[(Range<usize>, Range<usize>)],
    (before, name, next): &(usize, Range<usize>, usize),
) -> Option<Range<usize>> {
    let room = if words.binary_search_by_key(&name.start, |(chars, _)| chars.start).is_ok() {
        name.start..*next
    } else if words.binary_search_by_key(&name.end, |(chars, _)| chars.end).is_ok() {
        *before..name.end
    } else {
        *before..*next
    };
    let first = words.partition_point(|(chars, _)| chars.end <= room.start);
    let end = words.partition_point(|(chars, _)| chars.start < room.end);
    let inside = words.get(first..end)?;
    Some(inside.first()?.1.start..inside.last()?.1.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cells_under_a_secret_name_are_secret() {
        for (text, wanted) in [
            ("id,key\n1,a\n", "id,key\n1,[redacted]\n"),
            ("id,key,n\n1,\"a,\nb\",7\n\nkey", "id,key,n\n1,[redacted],7\n\nkey"),
            ("id,key,n\n1,a,b,7\n", "id,key,n\n1,[redacted]\n"),
            ("id,key\n\"a\nb\",c\nd,e\n\nf", "id,key\n\"a\nb\",[redacted]\nd,[redacted]\n\nf"),
            ("\"id\nof it\";key\n1;a\n\nf", "\"id\nof it\";key\n1;[redacted]\n\nf"),
            ("No.,key\n1,a\nb", "No.,key\n1,[redacted]\nb"),
            ("id,key,n\n1,,7\n2\n3,b,7", "id,key,n\n1,,7\n2\n3,b,7"),
            (
                "| id | key |\n|----|-----|\n| 1 | a |\n\nkey | b, c",
                "| id | key |\n|----|-----|\n| 1 | [redacted] |\n\nkey | [redacted]",
            ),
            (
                "ID   KEY     NAME\n1    a b     c\n22   long    d\n",
                "ID   KEY     NAME\n1    [redacted]     c\n22   [redacted]    d\n",
            ),
            ("ID     KEY  NAME\n 1  aaaaaa  c\n", "ID     KEY  NAME\n 1  [redacted]  c\n"),
            ("id  1\nkey  a\nc  d\n", "id  1\nkey  [redacted]\nc  d\n"),
            ("key\na\n\nb", "key\n[redacted]\n\nb"),
            ("a, the key, and more words here.\nb, c, d.\n", "a, the key, and more words here.\nb, c, d.\n"),
            ("x\nkey\na", "x\nkey\na"),
        ] {
            let shown = redacted(text, &|name| name.eq_ignore_ascii_case("key"));
            assert_eq!(shown.as_deref().unwrap_or(text), wanted);
            assert_eq!(redacted(wanted, &|name| name.eq_ignore_ascii_case("key")), None, "twice: {wanted}");
        }
    }
}
