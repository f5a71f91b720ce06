//! Makes the binary data of `src/data` from published sources.
//!
//! `cargo run -p toolshape-tokens --example pack_vocabularies [-- --check]`
//!
//! The rank files of OpenAI are carried by the crate `tiktoken-rs`, the Unicode classes by `regex-syntax`. Each rank
//! file is checked against its published SHA-256 before it is packed, and restored from its packed form afterwards.
//! With `--check` nothing is written: the command fails if the committed files differ from its output.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

#[path = "../src/vocabulary/pack.rs"]
#[allow(dead_code, reason = "the crate uses the other half")]
mod pack;

use pack::{Coder, Merge};

type Failure = Box<dyn std::error::Error>;

/// Name and SHA-256 of each published rank file, from OpenAI's `tiktoken_ext/openai_public.py`.
const ENCODINGS: [(&str, &str); 2] = [
    ("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    ("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
];

/// Writes the packed vocabularies and the class table, or checks them with `--check`.
fn main() -> Result<(), Failure> {
    let check = env::args().any(|arg| arg == "--check");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/data");
    for (name, published) in ENCODINGS {
        let file = fs::read(published_ranks(name)?)?;
        if hex_digest(&file) != published {
            return Err(format!("{name}.tiktoken is not the published file").into());
        }
        let merges = merges_of(&tokens_of(&file)?)?;
        let packed = pack(&merges);
        let unpacked = pack::unpack(&packed).ok_or("the packed vocabulary does not unpack")?;
        if hex_digest(&rank_file(&unpacked)) != published {
            return Err(format!("{name}: the packed vocabulary is not the published one").into());
        }
        println!("{name}: {} merges in {} bytes", merges.len(), packed.len());
        settle(&data.join(format!("{name}.bin")), &packed, check)?;
    }
    settle(&data.join("classes.bin"), &class_table()?, check)
}

fn settle(path: &Path, bytes: &[u8], check: bool) -> Result<(), Failure> {
    if !check {
        return Ok(fs::write(path, bytes)?);
    }
    if fs::read(path)? != bytes {
        return Err(format!("{} is not current: run this example without --check", path.display()).into());
    }
    Ok(())
}

fn hex_digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The published rank file of an encoding, as it is in the crate `tiktoken-rs`.
fn published_ranks(name: &str) -> Result<PathBuf, Failure> {
    Ok(crate_folder("tiktoken-rs")?.join("assets").join(format!("{name}.tiktoken")))
}

/// The folder of a crate that this workspace depends on.
fn crate_folder(name: &str) -> Result<PathBuf, Failure> {
    let output = Command::new(env!("CARGO")).args(["metadata", "--format-version", "1"]).output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    packages
        .iter()
        .find(|package| package["name"] == name)
        .and_then(|package| Path::new(package["manifest_path"].as_str()?).parent())
        .map(Path::to_path_buf)
        .ok_or_else(|| format!("cargo metadata does not list {name}").into())
}

/// The tokens of a rank file, by rank.
fn tokens_of(file: &[u8]) -> Result<Vec<Vec<u8>>, Failure> {
    let mut tokens = Vec::new();
    for line in std::str::from_utf8(file)?.lines() {
        let (token, rank) = line.split_once(' ').ok_or("a line without a rank")?;
        if rank.parse() != Ok(tokens.len()) {
            return Err(format!("rank {rank} is out of order").into());
        }
        tokens.push(STANDARD.decode(token)?);
    }
    Ok(tokens)
}

/// The rank file of the tokens that `merges` make: byte for byte the file that tiktoken publishes.
fn rank_file(merges: &[Merge]) -> Vec<u8> {
    let mut tokens: Vec<Vec<u8>> = pack::byte_order().map(|byte| vec![byte]).collect();
    for &(left, right) in merges {
        tokens.push([&tokens[left as usize][..], &tokens[right as usize]].concat());
    }
    let mut file = Vec::new();
    for (rank, token) in tokens.iter().enumerate() {
        file.extend_from_slice(STANDARD.encode(token).as_bytes());
        file.extend_from_slice(format!(" {rank}\n").as_bytes());
    }
    file
}

/// The two tokens that each token is merged from: the rest after its bytes are merged by all tokens of lower rank.
fn merges_of(tokens: &[Vec<u8>]) -> Result<Vec<Merge>, Failure> {
    let ranks: HashMap<&[u8], u32> = tokens.iter().map(Vec::as_slice).zip(0..).collect();
    if pack::byte_order().zip(tokens).any(|(byte, token)| token[..] != [byte]) {
        return Err("the first 256 ranks are not the bytes in their usual order".into());
    }
    let merge_of = |token: &Vec<u8>| {
        let mut cuts: Vec<usize> = (0..=token.len()).collect();
        while cuts.len() > 3 {
            let best = (0..cuts.len() - 2)
                .min_by_key(|&i| ranks.get(&token[cuts[i]..cuts[i + 2]]).copied().unwrap_or(u32::MAX))?;
            cuts.remove(best + 1);
        }
        let rank = |part: &[u8]| ranks.get(part).copied();
        Some((rank(&token[..cuts[1]])?, rank(&token[cuts[1]..])?))
    };
    tokens[256..]
        .iter()
        .map(|token| merge_of(token).ok_or_else(|| format!("{token:?} is not a merge").into()))
        .collect()
}

fn pack(merges: &[Merge]) -> Vec<u8> {
    let mut counts = Counts(vec![[0; 256]; pack::CONTEXTS]);
    code(merges, &mut counts);
    let shares: Vec<_> = counts.0.iter().map(shares_of).collect();
    let mut encoder = Encoder { shares: &shares, steps: Vec::new() };
    code(merges, &mut encoder);
    let sum = merges.iter().fold(0, |sum, &merge| pack::checksum(sum, merge));
    let mut packed = pack::MAGIC.to_vec();
    packed.extend_from_slice(&(merges.len() as u32).to_le_bytes());
    packed.extend_from_slice(&sum.to_le_bytes());
    for shares in &shares {
        write_shares(shares, &mut packed);
    }
    packed.extend_from_slice(&encoder.finish());
    packed
}

fn code(merges: &[Merge], coder: &mut impl Coder) {
    let mut model = pack::Model::new(merges.len());
    for &merge in merges {
        model.merge(coder, Some(merge));
    }
}

/// How often each symbol comes in each context.
struct Counts(Vec<[u32; 256]>);

impl Coder for Counts {
    fn symbol(&mut self, context: usize, symbol: u8) -> u8 {
        self.0[context][usize::from(symbol)] += 1;
        symbol
    }

    fn plain(&mut self, _: u32, bits: u32) -> u32 {
        bits
    }
}

/// Shares of `1 << SCALE_BITS` in proportion to counts: at least one where there is a count.
fn shares_of(counts: &[u32; 256]) -> [u32; 256] {
    let total: u32 = counts.iter().sum();
    if total == 0 {
        return [0; 256];
    }
    let ideal = |count: u32| f64::from(count) * f64::from(1 << pack::SCALE_BITS) / f64::from(total);
    let mut shares = counts.map(|count| if count == 0 { 0 } else { (ideal(count).round() as u32).max(1) });
    // One more or less where that costs the fewest bits.
    loop {
        let sum: u32 = shares.iter().sum();
        let cost =
            |at: usize, by: f64| f64::from(counts[at]) * (f64::from(shares[at]) / (f64::from(shares[at]) + by)).log2();
        let cheapest = |by: f64, least: u32| {
            (0..256).filter(|&at| shares[at] > least).min_by(|&a, &b| cost(a, by).total_cmp(&cost(b, by)))
        };
        match sum.cmp(&(1 << pack::SCALE_BITS)) {
            std::cmp::Ordering::Equal => return shares,
            std::cmp::Ordering::Less => shares[cheapest(1.0, 0).unwrap_or(0)] += 1,
            std::cmp::Ordering::Greater => shares[cheapest(-1.0, 1).unwrap_or(0)] -= 1,
        }
    }
}

/// Writes what `pack::Decoder::new` reads.
fn write_shares(shares: &[u32; 256], packed: &mut Vec<u8>) {
    packed.push(shares.iter().filter(|&&share| share > 0).count() as u8);
    let mut next = 0;
    for (symbol, share) in shares.iter().enumerate().filter(|&(_, &share)| share > 0) {
        packed.push((symbol - next) as u8);
        if *share < 128 {
            packed.push(*share as u8);
        } else {
            packed.extend_from_slice(&[128 | (share >> 8) as u8, *share as u8]);
        }
        next = symbol + 1;
    }
}

/// Records the steps and codes them from the last to the first, because rANS is last in, first out.
struct Encoder<'a> {
    shares: &'a [[u32; 256]],
    /// Where a share starts, how much it is, and out of how much in bits.
    steps: Vec<(u32, u32, u32)>,
}

