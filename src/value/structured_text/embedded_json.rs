//! JSON as the whole of a text, or in a code fence with little around it.

use toolshape_text::rows::head::Head;

use crate::value::json_in_text::begins_data;
use crate::value::json_text::JsonIndex;

use super::structure::{Body, Skipped, Structure, TextFormat};

const FENCE: &str = "```";
/// The names of a fence with JSON.
const NAMES: [&str; 3] = ["json", "JSON", ""];

/// Whether a text may begin so.
pub(super) fn may_begin(head: &str) -> bool {
    begins_data(head) || fenced(head).is_some()
}

/// Where the first fence begins, and its inside, if a value begins there.
fn fenced(head: &str) -> Option<(usize, usize)> {
    let fence = match head.starts_with(FENCE) {
        true => 0,
        false => head.find(&format!("\n{FENCE}"))? + 1,
    };
    let name = head[fence + FENCE.len()..].lines().next()?;
    let inside = fence + FENCE.len() + name.len();
    (NAMES.contains(&name.trim()) && begins_data(&head[inside..])).then_some((fence, inside))
}

/// The structure of a text that is JSON, or has JSON in its only fence.
pub(super) fn recognize(text: &str, head: &Head<'_>) -> Option<Structure> {
    if begins_data(head.text) {
        return read(text, 0, text.len());
    }
    let (start, inside) = fenced(head.text)?;
    let end = inside + text[inside..].find(&format!("\n{FENCE}"))? + 1;
    let after = end + FENCE.len();
    let around = start + text.len() - after;
    // The text around the fence takes at most a quarter of the whole.
    if around * 4 > text.len() || text[after..].contains(FENCE) {
        return None;
    }
    let structure = read(text, inside, end)?;
    Some(Structure { before: 0..start, after: after..text.len(), ..structure })
}

fn read(text: &str, start: usize, end: usize) -> Option<Structure> {
    let index = JsonIndex::of(&text[start..end]).ok()?;
    let body = Body::Json(start..end, index);
    Some(Structure::of_all(TextFormat::Json, Skipped::Nothing, body))
}
