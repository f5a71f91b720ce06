//! Publishing, by workflows: registries take the identity of the workflow in place of a token.

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::layout::Layout;
use crate::release::{crates, files, folder, state};
use crate::{node, published, python, run};

/// Where packages go.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Registry {
    Crates,
    Npm,
    Pypi,
}

impl Registry {
    /// The name of the folder of its packages.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Crates => "crates",
            Self::Npm => "npm",
            Self::Pypi => "python",
        }
    }
}

/// Publishes to one registry what a dry run built.
pub fn publish(layout: &Layout, registry: Registry) -> Result<()> {
    state::require_release(layout)?;
    match registry {
        // In the order of their needs, and each after the registry has what it needs; they are compiled by the dry run.
        Registry::Crates => {
            let names = published::names(layout)?;
            run::live_ok(crates::selected(layout, &["publish", "--no-verify"], &names).args(["--locked"])).map(|_| ())
        }
        Registry::Npm => {
            let mut tarballs = files(&folder(layout, registry.folder()), &[".tgz"])?;
            // What the main package can be installed with is there before it.
            tarballs.sort_by_key(|path| std::cmp::Reverse(path.to_string_lossy().len()));
            for tarball in &tarballs {
                let mut npm = node::npm(layout);
                npm.args(["publish", "--provenance", "--access", "public"]).arg(tarball);
                run::live_ok(&mut npm)?;
            }
            Ok(())
        }
        Registry::Pypi => {
            python::ensure_release(layout)?;
            let packages = files(&folder(layout, registry.folder()), &[".whl", ".tar.gz"])?;
            if packages.len() < 2 {
                bail!("there are no wheels: make a dry run of `wheels` and `source` first");
            }
            run::live_ok(python::release(layout).args(["-m", "pypi_attestations", "sign"]).args(&packages))?;
            let mut twine = python::release(layout);
            twine.args(["-m", "twine", "upload", "--non-interactive", "--attestations"]);
            let attested = files(&folder(layout, registry.folder()), &[".attestation"])?;
            run::live_ok(twine.args(packages).args(attested)).map(|_| ())
        }
    }
}
