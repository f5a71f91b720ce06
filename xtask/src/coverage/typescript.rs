//! The npm package in Node, by V8 itself; c8 makes lines and branches of it.
//!
//! Measured is what TypeScript compiles `pkg-templates/src` to, as ES modules: one file for each, with the same name.
//! Each suite installs the package into a folder of its own, so the paths of all are made those of one.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Covered, Files};
use crate::layout::Layout;
use crate::{node, run};

/// The suites of the npm package that run in Node.
const SUITES: &[&str] = &["node", "adapters", "stores", "clients", "reading"];

/// Where the packages lie, in the suites and before they are packed.
const INSTALLED: &str = "/node_modules/toolshape/dist/";
const PACKED: &str = "target/npm/toolshape/dist";

pub fn measure(layout: &Layout, faults: &mut Vec<String>) -> Result<Files> {
    node::packages(layout, "js-tests/coverage", &layout.node().join("coverage"))?;
    let folder = super::folder(layout).join("typescript");
    let (raw, same) = (folder.join("raw"), folder.join("same"));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&same)?;
    let mut suites = super::suites(layout, SUITES)?;
    suites.env("NODE_V8_COVERAGE", &raw);
    super::run_all("TypeScript", suites, faults)?;
    let packed = layout.path(PACKED);
    for entry in fs::read_dir(&raw).context("Node measured nothing")? {
        let path = entry?.path();
        // A process that was killed leaves half a file.
        let Ok(mut report) = serde_json::from_str::<Value>(&fs::read_to_string(&path)?) else { continue };
        let Some(scripts) = report["result"].as_array_mut() else { continue };
        scripts.retain_mut(|script| {
            let inside = script["url"].as_str().and_then(|url| url.split_once(INSTALLED)).map(|(_, inside)| inside);
            let Some(inside) = inside.filter(|inside| inside.starts_with("esm/") && inside.ends_with(".js")) else {
                return false;
            };
            script["url"] = format!("file://{}/{inside}", packed.display()).into();
            true
        });
        fs::write(same.join(path.file_name().unwrap_or_default()), report.to_string())?;
    }
    let mut c8 = run::command(layout, layout.node().join("coverage/node_modules/.bin/c8"));
    c8.args(["report", "--reporter", "json-summary", "--all", "--src"]).arg(packed.join("esm"));
    c8.args(["--include", &format!("{PACKED}/esm/**/*.js"), "--exclude", "**/glue*.js", "--exclude", "**/fflate.js"]);
    c8.arg("--temp-directory").arg(&same).arg("--reports-dir").arg(&folder);
    run::live_ok(&mut c8)?;
    let report: Value = serde_json::from_str(&fs::read_to_string(folder.join("coverage-summary.json"))?)?;
    let mut files = Files::new();
    for (path, file) in report.as_object().context("c8 reported no files")? {
        let path = path.replace('\\', "/");
        let Some((_, inside)) = path.split_once("dist/esm/") else { continue };
        let count = |kind: &str| {
            let count = |name: &str| file[kind][name].as_u64().unwrap_or(0);
            [count("covered"), count("total")]
        };
        let path = format!("pkg-templates/src/{}", inside.replace(".js", ".ts"));
        files.insert(path, Covered { lines: count("lines"), branches: count("branches") });
    }
    Ok(files)
}
