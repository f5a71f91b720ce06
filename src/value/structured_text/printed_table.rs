//! A table as programs print it for people: aligned columns, between bars or blanks.

use std::borrow::Cow;
use std::iter::once;
use std::ops::Range;

use toolshape_text::rows::cells::Cell;
use toolshape_text::rows::head::{Head, without_break};

use crate::value::json_in_text::SharedJson;

use super::cell;
use super::header::{self, Evidence};
use super::structure::{Body, Skipped, Structure, TextFormat};

/// A longer text is not read: its rows are written as JSON.
pub(super) const MOST_BYTES: usize = 1 << 22;
/// The columns of characters that are looked at.
const WIDTH: usize = 512;
/// The rows that are looked at before all are, and the lines among which the header is.
const SAMPLE: usize = 64;
const MOST_BEFORE: usize = 6;
/// The most words of a title between blanks.
const TITLE_WORDS: usize = 3;
/// In at most 1/n of the rows a cell has two blanks inside.
const MOST_MERGED: usize = 4;
/// Lines below the header that are not rows: types, units.
const BELOW_HEADER: usize = 2;
/// Lines behind the rows that no blank line divides from them.
const MOST_AFTER: usize = 3;

/// Whether a text may begin with a table.
pub(super) fn may_begin(head: &Head<'_>) -> bool {
    let lines: Vec<&str> = head.lines().map(|(_, line)| line).take(SAMPLE + MOST_BEFORE).collect();
    find(&lines).is_some()
}

/// The rows of a text that has a table and little else.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    if text.len() > MOST_BYTES || !may_begin(head) {
        return None;
    }
    let lines: Vec<&str> = text.split_inclusive('\n').map(without_break).collect();
    let table = find(&lines)?;
    let (mut names, mut rows) = read(&table)?;
    let (start, mut last) = (offset(text, table.header), *table.lines.last()?);
    // Columns that are too many for the width are below the others.
    let mut is_folded = table.is_folded;
    while is_folded {
        let next = lines.partition_point(|line| offset(text, line) <= offset(text, last));
        let blank = lines[next..].iter().take_while(|line| line.trim().is_empty()).count();
        let below = below(&lines, next + blank)?;
        let (more_names, more_rows) = read(&below)?;
        // They have the same rows, with the same first cell.
        if more_rows.len() != rows.len() || rows.iter().zip(&more_rows).any(|(row, more)| row[0] != more[0]) {
            return None;
        }
        names.extend(more_names.into_iter().skip(1));
        rows.iter_mut().zip(more_rows).for_each(|(row, more)| row.extend(more.into_iter().skip(1)));
        (is_folded, last) = (below.is_folded, *below.lines.last()?);
    }
    let names = header::distinct(&names);
    let mut json = "[".to_owned();
    for (at, row) in rows.iter_mut().enumerate() {
        json.push_str(if at > 0 { ",{" } else { "{" });
        for (nth, (name, text)) in names.iter().zip(std::mem::take(row)).enumerate() {
            json.push_str(if nth > 0 { "," } else { "" });
            json.push_str(name);
            json.push(':');
            cell::write(&Cell { text: Cow::Owned(text), is_quoted: false }, &mut json);
        }
        json.push('}');
    }
    json.push(']');
    let end = offset(text, last) + last.len();
    // The text around a table takes at most an eighth of the whole, except for a short one.
    let around = start + text[end..].trim_end().len();
    let is_mostly = around * 8 <= text.len().max(MOST_BEFORE * 80 * 8);
    let body = Body::Literal(SharedJson::of(json).filter(|_| is_mostly)?);
    let (before, after) = (0..start, end..text.len());
    Some(Structure { before, after, ..Structure::of_all(TextFormat::Table, Skipped::Nothing, body) })
}

/// Where a line of a text begins.
fn offset(text: &str, line: &str) -> usize {
    line.as_ptr().addr() - text.as_ptr().addr()
}

/// A header, and the lines below it.
struct Table<'a> {
    header: &'a str,
    /// The drawn line below the header, or nothing.
    rule: &'a str,
    lines: Vec<&'a str>,
    /// The numbers of lines that a drawn line is above.
    ruled: Vec<usize>,
    /// Whether a drawn line is below the header.
    is_ruled: bool,
    /// Whether the header says that columns follow below, as pandas writes it.
    is_folded: bool,
}

