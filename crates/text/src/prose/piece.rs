//! A piece of the source that a summary may show, and an even order for many of them.

use std::ops::Range;

use super::severity::Severity;

/// Whole lines of the source.
#[derive(Clone)]
pub struct Piece<'a> {
    /// The first line, counted from 0.
    pub line: usize,
    pub text: &'a str,
    /// How many pieces of the source are the same except for their time, itself included.
    pub count: usize,
    /// How many are the same except for numbers and names; set on the first of them.
    pub alike: usize,
    /// The first line of the last one.
    pub last_line: usize,
    /// Its class for the totals; empty if it is not counted.
    pub class: &'static str,
}

impl<'a> Piece<'a> {
    /// The text of some lines, without the final line break.
    pub fn of_lines(text: &'a str, lines: &[&'a str], range: Range<usize>) -> &'a str {
        let offset = |line: &str| line.as_ptr() as usize - text.as_ptr() as usize;
        let last = lines[range.end - 1];
        &text[offset(lines[range.start])..offset(last) + last.len()]
    }

    /// Whether a part of it is worth showing.
    pub fn is_grave(&self) -> bool {
        [Severity::Error.name(), Severity::Warning.name()].contains(&self.class)
    }

    /// A piece that represents only itself.
    pub fn once(line: usize, text: &'a str, class: &'static str) -> Self {
        Self { line, text, count: 1, alike: 1, last_line: line, class }
    }
}

/// All numbers below `len`, in an order whose first few, however many, are spread over the whole range.
///
/// It is the van der Corput sequence in base 2.
pub fn spread(len: usize) -> impl Iterator<Item = usize> {
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
