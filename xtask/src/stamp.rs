//! Stamps record what an output was made from, so that it is not made again from the same input.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::layout::Layout;

/// A file that records what its folder was made from, and its expected content.
pub struct Stamp {
    file: PathBuf,
    wanted: String,
}

impl Stamp {
    /// The stamp in `folder` for an output that is made from these files.
    pub fn new<P: AsRef<Path>>(folder: &Path, files: impl IntoIterator<Item = P>) -> Result<Self> {
        let mut hash = Sha256::new();
        for file in files {
            let file = file.as_ref();
            let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
        let wanted = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { file: folder.join(".made-from"), wanted })
    }

    /// Whether the output was made from exactly these files.
    pub fn holds(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|found| found == self.wanted)
    }

    /// Writes the stamp, after the output is complete.
    pub fn write(&self) -> Result<()> {
        fs::write(&self.file, &self.wanted).with_context(|| format!("cannot write {}", self.file.display()))
    }
}

/// A lock that one process holds until it is dropped: steps run in parallel, and several need the same packages.
pub fn lock(layout: &Layout) -> Result<File> {
    fs::create_dir_all(layout.path("target"))?;
    let file = File::create(layout.path("target/.installing"))?;
    file.lock()?;
    Ok(file)
}
