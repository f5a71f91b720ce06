//! Text over the budget without a structure that is known: its start, the lines that say how it went, its end, and a cursor from
//! the start on.

use toolshape_text::lines;
use toolshape_text::prose::files;
use toolshape_text::prose::piece::{Piece, spread};
use toolshape_text::prose::survey::{self, Survey};
use toolshape_text::prose::terminal;

use crate::base::error::Error;
use crate::base::json_string;
use crate::base::members::Members;
use crate::base::sorting::{sort_by, sort_by_key};
use crate::render::excerpt;
use crate::render::line_overview::WholeText;
use crate::render::notes;
use crate::render::notes::text::Surveyed;
use crate::render::source_lines::Pieces;
use crate::render::truncate::fingerprint_before;
use crate::request::context::{Context, Fit};
use crate::request::cursor::Unit;
use crate::value::any_source::AnySource;
use crate::value::plain_text::PlainText;
use crate::value::rows_inside::RowsInside;
use crate::value::source::Source;
use crate::value::structured_text::TextFormat;

/// The tenths of the budget for what was found and for the end; what they do not need is the start's and the end's.
const OF_RUN: [usize; 2] = [5, 3];
const OF_ERRORS: [usize; 2] = [3, 3];
const OF_NOTHING: [usize; 2] = [0, 5];
/// The tenths of the budget for the files that a text is about.
pub(crate) const FILES: usize = 4;
/// What the end's member takes in addition to its text.
const AROUND_TAIL: usize = 14;

/// Shows a text; the format is that of a run, if it certainly is the output of one. `None` if nothing of it has room.
pub(crate) fn show(
    text: &AnySource<'_>,
    whole: &WholeText<'_>,
    ctx: &Context<'_>,
) -> Result<Option<(Option<TextFormat>, Fit)>, Error> {
    let shown = &*terminal::shown(whole.text);
    let lines = lines::of(shown);
    let mut survey = survey::of(shown, &lines);
    for piece in &mut survey.pieces {
        (piece.line, piece.last_line) = (whole.line(piece.line), whole.line(piece.last_line));
    }
    let total_lines = whole.line(lines.len());
    let files = files::of(&lines);
    let inside = RowsInside::of(&lines, &lines).map(|rows| rows.about());
    let tail_of = PlainText::new(shown);
    let format = survey.is_run.then_some(TextFormat::Run).or(whole.made());
    let tenths = match (survey.is_run || survey.is_tree, survey.pieces.is_empty()) {
        (true, _) => OF_RUN,
        (false, false) => OF_ERRORS,
        (false, true) => OF_NOTHING,
    };
    let total = text.chars();
    let mut is_empty = true;
    let fit = ctx.shrink_in_frame(|whole_spend| {
        let named = files_within(&files.listed, whole_spend * FILES / 10, ctx);
        let spend = whole_spend - named.tokens;
        let [for_lines, for_tail] = tenths.map(|tenths| spend * tenths / 10);
        let ends = |head: usize, tail: usize| {
            let head = excerpt::start(text, (0, total), head, true, ctx.measure)?;
            let from = tail_of.chars().min(head.to);
            let tail = tail.saturating_sub(AROUND_TAIL);
            let tail = excerpt::end(&tail_of, (from, tail_of.chars()), tail, ctx.measure)?;
            Ok::<_, Error>((head, tail))
        };
        let (mut head, mut tail) = ends(spend - for_lines - for_tail, for_tail)?;
        let mut place = between(&head.literal, &tail.literal, lines.len(), whole);
        let mut pieces = pieces_in(&survey, &place);
        if !named.names.is_empty() {
            without_files(&mut pieces);
        }
        let mut written = Pieces::new(&pieces, ctx.measure, ctx.budget);
        let chosen = if for_lines == 0 { Vec::new() } else { written.within(for_lines) };
        let taken: usize = chosen.iter().map(|&piece| written.tokens(piece)).sum();
        let left = for_lines.saturating_sub(taken);
        if left > 0 {
            (head, tail) = ends(spend - for_lines - for_tail + left / 2, for_tail + left.div_ceil(2))?;
            place = between(&head.literal, &tail.literal, lines.len(), whole);
        }
        let is_shown = |piece: &Piece<'_>| {
            let mut escaped = String::new();
            json_string::escape_into(piece.text, &mut escaped);
            head.literal.contains(&escaped) || tail.literal.contains(&escaped)
        };
        let is_missing = |piece: &Piece<'_>| is_between(piece, &place) && !(piece.is_part && is_shown(piece));
        let mut kept: Vec<_> = chosen.into_iter().filter(|piece| is_missing(&pieces[piece.piece])).collect();
        if survey.is_tree {
            sort_by_key(&mut kept, |piece| pieces[piece.piece].line);
        }
        let position = head.to;
        if position == total {
            kept.clear();
        }
        let members: Vec<&str> = kept.iter().map(|&piece| written.text(piece)).collect();
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
        survey.counts.iter().for_each(|(name, count)| out.number(name, *count));
        if !named.names.is_empty() {
            out.number("totalFiles", files.total);
        }
        out.text_or_null("nextCursor", next.as_deref());
        if let Some(chars) = whole.original {
            ctx.write_text_cursor(chars, next.is_some(), &mut out);
        }
        ctx.write_stored(next.is_some(), &mut out);
        let shows = Surveyed {
            is_run: survey.is_run,
            inside: inside.as_ref().map(|(count, names)| (*count, names.as_str())),
            has_lines: !members.is_empty(),
            has_files: !named.names.is_empty(),
            // What the frame takes is measured without either.
            has_tail: !tail.literal.is_empty() || head.literal.is_empty(),
            is_whole: position == total,
        };
        let handle = ctx.handle(next.is_some());
        let made = whole.short.map(|short| notes::text::shortened(short.has_bytes, handle, ctx)).unwrap_or_default();
        out.text("note", &(notes::text::survey(shows, next.is_some(), handle, ctx) + &made));
        if !named.names.is_empty() {
            out.texts("files", &named.names);
        }
        if !members.is_empty() {
            out.list("lines", &members);
        }
        out.escaped("preview", &head.literal);
        if !tail.literal.is_empty() {
            let mut end = Members::new();
            let inner = excerpt::line_ends(&tail.literal).filter(|&end| end < tail.literal.len()).count();
            end.number("line", whole.line((lines.len() - inner).saturating_sub(1)) + 1);
            end.escaped("text", &tail.literal);
            out.object("tail", &end);
        }
        is_empty = head.literal.is_empty() && tail.literal.is_empty();
        Ok(out.into_object())
    })?;
    Ok(fit.filter(|_| !is_empty).map(|fit| (format, fit)))
}

