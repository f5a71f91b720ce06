//! The size of a text in an encoding, in units that add up over cuts.

use crate::Encoding;
use crate::count::estimate;
use crate::count::tokenizer::Tokenizer;

/// How text is measured: a token is one unit where counts are exact, several where they are estimated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MeasureMode {
    Exact(&'static Tokenizer),
    Estimate,
    /// No vocabulary: the bytes, which the tokens never outnumber.
    Bytes,
}

impl MeasureMode {
    /// How text is measured in `encoding`.
    pub(crate) fn of(encoding: Encoding) -> Self {
        match encoding.tokenizer() {
            Some(tokenizer) => Self::Exact(tokenizer),
            None if encoding == Encoding::Estimate => Self::Estimate,
            None => Self::Bytes,
        }
    }

    /// Whether units add up over cuts between letters and digits.
    pub(crate) fn cuts_words(self) -> bool {
        !matches!(self, Self::Estimate)
    }

    /// The units of `tokens` tokens.
    pub(crate) fn units(self, tokens: usize) -> usize {
        match self {
            Self::Estimate => tokens.saturating_mul(estimate::UNITS),
            Self::Exact(_) | Self::Bytes => tokens,
        }
    }

    /// The tokens of `units` units, rounded up.
    pub(crate) fn tokens(self, units: usize) -> usize {
        match self {
            Self::Estimate => units.div_ceil(estimate::UNITS),
            Self::Exact(_) | Self::Bytes => units,
        }
    }

    /// The units of `text` if they are at most `limit`, else `None`.
    pub(crate) fn within(self, text: &str, limit: usize) -> Option<usize> {
        match self {
            Self::Exact(tokenizer) => tokenizer.count_within(text, limit),
            Self::Estimate => estimate::units_within(text, limit),
            Self::Bytes => Some(text.len()).filter(|&units| units <= limit),
        }
    }

    /// The units of `text`.
    pub(crate) fn all(self, text: &str) -> usize {
        self.within(text, usize::MAX).unwrap_or(usize::MAX)
    }
}
