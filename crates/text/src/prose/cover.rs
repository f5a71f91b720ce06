//! The lines that together say most: each brings words that those before it do not have.
//!
//! A word has log2(n / k) bits if k of n lines have it, a quarter of them once it is shown, a quarter of these once it is shown again.
//! A line is worth the bits of its words by its length, times how grave it is. The best line is shown first, and so on: choosing greedily comes to at
//! least 63 % of the best choice, since what a line adds never grows (Nemhauser, Wolsey and Fisher, 1978; Lin and Bilmes, 2011).
//! Digits are all the same, so neither names nor lists of words decide, and a text in which all lines are alike shows some of each kind.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::mem;

use crate::hash::{self, ByHash};
use crate::surprise::log2;

/// More lines are not compared, nor more words of each.
const MOST_LINES: usize = 1 << 16;
const WORDS: usize = 1 << 10;
/// What the number of a line is in its length, in bytes.
const NUMBER: usize = 12;
/// Bits of a word that is shown are divided by four; after this many times nothing is left of them.
const MOST_SHOWN: u8 = 12;

/// Lines, of which some are shown.
#[derive(Debug, Default)]
pub struct Cover {
    lines: Vec<Line>,
    /// The places of the words of each line in `words`, without those that it has already.
    of_lines: Vec<u32>,
    places: ByHash<u32>,
    words: Vec<Word>,
    /// What each line adds at most, the best first; empty until a line is wanted.
    queue: BinaryHeap<(u64, Reverse<usize>)>,
    is_ready: bool,
}

#[derive(Debug)]
struct Line {
    /// Where its words end in `of_lines`.
    end: usize,
    bytes: usize,
    /// How many times what its words say it is worth.
    times: u64,
}

/// A word: how many lines have it, and how many that are shown.
#[derive(Debug)]
struct Word {
    lines: u64,
    shown: u8,
    /// Where it is in `of_lines` for the last time, from 1.
    last: usize,
}

impl Cover {
    /// Adds a line that is not shown, which is worth its words this many times.
    pub fn add(&mut self, line: &str, times: u64) {
        self.add_words(hashes(line), line.len(), times);
    }

    /// Adds what has these words, by their hashes, and this many bytes.
    pub fn add_words(&mut self, words: impl Iterator<Item = u64>, bytes: usize, times: u64) {
        if self.lines.len() == MOST_LINES {
            return;
        }
        let start = self.of_lines.len();
        for hash in words {
            let place = *self.places.entry(hash).or_insert_with(|| {
                self.words.push(Word { lines: 0, shown: 0, last: 0 });
                self.words.len() as u32 - 1
            });
            let word = &mut self.words[place as usize];
            if word.last <= start {
                word.last = self.of_lines.len() + 1;
                word.lines += 1;
                self.of_lines.push(place);
            }
        }
        self.lines.push(Line { end: self.of_lines.len(), bytes: bytes + NUMBER, times });
    }

    fn words(&self, line: usize) -> std::ops::Range<usize> {
        let start = line.checked_sub(1).map_or(0, |before| self.lines[before].end);
        start..self.lines[line].end
    }

    /// Notes that a line is shown.
    pub fn show(&mut self, line: usize) {
        if line >= self.lines.len() {
            return;
        }
        for at in self.words(line) {
            let Word { shown, .. } = &mut self.words[self.of_lines[at] as usize];
            *shown = (*shown + 1).min(MOST_SHOWN);
        }
    }

    /// What a line adds to those that are shown, by its length.
    fn worth(&self, line: usize) -> u64 {
        let all = log2(self.lines.len() as u64);
        let bits = self.of_lines[self.words(line)].iter().map(|&word| {
            let Word { lines, shown, .. } = self.words[word as usize];
            (all - log2(lines).min(all)) << 16 >> (2 * shown)
        });
        bits.sum::<u64>() * self.lines[line].times / self.lines[line].bytes as u64
    }
}

