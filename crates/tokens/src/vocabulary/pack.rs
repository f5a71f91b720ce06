//! The packed form of a vocabulary: merges in the order of their ranks, entropy coded.
//!
//! Unpacking restores what was packed, and refuses bytes that are not a packed vocabulary. Every token but the 256
//! bytes is one merge of two earlier tokens, so a vocabulary is a list of pairs of ranks. A token is named by the
//! script it is written in ([`Kind`]) and its place among the tokens of that script: the end of a token predicts well
//! what it is merged with. The coder is rANS (Jarek Duda) with frequencies that are stored before the code, which
//! unpacks a merge in six steps. The model is written once, over [`Coder`], for both directions; `examples/pack_vocabularies.rs`
//! includes this file for the other one.

/// First bytes of a packed vocabulary; the last one is the version of the format.
pub const MAGIC: [u8; 4] = *b"tsv\x03";
/// Bytes before the frequencies: magic, how many merges, checksum of the merges.
pub const HEADER: usize = 12;
/// More merges than any known vocabulary has, and as many as ranks of 18 bits can name.
pub const MAX_MERGES: u32 = (1 << 18) - 256;

/// Frequencies of a context add up to `1 << SCALE_BITS`.
pub const SCALE_BITS: u32 = 12;
/// The state of the coder is at least this between two steps; it is filled up by 16 bits at a time.
pub const LOWEST: u32 = 1 << 16;

/// One direction of the coder.
pub trait Coder {
    /// Codes a symbol by the frequencies of its context. The decoder ignores `symbol` and returns what was coded.
    fn symbol(&mut self, context: usize, symbol: u8) -> u8;
    /// Codes `count` equally likely bits, at most 16.
    fn plain(&mut self, count: u32, bits: u32) -> u32;
}

/// Two earlier ranks, left and right.
pub type Merge = (u32, u32);

/// The bytes in the order of their ranks, as all of OpenAI's vocabularies have them: first those
/// that print in Latin-1, then the others.
pub fn byte_order() -> impl Iterator<Item = u8> {
    let prints = |byte: &u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    (0..=255).filter(prints).chain((0..=255).filter(move |byte| !prints(byte)))
}

/// The first two bytes of a character, as far as they are there.
pub type Lead = [u8; 2];

/// The script of a character, or near enough: what the first bytes of its UTF-8 have in common.
pub fn script([first, second]: Lead) -> u8 {
    let pair = (second & 0x3F) >> 1;
    match first {
        b' ' => 0,
        0..b' ' => 1,
        b'a'..=b'z' => 2,
        b'A'..=b'Z' => 3,
        b'0'..=b'9' => 4,
        b'!'..=b'/' | b':'..=b'@' | b'['..=b'`' | b'{'..=0x7F => 5,
        0x80..0xC0 => 6,
        0xC0..0xE0 => 7 + ((first & 0x1F) >> 1),
        0xE0 => 23 + (pair & 15),
        0xE1 => 39 + pair,
        0xE2 => 71,
        0xE3 => 72 + pair.min(2),
        0xE4..=0xE9 => 75,
        0xEA..=0xEE => 76,
        0xEF => 77,
        0xF0.. => 78,
    }
}
/// How many scripts there are.
pub const SCRIPTS: usize = 79;

/// What is known of a token's spelling.
#[derive(Clone, Copy)]
struct Spelling {
    /// Whether it begins with a space, and what follows.
    spaced: bool,
    head: Lead,
    /// Its last character. If it has only the rest of one, what it has of that.
    tail: Lead,
    /// Whether all of it goes on with a character.
    rest: bool,
}

impl Spelling {
    fn of_byte(byte: u8) -> Self {
        Self { spaced: false, head: [byte, 0], tail: [byte, 0], rest: byte & 0xC0 == 0x80 }
    }

    fn joined(left: Self, right: Self) -> Self {
        let grown = |lead: Lead| if lead[1] == 0 && lead[0] >= 0xC0 { [lead[0], right.head[0]] } else { lead };
        let tail = if right.rest { grown(left.tail) } else { right.tail };
        let space = left.head == [b' ', 0] && !left.spaced;
        let head = if space { right.head } else { grown(left.head) };
        Self { spaced: left.spaced || space, head, tail, rest: left.rest && right.rest }
    }

