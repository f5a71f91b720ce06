//! Encodings that are loaded at run time, from rank files in tiktoken's format.

use crate::Encoding;
use crate::Error;
use crate::count::tokenizer::Tokenizer;
use crate::split::pattern::Pattern;
use crate::vocabulary::pack::Merge;
use crate::vocabulary::pairs::MOST_RIGHT;
use crate::vocabulary::tables::{Numbers, Token, UNMERGED, Vocabulary};
use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::{Mutex, PoisonError};

/// An encoding that [`load_encoding`] made; it stays for the life of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoadedEncoding(&'static str);

static LOADED: Mutex<BTreeMap<&'static str, &'static Tokenizer>> = Mutex::new(BTreeMap::new());

/// With padding or without, as rank files have it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The limit of token numbers in the tables.
const TOO_MANY: usize = 1 << 18;
/// No token of a known vocabulary is longer, in bytes.
const TOO_LONG: usize = 1 << 9;

/// Makes an encoding from a rank file in tiktoken's format: on each line a token in base64, a space and its rank.
/// Loading the same name again returns the existing encoding.
///
/// # Errors
/// With the path of the argument: `/name` if it is empty or that of a built-in
/// encoding, `/ranks` if the file is not in the format, lacks a byte, has more than 2^18 tokens, or has
/// 2^16 of them that are the ends of others.
///
/// ```
/// use toolshape_tokens::{Pattern, count_tokens, load_encoding};
/// # let base64 = |byte: u8| {
/// #     let digit = |bits: u8| b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[bits as usize] as char;
/// #     format!("{}{}== {byte}\n", digit(byte >> 2), digit((byte & 3) << 4))
/// # };
/// // The 256 bytes, and one merge: "ab".
/// let ranks: String = (0..=255).map(base64).chain(["YWI= 256\n".to_owned()]).collect();
/// let encoding = load_encoding("tiny", ranks.as_bytes(), Pattern::Cl100kBase)?;
/// assert_eq!(count_tokens("abba", encoding), 3);
/// # Ok::<(), toolshape_tokens::Error>(())
/// ```
pub fn load_encoding(name: &str, ranks: &[u8], pattern: Pattern) -> Result<Encoding, Error> {
    if name.is_empty() || Encoding::NAMES.contains(&name) {
        return Err(Error::new("an encoding of one's own takes a name of its own", "/name"));
    }
    if let Some(loaded) = LoadedEncoding::named(name) {
        return Ok(Encoding::Loaded(loaded));
    }
    let refuse = |message: String| Error::new(message, "/ranks");
    let tokenizer = tokenizer_of(ranks, pattern).map_err(refuse)?;
    let name = Box::leak(name.into());
    LOADED.lock().unwrap_or_else(PoisonError::into_inner).insert(name, Box::leak(Box::new(tokenizer)));
    Ok(Encoding::Loaded(LoadedEncoding(name)))
}

impl LoadedEncoding {
    /// The encoding that was loaded under `name`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        all.get_key_value(name).map(|(name, _)| Self(name))
    }

    pub(crate) fn name(self) -> &'static str {
        self.0
    }

    pub(crate) fn tokenizer(self) -> &'static Tokenizer {
        LOADED.lock().unwrap_or_else(PoisonError::into_inner)[self.0]
    }
}

#[cold]
fn tokenizer_of(file: &[u8], pattern: Pattern) -> Result<Tokenizer, String> {
    let (mut spelled, mut by_rank) = (Vec::new(), BinaryHeap::new());
    for (line, number) in file.split(|&byte| byte == b'\n').zip(1..).filter(|(line, _)| !line.is_empty()) {
        let (spelling, rank) =
            token_and_rank(line).ok_or_else(|| format!("line {number} is not a token in base64 and a rank"))?;
        by_rank.push((rank, spelled.len()));
        spelled.push(spelling);
    }
    if spelled.len() >= TOO_MANY {
        return Err(format!("{} tokens are more than {TOO_MANY}", spelled.len()));
    }
    // The bytes first, and each kind by rank.
    let ranked = by_rank.into_sorted_vec();
    let is_byte = |&&(_, at): &&(u32, usize)| spelled[at].len() == 1;
    let bytes = ranked.iter().filter(is_byte);
    let (mut spellings, mut ranks) = (Vec::with_capacity(spelled.len()), Vec::with_capacity(spelled.len()));
    for &(rank, at) in bytes.chain(ranked.iter().filter(|entry| !is_byte(entry))) {
        spellings.push(&spelled[at][..]);
        ranks.push(rank);
    }
    let mut numbers: Numbers = HashMap::with_capacity(spellings.len());
    for (&spelling, number) in spellings.iter().zip(0..) {
        if numbers.insert(spelling.into(), number).is_some() {
            return Err("a token is listed twice".into());
        }
    }
    if spellings.iter().take_while(|spelling| spelling.len() == 1).count() < 256 {
        return Err("a byte has no token".into());
    }
    let mut tokens: Vec<Token> = spellings.iter().map(|spelling| Token::spelled(spelling)).collect();
    let mut unmerged = Numbers::new();
    let mut merges = Vec::with_capacity(spellings.len() - 256);
    for (&spelling, number) in spellings.iter().zip(0..).skip(256) {
        let merge = merged_from(spelling, &numbers).unwrap_or_else(|| {
            tokens[number as usize].key = 0;
            unmerged.insert(spelling.into(), number);
            UNMERGED
        });
        merges.push(merge);
    }
    let vocabulary = Vocabulary::of(&tokens, merges, unmerged)
        .ok_or_else(|| format!("of the tokens more than {MOST_RIGHT} are the ends of others"))?;
    Ok(Tokenizer::new(vocabulary, pattern, &[]).with_ranks(ranks))
}

/// The two parts that the last merge joins into a token, if merging makes it. No other two are ever merged into it,
/// because merging inside a token does not depend on the text around it.
#[cold]
fn merged_from(token: &[u8], numbers: &Numbers) -> Option<Merge> {
    let mut edges: Vec<usize> = (0..=token.len()).collect();
    while edges.len() > 3 {
        let made = |at: usize| numbers.get(&token[edges[at]..edges[at + 2]]);
        let (_, at) = (0..edges.len() - 2).filter_map(|at| Some((*made(at)?, at))).min()?;
        edges.remove(at + 1);
    }
    let (left, right) = token.split_at(edges[1]);
    Some((*numbers.get(left)?, *numbers.get(right)?))
}

fn token_and_rank(line: &[u8]) -> Option<(Vec<u8>, u32)> {
    let line = std::str::from_utf8(line).ok()?.trim_end_matches('\r');
    let (token, rank) = line.split_once(' ')?;
    let token = BASE64.decode(token).ok()?;
    (!token.is_empty() && token.len() < TOO_LONG).then_some(())?;
    Some((token, rank.parse().ok()?))
}
