//! A run of bytes whose ASCII letters match in any case, found eight bytes at a time.

/// Bytes of texts, the most common first; any other one is rare.
const COMMON: &[u8] = b" \"e,:taoinsr0ldhc1u2m3p5fg4y-6w7b98v.k/_{}[]x\\j'zq";
const ONES: u64 = u64::MAX / 255;
/// Sets the bit by which letters differ in case.
const LOWER: u64 = ONES * 0x20;

/// Bytes to look for. Bytes that are not ASCII letters match only themselves.
pub struct Run {
    lower: Vec<u8>,
    /// Where the two bytes are in it that are looked for first: the rarest ones.
    rare: [usize; 2],
}

impl Run {
    /// A run of at least one byte.
    pub fn new(text: &str) -> Self {
        let lower = text.to_ascii_lowercase().into_bytes();
        let rarity = |at: usize| COMMON.iter().position(|&common| common == lower[at]).unwrap_or(COMMON.len());
        let rarest = |but: Option<usize>| (0..lower.len()).filter(|&at| Some(at) != but).max_by_key(|&at| rarity(at));
        let first = rarest(None).unwrap_or(0);
        Self { rare: [first, rarest(Some(first)).unwrap_or(first)], lower }
    }

    /// Where it begins first, from byte `from` of a text on.
    pub fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        // Flags each byte that is zero, and perhaps some that are not.
        let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
        let rare = self.rare.map(|at| (at, (ONES * u64::from(self.lower[at])) | LOWER));
        let flags = |at: usize| {
            rare.iter().try_fold(u64::MAX, |flags, &(offset, wanted)| {
                let eight = text.get(at + offset..).and_then(<[u8]>::first_chunk)?;
                Some(flags & zeros((u64::from_le_bytes(*eight) | LOWER) ^ wanted))
            })
        };
        let mut at = from;
        while let Some(mut flags) = flags(at) {
            while flags != 0 {
                let start = at + flags.trailing_zeros() as usize / 8;
                if self.is_at(text, start) {
                    return Some(start);
                }
                flags &= flags - 1;
            }
            at += 8;
        }
        (at..text.len()).find(|&start| self.is_at(text, start))
    }

    /// The bytes that it has.
    pub fn bytes(&self) -> usize {
        self.lower.len()
    }

    fn is_at(&self, text: &[u8], start: usize) -> bool {
        text.get(start..start + self.lower.len()).is_some_and(|here| here.eq_ignore_ascii_case(&self.lower))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_wherever_it_stands() {
        let texts = ["needle", "n", "ee", "\\u", "a\u{e9}b", "@[`{", "\u{1}\0"];
        for wanted in texts {
            let run = Run::new(wanted);
            for before in 0..20 {
                for after in [0, 1, 7, 8, 30] {
                    let text = format!("{}{}{}", "x!".repeat(before), wanted.to_ascii_uppercase(), "x!".repeat(after));
                    assert_eq!(run.find(text.as_bytes(), 0), Some(2 * before), "{text:?}");
                    assert_eq!(run.find(text.as_bytes(), 2 * before + 1), None, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn only_letters_have_a_case() {
        // These pairs differ in the same bit as letters do.
        for (wanted, other) in [("@", "`"), ("[", "{"), ("\u{1}a", "!a"), ("é", "É"), ("1", "\u{11}")] {
            assert_eq!(Run::new(wanted).find(other.repeat(20).as_bytes(), 0), None, "{wanted} {other}");
        }
    }
}
