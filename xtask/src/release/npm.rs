//! The npm packages: publint and "are the types wrong" find nothing, and the first example runs where nothing else is.

use std::path::PathBuf;
use std::{env, fs};

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::release::publish::Registry;
use crate::release::table::{Said, Table};
use crate::release::tried::Scratch;
use crate::release::{copied, emptied};
use crate::{build, node, run};

pub fn rows(layout: &Layout, table: &mut Table) -> Result<()> {
    build::npm_tarballs(layout)?;
    let folder = emptied(layout, Registry::Npm.folder(), &[".tgz"])?;
    let mut tarballs = Vec::new();
    for tarball in build::tarball_paths(layout)? {
        tarballs.push(copied(&tarball, &folder)?);
    }
    for (at, tarball) in tarballs.iter().enumerate() {
        let row = table.of_file(tarball);
        row.check("publint, types, links", lint(layout, "packages.test.mjs", std::slice::from_ref(tarball)));
        let mut publish = node::npm(layout);
        publish.args(["publish", "--dry-run", "--access", "public"]).arg(tarball);
        row.check("npm publish --dry-run", run::live_ok(&mut publish).map(|_| Said::Passed));
        if at == 0 {
            row.check("first example", example(layout, tarball));
        }
    }
    table.of("npm packages").check("sizes", build::check_tarball_sizes(layout).map(|()| Said::Passed));
    Ok(())
}

/// Runs one file of `js-tests/release`, which looks at these tarballs.
pub fn lint(layout: &Layout, tests: &str, tarballs: &[PathBuf]) -> Result<Said> {
    run::live_ok(&mut linters(layout, &[tests], tarballs)?)?;
    Ok(Said::Passed)
}

/// The command that runs files of `js-tests/release`.
pub fn linters(layout: &Layout, tests: &[&str], tarballs: &[PathBuf]) -> Result<std::process::Command> {
    node::ensure(layout)?;
    node::release(layout)?;
    let folder = layout.node_release();
    node::copy(layout, "js-tests/release", &folder)?;
    let mut command = run::command(layout, "node");
    command.args(["--test", "--test-reporter=spec"]).args(tests).current_dir(folder);
    command.env("TOOLSHAPE_ROOT", &layout.root).env("TOOLSHAPE_TARBALLS", env::join_paths(tarballs)?);
    Ok(command)
}

/// Installs the package where there is nothing else, and runs the first example of its README that needs nothing else.
fn example(layout: &Layout, tarball: &std::path::Path) -> Result<Said> {
    let scratch = Scratch::new("npm")?;
    fs::write(scratch.path("package.json"), "{\"private\":true}\n")?;
    let mut install = node::npm(layout);
    install.args(["install", "--ignore-scripts", "--no-package-lock"]).arg(tarball).current_dir(&scratch.folder);
    run::live_ok(&mut install)?;
    let example = layout.path("js-tests/release/first_example.mjs");
    fs::copy(&example, scratch.path("first_example.mjs")).context("cannot copy the example's runner")?;
    let mut node = scratch.bare("node")?;
    run::live_ok(node.arg("first_example.mjs"))?;
    Ok(Said::Passed)
}
