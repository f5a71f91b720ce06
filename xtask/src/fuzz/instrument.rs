//! xtask in place of rustc: the crates of this workspace, and no others, are compiled so that libFuzzer sees which
//! branches an input takes and what it compares. The crates that ours are compared with stay quick, and inputs that
//! only they tell apart do not grow the corpus.

use std::env;
use std::process::{Command, ExitCode};

/// Set where cargo starts this program instead of rustc.
pub const MARK: &str = "TOOLSHAPE_INSTRUMENT";

/// What `cargo fuzz --sanitizer none` passes; no nightly is needed for any of it.
const FLAGS: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg=fuzzing",
];

/// Runs the rustc that cargo names, with the flags, if cargo started this program for that.
pub fn rustc() -> Option<ExitCode> {
    env::var_os(MARK)?;
    let mut arguments = env::args_os().skip(1);
    let mut rustc = Command::new(arguments.next()?);
    rustc.args(arguments).args(FLAGS);
    let status = rustc.status().map(|status| status.code().unwrap_or(1));
    Some(ExitCode::from(status.map_or(1, |code| code as u8)))
}
