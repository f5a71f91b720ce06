//! The Python face: converts, calls the core, converts back. The package around it is `python/toolshape`.
#![forbid(unsafe_code)]

mod adapters;
mod arguments;
mod arrays;
mod call;
mod command;
mod convert;
mod duration;
mod error;
mod fault;
mod from_json;
mod functions;
mod host;
mod lengths;
mod module;
mod named;
mod node;
mod shaped;
mod shaped_result;
mod shaper;
mod shaper_copy;
mod sole_text;
mod stores;
mod text;
mod together;
mod tokens;
mod value;
mod write;

use pyo3::prelude::*;

/// For shorter texts, releasing the interpreter lock costs more than it gains.
const LONG_BYTES: usize = 32 * 1024;

/// Runs work that uses no Python object. If it takes long, other threads continue meanwhile.
fn aside<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes < LONG_BYTES { work() } else { py.detach(work) }
}
