//! Every path that the commands read or write.

use std::path::{Path, PathBuf};

/// The version of every package in this repository.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The checkout, and the folders that the commands keep in its `target/`.
pub struct Layout {
    pub root: PathBuf,
}

impl Layout {
    /// The checkout that this xtask was compiled in.
    pub fn new() -> Self {
        let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self { root: xtask.parent().expect("xtask/ has a parent").to_owned() }
    }

    /// A path in the checkout.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// A copy of `js-tests/` with its packages: Node looks for packages in each parent folder.
    pub fn node(&self) -> PathBuf {
        self.path("target/node")
    }

    /// The site, as files that any server of files can serve.
    pub fn site(&self) -> PathBuf {
        self.path("target/site")
    }

    /// The references of the three languages, in the site.
    pub fn references(&self) -> PathBuf {
        self.path("target/site/reference")
    }

    /// The Python environment of tests and examples.
    pub fn venv(&self) -> PathBuf {
        self.path("target/venv")
    }

    /// A Python environment with other packages.
    pub fn venv_of(&self, name: &str) -> PathBuf {
        self.path(&format!("target/venv_{name}"))
    }

    /// Where the environment of tests has its programs.
    pub fn venv_bin(&self) -> PathBuf {
        bin_of(&self.venv())
    }

    /// The packages as a release publishes them.
    pub fn dist(&self) -> PathBuf {
        self.path("target/dist")
    }

    /// The packages whose machine code is not optimized: those of tests.
    pub fn debug_dist(&self) -> PathBuf {
        self.path("target/dist/debug")
    }

    /// A copy of `examples/` with its packages and ours, where the demo runs.
    pub fn examples(&self) -> PathBuf {
        self.path("target/examples")
    }

    /// The setup and the results of the benchmark.
    pub fn bench(&self) -> PathBuf {
        self.path("target/bench")
    }

    /// A path for messages: relative to the checkout, if it is inside.
    pub fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}

/// Where a Python environment keeps its programs.
pub fn bin_of(venv: &Path) -> PathBuf {
    venv.join(if cfg!(windows) { "Scripts" } else { "bin" })
}
