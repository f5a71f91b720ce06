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

    /// wasm-pack and the command line of wasm-bindgen, as `cargo install --root` installs them.
    pub fn tools(&self) -> PathBuf {
        self.path("target/tools")
    }

    /// The Node packages of `js-tests/package.json`, and copies of what runs with them: Node looks for packages in each
    /// parent folder, so everything below finds them.
    pub fn node(&self) -> PathBuf {
        self.path("target/node")
    }

    /// The HTTP clients of `js-tests/rate_limit`, and the copy that runs with them.
    pub fn node_clients(&self) -> PathBuf {
        self.path("target/node/rate_limit")
    }

    /// The SDKs of `js-tests/adapters`, and the copy that runs with them.
    pub fn node_adapters(&self) -> PathBuf {
        self.path("target/node/adapters")
    }

    /// The runtimes and bundlers of `js-tests/packaging`, and the copy that runs with them.
    pub fn node_packaging(&self) -> PathBuf {
        self.path("target/node/packaging")
    }

    /// The stores of `js-tests/stores`, and the copy that runs with them.
    pub fn node_stores(&self) -> PathBuf {
        self.path("target/node/stores")
    }

    /// MCP's official servers and tools that `js-tests/reference` lists, and the copy that runs with them.
    pub fn node_reference(&self) -> PathBuf {
        self.path("target/node/reference")
    }

    /// What generates the conversations of `js-tests/relay`, and the copy that runs with it.
    pub fn node_relay(&self) -> PathBuf {
        self.path("target/node/relay")
    }

    /// What opens the report of `js-tests/report`, and the copy that runs with it.
    pub fn node_report(&self) -> PathBuf {
        self.path("target/node/report")
    }

    /// The linters of `js-tests/release`, and the copy that runs with them.
    pub fn node_release(&self) -> PathBuf {
        self.path("target/node/release")
    }

    /// The third-party documents and test suites that `js-tests/read_back` lists, and the copy that runs with them.
    pub fn node_read_back(&self) -> PathBuf {
        self.path("target/node/read_back")
    }

    /// What the page of `site/` is built from, and the copy that is built.
    pub fn node_site(&self) -> PathBuf {
        self.path("target/node/site")
    }

    /// What opens the page in `js-tests/site`, and the copy that runs with it.
    pub fn node_site_tests(&self) -> PathBuf {
        self.path("target/node/site_tests")
    }

    /// The site, as files that any server of files can serve.
    pub fn site(&self) -> PathBuf {
        self.path("target/site")
    }

    /// The references of the three languages, in the site.
    pub fn references(&self) -> PathBuf {
        self.path("target/site/reference")
    }

    /// The Python environment with maturin, pytest, mypy and fastmcp.
    pub fn venv(&self) -> PathBuf {
        self.path("target/venv")
    }

    /// The Python environment of an older SDK, and of what needs it.
    pub fn venv_older(&self, sdk: &str) -> PathBuf {
        self.path(&format!("target/venv_{sdk}"))
    }

    /// The Python environment that builds, checks and publishes for other machines.
    pub fn venv_release(&self) -> PathBuf {
        self.path("target/venv_release")
    }

    /// Where the environment in `target/venv_release` keeps its programs.
    pub fn venv_release_bin(&self) -> PathBuf {
        bin_of(&self.venv_release())
    }

    /// Where the environment in `target/venv` keeps its programs.
    pub fn venv_bin(&self) -> PathBuf {
        bin_of(&self.venv())
    }

    /// The output of `cargo xtask build`: the npm tarballs and the wheel.
    pub fn dist(&self) -> PathBuf {
        self.path("target/dist")
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