/// The table with which lines begin.
fn find<'a>(lines: &[&'a str]) -> Option<Table<'a>> {
    let may_be_header = |&at: &usize| {
        let line = lines[at];
        line.contains("  ") && !line.contains(['\t', '\u{1b}']) && !is_rule(line) || is_barred(line) && !is_rule(line)
    };
    // Titles are right above a drawn line that has one part for each; what is above them is the title of the table.
    let is_above_rule = |&at: &usize| lines.get(at + 1).is_some_and(|rule| are_above(lines[at], rule));
    let candidates = || (0..lines.len().min(MOST_BEFORE)).filter(may_be_header);
    candidates().filter(is_above_rule).chain(candidates()).find_map(|at| below(lines, at))
}

/// Where the parts of a drawn line between blanks begin, if there are several.
fn parts(rule: &str) -> Option<Vec<usize>> {
    let drawn: Vec<bool> = once(false).chain(rule.chars().map(|c| c != ' ')).collect();
    let starts: Vec<usize> = (0..drawn.len() - 1).filter(|&at| drawn[at + 1] && !drawn[at]).collect();
    (is_rule(rule) && !is_barred(rule) && starts.len() > 1).then_some(starts)
}

/// Whether titles are above all parts of a drawn line.
fn are_above(titles: &str, rule: &str) -> bool {
    parts(rule).is_some_and(|starts| cells(titles, &starts).iter().all(|title| !title.is_empty()))
}

/// The table whose header is a line, if the lines below it have columns.
fn below<'a>(lines: &[&'a str], header: usize) -> Option<Table<'a>> {
    let is_open = is_barred(lines.get(header)?);
    let mut rows: Vec<&str> = Vec::new();
    let (mut is_ruled, mut is_drawn, mut ruled, mut below_titles) = (false, false, Vec::new(), "");
    for line in &lines[header + 1..] {
        if line.trim().is_empty() {
            break;
        }
        if is_rule(line) {
            // Types and units are above the line that has no gaps.
            let is_whole = !line.contains(' ') || !is_open;
            if (!is_ruled || is_whole && !is_drawn && ruled.is_empty()) && rows.len() <= BELOW_HEADER {
                if rows.is_empty() && !is_ruled {
                    below_titles = line;
                }
                rows.clear();
                (is_ruled, is_drawn) = (true, is_whole);
                continue;
            }
            if !is_open {
                break;
            }
            ruled.push(rows.len());
            continue;
        }
        if line.contains(['\t', '\u{1b}']) || is_open != is_barred(line) && is_open {
            break;
        }
        rows.push(line);
    }
    let folded = lines[header].trim_end().strip_suffix(" \\");
    let (header, is_folded) = (folded.unwrap_or(lines[header]), folded.is_some());
    let sample = rows[..rows.len().min(SAMPLE).saturating_sub(MOST_AFTER)].to_vec();
    let rule = below_titles;
    let starts = starts(header, rule, &sample)?;
    for _ in 0..MOST_AFTER {
        let with_last: Vec<&str> = sample.iter().copied().chain(rows.last().copied()).collect();
        if self::starts(header, rule, &with_last).is_some_and(|with_last| with_last.len() == starts.len()) {
            break;
        }
        rows.pop();
    }
    let table = Table { header, rule, lines: rows, ruled, is_ruled, is_folded };
    let cells_of: Vec<Vec<String>> = sample.iter().map(|row| cells(row, &starts)).collect();
    are_named(&table, &cells(header, &starts), &cells_of).then_some(table)
}

/// The titles and the cells of a table.
fn read(table: &Table<'_>) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let starts = starts(table.header, table.rule, &table.lines)?;
    let titles = cells(table.header, &starts);
    let lines: Vec<Vec<String>> = table.lines.iter().map(|row| cells(row, &starts)).collect();
    are_named(table, &titles, &lines[..lines.len().min(SAMPLE)]).then_some(())?;
    Some((titles, if is_barred(table.header) { joined(lines, &table.ruled) } else { lines }))
}

