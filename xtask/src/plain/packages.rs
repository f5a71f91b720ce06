//! The plain module as packages of npm and of PyPI, which contain it twice: as it is, and as a plug-in of Extism.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::module;
use crate::layout::{Layout, VERSION};
use crate::{node, python, run, version};

/// The name of the packages.
pub const NAME: &str = "toolshape-plain-wasm";
/// The features that the module uses: binaryen does not read them from it.
const FEATURES: &str = "--enable-bulk-memory --enable-multivalue --enable-mutable-globals --enable-reference-types \
                        --enable-nontrapping-float-to-int --enable-sign-ext --enable-simd";

/// Builds the plug-in and both packages from the module in `target/dist/`.
pub fn build(layout: &Layout) -> Result<()> {
    let (out, packed, plugin) = (layout.path("target/plain"), layout.dist(), plugin(layout));
    fs::create_dir_all(&packed)?;
    fs::create_dir_all(&out)?;
    let shim = out.join("extism.wasm");
    let mut assemble = run::command(layout, "wasm-as");
    run::quiet("Extism: wasm-as", assemble.arg("crates/plain/extism.wat").arg("-o").arg(&shim))?;
    let mut merge = run::command(layout, "wasm-merge");
    merge.args(FEATURES.split_whitespace()).arg("--skip-export-conflicts").arg(module(layout)).arg("toolshape");
    run::quiet("Extism: wasm-merge", merge.arg(&shim).arg("extism").arg("-o").arg(&plugin))?;
    let mut script = run::command(layout, "node");
    script.args(["pkg-templates/plain/build.mjs", "--version", VERSION, "--out"]).arg(&out);
    script.arg("--module").arg(module(layout)).arg("--plugin").arg(plugin);
    script.args(version::repository(layout)?.iter().flat_map(|repository| ["--repository", repository]));
    run::quiet(NAME, &mut script)?;
    node::pack(layout, NAME, &out.join("npm"), &packed)?;
    python::ensure_build(layout)?;
    let mut wheel = python::python_of(layout, &layout.venv_of("build"));
    wheel.args(["-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps", "--wheel-dir"]);
    run::quiet(&format!("wheel of {NAME}"), wheel.arg(packed).arg(out.join("python"))).map(drop)
}

/// The plug-in in `target/dist/`.
pub fn plugin(layout: &Layout) -> PathBuf {
    layout.dist().join(format!("toolshape-{VERSION}.extism.wasm"))
}

/// The npm package.
pub fn tarball(layout: &Layout) -> PathBuf {
    layout.dist().join(format!("{NAME}-{VERSION}.tgz"))
}

/// The Python package, which is the same on every system.
pub fn wheel(layout: &Layout) -> PathBuf {
    layout.dist().join(format!("{}-{VERSION}-py3-none-any.whl", NAME.replace('-', "_")))
}

/// Installs both packages as users do, the Python package into `packages`; returns the folder of the npm package.
pub fn install(layout: &Layout, packages: &Path) -> Result<PathBuf> {
    let folder = layout.path("target/plain/installed");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("package.json"), "{\"private\":true}\n")?;
    let mut install = node::npm(layout);
    install.args(["install", "--no-save", "--no-package-lock", "--ignore-scripts"]).arg(tarball(layout));
    run::quiet(&format!("npm install {NAME}"), install.current_dir(&folder))?;
    let mut pip = python::python(layout);
    pip.args(["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index", "--upgrade", "--target"]);
    run::quiet(&format!("pip install {NAME}"), pip.arg(packages).arg(wheel(layout)))?;
    Ok(folder.join("node_modules").join(NAME))
}
