//! Writes the JavaScript bindings of a wasm module, as `wasm-bindgen --target bundler` does.
//!
//! It uses the library of that command, because the command takes minutes to compile, mostly for a test runner that
//! only `cargo xtask test browser` needs. It is a separate package so that the other commands of xtask do not wait for
//! it.
#![forbid(unsafe_code)]

use std::env;

use anyhow::{Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        bail!("usage: xtask-bindgen MODULE FOLDER");
    };
    Bindgen::new().input_path(module).out_name("toolshape").bundler(true)?.generate(folder)
}
