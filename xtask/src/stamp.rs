//! Stamps record what an output was made from, so that it is not made again from the same input.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// A file that records what its folder was made from, and its expected content.
pub struct Stamp {
    file: PathBuf,
    wanted: String,
}

impl Stamp {
    /// The stamp of `file` for an output that is made from these parts.
    pub fn new<Part: AsRef<[u8]>>(file: PathBuf, parts: impl IntoIterator<Item = Part>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            let part = part.as_ref();
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let wanted = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { file, wanted }
    }

    /// Whether the output was made from exactly these parts.
    pub fn holds(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|found| found == self.wanted)
    }

    /// Whether there is an output, from these parts or others.
    pub fn is_there(&self) -> bool {
        self.file.exists()
    }

    /// Writes the stamp, after the output is complete.
    pub fn write(&self) -> Result<()> {
        fs::write(&self.file, &self.wanted).with_context(|| format!("cannot write {}", self.file.display()))
    }
}
