//! Text that is counted once and can be inserted anywhere.
//!
//! A [`Counter`](super::Counter) to which a part is pushed has the exact total of the whole text, but counts only the
//! text before the first cut and after the last cut of the part.

use crate::Encoding;
use crate::count::measure::MeasureMode;
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
    /// The units of the whole text.
    units: usize,
    measure: MeasureMode,
}

impl CountedText {
    /// The text as a part, if it alone is at most `limit` tokens; stops soon after the limit.
    pub fn within(text: String, limit: usize, encoding: Encoding) -> Option<Self> {
        let measure = MeasureMode::of(encoding);
        let mut room = measure.units(limit);
        let mut take = |part: &str| -> Option<usize> {
            let units = measure.within(part, room)?;
            room -= units;
            Some(units)
        };
        let in_words = measure.cuts_words();
        let Some(first) = next_cut(&text, 0, in_words) else {
            let units = take(&text)?;
            return Some(Self { text, inside: None, units, measure });
        };
        let last = last_cut(&text, first, text.len(), in_words).unwrap_or(first);
        let before = take(&text[..first])?;
        let between = take(&text[first..last])?;
        let after = take(&text[last..])?;
        let units = before.saturating_add(between).saturating_add(after);
        Some(Self { text, inside: Some((first, last, between)), units, measure })
    }

    /// The same text after another one; what is counted between the cuts is not counted again.
    ///
    /// ```
    /// use toolshape_tokens::{CountedText, Encoding, count_tokens};
    /// let encoding = Encoding::O200kBase;
    /// let value = CountedText::within("{\"name\":\"token\"}".into(), 100, encoding).expect("a short value");
    /// let entry = value.after("\"key\":");
    /// assert_eq!(entry.text(), "\"key\":{\"name\":\"token\"}");
    /// assert_eq!(entry.tokens(), count_tokens(entry.text(), encoding));
    /// ```
    #[must_use]
    pub fn after(self, before: &str) -> Self {
        let Self { text, inside, measure, .. } = self;
        let text = format!("{before}{text}");
        let Some((first, last, between)) = inside else {
            return Self { units: measure.all(&text), text, inside, measure };
        };
        let (first, last) = (first + before.len(), last + before.len());
        let units = measure.all(&text[..first]).saturating_add(between).saturating_add(measure.all(&text[last..]));
        Self { text, inside: Some((first, last, between)), units, measure }
    }

    /// How many tokens the text has.
    pub fn tokens(&self) -> usize {
        self.measure.tokens(self.units)
    }

    /// The text itself.
    pub fn text(&self) -> &str {
        &self.text
    }
}
