//! Converts the arguments of Python callers to the core's types; the core validates them.

use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyInt, PyMemoryView, PyString};
use toolshape::host::{Keyset, Links, Naming, Together};
use toolshape::{Call, Encoding, Error, ErrorCode, Policy};

use crate::error::raise;
use crate::host::PyHost;
use crate::node::type_name;
use crate::text::{self, replace_surrogates};
use crate::write::JsonWriter;

/// The policy that keyword arguments describe, and these as JSON.
pub fn policy(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<(Policy, serde_json::Value)> {
    let options = match options {
        // An option in the wrong place, such as a store, may have no JSON form: its name says what is wrong.
        Some(options) => read(options, ErrorCode::InvalidPolicy).map_err(|error| unknown(options).unwrap_or(error))?,
        None => serde_json::json!({}),
    };
    let policy = Policy::new(&options, Naming::Snake).map_err(|error| raise(py, &error))?;
    Ok((policy, options))
}

/// The error for a keyword that is not an option of a policy; `None` if all are.
fn unknown(options: &Bound<'_, PyDict>) -> Option<PyErr> {
    let names = options.keys().iter().map(|name| (name.to_string(), serde_json::Value::Null)).collect();
    let refused = Policy::new(&serde_json::Value::Object(names), Naming::Snake).err()?;
    Some(raise(options.py(), &refused))
}

/// The function that was passed as `default`.
pub fn function(default: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    match default.is_callable() {
        true => Ok(default.clone().unbind()),
        false => Err(wrong_option("default", default, "a function of the value that has no JSON form")),
    }
}

/// The call that keyword arguments describe.
pub fn call(py: Python<'_>, call: Option<&Bound<'_, PyDict>>) -> PyResult<Call> {
    let Some(call) = call else { return Ok(now().into_iter().fold(Call::default(), Call::at)) };
    let call = Call::from_json(&json_of(call)?, Naming::Snake).map_err(|error| raise(py, &error))?;
    Ok(now().into_iter().fold(call, Call::at))
}

/// The current time in seconds since 1970, which the core receives as an argument.
pub fn now() -> Option<u64> {
    Some(SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs())
}

/// The sort keys and the limit of a page.
pub fn keyset(keys: &Bound<'_, PyAny>, limit: Option<&Bound<'_, PyAny>>) -> PyResult<Keyset> {
    let py = keys.py();
    let options = PyDict::new(py);
    options.set_item("keys", keys)?;
    options.set_item("limit", limit)?;
    let options = read(&options, ErrorCode::InvalidCall)?;
    Keyset::new(&options, Naming::Snake).map_err(|error| raise(py, &error))
}

/// The mapping of rows to links.
pub fn links(mapping: &Bound<'_, PyAny>) -> PyResult<Links> {
    let options = read(mapping, ErrorCode::InvalidCall)?;
    Links::new(&options, Naming::Snake).map_err(|error| raise(mapping.py(), &error))
}

/// The limit for results that are returned together.
pub fn together(py: Python<'_>, combined_tokens: Option<&Bound<'_, PyAny>>) -> PyResult<Together> {
    let options = PyDict::new(py);
    options.set_item("combined_tokens", combined_tokens)?;
    let options = read(&options, ErrorCode::InvalidCall)?;
    Together::new(&options, Naming::Snake).map_err(|error| raise(py, &error))
}

/// What a tool returned, as a value or as JSON text, and its call.
pub struct ReturnedValue<'py> {
    pub value: Bound<'py, PyAny>,
    pub json: Option<String>,
    pub call: Call,
}

/// What tools returned, each a dict with `value` or `json`, and `call`.
pub fn results<'py>(results: &Bound<'py, PyAny>) -> PyResult<Vec<ReturnedValue<'py>>> {
    let py = results.py();
    let given = |(at, one): (usize, PyResult<Bound<'py, PyAny>>)| {
        let one = one?;
        let takes = "dicts, each with value or json, and call";
        let dict = one.cast::<PyDict>().map_err(|_| wrong("results", &one, takes))?;
        let keys: Vec<String> = dict.keys().iter().map(|key| key.to_string()).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        toolshape::host::check_returned(at, &keys).map_err(|error| raise(py, &error))?;
        let asked = dict.get_item("call")?.filter(|call| !call.is_none());
        let asked = asked.as_ref().map(|asked| asked.cast::<PyDict>().map_err(|_| wrong("call", asked, "a dict")));
        let call = call(py, asked.transpose()?)?;
        match (dict.get_item("json")?.filter(|json| !json.is_none()), dict.get_item("value")?) {
            (Some(given), _) => {
                let text = json("json", &given)?.into_owned();
                Ok(ReturnedValue { value: given, json: Some(text), call })
            }
            (None, Some(value)) => Ok(ReturnedValue { value, json: None, call }),
            (None, None) => Err(wrong("results", &one, takes)),
        }
    };
    results.try_iter()?.enumerate().map(given).collect()
}