/// Leaves out the files of a diff, which are named elsewhere, except for the first to which more happened than a change.
pub(crate) fn without_files(pieces: &mut Vec<Piece<'_>>) {
    let first = pieces.iter().find(|piece| piece.class == survey::FILE).filter(|piece| piece.text.contains('\n'));
    let kept = first.map(|piece| piece.line);
    pieces.retain(|piece| piece.class != survey::FILE || Some(piece.line) == kept);
}

/// Files that are shown, and what they cost.
pub(crate) struct Named<'a> {
    pub names: Vec<&'a str>,
    pub tokens: usize,
}

/// As many files as have room, spread over all of them where not all have.
pub(crate) fn files_within<'a>(files: &'a [String], tokens: usize, ctx: &Context<'_>) -> Named<'a> {
    let (mut shown, mut left) = (Vec::new(), tokens.saturating_sub(AROUND_TAIL));
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

/// The lines that neither the start nor the end shows whole.
fn between(head: &str, tail: &str, lines: usize, whole: &WholeText<'_>) -> std::ops::Range<usize> {
    let end = lines.saturating_sub(breaks(tail)).max(breaks(head));
    whole.line(breaks(head))..whole.line(end)
}

/// The line breaks of a literal.
fn breaks(literal: &str) -> usize {
    excerpt::line_ends(literal).count()
}

fn is_between(piece: &Piece<'_>, place: &std::ops::Range<usize>) -> bool {
    let end = piece.line + piece.text.matches('\n').count();
    // Of a long line the start and the end may be shown.
    let part = usize::from(piece.is_part);
    piece.line < place.end + part && end + part >= place.start
}

fn pieces_in<'a>(survey: &Survey<'a>, place: &std::ops::Range<usize>) -> Vec<Piece<'a>> {
    survey.pieces.iter().filter(|piece| is_between(piece, place)).cloned().collect()
}
