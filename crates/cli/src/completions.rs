//! `toolshape completions`: a script with which a shell completes the command line.

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::{Arguments, Completions};
use crate::output;

/// Prints the script.
pub fn run(asked: &Completions) -> Result<u8> {
    output::print(script(asked.shell))?;
    Ok(0)
}

/// The script of a shell.
pub fn script(shell: Shell) -> String {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "toolshape", &mut out);
    String::from_utf8_lossy(&out).into_owned()
}
