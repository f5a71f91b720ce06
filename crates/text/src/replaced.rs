//! A text with some of its parts replaced. The parts are noted in a few bytes each, and what is left is written once, in its size: so a long
//! text is there twice, however many parts it has.

use std::ops::Range;

/// The bytes of notes that are allocated at once, and those that a part may take.
const AT_ONCE: usize = 1 << 16;
const OF_PART: usize = 32;

/// The parts that are replaced, in their order.
pub struct Replaced<'t> {
    text: &'t str,
    /// What replaces most of them.
    mark: &'t str,
    /// For each part: the bytes that are kept before it, twice its own and 1 if it has another text than the mark, and the bytes of that.
    notes: Vec<Vec<u8>>,
    others: String,
    end: usize,
    /// The bytes of what is left, up to the last part.
    len: usize,
}

impl<'t> Replaced<'t> {
    pub fn of(text: &'t str, mark: &'t str) -> Self {
        Self { text, mark, notes: Vec::new(), others: String::new(), end: 0, len: 0 }
    }

    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Where the last part ends.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Replaces a part, which begins at the end of the last one or behind it.
    pub fn add(&mut self, part: Range<usize>, with: &str) {
        let kept = part.start - self.end;
        self.end = part.end;
        self.len += kept + with.len();
        let is_other = with != self.mark;
        if self.notes.last().is_none_or(|notes| notes.len() + OF_PART > AT_ONCE) {
            self.notes.push(Vec::with_capacity(if self.notes.is_empty() { 0 } else { AT_ONCE }));
        }
        let Some(notes) = self.notes.last_mut() else { return };
        write(kept, notes);
        write(part.len() << 1 | usize::from(is_other), notes);
        if is_other {
            write(with.len(), notes);
            self.others.push_str(with);
        }
    }

    /// What is left of the text; `None` if nothing is replaced.
    pub fn whole(&self) -> Option<String> {
        if self.notes.is_empty() {
            return None;
        }
        let mut out = String::with_capacity(self.len + self.text.len() - self.end);
        let (mut text, mut others) = (self.text, &*self.others);
        for notes in &self.notes {
            let mut notes = &notes[..];
            while !notes.is_empty() {
                let (kept, rest) = text.split_at(read(&mut notes));
                let part = read(&mut notes);
                let mut with = self.mark;
                if part & 1 == 1 {
                    (with, others) = others.split_at(read(&mut notes));
                }
                out.push_str(kept);
                out.push_str(with);
                text = &rest[part >> 1..];
            }
        }
        out.push_str(text);
        Some(out)
    }
}

/// A number, seven bits in a byte, of which the last has no eighth.
fn write(mut number: usize, notes: &mut Vec<u8>) {
    while number > 0x7f {
        notes.push(number as u8 | 0x80);
        number >>= 7;
    }
    notes.push(number as u8);
}

fn read(notes: &mut &[u8]) -> usize {
    let (mut number, mut bits) = (0, 0);
    while let Some((byte, rest)) = notes.split_first() {
        *notes = rest;
        number |= usize::from(byte & 0x7f) << bits;
        bits += 7;
        if *byte < 0x80 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_replaced_in_their_order() {
        let text = "ab ".repeat(100_000);
        let mut replaced = Replaced::of(&text, "…");
        assert_eq!(replaced.whole(), None);
        for at in 0..100_000 {
            replaced.add(3 * at + at % 3..3 * at + 3, if at % 1000 == 7 { "other" } else { "…" });
        }
        let wanted: String = (0..100_000)
            .map(|at| ["", "a", "ab"][at % 3].to_owned() + if at % 1000 == 7 { "other" } else { "…" })
            .collect();
        assert!(replaced.whole() == Some(wanted));
        assert!(replaced.notes.iter().map(Vec::capacity).sum::<usize>() < text.len());
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for number in [0, 1, 127, 128, 300, 1 << 20, u32::MAX as usize] {
            let mut notes = Vec::new();
            write(number, &mut notes);
            let mut notes = &notes[..];
            assert_eq!((read(&mut notes), notes.len()), (number, 0));
        }
    }
}