/// The rows of a table between bars: a line goes on with the row above it where a program had to break a cell.
fn joined(lines: Vec<Vec<String>>, ruled: &[usize]) -> Vec<Vec<String>> {
    let is_first = |at: &usize| *at == 0 || ruled.binary_search(at).is_ok();
    let has_gap = |cells: &[String]| cells.iter().any(String::is_empty);
    // A drawn line below each row, if it has cells of several lines.
    let rules = ruled.iter().filter(|&&at| at > 0 && at < lines.len()).count();
    let are_divided =
        rules + 1 >= header::ROWS && lines.iter().enumerate().all(|(at, cells)| is_first(&at) || has_gap(cells));
    let chars = |cell: &str| cell.chars().count();
    let columns = lines.first().map_or(0, Vec::len);
    let widths: Vec<usize> =
        (0..columns).map(|at| lines.iter().map(|cells| chars(&cells[at])).max().unwrap_or(0)).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    // The line above.
    let mut above: Vec<String> = Vec::new();
    for (at, line) in lines.into_iter().enumerate() {
        // The first word of what goes on had no room in the line above.
        let is_broken = |(column, cell): (usize, &String)| {
            let word = cell.split(' ').next().unwrap_or_default();
            cell.is_empty() || !above[column].is_empty() && chars(&above[column]) + 1 + chars(word) > widths[column]
        };
        // psql marks a line break.
        let is_marked = |(column, cell): (usize, &String)| cell.is_empty() || above[column].ends_with('+');
        let goes_on = !is_first(&at)
            && has_gap(&line)
            && (are_divided
                || above.iter().any(|cell| cell.ends_with('+')) && line.iter().enumerate().all(is_marked)
                || line[0].is_empty()
                    && line.iter().filter(|cell| cell.is_empty()).count() * 2 >= columns
                    && line.iter().enumerate().all(is_broken));
        match rows.last_mut().filter(|_| goes_on) {
            Some(row) => {
                for (cell, more) in row.iter_mut().zip(&line).filter(|(_, more)| !more.is_empty()) {
                    let begun = cell.trim_end_matches('+').trim_end();
                    *cell = if begun.is_empty() { more.clone() } else { format!("{begun} {more}") };
                }
            }
            None => rows.push(line.clone()),
        }
        above = line;
    }
    rows
}

/// Whether the titles are names of columns: a line of dashes below them or capitals say so, or the rows do.
fn are_named(table: &Table<'_>, titles: &[String], rows: &[Vec<String>]) -> bool {
    let line = table.header;
    let is_capital = !line.contains(char::is_lowercase) && line.contains(char::is_uppercase);
    let have_no_digit_first = titles.iter().skip(1).all(|title| title.starts_with(|c: char| !c.is_ascii_digit()));
    // Where titles are not apart, neither are their cells.
    if !is_barred(line) && titles.iter().any(|title| title.split(' ').count() > TITLE_WORDS) {
        return false;
    }
    // Two blanks in cells divide columns of which one has no title of its own.
    let is_merged = |row: &&Vec<String>| row.iter().any(|cell| cell.contains("  "));
    if !is_barred(line) && !table.is_ruled && rows.iter().filter(is_merged).count() * MOST_MERGED > rows.len() {
        return false;
    }
    let is_asked = (table.is_ruled || is_capital) && have_no_digit_first && rows.len() >= header::ROWS;
    header::names(titles, rows, Evidence { is_asked, ..Evidence::default() }).is_some()
}

/// Where each column begins, in characters: where a part of the drawn line does, if no row has something right before it; otherwise
/// by the layout of all lines.
fn starts(header: &str, rule: &str, rows: &[&str]) -> Option<Vec<usize>> {
    let is_free = |starts: &Vec<usize>| {
        let is_blank = |line: &&str| {
            let mut before = starts[1..].iter().map(|start| start - 1).peekable();
            line.chars().enumerate().all(|(at, c)| before.next_if_eq(&at).is_none() || c == ' ')
        };
        once(&header).chain(rows).all(is_blank)
    };
    let of_rule = parts(rule).filter(|_| are_above(header, rule)).filter(is_free);
    of_rule.filter(|_| rows.len() >= header::ROWS).or_else(|| layout(header, rows))
}

