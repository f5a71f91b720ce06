//! Encodings that are loaded at run time, from rank files in tiktoken's format.

use super::{
    Encoding,
    pack::Merge,
    pairs::NONE,
    split::Pattern,
    tokenizer::Tokenizer,
    vocabulary::{UNMERGED, Vocabulary},
};
use crate::Error;
use std::{
    collections::HashMap,
    fmt,
    hash::{Hash, Hasher},
    sync::{Mutex, PoisonError},
};

/// An encoding that [`load_encoding`] made; it stays for the life of the process.
#[derive(Clone, Copy)]
pub struct LoadedEncoding {
    name: &'static str,
    tokenizer: &'static Tokenizer,
}

static LOADED: Mutex<Vec<LoadedEncoding>> = Mutex::new(Vec::new());

/// More tokens than the tables can number.
const TOO_MANY: usize = 1 << 18;
/// No token of a known vocabulary is longer, in bytes.
const TOO_LONG: usize = 1 << 9;

/// Makes an encoding from a rank file in tiktoken's format: on each line a token in base64, a space
/// and its rank. Loading the same name again answers the encoding that is there.
///
/// # Errors
/// With the path of the argument: `/name` if it is empty or that of a built-in
/// encoding, `/ranks` if the file is not in the format, lacks a byte, has more than 2^18 tokens, has
/// 2^16 of them with which others end, or has one that is merged from later ones.
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
    let mut all = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let tokenizer = Box::leak(Box::new(tokenizer));
    let loaded = LoadedEncoding { name: Box::leak(name.into()), tokenizer };
    all.push(loaded);
    Ok(Encoding::Loaded(loaded))
}

impl LoadedEncoding {
    /// The encoding that was loaded under `name`.
    pub(super) fn named(name: &str) -> Option<Self> {
        let all = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|loaded| loaded.name == name).copied()
    }

    pub(super) fn name(self) -> &'static str {
        self.name
    }

    pub(super) fn tokenizer(self) -> &'static Tokenizer {
        self.tokenizer
    }
}

impl fmt::Debug for LoadedEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LoadedEncoding").field(&self.name).finish()
    }
}

impl PartialEq for LoadedEncoding {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for LoadedEncoding {}

impl Hash for LoadedEncoding {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

fn tokenizer_of(file: &[u8], pattern: Pattern) -> Result<Tokenizer, String> {
    let mut tokens = Vec::new();
    for (line, number) in file.split(|&byte| byte == b'\n').zip(1..).filter(|(line, _)| !line.is_empty()) {
        tokens.push(token_and_rank(line).ok_or_else(|| format!("line {number} is not a token in base64 and a rank"))?);
    }
    if tokens.len() >= TOO_MANY {
        return Err(format!("{} tokens are more than {TOO_MANY}", tokens.len()));
    }
    tokens.sort_by_key(|(token, rank)| (token.len() > 1, *rank));
    let mut bytes = [0; 256];
    let mut numbers: HashMap<&[u8], u32> = HashMap::with_capacity(tokens.len());
    for ((token, _), number) in tokens.iter().zip(0..) {
        if numbers.insert(token, number).is_some() {
            return Err("a token stands there twice".into());
        }
        if let Some(slot) = bytes.get_mut(number as usize) {
            *slot = *token.first().filter(|_| token.len() == 1).ok_or("a byte has no token")?;
        }
    }
    if tokens.len() < 256 {
        return Err("a byte has no token".into());
    }
    let mut merges = Vec::with_capacity(tokens.len() - 256);
    let mut unmerged: HashMap<Box<[u8]>, u32> = HashMap::new();
    let mut pairs = HashMap::with_capacity(tokens.len());
    for ((token, _), number) in tokens[256..].iter().zip(256..) {
        let merge = match merged_from(token, &numbers, &pairs)[..] {
            [left, right] => (left, right),
            _ => {
                unmerged.insert(token.as_slice().into(), number);
                UNMERGED
            }
        };
        if merge != UNMERGED {
            pairs.insert(merge, number);
        }
        merges.push(merge);
    }
    if unmerged.keys().any(|token| merged_from(token, &numbers, &pairs).len() <= 2) {
        return Err("a token is merged from later ones".into());
    }
    let ranks = tokens.iter().map(|&(_, rank)| rank).collect();
    let vocabulary = Vocabulary::new(bytes, merges, unmerged).ok_or("others end with as many as 2^16 of the tokens")?;
    Ok(Tokenizer::new(vocabulary, pattern, &[]).with_ranks(ranks))
}

/// The parts that the tokens so far leave of a new token.
fn merged_from(token: &[u8], numbers: &HashMap<&[u8], u32>, pairs: &HashMap<Merge, u32>) -> Vec<u32> {
    let mut parts: Vec<u32> = token.iter().map(|byte| numbers[&[*byte][..]]).collect();
    while parts.len() > 2 {
        let merged = parts.windows(2).map(|pair| pairs.get(&(pair[0], pair[1])).copied().unwrap_or(NONE));
        match merged.zip(0..).min() {
            Some((best, at)) if best != NONE => {
                parts[at] = best;
                parts.remove(at + 1);
            }
            _ => break,
        }
    }
    parts
}

fn token_and_rank(line: &[u8]) -> Option<(Vec<u8>, u32)> {
    let line = std::str::from_utf8(line).ok()?.trim_end_matches('\r');
    let (token, rank) = line.split_once(' ')?;
    let token = from_base64(token)?;
    (!token.is_empty() && token.len() < TOO_LONG).then_some(())?;
    Some((token, rank.parse().ok()?))
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(digits.len());
    let (mut bits, mut held) = (0u32, 0);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}
