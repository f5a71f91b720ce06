//! The host of the plain module in Go, with wazero: its first result, its tests, and the messages of the shared cases. Go comes
//! from a package of PyPI, wazero from the proxy of Go modules.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::module;
use crate::layout::Layout;
use crate::{python, run, rust};

/// Runs what there is in Go. Where the proxy of Go modules cannot be reached, all of it is skipped, but not in CI.
pub fn test(layout: &Layout) -> Result<()> {
    let (tools, module) = (tools(layout)?, module(layout));
    if let Err(error) = run::quiet("Go modules", go(layout, &tools).args(["mod", "download"])) {
        if env::var_os("CI").is_some() {
            return Err(error);
        }
        println!("{error:#}\nwithout Go modules:\n0 passed, 0 failed, 1 skipped");
        return Ok(());
    }
    run::quiet("go vet", go(layout, &tools).args(["vet", "./..."]))?;
    let first = run::quiet("first result in Go", go(layout, &tools).args(["run", "./first"]).arg(&module))?;
    if !first.starts_with(r#"{"paginated":true,"totalItems":1000,"#) {
        bail!("the first program in Go shows:\n{first}");
    }
    run::live(go(layout, &tools).args(["test", "-v", "."]).env("TOOLSHAPE_PLAIN", &module))?;
    let transcript = rust::transcript(layout, "bin");
    run::live(go(layout, &tools).args(["run", "./replay"]).arg(&module).arg(transcript))
}

/// The folder of Go's own files.
fn tools(layout: &Layout) -> Result<PathBuf> {
    python::folder_of(layout, "target/plain/go", "crates/plain/hosts/go/requirements.txt")
        .map(|folder| folder.join("go"))
}

fn go(layout: &Layout, tools: &Path) -> Command {
    let mut go = run::command(layout, tools.join("bin/go"));
    go.current_dir(layout.path("crates/plain/hosts/go")).env("GOTOOLCHAIN", "local").env("GOROOT", tools);
    go
}
