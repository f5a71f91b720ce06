//! One encoding at work: counting, encoding, decoding.

use crate::merging::batch::Batch;
use crate::merging::words::WORD_BYTES;
use crate::split::cuts::{ceil_char, floor_char};
use crate::split::pattern::Pattern;
use crate::split::window;
use crate::vocabulary::tables::Vocabulary;
use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

/// A text so long, in bytes, that it will use nearly all of the tables of pieces.
const LONG_TEXT: usize = 1 << 15;

/// A vocabulary and the pattern that goes with it.
pub(crate) struct Tokenizer {
    vocabulary: Vocabulary,
    pattern: Pattern,
    specials: &'static [(&'static str, u32)],
    /// The rank of each token, where that is not its number.
    ranks: Vec<u32>,
    /// Scratch memory of finished counts, for later ones: one for each thread at work.
    idle: Mutex<Vec<Box<Batch>>>,
}

impl Tokenizer {
    pub(crate) fn new(vocabulary: Vocabulary, pattern: Pattern, specials: &'static [(&'static str, u32)]) -> Self {
        Self { vocabulary, pattern, specials, ranks: Vec::new(), idle: Mutex::new(Vec::new()) }
    }

    /// The same with the ranks of its tokens: rising for the 256 bytes, and rising for the others.
    pub(crate) fn with_ranks(self, ranks: Vec<u32>) -> Self {
        Self { ranks, ..self }
    }

    fn with_batch<T>(&self, work: impl FnOnce(&mut Batch) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut batch = taken.unwrap_or_default();
        let result = work(&mut batch);
        idle().push(batch);
        result
    }

    /// The most bytes of `limit` tokens.
    pub(crate) fn most_bytes(&self, limit: usize) -> usize {
        limit.saturating_mul(self.vocabulary.longest())
    }

    /// The count of `text` if it is at most `limit`, else `None`.
    pub(crate) fn count_within(&self, text: &str, limit: usize) -> Option<usize> {
        if text.len() > self.most_bytes(limit) {
            return None;
        }
        self.with_batch(|batch| {
            let text = text.as_bytes();
            let mut start = 0;
            batch.count = 0;
            if text.len() >= LONG_TEXT {
                batch.warm();
            }
            while start < text.len() && batch.count <= limit {
                let rest = &text[start..];
                let ascii = rest.first_chunk::<8>().is_none_or(|first| first.is_ascii());
                let mut end = if ascii { self.add_window(batch, text, start) } else { start };
                if end == start {
                    end = self.pattern.piece_end(text, start);
                    batch.add(&self.vocabulary, text, start, end - start, limit);
                }
                batch.settle(&self.vocabulary, text);
                start = end;
            }
            batch.finish(&self.vocabulary, text);
            Some(batch.count).filter(|&count| count <= limit)
        })
    }

    /// Adds the pieces in the window at `start` in `text`, and returns where they end.
    #[inline]
    fn add_window(&self, batch: &mut Batch, text: &[u8], start: usize) -> usize {
        let rest = &text[start..];
        let mut copy = [0; window::SIZE + WORD_BYTES];
        let (block, len) = match rest.first_chunk() {
            Some(block) => (block, window::SIZE),
            None => {
                copy[..rest.len()].copy_from_slice(rest);
                (&copy, rest.len().min(window::SIZE))
            }
        };
        let Some(seen) = block.first_chunk() else { return start };
        let starts = window::starts(self.pattern, seen, len as u32, len < window::SIZE);
        batch.add_window(block, starts & (starts - 1), start)
    }

    /// Appends the tokens of `text`, with special tokens treated as ordinary text.
    pub(crate) fn encode(&self, text: &str, tokens: &mut Vec<u32>) {
        let first = tokens.len();
        self.with_batch(|batch| {
            let text = text.as_bytes();
            let mut start = 0;
            while start < text.len() {
                let end = self.pattern.piece_end(text, start);
                tokens.extend_from_slice(batch.merger.merge(&self.vocabulary, &text[start..end]));
                start = end;
            }
        });
        if !self.ranks.is_empty() {
            tokens[first..].iter_mut().for_each(|token| *token = self.ranks[*token as usize]);
        }
    }

    /// Appends the tokens of `text`, with the names of special tokens encoded as those tokens.
    pub(crate) fn encode_with_special(&self, mut text: &str, tokens: &mut Vec<u32>) {
        loop {
            let found = self.specials.iter().filter_map(|&(name, token)| Some((text.find(name)?, name, token))).min();
            let Some((at, name, token)) = found else {
                return self.encode(text, tokens);
            };
            self.encode(&text[..at], tokens);
            tokens.push(token);
            text = &text[at + name.len()..];
        }
    }

    /// The bytes of `tokens`, or the first that is not a token.
    pub(crate) fn decode(&self, tokens: &[u32]) -> Result<Vec<u8>, u32> {
        let mut bytes = Vec::new();
        for &token in tokens {
            if let Some((name, _)) = self.specials.iter().find(|special| special.1 == token) {
                bytes.extend_from_slice(name.as_bytes());
            } else {
                self.vocabulary.spell(self.number_of(token).ok_or(token)?, &mut bytes);
            }
        }
        Ok(bytes)
    }

    /// The number of the token that has a rank.
    fn number_of(&self, rank: u32) -> Option<u32> {
        if self.ranks.is_empty() {
            return Some(rank).filter(|&rank| rank < self.vocabulary.count());
        }
        let (bytes, others) = self.ranks.split_at(256);
        let number = bytes.binary_search(&rank).or_else(|_| others.binary_search(&rank).map(|at| at + 256));
        number.ok().map(|number| number as u32)
    }

    /// The tokens of `piece`, one piece of text, each with its length in bytes.
    pub(crate) fn merge_piece(&self, piece: &str) -> Vec<(u32, usize)> {
        self.with_batch(|batch| {
            let tokens = batch.merger.merge(&self.vocabulary, piece.as_bytes());
            tokens.iter().map(|&token| (token, self.vocabulary.len_of(token))).collect()
        })
    }

    /// Whether two tokens side by side, inside one piece, stay these two.
    pub(crate) fn stays_apart(&self, left: u32, right: u32) -> bool {
        self.vocabulary.stays_apart(left, right)
    }

    /// How many bytes the first `room` tokens of `text` have, or the last where `from_end`.
    pub(crate) fn reach(&self, text: &str, room: usize, from_end: bool) -> usize {
        let most = room.saturating_add(1).saturating_mul(self.vocabulary.longest()).min(text.len());
        let part = if from_end { &text[ceil_char(text, text.len() - most)..] } else { &text[..floor_char(text, most)] };
        self.with_batch(|batch| {
            let text = part.as_bytes();
            let (mut start, mut lens) = (0, Vec::new());
            while start < text.len() {
                let end = self.pattern.piece_end(text, start);
                let tokens = batch.merger.merge(&self.vocabulary, &text[start..end]);
                lens.extend(tokens.iter().map(|&token| self.vocabulary.len_of(token)));
                start = end;
            }
            if from_end { lens.iter().rev().take(room).sum() } else { lens.iter().take(room).sum() }
        })
    }
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokenizer").field("pattern", &self.pattern).finish_non_exhaustive()
    }
}
