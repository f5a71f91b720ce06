//! Looks up a whole piece among the tokens: nine pieces in ten are one token.
//!
//! It never confuses two pieces: whole keys are compared, not hashes. A piece of at most 15 bytes is its own key, so a
//! look-up touches one cache line.

/// Longest piece that is its own key, in bytes.
pub(crate) const SHORT: usize = 15;

/// At most 15 bytes and, in the highest byte, how many.
pub(crate) type PieceKey = u128;

/// The bytes of a key of each length.
static MASKS: [u128; SHORT + 1] = {
    let mut masks = [0; SHORT + 1];
    let mut len = 1;
    while len <= SHORT {
        masks[len] = masks[len - 1] << 8 | 0xFF;
        len += 1;
    }
    masks
};

/// The key of a piece that is `len` bytes long, at most [`SHORT`], and starts at the first of 16 bytes.
#[inline]
pub(crate) fn key_in(bytes: &[u8; 16], len: usize) -> PieceKey {
    u128::from_le_bytes(*bytes) & MASKS[len & SHORT] | (len as u128) << 120
}

/// The key of a piece of at most [`SHORT`] bytes.
#[inline]
pub(crate) fn key_of(piece: &[u8]) -> PieceKey {
    let mut bytes = [0; 16];
    bytes[..piece.len()].copy_from_slice(piece);
    key_in(&bytes, piece.len())
}

/// Bytes that a key holds.
pub(crate) fn key_len(key: PieceKey) -> usize {
    (key >> 120) as usize
}

/// The key of two pieces, one after the other; zero if they are too long for one, or one is zero.
pub(crate) fn join(left: PieceKey, right: PieceKey) -> PieceKey {
    const BYTES: PieceKey = (1 << 120) - 1;
    let len = key_len(left) + key_len(right);
    if left == 0 || right == 0 || len > SHORT {
        return 0;
    }
    left & BYTES | (right & BYTES) << (8 * key_len(left)) | (len as u128) << 120
}

/// Spreads a key over 64 bits; the high ones are the good ones.
#[inline]
pub(crate) fn spread(key: PieceKey) -> u64 {
    let (low, high) = (key as u64, (key >> 64) as u64);
    low.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(high.wrapping_mul(0xC2B2_AE3D_27D4_EB4F))
}

/// Slots of one cache line.
pub(crate) const LINE: usize = 4;

/// A set of short tokens.
pub(crate) struct ShortTokens {
    /// Keys as two halves; zero where empty. A key whose line is full is left out: a piece that is not found is merged,
    /// with the same result.
    slots: Vec<[[u64; 2]; LINE]>,
    shift: u32,
}

impl ShortTokens {
    /// An empty set with room for `count` tokens.
    pub(crate) fn with_room(count: usize) -> Self {
        let lines = (count / 4).next_power_of_two().max(2);
        Self { slots: vec![[[0; 2]; LINE]; lines], shift: 64 - lines.trailing_zeros() }
    }

    #[inline]
    fn line(&self, spread: u64) -> usize {
        (spread >> self.shift) as usize
    }

    /// Whether the token is there; `spread` is that of `key`.
    #[inline]
    pub(crate) fn has(&self, key: PieceKey, spread: u64) -> bool {
        let (low, high) = (key as u64, (key >> 64) as u64);
        let other = |slot: &[u64; 2]| (slot[0] ^ low) | (slot[1] ^ high);
        let [a, b, c, d] = &self.slots[self.line(spread)];
        // Not `||`: which of the four it is cannot be predicted.
        (other(a) == 0) | (other(b) == 0) | (other(c) == 0) | (other(d) == 0)
    }

    /// Adds a token, if its line has room; zero is none.
    pub(crate) fn add(&mut self, key: PieceKey) {
        if key == 0 {
            return;
        }
        let line = self.line(spread(key));
        if let Some(slot) = self.slots[line].iter_mut().find(|slot| slot[1] == 0) {
            *slot = [key as u64, (key >> 64) as u64];
        }
    }
}
