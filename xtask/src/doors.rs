//! The table of what may leave: each case of `vectors/shared/redaction.json` through each door of the programs and the adapters.

use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::layout::Layout;
use crate::{build, node, python, run, rust};

/// The tables: the programs, rmcp, three SDKs and agents in TypeScript, two SDKs and agents in Python.
const TABLES: usize = 9;

/// Runs the cases and prints the table.
///
/// # Errors
/// A secret that leaves, and an adapter without a table.
pub fn command(layout: &Layout) -> Result<()> {
    let folder = layout.path("target/doors");
    node::remove(&folder)?;
    fs::create_dir_all(&folder)?;
    build::npm_tarballs(layout)?;
    build::wheel(layout)?;
    python::prepare(layout)?;
    let mut programs = rust::tests(layout);
    programs.args(["--test", "doors"]);
    let mut in_node = run::command(layout, "node");
    in_node.args(["--test", "doors.test.mjs"]).current_dir(node::tests(layout, "adapters")?);
    let mut in_python = python::pytest(layout, &layout.venv());
    in_python.arg("tests/test_adapter_doors.py");
    let mut failed = false;
    for command in [&mut programs, &mut in_node, &mut in_python] {
        command.env("TOOLSHAPE_DOORS", &folder).env("TOOLSHAPE_ROOT", &layout.root);
        failed |= run::live(command).is_err();
    }
    let mut files: Vec<_> = fs::read_dir(&folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    for file in &files {
        let table: Value = serde_json::from_slice(&fs::read(file.path())?)?;
        println!("{}", printed(&table).with_context(|| format!("{} is no table", file.path().display()))?);
    }
    if failed || files.len() != TABLES {
        bail!("{} of {TABLES} tables, and {} of their tests failed", files.len(), if failed { "some" } else { "none" });
    }
    Ok(())
}

/// A table with its doors as columns.
fn printed(table: &Value) -> Option<String> {
    let doors: Vec<&str> = table["doors"].as_array()?.iter().filter_map(Value::as_str).collect();
    let row = |name: &str, cells: &[&str]| format!("| {name} | {} |\n", cells.join(" | "));
    let mut text = row(table["name"].as_str()?, &doors) + &row("---", &vec!["---"; doors.len()]);
    for (case, cells) in table["rows"].as_object()? {
        let cell = |is_out: &Value| if is_out.as_bool()? { Some("OUT") } else { Some("held") };
        let cells: Vec<&str> = cells.as_array()?.iter().map(cell).collect::<Option<_>>()?;
        if cells.len() != doors.len() {
            return None;
        }
        text += &row(case, &cells);
    }
    Some(text)
}
