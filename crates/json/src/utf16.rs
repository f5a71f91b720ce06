//! Characters among UTF-16 units, of which some are pairs (The Unicode Standard, section 3.9).

use std::iter::zip;

use wide::u16x8;

/// Whether two units are one character.
pub fn is_pair(high: u16, low: u16) -> bool {
    high & 0xfc00 == 0xd800 && low & 0xfc00 == 0xdc00
}

/// How many pairs end in these units, at most 8 times 65,535; `last` is the unit before the first.
pub fn pairs(last: u16, units: &[u16]) -> usize {
    let Some(&first) = units.first() else { return 0 };
    let (highs, lows) = (&units[..units.len() - 1], &units[1..]);
    let ((high_lanes, highs), (low_lanes, lows)) = (highs.as_chunks(), lows.as_chunks());
    let kind = |units: &[u16; 8]| u16x8::new(*units) & u16x8::splat(0xfc00);
    let is_end = |(high, low)| kind(high).simd_eq(u16x8::splat(0xd800)) & kind(low).simd_eq(u16x8::splat(0xdc00));
    // Each lane is all ones for an end, which is -1.
    let lanes = zip(high_lanes, low_lanes).map(is_end).fold(u16x8::ZERO, |found, ends| found - ends);
    let alone = zip(highs, lows).filter(|(high, low)| is_pair(**high, **low)).count();
    usize::from(is_pair(last, first)) + lanes.to_array().into_iter().map(usize::from).sum::<usize>() + alone
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn a_pair_is_a_high_surrogate_and_a_low_one() {
        for (text, found) in [("", 0), ("plain é日", 0), ("🙂", 1), ("a🙂🙂b", 2)] {
            for times in [1, 3, 5000] {
                let units: Vec<u16> = text.repeat(times).encode_utf16().collect();
                assert_eq!(pairs(0, &units), times * found, "{text} {times} times");
            }
        }
        assert_eq!(pairs(0, &[0xde00, 0xd83d, 0xd83d, 0xde00, 0xde00]), 1);
        assert_eq!(pairs(0xd83d, &[0xde00, 0xd83d]), 1);
    }
}
