//! Templates of log lines: the fixed words of the statement that printed them.
//!
//! Numbers, times, ids, paths and dotted names are masked. Lines with the same number of words and the same first or
//! last word that agree in most words are one template, as in Drain (He et al., "Drain: An Online Log Parsing Approach
//! with Fixed Depth Tree", ICWS 2017), without its tree: words are compared within their bucket.

use crate::by_hash::{ByHash, hash, mixed};
use crate::chars::offset;

/// Replaces a masked part.
const MASK: char = '*';
/// Lines with fewer words must be equal after masking.
const MIN_WORDS: usize = 4;
/// The share of words that must agree, in tenths.
const AGREE_TENTHS: usize = 7;
/// Templates of a bucket that a line is compared with; beyond them only the masked text counts.
const MOST_COMPARED: usize = 64;
/// Characters of a line that count.
const MASKED_CHARS: usize = 400;
/// The word of a template in whose place its lines have different ones.
const ANY: u32 = 0;

/// The templates seen so far.
///
/// Lines and words are known by their hashes alone: which lines are one template is a guess anyway, and those that are
/// shown are read from the text.
#[derive(Default)]
pub struct Templates {
    /// By class and masked line.
    by_mask: ByHash,
    /// The line that is being looked up, masked, and the hashes of its words.
    masked: String,
    words: Vec<u32>,
    /// Buckets by class, number of words, and the first or the last word: the templates that a line is compared with.
    by_end: ByHash,
    buckets: Vec<Vec<u32>>,
    /// Where the words of each template begin and end among those of all. Of templates that no line is compared with there
    /// are none.
    places: Vec<(u32, u32)>,
    known: Vec<u32>,
}

impl Templates {
    /// The number of a line's template, from 0 in the order of first appearance.
    ///
    /// Lines of different classes have different templates.
    pub fn of(&mut self, line: &str, class: &'static str) -> usize {
        self.masked.clear();
        mask_into(line, &mut self.masked);
        let class = hash(class.as_bytes());
        let hash = mixed(class, hash(self.masked.as_bytes()));
        self.by_mask.get(hash, |_| true).unwrap_or_else(|| {
            let template = self.template_of(class);
            self.by_mask.insert(hash, template);
            template
        })
    }

    /// The template of the masked line, which was not seen before.
    fn template_of(&mut self, class: u64) -> usize {
        self.words.clear();
        self.words.extend(self.masked.split_whitespace().map(|word| (hash(word.as_bytes()) as u32).max(ANY + 1)));
        let template = self.places.len();
        let [first, .., last] = self.words[..] else {
            self.places.push((0, 0));
            return template;
        };
        if self.words.len() < MIN_WORDS {
            self.places.push((0, 0));
            return template;
        }
        let ends = [(u64::from(first), 0), (u64::from(last), 1)];
        let keys = ends.map(|(word, end)| mixed(mixed(class, word), 2 * self.words.len() as u64 + end));
        let buckets = keys.map(|key| {
            self.by_end.get(key, |_| true).unwrap_or_else(|| {
                self.by_end.insert(key, self.buckets.len());
                self.buckets.push(Vec::new());
                self.buckets.len() - 1
            })
        });
        for bucket in buckets {
            for &known in &self.buckets[bucket] {
                let (start, end) = self.places[known as usize];
                let words = &mut self.known[start as usize..end as usize];
                if agrees(words, &self.words) {
                    words
                        .iter_mut()
                        .zip(&self.words)
                        .filter(|(word, seen)| word != seen)
                        .for_each(|(word, _)| *word = ANY);
                    return known as usize;
                }
            }
        }
        let mut is_compared = false;
        for bucket in buckets {
            if self.buckets[bucket].len() < MOST_COMPARED {
                self.buckets[bucket].push(template as u32);
                is_compared = true;
            }
        }
        let start = self.known.len() as u32;
        if is_compared {
            self.known.extend(&self.words);
        }
        self.places.push((start, self.known.len() as u32));
        template
    }
}

/// Whether a line has most words of a template, which has as many words.
fn agrees(template: &[u32], words: &[u32]) -> bool {
    let most = words.len() - (words.len() * AGREE_TENTHS).div_ceil(10);
    let mut others = template.iter().zip(words).filter(|(word, seen)| word != seen);
    others.nth(most).is_none()
}

