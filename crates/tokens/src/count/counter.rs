//! The count of a text that is still being written.

use crate::Encoding;
use crate::count::counted_text::CountedText;
use crate::count::measure::MeasureMode;
use crate::count::tokenizer::Tokenizer;
use crate::split::class::{self, OTHER};
use crate::split::cuts::last_cut;

/// Counts a text that arrives in parts. The total is that of the joined text, which usually differs from the sum of the
/// parts' counts.
///
/// A clone keeps the total so far, so text can be pushed to it and discarded.
///
/// ```
/// use toolshape_tokens::{Counter, Encoding, count_tokens};
/// let mut counter = Counter::new(Encoding::O200kBase);
/// for part in ["{\"na", "me\":\"to", "ken\"}"] {
///     counter.push(part);
/// }
/// assert_eq!(counter.total(), count_tokens("{\"name\":\"token\"}", Encoding::O200kBase));
/// ```
#[derive(Clone, Debug)]
pub struct Counter {
    measure: MeasureMode,
    /// The units of all text before the tail.
    settled: usize,
    /// The text after the last place where it can be cut.
    tail: String,
    /// Where in the tail the search for a cut continues.
    searched: usize,
    symbols: Symbols,
}

/// A tail that is one piece of symbols, such as `[],[],[],`: it may grow without limit and without a cut, so its tokens
/// are kept and only the last ones are computed again.
#[derive(Clone, Debug, Default)]
struct Symbols {
    /// How much of the tail is known to be symbols, with one space before them.
    checked: usize,
    broken: bool,
    tokens: Vec<u32>,
    /// Where each token ends.
    ends: Vec<usize>,
}

/// Tails up to this many bytes are simply counted.
const SHORT_TAIL: usize = 256;

impl Counter {
    /// A counter of no text.
    pub fn new(encoding: Encoding) -> Self {
        Self {
            measure: MeasureMode::of(encoding),
            settled: 0,
            tail: String::new(),
            searched: 0,
            symbols: Symbols::default(),
        }
    }

    /// Appends `text`.
    pub fn push(&mut self, text: &str) {
        self.tail.push_str(text);
        let Some((last, _)) = self.tail.char_indices().next_back() else {
            return;
        };
        if let Some(cut) = last_cut(&self.tail, self.searched, self.tail.len(), self.measure.cuts_words()) {
            self.settled = self.settled.saturating_add(self.measure.all(&self.tail[..cut]));
            self.tail.drain(..cut);
            self.searched = last - cut;
            self.symbols = Symbols::default();
        } else {
            self.searched = last;
        }
    }

    /// Appends a part.
    pub fn push_part(&mut self, part: &CountedText) {
        let Some((first, last, between)) = part.inside else { return self.push(&part.text) };
        self.tail.push_str(&part.text[..first]);
        self.settled = self.settled.saturating_add(self.measure.all(&self.tail)).saturating_add(between);
        self.tail.clear();
        self.tail.push_str(&part.text[last..]);
        self.searched = 0;
        self.symbols = Symbols::default();
    }

    /// How many tokens the pushed text has.
    pub fn total(&mut self) -> usize {
        let tail = match self.measure {
            MeasureMode::Exact(tokenizer) if self.tail.len() > SHORT_TAIL && self.symbols.check(&self.tail) => {
                self.symbols.count(tokenizer, &self.tail)
            }
            measure => measure.all(&self.tail),
        };
        self.measure.tokens(self.settled.saturating_add(tail))
    }

    /// Whether the text certainly has more than `limit` tokens, whatever is pushed later.
    pub fn is_over(&self, limit: usize) -> bool {
        self.settled > self.measure.units(limit)
    }

    /// Whether the pushed text is at most `limit` tokens.
    pub fn fits(&mut self, limit: usize) -> bool {
        // Each token has at least one byte, so short tails need not be counted.
        self.measure.units(limit).checked_sub(self.settled).is_some_and(|room| {
            (self.tail.len() <= room && !matches!(self.measure, MeasureMode::Estimate)) || self.total() <= limit
        })
    }
}

impl Symbols {
    /// Whether all of `tail` is symbols, with at most one space before them.
    fn check(&mut self, tail: &str) -> bool {
        let bytes = tail.as_bytes();
        while !self.broken && self.checked < bytes.len() {
            let (class, len) = class::at(bytes, self.checked);
            self.broken = class != OTHER && !(self.checked == 0 && bytes[0] == b' ');
            self.checked += len;
        }
        !self.broken
    }

    /// How many tokens the piece `tail` has. A shorter form of it may have been counted before.
    fn count(&mut self, tokenizer: &Tokenizer, tail: &str) -> usize {
        let mut again = 16;
        loop {
            // Tokens from a boundary on are those of the whole text if merging keeps the two tokens at the boundary
            // apart.
            let mut kept = self.tokens.len().saturating_sub(again);
            while kept > 0 && !tail.is_char_boundary(self.ends[kept - 1]) {
                kept -= 1;
            }
            let start = if kept == 0 { 0 } else { self.ends[kept - 1] };
            let fresh = tokenizer.merge_piece(&tail[start..]);
            if kept == 0 || tokenizer.stays_apart(self.tokens[kept - 1], fresh[0].0) {
                self.tokens.truncate(kept);
                self.ends.truncate(kept);
                for (token, len) in fresh {
                    self.tokens.push(token);
                    self.ends.push(self.ends.last().unwrap_or(&0) + len);
                }
                return self.tokens.len();
            }
            again *= 2;
        }
    }
}
