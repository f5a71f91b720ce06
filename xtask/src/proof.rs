//! `cargo xtask proof`: tests that others wrote, each a program in `benches/proof/`, on the reader's own checkout of their data.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::ValueEnum;

use crate::layout::Layout;
use crate::{build, node, python, run, setup};

/// What `cargo xtask proof` takes.
#[derive(clap::Args)]
pub struct Args {
    #[arg(value_enum)]
    name: Name,
    /// The checkout of the repository that the name requires
    folder: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// logpai/loghub or logpai/loghub-2.0: templates of logs
    Loghub,
    /// inth3shadows/terse, or any folder of JSON files: tokens of lossless forms
    Lossless,
    /// toon-format/toon: the same for its data, and its questions in SQL
    Toon,
    /// mksglu/context-mode: what is shown of its fixtures
    ContextMode,
    /// The package headroom-ai, without a folder: texts of attackers, and what is lost
    Compressors,
    /// ppasupat/WikiTableQuestions: questions about tables, in SQL
    Tables,
    /// LongFuncEval/toolJSONprocessing: questions about long answers of web services, in SQL
    ToolOutputs,
    /// json-schema-org/JSON-Schema-Test-Suite: the schemas that toolshape writes
    Schemas,
    /// The package duckdb, without a folder: the functions that toolshape adds to SQLite
    Functions,
}

/// Builds both packages, installs the peers, and runs the proof.
pub fn command(layout: &Layout, args: &Args) -> Result<()> {
    let has_own_data = matches!(args.name, Name::Compressors | Name::Functions);
    ensure!(has_own_data || args.folder.is_some(), "name the folder of your checkout: `cargo xtask proof NAME FOLDER`");
    setup::check(layout)?;
    run::together(layout, &[build::npm_tarballs, build::wheel])?;
    let folder = layout.path("target/proof");
    node::packages(layout, "benches/proof", &folder)?;
    node::copy(layout, "benches/proof", &folder)?;
    node::install_library(layout, &folder)?;
    python::prepare(layout)?;
    let peers = python::folder_of(layout, "target/proof/peers", "benches/proof/requirements.txt")?;

    let name = args.name.to_possible_value().expect("no name is skipped").get_name().replace('-', "_");
    let mut script = match args.name {
        Name::Toon => run::command(layout, "node"),
        _ => python::python(layout),
    };
    script.arg(format!("{name}.{}", if args.name == Name::Toon { "mjs" } else { "py" }));
    if let Some(folder) = &args.folder {
        script.arg(std::path::absolute(folder)?);
    }
    if args.name == Name::Loghub {
        let example = ["build", "--quiet", "--package", "toolshape-text", "--example", "templates"];
        run::live(run::cargo(layout).args(example))?;
        script.arg(layout.path("target/debug/examples/templates"));
    }
    let script = script.current_dir(folder).env("PYTHONPATH", peers).env("TOOLSHAPE_PYTHON", python::path(layout));
    run::live(script)
}
