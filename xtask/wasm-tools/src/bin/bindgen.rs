//! Writes the JavaScript bindings of a wasm module, as `wasm-bindgen --target bundler` does.
#![forbid(unsafe_code)]

use std::env;

use anyhow::{Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        bail!("usage: bindgen MODULE FOLDER");
    };
    Bindgen::new().input_path(module).out_name("toolshape").bundler(true)?.generate(folder)
}
