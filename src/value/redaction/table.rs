//! Columns with secret names in tables of any number of rows: delimited, of Markdown and boxes, and printed with spaces between columns.
//! In a row of two cells the first may name the second.

use std::ops::Range;

use toolshape_text::chars::floor_char;

use super::names::NAME;
use super::{REDACTED, Replaced};

/// What divides cells, in the order in which it is looked for.
const DELIMITERS: [char; 5] = ['│', '|', '\t', ';', ','];
/// The most words of a name in a header.
const WORDS: usize = 3;
/// The most bytes of a header with line breaks in quotes.
const HEADER: usize = 1000;

/// How often a line has each delimiter, and wide gaps.
type Counts = [usize; DELIMITERS.len() + 1];

/// The text without the values of columns with secret names; `None` if there are none.
pub(super) fn redacted(text: &str, is_secret: &dyn Fn(&str) -> bool) -> Option<String> {
    if !text.contains('\n') && !text.contains(DELIMITERS) {
        return None;
    }
    let mut tables = Tables { text, is_secret, replaced: Replaced::of(text), open: None };
    let (mut at, mut last): (usize, Counts) = (0, [0; DELIMITERS.len() + 1]);
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end + 1);
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
        let has_delimiter = match table {
            // The first cell may have a line break.
            Table::Delimited { delimiter, .. } => {
                self.text[start..record_end(self.text, start, line_end, *delimiter)].contains(*delimiter)
            }
            Table::Printed(_) => true,
        };
        if line.trim().is_empty() || !has_delimiter {
            self.open = None;
            return None;
        }
        match table {
            Table::Delimited { delimiter, cells, secret } => {
                let end = record_end(self.text, start, line_end, *delimiter);
                let found = split(&self.text[start..end], *delimiter);
                let of_cell = |at: usize| found.get(at).map(|cell| start + cell.start..start + cell.end);
                // Which cell has the comma too many is unknown.
                let is_shifted = found.len() > *cells && *delimiter != '|';
                let hidden: Vec<_> = match (is_shifted, secret.first().and_then(|first| of_cell(*first))) {
                    (true, Some(first)) => found.last().map(|last| first.start..start + last.end).into_iter().collect(),
                    _ => secret.iter().map_while(|at| of_cell(*at)).collect(),
                };
                hidden.into_iter().for_each(|cell| self.hide(cell));
                Some(end)
            }
            Table::Printed(columns) => {
                let words = words(line);
                let last = words.last().map_or(0, |(chars, _)| chars.end);
                let columns = columns.iter().take_while(|(before, ..)| *before < last);
                let hidden: Vec<_> = columns.filter_map(|column| under(&words, column)).collect();
                hidden.into_iter().for_each(|cell| self.hide(start + cell.start..start + cell.end));
                Some(line_end)
            }
        }
    }

    /// Reads a line that may be a header, or have a name and its value, and returns where it ends. `last` counts the delimiters of
    /// the line before.
    fn header(&mut self, start: usize, line_end: usize, last: Counts) -> (Counts, usize) {
        let nearby = &self.text[..floor_char(self.text, (start + HEADER).max(line_end))];
        let counts = counts(&self.text[start..line_end]);
        for kind in 0..counts.len() {
            let delimiter = DELIMITERS.get(kind).copied();
            let end = delimiter.map_or(line_end, |delimiter| record_end(nearby, start, line_end, delimiter));
            let line = &self.text[start..end];
            let next = self.text[end..].split('\n').next().unwrap_or_default();
            let is_above_rule = is_rule(next);
            let count = &if end > line_end { self::counts(line)[kind] } else { counts[kind] };
            let is_first = *count != last[kind] || is_above_rule;
            if *count == 0 || !is_first && *count != 1 && *count != 3 {
                continue;
            }
            let cells = delimiter.map_or_else(|| gaps(line), |delimiter| split(line, delimiter));
            let is_name = |cell: &Range<usize>| (self.is_secret)(bare(&line[cell.clone()]));
            // A sentence may end with the last cell; in others a full stop is that of an abbreviation.
            let are_names = cells.iter().all(|cell| may_be_name(&line[cell.clone()]))
                && !cells.last().is_some_and(|cell| is_end_of_sentence(&line[cell.clone()]));
            if cells.len() < 2 || !are_names && !is_name(&cells[0]) {
                continue;
            }
            let names: Vec<usize> = (0..cells.len()).filter(|at| is_name(&cells[*at])).collect();
            if names.is_empty() || !are_names && names != [0] {
                continue;
            }
            // A table with bars has a rule under its header, but the rows of a page have none.
            let next_end = (end + next.len() + 1).min(nearby.len().max(end));
            let row = match delimiter {
                Some(delimiter) => &self.text[end..record_end(nearby, end, next_end, delimiter)],
                None => next,
            };
            let has_rows = is_first
                && (is_above_rule || self::counts(row)[kind] > 0 || delimiter.is_none() && !next.trim().is_empty());
            let is_pair = cells.len() == 2
                && names == [0]
                && !(has_rows && (is_above_rule || !matches!(delimiter, Some('|' | '│') | None)));
            if has_rows && are_names {
                self.open = Some(match delimiter {
                    Some(delimiter) => Table::Delimited { delimiter, cells: cells.len(), secret: names },
                    None => Table::Printed(columns(line, &cells, &names)),
                });
            }
            if is_pair {
                self.hide(start + cells[1].start..start + cells[1].end);
            }
            return (counts, end);
        }
        let line = &self.text[start..line_end];
        let next = self.text[line_end..].split('\n').next().unwrap_or_default();
        let is_above_rule = is_rule(next);
        // A column of its own.
        let is_alone =
            start == 0 && line.ends_with('\n') || is_above_rule && next.trim().chars().all(|letter| letter == '-');
        if is_alone && !line.contains(':') && (self.is_secret)(bare(line)) && counts.iter().all(|count| *count == 0) {
            self.open = Some(Table::Printed(vec![(0, 0..line.len(), usize::MAX)]));
        }
        (counts, line_end)
    }

    fn hide(&mut self, cell: Range<usize>) {
        let value = &self.text[cell.clone()];
        if !value.is_empty() && value != REDACTED && cell.start >= self.replaced.at {
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
    cell.trim().trim_matches(['"', '\'', '*', '`']).trim()
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
    line.contains(['-', '=', '─', '━', '═', '╌'])
        && line
            .chars()
            .all(|letter| matches!(letter, '-' | '=' | '+' | '|' | ':' | ' ' | '\t' | '\u{2500}'..='\u{257f}'))
}

/// The cells of a line or a record, without the space around them; quotes hold them together.
fn split(line: &str, delimiter: char) -> Vec<Range<usize>> {
    let line = line.trim_end_matches(['\n', '\r']);
    let has_quotes = matches!(delimiter, ',' | ';' | '\t');
    let (mut cells, mut start, mut is_quoted) = (Vec::new(), 0, false);
    // Whether the cell has only space so far, and whether a quote is just before.
    let (mut is_blank, mut is_after_quote) = (true, false);
    let trimmed = |start: usize, end: usize| {
        let cell = &line[start..end];
        let before = cell.len() - cell.trim_start().len();
        start + before..start + before.max(cell.trim_end().len())
    };
    for (at, letter) in line.char_indices() {
        match letter {
            '"' if has_quotes && (is_quoted || is_blank) => is_quoted = !is_quoted,
            '"' if has_quotes && is_after_quote => is_quoted = true,
            _ if letter == delimiter && !is_quoted => {
                cells.push(trimmed(start, at));
                start = at + letter.len_utf8();
                (is_blank, is_after_quote) = (true, false);
                continue;
            }
            _ => {}
        }
        is_blank &= letter.is_whitespace();
        is_after_quote = letter == '"';
    }
    cells.push(trimmed(start, line.len()));
    if matches!(delimiter, '|' | '│') {
        // The bars around a row.
        if cells.first().is_some_and(Range::is_empty) {
            cells.remove(0);
        }
        if cells.len() > 1 && cells.last().is_some_and(Range::is_empty) {
            cells.pop();
        }
    }
    cells
}

/// Where a record ends that has line breaks in quotes. Quotes that do not end are none.
fn record_end(text: &str, start: usize, line_end: usize, delimiter: char) -> usize {
    let has_open = |line: &str| {
        matches!(delimiter, ',' | ';' | '\t') && line.bytes().filter(|byte| *byte == b'"').count() % 2 == 1
    };
    if !has_open(&text[start..line_end]) {
        return line_end;
    }
    let mut end = line_end;
    for line in text[line_end..].split_inclusive('\n') {
        end += line.len();
        if has_open(line) {
            break;
        }
    }
    end
}

/// The cells of a line with at least two spaces between them.
fn gaps(line: &str) -> Vec<Range<usize>> {
    let mut cells: Vec<Range<usize>> = Vec::new();
    for (_, word) in words(line) {
        match cells.last_mut() {
            Some(last) if word.start <= last.end + 1 => last.end = word.end,
            _ => cells.push(word),
        }
    }
    cells
}

/// The words of a line: where each begins and ends in characters, and in bytes.
fn words(line: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut words: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut is_inside = false;
    for (place, (at, letter)) in line.char_indices().enumerate() {
        if letter.is_whitespace() {
            is_inside = false;
            continue;
        }
        let end = (place + 1, at + letter.len_utf8());
        match words.last_mut() {
            Some((chars, bytes)) if is_inside => (chars.end, bytes.end) = end,
            _ => words.push((place..end.0, at..end.1)),
        }
        is_inside = true;
    }
    words
}

/// The secret columns under a header, in their order.
fn columns(line: &str, cells: &[Range<usize>], names: &[usize]) -> Vec<(usize, Range<usize>, usize)> {
    let (mut counted, mut chars) = (0, 0);
    let mut place = |at: usize| {
        chars += line[counted..at].chars().count();
        counted = at;
        chars
    };
    let places: Vec<Range<usize>> = cells.iter().map(|cell| place(cell.start)..place(cell.end)).collect();
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
