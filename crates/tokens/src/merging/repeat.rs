//! Text that repeats itself, whose tokens repeat too: rulers, indentation, runs of one letter.
//!
//! If merging keeps each two neighbouring tokens apart, they are the tokens of the text that they spell. So if the same
//! token follows two places of a repeating text that are whole periods apart, the tokens between the two places can be
//! repeated as often as the text repeats.

use crate::vocabulary::chars::is_continuation;
use crate::vocabulary::tables::Vocabulary;

/// Longest period that is looked for, in bytes.
const LONGEST: usize = 64;
/// The bytes that must have repeated: several of the longest tokens.
const SEEN: usize = 512;
/// Shorter repetitions are not worth the search.
const AHEAD: usize = 1024;
/// The last places that are tried, because the very last tokens depend on the end of the text.
const TRIES: usize = 32;

/// How tokens go on.
pub(crate) struct Repeat {
    /// The tokens that repeat, by their place among those before.
    pub(crate) tokens: std::ops::Range<usize>,
    /// How many more times they repeat.
    pub(crate) times: usize,
    /// The bytes up to the end of the last repetition.
    pub(crate) done: usize,
}

/// How `tokens`, those of `piece[..done]`, go on, if they repeat.
pub(crate) fn find(vocabulary: &Vocabulary, piece: &[u8], tokens: &[u32], done: usize) -> Option<Repeat> {
    let first = done.checked_sub(SEEN)?;
    let seen = &piece[first..done];
    let period = (1..=LONGEST).find(|&period| seen[period..] == seen[..SEEN - period])?;
    let last = done + same(&piece[done - period..], &piece[done..]);
    if last < done + AHEAD {
        return None;
    }
    // Where the tokens of the repeating text start, the last one first.
    let mut start = done;
    let starts = tokens.iter().enumerate().rev().map_while(|(at, &token)| {
        start = start.checked_sub(vocabulary.len_of(token)).filter(|&start| start >= first)?;
        Some((at, start))
    });
    let starts: Vec<_> = starts.filter(|&(_, start)| !is_continuation(piece[start])).collect();
    starts.iter().take(TRIES).enumerate().find_map(|(tried, &(end, end_at))| {
        let repeats = |&&(at, start): &&(usize, usize)| (end_at - start) % period == 0 && tokens[at] == tokens[end];
        let &(at, start) = starts[tried + 1..].iter().find(repeats)?;
        let times = (last - end_at) / (end_at - start);
        Some(Repeat { tokens: at..end, times, done: end_at + times * (end_at - start) })
    })
}

/// How many bytes two texts have in common from their start.
fn same(one: &[u8], two: &[u8]) -> usize {
    const STEP: usize = 64;
    let steps = one.as_chunks::<STEP>().0.iter().zip(two.as_chunks::<STEP>().0);
    let at = steps.take_while(|(one, two)| one == two).count() * STEP;
    at + one[at..].iter().zip(&two[at..]).take_while(|(one, two)| one == two).count()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use crate::{Encoding, encode};

    #[test]
    fn what_repeats_has_the_tokens_that_another_implementation_finds() {
        let mut state = 7u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 33) as usize % limit
        };
        let alphabets =
            ["a", "ab", "abcdefghij", "é", "中国", "아a", "-", "-=", "*/-=+<>", " ", "\n", "😀-", "אב", "X"];
        for _ in 0..150 {
            let alphabet: Vec<char> = alphabets[below(alphabets.len())].chars().collect();
            let mut text = ["", " ", "(", "b", "the", "="][below(6)].to_owned();
            for _ in 0..=below(3) {
                let unit: String = (0..=below(24)).map(|_| alphabet[below(alphabet.len())]).collect();
                text += &unit.repeat((1000 + below(9000)) / unit.len());
                let rest = unit.chars().take(below(24));
                text.extend(rest);
                text.extend((0..below(3)).map(|_| alphabet[below(alphabet.len())]));
            }
            for (encoding, other) in
                [(Encoding::O200kBase, bpe_openai::o200k_base()), (Encoding::Cl100kBase, bpe_openai::cl100k_base())]
            {
                assert_eq!(encode(&text, encoding), Ok(other.encode(&text)), "{text:?}");
            }
        }
    }
}
