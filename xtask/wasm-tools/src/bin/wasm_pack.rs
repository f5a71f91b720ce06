//! The command `wasm-pack`.
#![forbid(unsafe_code)]

use clap::Parser;

fn main() -> anyhow::Result<()> {
    env_logger::init();
    let command = wasm_pack::Cli::parse();
    wasm_pack::command::run_wasm_pack(command.cmd)
}
