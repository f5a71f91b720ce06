//! `cargo xtask release`: builds and checks what a release publishes, into `target/to-publish/`.
//!
//! The workflow `release.yml` runs it, and then publishes with `cargo publish`, `npm publish` and `twine upload`.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, bail};
use clap::{Args as ClapArgs, ValueEnum};

use crate::layout::{Layout, VERSION};
use crate::version::{self, Changes};
use crate::{build, node, pins, plain, program, published, python, run, rust, sbom, setup};

/// What `cargo xtask release` takes.
#[derive(ClapArgs)]
pub struct Args {
    /// Parts to build and check
    #[arg(required = true)]
    parts: Vec<ReleasePart>,
    /// The target of the wheels and of the program [default: this machine]
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReleasePart {
    /// The commit has no changes, a dated section in CHANGELOG.md, a tag and a repository
    State,
    /// The crates: packaged, compiled from their packages, with the oldest Rust and each combination of features
    Crates,
    /// The npm packages, but those of the program
    Npm,
    /// The plain WebAssembly module, and its packages
    Module,
    /// Python's source distribution, built where there is no checkout
    Source,
    /// Python's wheels for one target
    Wheels,
    /// The npm package of the program for one target
    Program,
    /// Licences and known vulnerabilities, and the list of what is in each package
    Bills,
}

/// Builds and checks the parts in their order; stops at the first that fails.
pub fn command(layout: &Layout, args: &Args) -> Result<()> {
    setup::check(layout)?;
    for part in &args.parts {
        match part {
            ReleasePart::State => state(layout)?,
            ReleasePart::Crates => crates(layout)?,
            ReleasePart::Npm => npm(layout)?,
            ReleasePart::Module => {
                plain::build(layout)?;
                publish(layout, "module", &[plain::module(layout), plain::packages::plugin(layout)])?;
                publish(layout, "npm", &[plain::packages::tarball(layout)])?;
                let wheel = plain::packages::wheel(layout);
                run::live(tool(layout, "twine")?.args(["check", "--strict"]).arg(&wheel))?;
                publish(layout, "python", &[wheel])?;
            }
            ReleasePart::Source => source(layout)?,
            ReleasePart::Wheels => wheels(layout, args.target.as_deref())?,
            ReleasePart::Program => publish(layout, "npm", &[program::package(layout, args.target.as_deref())?])?,
            ReleasePart::Bills => bills(layout)?,
        }
    }
    Ok(())
}

/// What `cargo xtask test --all` runs of it.
pub fn test(layout: &Layout) -> Result<()> {
    package(layout)?;
    lint(layout, &build::tarball_paths(layout)?)
}

fn state(layout: &Layout) -> Result<()> {
    let git = |words: &[&str]| run::answer(run::command(layout, "git").args(words)).context("this is not a checkout");
    if !git(&["status", "--porcelain"])?.is_empty() {
        bail!("there are changes that are not committed");
    }
    match version::changes(&fs::read_to_string(layout.path("CHANGELOG.md"))?)? {
        Changes::Released(version) if version == VERSION => {}
        _ => bail!("CHANGELOG.md has no dated section for {VERSION}: run `cargo xtask version {VERSION}`"),
    }
    if !git(&["tag", "--points-at", "HEAD"])?.lines().any(|tag| tag == format!("v{VERSION}")) {
        bail!("this commit does not have the tag v{VERSION}");
    }
    if version::repository(layout)?.is_none() {
        bail!("Cargo.toml names no repository, which registries compare with the workflow that publishes");
    }
    Ok(())
}

/// Copies files to where the workflow takes them from.
fn publish(layout: &Layout, kind: &str, files: &[PathBuf]) -> Result<()> {
    let folder = layout.path("target/to-publish").join(kind);
    fs::create_dir_all(&folder)?;
    for file in files {
        fs::copy(file, folder.join(file.file_name().context("a file has a name")?))?;
    }
    Ok(())
}

/// Packages the crates, and compiles each from its package.
fn package(layout: &Layout) -> Result<()> {
    let names = published::names(layout)?;
    // cargo would use earlier packages of this version as if a registry had them.
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    let registry = home.context("there is no home folder")?.join("registry");
    for cached in ["src", "cache"].iter().filter_map(|kind| fs::read_dir(registry.join(kind)).ok()).flatten() {
        let cached = cached?;
        // The registry of packages that cargo makes has no host: its name begins with a hyphen.
        if cached.file_name().to_string_lossy().starts_with('-') {
            fs::remove_dir_all(cached.path())?;
        }
    }
    let folder = layout.path("target/packaged");
    node::remove(&folder)?;
    let mut package = run::cargo(layout);
    package.args(["package", "--quiet", "--allow-dirty"]).args(selection(&names));
    run::live(package.arg("--target-dir").arg(&folder))?;
    for name in &names {
        let mut list = run::cargo(layout);
        list.args(["package", "--list", "--allow-dirty", "--package", name]);
        let list = run::answer(&mut list).with_context(|| format!("cargo cannot list the package of {name}"))?;
        if let Some(missing) = ["LICENSE", "README.md"].iter().find(|file| !list.lines().any(|line| line == **file)) {
            bail!("the package of {name} has no {missing}");
        }
    }
    Ok(())
}

fn selection(names: &[String]) -> Vec<String> {
    names.iter().flat_map(|name| ["--package".to_owned(), name.clone()]).collect()
}

fn crates(layout: &Layout) -> Result<()> {
    package(layout)?;
    let names = published::names(layout)?;
    let metadata = published::metadata(layout, &["--no-deps"])?;
    let packages = metadata["packages"].as_array().context("cargo lists packages")?;
    let oldest = packages.iter().find_map(|package| package["rust_version"].as_str()).context("no rust-version")?;
    let toolchain = ["toolchain", "install", oldest, "--profile", "minimal", "--no-self-update"];
    run::live(run::command(layout, "rustup").args(toolchain))?;
    let mut check = run::command(layout, "rustup");
    check.args(["run", oldest, "cargo", "check", "--lib", "--bins"]).args(selection(&names));
    for inherited in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
        check.env_remove(inherited);
    }
    run::live(&mut check)?;
    let mut hack = rust::subcommand(layout, "hack", pins::CARGO_HACK)?;
    run::live(hack.args(["check", "--feature-powerset"]).args(selection(&names)))?;
    let mut hack = rust::subcommand(layout, "hack", pins::CARGO_HACK)?;
    let wasm = ["--package", "toolshape", "--lib", "--target", pins::WASM_TARGET];
    run::live(hack.args(["check", "--feature-powerset"]).args(wasm))
}

