//! `toolshape save`: a stored result, whole, in a file of the user. Not an option of `read`, which agents may run without asking.

use std::io::Write;

use anyhow::{Context, Result};
use serde_json::Map;

use crate::arguments::SaveArguments;
use crate::install::private_new;
use crate::single_calls::{SAVE, SingleCalls};
use crate::{output, settings};

/// Writes a new file that only the user reads.
pub fn run(asked: &SaveArguments) -> Result<u8> {
    let mut options = settings::kept(&Map::new(), settings::read(None)?)?;
    options.result_arguments = vec![SAVE.to_owned()];
    let text = SingleCalls::new(&options, "read")?.whole(&asked.handle)?;
    let file = asked.file.display();
    let mut to = private_new(&asked.file).with_context(|| format!("cannot write {file}"))?;
    to.write_all(text.as_bytes())?;
    output::print(format!("{file}: {} bytes\n", text.len()))?;
    Ok(0)
}
