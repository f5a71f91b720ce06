//! The lines that together say most: each brings words that those before it do not have.
//!
//! A word has log2(n / k) bits if k of n lines have it, a quarter of them once it is shown, a quarter of these once it is shown again.
//! A line is worth the bits of its words by its length. The best line is shown first, and so on: choosing greedily comes to at
//! least 63 % of the best choice, since what a line adds never grows (Nemhauser, Wolsey and Fisher, 1978; Lin and Bilmes, 2011).
//! Digits are all the same, so neither names nor lists of words decide, and a text in which all lines are alike shows some of each kind.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::odd;
use crate::surprise::{Secret, log2};

/// More lines are not compared, nor more words of each.
const MOST_LINES: usize = 1 << 16;
const WORDS: usize = 32;
/// What the number of a line is in its length, in bytes.
const NUMBER: usize = 12;
/// Bits of a word that is shown are divided by four; after this many times nothing is left of them.
const MOST_SHOWN: u8 = 12;

/// Lines, of which some are shown.
#[derive(Debug)]
pub struct Cover {
    lines: Vec<Words>,
    /// The bits of each word, and how many times it is shown.
    bits: Vec<u64>,
    shown: Vec<u8>,
    /// What each line adds at most, the best first.
    queue: BinaryHeap<(u64, Reverse<usize>)>,
}

/// The words of a line.
#[derive(Debug)]
struct Words {
    words: Vec<u32>,
    bytes: usize,
}

impl Cover {
    /// Reads lines of which none is shown.
    pub fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut places: HashMap<u64, u32, Secret> = HashMap::default();
        let mut counts: Vec<u64> = Vec::new();
        let lines: Vec<Words> = lines
            .take(MOST_LINES)
            .map(|line| {
                let mut words: Vec<u32> = hashes(line)
                    .map(|hash| {
                        *places.entry(hash).or_insert_with(|| {
                            counts.push(0);
                            counts.len() as u32 - 1
                        })
                    })
                    .collect();
                words.sort_unstable();
                words.dedup();
                words.iter().for_each(|&word| counts[word as usize] += 1);
                Words { words, bytes: line.len() + NUMBER }
            })
            .collect();
        let all = log2(lines.len() as u64);
        let bits = counts.iter().map(|&count| all - log2(count).min(all)).collect::<Vec<_>>();
        let mut cover = Self { shown: vec![0; bits.len()], bits, lines, queue: BinaryHeap::new() };
        cover.queue = (0..cover.lines.len()).map(|line| (cover.worth(line), Reverse(line))).collect();
        cover
    }

    /// Notes that a line is shown.
    pub fn show(&mut self, line: usize) {
        for &word in self.lines.get(line).map_or(&[][..], |line| &line.words) {
            let shown = &mut self.shown[word as usize];
            *shown = (*shown + 1).min(MOST_SHOWN);
        }
    }

    /// What a line adds to those that are shown, by its length.
    fn worth(&self, line: usize) -> u64 {
        let Words { words, bytes } = &self.lines[line];
        let bits = words.iter().map(|&word| self.bits[word as usize] << 16 >> (2 * self.shown[word as usize]));
        bits.sum::<u64>() / *bytes as u64
    }
}

/// The lines that add most to those that are shown by then, each once.
impl Iterator for Cover {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while let Some((known, Reverse(line))) = self.queue.pop() {
            let worth = self.worth(line);
            if worth == 0 {
                continue;
            }
            if worth == known || self.queue.peek().is_none_or(|best| (worth, Reverse(line)) >= *best) {
                return Some(line);
            }
            self.queue.push((worth, Reverse(line)));
        }
        None
    }
}

/// The words of a line without their digits, and how it begins: its margin with its first word.
fn hashes(line: &str) -> impl Iterator<Item = u64> {
    let is_inside = |c: char| c.is_alphanumeric() || c == '_';
    let own = line.trim_start();
    let first = own.split_whitespace().next().unwrap_or_default();
    let start = crate::hash::mixed(odd::hashes(first).1, (line.len() - own.len()) as u64);
    let words = line.split(move |c| !is_inside(c)).filter(|word| !word.is_empty());
    let words = words.map(|word| odd::hashes(word).1).take(WORDS);
    Some(start).filter(|_| !own.is_empty()).into_iter().chain(words)
}
