//! What a command reads: a file, or the standard input.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result};

/// The text of a file, or of the standard input. Invalid UTF-8 is replaced by U+FFFD, as hosts do.
pub fn read(file: Option<&Path>) -> Result<String> {
    let bytes = match file.filter(|file| *file != Path::new("-")) {
        Some(file) => fs::read(file).with_context(|| format!("cannot read {}", file.display()))?,
        None => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).context("cannot read the standard input")?;
            bytes
        }
    };
    Ok(String::from_utf8(bytes).unwrap_or_else(|wrong| String::from_utf8_lossy(wrong.as_bytes()).into_owned()))
}
