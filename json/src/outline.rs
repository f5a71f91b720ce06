//! Where the large values of a checked text begin and end, so that they are stepped over and not read again.
//!
//! Promises that a walk over the members of one value after the other, however deep they nest, reads few bytes more
//! often than it walks over the value they are directly in; and that the places are few: one for each [`LARGE`] bytes.

use crate::scan::{next_mark, skip_scalar, skip_string};

/// A value is large if so many bytes of it lie in no large value inside of it.
pub const LARGE: usize = 512;

/// The places of the large values of a text, in the order in which they begin.
#[derive(Clone, Debug, Default)]
pub struct Outline(Vec<Place>);

/// Where a value begins and ends, and how many members it has, if it is an array or an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub start: usize,
    pub end: usize,
    pub members: usize,
}

impl Outline {
    /// How many large values there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Takes up a value that ends behind all others, and stands around those but the first so many.
    pub(crate) fn enclose(&mut self, first: usize, place: Place) {
        self.0.insert(first, place);
    }

    /// How many members the array or the object has that begins at `start`, if it is a large one.
    pub fn members(&self, start: usize) -> Option<usize> {
        let at = self.0.binary_search_by_key(&start, |place| place.start).ok()?;
        Some(self.0[at].members)
    }

    /// The way through the value `bytes`, which begins at `start` of the text, from `at` on.
    pub fn steps<'t>(&'t self, bytes: &'t [u8], start: usize, at: usize) -> Steps<'t> {
        let places = &self.0[self.0.partition_point(|place| place.start < start + at)..];
        Steps { bytes, start, places }
    }
}

/// A way through a value in checked text, from front to back, that steps over large ones inside of it.
pub struct Steps<'t> {
    bytes: &'t [u8],
    /// Where the value begins in the text that the places are of.
    start: usize,
    /// Those that are still ahead.
    places: &'t [Place],
}

impl<'t> Steps<'t> {
    /// The way through a value of whose inside nothing is known.
    pub fn new(bytes: &'t [u8]) -> Self {
        Self { bytes, start: 0, places: &[] }
    }

    /// The end of the value that begins at `at`, which lies ahead of all that were skipped before, and in none of them.
    pub fn skip_value(&mut self, mut at: usize) -> usize {
        let mut depth = 0usize;
        loop {
            at = match self.bytes[at] {
                b'"' | b'{' | b'[' if self.is_next(at) => self.step_over(),
                b'"' => skip_string(self.bytes, at),
                b'{' | b'[' => {
                    depth += 1;
                    at + 1
                }
                b'}' | b']' => {
                    depth -= 1;
                    at + 1
                }
                _ if depth == 0 => skip_scalar(self.bytes, at),
                _ => at + 1,
            };
            if depth == 0 {
                return at;
            }
            at = next_mark(self.bytes, at);
        }
    }

    /// Whether a large value begins at `at`.
    fn is_next(&self, at: usize) -> bool {
        self.places.first().is_some_and(|place| place.start == at + self.start)
    }

    /// The end of the next large value.
    fn step_over(&mut self) -> usize {
        let end = self.places[0].end;
        self.places = &self.places[self.places.partition_point(|place| place.start < end)..];
        end - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check, next_member, skip_space, skip_value};

    /// Arrays, objects and strings of any size, one in the other, with marks of JSON in the strings.
    fn nested(levels: usize, seed: &mut u32) -> String {
        *seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12345);
        let (choice, count) = ((*seed >> 16) % 4, (*seed >> 20) as usize % 7);
        let mut members = |between: &str| {
            let members: Vec<String> = (0..count).map(|at| between.replace('#', &at.to_string())).collect();
            members.iter().map(|key| format!("{key}{}", nested(levels - 1, seed))).collect::<Vec<_>>().join(" , ")
        };
        match choice {
            0 => format!("\"{}\"", r#"{[\"\\]}é "#.repeat(count * count * 4)),
            _ if levels == 0 => "-1.5e3".to_owned(),
            1 => format!("[{}]", members("")),
            _ => format!("{{ {}}}", members(r##""]#\"{" : "##)),
        }
    }

    /// Where the members of the value at `start` begin and end.
    fn members(bytes: &[u8], start: usize, mut skip: impl FnMut(usize) -> usize) -> Vec<(usize, usize)> {
        let (mut found, mut at) = (Vec::new(), skip_space(bytes, start + 1));
        while !matches!(bytes[at], b']' | b'}') {
            if bytes[start] == b'{' {
                at = skip_space(bytes, skip_space(bytes, skip_string(bytes, at)) + 1);
            }
            let end = skip(at);
            found.push((at, end));
            at = next_member(bytes, end);
        }
        found
    }

    #[test]
    fn stepping_over_values_leads_where_reading_them_does() {
        let mut seed = 7;
        let mut large = 0;
        for _ in 0..200 {
            let text = nested(6, &mut seed);
            let bytes = text.as_bytes();
            let outline = check(&text, 10, &mut |_| {}).unwrap().outline;
            large += outline.count();
            let mut waiting = vec![(0, bytes.len())];
            while let Some((start, end)) = waiting.pop() {
                if !matches!(bytes[start], b'[' | b'{') {
                    continue;
                }
                let mut steps = outline.steps(&bytes[start..end], start, 1);
                let stepped = members(bytes, start, |at| steps.skip_value(at - start) + start);
                assert!(outline.members(start).is_none_or(|count| count == stepped.len()), "{text}");
                assert_eq!(stepped, members(bytes, start, |at| skip_value(bytes, at)), "{text}");
                waiting.extend(stepped);
            }
        }
        assert!(large > 1000, "{large} large values");
    }

    #[test]
    fn there_is_one_place_for_so_many_bytes_however_values_nest() {
        let row = format!("[{}]", "1,".repeat(LARGE / 2) + "1");
        let deep = format!("{}{row},{row}{}", "[".repeat(2000), "]".repeat(2000));
        for text in [format!("[{}{deep}]", format!("{deep},").repeat(20)), format!("\"{}\"", "a".repeat(10_000))] {
            let outline = check(&text, 4096, &mut |_| {}).unwrap().outline;
            assert!((1..=text.len() / LARGE).contains(&outline.count()), "{} places", outline.count());
        }
    }
}