/// The linters of npm packages and of workflows, and the first example in an empty folder.
fn lint(layout: &Layout, tarballs: &[PathBuf]) -> Result<()> {
    let mut tests = node::test(layout, "release")?;
    run::live(tests.env("TOOLSHAPE_TARBALLS", env::join_paths(tarballs)?))?;
    let folder = Scratch::new("npm")?;
    fs::write(folder.0.join("package.json"), "{\"private\":true}\n")?;
    let install = ["install", "--silent", "--ignore-scripts", "--no-package-lock"];
    run::live(node::npm(layout).args(install).arg(&tarballs[0]).current_dir(&folder.0))?;
    fs::copy(layout.path("js-tests/release/first_example.mjs"), folder.0.join("first_example.mjs"))?;
    run::live(run::command(layout, "node").arg("first_example.mjs").current_dir(&folder.0))
}

fn npm(layout: &Layout) -> Result<()> {
    build::npm_tarballs(layout)?;
    build::check_tarball_sizes(layout)?;
    let tarballs = build::tarball_paths(layout)?;
    lint(layout, &tarballs)?;
    publish(layout, "npm", &tarballs)?;
    publish(layout, "npm", &[program::launcher(layout)?])
}

/// The environment that checks Python's packages, and links wheels for Linux.
fn tool(layout: &Layout, module: &str) -> Result<std::process::Command> {
    let venv = layout.venv_of("release");
    python::ensure(layout, &venv, &["py-bindings/requirements-release.txt", python::COMPILER_OF_C])?;
    let mut python = python::python_of(layout, &venv);
    python.args(["-m", module]);
    Ok(python)
}

fn source(layout: &Layout) -> Result<()> {
    build::source_distribution(layout)?;
    let source = build::built(&layout.dist(), "", ".tar.gz")?.pop().context("maturin made no source distribution")?;
    run::live(tool(layout, "twine")?.args(["check", "--strict"]).arg(&source))?;
    first_python_example(layout, &source)?;
    publish(layout, "python", &[source])
}

