//! `cargo xtask bench tokens`: counting, compared with the tokenizers that people use, by `benches/tokens/run.mjs`, which
//! writes `target/bench/tokens.md`.

use std::fs;

use anyhow::Result;

use crate::layout::Layout;
use crate::{build, node, python, run};

/// Installs the contenders and measures. The packages have to be built.
pub fn run(layout: &Layout) -> Result<()> {
    let folder = layout.path("target/bench/tokens");
    node::packages(layout, "benches/tokens", &folder)?;
    for file in ["tokens/worker.mjs", "shape/tokenizers.mjs"] {
        let file = layout.path("benches").join(file);
        fs::copy(&file, folder.join(file.file_name().unwrap_or_default()))?;
    }
    node::install_library(layout, &folder)?;
    python::ensure_tests(layout)?;
    let mut install = python::python(layout);
    install.args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"]).arg(folder.join("python"));
    install.arg("--requirement").arg(layout.path("benches/tokens/requirements.txt")).arg(build::wheel_path(layout)?);
    run::quiet("tokenizers for Python", &mut install)?;
    // Under their own name, and where Python's tiktoken looks for them.
    let ranks = super::published_ranks(layout)?;
    for name in ["o200k_base.tiktoken", super::TIKTOKEN_RANKS] {
        fs::copy(&ranks, folder.join(name))?;
    }
    let mut cargo = run::cargo(layout);
    cargo.args(["build", "--release", "--manifest-path", "benches/tokens/native/Cargo.toml", "--target-dir"]);
    run::quiet("tokenizers for Rust", cargo.arg(folder.join("native")))?;
    let script = layout.path("benches/tokens/corpora.py");
    run::quiet("corpora", python::python(layout).arg(script).arg(folder.join("corpora")))?;
    let mut measure = run::command(layout, "node");
    run::live(measure.arg(layout.path("benches/tokens/run.mjs")).arg(&folder).arg(python::path(layout)))
}