    /// Its kind where it is the left one of two.
    fn left(self) -> usize {
        usize::from(script(self.tail)) << 1 | usize::from(self.spaced)
    }

    /// Its kind where it is the right one of two.
    fn right(self) -> usize {
        usize::from(script(self.head)) << 1 | usize::from(self.spaced)
    }
}

const KINDS: usize = 2 * SCRIPTS;
/// Contexts: the kind of the left token; that of the right one, for each left one; then the place
/// among the tokens of the kind, left and right, by how many there are in bits.
const RIGHT_KINDS: usize = 1;
const LEFT_PLACES: usize = RIGHT_KINDS + KINDS;
const RIGHT_PLACES: usize = LEFT_PLACES + 32;
/// How many contexts there are.
pub const CONTEXTS: usize = RIGHT_PLACES + 32;

/// Highest bits of a place that are coded with its length; the others are as good as random.
const TOP_BITS: u32 = 3;

/// The tokens of each kind, by rank.
type Kinds = Vec<Vec<u32>>;

/// The model: codes the merges one after the other.
pub struct Model {
    spellings: Vec<Spelling>,
    left: Kinds,
    right: Kinds,
}

impl Model {
    /// A model that knows the bytes, and has room for `merges` more tokens.
    pub fn new(merges: usize) -> Self {
        let kinds = || vec![Vec::new(); KINDS];
        let mut model = Self { spellings: Vec::with_capacity(256 + merges), left: kinds(), right: kinds() };
        byte_order().for_each(|byte| model.add(Spelling::of_byte(byte)));
        model
    }

    fn add(&mut self, spelling: Spelling) {
        let rank = self.spellings.len() as u32;
        self.left[spelling.left()].push(rank);
        self.right[spelling.right()].push(rank);
        self.spellings.push(spelling);
    }

    /// Codes the next merge: `merge` to pack it, `None` to unpack it. `None` if the input is invalid.
    pub fn merge(&mut self, coder: &mut impl Coder, merge: Option<Merge>) -> Option<Merge> {
        let spelling = |rank: u32| self.spellings[rank as usize];
        let kind = merge.map_or(0, |merge| spelling(merge.0).left());
        let left_kind = usize::from(coder.symbol(0, kind as u8));
        let left = place(coder, LEFT_PLACES, self.left.get(left_kind)?, merge.map(|merge| merge.0))?;
        let kind = merge.map_or(0, |merge| spelling(merge.1).right());
        let right_kind = usize::from(coder.symbol(RIGHT_KINDS + left_kind, kind as u8));
        let right = place(coder, RIGHT_PLACES, self.right.get(right_kind)?, merge.map(|merge| merge.1))?;
        self.add(Spelling::joined(spelling(left), spelling(right)));
        Some((left, right))
    }
}

/// Codes which token of a kind it is.
fn place(coder: &mut impl Coder, contexts: usize, tokens: &[u32], token: Option<u32>) -> Option<u32> {
    let context = contexts + (usize::BITS - tokens.len().leading_zeros()) as usize;
    let place = 1 + token.map_or(0, |token| tokens.partition_point(|&other| other < token)) as u32;
    let low_bits = place.ilog2().saturating_sub(TOP_BITS);
    let symbol = u32::from(coder.symbol(context, ((low_bits << TOP_BITS) + (place >> low_bits)) as u8));
    let low_bits = (symbol >> TOP_BITS).saturating_sub(1);
    let low = if low_bits == 0 { 0 } else { coder.plain(low_bits.min(16), place & ((1 << low_bits) - 1)) };
    let place = (symbol - (low_bits << TOP_BITS)) << low_bits | low;
    tokens.get((place as usize).checked_sub(1)?).copied()
}

/// Adds one merge to a checksum (FNV-1a over the two ranks).
pub fn checksum(sum: u32, (left, right): Merge) -> u32 {
    [left, right].iter().fold(sum, |sum, &rank| (sum ^ rank).wrapping_mul(0x0100_0193))
}

