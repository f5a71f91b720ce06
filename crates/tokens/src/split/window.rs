//! The pieces of ASCII text, 64 bytes at a time and without a branch per piece.
//!
//! The pieces are those of [`Pattern::piece_end`]. Rare cases, and those that depend on bytes outside the window, are
//! left to that function.

use crate::base::lanes::Lanes;
use crate::split::pattern::Pattern;

/// Bytes that a window looks at.
pub(crate) const SIZE: usize = 64;

/// Which bytes of a window are of which class, one bit each; all other ASCII is symbols.
struct Classes {
    upper: u64,
    lower: u64,
    digit: u64,
    /// White space but line breaks, and the blank among it.
    space: u64,
    blank: u64,
    newline: u64,
    apostrophe: u64,
    slash: u64,
    high: u64,
}

impl Classes {
    #[inline]
    fn of(window: &[u8; SIZE]) -> Self {
        let mut all = [0; 9];
        for at in (0..SIZE).step_by(16) {
            let lanes = Lanes::new(window[at..].first_chunk().unwrap_or(&[0; 16]));
            let controls = lanes.within(b'\t', b'\r');
            let newline = lanes.equal(b'\n') | lanes.equal(b'\r');
            let blank = lanes.equal(b' ');
            let found = [
                lanes.within(b'A', b'Z'),
                lanes.within(b'a', b'z'),
                lanes.within(b'0', b'9'),
                blank | controls & !newline,
                blank,
                newline,
                lanes.equal(b'\''),
                lanes.equal(b'/'),
                lanes.high(),
            ];
            for (mask, found) in all.iter_mut().zip(found) {
                *mask |= found << at;
            }
        }
        let [upper, lower, digit, space, blank, newline, apostrophe, slash, high] = all;
        Self { upper, lower, digit, space, blank, newline, apostrophe, slash, high }
    }
}

/// The bits below `count`, which is at most 64.
#[inline]
fn below(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Where pieces start in a window that itself starts with a piece, one bit each; the last one is
/// where the next window starts. Only bit 0 if the window does not show where its first piece ends.
///
/// Bytes from `len` on are not text; if `last`, the text ends there, and `len` is below 64.
#[inline]
pub(crate) fn starts(pattern: Pattern, window: &[u8; SIZE], len: u32, last: bool) -> u64 {
    let classes = Classes::of(window);
    let known_to = classes.high.trailing_zeros().min(len);
    if known_to == 0 {
        return 1;
    }
    let known = below(known_to);
    let (upper, lower) = (classes.upper & known, classes.lower & known);
    let (digit, newline) = (classes.digit & known, classes.newline & known);
    let (space, blank) = (classes.space & known, classes.blank & known);
    let letter = upper | lower;
    let white = space | newline;
    let symbol = known & !(letter | digit | white);
    let cased = pattern == Pattern::O200kBase;

    // Line breaks that a piece of symbols takes with it.
    let carried = newline.wrapping_add(newline & symbol << 1);
    let free = white & !(newline & !carried);
    let white_starts = free & !(free << 1) | space & newline << 1 | space & (known & !white) >> 1;

    let symbol_starts = symbol & !(symbol << 1) & !(blank << 1);
    let taken = (space | symbol_starts) << 1;
    let mut word_starts = letter & !(letter << 1) & !taken;
    if cased {
        word_starts |= upper & lower << 1;
    }

    let threes = digit & digit << 1 & digit << 2;
    let mut digit_starts = digit & !(digit << 1);
    digit_starts |= digit_starts << 3 & threes;
    digit_starts |= digit_starts << 6 & threes & threes << 3;
    while digit_starts << 3 & threes & !digit_starts != 0 {
        digit_starts |= digit_starts << 3 & threes;
    }

    let mut starts = white_starts | symbol_starts | word_starts | digit_starts;

    // The last start that can be trusted: the text after the window may lengthen a contraction or white space.
    let open_white = (white << (64 - known_to)).leading_ones();
    let mut trusted = if open_white > 0 {
        known_to - open_white
    } else if last && known_to == len {
        starts |= 1 << len;
        len
    } else {
        known_to.saturating_sub(3)
    };
    // White space before a line break: only the start of the whole is sure.
    let trailing = space & newline >> 1;
    if trailing != 0 {
        let at = trailing.trailing_zeros();
        trusted = trusted.min(at + 1 - (white << (63 - at)).leading_ones());
    }
    if cased {
        // Slashes go on with the line breaks that symbols carry.
        let slashes = carried & !newline & classes.slash & known;
        if slashes != 0 {
            trusted = trusted.min(slashes.trailing_zeros() - 1);
        }
    }

    let before = if cased { letter << 1 } else { symbol_starts };
    let mut contractions = classes.apostrophe & symbol & before & letter >> 1;
    while contractions != 0 {
        let at = contractions.trailing_zeros();
        contractions &= contractions - 1;
        if at > trusted {
            break;
        }
        let letter_at = |at: u32| window[(at & 63) as usize] | 0x20;
        let len = match (letter_at(at + 1), letter_at(at + 2)) {
            (b's' | b't' | b'm' | b'd', _) => 1,
            (b'r' | b'v', b'e') | (b'l', b'l') => 2,
            _ => continue,
        };
        let end = at + 1 + len;
        if cased {
            starts &= !(below(end) & !below(at));
        }
        starts |= letter & 1 << (end & 63);
        if cased && classes.apostrophe & 1 << (end & 63) != 0 {
            trusted = trusted.min(end);
        }
    }
    starts & below(trusted + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All windows of texts over a small alphabet that has every class.
    #[test]
    fn starts_are_those_found_one_by_one() {
        const ALPHABET: &[u8] = b"aaBst'  \n\t/1.\"{lLre\r";
        let mut state = 1u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 33) as usize % limit
        };
        for round in 0..60_000 {
            let pattern = [Pattern::O200kBase, Pattern::Cl100kBase][round % 2];
            let few = 2 + below(ALPHABET.len() - 1);
            let shift = below(ALPHABET.len());
            let mut text: Vec<u8> = (0..100).map(|_| ALPHABET[(shift + below(few)) % ALPHABET.len()]).collect();
            if round % 5 == 0 {
                let at = below(99);
                text[at..at + 2].copy_from_slice("é".as_bytes());
            }
            let len = if round % 3 == 0 { below(SIZE) } else { 100 };
            let last = len < SIZE;
            text.truncate(if last { len } else { 100 });
            if std::str::from_utf8(&text).is_err() {
                continue;
            }
            let mut window = [0; SIZE];
            let seen = text.len().min(SIZE);
            window[..seen].copy_from_slice(&text[..seen]);
            let mut found = starts(pattern, &window, seen as u32, last);
            let mut at = 0;
            while found & (found - 1) != 0 {
                found &= found - 1;
                let end = pattern.piece_end(&text, at);
                assert_eq!(found.trailing_zeros() as usize, end, "{:?} at {at}", String::from_utf8_lossy(&text));
                at = end;
            }
        }
    }
}
