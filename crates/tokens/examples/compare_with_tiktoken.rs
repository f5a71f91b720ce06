//! Compares each token with tiktoken, on generated text.
//!
//! Usage: `cargo run --release -p toolshape-tokens --example compare_with_tiktoken -- [--texts N | --every-character] [--seed N] [--oracle python|crates] [FILE…]`. The texts come
//! from [`Generator`]: each is one of ten kinds, drawn from a seeded generator, so that a run can be repeated. With the
//! oracle `python`, the package `tiktoken` of the Python on PATH encodes them (`benches/tokens/check.py`); with
//! `crates`, `bpe-openai` and `tiktoken-rs` do. FILEs give real fragments to join. With `--every-character`, there is
//! one text for each character instead, which shows its class.

use std::{
    env, fs,
    io::{BufWriter, Write},
    process::{Command, Stdio},
};
use toolshape_tokens::{Encoding, count_tokens, decode_bytes, encode};

type Failure = Box<dyn std::error::Error>;

const ENCODINGS: [Encoding; 2] = [Encoding::O200kBase, Encoding::Cl100kBase];
const BATCH: usize = 4096;

/// Compares the requested number of texts; fails if any differ.
fn main() -> Result<(), Failure> {
    let (mut texts, mut seed, mut python, mut every, mut files) = (1_000_000, 1, true, false, Vec::new());
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} takes a value"));
        match arg.as_str() {
            "--texts" => texts = value()?.replace('_', "").parse()?,
            "--every-character" => every = true,
            "--seed" => seed = value()?.parse()?,
            "--oracle" => python = value()? == "python",
            file => files.push(fs::read(file)?),
        }
    }
    let mut generator = Generator::new(seed, &files);
    if every {
        texts = 2 * 0x11_0000;
        generator.characters = Some(0);
    }
    println!(
        "{texts} texts in two encodings, half each; generator seed {seed}, {} fragments",
        generator.fragments.len()
    );
    if python { with_python(&mut generator, texts) } else { with_crates(&mut generator, texts) }
}

fn with_crates(generator: &mut Generator, texts: usize) -> Result<(), Failure> {
    let bpe = [bpe_openai::o200k_base(), bpe_openai::cl100k_base()];
    let tiktoken = [tiktoken_rs::o200k_base()?, tiktoken_rs::cl100k_base()?];
    let mut differing = 0;
    for number in 0..texts {
        let text = generator.text();
        let ours = encode(&text, ENCODINGS[number % 2])?;
        let counted = count_tokens(&text, ENCODINGS[number % 2]);
        let same = [bpe[number % 2].encode(&text), tiktoken[number % 2].encode_ordinary(&text)]
            .iter()
            .all(|theirs| *theirs == ours);
        if !same || counted != ours.len() {
            differing += 1;
            println!("{} {text:?}: ours {ours:?}, counted {counted}", ENCODINGS[number % 2].name());
        }
        if differing > 20 {
            break;
        }
    }
    println!("{texts} texts compared with bpe-openai and tiktoken-rs, {differing} differ");
    if differing == 0 { Ok(()) } else { Err("tokens differ".into()) }
}

