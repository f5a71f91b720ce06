//! The encodings: their names, and where their vocabularies come from.
//!
//! A vocabulary is unpacked at the first exact count, not when it is installed or its encoding is named: a server answers
//! its first request before. It is kept for the life of the process.

use crate::Error;
use crate::count::loaded::LoadedEncoding;
use crate::count::tokenizer::Tokenizer;
use crate::split::pattern::Pattern;
use crate::vocabulary::pack;
use crate::vocabulary::tables::Vocabulary;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// How tokens are counted. [`Display`](fmt::Display) writes its name, and [`FromStr`] reads it.
///
/// ```
/// use toolshape_tokens::Encoding;
/// assert_eq!("cl100k_base".parse(), Ok(Encoding::Cl100kBase));
/// assert_eq!(Encoding::default().to_string(), "o200k_base");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// `o200k_base`, of GPT-4o and later.
    #[default]
    O200kBase,
    /// `cl100k_base`, of GPT-4 and GPT-3.5.
    Cl100kBase,
    /// No vocabulary: an estimate that is close, and rarely too low.
    Estimate,
    /// An encoding from [`load_encoding`](crate::load_encoding).
    Loaded(LoadedEncoding),
}

impl Encoding {
    /// The names of the built-in encodings, as in a policy.
    pub const NAMES: [&'static str; 3] = ["o200k_base", "cl100k_base", "estimate"];

    /// The encoding's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => Self::NAMES[0],
            Self::Cl100kBase => Self::NAMES[1],
            Self::Estimate => Self::NAMES[2],
            Self::Loaded(loaded) => loaded.name(),
        }
    }

    /// The encoding of a name, built-in or loaded.
    pub fn from_name(name: &str) -> Option<Self> {
        let built_in = [Self::O200kBase, Self::Cl100kBase, Self::Estimate];
        let found = built_in.into_iter().find(|encoding| encoding.name() == name);
        found.or_else(|| LoadedEncoding::named(name).map(Self::Loaded))
    }

    /// Whether text can be counted in it: its vocabulary is embedded or installed.
    ///
    /// ```
    /// assert!(toolshape_tokens::Encoding::Estimate.is_available());
    /// ```
    pub fn is_available(self) -> bool {
        match self.source() {
            Some(source) => source.is_available(),
            None => true,
        }
    }

    /// The most bytes of `limit` tokens. A text of more bytes exceeds the limit, whatever its content, and need not be
    /// read.
    ///
    /// ```
    /// use toolshape_tokens::Encoding;
    /// assert_eq!(Encoding::O200kBase.most_bytes(2000), 2000 * 128);
    /// ```
    pub fn most_bytes(self, limit: usize) -> usize {
        match self.tokenizer() {
            Some(tokenizer) => tokenizer.most_bytes(limit),
            None if self == Self::Estimate => usize::MAX,
            None => limit,
        }
    }

    /// The tables of the encoding, built at the first call; `None` for the estimate and if there is no vocabulary.
    pub(crate) fn tokenizer(self) -> Option<&'static Tokenizer> {
        if let Self::Loaded(loaded) = self {
            return Some(loaded.tokenizer());
        }
        let source = self.source()?;
        if let Some(ready) = source.ready.get() {
            return Some(ready);
        }
        let mut installed = source.lock();
        if source.ready.get().is_none() {
            let packed = std::mem::take(&mut *installed);
            let built = source.build(source.embedded.or(packed.as_deref())?)?;
            source.ready.get_or_init(|| built);
        }
        source.ready.get()
    }

    fn source(self) -> Option<&'static VocabularySource> {
        match self {
            Self::O200kBase => Some(&O200K_BASE),
            Self::Cl100kBase => Some(&CL100K_BASE),
            Self::Estimate | Self::Loaded(_) => None,
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Encoding {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = Self::NAMES.join(", ");
        Self::from_name(name)
            .ok_or_else(|| Error::new(format!("unknown encoding {name:?}; the encodings are {known}"), "/encoding"))
    }
}

