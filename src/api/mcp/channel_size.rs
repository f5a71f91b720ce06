//! How heavy a text is, in all the units in which somebody limits it.

use crate::value::token_count::Measure;

/// The weight of a text, or of several together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChannelSize {
    pub tokens: usize,
    pub bytes: usize,
    /// Unicode scalar values.
    pub chars: usize,
}

impl ChannelSize {
    pub fn of(text: &str, measure: Measure) -> Self {
        Self { tokens: measure.count(text), bytes: text.len(), chars: text.chars().count() }
    }

    pub fn and(self, other: Self) -> Self {
        Self { tokens: self.tokens + other.tokens, bytes: self.bytes + other.bytes, chars: self.chars + other.chars }
    }

    /// In each unit the heavier of both.
    pub fn max(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.max(other.tokens),
            bytes: self.bytes.max(other.bytes),
            chars: self.chars.max(other.chars),
        }
    }
}
