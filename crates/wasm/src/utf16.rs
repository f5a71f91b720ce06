//! Where the characters of a long JavaScript string are: the host counts in UTF-16 units, and the core in characters, of which
//! some are pairs of units.

use toolshape_json::{is_pair, pairs};

/// A place is kept for each of this many units.
const STEP: usize = 1 << 10;
/// Units that are read at a time.
const AT_ONCE: usize = 64 * STEP;

/// The places of a string's characters.
pub(crate) struct Places {
    /// How many characters begin before each step.
    before: Vec<u32>,
    pub chars: usize,
    pub units: usize,
}

impl Places {
    /// Those of a string. `read` copies its units from one on, and returns how many.
    pub fn of(read: impl Fn(usize, &mut [u16]) -> usize) -> Self {
        let mut places = Self { before: Vec::new(), chars: 0, units: 0 };
        let (mut units, mut last) = (vec![0; AT_ONCE], 0);
        loop {
            let len = read(places.units, &mut units);
            for step in units[..len].chunks(STEP) {
                places.before.push(places.chars as u32);
                places.chars += step.len() - pairs(last, step);
                last = step[step.len() - 1];
            }
            places.units += len;
            if len < AT_ONCE {
                return places;
            }
        }
    }

    /// The unit with which a character begins; the number of units if it is after the last one.
    pub fn unit_of(&self, index: usize, read: impl Fn(usize, &mut [u16]) -> usize) -> usize {
        if index >= self.chars {
            return self.units;
        }
        let step = self.before.partition_point(|&before| before as usize <= index) - 1;
        // A pair may begin before the step, or end after it.
        let start = (step * STEP).saturating_sub(1);
        let mut units = [0; STEP + 2];
        let len = read(start, &mut units);
        let is_pair_at = |at: usize| at + 1 < len && is_pair(units[at], units[at + 1]);
        let mut at = step * STEP - start;
        at += usize::from(at == 1 && is_pair_at(0));
        for _ in self.before[step] as usize..index {
            at += 1 + usize::from(is_pair_at(at));
        }
        start + at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_begins_where_the_text_says() {
        for text in
            ["a🙂".repeat(70_000), "🙂".repeat(5000) + &"é".repeat(AT_ONCE), format!("{}🙂", "日".repeat(STEP - 1))]
        {
            let units: Vec<u16> = text.encode_utf16().collect();
            let read = |start: usize, into: &mut [u16]| {
                let part = &units[start.min(units.len())..units.len().min(start + into.len())];
                into[..part.len()].copy_from_slice(part);
                part.len()
            };
            let places = Places::of(read);
            assert_eq!((places.chars, places.units), (text.chars().count(), units.len()));
            let mut unit = 0;
            for (index, c) in text.chars().enumerate() {
                assert_eq!(places.unit_of(index, read), unit, "character {index}");
                unit += c.len_utf16();
            }
            assert_eq!(places.unit_of(places.chars, read), units.len());
        }
    }
}
