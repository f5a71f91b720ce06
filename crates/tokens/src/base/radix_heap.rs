//! A queue of places with keys that only rise.
//!
//! Returns all places of the least key at once and in order, in constant time for each bit of a key. No later key may
//! be less than the last key that was popped. It is the radix heap of Ahuja, Mehlhorn, Orlin and Tarjan (1990).

use std::collections::BinaryHeap;

#[derive(Default)]
pub(crate) struct RadixHeap {
    last: u32,
    /// Key and place, in the bucket of the highest bit in which the key differs from the last one.
    buckets: [Vec<(u32, u32)>; 32],
    /// The places of the last key.
    least: Vec<u32>,
}

impl RadixHeap {
    /// Clears all places and the last key.
    pub(crate) fn clear(&mut self) {
        self.last = 0;
        self.buckets.iter_mut().for_each(Vec::clear);
        self.least.clear();
    }

    /// Adds a place under a key.
    #[inline]
    pub(crate) fn push(&mut self, key: u32, place: u32) {
        match (key ^ self.last).checked_ilog2() {
            None => self.least.push(place),
            Some(bit) => self.buckets[bit as usize].push((key, place)),
        }
    }

    /// Replaces `places` by those of the least key, and returns the key.
    pub(crate) fn pop(&mut self, places: &mut Vec<u32>) -> Option<u32> {
        if self.least.is_empty() {
            let first = self.buckets.iter().position(|bucket| !bucket.is_empty())?;
            let mut bucket = std::mem::take(&mut self.buckets[first]);
            self.last = bucket.iter().map(|&(key, _)| key).min()?;
            bucket.drain(..).for_each(|(key, place)| self.push(key, place));
            self.buckets[first] = bucket;
        }
        places.clear();
        std::mem::swap(places, &mut self.least);
        if !places.is_sorted() {
            // A heap needs a tenth of the code size of the standard sort.
            *places = BinaryHeap::from(std::mem::take(places)).into_sorted_vec();
        }
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_least_key_comes_first_with_its_places_in_order() {
        let (mut queue, mut places) = (RadixHeap::default(), Vec::new());
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 33) as u32
        };
        for bits in [2, 9, 17] {
            queue.clear();
            let (mut expected, mut last) = (BTreeMap::<u32, Vec<u32>>::new(), 0);
            for round in 0..10_000 {
                if round < 5_000 && random() % 5 < 3 {
                    let (key, place) = (last + random() % (1 << bits), random());
                    expected.entry(key).or_default().push(place);
                    queue.push(key, place);
                    continue;
                }
                let popped = queue.pop(&mut places);
                let Some((key, mut others)) = expected.pop_first() else {
                    assert_eq!(popped, None);
                    continue;
                };
                others.sort_unstable();
                assert_eq!((popped, &places), (Some(key), &others));
                last = key;
            }
        }
    }
}
