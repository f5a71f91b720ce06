//! `cargo xtask build`: the npm tarballs, the program, the Python wheel and the plain WebAssembly module, into `target/dist/`.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};

use crate::layout::{Layout, VERSION};
use crate::{node, plain, program, python, recompress, run, setup, version, wasm};

/// Builds the packages and the plain module as a release publishes them, and prints their paths.
pub fn command(layout: &Layout) -> Result<()> {
    setup::check(layout)?;
    println!("build: installs what is missing into target/");
    run::together(layout, &[npm_tarballs, released_wheel])?;
    plain::build(layout)?;
    let program = [program::launcher(layout)?, program::package(layout, None)?];
    let plain = [plain::module(layout), plain::packages::tarball(layout), plain::packages::wheel(layout)];
    for package in tarball_paths(layout)?.into_iter().chain(program).chain([wheel_path(layout)?]).chain(plain) {
        let size = fs::metadata(&package)?.len() as f64 / 1e6;
        println!("  {}  {size:.2} MB", layout.relative(&package).display());
    }
    Ok(())
}

/// The npm packages: the main package, a vocabulary, and the module as a file; and the most bytes that the tarball of each
/// may have.
const NPM_PACKAGES: [(&str, u64); 3] =
    [("toolshape", 2_510_000), ("toolshape-cl100k", 310_000), ("toolshape-wasm", 1_775_000)];

/// Compiles the crate to wasm, adds the files of `pkg-templates/`, and packs each package.
pub fn npm_tarballs(layout: &Layout) -> Result<()> {
    NPM_PACKAGES.iter().try_for_each(|(name, _)| empty(&layout.dist(), &format!("{name}-{VERSION}"), ".tgz"))?;
    let (module, npm_folder) = (layout.path("target/bindings"), layout.path("target/npm"));
    wasm::build(layout, &module)?;
    refuse_machine_paths(layout, &module)?;

    let deflated = module.join("toolshape_bg.wasm.deflated");
    recompress::deflate(&module.join("toolshape_bg.wasm"), &deflated)?;
    let mut assemble = run::command(layout, "node");
    assemble.args(["pkg-templates/build.mjs", "--version", VERSION]).arg("--wasm").arg(&module);
    let (sql, sql_deflated) = (module.join("toolshape_sql.wasm"), module.join("toolshape_sql.wasm.deflated"));
    recompress::deflate(&sql, &sql_deflated)?;
    assemble.arg("--deflated").arg(&deflated).arg("--sql").arg(&sql).arg("--sql-deflated").arg(&sql_deflated);
    assemble.arg("--out").arg(&npm_folder).arg("--packages").arg(layout.node());
    if let Some(repository) = version::repository(layout)? {
        assemble.args(["--repository", &repository]);
    }
    run::quiet("npm packages", &mut assemble)?;
    for (package, _) in NPM_PACKAGES {
        node::pack(layout, package, &npm_folder.join(package), &layout.dist())?;
        recompress::gzip(&tarball_path(layout, package))?;
    }
    Ok(())
}

/// How the name of the wheel begins.
const WHEEL: &str = "toolshape-";
/// The most bytes that a wheel may have: those of the program (`program.rs`), and the Python modules. The aim is 6 MB.
pub const MOST_WHEEL_BYTES: u64 = 8_800_000;

/// Builds the wheel for tests, with the profile of the Rust tests: crates that have the same features are compiled once.
pub fn wheel(layout: &Layout) -> Result<()> {
    remove_wheels(layout)?;
    maturin(layout, &layout.debug_dist(), &["build", "--profile", "dev"], "")
}

/// Builds the wheel as a release publishes it, within its size.
pub fn released_wheel(layout: &Layout) -> Result<()> {
    remove_wheels(layout)?;
    maturin(layout, &layout.dist(), &["build", "--release", "--features", FEATURES], &remap_flags(layout)?)?;
    check_size(&wheel_path(layout)?, MOST_WHEEL_BYTES)
}

/// One of the two folders has the wheel: the other kind is not tested by mistake.
fn remove_wheels(layout: &Layout) -> Result<()> {
    empty(&layout.dist(), WHEEL, ".whl")?;
    empty(&layout.debug_dist(), WHEEL, ".whl")
}

/// What released programs have, and tests do not compile each time.
pub const FEATURES: &str = "ext-proc";