/// Installs a package where there is nothing else, and runs the first example of its README.
fn first_python_example(layout: &Layout, package: &Path) -> Result<()> {
    let folder = Scratch::new("python")?;
    let venv = folder.0.join("venv");
    run::live(run::command(layout, python::interpreter(layout)?).args(["-m", "venv"]).arg(&venv))?;
    let python = || python::python_of(layout, &venv);
    run::live(
        python().args(["-m", "pip", "install", "--quiet", "--no-cache-dir"]).arg(package).current_dir(&folder.0),
    )?;
    let example = layout.path("py-bindings/tests/readme_example.py");
    run::live(python().arg(example).current_dir(&folder.0))
}

/// The wheels of one target: for the stable interface of Python 3.10 and later, and for Python 3.14 without the lock that
/// threads share. On Linux, zig links them against the oldest libraries that their names promise.
fn wheels(layout: &Layout, target: Option<&str>) -> Result<()> {
    let host = rust::host(layout)?;
    let target = target.unwrap_or(&host);
    rust::ensure_target(layout, target)?;
    let out = layout.path("target/wheels").join(target);
    node::remove(&out)?;
    let platform = match target {
        _ if target.ends_with("linux-gnu") => Some("manylinux2014"),
        _ if target.ends_with("linux-musl") => Some("musllinux_1_2"),
        _ => None,
    };
    for free_threaded in [false, true] {
        let mut maturin = tool(layout, "maturin")?;
        maturin
            .args(["build", "--release", "--locked", "--features", build::FEATURES, "--target", target])
            .env("RUSTFLAGS", build::remap_flags(layout)?);
        maturin.args(["--manifest-path", "py-bindings/Cargo.toml", "--out"]).arg(&out);
        maturin.args(platform.iter().flat_map(|platform| ["--zig", "--compatibility", platform]));
        run::live(maturin.args(free_threaded.then_some(["--interpreter", "python3.14t"]).into_iter().flatten()))?;
    }
    let mut built = Vec::new();
    for entry in fs::read_dir(&out)? {
        built.push(entry?.path());
    }
    for wheel in &built {
        build::check_size(wheel, build::MOST_WHEEL_BYTES)?;
        run::live(tool(layout, "twine")?.args(["check", "--strict"]).arg(wheel))?;
        if platform.is_some() {
            run::live(tool(layout, "auditwheel")?.arg("show").arg(wheel))?;
        }
        if wheel.to_string_lossy().contains("abi3") {
            run::live(tool(layout, "abi3audit")?.args(["--strict", "--verbose"]).arg(wheel))?;
            if target == host {
                first_python_example(layout, wheel)?;
            }
        }
    }
    publish(layout, "python", &built)
}

/// Licences, duplicates and known vulnerabilities of all crates, by cargo-deny.
pub fn deny(layout: &Layout) -> Result<()> {
    let mut deny = rust::subcommand(layout, "deny", pins::CARGO_DENY)?;
    run::live(deny.arg("--workspace").args(["check", "licenses", "bans", "sources"]))?;
    // The database of vulnerabilities is a git repository, which not every machine reaches.
    let mut fetch = rust::subcommand(layout, "deny", pins::CARGO_DENY)?;
    if run::live(fetch.args(["fetch", "db"])).is_err() {
        println!("advisories: NOT CHECKED, because their database cannot be fetched from this machine");
        return Ok(());
    }
    run::live(rust::subcommand(layout, "deny", pins::CARGO_DENY)?.arg("--workspace").args(["check", "advisories"]))
}

fn bills(layout: &Layout) -> Result<()> {
    deny(layout)?;
    // The lists name the packages that were built.
    if build::tarball_paths(layout).is_err() {
        build::npm_tarballs(layout)?;
    }
    if build::wheel_path(layout).is_err() {
        build::released_wheel(layout)?;
    }
    sbom::command(layout)?;
    publish(layout, "bills", &build::built(&layout.dist(), "", sbom::SUFFIX)?)
}

/// An empty folder outside of the checkout, which is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Result<Self> {
        let folder = env::temp_dir().join(format!("toolshape-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
