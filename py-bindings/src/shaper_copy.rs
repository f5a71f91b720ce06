//! A shaper's options as its author gave them: for `repr`, without secrets, and for pickles, which need all.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::shaped;

const SECRET: &str = "cursor_key";

/// The call that makes such a shaper, with `...` in place of secrets.
pub fn repr(py: Python<'_>, options: &Value, default: Option<&Py<PyAny>>) -> PyResult<String> {
    let mut shown = options.clone();
    hide(&mut shown);
    let dict = self::options(py, &shown, default)?;
    let named = dict.iter().map(|(name, value)| {
        let is_secret = name.eq(SECRET)?;
        let value = if is_secret { "...".to_owned() } else { value.repr()?.to_string_lossy().into_owned() };
        Ok(format!("{}={}", name.str()?.to_string_lossy(), value.replace("'...'", "...")))
    });
    Ok(format!("toolshape.Shaper({})", named.collect::<PyResult<Vec<_>>>()?.join(", ")))
}

/// The keyword arguments that make such a shaper.
pub fn options<'py>(py: Python<'py>, options: &Value, default: Option<&Py<PyAny>>) -> PyResult<Bound<'py, PyDict>> {
    let dict: Bound<'py, PyDict> = shaped::read_exactly(py, &options.to_string())?.into_bound(py).cast_into()?;
    default.map_or(Ok(()), |default| dict.set_item("default", default))?;
    Ok(dict)
}

/// Hides the secrets of the policy and of its tools.
fn hide(options: &mut Value) {
    let Value::Object(members) = options else { return };
    if let Some(secret) = members.get_mut(SECRET) {
        *secret = "...".into();
    }
    if let Some(Value::Object(tools)) = members.get_mut("tools") {
        tools.values_mut().for_each(hide);
    }
}
