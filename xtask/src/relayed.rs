//! What the relay is tried before: servers of others in both languages, and the proxies that are compared with it.

use std::process::Command;

use anyhow::Result;

use crate::layout::{Layout, bin_of};
use crate::progress::Item;
use crate::{browser, node, pumps, python, run};

/// The fetch server reads pages by a package that runs `npm install` in its own folder where that was not done yet: servers that
/// are called side by side would all do it at the same time, and some fail.
const FIRST_CALL: &str = "from readabilipy.simple_json import have_node; assert have_node(), 'npm install failed'";

/// Node, from a folder with the servers, the packages that were built and a copy of the tests. The environment says where
/// each relay and each environment of Python is; `workspace` selects what cargo compiles.
pub fn prepare(layout: &Layout, workspace: &[&str]) -> Result<Command> {
    python::prepare(layout, &[python::EXAMPLES, python::TESTS, python::SERVERS])?;
    python::ensure_older(layout, "mcp1")?;
    node::ensure(layout)?;
    let item = Item::start("what the fetch server installs at its first call");
    run::behind(&item, python::python(layout).args(["-c", FIRST_CALL]))?;
    item.done();
    node::reference(layout)?;
    let folder = layout.node_reference();
    node::copy(layout, "js-tests/reference", &folder)?;
    node::install_tarballs(layout, &folder)?;

    let native = pumps::native(layout, workspace)?;
    let mut node = run::command(layout, "node");
    pumps::tell(&mut node, &native, &folder).current_dir(&folder).env("TOOLSHAPE_ROOT", &layout.root);
    node.env("TOOLSHAPE_PYTHON_BIN", layout.venv_bin()).env("TOOLSHAPE_MCP1_BIN", bin_of(&layout.venv_older("mcp1")));
    node.env("TOOLSHAPE_CHROMIUM", browser::program(layout)?);
    Ok(node)
}
