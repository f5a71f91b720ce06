//! `cargo xtask site`: the playground, the docs as a book, the references of the three languages and a measured server, into
//! `target/site/`.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use crate::layout::Layout;
use crate::{build, examples, node, program, references, run, setup};

/// The options of `cargo xtask site`.
#[derive(clap::Args)]
pub struct Args {
    /// Serve the site on this machine, until Ctrl+C
    #[arg(long)]
    serve: bool,
    /// The port to serve it at
    #[arg(long, default_value_t = 8080)]
    port: u16,
}

/// Builds the packages and the site, and serves it if that is asked for.
pub fn command(layout: &Layout, args: &Args) -> Result<()> {
    setup::check(layout)?;
    println!("site: what is missing is installed, into target/");
    node::ensure(layout)?;
    run::together(layout, &[build::npm_tarballs, build::wheel])?;
    let folder = whole(layout)?;
    for start in ["index.html", "docs/index.html"] {
        println!("  {}", layout.relative(&folder.join(start)).display());
    }
    if args.serve {
        let mut serve = run::command(layout, "node");
        serve.arg(layout.path("site/serve.mjs")).arg(&folder).arg("--port").arg(args.port.to_string());
        serve.status()?;
    }
    Ok(())
}

/// Builds the site from the packages in `target/dist/`; returns its folder.
pub fn whole(layout: &Layout) -> Result<PathBuf> {
    node::ensure(layout)?;
    node::packages(layout, "site", &source(layout))?;
    node::copy(layout, "site", &source(layout))?;
    node::install_library(layout, &source(layout))?;
    run::together(layout, &[page_and_types, references::rust, python_and_report])?;
    // The last, because it looks whether all that it leads to is there.
    build_by(layout, "the book", "book/build.mjs", "docs")?;
    Ok(layout.site())
}

/// The copy of `site/` with its packages.
fn source(layout: &Layout) -> PathBuf {
    layout.path("target/node/site_source")
}

fn page_and_types(layout: &Layout) -> Result<()> {
    build_by(layout, "the playground", "build.mjs", "")?;
    references::typescript(layout, &source(layout))
}

fn python_and_report(layout: &Layout) -> Result<()> {
    references::python(layout)?;
    report(layout)
}

/// Runs a script of `site/` that builds a folder of the site, and prints its output.
fn build_by(layout: &Layout, what: &str, script: &str, folder: &str) -> Result<()> {
    let mut build = run::command(layout, "node");
    build.arg(source(layout).join(script)).arg("--out").arg(layout.site().join(folder));
    build.arg("--packages").arg(layout.node()).arg("--root").arg(&layout.root);
    print!("{}", run::quiet(what, &mut build)?);
    Ok(())
}

/// What `toolshape measure` reports about an example server.
fn report(layout: &Layout) -> Result<()> {
    examples::prepare(layout)?;
    let folder = layout.examples();
    let mut database = run::command(layout, "node");
    run::quiet("articles", database.args(["data/build.mjs", "articles.db"]).current_dir(&folder))?;
    fs::create_dir_all(layout.site())?;
    let mut measure = run::command(layout, program::native(layout)?);
    measure.args(["measure", "--html"]);
    measure.arg(layout.site().join("report.html")).arg("--calls").arg(layout.path("site/calls.json"));
    measure.args(["--", "node", "--import", "tsx", "typescript/naive.ts", "articles.db"]).current_dir(&folder);
    run::quiet("a measured server", &mut measure).map(drop)
}

/// The site in Chromium, from files and from a server.
pub fn tests(layout: &Layout) -> Result<()> {
    let site = whole(layout)?;
    let mut tests = node::test(layout, "site")?;
    tests.env("TOOLSHAPE_SITE", site).env("TOOLSHAPE_SITE_SOURCE", source(layout));
    run::live(tests.env("TOOLSHAPE_CHROMIUM", setup::chromium(layout)?))
}
