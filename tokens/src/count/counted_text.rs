//! Text that is counted once and can be inserted anywhere.
//!
//! A [`Counter`](super::Counter) to which a part is pushed has the exact total of the whole text, but counts only the
//! text before the first cut and after the last cut of the part.

use crate::Encoding;
use crate::count::measure::Measure;
use crate::split::cuts::{last_cut, next_cut};

/// A text, already counted between its first and its last cut.
///
/// ```
/// use toolshape_tokens::{Counter, Encoding, CountedText};
/// let encoding = Encoding::O200kBase;
/// let row = CountedText::within("{\"name\":\"token\"}".into(), 100, encoding).expect("a short row");
/// let mut counter = Counter::new(encoding);
/// for before in ["[", ",", ","] {
///     counter.push(before);
///     counter.push_part(&row);
/// }
/// let text = format!("[{0},{0},{0}", row.text());
/// assert_eq!(counter.total(), toolshape_tokens::count_tokens(&text, encoding));
/// ```
#[derive(Clone, Debug)]
pub struct CountedText {
    pub(crate) text: String,
    /// The first cut and the last, and the units between them; `None` if there is no cut.
    pub(crate) inside: Option<(usize, usize, usize)>,
}

impl CountedText {
    /// The text as a part, if it alone is at most `limit` tokens; stops soon after the limit.
    pub fn within(text: String, limit: usize, encoding: Encoding) -> Option<Self> {
        let measure = Measure::of(encoding);
        let mut room = measure.units(limit);
        let mut take = |part: &str| -> Option<usize> {
            let units = measure.within(part, room)?;
            room -= units;
            Some(units)
        };
        let in_words = measure.cuts_words();
        let Some(first) = next_cut(&text, 0, in_words) else {
            take(&text)?;
            return Some(Self { text, inside: None });
        };
        let last = last_cut(&text, first, text.len(), in_words).unwrap_or(first);
        take(&text[..first])?;
        let between = take(&text[first..last])?;
        take(&text[last..])?;
        Some(Self { text, inside: Some((first, last, between)) })
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.text
    }
}
