//! NDJSON: an object or an array on each line.

use toolshape_text::rows::grammar::Grammar;
use toolshape_text::rows::head::{Head, without_break};
use toolshape_text::rows::row_index::RowIndex;

use crate::value::json_text::JsonText;

use super::structure::{Structure, TextFormat};

/// Fewer lines are not evidence.
const ROWS: usize = 2;

/// Whether a text may begin so: its first whole lines are values, of which four are looked at.
pub(super) fn may_begin(head: &Head<'_>) -> bool {
    let mut lines = head.lines().map(|(_, line)| line).take(4);
    let is_long = !head.text.contains('\n');
    lines.all(|line| is_value(line) || is_long && line.trim_start().starts_with(['{', '[']))
}

fn is_value(line: &str) -> bool {
    line.trim_start().starts_with(['{', '[']) && JsonText::parse(line).is_ok()
}

/// The structure of a text of which every line is a value; only the last one may be cut.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    if !may_begin(head) {
        return None;
    }
    let mut index = RowIndex::new(Grammar::JsonLines, Vec::new(), 0);
    let rows = text.trim_end();
    let mut at = 0;
    for line in rows.split_inclusive('\n') {
        let next = at + line.len();
        if !is_value(without_break(line)) {
            index.is_cut = next == text.len() && index.len >= ROWS;
            if !index.is_cut {
                return None;
            }
        }
        index.note(at, next);
        at = next;
    }
    let is_cut = index.is_cut;
    let is_list = index.len >= ROWS;
    is_list.then(|| Structure { after: 0..0, ..Structure::of_rows(TextFormat::JsonLines, index, text, is_cut) })
}
