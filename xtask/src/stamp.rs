//! Stamps: what was made remembers what it was made from, so that the same is not made again.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// A file that says what its folder was made from, and what it should say.
pub struct Stamp {
    file: PathBuf,
    wanted: String,
}

impl Stamp {
    /// What `file` should say when all was made from these parts.
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

    /// Whether all was made from just that.
    pub fn holds(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|found| found == self.wanted)
    }

    /// Whether anything was made, from these parts or others.
    pub fn is_there(&self) -> bool {
        self.file.exists()
    }

    /// Remembers it, once all is made.
    pub fn write(&self) -> Result<()> {
        fs::write(&self.file, &self.wanted).with_context(|| format!("cannot write {}", self.file.display()))
    }
}