/// The frequencies of one context.
struct Frequencies {
    /// Where the share of each symbol starts, and how much it is.
    shares: Vec<(u16, u16)>,
    /// The symbol in whose share each number below `1 << SCALE_BITS` lies.
    symbols: Vec<u8>,
}

/// Reads what the coder wrote.
struct Decoder<'a> {
    state: u32,
    input: std::slice::Iter<'a, [u8; 2]>,
    contexts: Vec<Frequencies>,
}

impl<'a> Decoder<'a> {
    /// Reads the frequencies: for each context how many symbols it has, and for each of those how many
    /// it lies above the one before, and its frequency in one byte or, from 128 on, in two.
    fn new(mut packed: &'a [u8]) -> Option<Self> {
        let mut byte = || packed.split_off_first().copied();
        let mut contexts = Vec::with_capacity(CONTEXTS);
        for _ in 0..CONTEXTS {
            let (mut shares, mut symbols) = (Vec::new(), Vec::new());
            for _ in 0..byte()? {
                let symbol = u8::try_from(shares.len() + usize::from(byte()?)).ok()?;
                let share = match u16::from(byte()?) {
                    short @ 0..128 => short,
                    high => (high - 128) << 8 | u16::from(byte()?),
                };
                shares.resize(symbol.into(), (0, 0));
                shares.push((symbols.len() as u16, share));
                symbols.resize(symbols.len() + usize::from(share), symbol);
                if symbols.len() > 1 << SCALE_BITS {
                    return None;
                }
            }
            contexts.push(Frequencies { shares, symbols });
        }
        let (&state, words) = packed.split_first_chunk()?;
        Some(Self { input: words.as_chunks().0.iter(), state: u32::from_le_bytes(state), contexts })
    }

    #[inline]
    fn fill(&mut self) {
        if self.state < LOWEST {
            let word = self.input.next().copied().unwrap_or_default();
            self.state = self.state << 16 | u32::from(u16::from_le_bytes(word));
        }
    }
}

impl Coder for Decoder<'_> {
    #[inline]
    fn symbol(&mut self, context: usize, _: u8) -> u8 {
        let Frequencies { shares, symbols } = &self.contexts[context];
        let slot = self.state % (1 << SCALE_BITS);
        // Only invalid input leads to a context without symbols.
        let Some(&symbol) = symbols.get(slot as usize) else { return 0 };
        let (start, share) = shares[usize::from(symbol)];
        self.state = u32::from(share) * (self.state >> SCALE_BITS) + slot - u32::from(start);
        self.fill();
        symbol
    }

    #[inline]
    fn plain(&mut self, count: u32, _: u32) -> u32 {
        let bits = self.state & ((1 << count) - 1);
        self.state >>= count;
        self.fill();
        bits
    }
}

/// Merges that are unpacked by one call. WebAssembly engines optimize a function after many calls, but not while it
/// runs.
const AT_ONCE: u32 = 1 << 9;

/// The merges of a packed vocabulary, or `None` if `packed` is not one.
pub fn unpack(packed: &[u8]) -> Option<Vec<Merge>> {
    let (header, coded) = packed.split_at_checked(HEADER)?;
    let word = |at: usize| Some(u32::from_le_bytes(header[at..].first_chunk().copied()?));
    let (count, sum) = (word(4)?, word(8)?);
    if header[..4] != MAGIC || count > MAX_MERGES {
        return None;
    }
    let mut decoder = Decoder::new(coded)?;
    let mut model = Model::new(count as usize);
    let mut merges = Vec::with_capacity(count as usize);
    unpack_some(&mut model, &mut decoder, count % AT_ONCE, &mut merges)?;
    while merges.len() < count as usize {
        unpack_some(&mut model, &mut decoder, AT_ONCE, &mut merges)?;
    }
    (merges.iter().copied().fold(0, checksum) == sum).then_some(merges)
}

#[inline(never)]
fn unpack_some(model: &mut Model, decoder: &mut Decoder, count: u32, merges: &mut Vec<Merge>) -> Option<()> {
    for _ in 0..count {
        merges.push(model.merge(decoder, None)?);
    }
    Some(())
}
