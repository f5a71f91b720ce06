//! The places of the large values of a checked text, so that a walk skips them and does not read them again.
//!
//! A walk over the members of value after value, at any depth, reads few bytes more often than it walks over the value
//! that directly contains them. The number of places is small: one for each [`LARGE`] bytes.

use std::ops::Range;

use crate::scan::{next_mark, skip_scalar, skip_space, skip_string};

/// A value is large if it contains this many bytes outside of large values inside it.
pub const LARGE: usize = 512;

/// The places of the large values of a text, in the order of their starts, and of some of their members.
#[derive(Clone, Debug, Default)]
pub struct ValueIndex {
    places: Vec<LargeValue>,
    /// For each large array or object in turn, a member for every [`LARGE`] bytes outside of large values inside it.
    marks: Vec<MemberMark>,
}

/// The start and the end of a value, and the number of its members if it is an array or an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LargeValue {
    start: usize,
    end: usize,
    members: usize,
    /// Which of the marks are its members: the first, and the one after the last.
    marks: [usize; 2],
}

/// The index of a member, and where in the text it begins; an object's member begins with its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberMark {
    pub index: usize,
    pub at: usize,
}

impl ValueIndex {
    /// How many large values there are.
    pub(crate) fn count(&self) -> usize {
        self.places.len()
    }

    /// Adds a value that ends after all others and contains all of them except the first `first`.
    pub(crate) fn enclose(&mut self, first: usize, value: Range<usize>, members: usize, marks: &[MemberMark]) {
        let before = self.marks.len();
        self.marks.extend_from_slice(marks);
        let marks = [before, self.marks.len()];
        self.places.insert(first, LargeValue { start: value.start, end: value.end, members, marks });
    }

    /// The number of members of the array or object that begins at `start`, if it is large.
    pub fn members(&self, start: usize) -> Option<usize> {
        Some(self.place(start)?.members)
    }

    /// The last known member of the array or object that begins at `start` which is not after the one at `index`.
    pub fn mark(&self, start: usize, index: usize) -> Option<MemberMark> {
        let [first, end] = self.place(start)?.marks;
        let marks = &self.marks[first..end];
        marks[..marks.partition_point(|mark| mark.index <= index)].last().copied()
    }

    fn place(&self, start: usize) -> Option<&LargeValue> {
        let at = self.places.binary_search_by_key(&start, |place| place.start).ok()?;
        Some(&self.places[at])
    }

    /// A walk through the value `bytes`, which begins at `start` of the text, from `at` on.
    pub fn steps<'t>(&'t self, bytes: &'t [u8], start: usize, at: usize) -> Steps<'t> {
        let places = &self.places[self.places.partition_point(|place| place.start < start + at)..];
        Steps { bytes, start, places, unread: 0 }
    }
}

/// A walk through a value in checked text, from start to end, that skips the large values inside it.
#[derive(Clone)]
pub struct Steps<'t> {
    bytes: &'t [u8],
    /// The start of the value in the text that the places belong to.
    start: usize,
    /// The places that are still ahead.
    places: &'t [LargeValue],
    /// The bytes that were stepped over.
    unread: usize,
}

impl<'t> Steps<'t> {
    /// A walk through a value without known places.
    pub fn new(bytes: &'t [u8]) -> Self {
        Self { bytes, start: 0, places: &[], unread: 0 }
    }

    /// The end of the value that begins at `at`; it must be after all skipped values, and in none of them.
    pub fn skip_value(&mut self, at: usize) -> usize {
        self.skip(at).0
    }

    /// The same, and the number of its entries if it is an object that is not large.
    pub fn skip_counted(&mut self, at: usize) -> (usize, Option<usize>) {
        let is_read = self.bytes[at] == b'{' && !self.is_next(at);
        let (end, entries) = self.skip(at);
        (end, is_read.then_some(entries))
    }

    /// Goes into the array or object that begins at `at`, and returns its end if that is known.
    pub fn enter(&mut self, at: usize) -> Option<usize> {
        if !self.is_next(at) {
            return None;
        }
        let end = self.places[0].end - self.start;
        self.places = &self.places[1..];
        Some(end)
    }

    /// Goes on from `at` to `end`, after everything that begins before it.
    pub fn leave(&mut self, at: usize, end: usize) -> usize {
        self.unread += end - at;
        self.places = &self.places[self.places.partition_point(|place| place.start < end + self.start)..];
        end
    }

    /// The end of the value at `at`, and how many keys were found on its first level.
    fn skip(&mut self, mut at: usize) -> (usize, usize) {
        let (mut depth, mut keys) = (0_usize, 0);
        loop {
            at = match self.bytes[at] {
                b'{' | b'[' if self.is_next(at) => self.step_over(),
                b'"' => {
                    let end = if self.is_next(at) { self.step_over() } else { skip_string(self.bytes, at) };
                    keys += usize::from(depth == 1 && self.bytes.get(skip_space(self.bytes, end)) == Some(&b':'));
                    end
                }
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
                return (at, keys);
            }
            at = next_mark(self.bytes, at);
        }
    }

