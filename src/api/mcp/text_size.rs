//! The size of a text in all the units that hosts limit.

use crate::value::token_count::Measure;

/// The size of one text, or of several together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextSize {
    pub tokens: usize,
    pub bytes: usize,
    /// Unicode scalar values.
    pub chars: usize,
    pub lines: usize,
}

impl TextSize {
    pub fn of(text: &str, measure: Measure) -> Self {
        Self::counted(text, measure.count(text))
    }

    /// The size of a text whose tokens are known.
    pub fn counted(text: &str, tokens: usize) -> Self {
        let lines = 1 + memchr::memchr_iter(b'\n', text.as_bytes()).count();
        Self { tokens, bytes: text.len(), chars: text.chars().count(), lines }
    }

    pub fn and(self, other: Self) -> Self {
        Self {
            tokens: self.tokens + other.tokens,
            bytes: self.bytes + other.bytes,
            chars: self.chars + other.chars,
            lines: self.lines + other.lines,
        }
    }

    /// The limit or the size in each unit, with the unit's name.
    pub fn units(self) -> [(usize, &'static str); 4] {
        [(self.tokens, "tokens"), (self.bytes, "bytes"), (self.chars, "characters"), (self.lines, "lines")]
    }

    /// The larger of both in each unit.
    pub fn max(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.max(other.tokens),
            bytes: self.bytes.max(other.bytes),
            chars: self.chars.max(other.chars),
            lines: self.lines.max(other.lines),
        }
    }
}
