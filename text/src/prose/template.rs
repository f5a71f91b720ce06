//! Templates of log lines: the fixed words of the statement that printed them.
//!
//! Numbers, times, ids, paths and dotted names are masked. Lines with the same number of words and the same first or
//! last word that agree in most words are one template, as in Drain (He et al., "Drain: An Online Log Parsing Approach
//! with Fixed Depth Tree", ICWS 2017), without its tree: words are compared within their bucket.

use std::collections::HashMap;

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

/// The templates seen so far.
#[derive(Default)]
pub struct Templates {
    /// By class and masked line.
    by_mask: HashMap<&'static str, HashMap<String, usize>>,
    /// The line that is being looked up, masked.
    masked: String,
    /// Templates by class, number of words, and the first or the last word.
    buckets: HashMap<(&'static str, usize, bool, String), Vec<usize>>,
    words: Vec<Vec<Option<String>>>,
}

impl Templates {
    /// The number of a line's template, from 0 in the order of first appearance.
    ///
    /// Lines of different classes have different templates.
    pub fn of(&mut self, line: &str, class: &'static str) -> usize {
        let mut masked = std::mem::take(&mut self.masked);
        masked.clear();
        mask_into(line, &mut masked);
        let known = self.by_mask.entry(class).or_default().get(&masked).copied();
        let template = known.unwrap_or_else(|| self.template_of(&masked, class));
        if known.is_none() {
            self.by_mask.entry(class).or_default().insert(masked.clone(), template);
        }
        self.masked = masked;
        template
    }

    /// The template of a masked line that was not seen before.
    fn template_of(&mut self, masked: &str, class: &'static str) -> usize {
        let words: Vec<&str> = masked.split_whitespace().collect();
        let [first, last] = [words.first(), words.last()].map(|end| end.copied().unwrap_or_default().to_owned());
        let buckets = [(class, words.len(), true, first), (class, words.len(), false, last)];
        let near = buckets.iter().filter_map(|bucket| self.buckets.get(bucket));
        let mut compared = near.flat_map(|bucket| bucket.iter().take(MOST_COMPARED).copied());
        let alike = compared.find(|&known| agrees(&self.words[known], &words));
        let template = alike.unwrap_or(self.words.len());
        match alike {
            Some(known) => {
                for (word, seen) in self.words[known].iter_mut().zip(&words) {
                    if word.as_deref() != Some(*seen) {
                        *word = None;
                    }
                }
            }
            None => {
                for bucket in buckets {
                    self.buckets.entry(bucket).or_default().push(template);
                }
                self.words.push(words.iter().map(|&word| Some(word.to_owned())).collect());
            }
        }
        template
    }
}

/// Whether a line has most words of a template, which has as many words.
fn agrees(template: &[Option<String>], words: &[&str]) -> bool {
    let same = template.iter().zip(words).filter(|(word, seen)| word.as_deref() == Some(**seen)).count();
    words.len() >= MIN_WORDS && same * 10 >= words.len() * AGREE_TENTHS
}

/// Writes the line with its variable parts masked.
fn mask_into(line: &str, out: &mut String) {
    let start = &line[..offset(line, MASKED_CHARS)];
    for (at, word) in start.split(' ').enumerate() {
        if at > 0 {
            out.push(' ');
        }
        if is_place(word) {
            out.push(MASK);
        } else {
            mask_numbers(word, out);
        }
    }
}

/// Whether a word is a path, an address or a dotted name.
fn is_place(word: &str) -> bool {
    let is_inside =
        |at: usize| word[..at].ends_with(char::is_alphanumeric) && word[at + 1..].starts_with(char::is_alphanumeric);
    let mut marks = word.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'/' | b'.'));
    marks.any(|(at, byte)| byte == b'/' || is_inside(at))
}

/// Writes the word with every alphanumeric run that contains a digit masked, and what joins such runs.
fn mask_numbers(word: &str, out: &mut String) {
    let from = out.len();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        if !first.is_alphanumeric() {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        if !run.bytes().any(|byte| byte.is_ascii_digit()) {
            out.push_str(run);
            continue;
        }
        // `10.0.0.1:80`, `09:26:46,123` and `2026-11-20` are one mask each.
        let written = &out[from..];
        let joint = written.len() - written.chars().next_back().map_or(0, char::len_utf8);
        if written[joint..].starts_with(['.', ':', ',', '-', '/', '_']) && written[..joint].ends_with(MASK) {
            out.truncate(from + joint);
        } else {
            out.push(MASK);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Templates, mask_into};

    fn mask(line: &str) -> String {
        let mut out = String::new();
        mask_into(line, &mut out);
        out
    }

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
