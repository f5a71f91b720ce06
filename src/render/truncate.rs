//! Long text: its length, a part that fits, and a cursor to the next part.

use std::borrow::Cow;

use crate::base::error::Error;
use crate::base::members::Members;
use crate::render::excerpt;
use crate::render::notes::{self, text::ShownChars};
use crate::render::outline::HeadingOutline;
use crate::request::context::{Context, Fit};
use crate::request::cursor::{Unit, fingerprint};
use crate::request::policy::{Preview, SIDE_PARTS};
use crate::value::rows_inside::RowsInside;
use crate::value::source::Source;
use crate::value::structured_text::TextFormat;

/// Characters before a cursor's place that are compared to see whether the text changed.
const FINGERPRINT_CHARS: usize = 64;

/// What a cursor into a page says in place of a pointer: it counts the characters of the page's text, not of its HTML.
pub(crate) const IN_PAGE: &str = "/html";

/// The same for a text whose encoded bytes are shortened.
pub(crate) const IN_SHORTENED: &str = "/base64";

/// The same for a text of which lines were written over.
pub(crate) const IN_SEEN: &str = "/seen";

/// The facts about a text, in addition to the part of it that is shown.
pub(crate) struct About<'a> {
    /// The members that come first.
    pub lead: &'a Members,
    /// The estimated tokens of the text.
    pub weight: usize,
    /// What the text is read as, if that is known, and the facts that follow from it.
    pub format: Option<TextFormat>,
    pub facts: Members,
    pub outline: HeadingOutline,
    /// The characters of the text itself, if what is shown was made from it.
    pub original: Option<usize>,
    /// What cursors say in place of a pointer: which text they count in.
    pub counted_in: &'static str,
    /// Which part is shown first, if that is not the policy's choice.
    pub preview: Option<Preview>,
}

impl<'a> About<'a> {
    /// A text that is shown as it is.
    pub fn plain(lead: &'a Members, weight: usize) -> Self {
        let (facts, outline) = (Members::new(), HeadingOutline::default());
        Self { lead, weight, format: None, facts, outline, original: None, counted_in: "", preview: None }
    }
}

/// Fits a text into the budget, from the place of the call's cursor on. `None` if not even the frame fits.
pub(crate) fn text<S: Source>(text: &S, about: &About<'_>, ctx: &Context<'_>) -> Result<Option<Fit>, Error> {
    let total = text.chars();
    let cursor = ctx.cursor(Unit::Chars)?;
    let ((from, to), shifted) = match &cursor {
        Some(cursor) => {
            let from = cursor.position.min(total);
            let moved = cursor.total != total || cursor.fingerprint != fingerprint_before(text, from)?;
            ((from, if moved { total } else { cursor.end }), moved)
        }
        None => ((0, total), false),
    };
    // With a cursor the text is read on from its start, whichever part was shown first.
    let preview = if cursor.is_some() { Preview::Head } else { about.preview.unwrap_or(ctx.settings.preview) };
    let is_page = matches!(about.format, Some(TextFormat::Html | TextFormat::Markdown)) && cursor.is_none();
    let page = if is_page { text.text()? } else { Cow::default() };
    let lines: Vec<&str> = page.lines().collect();
    let inside = RowsInside::of(&lines, &lines).map(|rows| rows.about());
    let is_outlined = cursor.is_none() && about.outline.len() > 0;
    let ends = |spend: usize| {
        let (head, tail) = match preview {
            Preview::Auto | Preview::Head => (spend, 0),
            Preview::Tail => (0, spend),
            Preview::HeadTail => (spend.div_ceil(2), spend / 2),
        };
        let head = excerpt::start(text, (from, to), head, true, ctx.measure)?;
        let tail = excerpt::end(text, (head.to, to), tail, ctx.measure)?;
        Ok::<_, Error>((head, tail))
    };
    ctx.shrink_in_frame(|spend| {
        let room = if is_outlined { spend / SIDE_PARTS } else { 0 };
        let (mut head, mut tail) = ends(spend - room)?;
        let (headings, taken) = about.outline.between(head.to, tail.from, room, ctx.measure);
        if taken < room {
            (head, tail) = ends(spend - taken)?;
        }
        let (position, end) = (head.to, tail.from);
        let headings = about.outline.texts(&headings, position);
        let fingerprint = fingerprint_before(text, position)?;
        let next = ctx.cursor_to(Unit::Chars, (position, end), total, fingerprint, about.counted_in);
        let shown = match preview {
            Preview::Auto | Preview::Head => ShownChars::Range { from, to: position },
            Preview::Tail => ShownChars::End { from: end },
            Preview::HeadTail => ShownChars::BothEnds { head_to: position, tail_from: end },
        };
        let mut out = about.lead.clone();
        out.flag("truncated", true);
        if let Some(format) = about.format {
            out.text("text", format.name());
        }
        out.extend(&about.facts);
        out.number("totalChars", total);
        out.number("estimatedTokens", about.weight);
        out.text_or_null("nextCursor", next.as_deref());
        if shifted {
            out.flag("shifted", true);
        }
        if let Some(chars) = about.original.filter(|_| cursor.is_none()) {
            ctx.write_text_cursor(chars, next.is_some(), &mut out);
        }
        ctx.write_stored(next.is_some(), &mut out);
        let mut note = notes::text::part(shown, total, position < end, ctx.handle(next.is_some()), ctx);
        if cursor.is_none() {
            let has_lines = !headings.is_empty() && about.outline.has_lines();
            if let IN_SHORTENED | IN_SEEN = about.counted_in {
                notes::text::shortened(about.counted_in == IN_SHORTENED, &mut note);
            }
            notes::text::read_as(about.format, (!headings.is_empty(), has_lines), &mut note);
            notes::text::rows_inside(inside.as_ref().map(|(count, names)| (*count, names.as_str())), &mut note);
        }
        out.text("note", &note.finish());
        if !headings.is_empty() {
            out.texts("outline", &headings);
        }
        match preview {
            Preview::Auto | Preview::Head => out.escaped("preview", &head.literal),
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
pub(crate) fn fingerprint_before<S: Source>(text: &S, at: usize) -> Result<u32, Error> {
    if at == 0 {
        return Ok(0);
    }
    let from = at.saturating_sub(FINGERPRINT_CHARS);
    Ok(fingerprint(&text.slice(from, at - from)?))
}
