//! A stretch of the source that a summary may show, and the order in which many of them are taken.

use std::ops::Range;

use super::severity::Severity;

/// Whole lines of the source, or the beginning of one.
pub(super) struct Piece<'a> {
    /// The first line, counted from 0.
    pub line: usize,
    pub text: &'a str,
    /// How many stretches of the source say just this, but for their time, itself among them.
    pub count: usize,
    /// How many are alike also but for other numbers and names; told where it is the first of them.
    pub alike: usize,
    /// The first line of the last of them.
    pub last_line: usize,
    /// What it is, for the totals; empty for what is not counted.
    pub class: &'static str,
}

impl<'a> Piece<'a> {
    /// The text of some lines, without the break at its end.
    pub fn of_lines(text: &'a str, lines: &[&'a str], range: Range<usize>) -> &'a str {
        let offset = |line: &str| line.as_ptr() as usize - text.as_ptr() as usize;
        let last = lines[range.end - 1];
        &text[offset(lines[range.start])..offset(last) + last.len()]
    }

    /// Whether some of it is better than none.
    pub fn is_grave(&self) -> bool {
        [Severity::Error, Severity::Warning].iter().any(|severity| severity.name() == self.class)
    }

    /// A piece that stands for itself alone.
    pub fn once(line: usize, text: &'a str, class: &'static str) -> Self {
        Self { line, text, count: 1, alike: 1, last_line: line, class }
    }
}

/// All numbers below `len`, so that the first few of them, however many, are spread over the whole.
///
/// They are those of the van der Corput sequence in base 2.
pub(super) fn spread(len: usize) -> impl Iterator<Item = usize> {
    let bits = usize::BITS - len.saturating_sub(1).leading_zeros();
    (0..1usize << bits)
        .map(move |n| if bits == 0 { 0 } else { n.reverse_bits() >> (usize::BITS - bits) })
        .filter(move |&n| n < len)
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn spreads_over_the_whole() {
        assert_eq!(spread(5).collect::<Vec<_>>(), [0, 4, 2, 1, 3]);
        assert_eq!(spread(1).collect::<Vec<_>>(), [0]);
        assert_eq!(spread(0).count(), 0);
        let mut all: Vec<usize> = spread(1000).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..1000));
    }
}
