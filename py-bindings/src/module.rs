//! The extension module `toolshape._toolshape`: its classes and functions.

use pyo3::prelude::*;

use crate::shaped::{Keep, Shaped};
use crate::shaped_result::ShapedResult;
use crate::shaper::Shaper;
use crate::{adapters, call, command, functions, stores, tokens};

#[pymodule]
fn _toolshape(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Shaper>()?;
    module.add_class::<Shaped>()?;
    module.add_class::<ShapedResult>()?;
    module.add_class::<Keep>()?;
    module.add_class::<stores::NativeStore>()?;
    module.add_class::<stores::StoreAccount>()?;
    module.add_class::<stores::Keeping>()?;
    module.add_function(wrap_pyfunction!(call::call, module)?)?;
    module.add_function(wrap_pyfunction!(adapters::contents, module)?)?;
    module.add_function(wrap_pyfunction!(adapters::result_contents, module)?)?;
    module.add_function(wrap_pyfunction!(adapters::own_text, module)?)?;
    module.add_function(wrap_pyfunction!(adapters::shape_kept_result, module)?)?;
    module.add_function(wrap_pyfunction!(adapters::pass_result, module)?)?;
    module.add_function(wrap_pyfunction!(adapters::answer, module)?)?;
    module.add_function(wrap_pyfunction!(crate::shaper::for_server, module)?)?;
    module.add_function(wrap_pyfunction!(functions::read_result_tool, module)?)?;
    module.add_function(wrap_pyfunction!(functions::summarize_tool, module)?)?;
    module.add_function(wrap_pyfunction!(functions::expand, module)?)?;
    module.add_function(wrap_pyfunction!(tokens::count_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(tokens::fits_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(tokens::truncate_to_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(tokens::encode, module)?)?;
    module.add_function(wrap_pyfunction!(tokens::encode_with_special, module)?)?;
    module.add_function(wrap_pyfunction!(tokens::decode, module)?)?;
    module.add_function(wrap_pyfunction!(tokens::decode_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(tokens::load_encoding, module)?)?;
    module.add_function(wrap_pyfunction!(command::run_command, module)?)?;
    module.add_function(wrap_pyfunction!(functions::_panic, module)?)
}
