//! A stretch of a string that fits so many tokens and is cut without harm.

use crate::error::Error;
use crate::literal;
use crate::measure::Measure;
use crate::source::Source;
use crate::tokens::{Side, truncate_to_tokens};

/// More characters than tokens of ordinary text spell on average.
const CHARS_PER_TOKEN: usize = 64;
/// Characters beyond a stretch that are looked at to see whether its end is a safe cut.
const MARGIN_CHARS: usize = 256;
/// Whole lines are kept where that costs at most one part in so many.
const LINE_COST: usize = 5;

/// A part of a string: the inside of its JSON literal, and the characters it spans.
pub(crate) struct Excerpt {
    pub literal: String,
    pub from: usize,
    pub to: usize,
}

/// As much of the string between two characters as `tokens` hold, from its start.
///
/// Where `advance` is set, something that must not be cut and is larger than all the room is cut at a
/// character all the same, because otherwise nobody would get beyond it.
pub(crate) fn start<S: Source>(
    value: &S,
    (from, to): (usize, usize),
    tokens: usize,
    advance: bool,
    measure: Measure,
) -> Result<Excerpt, Error> {
    let chars = (to - from).min(tokens.saturating_mul(CHARS_PER_TOKEN));
    let seen = value.slice(from, chars.saturating_add(MARGIN_CHARS))?;
    let wanted = literal::slice(&seen, 0, chars);
    let mut end = truncate_to_tokens(wanted, tokens, measure.encoding, Side::Head).len();
    let is_all = end == wanted.len() && from + chars == to;
    if !is_all {
        let safe = literal::floor(&seen, end);
        end = if safe == 0 && advance { some_start(wanted, tokens, measure) } else { safe };
        if let Some(line) = line_ends(&seen[..end]).last()
            && end - line <= end / LINE_COST
        {
            end = line;
        }
    }
    let shown = literal::chars(&seen[..end]);
    Ok(Excerpt { literal: seen[..end].to_owned(), from, to: from + shown })
}

/// As much of the string between two characters as `tokens` hold, up to its end.
pub(crate) fn end<S: Source>(
    value: &S,
    (from, to): (usize, usize),
    tokens: usize,
    measure: Measure,
) -> Result<Excerpt, Error> {
    let chars = (to - from).min(tokens.saturating_mul(CHARS_PER_TOKEN));
    let before = (to - chars).min(MARGIN_CHARS);
    let seen = value.slice(to - chars - before, chars + before)?;
    let margin = literal::slice(&seen, 0, before).len();
    let kept = truncate_to_tokens(&seen[margin..], tokens, measure.encoding, Side::Tail).len();
    let mut start = seen.len() - kept;
    let is_all = start == margin && to - chars == from;
    if !is_all {
        start = literal::ceil(&seen, start);
        if let Some(line) = line_ends(&seen[start..]).next().map(|line| start + line)
            && line - start <= (seen.len() - start) / LINE_COST
            && line < seen.len()
        {
            start = line;
        }
    }
    let shown = literal::chars(&seen[start..]);
    Ok(Excerpt { literal: seen[start..].to_owned(), from: to - shown, to })
}

/// The end of a start of the literal that fits, cut between any two characters.
fn some_start(literal: &str, tokens: usize, measure: Measure) -> usize {
    let mut end = literal.len();
    loop {
        end = literal::floor_char(literal, end);
        if measure.fits(&literal[..end], tokens).is_some() {
            return end;
        }
        end /= 2;
    }
}

/// The places after each line break of a literal.
fn line_ends(literal: &str) -> impl Iterator<Item = usize> + '_ {
    let is_break = |&at: &usize| {
        // An even run of backslashes before it, or this is an escaped backslash and a letter n.
        literal[..at].bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 0
    };
    literal.match_indices("\\n").map(|(at, _)| at).filter(is_break).map(|at| at + 2)
}
