//! Commands that measure the crate itself: they need it, and other crates for comparison, compiled with optimizations,
//! so xtask starts itself again with its feature `measure`.

use anyhow::Result;
use clap::Args as ClapArgs;

use crate::layout::Layout;

/// What such a command takes: its own arguments, which it reads itself.
#[derive(ClapArgs)]
pub struct Args {
    /// See the first lines of the command's file in xtask/src
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// `cargo xtask tokens-check`.
#[cfg(feature = "measure")]
pub fn tokens_check(_: &Layout, args: &Args) -> Result<bool> {
    crate::tokens_check::run(&args.rest).map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(true)
}

/// `cargo xtask tokens-check`.
#[cfg(not(feature = "measure"))]
pub fn tokens_check(layout: &Layout, args: &Args) -> Result<bool> {
    again(layout, "tokens-check", args)
}

#[cfg(not(feature = "measure"))]
fn again(layout: &Layout, command: &str, args: &Args) -> Result<bool> {
    crate::python::ensure(layout, &[crate::python::TESTS])?;
    let mut cargo = crate::run::cargo(layout);
    cargo.args(["run", "--quiet", "--release", "--package", "xtask", "--features", "measure", "--"]);
    Ok(cargo.arg(command).args(&args.rest).status()?.success())
}
