//! The program `toolshape`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    ExitCode::from(toolshape_cli::run(std::env::args_os()))
}
