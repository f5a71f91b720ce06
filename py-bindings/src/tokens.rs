//! The functions of the token engine.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice, PyString};
use toolshape::{Encoding, Error, Side};

use crate::error::{guard, raise};
use crate::{arguments, aside, text};

#[doc = include_str!(concat!(env!("OUT_DIR"), "/count_tokens"))]
#[pyfunction]
#[pyo3(signature = (text, encoding = None), text_signature = None)]
pub fn count_tokens(py: Python<'_>, text: &Bound<'_, PyAny>, encoding: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    guard(py, || {
        let text = arguments::plain("text", text)?;
        let encoding = arguments::encoding(encoding)?;
        Ok(aside(py, text.len(), || toolshape::host::count_tokens(&text, encoding)))
    })
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/fits_tokens"))]
#[pyfunction]
#[pyo3(signature = (text, limit, encoding = None), text_signature = None)]
pub fn fits_tokens(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    limit: &Bound<'_, PyAny>,
    encoding: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<usize>> {
    guard(py, || {
        let text = arguments::text("text", text)?;
        let limit = arguments::count("limit", limit)?;
        let encoding = arguments::encoding(encoding)?;
        if text.code_point_len()? > encoding.most_bytes(limit) {
            return Ok(None);
        }
        let text = text::plain(text)?;
        Ok(aside(py, text.len(), || toolshape::host::fits_tokens(&text, limit, encoding)))
    })
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/truncate_to_tokens"))]
#[pyfunction]
#[pyo3(
    signature = (text, limit, encoding = None, side = None),
    text_signature = None
)]
pub fn truncate_to_tokens<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    limit: &Bound<'py, PyAny>,
    encoding: Option<&Bound<'py, PyAny>>,
    side: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guard(py, || {
        let text = arguments::text("text", text)?;
        let limit = arguments::count("limit", limit)?;
        let encoding = arguments::encoding(encoding)?;
        let side = side.map_or(Ok(Side::Head), |side| named(py, "side", side, toolshape::host::find_side))?;
        let chars = text.code_point_len()?;
        let reach = chars.min(toolshape::host::truncation_reach(limit, encoding));
        let stretch = |start: usize, end: usize| text.get_item(PySlice::new(py, start as isize, end as isize, 1));
        let seen = match side {
            Side::Head => stretch(0, reach)?,
            Side::Tail => stretch(chars - reach, chars)?,
        };
        let seen = text::plain(seen.cast::<PyString>()?)?;
        let kept =
            aside(py, seen.len(), || toolshape::host::truncate_to_tokens(&seen, limit, encoding, side).chars().count());
        match side {
            Side::Head => stretch(0, kept),
            Side::Tail => stretch(chars - kept, chars),
        }
    })
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/encode"))]
#[pyfunction]
#[pyo3(signature = (text, encoding = None), text_signature = None)]
pub fn encode(py: Python<'_>, text: &Bound<'_, PyAny>, encoding: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<u32>> {
    encoded(py, text, encoding, toolshape::host::encode)
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/encode_with_special"))]
#[pyfunction]
#[pyo3(signature = (text, encoding = None), text_signature = None)]
pub fn encode_with_special(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    encoding: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<u32>> {
    encoded(py, text, encoding, toolshape::host::encode_with_special)
}

fn encoded(
    py: Python<'_>,
    text: &Bound<'_, PyAny>,
    encoding: Option<&Bound<'_, PyAny>>,
    encode: fn(&str, Encoding) -> Result<Vec<u32>, Error>,
) -> PyResult<Vec<u32>> {
    guard(py, || {
        let text = arguments::plain("text", text)?;
        let encoding = arguments::encoding(encoding)?;
        aside(py, text.len(), || encode(&text, encoding)).map_err(|error| raise(py, &error))
    })
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/decode"))]
#[pyfunction]
#[pyo3(signature = (tokens, encoding = None), text_signature = None)]
pub fn decode(py: Python<'_>, tokens: &Bound<'_, PyAny>, encoding: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    guard(py, || {
        let (tokens, encoding) = (arguments::tokens(tokens)?, arguments::encoding(encoding)?);
        toolshape::host::decode(&tokens, encoding).map_err(|error| raise(py, &error))
    })
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/decode_bytes"))]
#[pyfunction]
#[pyo3(signature = (tokens, encoding = None), text_signature = None)]
pub fn decode_bytes<'py>(
    py: Python<'py>,
    tokens: &Bound<'py, PyAny>,
    encoding: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    guard(py, || {
        let (tokens, encoding) = (arguments::tokens(tokens)?, arguments::encoding(encoding)?);
        let bytes = toolshape::host::decode_bytes(&tokens, encoding).map_err(|error| raise(py, &error))?;
        Ok(PyBytes::new(py, &bytes))
    })
}

#[doc = include_str!(concat!(env!("OUT_DIR"), "/load_encoding"))]
#[pyfunction]
#[pyo3(text_signature = None)]
pub fn load_encoding<'py>(
    py: Python<'py>,
    name: &Bound<'py, PyAny>,
    ranks: &Bound<'py, PyAny>,
    pattern: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    guard(py, || {
        let given = arguments::plain("name", name)?;
        let ranks = arguments::bytes("ranks", ranks)?;
        let pattern = named(py, "pattern", pattern, toolshape::host::find_pattern)?;
        let loaded = aside(py, ranks.len(), || toolshape::host::load_encoding(&given, ranks, pattern));
        loaded.map(|_| name.clone()).map_err(|error| raise(py, &error))
    })
}

/// The value that a string names.
fn named<T>(
    py: Python<'_>,
    what: &str,
    name: &Bound<'_, PyAny>,
    find: impl Fn(&str) -> Result<T, Error>,
) -> PyResult<T> {
    let name = text::plain(arguments::text(what, name)?)?;
    find(&name).map_err(|error| raise(py, &error))
}
