//! Counts the tokens of texts and values in one encoding.

use crate::base::error::Error;
use crate::base::tokens::{self, CountedText, Counter, Encoding};
use crate::value::source::{Kind, Source};

/// No token is longer, so a text with more bytes per token is over the limit for certain.
pub(crate) const MAX_TOKEN_BYTES: usize = 128;
/// Few texts have more bytes, or characters, per token: a longer value is rarely within the limit, so it is counted piece by
/// piece, or not at all.
pub(crate) const LIKELY_BYTES: usize = 8;
/// Ordinary text has fewer bytes, or characters, per token: no more of it is read or tried.
pub(crate) const UNLIKELY_BYTES: usize = 64;
/// Items of an array that are read and counted at a time.
const PIECE_ITEMS: usize = 16;

/// Counts in one encoding.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    pub encoding: Encoding,
}

impl Measure {
    /// The tokens of a text, exactly.
    pub fn count(self, text: &str) -> usize {
        tokens::count_tokens(text, self.encoding)
    }

    /// The tokens of a text if they are at most `limit`; stops soon after it.
    pub fn fits(self, text: &str, limit: usize) -> Option<usize> {
        tokens::fits_tokens(text, limit, self.encoding)
    }

    /// Whether a value certainly has more than `limit` tokens, by a lower bound of its length.
    pub fn is_over<S: Source>(self, value: &S, limit: usize) -> bool {
        let most = limit.saturating_add(1).saturating_mul(MAX_TOKEN_BYTES);
        value.min_bytes(most) > most
    }

    /// The JSON text of a value and its tokens, if they are at most `limit`; reads little more than that.
    pub fn json_within<S: Source>(self, value: &S, limit: usize) -> Result<Option<(String, usize)>, Error> {
        if let Some(json) = value.json_up_to(limit.saturating_mul(LIKELY_BYTES))? {
            return Ok(self.fits(&json, limit).map(|tokens| (json.into_owned(), tokens)));
        }
        self.piecewise_within(value, limit)
    }

    /// The same, as a part of a longer text.
    pub fn part_within<S: Source>(self, value: &S, limit: usize) -> Result<Option<CountedText>, Error> {
        let json = match value.json_up_to(limit.saturating_mul(LIKELY_BYTES))? {
            Some(json) => Some(json.into_owned()),
            None => self.piecewise_within(value, limit)?.map(|(json, _)| json),
        };
        Ok(json.and_then(|json| CountedText::within(json, limit, self.encoding)))
    }

    /// The same as [`json_within`](Self::json_within), of a value that is likely too long to be written at once.
    fn piecewise_within<S: Source>(self, value: &S, limit: usize) -> Result<Option<(String, usize)>, Error> {
        let mut piecewise = Piecewise { measure: self, text: String::new(), counter: self.counter(), limit };
        let is_written = piecewise.write(value, 8)? && piecewise.counter.fits(limit);
        Ok(is_written.then(|| (piecewise.text, piecewise.counter.total())))
    }

    /// A counter for a text that is written piece by piece.
    pub fn counter(self) -> Counter {
        Counter::new(self.encoding)
    }

    /// A text as a part of a longer one.
    pub fn part(self, text: String) -> CountedText {
        CountedText::within(text, usize::MAX, self.encoding).expect("no text has more tokens")
    }
}

/// Writes and counts the JSON text of a value piece by piece, until it exceeds the limit.
struct Piecewise {
    measure: Measure,
    text: String,
    counter: Counter,
    limit: usize,
}

impl Piecewise {
    /// Writes a value and opens its containers down to this many levels; false once it exceeds the limit.
    fn write<S: Source>(&mut self, value: &S, levels: usize) -> Result<bool, Error> {
        // A value of fewer bytes is one piece.
        let piece = self.limit.saturating_mul(4).clamp(1 << 11, 1 << 13);
        if let Some(json) = value.json_up_to(piece)? {
            return Ok(self.push(&json));
        }
        if !value.kind().is_container() || levels == 0 {
            return Ok(!self.measure.is_over(value, self.limit) && self.push(&value.json()?));
        }
        let mut before = "[";
        if value.kind() == Kind::Object {
            before = "{";
            // An entry has five bytes or more, so more than this many cannot be within the limit and are not kept.
            let most = self.limit.saturating_mul(MAX_TOKEN_BYTES / 5 + 1);
            let entries = value.entries_where(&mut |at, _| at <= most)?;
            if entries.len() > most {
                return Ok(false);
            }
            for (key, value) in entries {
                if !(self.push(before) && self.push(&key) && self.push(":") && self.write(&value, levels - 1)?) {
                    return Ok(false);
                }
                before = ",";
            }
            return Ok(self.push("}"));
        }
        for start in (0..value.len()).step_by(PIECE_ITEMS) {
            for item in value.items(start, PIECE_ITEMS)? {
                if !(self.push(before) && self.write(&item, levels - 1)?) {
                    return Ok(false);
                }
                before = ",";
            }
        }
        Ok(self.push("]"))
    }

    fn push(&mut self, text: &str) -> bool {
        self.text.push_str(text);
        self.counter.push(text);
        !self.counter.is_over(self.limit)
    }
}
