//! What is held of an output: all of a usual one, the start and the end of one that is long or has no end.

use std::collections::VecDeque;

/// What a character that JSON escapes takes in messages.
const ESCAPED: usize = 6;

/// The start and the end of what was printed.
pub struct Held {
    /// The weight of each of both.
    most: usize,
    start: Vec<u8>,
    start_weight: usize,
    end: VecDeque<Vec<u8>>,
    end_weight: usize,
    left_out: usize,
}

impl Held {
    /// An output of at most that many bytes; a byte that messages escape counts as several.
    pub fn within(most: usize) -> Self {
        let (start, end) = Default::default();
        Self { most: most / 2, start, start_weight: 0, end, end_weight: 0, left_out: 0 }
    }

    pub fn add(&mut self, part: Vec<u8>) {
        let weight = weight_of(&part);
        if self.end.is_empty() && self.start_weight + weight <= self.most {
            self.start_weight += weight;
            self.start.extend(part);
            return;
        }
        self.end_weight += weight;
        self.end.push_back(part);
        while self.end_weight > self.most
            && self.end.len() > 1
            && let Some(part) = self.end.pop_front()
        {
            self.end_weight -= weight_of(&part);
            self.left_out += part.len();
        }
    }

    /// All that is held, with a line about what is not.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut all = self.start;
        if self.left_out > 0 {
            let line = format!("\ntoolshape: {} bytes are left out here (maxLineBytes)\n", self.left_out);
            all.extend(line.into_bytes());
        }
        self.end.into_iter().for_each(|part| all.extend(part));
        all
    }

    /// The same for a text that may have secrets: whole lines or words, so that none is divided where something is left out, and a table
    /// goes on there. The line about that comes last.
    pub fn into_whole_lines(mut self) -> Vec<u8> {
        if self.left_out == 0 {
            return self.into_bytes();
        }
        let end: Vec<u8> = self.end.into_iter().flatten().collect();
        let is_space = u8::is_ascii_whitespace;
        let last = memchr::memrchr(b'\n', &self.start).or_else(|| self.start.iter().rposition(is_space)).unwrap_or(0);
        let first = memchr::memchr(b'\n', &end).or_else(|| end.iter().position(is_space)).unwrap_or(end.len());
        let left_out = self.left_out + self.start.len() - last + first;
        self.start.truncate(last);
        self.start.push(b'\n');
        self.start.extend(&end[(first + 1).min(end.len())..]);
        self.start.extend(format!("\ntoolshape: {left_out} bytes within are left out (maxLineBytes)\n").into_bytes());
        self.start
    }
}

fn weight_of(part: &[u8]) -> usize {
    let escaped = part.iter().filter(|byte| byte.is_ascii_control() && !b"\t\n\r".contains(byte)).count();
    part.len() + (ESCAPED - 1) * escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(most: usize, parts: &[&[u8]]) -> String {
        let mut held = Held::within(most);
        parts.iter().for_each(|part| held.add(part.to_vec()));
        String::from_utf8(held.into_bytes()).unwrap()
    }

    #[test]
    fn the_start_and_the_end_are_held() {
        assert_eq!(held(8, &[b"ab", b"cd", b"ef", b"gh"]), "abcdefgh");
        let line = "\ntoolshape: 4 bytes are left out here (maxLineBytes)\n";
        assert_eq!(held(8, &[b"ab", b"cd", b"ef", b"gh", b"ij", b"kl"]), format!("abcd{line}ijkl"));
        assert_eq!(held(4, &[b"long part"]), "long part");
        let mut cut = Held::within(12);
        [&b"a b\n"[..], b"c d\n", b"e f\n", b"g h\n"].iter().for_each(|part| cut.add(part.to_vec()));
        let line = "toolshape: 12 bytes within are left out (maxLineBytes)\n";
        assert_eq!(String::from_utf8(cut.into_whole_lines()).unwrap(), format!("a b\n\n{line}"));
        assert_eq!(held(2, &[b"a", b"\0", b"b"]), "a\ntoolshape: 1 bytes are left out here (maxLineBytes)\nb");
    }
}
