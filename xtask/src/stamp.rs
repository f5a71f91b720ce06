//! Stamps: a folder remembers what it was made from, so that the same is not made again.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// The file that holds a folder's stamp.
pub const FILE: &str = ".made-from";

/// A folder's stamp, and what it should say.
pub struct Stamp {
    file: PathBuf,
    wanted: String,
}

impl Stamp {
    /// What `folder` should say when it was made from these parts.
    pub fn of(folder: &Path, parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let wanted = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { file: folder.join(FILE), wanted }
    }

    /// Whether the folder was made from just that.
    pub fn holds(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|found| found == self.wanted)
    }

    /// Remembers it, once the folder is made.
    pub fn write(&self) -> Result<()> {
        fs::write(&self.file, &self.wanted).with_context(|| format!("cannot write {}", self.file.display()))
    }
}
