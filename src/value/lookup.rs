//! Finds the value at a path inside another.

use crate::base::error::Error;
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::value::source::{Kind, Source, item};

/// The value at a pointer, if there is one.
pub(crate) fn at_pointer<S: Source>(value: &S, segments: &[String]) -> Result<Option<S>, Error> {
    let mut value = value.clone();
    for segment in segments {
        let child = match value.kind() {
            Kind::Array => match json_pointer::index(segment) {
                Some(index) => item(&value, index)?,
                None => None,
            },
            Kind::Object => {
                value.entries()?.into_iter().find(|(key, _)| Quoted::new(key).text() == *segment).map(|(_, v)| v)
            }
            _ => None,
        };
        match child {
            Some(child) => value = child,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}
