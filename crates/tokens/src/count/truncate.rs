//! The start or the end of a text that is within a number of tokens.

use crate::Encoding;
use crate::clusters::{boundary_after, boundary_before, is_boundary};
use crate::count::measure::MeasureMode;
use crate::split::cuts::{ceil_char, floor_char, last_cut, next_cut};

/// Which part of a text is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The start.
    Head,
    /// The end.
    Tail,
}

impl Side {
    /// The sides by the names that callers give them.
    pub const NAMES: [(&'static str, Self); 2] = [("head", Self::Head), ("tail", Self::Tail)];

    /// The part of `text` from this side that can matter for `limit` tokens.
    fn of(self, text: &str, limit: usize, encoding: Encoding) -> &str {
        let reach = truncation_reach(limit, encoding).min(text.len());
        match self {
            Self::Head => &text[..floor_char(text, reach)],
            Self::Tail => &text[ceil_char(text, text.len() - reach)..],
        }
    }
}

/// Bytes beyond the longest possible tokens that are read to find the end of a grapheme cluster.
const CONTEXT: usize = 256;

/// How many bytes from one side of a text [`truncate_to_tokens`] reads at most.
///
/// ```
/// use toolshape_tokens::{Encoding, truncation_reach};
/// assert!(truncation_reach(2000, Encoding::O200kBase) < 300_000);
/// ```
pub fn truncation_reach(limit: usize, encoding: Encoding) -> usize {
    encoding.most_bytes(limit).saturating_add(CONTEXT)
}

/// Bytes of the kept text that are counted at once; fewer near its end.
const BLOCK: usize = 1024;
const LEAST_BLOCK: usize = 64;
/// Ranges without a cut up to this many bytes are searched completely.
const SEARCHED: usize = 512;
/// In longer ranges, the search starts this many bytes beyond the place that the range's tokens indicate.
const BEYOND: usize = 64;

/// The longest start or end of `text` that is at most `limit` tokens and does not split a grapheme cluster.
///
/// Counts are not monotonic, so every possible end is tried. In a range of more than 512 bytes without any break, only
/// ends near the place where its tokens reach the limit are tried.
///
/// ```
/// use toolshape_tokens::{Encoding, Side, truncate_to_tokens};
/// assert_eq!(truncate_to_tokens("one two three", 2, Encoding::O200kBase, Side::Head), "one two");
/// assert_eq!(truncate_to_tokens("one two three", 2, Encoding::O200kBase, Side::Tail), " two three");
/// ```
pub fn truncate_to_tokens(text: &str, limit: usize, encoding: Encoding, side: Side) -> &str {
    let measure = MeasureMode::of(encoding);
    let text = side.of(text, limit, encoding);
    let limit = measure.units(limit);
    match side {
        Side::Head => head(text, limit, measure),
        Side::Tail => tail(text, limit, measure),
    }
}

fn head(text: &str, limit: usize, measure: MeasureMode) -> &str {
    let (mut start, mut room, mut block) = (0, limit, BLOCK);
    while block >= LEAST_BLOCK {
        let to = floor_char(text, text.len().min(start + block));
        let within = last_cut(text, start, to, measure.cuts_words())
            .filter(|&cut| cut > start)
            .and_then(|cut| Some((cut, measure.within(&text[start..cut], room)?)));
        match within {
            Some((cut, units)) => (start, room) = (cut, room - units),
            None => block /= 2,
        }
    }
    let end = loop {
        let end = next_cut(text, start, measure.cuts_words()).unwrap_or(text.len());
        match measure.within(&text[start..end], room) {
            Some(units) => room -= units,
            None => break end,
        }
        start = end;
        if start == text.len() {
            return text;
        }
    };
    let fits = |at: usize| {
        // A cut of the shorter text is one of the whole, but not the other way round.
        let cut = last_cut(&text[..at], 0, at, measure.cuts_words()).unwrap_or(0).min(start);
        let between = measure.all(&text[cut..start]);
        measure.within(&text[cut..at], room.saturating_add(between)).is_some()
    };
    let mut at = end;
    if end - start > SEARCHED {
        at = floor_char(text, end.min(start + measure.reach(&text[start..end], room, Side::Head) + BEYOND));
    }
    while !(is_boundary(text, at) && fits(at)) {
        at = boundary_before(text, at);
    }
    &text[..at]
}

fn tail(text: &str, limit: usize, measure: MeasureMode) -> &str {
    let (mut end, mut room, mut block) = (text.len(), limit, BLOCK);
    while block >= LEAST_BLOCK {
        let from = ceil_char(text, end.saturating_sub(block));
        let within = next_cut(text, from, measure.cuts_words())
            .filter(|&cut| cut < end)
            .and_then(|cut| Some((cut, measure.within(&text[cut..end], room)?)));
        match within {
            Some((cut, units)) => (end, room) = (cut, room - units),
            None => block /= 2,
        }
    }
    let start = loop {
        let start = last_cut(text, 0, end, measure.cuts_words()).unwrap_or(0);
        match measure.within(&text[start..end], room) {
            Some(units) => room -= units,
            None => break start,
        }
        end = start;
        if end == 0 {
            return text;
        }
    };
    let fits = |at: usize| match at < end {
        true => measure.within(&text[at..end], room).is_some(),
        false => measure.within(&text[at..], limit).is_some(),
    };
    let mut at = start;
    if end - start > SEARCHED {
        let reach = measure.reach(&text[start..end], room, Side::Tail) + BEYOND;
        at = floor_char(text, start.max(end.saturating_sub(reach)));
    }
    while !(is_boundary(text, at) && fits(at)) {
        at = boundary_after(text, at);
    }
    &text[at..]
}

impl MeasureMode {
    /// About how many bytes of a range without cuts `room` units cover from one side.
    fn reach(self, text: &str, room: usize, side: Side) -> usize {
        let Self::Exact(tokenizer) = self else {
            // Estimates and bytes grow with the text: halving finds the place.
            let (mut within, mut beyond) = (0, text.len());
            while within + 1 < beyond {
                let middle = within + (beyond - within) / 2;
                let part = match side {
                    Side::Head => &text[..floor_char(text, middle)],
                    Side::Tail => &text[ceil_char(text, text.len() - middle)..],
                };
                *(if self.within(part, room).is_some() { &mut within } else { &mut beyond }) = middle;
            }
            return within;
        };
        tokenizer.reach(text, room, side == Side::Tail)
    }
}
