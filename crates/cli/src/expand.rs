//! `toolshape expand`: the minified original of a JSON text in the dense form.

use anyhow::Result;
use toolshape::host;

use crate::arguments::Expand;
use crate::{input, output};

/// Prints the original.
pub fn run(asked: &Expand) -> Result<u8> {
    let text = input::read(asked.file.as_deref())?;
    let text = host::expand(text.strip_prefix('\u{feff}').unwrap_or(&text))?;
    output::print(format!("{text}\n"))?;
    Ok(0)
}