/// Python objects as JSON.
pub fn read(arguments: &Bound<'_, PyAny>, code: ErrorCode) -> PyResult<serde_json::Value> {
    serde_json::from_str(&json_of(arguments)?)
        .map_err(|error| raise(arguments.py(), &Error::new(code, format!("the options cannot be read: {error}"), "")))
}

/// The JSON text of Python objects.
pub fn json_of(arguments: &Bound<'_, PyAny>) -> PyResult<String> {
    let host = PyHost::of_options(arguments.py());
    let json = JsonWriter::new(&host).write(arguments, usize::MAX).map_err(|error| host.raise(&error))?;
    Ok(replace_surrogates(json))
}

/// A string that was passed under `name`.
pub fn text<'a, 'py>(name: &str, value: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyString>> {
    value.cast::<PyString>().map_err(|_| wrong(name, value, "a str"))
}

/// JSON text that was passed under `name`: a string, or bytes in UTF-8.
pub fn json<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, str>> {
    let no_utf8 = |_| raise(value.py(), &Error::new(ErrorCode::InvalidJson, format!("{name} must be valid UTF-8"), ""));
    if let Ok(text) = value.cast::<PyString>() {
        text::json(text)
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        std::str::from_utf8(bytes.as_bytes()).map(Cow::Borrowed).map_err(no_utf8)
    } else if let Ok(bytes) = value.cast::<PyByteArray>() {
        String::from_utf8(bytes.to_vec()).map(Cow::Owned).map_err(|error| no_utf8(error.utf8_error()))
    } else if let Ok(view) = value.cast::<PyMemoryView>() {
        let bytes: Vec<u8> = view.call_method0("tobytes")?.extract()?;
        String::from_utf8(bytes).map(Cow::Owned).map_err(|error| no_utf8(error.utf8_error()))
    } else {
        Err(wrong(name, value, "JSON as str or bytes in UTF-8; shape takes values"))
    }
}

/// The plain text of a string that was passed under `name`.
pub fn plain<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, str>> {
    text::plain(text(name, value)?)
}

/// A whole number from 0 that was passed under `name`; capped at the largest `usize`.
pub fn count(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    match value.cast::<PyInt>() {
        Ok(count) if count.ge(0)? => Ok(count.extract().unwrap_or(usize::MAX)),
        _ => Err(wrong(name, value, "a whole number from 0")),
    }
}

/// The encoding of a name; the core's default if there is none.
pub fn encoding(name: Option<&Bound<'_, PyAny>>) -> PyResult<Encoding> {
    let Some(value) = name else { return Ok(Encoding::default()) };
    let name = text::plain(text("encoding", value)?)?;
    toolshape::host::find_encoding(&name).map_err(|error| raise(value.py(), &error))
}

/// The numbers of tokens.
pub fn tokens(value: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let takes = "an iterable of tokens, which are whole numbers";
    let items = value.try_iter().map_err(|_| wrong("tokens", value, takes))?;
    items.map(|item| item?.extract().map_err(|_| wrong("tokens", value, takes))).collect()
}

/// Bytes that were passed under `name`.
pub fn bytes<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<&'a [u8]> {
    value.cast::<PyBytes>().map(|bytes| bytes.as_bytes()).map_err(|_| wrong(name, value, "bytes"))
}

fn wrong(name: &str, value: &Bound<'_, PyAny>, takes: &str) -> PyErr {
    wrong_as(ErrorCode::InvalidCall, name, value, takes)
}

fn wrong_option(name: &str, value: &Bound<'_, PyAny>, takes: &str) -> PyErr {
    wrong_as(ErrorCode::InvalidPolicy, name, value, takes)
}

fn wrong_as(code: ErrorCode, name: &str, value: &Bound<'_, PyAny>, takes: &str) -> PyErr {
    let is = match value.repr().map(|repr| repr.to_string_lossy().into_owned()) {
        Ok(repr) if repr.len() <= 40 => repr,
        _ => format!("of type {}", type_name(value)),
    };
    let message = format!("{name} is {is}; it takes {takes}");
    raise(value.py(), &Error::new(code, message, format!("/{name}")))
}
