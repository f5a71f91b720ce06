//! Excerpts: the start or the end of a string within this many tokens, cut where it is safe.

use crate::base::error::Error;
use crate::base::json_string;
use crate::base::text_cuts::MARGIN;
use crate::base::tokens::{Side, truncate_to_tokens};
use crate::value::source::Source;
use crate::value::token_count::{LIKELY_BYTES, Measure, UNLIKELY_BYTES};

/// Characters that are read per token: as many as ordinary text has, and more only if all of those fit.
const CHARS_PER_TOKEN: [usize; 2] = [LIKELY_BYTES, UNLIKELY_BYTES];
/// An excerpt is cut at a line break if that costs at most 1/n of it.
const LINE_COST: usize = 5;

/// A part of a string: its literal, and its first and last characters.
pub(crate) struct Excerpt {
    pub literal: String,
    pub from: usize,
    pub to: usize,
}

/// The start of the string between two characters, as long as `tokens` allow.
///
/// With `advance`, a cluster or number that is larger than the room is cut at a character, because otherwise a reader
/// could not get beyond it.
pub(crate) fn start<S: Source>(
    value: &S,
    (from, to): (usize, usize),
    tokens: usize,
    advance: bool,
    measure: Measure,
) -> Result<Excerpt, Error> {
    let length = to - from;
    let look = |per_token: usize| -> Result<(String, usize, usize), Error> {
        let chars = length.min(tokens.saturating_mul(per_token));
        let seen = value.slice(from, chars.saturating_add(MARGIN))?;
        let wanted = json_string::slice(&seen, 0, chars);
        let (wanted, end) = (wanted.len(), truncate_to_tokens(wanted, tokens, measure.encoding, Side::Head).len());
        Ok((seen, wanted, end))
    };
    let [few, many] = CHARS_PER_TOKEN;
    let (mut seen, mut wanted, mut end) = look(few)?;
    if end == wanted && tokens.saturating_mul(few) < length {
        (seen, wanted, end) = look(many)?;
    }
    let is_all = end == wanted && length <= tokens.saturating_mul(many);
    if !is_all {
        let safe = json_string::floor(&seen, end);
        end = if safe == 0 && advance { some_start(&seen[..wanted], tokens, measure) } else { safe };
        if let Some(line) = line_ends(&seen[..end]).last()
            && end - line <= end / LINE_COST
        {
            end = line;
        }
    }
    let shown = json_string::chars(&seen[..end]);
    Ok(Excerpt { literal: seen[..end].to_owned(), from, to: from + shown })
}

/// The end of the string between two characters, as long as `tokens` allow.
pub(crate) fn end<S: Source>(
    value: &S,
    (from, to): (usize, usize),
    tokens: usize,
    measure: Measure,
) -> Result<Excerpt, Error> {
    if tokens == 0 {
        return Ok(Excerpt { literal: String::new(), from: to, to });
    }
    let length = to - from;
    let look = |per_token: usize| -> Result<(String, usize, usize), Error> {
        let chars = length.min(tokens.saturating_mul(per_token));
        let before = (to - chars).min(MARGIN);
        let seen = value.slice(to - chars - before, chars + before)?;
        let margin = json_string::slice(&seen, 0, before).len();
        let kept = truncate_to_tokens(&seen[margin..], tokens, measure.encoding, Side::Tail).len();
        let start = seen.len() - kept;
        Ok((seen, margin, start))
    };
    let [few, many] = CHARS_PER_TOKEN;
    let (mut seen, mut margin, mut start) = look(few)?;
    if start == margin && tokens.saturating_mul(few) < length {
        (seen, margin, start) = look(many)?;
    }
    let is_all = start == margin && length <= tokens.saturating_mul(many);
    if !is_all {
        start = json_string::ceil(&seen, start);
        if let Some(line) = line_ends(&seen[start..]).next().map(|line| start + line)
            && line - start <= (seen.len() - start) / LINE_COST
            && line < seen.len()
        {
            start = line;
        }
    }
    let shown = json_string::chars(&seen[start..]);
    Ok(Excerpt { literal: seen[start..].to_owned(), from: to - shown, to })
}

/// The end of a start of the literal that fits, cut at any character.
fn some_start(literal: &str, tokens: usize, measure: Measure) -> usize {
    let mut end = literal.len();
    loop {
        end = json_string::floor_char(literal, end);
        if measure.fits(&literal[..end], tokens).is_some() {
            return end;
        }
        end /= 2;
    }
}

/// The places after each line break of a literal.
pub(crate) fn line_ends(literal: &str) -> impl Iterator<Item = usize> + '_ {
    let is_break = |&at: &usize| {
        // After an odd number of backslashes it is an escaped backslash and a letter n.
        literal[..at].bytes().rev().take_while(|&b| b == b'\\').count() % 2 == 0
    };
    literal.match_indices("\\n").map(|(at, _)| at).filter(is_break).map(|at| at + 2)
}