/// The lines that add most to those that are shown by then, each once.
impl Iterator for Cover {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if !self.is_ready {
            // What adds nothing never does.
            let lines = (0..self.lines.len()).map(|line| (self.worth(line), Reverse(line)));
            self.queue = lines.filter(|(worth, _)| *worth > 0).collect();
            self.is_ready = true;
        }
        let mut queue = mem::take(&mut self.queue);
        let mut found = None;
        while found.is_none()
            && let Some(mut best) = queue.peek_mut()
        {
            let (known, Reverse(line)) = *best;
            let worth = self.worth(line);
            if worth == known || worth == 0 {
                PeekMut::pop(best);
                found = Some(line).filter(|_| worth > 0);
            } else {
                best.0 = worth;
            }
        }
        self.queue = queue;
        found
    }
}

/// The words of a text without their digits.
pub fn words(text: &str) -> impl Iterator<Item = u64> {
    let mut at = 0;
    let words = std::iter::from_fn(move || {
        let start = run_end(text, at, false);
        at = run_end(text, start, true);
        (start < at).then(|| hash::form(&text[start..at]))
    });
    words.take(WORDS)
}

/// The end of the characters from `at` on that are inside of words, or of those that are not.
fn run_end(text: &str, mut at: usize, is_word: bool) -> usize {
    while let Some(&byte) = text.as_bytes().get(at) {
        let (is_in, bytes) = match byte.is_ascii() {
            true => (byte.is_ascii_alphanumeric() || byte == b'_', 1),
            false => text[at..].chars().next().map_or((false, 1), |c| (is_inside(c), c.len_utf8())),
        };
        if is_in != is_word {
            break;
        }
        at += bytes;
    }
    at
}

fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words of a line, and how it begins: its margin with its first word.
fn hashes(line: &str) -> impl Iterator<Item = u64> {
    let own = line.trim_start();
    let first = own.split_whitespace().next().unwrap_or_default();
    let start = hash::mixed(hash::form(first), (line.len() - own.len()) as u64);
    Some(start).filter(|_| first.contains(is_inside)).into_iter().chain(words(line))
}

#[cfg(test)]
mod tests {
    use super::Cover;

    fn order(lines: &[String], shown: &[usize]) -> Vec<usize> {
        let mut cover = Cover::default();
        lines.iter().for_each(|line| cover.add(line, 1));
        shown.iter().for_each(|&line| cover.show(line));
        let mut order = Vec::new();
        while let Some(line) = cover.next() {
            cover.show(line);
            order.push(line);
        }
        order
    }

    #[test]
    fn the_one_state_among_many_is_first() {
        let state = |n: usize| if n == 17 { "CrashLoop" } else { "Running" };
        let pods: Vec<String> = (0..80).map(|n| format!("web-{n}   1/1   {}   0", state(n))).collect();
        assert_eq!(order(&pods, &[0])[0], 17);
    }

    #[test]
    fn one_line_of_each_kind_comes_before_a_second() {
        let kinds = ["disk full", "no route", "bad gateway", "timed out"];
        let lines: Vec<String> = (0..40).map(|n| format!("{n}: {}", kinds[n % 4])).collect();
        let mut first: Vec<usize> = order(&lines, &[]).into_iter().take(4).map(|line| line % 4).collect();
        first.sort_unstable();
        assert_eq!(first, [0, 1, 2, 3]);
    }

    #[test]
    fn of_lines_that_say_as_much_the_gravest_is_first() {
        let mut cover = Cover::default();
        let words = |n: u8| char::from(b'a' + n).to_string().repeat(5);
        (0..20).for_each(|n| cover.add(&words(n), if n == 17 { 2 } else { 1 }));
        assert_eq!(cover.next(), Some(17));
    }

    #[test]
    fn what_is_shown_is_not_said_again() {
        let lines: Vec<String> = ["alpha beta gamma", "delta", "alpha beta gamma"].map(str::to_owned).to_vec();
        assert_eq!(order(&lines, &[0])[0], 1);
    }

    #[test]
    fn lines_without_words_are_left_out() {
        let lines: Vec<String> = ["", "---", "a word", "   "].map(str::to_owned).to_vec();
        assert_eq!(order(&lines, &[]), [2]);
    }
}
