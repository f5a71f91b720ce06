//! The methods that all faces share, and their answers as Python objects.

use std::time::{Duration, Instant};

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use toolshape::host::Naming;
use toolshape_methods::{MethodAnswer, Request, RequestHost, RequestPart};

use crate::error::{guard, raise};
use crate::from_json::from_json;
use crate::shaped::Shaped;
use crate::shaped_result::ShapedResult;
use crate::shaper::Shaper;
use crate::{arguments, aside};

/// Python's names and clock.
const HOST: RequestHost = RequestHost { naming: Naming::Snake, now: arguments::now, hash: None };

/// Members of a request by name; those without a value are left out.
pub type RequestMembers<'a, 'py> = &'a [(&'a str, Option<&'a Bound<'py, PyAny>>)];

/// Calls a method of `toolshape-methods`; `texts` are the long ones among its members.
#[pyfunction]
#[pyo3(signature = (method, shaper = None, /, *, texts = None, **members))]
pub fn call(
    py: Python<'_>,
    method: &str,
    shaper: Option<&Bound<'_, Shaper>>,
    texts: Option<&Bound<'_, PyDict>>,
    members: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    guard(py, || {
        let start = Instant::now();
        let (members, texts) = (entries(members)?, entries(texts)?);
        let shaper = shaper.map(|shaper| &shaper.get().inner);
        let answer = ask(py, method, shaper, &named(&members), &named(&texts))?;
        to_python(py, answer, start.elapsed())
    })
}

fn entries<'py>(dict: Option<&Bound<'py, PyDict>>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let entries = dict.into_iter().flat_map(|dict| dict.iter());
    entries.map(|(name, value)| Ok((name.extract()?, value))).collect()
}

fn named<'a, 'py>(entries: &'a [(String, Bound<'py, PyAny>)]) -> Vec<(&'a str, Option<&'a Bound<'py, PyAny>>)> {
    entries.iter().map(|(name, value)| (name.as_str(), Some(value).filter(|value| !value.is_none()))).collect()
}

/// The answer of a method. Other threads continue while it reads long texts.
pub fn ask(
    py: Python<'_>,
    method: &str,
    shaper: Option<&toolshape::Shaper>,
    members: RequestMembers<'_, '_>,
    texts: RequestMembers<'_, '_>,
) -> PyResult<MethodAnswer> {
    let mut json = Vec::new();
    for (name, value) in members {
        if let Some(value) = value {
            json.push(format!("\"{name}\":{}", arguments::json_of(value)?));
        }
    }
    let lists = texts.iter().map(|(_, text)| text.and_then(|text| text.cast::<PyList>().ok()));
    let lists: Vec<Option<Vec<Bound<'_, PyAny>>>> = lists.map(|list| list.map(|list| list.iter().collect())).collect();
    let mut given = Vec::new();
    for ((name, text), list) in texts.iter().zip(&lists) {
        let first = given.len() + 1;
        if let Some(list) = list {
            list.iter().try_for_each(|text| arguments::plain(name, text).map(|text| given.push(text)))?;
            let numbers: Vec<String> = (first..=given.len()).map(|number| number.to_string()).collect();
            json.push(format!("\"{name}\":[{}]", numbers.join(",")));
        } else if let Some(text) = text {
            given.push(arguments::plain(name, text)?);
            json.push(format!("\"{name}\":{first}"));
        }
    }
    let (json, parts) =
        (format!("{{{}}}", json.join(",")), given.iter().map(|text| RequestPart::Text(text)).collect::<Vec<_>>());
    // What is asked of a short text in SQL may take long.
    let is_long = method == "read" && !given.is_empty();
    let bytes = if is_long { usize::MAX } else { given.iter().map(|text| text.len()).sum() };
    let answer = aside(py, bytes, || {
        let request = Request::new(&json, &parts, &HOST)?;
        toolshape_methods::call(method, &shaper.into_iter().fold(request, Request::of_shaper))
    });
    answer.map_err(|error| raise(py, &error))
}

/// An answer as a Python object.
pub fn to_python(py: Python<'_>, answer: MethodAnswer, duration: Duration) -> PyResult<Py<PyAny>> {
    match answer {
        MethodAnswer::Json(json) => from_json(py, &json),
        MethodAnswer::Text(text) | MethodAnswer::Content(text) => text.into_py_any(py),
        MethodAnswer::List(items) => {
            let list = PyList::empty(py);
            items.into_iter().try_for_each(|item| list.append(to_python(py, item, duration)?))?;
            list.into_py_any(py)
        }
        MethodAnswer::Object(members) => {
            let dict = PyDict::new(py);
            members.into_iter().try_for_each(|(name, member)| dict.set_item(name, to_python(py, member, duration)?))?;
            dict.into_py_any(py)
        }
        MethodAnswer::Shaped(shaped) => {
            // The value of a text that passes is the text.
            let own = shaped.unchanged.then(|| PyString::new(py, &shaped.text).into_any().unbind());
            Shaped::new(py, *shaped, own, duration)?.into_py_any(py)
        }
        MethodAnswer::Result(shaped) => ShapedResult::new(py, *shaped, None, duration)?.into_py_any(py),
    }
}
