//! Long text: how long it is, a part of it that fits, and a cursor to the next part.

use crate::base::error::Error;
use crate::base::json_string;
use crate::render::excerpt;
use crate::request::context::{Context, Fit};
use crate::request::cursor::{Cursor, Unit, fingerprint};
use crate::request::policy::Preview;
use crate::value::source::Source;

/// Characters before a cursor's place that tell whether the text is still the same there.
const FINGERPRINT_CHARS: usize = 64;

/// Fits a text into the budget, from where the call's cursor goes on.
///
/// `lead` holds JSON members that stand before all others, each with a comma after it, `weight` is about how
/// many tokens the text has. Gives `None` where not even the envelope fits.
pub(crate) fn text<S: Source>(text: &S, lead: &str, weight: usize, cx: &Context<'_>) -> Result<Option<Fit>, Error> {
    let total = text.chars();
    let cursor = cx.cursor(Unit::Chars)?;
    let ((from, to), shifted) = match &cursor {
        Some(cursor) => {
            let from = cursor.position.min(total);
            let moved = cursor.total != total || cursor.fingerprint != mark(text, from)?;
            ((from, if moved { total } else { cursor.end }), moved)
        }
        None => ((0, total), false),
    };
    // What a cursor asks for is read on from its start, whatever was shown first.
    let preview = if cursor.is_some() { Preview::Head } else { cx.settings.preview };
    cx.shrink_in_frame(|spend| {
        let (head, tail) = match preview {
            Preview::Head => (spend, 0),
            Preview::Tail => (0, spend),
            Preview::HeadTail => (spend.div_ceil(2), spend / 2),
        };
        let head = excerpt::start(text, (from, to), head, true, cx.measure)?;
        let tail = excerpt::end(text, (head.to, to), tail, cx.measure)?;
        let (position, end) = (head.to, tail.from);
        let next = if position < end {
            let fingerprint = mark(text, position)?;
            cx.encode(Cursor { unit: Unit::Chars, position, end, total, fingerprint, pointer: String::new() })
        } else {
            None
        };
        let shown = match preview {
            Preview::Head => format!("Characters {from} to {position} of {total}."),
            Preview::Tail => format!("Characters {end} to {total} of {total}, the end."),
            Preview::HeadTail => {
                format!("Characters 0 to {position} and {end} to {total} of {total}; the middle is left out.")
            }
        };
        let on = match &next {
            Some(_) => {
                let cursor = cx.call.argument("cursor");
                format!(" To read on call again with the same arguments and {cursor} set to nextCursor.")
            }
            None => " This is the last part.".to_owned(),
        };
        let note = json_string::quoted(&format!("{shown}{on}"));
        let preview = match preview {
            Preview::Head => format!("\"{}\"", head.literal),
            Preview::Tail => format!("\"{}\"", tail.literal),
            Preview::HeadTail => format!("{{\"head\":\"{}\",\"tail\":\"{}\"}}", head.literal, tail.literal),
        };
        let stored = cx.store_members("", next.is_some());
        let next = next.as_deref().map_or("null".to_owned(), json_string::quoted);
        let shifted = if shifted { "\"shifted\":true," } else { "" };
        let facts = format!("\"truncated\":true,\"totalChars\":{total},\"estimatedTokens\":{weight}");
        Ok(format!("{{{lead}{facts},\"nextCursor\":{next},{shifted}{stored}\"note\":{note},\"preview\":{preview}}}"))
    })
}

/// The fingerprint of what stands before a place in the text; 0 at its start.
fn mark<S: Source>(text: &S, at: usize) -> Result<u32, Error> {
    if at == 0 {
        return Ok(0);
    }
    let from = at.saturating_sub(FINGERPRINT_CHARS);
    Ok(fingerprint(&text.slice(from, at - from)?))
}
