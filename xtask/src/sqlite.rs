//! SQLite in modules of WebAssembly, which needs a compiler of C: in the plain module, and in the module of the npm package, which has
//! the method `askSql` alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::layout::{Layout, bin_of};
use crate::{pins, python, run, wasm};

/// Parts of SQLite that no question reaches.
const WITHOUT: &str = "-USQLITE_ENABLE_API_ARMOR -USQLITE_ENABLE_BYTECODE_VTAB \
    -USQLITE_ENABLE_DBPAGE_VTAB -USQLITE_ENABLE_DBSTAT_VTAB -USQLITE_ENABLE_FTS5 -USQLITE_ENABLE_MATH_FUNCTIONS \
    -USQLITE_ENABLE_OFFSET_SQL_FUNC -USQLITE_ENABLE_PREUPDATE_HOOK -USQLITE_ENABLE_RTREE -USQLITE_ENABLE_SESSION \
    -USQLITE_ENABLE_STMTVTAB -USQLITE_ENABLE_UNKNOWN_SQL_FUNCTION -USQLITE_ENABLE_UNLOCK_NOTIFY -USQLITE_USE_URI \
    -DSQLITE_OMIT_AUTOINCREMENT -DSQLITE_OMIT_AUTOVACUUM -DSQLITE_OMIT_COMPILEOPTION_DIAGS \
    -DSQLITE_OMIT_DESERIALIZE -DSQLITE_OMIT_EXPLAIN -DSQLITE_OMIT_FLAG_PRAGMAS -DSQLITE_OMIT_FOREIGN_KEY \
    -DSQLITE_OMIT_GENERATED_COLUMNS -DSQLITE_OMIT_GET_TABLE -DSQLITE_OMIT_INCRBLOB -DSQLITE_OMIT_INTEGRITY_CHECK \
    -DSQLITE_OMIT_INTROSPECTION_PRAGMAS -DSQLITE_OMIT_LIKE_OPTIMIZATION -DSQLITE_OMIT_LOCALTIME \
    -DSQLITE_OMIT_SCHEMA_PRAGMAS -DSQLITE_OMIT_SCHEMA_VERSION_PRAGMAS -DSQLITE_OMIT_TCL_VARIABLE -DSQLITE_OMIT_TRACE \
    -DSQLITE_OMIT_UPSERT -DSQLITE_OMIT_UTF16 -DSQLITE_OMIT_WAL -DSQLITE_OMIT_XFER_OPT -DSQLITE_UNTESTABLE \
    -DSQLITE_MAX_EXPR_DEPTH=100";
/// Pages as natively: what is done with them is charged by their number.
const PAGES: &str = "-USQLITE_DEFAULT_PAGE_SIZE -DSQLITE_DEFAULT_PAGE_SIZE=4096";

/// The package of both modules; its feature `sql` alone is that of npm.
const MODULE: &str = "toolshape-plain";
/// The profile of both.
const PROFILE: &str = "sql";

/// Compiles the npm package's module while that of the core compiles: in a folder of its own, so that neither waits for the other.
pub fn compile(layout: &Layout) -> Result<()> {
    let mut cargo = cargo(layout)?;
    cargo.args(["--no-default-features", "--features", "sql", "--target-dir"]).arg(folder(layout));
    run::quiet("SQLite: compile", &mut cargo).map(drop)
}

/// Compiles the plain module.
pub fn compile_plain(layout: &Layout) -> Result<()> {
    run::quiet("plain module: compile", &mut cargo(layout)?).map(drop)
}

/// The cargo that compiles the package with a compiler of C.
fn cargo(layout: &Layout) -> Result<Command> {
    let zig = layout.venv_of("zig");
    python::ensure(layout, &zig, &[python::COMPILER_OF_C])?;
    let zig = format!("{} -m ziglang", bin_of(&zig).join("python").display());
    let mut cargo = wasm::cargo(layout, MODULE, PROFILE)?;
    let target = pins::WASM_TARGET.replace('-', "_");
    cargo.env(format!("CC_{target}"), format!("{zig} cc")).env(format!("AR_{target}"), format!("{zig} ar"));
    cargo.env(format!("CFLAGS_{target}"), "-target wasm32-freestanding -msimd128");
    cargo
        .env("ZIG_GLOBAL_CACHE_DIR", folder(layout).join("zig"))
        .env("SQLITE_WASM_RS_FLAGS", format!("{WITHOUT} {PAGES}"));
    Ok(cargo)
}

/// Optimizes the module that is compiled in a folder into a file, without the functions that only SQLite's C library exports.
pub fn optimize(layout: &Layout, target: &Path, module: &Path) -> Result<()> {
    let mut own_exports = run::command(layout, "wasm-metadce");
    own_exports.arg("--graph-file").arg(layout.path("crates/plain/exports.json"));
    own_exports.arg("-g").arg(wasm::module(target, PROFILE, MODULE)).arg("-o").arg(module);
    run::quiet("SQLite: wasm-metadce", &mut own_exports)?;
    run::quiet("SQLite: wasm-opt", wasm::optimizer(layout).arg(module).arg("-o").arg(module)).map(drop)
}

/// Where the npm package's module is compiled.
pub fn folder(layout: &Layout) -> PathBuf {
    layout.path("target/sql")
}