fn with_python(generator: &mut Generator, texts: usize) -> Result<(), Failure> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/tokens/check.py");
    let mut oracle = Command::new("python3").arg(script).stdin(Stdio::piped()).spawn()?;
    let mut pipe = BufWriter::new(oracle.stdin.take().ok_or("no pipe")?);
    for batch in 0..texts.div_ceil(BATCH) {
        let encoding = ENCODINGS[batch % 2];
        let (mut lengths, mut counts, mut blob, mut tokens) = (Vec::new(), Vec::new(), String::new(), Vec::new());
        for _ in 0..BATCH.min(texts - batch * BATCH) {
            let text = generator.text();
            let ours = encode(&text, encoding)?;
            if count_tokens(&text, encoding) != ours.len() || decode_bytes(&ours, encoding)? != text.as_bytes() {
                return Err(format!("count or decode differs from encode: {} {text:?}", encoding.name()).into());
            }
            lengths.push(text.len() as u32);
            counts.push(ours.len() as u32);
            blob.push_str(&text);
            tokens.extend(ours);
        }
        let header = [(batch % 2) as u32, lengths.len() as u32, blob.len() as u32, tokens.len() as u32];
        for words in [&header[..], &lengths, &counts] {
            pipe.write_all(&bytes_of(words))?;
        }
        pipe.write_all(blob.as_bytes())?;
        pipe.write_all(&bytes_of(&tokens))?;
    }
    drop(pipe.into_inner()?);
    if oracle.wait()?.success() { Ok(()) } else { Err("tokens differ".into()) }
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Characters that have caused errors in tokenizers: each class of the patterns, case folding, white space.
const TRAPS: &[&str] = &[
    "'",
    "'",
    "s",
    "S",
    "\u{17F}",
    "t",
    "T",
    "re",
    "RE",
    "rE",
    "ve",
    "vE",
    "m",
    "M",
    "ll",
    "lL",
    "LL",
    "d",
    "D",
    "\u{212A}",
    "ß",
    "İ",
    "ı",
    "\u{1C5}",
    "\u{2B0}",
    "\u{AA}",
    "あ",
    "中",
    "ا",
    "\u{301}",
    "\u{20DD}",
    "\u{903}",
    "\u{FE0F}",
    "A",
    "B",
    "a",
    "é",
    "É",
    "ǆ",
    "1",
    "٣",
    "½",
    "Ⅷ",
    "²",
    "12",
    "1234",
    " ",
    " ",
    "  ",
    "\n",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\u{B}",
    "\u{C}",
    "\u{85}",
    "\u{A0}",
    "\u{1680}",
    "\u{2003}",
    "\u{2028}",
    "\u{2029}",
    "\u{202F}",
    "\u{3000}",
    "\u{200B}",
    "\u{200D}",
    "\u{FEFF}",
    "\u{180E}",
    "\u{1C}",
    "\0",
    "/",
    "//",
    "\"",
    "{",
    "}",
    "[",
    "],",
    ".",
    ",",
    "-",
    "_",
    "#",
    "<|endoftext|>",
    "😀",
    "👩‍👩‍👧",
    "🇩🇪",
    "’",
    "“",
    "—",
    "$",
    "+",
    "\u{E000}",
    "\u{10FFFF}",
    "\u{1F1E6}",
    "𝒜",
    "𝟙",
    "𐐀",
    "𐐨",
    "ﬁ",
    "ｓ",
    "Ａ",
];
const SPACES: &[&str] = &[
    " ", " ", "  ", "   ", "\n", "\r", "\r\n", "\t", "\u{B}", "\u{C}", "\u{85}", "\u{A0}", "\u{1680}", "\u{2000}",
    "\u{2009}", "\u{200A}", "\u{2028}", "\u{2029}", "\u{202F}", "\u{205F}", "\u{3000}", "a", "A", "1", ".", "/", "'",
    "😀", "中", "\u{301}",
];
const CONTRACTIONS: &[&str] = &[
    "'", "'", "'", "s", "S", "\u{17F}", "t", "T", "r", "R", "e", "E", "v", "V", "m", "M", "l", "L", "d", "D", " ", "x",
    "X", "é", "\n", "1", "’", "\"", "\u{301}", "あ",
];
/// Planes and blocks that random characters are drawn from: low, high, and weight.
const BLOCKS: &[(u32, u32, u32)] = &[
    (0x00, 0x7F, 6),
    (0x80, 0x24F, 4),
    (0x250, 0x7FF, 4),
    (0x800, 0x1FFF, 3),
    (0x2000, 0x2BFF, 3),
    (0x2C00, 0xD7FF, 5),
    (0xE000, 0xFFFF, 2),
    (0x1_0000, 0x1_FFFF, 4),
    (0x2_0000, 0x2_FFFF, 1),
    (0x3_0000, 0x3_FFFF, 1),
    (0x4_0000, 0xD_FFFF, 1),
    (0xE_0000, 0xE_FFFF, 1),
    (0xF_0000, 0x10_FFFF, 1),
];

