//! Logs and stack traces over the budget: what matters in them, with line numbers, and a cursor to all of it.

use std::iter;

use toolshape_text::lines;
use toolshape_text::prose::encoded::Shortened;
use toolshape_text::prose::log;
use toolshape_text::prose::piece::{Piece, spread};
use toolshape_text::prose::severity::{LogLevel, Severity};
use toolshape_text::prose::terminal;
use toolshape_text::prose::trace::{self, Role};

use crate::base::error::Error;
use crate::base::members::Members;
use crate::base::sorting::sort_by;
use crate::render::notes::{self, ways::Note};
use crate::render::source_lines::{self, Pieces};
use crate::render::truncate::{IN_SEEN, IN_SHORTENED};
use crate::request::context::{Context, Fit};
use crate::request::cursor::Unit;
use crate::request::policy::{Preview, ReadAs};
use crate::value::structured_text::TextFormat;

/// Frames of the first of many stacks, and of the others: as many as leave room for most stacks.
const FIRST_FRAMES: usize = 8;
const FRAMES: [usize; 4] = [1, 2, 4, 8];

/// The end of a log takes at least 1/n of the budget, because it shows how the program ended; where the policy shows the end of
/// texts, or nothing in it is an error or a warning, half.
const TAIL_PARTS: usize = 4;

/// A text, with what it costs.
pub(crate) struct WholeText<'a> {
    pub text: &'a str,
    pub chars: usize,
    /// The estimated tokens.
    pub weight: usize,
    /// The characters of the text itself, if `text` was made from it.
    pub original: Option<usize>,
    pub short: Option<&'a Shortened>,
}

impl WholeText<'_> {
    /// What `text` is, if it was made from the text itself.
    pub fn made(&self) -> Option<TextFormat> {
        self.short.map(|short| if short.has_bytes { TextFormat::Base64 } else { TextFormat::Terminal })
    }

    /// What cursors into `text` say in place of a pointer.
    pub fn counted_in(&self) -> &'static str {
        match self.made() {
            Some(TextFormat::Base64) => IN_SHORTENED,
            Some(_) => IN_SEEN,
            None => "",
        }
    }

    /// The line of the text itself that a line of `text` is, both counted from 0.
    pub fn line(&self, line: usize) -> usize {
        self.short.map_or(line, |short| short.line(line))
    }

    /// The members up to `note`, and after the counts of lines and characters the facts of the text's kind.
    fn head(&self, format: TextFormat, lines: usize, facts: &Members, ctx: &Context<'_>) -> Members {
        let total = self.original.unwrap_or(self.chars);
        // All of it is reached from its start, as plain text.
        let next = ctx.cursor_to(Unit::Chars, (0, total), total, 0, "");
        let mut out = Members::new();
        out.flag("truncated", true);
        out.text("text", format.name());
        out.text_or_null("nextCursor", next.as_deref());
        ctx.write_stored(next.is_some(), &mut out);
        out.number("totalLines", lines);
        out.number("totalChars", total);
        out.number("estimatedTokens", self.weight);
        out.extend(facts);
        let note = match format {
            TextFormat::Trace => notes::text::trace,
            _ => notes::text::log,
        };
        out.text("note", &note(next.is_some(), Note::new(ctx, ctx.handle(next.is_some()))));
        out
    }
}

/// A log: its errors and warnings, its templates with counts, and its end. `None` if nothing of it has room, or if no line has a
/// level and nobody said that it is a log.
pub(crate) fn log(whole: &WholeText<'_>, ctx: &Context<'_>) -> Result<Option<Fit>, Error> {
    let text = &*terminal::shown(whole.text);
    let lines = lines::of(text);
    let log = log::fold(text, &lines);
    let log::Log { pieces, templates, levels, .. } = &log;
    let has_levels = LogLevel::ALL.iter().zip(levels).any(|((level, _), count)| *level != LogLevel::None && *count > 0);
    if !has_levels && ctx.settings.text == ReadAs::Auto {
        return Ok(None);
    }
    let mut counts = Members::new();
    for ((_, name), count) in LogLevel::ALL.iter().zip(levels).filter(|(_, count)| **count > 0) {
        counts.number(name, *count);
    }
    let mut written = Pieces::new(pieces, ctx.measure, ctx.budget);
    let is_quiet = !pieces.iter().any(Piece::is_grave);
    let mut is_empty = true;
    let fit = ctx.shrink_in_frame(|spend| {
        let parts = if ctx.settings.preview == Preview::Tail || is_quiet { 2 } else { TAIL_PARTS };
        let shown = written.within(spend - spend / parts);
        let taken: usize = shown.iter().map(|&shown| written.tokens(shown)).sum();
        let of = |class: &str| shown.iter().filter(|shown| pieces[shown.piece].class == class).count();
        let mut facts = Members::new();
        facts.object("levels", &counts);
        facts.number("templates", *templates);
        for (name, severity) in [("errors", Severity::Error), ("warnings", Severity::Warning)] {
            facts.object(name, &source_lines::distinct(&log, severity, of(severity.name())));
        }
        let mut out = whole.head(TextFormat::Log, lines.len(), &facts, ctx);
        out.list("lines", &shown.iter().map(|&shown| written.text(shown)).collect::<Vec<_>>());
        let tail = tail(&lines, spend.saturating_sub(taken), ctx);
        if let Some(tail) = &tail {
            out.json("tail", tail);
        }
        is_empty = shown.is_empty() && tail.is_none();
        Ok(out.into_object())
    })?;
    Ok(fit.filter(|_| !is_empty))
}

