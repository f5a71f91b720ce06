//! `cargo xtask demo`: two servers in two languages, naive and shaped, and what each costs a model.

use anyhow::Result;

use crate::layout::Layout;
use crate::{build, examples};

/// Builds both packages and runs the demo; false where one of its promises does not hold.
pub fn command(layout: &Layout) -> Result<bool> {
    build::command(layout)?;
    examples::prepare(layout)?;
    println!("\ndemo:");
    // Straight to the terminal, where it shows its own progress in colour.
    Ok(examples::script(layout, "demo/run.mjs").status()?.success())
}