    /// Whether a large value begins at `at`.
    fn is_next(&self, at: usize) -> bool {
        self.places.first().is_some_and(|place| place.start == at + self.start)
    }

    /// The bytes that were stepped over and not read, because they are in large values.
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// The end of the next large value.
    fn step_over(&mut self) -> usize {
        let LargeValue { start, end, .. } = self.places[0];
        self.unread += end - start;
        self.places = &self.places[1..];
        // Most large values have no other inside.
        if self.places.first().is_some_and(|place| place.start < end) {
            self.places = &self.places[self.places.partition_point(|place| place.start < end)..];
        }
        end - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check, next_member, skip_space, skip_value};

    /// Arrays, objects and strings of any size, nested, with JSON punctuation in the strings.
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

    /// The start and the end of each member of the value at `start`.
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
        // Miri takes a second for what takes a millisecond otherwise.
        let (documents, levels, wanted) = if cfg!(miri) { (6, 2, 4) } else { (200, 6, 1000) };
        let mut seed = 7;
        let (mut large, mut marked, mut counted) = (0, 0, 0);
        for _ in 0..documents {
            let text = nested(levels, &mut seed);
            let bytes = text.as_bytes();
            let outline = check(&text, 10).unwrap().outline;
            large += outline.count();
            let mut waiting = vec![(0, bytes.len())];
            while let Some((start, end)) = waiting.pop() {
                if !matches!(bytes[start], b'[' | b'{') {
                    continue;
                }
                let mut steps = outline.steps(&bytes[start..end], start, 1);
                let stepped = members(bytes, start, |at| {
                    let (end, entries) = steps.skip_counted(at - start);
                    if let Some(entries) = entries {
                        counted += 1;
                        assert_eq!(entries, members(bytes, at, |at| skip_value(bytes, at)).len(), "{text}");
                    }
                    end + start
                });
                assert!(outline.members(start).is_none_or(|count| count == stepped.len()), "{text}");
                let is_object = bytes[start] == b'{';
                for index in 0..stepped.len() {
                    let Some(mark) = outline.mark(start, index) else { continue };
                    marked += 1;
                    let value = stepped[mark.index].0;
                    assert!(mark.index <= index, "{text}");
                    // An object's member begins with its key.
                    assert!(if is_object {
                        (stepped[mark.index - 1].1..value).contains(&mark.at)
                    } else {
                        mark.at == value
                    });
                    assert!(bytes[mark.at] == b'"' || !is_object, "{text}");
                }
                assert_eq!(stepped, members(bytes, start, |at| skip_value(bytes, at)), "{text}");
                waiting.extend(stepped);
            }
        }
        assert!(large > wanted, "{large} large values");
        assert!(cfg!(miri) || marked > wanted, "{marked} marks");
        assert!(cfg!(miri) || counted > wanted, "{counted} objects are counted");
    }

    #[test]
    fn there_is_one_place_for_so_many_bytes_however_values_nest() {
        let row = format!("[{}]", "1,".repeat(LARGE / 2) + "1");
        // Miri takes a second for what takes a millisecond otherwise.
        let (levels, times) = if cfg!(miri) { (50, 1) } else { (2000, 20) };
        let deep = format!("{}{row},{row}{}", "[".repeat(levels), "]".repeat(levels));
        for text in [format!("[{}{deep}]", format!("{deep},").repeat(times)), format!("\"{}\"", "a".repeat(10_000))] {
            let outline = check(&text, 4096).unwrap().outline;
            assert!((1..=text.len() / LARGE).contains(&outline.count()), "{} places", outline.count());
            assert!(outline.marks.len() <= text.len() / LARGE, "{} marks", outline.marks.len());
        }
    }
    #[test]
    fn a_member_is_near_a_mark() {
        let rows: Vec<String> = (0..10_000).map(|at| format!("{{\"id\":{at},\"name\":\"row {at}\"}}")).collect();
        let list = format!("[{}]", rows.join(","));
        let map =
            format!("{{{}}}", rows.iter().map(|row| format!("\"k{}\":{row}", row.len())).collect::<Vec<_>>().join(","));
        for text in [&list, &map] {
            let outline = check(text, 10).unwrap().outline;
            let far = (0..rows.len()).map(|index| index - outline.mark(0, index).map_or(0, |mark| mark.index)).max();
            // A row has 24 bytes or more.
            assert!(far <= Some(LARGE / 24 + 1), "{far:?}");
        }
    }
}
