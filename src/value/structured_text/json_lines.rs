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
    let text_end = text.trim_end().len();
    let lines = || {
        let mut at = 0;
        text[..text_end].split_inclusive('\n').map(move |line| {
            at += line.len();
            (at - line.len()..at, line)
        })
    };
    // Of a long text only what each line is can be held.
    let are_values: Vec<bool> = lines().map(|(_, line)| is_value(without_break(line))).collect();
    let count = are_values.len();
    let values = are_values.iter().filter(|is_value| **is_value).count();
    let (first, last) = (are_values.iter().position(|&is| is)?, are_values.iter().rposition(|&is| is)?);
    let end_of = |nth: usize| lines().nth(nth).map_or(text_end, |(place, _)| place.end);
    // The last line may be a value that is cut.
    let is_cut =
        last + 2 == count && text_end == text.len() && text[end_of(last)..].trim_start().starts_with(['{', '[']);
    let last = last + usize::from(is_cut);
    let is_between = |nth: usize| (first..last).contains(&nth) && !are_values[nth];
    let bad = || lines().enumerate().filter(|(nth, (_, line))| is_between(*nth) && !is_blank(line)).map(|(nth, _)| nth);
    let after = count - 1 - last;
    let has_others = first + after > 0 || bad().next().is_some();
    if values < if has_others { ROWS_AMONG_OTHERS } else { ROWS }
        || first > MOST_AROUND
        || after > MOST_AROUND
        || bad().count() * BAD > values
    {
        return None;
    }
    let rest = if after > 0 { end_of(last)..text.len() } else { 0..0 };
    let start = lines().nth(first)?.0.start;
    if (first..last).any(is_between) {
        if text.len() > MOST_BYTES {
            return None;
        }
        let whole = lines().enumerate().filter(|(nth, _)| are_values[*nth]).map(|(_, (_, line))| line.trim_end());
        let json = format!("[{}]", whole.collect::<Vec<_>>().join(","));
        let skipped =
            bad().next().map_or(Skipped::Nothing, |first| Skipped::BadLines { count: bad().count(), first: first + 1 });
        let cut = || lines().nth(last).map_or(text_end, |(place, _)| place.start)..text.len();
        let (before, after) = (0..start, if is_cut { cut() } else { rest });
        let body = Body::Literal(SharedJson::of(json)?);
        let all = Structure::of_all(TextFormat::JsonLines, skipped, body);
        return Some(Structure { before, after, is_cut, ..all });
    }
    let mut index = RowIndex::new(Grammar::JsonLines, Vec::new(), start);
    lines().take(last + 1).skip(first).for_each(|(place, _)| index.note(place.start, place.end));
    index.is_cut = is_cut;
    Some(Structure { after: rest, ..Structure::of_rows(TextFormat::JsonLines, index, text, is_cut) })
}

fn is_blank(line: &str) -> bool {
    line.trim_end().is_empty()
}
