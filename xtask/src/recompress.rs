//! Tarballs made smaller: npm's own compressor is quick, and a package is unpacked more often than packed.

use std::fs;
use std::io::Read;
use std::num::NonZeroU64;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::read::GzDecoder;

/// Rounds of Zopfli; a package gains 0.1 % by more.
const ROUNDS: NonZeroU64 = NonZeroU64::new(5).unwrap();

/// Compresses a gzip file anew, into the same format (RFC 1952) and with the same content.
pub fn gzip(path: &Path) -> Result<()> {
    let mut content = Vec::new();
    GzDecoder::new(&fs::read(path)?[..])
        .read_to_end(&mut content)
        .with_context(|| format!("{} is not gzip", path.display()))?;
    let options = zopfli::Options { iteration_count: ROUNDS, ..zopfli::Options::default() };
    let mut compressed = Vec::new();
    zopfli::compress(options, zopfli::Format::Gzip, &content[..], &mut compressed)?;
    fs::write(path, compressed)?;
    Ok(())
}
