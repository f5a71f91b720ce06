//! Reads the result that most tools return, one short text, without a walk over it.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};

/// A longer text is read in place, because most of it is not shown.
const MOST_CHARS: usize = 4096;

/// The text of a CallToolResult that has one short text block and nothing else; `None` for any other value. Members that are
/// `None` are not there. Nothing is converted: what could be more than it seems is another value.
pub fn sole_text<'py>(returned: &Bound<'py, PyAny>) -> Option<Bound<'py, PyString>> {
    let mut content = None;
    for (key, value) in returned.cast_exact::<PyDict>().ok()? {
        match key.cast_exact::<PyString>().ok()?.to_str().ok()? {
            "content" => content = Some(value),
            "structuredContent" | "_meta" if value.is_none() => {}
            "isError" if value.is_none() || value.is(PyBool::new(value.py(), false)) => {}
            _ => return None,
        }
    }
    let content = content?;
    let content = content.cast_exact::<PyList>().ok().filter(|content| content.len() == 1)?;
    let text = text_of(&content.get_item(0).ok()?)?;
    let chars = text.len().ok()?;
    (chars <= MOST_CHARS).then_some(text)
}

/// The text of a block that is a text and nothing else.
fn text_of<'py>(block: &Bound<'py, PyAny>) -> Option<Bound<'py, PyString>> {
    let (mut text, mut is_text) = (None, false);
    for (key, value) in members_of(block)? {
        match key.cast_exact::<PyString>().ok()?.to_str().ok()? {
            "type" => is_text = value.cast_exact::<PyString>().ok()?.to_str().ok()? == "text",
            "text" => text = Some(value.cast_into_exact::<PyString>().ok()?),
            _ if value.is_none() => {}
            _ => return None,
        }
    }
    text.filter(|_| is_text)
}

/// The members of a block: a dict, or the MCP SDK's own class of texts, which has its members as a dict.
fn members_of<'py>(block: &Bound<'py, PyAny>) -> Option<Bound<'py, PyDict>> {
    let (py, class) = (block.py(), block.get_type());
    if class.is(py.get_type::<PyDict>()) {
        return block.cast::<PyDict>().ok().cloned();
    }
    let is_sdks = class.name().ok()? == "TextContent" && class.module().ok()?.to_str().ok()?.starts_with("mcp");
    // Members that the class does not know.
    let more = if is_sdks { block.getattr(intern!(py, "__pydantic_extra__")).ok()? } else { return None };
    let has_more = !more.is_none() && more.len().ok()? > 0;
    if has_more { None } else { block.getattr(intern!(py, "__dict__")).ok()?.cast_into().ok() }
}