/// Makes texts, the same ones for the same seed and fragments.
pub struct Generator {
    state: u64,
    fragments: Vec<String>,
    text: String,
    /// How many texts for single characters were made, if those are requested.
    characters: Option<usize>,
}

impl Generator {
    fn new(seed: u64, files: &[Vec<u8>]) -> Self {
        let mut generator = Self {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            fragments: Vec::new(),
            text: String::new(),
            characters: None,
        };
        for file in files.iter().map(|file| String::from_utf8_lossy(file)) {
            let chars: Vec<char> = file.chars().collect();
            for _ in 0..(chars.len() / 8).min(200_000) {
                let start = generator.below(chars.len());
                let len = 1 + generator.below(12);
                generator.fragments.push(chars[start..].iter().take(len).collect());
            }
        }
        generator
    }

    /// xorshift64*
    fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    fn text(&mut self) -> String {
        self.text.clear();
        if let Some(made) = &mut self.characters {
            // The same characters for both encodings, which get batches in turn.
            let code = *made / (2 * BATCH) * BATCH + *made % BATCH;
            *made += 1;
            let char = char::from_u32(code as u32).unwrap_or(' ');
            return format!("A{char}b{char}C {char}1{char}{char}.{char}\n{char}'s");
        }
        let kind = self.below(10);
        let most = if self.below(32) == 0 { 40 } else { 6 };
        let parts = 1 + self.below(most);
        for _ in 0..parts {
            match kind {
                0 => self.random_char(),
                1 => self.pick(TRAPS),
                2 => self.pick(SPACES),
                3 => self.pick(CONTRACTIONS),
                4 => self.fragment(),
                5 => self.token(),
                6 => self.ascii(),
                7 => self.run(12),
                8 => match self.below(4) {
                    0 => self.token(),
                    1 => self.ascii(),
                    _ => self.run(150),
                },
                _ => match self.below(5) {
                    0 => self.random_char(),
                    1 => self.pick(TRAPS),
                    2 => self.fragment(),
                    3 => self.token(),
                    _ => self.pick(SPACES),
                },
            }
        }
        self.text.clone()
    }

    fn pick(&mut self, list: &[&str]) {
        let chosen = list[self.below(list.len())];
        self.text.push_str(chosen);
    }

    fn random_char(&mut self) {
        let mut weight = self.below(BLOCKS.iter().map(|block| block.2 as usize).sum());
        for &(low, high, share) in BLOCKS {
            if weight < share as usize {
                let code = low + self.below((high - low + 1) as usize) as u32;
                return self.text.extend(char::from_u32(code));
            }
            weight -= share as usize;
        }
    }

    fn fragment(&mut self) {
        if self.fragments.is_empty() {
            return self.token();
        }
        let chosen = self.below(self.fragments.len());
        self.text.push_str(&self.fragments[chosen]);
    }

    /// A token of the vocabulary, if it is valid text by itself.
    fn token(&mut self) {
        let token = self.below(199_998) as u32;
        if let Ok(Ok(text)) = decode_bytes(&[token], Encoding::O200kBase).map(String::from_utf8) {
            self.text.push_str(&text);
        }
    }

    fn ascii(&mut self) {
        let byte = self.below(128) as u8;
        self.text.push(byte.into());
    }

    /// One repeated character, or two in turn; long runs exceed the blocks in which text is read.
    fn run(&mut self, most: usize) {
        let start = self.text.len();
        self.pick(TRAPS);
        if self.below(2) == 0 {
            self.pick(TRAPS);
        }
        let unit = self.text[start..].to_owned();
        let mut times = self.below(most);
        if times > 12 {
            // Up to the edge of a block, or nearly.
            times = (times.next_multiple_of(16) + self.below(4) - 2) / unit.len();
        }
        (0..times).for_each(|_| self.text.push_str(&unit));
    }
}
