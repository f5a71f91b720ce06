//! `cargo xtask site`: the page that runs the packed npm package in a browser, into `target/site/`.

use std::path::PathBuf;

use anyhow::Result;

use crate::layout::Layout;
use crate::progress::Item;
use crate::steps::{self, Outcome};
use crate::{browser, build, node, run};

/// The options of `cargo xtask site`.
#[derive(clap::Args)]
pub struct Args {
    /// Serve the page on this machine, until Ctrl+C
    #[arg(long)]
    serve: bool,
    /// The port to serve it at
    #[arg(long, default_value_t = 8080)]
    port: u16,
}

/// Builds the npm package and the page, and serves it if that is asked for.
pub fn command(layout: &Layout, args: &Args) -> Result<()> {
    node::check_version(layout)?;
    println!("site: what is missing is installed, into target/");
    node::ensure(layout)?;
    build::npm_tarballs(layout)?;
    let folder = page(layout)?;
    println!("  {}", layout.relative(&folder.join("index.html")).display());
    if args.serve {
        let mut serve = run::command(layout, "node");
        serve.arg(layout.path("site/serve.mjs")).arg(&folder).arg("--port").arg(args.port.to_string());
        serve.status()?;
    }
    Ok(())
}

/// Builds the page from the tarballs in `target/dist/`; returns its folder.
pub fn page(layout: &Layout) -> Result<PathBuf> {
    node::ensure(layout)?;
    node::site(layout)?;
    let (source, folder) = (layout.node_site(), layout.site());
    node::copy(layout, "site", &source)?;
    node::install_tarballs(layout, &source)?;
    let item = Item::start("the page");
    let mut build = run::command(layout, "node");
    build.arg(source.join("build.mjs")).arg("--out").arg(&folder).arg("--packages").arg(layout.node());
    let said = run::behind(&item, &mut build)?;
    item.done();
    print!("{said}");
    Ok(folder)
}

/// The page in Chromium, from files and from a server.
pub fn tests(layout: &Layout) -> Result<Outcome> {
    let page = page(layout)?;
    node::site_tests(layout)?;
    let folder = layout.node_site_tests();
    node::copy(layout, "js-tests/site", &folder)?;
    node::install_tarballs(layout, &folder)?;
    let mut tests = steps::node_test(layout, &folder, &folder)?;
    tests.env("TOOLSHAPE_SITE", page).env("TOOLSHAPE_CHROMIUM", browser::program(layout)?);
    steps::suite(&mut tests)
}
