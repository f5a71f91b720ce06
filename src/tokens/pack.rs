//! The packed form of a vocabulary: merges in the order of their ranks, arithmetically coded.
//!
//! Promises that what was packed is unpacked, and that bytes that are not a packed vocabulary are
//! refused. Every token but the 256 bytes is one merge of two earlier tokens, so a vocabulary is a
//! list of pairs of ranks. The coder is the binary range coder of LZMA (Igor Pavlov) with
//! adaptive probabilities. The model is written once, over [`Coder`], for both directions; `cargo
//! xtask vocab` includes this file for the other one.

/// First bytes of a packed vocabulary; the last one is the version of the format.
pub const MAGIC: [u8; 4] = *b"tsv\x02";
/// Bytes before the coded merges: magic, how many merges, checksum of the merges.
pub const HEADER: usize = 12;
/// More merges than any known vocabulary has, and as many as ranks of 18 bits can name.
pub const MAX_MERGES: u32 = (1 << 18) - 256;

/// One direction of the range coder.
pub trait Coder {
    /// Codes one binary decision. The decoder ignores `bit` and answers what was coded.
    fn bit(&mut self, chance: &mut u16, bit: u32) -> u32;
    /// Codes `count` equally likely bits, at most 16.
    fn plain(&mut self, count: u32, bits: u32) -> u32;
}

/// Two earlier ranks, left and right.
pub type Merge = (u32, u32);

/// Precision of a chance: how likely the next bit is 0, out of `1 << CHANCE_BITS`.
pub const CHANCE_BITS: u32 = 15;
const EVEN: u16 = 1 << (CHANCE_BITS - 1);
const RATE: u32 = 5;

/// Moves `chance` towards the bit that came.
#[inline]
pub fn learn(chance: &mut u16, bit: u32) {
    if bit == 0 {
        *chance += ((1 << CHANCE_BITS) - *chance) >> RATE;
    } else {
        *chance -= *chance >> RATE;
    }
}

/// The bytes in the order of their ranks, as all of OpenAI's vocabularies have them: first those
/// that print in Latin-1, then the others.
pub fn byte_order() -> impl Iterator<Item = u8> {
    let prints = |byte: &u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    (0..=255).filter(prints).chain((0..=255).filter(move |byte| !prints(byte)))
}
/// Highest bits of a rank that are learned; more would save two bytes in a hundred, and take half as
/// long again to unpack.
const TREE: u32 = 4;

/// What has been learned about one of the two ranks.
struct Ranks {
    /// Whether a rank has so many bits, from as many as it may have downwards.
    widths: [[u16; 32]; 32],
    tops: [[u16; 1 << TREE]; 32],
}

impl Ranks {
    fn new() -> Self {
        Self { widths: [[EVEN; 32]; 32], tops: [[EVEN; 1 << TREE]; 32] }
    }

    /// Codes a rank below `known`.
    fn code(&mut self, coder: &mut impl Coder, known: u32, value: u32) -> u32 {
        let bits = |rank: u32| 31 - (rank + 1).leading_zeros();
        let most = bits(known);
        let mut width = most;
        while width > 0
            && coder.bit(&mut self.widths[most as usize][width as usize], u32::from(bits(value) == width)) == 0
        {
            width -= 1;
        }
        let rest = (value + 1) ^ (1 << width);
        let low = width.saturating_sub(TREE);
        let high = tree(coder, &mut self.tops[width as usize], width - low, rest >> low);
        let low_bits = if low == 0 { 0 } else { coder.plain(low, rest & ((1 << low) - 1)) };
        (1 << width | high << low | low_bits) - 1
    }
}

fn tree(coder: &mut impl Coder, slots: &mut [u16], depth: u32, value: u32) -> u32 {
    let mut node = 1;
    for level in (0..depth).rev() {
        node = node << 1 | coder.bit(&mut slots[node as usize], value >> level & 1);
    }
    node ^ (1 << depth)
}

/// The model: codes the merges one after the other.
pub struct Model {
    left: Ranks,
    right: Ranks,
}

impl Model {
    pub fn new() -> Self {
        Self { left: Ranks::new(), right: Ranks::new() }
    }

    /// Codes one merge of ranks below `known`; the decoder ignores `merge` and answers what was coded,
    /// which may be junk where the input is.
    pub fn merge(&mut self, coder: &mut impl Coder, known: u32, merge: Merge) -> Merge {
        (self.left.code(coder, known, merge.0), self.right.code(coder, known, merge.1))
    }
}

/// Adds one merge to a checksum (FNV-1a over the two ranks).
pub fn checksum(sum: u32, (left, right): Merge) -> u32 {
    [left, right].iter().fold(sum, |sum, &rank| (sum ^ rank).wrapping_mul(0x0100_0193))
}

/// Reads what the range coder wrote.
pub struct Decoder<'a> {
    input: std::slice::Iter<'a, u8>,
    range: u32,
    code: u32,
}

impl<'a> Decoder<'a> {
    pub fn new(coded: &'a [u8]) -> Self {
        let mut decoder = Self { input: coded.iter(), range: u32::MAX, code: 0 };
        for _ in 0..4 {
            decoder.shift();
        }
        decoder
    }

    #[inline]
    fn shift(&mut self) {
        self.code = self.code << 8 | u32::from(self.input.next().copied().unwrap_or(0));
    }

    #[inline]
    fn fill(&mut self) {
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
    }
}

impl Coder for Decoder<'_> {
    #[inline]
    fn bit(&mut self, chance: &mut u16, _: u32) -> u32 {
        let bound = (self.range >> CHANCE_BITS) * u32::from(*chance);
        let bit = u32::from(self.code >= bound);
        if bit == 0 {
            self.range = bound;
        } else {
            self.code -= bound;
            self.range -= bound;
        }
        learn(chance, bit);
        self.fill();
        bit
    }

    #[inline]
    fn plain(&mut self, count: u32, _: u32) -> u32 {
        self.range >>= count;
        let bits = (self.code / self.range).min((1 << count) - 1);
        self.code -= bits * self.range;
        self.fill();
        bits
    }
}

/// The merges of a packed vocabulary, or `None` where `packed` is not one.
pub fn unpack(packed: &[u8]) -> Option<Vec<Merge>> {
    let (header, coded) = packed.split_at_checked(HEADER)?;
    let word = |at: usize| Some(u32::from_le_bytes(header[at..].first_chunk().copied()?));
    let (count, sum) = (word(4)?, word(8)?);
    if header[..4] != MAGIC || count > MAX_MERGES {
        return None;
    }
    let mut decoder = Decoder::new(coded);
    let mut model = Model::new();
    let mut merges = Vec::with_capacity(count as usize);
    let mut seen = 0;
    for known in 256..256 + count {
        let merge = model.merge(&mut decoder, known, (0, 0));
        if merge.0 >= known || merge.1 >= known {
            return None;
        }
        seen = checksum(seen, merge);
        merges.push(merge);
    }
    (seen == sum).then_some(merges)
}