/// What a byte means to the mask.
const DIGIT: u8 = 1;
const DOT: u8 = 2;
const SLASH: u8 = 4;
const MEANING: [u8; 256] = {
    let mut meaning = [0; 256];
    let mut digit = b'0';
    while digit <= b'9' {
        meaning[digit as usize] = DIGIT;
        digit += 1;
    }
    meaning[b'.' as usize] = DOT;
    meaning[b'/' as usize] = SLASH;
    meaning
};

/// The start of a line with its variable parts masked, as templates are compared.
pub fn masked(line: &str) -> String {
    let mut out = String::new();
    mask_into(line, &mut out);
    out
}

/// Writes the line with its variable parts masked.
fn mask_into(line: &str, out: &mut String) {
    let start = &line[..offset(line, MASKED_CHARS)];
    let bytes = start.as_bytes();
    // Words without digits, dots and slashes are written together.
    let (mut written, mut word) = (0, 0);
    while word < bytes.len() {
        let (mut end, mut meaning) = (word, 0);
        while end < bytes.len() && bytes[end] != b' ' {
            meaning |= MEANING[usize::from(bytes[end])];
            end += 1;
        }
        if meaning != 0 {
            out.push_str(&start[written..word]);
            if meaning & SLASH != 0 || meaning & DOT != 0 && is_dotted(&start[word..end]) {
                out.push(MASK);
            } else {
                mask_numbers(&start[word..end], out);
            }
            written = end;
        }
        word = end + 1;
    }
    out.push_str(&start[written..]);
}

/// Whether a word is a dotted name or an address.
fn is_dotted(word: &str) -> bool {
    let is_inside =
        |at: usize| word[..at].ends_with(char::is_alphanumeric) && word[at + 1..].starts_with(char::is_alphanumeric);
    word.bytes().enumerate().any(|(at, byte)| byte == b'.' && is_inside(at))
}

/// Writes the word with every alphanumeric run that contains a digit masked, and what joins such runs.
fn mask_numbers(word: &str, out: &mut String) {
    let from = out.len();
    let mut at = 0;
    while at < word.len() {
        let (end, has_digit) = run(word, at);
        if end == at {
            let other = word[at..].chars().next().map_or(1, char::len_utf8);
            out.push_str(&word[at..at + other]);
            at += other;
            continue;
        }
        let run = &word[at..end];
        at = end;
        if !has_digit {
            out.push_str(run);
            continue;
        }
        // `10.0.0.1:80`, `09:26:46,123` and `2026-11-20` are one mask each.
        match out.as_bytes()[from..] {
            [.., before, b'.' | b':' | b',' | b'-' | b'/' | b'_'] if before == MASK as u8 => {
                out.truncate(out.len() - 1)
            }
            _ => out.push(MASK),
        }
    }
}

/// The end of the alphanumeric run that begins at `at`, and whether it has a digit.
fn run(word: &str, mut at: usize) -> (usize, bool) {
    let mut has_digit = false;
    while let Some(&byte) = word.as_bytes().get(at) {
        if byte.is_ascii() {
            if !byte.is_ascii_alphanumeric() {
                break;
            }
            has_digit |= byte.is_ascii_digit();
            at += 1;
            continue;
        }
        match word[at..].chars().next().filter(|c| c.is_alphanumeric()) {
            Some(letter) => at += letter.len_utf8(),
            None => break,
        }
    }
    (at, has_digit)
}

#[cfg(test)]
mod tests {
    use super::{Templates, masked as mask};

    #[test]
    fn masks_what_varies() {
        assert_eq!(mask("2026-11-20 09:26:46,123 INFO took 31ms from 10.0.0.1:80"), "* * INFO took * from *");
        assert_eq!(mask("blk_-1608999687919862906 ok"), "blk_-* ok");
        assert_eq!(mask("naïve — 7"), "naïve — *");
    }

    #[test]
    fn lines_of_one_statement_are_one_template() {
        let mut templates = Templates::default();
        let numbers: Vec<usize> = [
            "user alice logged in from web",
            "user bob logged in from web",
            "user bob logged out from web now",
            "disk full",
            "disk gone",
            "user carol logged in from web",
            "test_a (b.c) ... ok",
            "test_d (e.f) ... ok",
        ]
        .map(|line| templates.of(line, "other"))
        .to_vec();
        assert_eq!(numbers, [0, 0, 1, 2, 3, 0, 4, 4]);
    }
}
