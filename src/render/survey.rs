//! Text over the budget without a structure that is known: its start, and of the rest the lines that say how it went and the end.

use toolshape_text::lines;
use toolshape_text::prose::encoded::Shortened;
use toolshape_text::prose::files;
use toolshape_text::prose::piece::spread;
use toolshape_text::prose::terminal;

use crate::base::error::Error;
use crate::base::members::Members;
use crate::base::sorting::sort_by;
use crate::render::abridged::{Abridged, Numbered};
use crate::render::excerpt;
use crate::render::line_overview::WholeText;
use crate::render::notes;
use crate::render::notes::text::Surveyed;
use crate::render::truncate::fingerprint_before;
use crate::request::context::{Context, Fit};
use crate::request::cursor::Unit;
use crate::value::any_source::AnySource;
use crate::value::rows_inside::RowsInside;
use crate::value::source::Source;
use crate::value::structured_text::TextFormat;

/// The tenths of the budget for the files that a text is about.
pub(crate) const FILES: usize = 4;
/// Where not even the first line has room, its start takes 1/n of the budget.
const HEAD_PARTS: usize = 4;
/// What a list of files takes in addition to them.
const AROUND_FILES: usize = 14;

/// Shows a text; the format is that of a run, if it certainly is the output of one. `None` if nothing of it has room.
pub(crate) fn show(
    text: &AnySource<'_>,
    whole: &WholeText<'_>,
    ctx: &Context<'_>,
) -> Result<Option<(Option<TextFormat>, Fit)>, Error> {
    let seen = terminal::shown(whole.text);
    let is_as_seen = *seen == *whole.text;
    let lines = lines::of(&seen);
    let total_lines = whole.line(lines.len());
    let files = files::of(&lines);
    let inside = RowsInside::of(&lines, &lines).map(|rows| rows.about());
    let short = whole.short.map_or_else(|| Shortened::nowhere(seen.clone().into_owned()), |short| short.with(&seen));
    let abridged = Abridged::of(short, Numbered::Lines);
    let format = whole.made();
    let total = text.chars();
    let mut is_empty = true;
    let fit = ctx.shrink_in_frame(|spend| {
        let named = files_within(&files.listed, spend * FILES / 10, ctx);
        let shown = abridged.within(0, spend - named.tokens, ctx.measure);
        // The start is the text's own up to the first gap, so that a cursor continues it.
        let (line, byte) = abridged.place(shown.start());
        let own = if is_as_seen { &whole.text[..byte] } else { lines_of(whole.text, line) };
        let (mut preview, mut position) = (None, own.chars().count());
        if position == 0 {
            let head = excerpt::start(text, (0, total), spend / HEAD_PARTS, true, ctx.measure)?;
            (preview, position) = (Some(head.literal), head.to);
        }
        // What follows begins where the start ends, which may be within a line.
        let end = whole.text.char_indices().nth(position).map_or(whole.text.len(), |(end, _)| end);
        let own = &whole.text[..end];
        let start = match is_as_seen {
            true => abridged.part_at(end),
            false => abridged.part_of(own.matches('\n').count()),
        };
        let rest = shown.literal(start, !own.is_empty() && !own.ends_with('\n'));
        // A text of which only the start has room is cut as any other.
        is_empty = position < total && !shown.goes_on(start);
        let fingerprint = fingerprint_before(text, position)?;
        let next = ctx.cursor_to(Unit::Chars, (position, total), total, fingerprint, whole.counted_in());
        let mut out = Members::new();
        out.flag("truncated", true);
        if let Some(format) = format {
            out.text("text", format.name());
        }
        out.number("totalLines", total_lines);
        out.number("totalChars", whole.original.unwrap_or(total));
        out.number("estimatedTokens", whole.weight);
        abridged.counts().iter().for_each(|(name, count)| out.number(name, *count));
        if !named.names.is_empty() {
            out.number("totalFiles", files.total);
        }
        out.text_or_null("nextCursor", next.as_deref());
        if let Some(chars) = whole.original {
            ctx.write_text_cursor(chars, next.is_some(), &mut out);
        }
        ctx.write_stored(next.is_some(), &mut out);
        let shows = Surveyed {
            inside: inside.as_ref().map(|(count, names)| (*count, names.as_str())),
            has_files: !named.names.is_empty(),
            lines: (line + 1, total_lines),
            is_whole: position == total,
        };
        let mut note = notes::text::survey(shows, next.is_some(), ctx.handle(next.is_some()), ctx);
        if let Some(short) = whole.short {
            notes::text::shortened(short.has_bytes, &mut note);
        }
        out.text("note", &note.finish());
        if !named.names.is_empty() {
            out.texts("files", &named.names);
        }
        out.escaped("preview", &preview.map_or_else(|| text.slice(0, position), Ok)?);
        if position < total {
            out.escaped("excerpt", &rest);
        }
        Ok(out.into_object())
    })?;
    Ok(fit.filter(|_| !is_empty).map(|fit| (format, fit)))
}

/// The first lines of a text, with their ends.
fn lines_of(text: &str, lines: usize) -> &str {
    let end = text.split_inclusive('\n').take(lines).map(str::len).sum();
    &text[..end]
}

/// Files that are shown, and what they cost.
pub(crate) struct Named<'a> {
    pub names: Vec<&'a str>,
    pub tokens: usize,
}

/// As many files as have room, spread over all of them where not all have.
pub(crate) fn files_within<'a>(files: &'a [String], tokens: usize, ctx: &Context<'_>) -> Named<'a> {
    let (mut shown, mut left) = (Vec::new(), tokens.saturating_sub(AROUND_FILES));
    // Files that came or went, the first and the last, then others from all parts.
    let special = (0..files.len()).filter(|&at| files[at].contains(" ("));
    let mut seen = vec![false; files.len()];
    for at in special.chain([0, files.len().saturating_sub(1)]).chain(spread(files.len())) {
        if seen.get_mut(at).is_none_or(|seen| std::mem::replace(seen, true)) {
            continue;
        }
        let cost = ctx.measure.count(&format!("\"{}\",", files[at]));
        let Some(rest) = left.checked_sub(cost) else { break };
        left = rest;
        shown.push(at);
    }
    sort_by(&mut shown, Ord::cmp);
    let taken = if shown.is_empty() { 0 } else { tokens - left };
    Named { names: shown.into_iter().map(|at| files[at].as_str()).collect(), tokens: taken }
}
