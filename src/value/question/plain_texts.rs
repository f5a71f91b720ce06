//! Texts that are spelled with escapes, as they are read: each is read once, however often it is compared.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use crate::base::json_string::{self, Quoted};
use crate::base::work::{Going, Work};

use super::keyed::Keyed;

/// To read a byte of a text with escapes takes as long as to look at this many others.
const READ: usize = 4;
/// Bytes that are held of a key in place of one with escapes.
const KEY_BYTES: usize = size_of::<Keyed<'_>>();

/// The texts of keys without escapes, each in quotes.
pub(super) struct PlainTexts {
    all: String,
    /// The number of a key, and where its text is.
    places: Vec<(usize, Range<usize>)>,
}

impl PlainTexts {
    /// Of the keys that have escapes; stops if that takes too much work.
    pub fn of(keys: &[Keyed<'_>], work: &Work) -> Going<Self> {
        let (mut all, mut places) = (String::new(), Vec::new());
        for (number, key) in keys.iter().enumerate().filter(|(_, key)| key.has_escapes()) {
            if places.is_empty() {
                work.hold(KEY_BYTES * keys.len())?;
            }
            work.spend(READ * key.json.len())?;
            // What is read is shorter than its spelling; a place takes less than two keys.
            work.hold(key.json.len() + 2 * KEY_BYTES)?;
            let start = all.len();
            all.push('"');
            all.push_str(&json_string::unescape(Quoted::new(key.json).literal()));
            all.push('"');
            places.push((number, start..all.len()));
        }
        ControlFlow::Continue(Self { all, places })
    }

    /// The keys, those with escapes by what they say.
    pub fn in_place_of<'k>(&'k self, keys: &'k [Keyed<'k>]) -> Cow<'k, [Keyed<'k>]> {
        if self.places.is_empty() {
            return Cow::Borrowed(keys);
        }
        let mut plain = keys.to_vec();
        for (number, place) in &self.places {
            plain[*number] = plain[*number].spelled(&self.all[place.clone()]);
        }
        Cow::Owned(plain)
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::super::keyed::Reach;
    use super::*;

    #[test]
    fn texts_keep_their_order_without_escapes() {
        let texts =
            [r#""a\u0062""#, r#""ab""#, r#""\ud83d\ude00\n""#, r#""\ud83d""#, r#""a\"b""#, "null", "1", r#""\\\\z""#];
        let (keys, reach) = (texts.map(Keyed::new), Reach::new(100));
        let ControlFlow::Continue(plain) = PlainTexts::of(&keys, &Work::over(1000)) else { panic!() };
        let read = plain.in_place_of(&keys);
        for (a, before) in keys.iter().enumerate() {
            for (b, other) in keys.iter().enumerate() {
                let order = before.compare(other, false, &reach);
                assert_eq!(read[a].compare(&read[b], false, &reach), order, "{} {}", texts[a], texts[b]);
            }
        }
        assert_eq!(read[0].compare(&read[1], false, &reach), Ordering::Equal);
        assert!(read.iter().all(|key| !key.has_escapes()));
    }
}
