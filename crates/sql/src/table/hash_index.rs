//! Which rows of a table may have a value in a column: an index for joins.
//!
//! Numbers and texts that are numbers have the hash of the number, since SQLite may compare one with the other. What is found
//! is compared again.

/// The hash of a value and the row that has it, sorted.
pub struct HashIndex(Vec<(u64, u32)>);

impl HashIndex {
    pub fn new(mut entries: Vec<(u64, u32)>) -> Self {
        entries.sort_unstable();
        entries.shrink_to_fit();
        Self(entries)
    }

    /// The places of the entries with a hash.
    pub fn places(&self, hash: u64) -> std::ops::Range<usize> {
        let from = self.0.partition_point(|entry| entry.0 < hash);
        let len = self.0[from..].partition_point(|entry| entry.0 <= hash);
        from..from + len
    }

    /// The bytes that finding the places of a hash reads: an entry at each step of two searches.
    pub fn searched_bytes(&self) -> usize {
        2 * self.0.len().max(2).ilog2() as usize * size_of::<(u64, u32)>()
    }

    /// The row at a place.
    pub fn row(&self, place: usize) -> usize {
        self.0[place].1 as usize
    }

    pub fn of_number(number: f64) -> u64 {
        // Minus zero equals zero.
        mixed((number + 0.0).to_bits() ^ 0x9e37)
    }

    pub fn of_text(text: &str) -> u64 {
        let bare = text.trim_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
        let may_be_number = bare.as_bytes().first().is_some_and(|byte| byte.is_ascii_digit() || b"+-.".contains(byte));
        match may_be_number.then(|| bare.parse::<f64>()) {
            Some(Ok(number)) => Self::of_number(number),
            _ => toolshape_text::hash::hash(text.as_bytes()),
        }
    }
}

fn mixed(bits: u64) -> u64 {
    (bits ^ (bits >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (bits >> 32)
}