impl Encoder<'_> {
    fn finish(self) -> Vec<u8> {
        let (mut state, mut words) = (pack::LOWEST, Vec::new());
        for &(start, share, scale) in self.steps.iter().rev() {
            if u64::from(state) >= u64::from(share) << (32 - scale) {
                words.push(state as u16);
                state >>= 16;
            }
            state = ((state / share) << scale) + state % share + start;
        }
        let words = words.iter().rev().flat_map(|word| word.to_le_bytes());
        state.to_le_bytes().into_iter().chain(words).collect()
    }
}

impl Coder for Encoder<'_> {
    fn symbol(&mut self, context: usize, symbol: u8) -> u8 {
        let (before, rest) = self.shares[context].split_at(symbol.into());
        self.steps.push((before.iter().sum(), rest[0], pack::SCALE_BITS));
        symbol
    }

    fn plain(&mut self, count: u32, bits: u32) -> u32 {
        self.steps.push((bits, 1, count));
        bits
    }
}

/// The table that `crates/tokens/src/split/class.rs` reads.
fn class_table() -> Result<Vec<u8>, Failure> {
    const BLOCK: usize = 128;
    let mut classes = vec![0u8; 0x11_0000];
    // In rising order of precedence; the numbers are those of `class.rs`.
    for (class, pattern) in [
        (1, r"\s"),
        (2, r"[\r\n]"),
        (3, r"\p{N}"),
        (4, r"\p{M}"),
        (5, r"[\p{Lu}\p{Lt}]"),
        (6, r"\p{Ll}"),
        (7, r"[\p{Lm}\p{Lo}]"),
    ] {
        let hir = regex_syntax::parse(pattern)?;
        let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(set)) = hir.kind() else {
            return Err(format!("{pattern} is not a class").into());
        };
        for range in set.ranges() {
            classes[range.start() as usize..=range.end() as usize].fill(class);
        }
    }
    let mut stored: Vec<Vec<u8>> = Vec::new();
    let mut table = Vec::new();
    for block in classes.chunks(BLOCK) {
        let packed: Vec<u8> = block.chunks(2).map(|pair| pair[0] | pair[1] << 4).collect();
        let number = stored.iter().position(|other| *other == packed).unwrap_or_else(|| {
            stored.push(packed);
            stored.len() - 1
        });
        table.push(u8::try_from(number)?);
    }
    table.extend(stored.concat());
    Ok(table)
}