/// Where each column begins, in characters; `None` if there are no two.
///
/// Columns are divided where all lines have a bar, or without bars where all have a blank, except for blanks within titles or cells.
fn layout(header: &str, rows: &[&str]) -> Option<Vec<usize>> {
    let is_barred = is_barred(header);
    let divides = |c: char| if is_barred { is_bar(c) } else { c == ' ' };
    let mut dividing = [true; WIDTH];
    // Where the header has something, and where a row has.
    let mut filled = [[false; WIDTH]; 2];
    let mut width = 0;
    for (at, line) in once(&header).chain(rows).enumerate() {
        let mut length = 0;
        for (column, c) in line.trim_end().chars().take(WIDTH).enumerate() {
            dividing[column] &= divides(c);
            filled[usize::from(at > 0)][column] |= c != ' ' && !is_bar(c);
            length = column + 1;
        }
        if is_barred {
            dividing[length..].fill(false);
        }
        width = width.max(length);
    }
    let has = |row: usize, run: &Range<usize>| filled[row][run.clone()].contains(&true);
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut column = 0;
    while column < width {
        let end = (column..width).find(|&at| dividing[at] != dividing[column]).unwrap_or(width);
        let run = column..end;
        if !dividing[column] && (has(0, &run) || has(1, &run)) {
            runs.push(run);
        }
        column = end;
    }
    let columns = if is_barred { runs } else { with_titles(&runs, &has, &filled[0])? };
    let starts: Vec<usize> = columns.iter().map(|run| run.start).collect();
    (starts.len() >= 2 && rows.len() >= header::ROWS).then_some(starts)
}

/// The columns that runs of characters between blanks belong to: `has` says whether the header (0) or a row (1) has something
/// there. `None` if a run without a title may belong to the column before it as well as to the one behind it.
fn with_titles(
    runs: &[Range<usize>],
    has: &dyn Fn(usize, &Range<usize>) -> bool,
    title: &[bool],
) -> Option<Vec<Range<usize>>> {
    let mut columns: Vec<Range<usize>> = Vec::new();
    let mut next_start = None;
    for (nth, run) in runs.iter().enumerate() {
        let start = next_start.take().unwrap_or(run.start);
        let Some(before) = columns.last_mut() else {
            columns.push(start..run.end);
            continue;
        };
        let is_near = start == before.end + 1 && (!has(1, run) || !has(1, before));
        if !has(0, run) {
            // Titles are aligned with the left of their cells, or with the right.
            let is_left = title[before.start];
            let is_right = runs.get(nth + 1).is_some_and(|next| title[next.end - 1]);
            // Words of a cell have fewer blanks between them than columns.
            let to_next = runs.get(nth + 1).map_or(usize::MAX, |next| next.start - run.end);
            match (is_left, is_right) {
                (true, true) if start - before.end < to_next => before.end = run.end,
                (true, true) if start - before.end > to_next => next_start = Some(start),
                (true, false) => before.end = run.end,
                (false, true) => next_start = Some(start),
                _ => return None,
            }
        } else if is_near {
            before.end = run.end;
        } else {
            columns.push(start..run.end);
        }
    }
    Some(columns)
}

/// The cells of a line.
fn cells(line: &str, starts: &[usize]) -> Vec<String> {
    let mut out: Vec<String> = vec![String::new(); starts.len()];
    let mut nth = 0;
    for (column, c) in line.chars().enumerate() {
        while starts.get(nth + 1).is_some_and(|&start| start <= column) {
            nth += 1;
        }
        if column >= starts[0] {
            out[nth].push(c);
        }
    }
    let is_barred = is_barred(line);
    let trimmed = |cell: String| {
        let cell = cell.trim_end();
        let cell = if is_barred { cell.trim_end_matches(is_bar) } else { cell };
        cell.trim().to_owned()
    };
    out.into_iter().map(trimmed).collect()
}

fn is_bar(c: char) -> bool {
    matches!(c, '|' | '│' | '┃' | '║' | '┆')
}

fn is_barred(line: &str) -> bool {
    line.contains(is_bar)
}

/// Whether a line is drawn: dashes, with the corners and bars of a frame.
fn is_rule(line: &str) -> bool {
    let is_drawn = |c: char| matches!(c, '+' | '-' | '=' | '|' | ' ' | '\u{2500}'..='\u{257f}');
    line.contains(['-', '=', '─', '━', '═']) && line.chars().all(is_drawn)
}
