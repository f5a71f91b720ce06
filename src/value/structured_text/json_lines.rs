//! NDJSON: an object or an array on each line. Of a command, other lines may be before and after them; a few between them are left
//! out, and the first of these is named.

use toolshape_text::rows::grammar::Grammar;
use toolshape_text::rows::head::{Head, without_break};
use toolshape_text::rows::row_index::RowIndex;

use crate::value::json_in_text::SharedJson;
use crate::value::json_text::JsonText;

use super::structure::{Body, Skipped, Structure, TextFormat};

/// Fewer lines are not evidence; nor are they among other lines.
const ROWS: usize = 2;
const ROWS_AMONG_OTHERS: usize = 8;
/// Lines before the values, and after them, that are not values.
const MOST_AROUND: usize = 5;
/// Of the lines between at most 1/n are not values.
const BAD: usize = 16;
/// A longer text is not read if lines between its values are not: its values are copied.
const MOST_BYTES: usize = 1 << 22;

/// Whether a text may begin so: its first whole lines are values, of which four are looked at.
pub(super) fn may_begin(head: &Head<'_>) -> bool {
    let is_long = !head.text.contains('\n');
    let may_be = |line: &str| is_value(line) || is_long && line.trim_start().starts_with(['{', '[']);
    let lines = head.lines().map(|(_, line)| line);
    let mut first = lines.skip_while({
        let mut before = 0;
        move |line| {
            before += 1;
            before <= MOST_AROUND && !line.trim_start().starts_with(['{', '['])
        }
    });
    first.by_ref().take(4).filter(|line| !may_be(line)).count() <= 1
        && head.text.lines().take(MOST_AROUND + 1).any(may_be)
}

fn is_value(line: &str) -> bool {
    line.trim_start().starts_with(['{', '[']) && JsonText::parse(line).is_ok()
}

/// The structure of a text of which nearly every line is a value; the last one may be cut.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    if !may_begin(head) {
        return None;
    }
    let end = text.trim_end().len();
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text[..end].split_inclusive('\n') {
        lines.push((at, is_value(without_break(line))));
        at += line.len();
    }
    let values = lines.iter().filter(|(_, is_value)| *is_value).count();
    let (first, last) = (lines.iter().position(|line| line.1)?, lines.iter().rposition(|line| line.1)?);
    let next_of = |nth: usize| lines.get(nth + 1).map_or(end, |line| line.0);
    // The last line may be a value that is cut.
    let is_cut =
        last + 2 == lines.len() && end == text.len() && text[next_of(last)..].trim_start().starts_with(['{', '[']);
    let last = last + usize::from(is_cut);
    let bad: Vec<usize> =
        (first..last).filter(|&nth| !lines[nth].1 && !is_blank(&text[lines[nth].0..next_of(nth)])).collect();
    let around = first + lines.len() - 1 - last;
    let has_others = around > 0 || !bad.is_empty();
    let after = lines.len() - 1 - last;
    if values < if has_others { ROWS_AMONG_OTHERS } else { ROWS }
        || first > MOST_AROUND
        || after > MOST_AROUND
        || bad.len() * BAD > values
    {
        return None;
    }
    let rest = if after > 0 { next_of(last)..text.len() } else { 0..0 };
    if (first..last).any(|nth| !lines[nth].1) {
        if text.len() > MOST_BYTES {
            return None;
        }
        let whole = (first..=last).filter(|&nth| lines[nth].1).map(|nth| text[lines[nth].0..next_of(nth)].trim_end());
        let json = format!("[{}]", whole.collect::<Vec<_>>().join(","));
        let skipped =
            bad.first().map_or(Skipped::Nothing, |first| Skipped::BadLines { count: bad.len(), first: first + 1 });
        let (before, after) = (0..lines[first].0, if is_cut { lines[last].0..text.len() } else { rest });
        let body = Body::Literal(SharedJson::of(json)?);
        let all = Structure::of_all(TextFormat::JsonLines, skipped, body);
        return Some(Structure { before, after, is_cut, ..all });
    }
    let mut index = RowIndex::new(Grammar::JsonLines, Vec::new(), lines[first].0);
    (first..=last).for_each(|nth| index.note(lines[nth].0, next_of(nth)));
    index.is_cut = is_cut;
    Some(Structure { after: rest, ..Structure::of_rows(TextFormat::JsonLines, index, text, is_cut) })
}

fn is_blank(line: &str) -> bool {
    line.trim_end().is_empty()
}
