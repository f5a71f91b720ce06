//! The command line of toolshape, which the console script of the package runs.

use pyo3::prelude::*;

/// Runs a command line without the interpreter's lock, and returns the exit code.
#[pyfunction]
#[pyo3(text_signature = None)]
pub fn run_command(py: Python<'_>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| toolshape_cli::run(arguments))
}
