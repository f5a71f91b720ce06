//! `cargo xtask sbom`: a software bill of materials in CycloneDX for each package, next to it in `target/dist/`.
//!
//! cargo-cyclonedx lists the crates that are compiled into a module, with versions, licences and hashes. A package is a
//! component that depends on its module, and the npm package on what is bundled into it; neither has dependencies that
//! are installed with it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::layout::{Layout, VERSION};
use crate::published::{self, Published};
use crate::{build, node, pins, plain, run, rust};

/// The libraries that are bundled in the npm package.
const BUNDLED: [&str; 1] = ["fflate"];

/// Writes a list for each package that was built.
pub fn command(layout: &Layout) -> Result<()> {
    node::ensure(layout)?;
    let tarballs = build::tarball_paths(layout)?;
    let wheel = build::wheel_path(layout)?;
    for entry in fs::read_dir(layout.dist())? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(SUFFIX) {
            fs::remove_file(path)?;
        }
    }
    // cargo-cyclonedx writes next to each Cargo.toml: in a clone of the last commit.
    let tree = Layout { root: layout.path("target/sbom") };
    node::remove(&tree.root)?;
    run::live(run::command(layout, "git").args(["clone", "--quiet", "--shared", "."]).arg(&tree.root))?;
    let wasm = ["--target", pins::WASM_TARGET];
    let module = crates(layout, &tree, Path::new("crates/wasm"), &wasm)?;
    let extension = crates(layout, &tree, Path::new("py-bindings"), &[])?;
    for Published { name, folder } in published::crates(layout)? {
        let list = crates(layout, &tree, &folder, &["--target", "all"])?;
        write(layout, Path::new(&format!("{name}-{VERSION}.crate")), &list)?;
    }
    let plain = crates(layout, &tree, Path::new("crates/plain"), &["--target", pins::WASM_TARGET])?;
    write(layout, &plain::module(layout), &plain)?;
    for (kind, path) in [("npm", plain::packages::tarball(layout)), ("pypi", plain::packages::wheel(layout))] {
        let name = plain::packages::NAME;
        write(layout, &path, &package(&format!("pkg:{kind}/{name}@{VERSION}"), name, Some(&plain), &[]))?;
    }
    for tarball in tarballs {
        let name = tarball.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let name = name.trim_end_matches(&format!("-{VERSION}.tgz"));
        let list = match name {
            "toolshape" => package(&format!("pkg:npm/{name}@{VERSION}"), name, Some(&module), &bundled(layout)?),
            "toolshape-wasm" => package(&format!("pkg:npm/{name}@{VERSION}"), name, Some(&module), &[]),
            _ => package(&format!("pkg:npm/{name}@{VERSION}"), name, None, &[]),
        };
        no_dependencies(layout, name)?;
        write(layout, &tarball, &list)?;
    }
    write(layout, &wheel, &package(&format!("pkg:pypi/toolshape@{VERSION}"), "toolshape", Some(&extension), &[]))
}

/// How the name of a list ends.
pub const SUFFIX: &str = ".cdx.json";

/// The list of cargo-cyclonedx for the crate in this folder, without paths of this machine.
fn crates(layout: &Layout, tree: &Layout, folder: &Path, options: &[&str]) -> Result<Value> {
    let mut cyclonedx = rust::subcommand(layout, "cyclonedx", pins::CARGO_CYCLONEDX)?;
    cyclonedx.current_dir(&tree.root).args(["--quiet", "--format", "json", "--spec-version", "1.5"]);
    cyclonedx.args(["--no-build-deps", "--override-filename", "crates.cdx"]).args(options);
    // The time of the commit, so that one commit has one list.
    let time = run::answer(run::command(layout, "git").args(["log", "-1", "--format=%ct"]));
    run::live(cyclonedx.env("SOURCE_DATE_EPOCH", time.context("`git log` failed: is this a checkout?")?))?;
    let text = fs::read_to_string(tree.root.join(folder).join("crates.cdx.json"))?;
    let root = tree.root.to_str().context("the checkout's path is not text")?;
    Ok(serde_json::from_str(&text.replace(&format!("file://{root}"), "file://."))?)
}

/// The list of a package: `module` with its crates, and what else is bundled.
fn package(purl: &str, name: &str, module: Option<&Value>, bundled: &[Value]) -> Value {
    let licence = json!([{ "license": { "id": "MIT" } }]);
    let root = json!({ "type": "library", "bom-ref": purl, "name": name, "version": VERSION, "licenses": licence, "purl": purl });
    let mut components = bundled.to_vec();
    let mut dependencies = Vec::new();
    if let Some(module) = module {
        components.push(module["metadata"]["component"].clone());
        components.extend(module["components"].as_array().cloned().unwrap_or_default());
        dependencies.extend(module["dependencies"].as_array().cloned().unwrap_or_default());
    }
    let first = bundled.len() + usize::from(module.is_some());
    let direct: Vec<Value> = components.iter().take(first).map(|component| component["bom-ref"].clone()).collect();
    dependencies.insert(0, json!({ "ref": purl, "dependsOn": direct }));
    let mut metadata = module.map_or_else(|| json!({}), |module| module["metadata"].clone());
    metadata["component"] = root;
    json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": metadata,
        "components": components, "dependencies": dependencies,
    })
}

/// The libraries whose used parts are in the npm package.
fn bundled(layout: &Layout) -> Result<Vec<Value>> {
    BUNDLED.iter().map(|name| library(layout, name)).collect()
}

fn library(layout: &Layout, name: &str) -> Result<Value> {
    let manifest = layout.node().join("node_modules").join(name).join("package.json");
    let manifest: Value = serde_json::from_str(&fs::read_to_string(manifest)?)?;
    let version = manifest["version"].as_str().context("a package has a version")?;
    let purl = format!("pkg:npm/{name}@{version}");
    let licence = json!([{ "license": { "id": manifest["license"] } }]);
    Ok(json!({
        "type": "library", "bom-ref": purl, "name": name, "version": version, "licenses": licence, "purl": purl,
    }))
}

/// Fails if an npm package has dependencies, which its list would lack.
fn no_dependencies(layout: &Layout, name: &str) -> Result<()> {
    let manifest = layout.path("target/npm").join(name).join("package.json");
    let manifest: Value = serde_json::from_str(&fs::read_to_string(manifest)?)?;
    match manifest["dependencies"].as_object() {
        Some(some) if !some.is_empty() => bail!("{name} has dependencies, which its list must name"),
        _ => Ok(()),
    }
}

fn write(layout: &Layout, package: &Path, list: &Value) -> Result<()> {
    let name = package.file_name().and_then(|name| name.to_str()).context("a package has a name")?;
    let text = serde_json::to_string_pretty(list)? + "\n";
    if text.contains(layout.root.to_str().context("the checkout's path is not text")?) {
        bail!("the list of {name} contains a path of this machine");
    }
    let path = layout.dist().join(format!("{name}{SUFFIX}"));
    fs::write(&path, text)?;
    let count = list["components"].as_array().map_or(0, Vec::len);
    println!("  {}  {count} components", layout.relative(&path).display());
    Ok(())
}
