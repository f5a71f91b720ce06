//! A document in Markdown that mostly is one table (GitHub Flavored Markdown, section 4.10).

use toolshape_text::rows::cells;
use toolshape_text::rows::grammar::Grammar;
use toolshape_text::rows::head::{Head, without_break};
use toolshape_text::rows::row_index::RowIndex;

use super::header;
use super::ragged::Ragged;
use super::structure::{Structure, TextFormat};

/// Where the header of the first table begins, where its rows begin, and the titles.
pub(super) fn find(head: &Head<'_>) -> Option<(usize, usize, Vec<String>)> {
    let mut before: Option<(usize, &str)> = None;
    let mut is_fenced = false;
    for (start, line) in head.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        if let Some((titles_start, titles)) = before
            && !is_fenced
            && let Some(columns) = rule(line)
            && has_bars(titles)
        {
            let titles = cells::texts(titles, Grammar::Bars);
            let next = head.text[start..].find('\n').map(|at| start + at + 1)?;
            return (titles.len() == columns && columns > 1)
                .then_some((titles_start, next, titles))
                .filter(|(.., titles)| header::are_names(titles));
        }
        before = Some((start, line));
    }
    None
}

/// The number of columns of the line below the titles: `|---|:--:|`.
fn rule(line: &str) -> Option<usize> {
    let is_rule = has_bars(line) && line.contains('-') && line.bytes().all(|byte| b"|-: ".contains(&byte));
    let cells = is_rule.then(|| cells::texts(line, Grammar::Bars))?;
    cells.iter().all(|cell| !cell.trim_matches(':').is_empty()).then_some(cells.len())
}

fn has_bars(line: &str) -> bool {
    line.contains('|')
}

/// The structure of a text that has a table and little else. Of its rows a few may have more cells or fewer.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    let (start, first, titles) = find(head)?;
    let mut index = RowIndex::new(Grammar::Bars, header::distinct(&titles), start);
    let is_framed = text[start..].trim_start().starts_with('|');
    // The bar at the start of a row is optional (section 4.10); otherwise a line without bars is not a row.
    let is_row = |line: &str| if is_framed { line.trim_start().starts_with('|') } else { has_bars(line) };
    let (mut at, mut ragged) = (first, Ragged::of(titles.len()));
    for line in text[first..].split_inclusive('\n') {
        let row = without_break(line);
        if !is_row(row) {
            break;
        }
        let (cells, next) = (cells::between_bars(row).count(), at + line.len());
        index.is_cut = cells < titles.len() && next == text.len() && !line.ends_with('\n');
        if !index.is_cut {
            ragged.note(cells, index.len);
        }
        index.note(at, next);
        at = next;
    }
    let skipped = ragged.judge(&mut index)?;
    // The text around a table takes at most an eighth of the whole.
    let is_mostly = (start + text.len() - at) * 8 <= text.len();
    let is_cut = index.is_cut;
    let is_table = index.len >= header::ROWS && is_mostly && !text[at..].lines().any(is_row);
    is_table.then(|| Structure { skipped, ..Structure::of_rows(TextFormat::Table, index, text, is_cut) })
}