/// The last lines within this many tokens, as one member.
fn tail(lines: &[&str], tokens: usize, ctx: &Context<'_>) -> Option<String> {
    let mut left = tokens.checked_sub(ctx.measure.count(",\"tail\":{\"line\":100000,\"text\":\"\"}"))?;
    let mut first = lines.len();
    while first > 0 {
        // A line costs no more among others than alone.
        let cost = ctx.measure.count(&source_lines::escaped(lines[first - 1])) + 1;
        if cost > left {
            break;
        }
        left -= cost;
        first -= 1;
    }
    (first < lines.len()).then(|| source_lines::member(&lines[first..], first, 0, None))
}

/// A stack trace: everything that it says, and as many frames at both ends of each run as fit.
pub(crate) fn trace(whole: &WholeText<'_>, ctx: &Context<'_>) -> Result<Option<Fit>, Error> {
    let text = terminal::shown(whole.text);
    let lines = lines::of(&text);
    let roles = trace::roles(&lines);
    let total = roles.iter().filter(|role| **role == Role::Frame).count();
    let mut is_empty = true;
    let fit = ctx.shrink_in_frame(|spend| {
        let ranges = ranges_within(&lines, &roles, spend, ctx);
        let shown = ranges.iter().flat_map(|range| &roles[range.clone()]).filter(|role| **role == Role::Frame).count();
        let mut facts = Members::new();
        facts.object("frames", &source_lines::total("total", total, shown));
        let mut out = whole.head(TextFormat::Trace, lines.len(), &facts, ctx);
        out.list("lines", &members(&lines, &ranges));
        is_empty = ranges.is_empty();
        Ok(out.into_object())
    })?;
    Ok(fit.filter(|_| !is_empty))
}

type Ranges = Vec<std::ops::Range<usize>>;

/// The lines that have room: with the most frames, or, if not even all messages have room, as much of it as has, from
/// both ends and spread over the rest.
fn ranges_within(lines: &[&str], roles: &[Role], tokens: usize, ctx: &Context<'_>) -> Ranges {
    let fits = |ranges: &Ranges| ctx.measure.fits(&members(lines, ranges).join(","), tokens).is_some();
    // As many of these as have room, the first of them first.
    let within = |ordered: Ranges| {
        let (mut kept, mut left): (Ranges, usize) = (Vec::new(), tokens);
        for range in ordered {
            let cost = ctx.measure.count(&(members(lines, &vec![range.clone()]).concat() + ","));
            if cost > left {
                break;
            }
            left -= cost;
            kept.push(range);
        }
        sort_by(&mut kept, |one, other| one.start.cmp(&other.start));
        kept
    };
    let bare = trace::condensed(roles, 0);
    let stacks = trace::stacks(lines, roles);
    if !stacks.is_empty() {
        let tops = |frames: usize| stacks.iter().map(|stack| trace::top(stack, roles, frames)).collect::<Ranges>();
        // Of the first stack more frames are shown than of the others.
        let first = trace::top(&stacks[0], roles, FIRST_FRAMES);
        let order = |frames: usize| iter::once(first.clone()).chain(tops(frames).into_iter().skip(1)).collect();
        return FRAMES.into_iter().map(|frames| within(order(frames))).max_by_key(Vec::len).unwrap_or_default();
    }
    if !fits(&bare) {
        let mut order: Vec<usize> = spread(bare.len()).collect();
        if let Some(last) = order.iter().position(|&at| at > 0 && at + 1 == bare.len()) {
            order[1..=last].rotate_right(1);
        }
        return within(order.into_iter().map(|at| bare[at].clone()).collect());
    }
    // From 0 frames, which fit, to more than there can be.
    let (mut few, mut many) = (0, tokens);
    while many - few > 1 {
        let middle = few + (many - few) / 2;
        if fits(&trace::condensed(roles, middle)) {
            few = middle;
        } else {
            many = middle;
        }
    }
    trace::condensed(roles, few)
}

fn members(lines: &[&str], ranges: &Ranges) -> Vec<String> {
    let member = |at: usize| {
        let range = ranges[at].clone();
        let next = ranges.get(at + 1).map_or(lines.len(), |next| next.start);
        source_lines::member(&lines[range.clone()], range.start, next - range.end, None)
    };
    (0..ranges.len()).map(member).collect()
}
