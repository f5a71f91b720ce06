//! Counting tokens. Stand-in over an exact crate, until the engine of our own replaces it.

use std::sync::OnceLock;
use tiktoken_rs::CoreBPE;

/// How tokens are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Encoding {
    #[default]
    O200kBase,
    Cl100kBase,
    Estimate,
}

impl Encoding {
    pub const NAMES: [&'static str; 3] = ["o200k_base", "cl100k_base", "estimate"];

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "o200k_base" => Some(Self::O200kBase),
            "cl100k_base" => Some(Self::Cl100kBase),
            "estimate" => Some(Self::Estimate),
            _ => None,
        }
    }
}

fn bpe(encoding: Encoding) -> &'static CoreBPE {
    static O200K: OnceLock<CoreBPE> = OnceLock::new();
    static CL100K: OnceLock<CoreBPE> = OnceLock::new();
    match encoding {
        Encoding::Cl100kBase => CL100K.get_or_init(|| tiktoken_rs::cl100k_base().unwrap()),
        _ => O200K.get_or_init(|| tiktoken_rs::o200k_base().unwrap()),
    }
}

/// How many tokens `text` has.
pub fn count_tokens(text: &str, encoding: Encoding) -> usize {
    match encoding {
        Encoding::Estimate => text.len().div_ceil(2),
        _ => bpe(encoding).encode_ordinary(text).len(),
    }
}

/// The count of `text` if it is at most `limit` tokens, else `None`; looks at little more than the limit.
pub fn fits_tokens(text: &str, limit: usize, encoding: Encoding) -> Option<usize> {
    if text.len() > limit.saturating_add(1).saturating_mul(128) {
        return None;
    }
    Some(count_tokens(text, encoding)).filter(|&n| n <= limit)
}

impl Encoding {
    /// Whether the encoding's vocabulary is at hand.
    pub fn is_available(self) -> bool {
        true
    }
}

/// The longest prefix of `text` that has at most `limit` tokens.
pub fn truncate_to_tokens(text: &str, limit: usize, encoding: Encoding) -> &str {
    let mut end = text.len();
    while count_tokens(&text[..end], encoding) > limit {
        end = end * 15 / 16;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
    }
    &text[..end]
}
