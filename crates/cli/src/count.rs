//! `toolshape count`: the tokens of a text.

use anyhow::Result;
use toolshape::host::{count_tokens, find_encoding};

use crate::arguments::Count;
use crate::{input, output};

/// Prints the number of tokens.
pub fn run(asked: &Count) -> Result<u8> {
    let encoding = find_encoding(&asked.encoding)?;
    let tokens = count_tokens(&input::read(asked.file.as_deref())?, encoding);
    output::print(format!("{tokens}\n"))?;
    Ok(0)
}
