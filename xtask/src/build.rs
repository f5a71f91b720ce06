//! `cargo xtask build`: the npm tarballs and the Python wheel, into `target/dist/`.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, bail};

use crate::layout::{Layout, VERSION};
use crate::node::npm;
use crate::progress::Item;
use crate::{node, pins, python, recompress, run, rust, setup};

/// The token engine reads 16 bytes at a time; every runtime that we support has had this since 2023.
const WASM_FEATURES: &str = "-C target-feature=+simd128";

/// Builds both packages and says where they are.
pub fn command(layout: &Layout) -> Result<()> {
    setup::all(layout)?;
    println!("build:");
    npm_tarballs(layout)?;
    wheel(layout)?;
    for package in tarball_paths(layout)?.into_iter().chain([wheel_path(layout)?]) {
        let size = fs::metadata(&package)?.len() as f64 / 1e6;
        println!("  {}  {size:.2} MB", layout.relative(&package).display());
    }
    Ok(())
}

/// The npm packages: the one that everybody needs, a vocabulary, and the module as a file.
const NPM_PACKAGES: [&str; 3] = ["toolshape", "toolshape-cl100k", "toolshape-wasm"];

/// Compiles the crate to wasm, adds what `pkg-templates/` holds, and packs each package.
pub fn npm_tarballs(layout: &Layout) -> Result<()> {
    rust::ensure(layout)?;
    node::ensure(layout)?;
    empty_dist(layout, ".tgz")?;
    let (wasm, npm_folder) = (layout.path("target/wasm-pack"), layout.path("target/npm"));

    let item = Item::start("wasm, by wasm-pack and wasm-opt");
    if wasm.exists() {
        fs::remove_dir_all(&wasm)?;
    }
    let mut pack = run::command(layout, "wasm-pack");
    pack.args(["build", "--profile", "wasm", "--target", "bundler", "--no-pack", "--out-dir"]).arg(&wasm);
    // The vocabularies lie beside the module, each once.
    pack.args(["--", "--no-default-features", "--features", "wasm"])
        .env(wasm_flags_variable(), format!("{} {WASM_FEATURES}", remap_flags(layout, &item)?));
    run::behind(&item, &mut pack)?;
    refuse_machine_paths(layout, &wasm)?;
    item.done();

    let item = Item::start("npm packages");
    let deflated = wasm.join("toolshape_bg.wasm.deflated");
    recompress::deflate(&wasm.join("toolshape_bg.wasm"), &deflated)?;
    let mut assemble = run::command(layout, "node");
    assemble.args(["pkg-templates/build.mjs", "--version", VERSION]).arg("--wasm").arg(&wasm);
    assemble.arg("--deflated").arg(&deflated).arg("--out").arg(&npm_folder).arg("--packages").arg(layout.node());
    run::behind(&item, &mut assemble)?;
    for package in NPM_PACKAGES {
        let mut pack = npm(layout);
        pack.args(["pack", "--pack-destination"]).arg(layout.dist()).current_dir(npm_folder.join(package));
        run::behind(&item, &mut pack)?;
        recompress::gzip(&tarball_path(layout, package))?;
    }
    item.done();
    Ok(())
}

/// Builds the wheel and the source distribution.
pub fn wheel(layout: &Layout) -> Result<()> {
    python::ensure(layout)?;
    empty_dist(layout, ".whl")?;
    empty_dist(layout, ".tar.gz")?;
    let item = Item::start("Python wheel, by maturin");
    let flags = remap_flags(layout, &item)?;
    for what in [&["build", "--release"][..], &["sdist"]] {
        let mut maturin = python::python(layout);
        maturin.args(["-m", "maturin"]).args(what).env("RUSTFLAGS", &flags);
        maturin.args(["--manifest-path", "py-bindings/Cargo.toml", "--out"]).arg(layout.dist());
        run::behind(&item, &mut maturin)?;
    }
    item.done();
    Ok(())
}

/// The npm tarballs in `target/dist/`, all of them.
pub fn tarball_paths(layout: &Layout) -> Result<Vec<PathBuf>> {
    let all: Vec<PathBuf> = NPM_PACKAGES.iter().map(|name| tarball_path(layout, name)).collect();
    match all.iter().find(|path| !path.is_file()) {
        Some(missing) => bail!("{} is not there: build first", layout.relative(missing).display()),
        None => Ok(all),
    }
}

fn tarball_path(layout: &Layout, package: &str) -> PathBuf {
    layout.dist().join(format!("{package}-{VERSION}.tgz"))
}

/// The one wheel in `target/dist/`.
pub fn wheel_path(layout: &Layout) -> Result<PathBuf> {
    let found = in_dist(layout, ".whl")?;
    let [one] = &found[..] else {
        bail!("target/dist/ holds {} wheels, not one", found.len());
    };
    Ok(one.clone())
}

fn in_dist(layout: &Layout, suffix: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(layout.dist()).context("target/dist/ is not there: build first")? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(suffix) {
            found.push(path);
        }
    }
    Ok(found)
}

/// Removes what an earlier build left, so that a failed build leaves nothing to test by mistake.
fn empty_dist(layout: &Layout, suffix: &str) -> Result<()> {
    fs::create_dir_all(layout.dist())?;
    for old in in_dist(layout, suffix)? {
        fs::remove_file(old)?;
    }
    Ok(())
}

fn wasm_flags_variable() -> String {
    format!("CARGO_TARGET_{}_RUSTFLAGS", pins::WASM_TARGET.replace('-', "_").to_uppercase())
}

/// Flags that keep this machine's paths out of what is compiled, so that two machines make the same.
fn remap_flags(layout: &Layout, item: &Item) -> Result<String> {
    // The folders of the crates' sources have to be there to be named.
    run::behind(item, run::cargo(layout).arg("fetch"))?;
    let mut flags = vec![format!("--remap-path-prefix={}=toolshape", layout.root.display())];
    let sources = cargo_home()?.join("registry/src");
    if sources.is_dir() {
        for index in fs::read_dir(&sources)? {
            flags.push(format!("--remap-path-prefix={}=crates", index?.path().display()));
        }
    }
    if flags.iter().any(|flag| flag.contains(' ')) {
        bail!("the checkout and cargo's home must have no space in their paths");
    }
    Ok(flags.join(" "))
}

fn cargo_home() -> Result<PathBuf> {
    let home = || env::home_dir().map(|home| home.join(".cargo"));
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home).context("where is cargo's home?")
}

/// Fails if a path of this machine stands in what wasm-pack made.
fn refuse_machine_paths(layout: &Layout, folder: &Path) -> Result<()> {
    let paths = [layout.root.clone(), cargo_home()?];
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        if file.is_dir() {
            refuse_machine_paths(layout, &file)?;
            continue;
        }
        let bytes = fs::read(&file)?;
        for path in &paths {
            let path = path.as_os_str().as_encoded_bytes();
            if bytes.windows(path.len()).any(|window| window == path) {
                bail!("{} holds a path of this machine", file.display());
            }
        }
    }
    Ok(())
}
