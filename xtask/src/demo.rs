//! `cargo xtask demo`: two servers in two languages, with and without shaping, and the token cost of each for a model.

use anyhow::Result;

use crate::layout::Layout;
use crate::{build, examples, lanes, setup};

const PLAN: &str = "\
demo: builds the npm package and the Python wheel, then starts example servers in both languages and calls them.
  What it needs comes from the package registries into target/: crates, Node packages, Python packages, and the
  Rust target for wasm where rustup lacks it. The first run takes about 4 minutes on two cores; a later one builds
  what has changed and takes a minute. To begin from nothing, delete target/.";

/// Builds both packages and runs the demo; false if one of its promises does not hold.
pub fn command(layout: &Layout) -> Result<bool> {
    println!("{PLAN}");
    setup::check(layout)?;
    lanes::run(layout, &[build::npm_tarballs, build::wheel, examples::ensure])?;
    examples::prepare(layout)?;
    println!("\ndemo:");
    // It writes directly to the terminal, because it shows its own progress in colour.
    Ok(examples::script(layout, "demo/run.mjs").status()?.success())
}
