//! The extension module `toolshape._toolshape`: its classes and functions.

use pyo3::prelude::*;

#[pymodule]
mod _toolshape {
    #[pymodule_export]
    use crate::adapters::{answer, contents, own_text, pass_result, result_contents, shape_kept_result};
    #[pymodule_export]
    use crate::call::call;
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::functions::{_panic, expand, read_result_tool, summarize_tool};
    #[pymodule_export]
    use crate::shaped::{Keep, Shaped};
    #[pymodule_export]
    use crate::shaped_result::ShapedResult;
    #[pymodule_export]
    use crate::shaper::{Shaper, for_server};
    #[pymodule_export]
    use crate::stores::{Keeping, NativeStore, StoreAccount};
    #[pymodule_export]
    use crate::tokens::{
        count_tokens, decode, decode_bytes, encode, encode_with_special, fits_tokens, load_encoding, truncate_to_tokens,
    };
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