/// Builds the source distribution.
pub fn source_distribution(layout: &Layout) -> Result<()> {
    empty(&layout.dist(), "", ".tar.gz")?;
    maturin(layout, &layout.dist(), &["sdist"], "")
}

fn maturin(layout: &Layout, out: &Path, arguments: &[&str], flags: &str) -> Result<()> {
    python::ensure_build(layout)?;
    let mut maturin = python::python_of(layout, &layout.venv_of("build"));
    maturin.args(["-m", "maturin"]).args(arguments);
    if !flags.is_empty() {
        maturin.env("RUSTFLAGS", flags);
    }
    maturin.args(["--manifest-path", "py-bindings/Cargo.toml", "--out"]).arg(out);
    run::quiet(&format!("maturin {}", arguments.join(" ")), &mut maturin).map(drop)
}

/// The npm tarballs in `target/dist/`, all of them.
pub fn tarball_paths(layout: &Layout) -> Result<Vec<PathBuf>> {
    let all: Vec<PathBuf> = NPM_PACKAGES.iter().map(|(name, _)| tarball_path(layout, name)).collect();
    match all.iter().find(|path| !path.is_file()) {
        Some(missing) => bail!("{} does not exist: run `cargo xtask build`", layout.relative(missing).display()),
        None => Ok(all),
    }
}

/// Fails if a tarball is too large.
pub fn check_tarball_sizes(layout: &Layout) -> Result<()> {
    NPM_PACKAGES.iter().try_for_each(|(package, most)| check_size(&tarball_path(layout, package), *most))
}

/// Fails if a package is larger than its limit.
pub fn check_size(package: &Path, most: u64) -> Result<()> {
    let bytes = fs::metadata(package)?.len();
    ensure!(bytes <= most, "{} has {bytes} bytes; the limit in xtask/ is {most}", package.display());
    Ok(())
}

fn tarball_path(layout: &Layout, package: &str) -> PathBuf {
    layout.dist().join(format!("{package}-{VERSION}.tgz"))
}

/// The wheel that was built last, for tests or for a release.
pub fn wheel_path(layout: &Layout) -> Result<PathBuf> {
    let found = [built(&layout.dist(), WHEEL, ".whl")?, built(&layout.debug_dist(), WHEEL, ".whl")?].concat();
    ensure!(found.len() == 1, "target/dist/ contains {} wheels instead of one: run `cargo xtask build`", found.len());
    Ok(found[0].clone())
}

/// The files in a folder whose names begin and end so.
pub fn built(folder: &Path, prefix: &str, suffix: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(prefix) && name.ends_with(suffix) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Removes the output of earlier builds, so that after a failed build no old output is tested by mistake.
fn empty(folder: &Path, prefix: &str, suffix: &str) -> Result<()> {
    fs::create_dir_all(folder)?;
    built(folder, prefix, suffix)?.into_iter().try_for_each(|old| Ok(fs::remove_file(old)?))
}

/// Flags that keep this machine's paths out of the compiled code, so that two machines produce the same output.
pub fn remap_flags(layout: &Layout) -> Result<String> {
    let sources = cargo_home()?.join("registry/src");
    // The source folders of the crates must exist to be listed. They do, because compiling xtask needs crates of the
    // registry, unless another machine's `target/` is used.
    if !sources.is_dir() {
        run::quiet("crates", run::cargo(layout).arg("fetch"))?;
    }
    let mut flags = vec![format!("--remap-path-prefix={}=toolshape", layout.root.display())];
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
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home).context("there is no home folder")
}

/// Fails if a path of this machine is in the module or its bindings.
pub fn refuse_machine_paths(layout: &Layout, folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        match file.is_dir() {
            true => refuse_machine_paths(layout, &file)?,
            false => refuse_paths_in(layout, &file)?,
        }
    }
    Ok(())
}

/// Fails if a path of this machine is in a file.
pub fn refuse_paths_in(layout: &Layout, file: &Path) -> Result<()> {
    let bytes = fs::read(file)?;
    for path in [layout.root.clone(), cargo_home()?] {
        let path = path.as_os_str().as_encoded_bytes();
        if bytes.windows(path.len()).any(|window| window == path) {
            bail!("{} contains a path of this machine", file.display());
        }
    }
    Ok(())
}
