//! Long text: its length, a part that fits, and a cursor to the next part.

use crate::base::error::Error;
use crate::base::members::Members;
use crate::render::excerpt;
use crate::render::notes::{self, text::ShownChars};
use crate::request::cursor::{Place, Unit, fingerprint};
use crate::request::policy::Preview;
use crate::request::view::{Fit, View};
use crate::value::source::Source;

/// Characters before a cursor's place that are compared to see whether the text changed.
const FINGERPRINT_CHARS: usize = 64;

/// Fits a text into the budget, from the place of the call's cursor on.
///
/// `lead` has the members that come first, `weight` is the estimated tokens of the text. `None` if not even the frame
/// fits.
pub(crate) fn text<S: Source>(text: &S, lead: &Members, weight: usize, cx: &View<'_>) -> Result<Option<Fit>, Error> {
    let total = text.chars();
    let cursor = cx.cursor(Unit::Chars)?;
    let ((from, to), shifted) = match &cursor {
        Some(cursor) => {
            let from = cursor.position.min(total);
            let moved = cursor.total != total || cursor.fingerprint != fingerprint_before(text, from)?;
            ((from, if moved { total } else { cursor.end }), moved)
        }
        None => ((0, total), false),
    };
    // With a cursor the text is read on from its start, whichever part was shown first.
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
            let fingerprint = fingerprint_before(text, position)?;
            cx.encode(Place { unit: Unit::Chars, position, end, total, fingerprint, pointer: String::new() })
        } else {
            None
        };
        let shown = match preview {
            Preview::Head => ShownChars::Range { from, to: position },
            Preview::Tail => ShownChars::End { from: end },
            Preview::HeadTail => ShownChars::BothEnds { head_to: position, tail_from: end },
        };
        let mut out = lead.clone();
        out.flag("truncated", true);
        out.number("totalChars", total);
        out.number("estimatedTokens", weight);
        out.text_or_null("nextCursor", next.as_deref());
        if shifted {
            out.flag("shifted", true);
        }
        cx.write_stored(next.is_some(), &mut out);
        out.text("note", &notes::text::part(shown, total, next.is_some(), cx.call));
        match preview {
            Preview::Head => out.escaped("preview", &head.literal),
            Preview::Tail => out.escaped("preview", &tail.literal),
            Preview::HeadTail => {
                let mut ends = Members::new();
                ends.escaped("head", &head.literal);
                ends.escaped("tail", &tail.literal);
                out.object("preview", &ends);
            }
        }
        Ok(out.into_object())
    })
}

/// The fingerprint of the text before a place; 0 at the start.
fn fingerprint_before<S: Source>(text: &S, at: usize) -> Result<u32, Error> {
    if at == 0 {
        return Ok(0);
    }
    let from = at.saturating_sub(FINGERPRINT_CHARS);
    Ok(fingerprint(&text.slice(from, at - from)?))
}
