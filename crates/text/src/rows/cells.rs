//! The cells of one row.

use csv_core::{ReadRecordResult, ReaderBuilder, Terminator};
use memchr::memchr2;

use super::grammar::Grammar;

/// The texts of the cells of a row.
pub fn of(row: &str, grammar: Grammar) -> Vec<String> {
    match grammar {
        Grammar::Delimited(delimiter) => delimited(row, delimiter),
        Grammar::Bars => between_bars(row),
        Grammar::JsonLines | Grammar::YamlDocuments => vec![row.to_owned()],
    }
}

fn delimited(row: &str, delimiter: u8) -> Vec<String> {
    // A line break ends the row, which has none outside of quotes; a carriage return alone is a character like any other.
    let mut reader = ReaderBuilder::new().delimiter(delimiter).terminator(Terminator::Any(b'\n')).build();
    let (mut out, mut ends) = (vec![0; row.len() + 1], vec![0; row.len() + 2]);
    // A reader leaves a byte order mark out at its start, but here it is a character of the cell.
    if row.starts_with('\u{feff}') {
        let _ = reader.read_record(b"\n", &mut out, &mut ends);
    }
    let (mut written, mut count, mut input) = (0, 0, row.as_bytes());
    loop {
        let (result, read, wrote, ended) = reader.read_record(input, &mut out[written..], &mut ends[count..]);
        (written, count, input) = (written + wrote, count + ended, &input[read..]);
        match result {
            // Empty input ends the row.
            ReadRecordResult::InputEmpty => {}
            // The buffers are longer than any row, so this is its end.
            _ => break,
        }
    }
    let mut start = 0;
    let cell = |&end: &usize| {
        let cell = String::from_utf8_lossy(&out[start..end]).into_owned();
        start = end;
        cell
    };
    ends[..count].iter().map(cell).collect()
}

/// The cells of a line of a table in Markdown: `| a | b |`, with `\|` for a bar.
fn between_bars(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let (mut cells, mut cell, mut escaped) = (Vec::new(), String::new(), false);
    for character in row.chars() {
        match character {
            '|' if escaped => {
                cell.pop();
                cell.push('|');
            }
            '|' => cells.push(std::mem::take(&mut cell)),
            other => cell.push(other),
        }
        escaped = character == '\\' && !escaped;
    }
    // After the last bar there is no cell.
    if !cell.trim().is_empty() {
        cells.push(cell);
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

/// How many cells [`of`] finds in a line of a table in Markdown.
pub fn count_between_bars(row: &str) -> usize {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let (mut count, mut cell, mut at) = (0, 0, 0);
    while let Some(found) = memchr2(b'|', b'\\', &row.as_bytes()[at..]) {
        at += found + 1;
        if row.as_bytes()[at - 1] == b'|' {
            count += 1;
            cell = at;
        } else {
            // The next character is literal.
            at += row[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    count + usize::from(!row[cell..].trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_as_they_are_read() {
        let parts = ["|", "\\", " ", "a", "ö", "||", "\\|"];
        for at in 0..parts.len().pow(5) {
            let row: String = (0..5).map(|part| parts[at / parts.len().pow(part) % parts.len()]).collect();
            assert_eq!(count_between_bars(&row), of(&row, Grammar::Bars).len(), "{row:?}");
        }
    }
}
