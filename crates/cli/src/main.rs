//! The program `toolshape`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(toolshape_cli::run(std::env::args_os()))
}
