//! Results that are returned together: values and JSON texts, read in one go and shaped in one.

use std::time::Instant;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolshape::host::ToolOutput;

use crate::arguments;
use crate::shaped::Shaped;
use crate::shaper::Shaper;
use crate::value::PyValue;

/// Shapes results together; `read_out` has the items of iterators that an earlier pass over them read.
pub fn shape(
    shaper: &Shaper,
    results: &Bound<'_, PyAny>,
    combined_tokens: Option<&Bound<'_, PyAny>>,
    read_out: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Shaped>> {
    let (py, start) = (results.py(), Instant::now());
    let together = arguments::together(py, combined_tokens)?;
    let given = arguments::results(results)?;
    let host = shaper.host(py);
    read_out.map_or(Ok(()), |known| host.remember(known))?;
    let values = given.iter().enumerate().map(|(at, one)| match one.json {
        Some(_) => Ok(None),
        None => PyValue::root(&one.value, &host).map(Some).map_err(|error| error.under(at)),
    });
    let values = values.collect::<Result<Vec<_>, _>>();
    let values = values.map_err(|error| host.raise(&error))?;
    let outputs = given.iter().zip(&values).enumerate().map(|(at, (one, value))| match value {
        Some(value) => Ok(ToolOutput::value(value, &one.call)),
        None => ToolOutput::json(one.json.as_deref().unwrap_or_default(), &one.call).map_err(|error| error.under(at)),
    });
    let outputs = outputs.collect::<Result<Vec<_>, _>>();
    let shaped = outputs.and_then(|outputs| shaper.inner.shape_together(&outputs, &together));
    let shaped = shaped.map_err(|error| host.raise(&error))?;
    host.check_interrupt()?;
    read_out.map_or(Ok(()), |known| host.tell(known))?;
    let shaped = shaped.into_iter().zip(&given).zip(&values).map(|((mut shaped, one), value)| {
        shaped.unchanged &= one.json.is_some() || !host.has_consumed();
        let own = (shaped.unchanged && one.json.is_none()).then(|| one.value.clone().unbind());
        let json = one.json.as_deref().unwrap_or_default();
        let held = || Ok(value.as_ref().map_or_else(|| PyString::new(py, json), PyValue::kept));
        Shaped::holding(py, shaped, held, own, start.elapsed())
    });
    shaped.collect()
}
