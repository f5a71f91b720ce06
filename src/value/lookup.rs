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
                let mut is_found = false;
                let found = value.entries_where(&mut |_, key| {
                    let is_it = !is_found && Quoted::new(key).is(segment);
                    is_found |= is_it;
                    is_it
                })?;
                found.into_iter().next().map(|(_, value)| value)
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