/// What is known about a published encoding before its vocabulary is there.
struct VocabularySource {
    pattern: Pattern,
    /// The checksum of the packed form: it takes a hundredth of the time of unpacking, which checks the bytes too.
    sum: u32,
    specials: &'static [(&'static str, u32)],
    embedded: Option<&'static [u8]>,
    /// The packed form that was installed, until it is unpacked.
    installed: Mutex<Option<Vec<u8>>>,
    ready: OnceLock<Tokenizer>,
}

impl VocabularySource {
    fn is_available(&self) -> bool {
        self.embedded.is_some() || self.ready.get().is_some() || self.lock().is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<u8>>> {
        self.installed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn build(&self, packed: &[u8]) -> Option<Tokenizer> {
        let mut bytes = [0; 256];
        bytes.iter_mut().zip(pack::byte_order()).for_each(|(slot, byte)| *slot = byte);
        Some(Tokenizer::new(Vocabulary::new(bytes, pack::unpack(packed)?)?, self.pattern, self.specials))
    }
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

static O200K_BASE: VocabularySource = VocabularySource {
    pattern: Pattern::O200kBase,
    sum: 0x1d0d_cb59,
    specials: &[("<|endoftext|>", 199_999), ("<|endofprompt|>", 200_018)],
    #[cfg(feature = "o200k")]
    embedded: Some(include_bytes!("../data/o200k_base.bin")),
    #[cfg(not(feature = "o200k"))]
    embedded: None,
    installed: Mutex::new(None),
    ready: OnceLock::new(),
};

static CL100K_BASE: VocabularySource = VocabularySource {
    pattern: Pattern::Cl100kBase,
    sum: 0x3172_c632,
    specials: &[
        ("<|endoftext|>", 100_257),
        ("<|fim_prefix|>", 100_258),
        ("<|fim_middle|>", 100_259),
        ("<|fim_suffix|>", 100_260),
        ("<|endofprompt|>", 100_276),
    ],
    #[cfg(feature = "cl100k")]
    embedded: Some(include_bytes!("../data/cl100k_base.bin")),
    #[cfg(not(feature = "cl100k"))]
    embedded: None,
    installed: Mutex::new(None),
    ready: OnceLock::new(),
};

/// Installs the vocabulary of an encoding, in the packed form of the packages, if it is not embedded. Installing it
/// again has no effect.
///
/// # Errors
/// If `packed` is not the packed vocabulary of `encoding`, or the encoding has none.
///
/// ```
/// use toolshape_tokens::{Encoding, install_vocabulary};
/// assert!(install_vocabulary(Encoding::Cl100kBase, b"junk").is_err());
/// ```
pub fn install_vocabulary(encoding: Encoding, packed: &[u8]) -> Result<(), Error> {
    let refuse = || {
        let message = format!("the bytes are not the packed vocabulary of {}", encoding.name());
        Error::new(message, "/vocabulary")
    };
    let source = encoding.source().filter(|source| source.sum == checksum(packed)).ok_or_else(refuse)?;
    if !source.is_available() {
        *source.lock() = Some(packed.to_vec());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_their_encodings() {
        for name in Encoding::NAMES {
            assert_eq!(Encoding::from_name(name).map(Encoding::name), Some(name));
        }
        assert_eq!(Encoding::from_name("gpt2"), None);
    }

    #[test]
    fn a_vocabulary_is_installed_only_where_it_belongs() {
        let packed = include_bytes!("../data/cl100k_base.bin");
        assert!(install_vocabulary(Encoding::Cl100kBase, packed).is_ok());
        assert!(Encoding::Cl100kBase.is_available());
        assert_eq!(crate::count_tokens("Hello, world!", Encoding::Cl100kBase), 4);
        assert!(install_vocabulary(Encoding::O200kBase, packed).is_err());
        assert!(install_vocabulary(Encoding::Estimate, packed).is_err());
        let mut flipped = packed.to_vec();
        flipped[9000] ^= 1;
        assert!(install_vocabulary(Encoding::Cl100kBase, &flipped).is_err());
    }
}
