//! Finds the value at a path inside another.

use crate::base::error::Error;
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::value::source::{Kind, Source, item};

/// The value at a pointer, if there is one.
pub(crate) fn at_pointer<S: Source>(value: &S, segments: &[String]) -> Result<Option<S>, Error> {
    let (last, led) = last_on_way(value, segments)?;
    Ok((led == segments.len()).then_some(last))
}

/// The last value on the way that a pointer describes, and how many of its segments lead there.
pub(crate) fn last_on_way<S: Source>(value: &S, segments: &[String]) -> Result<(S, usize), Error> {
    let mut value = value.clone();
    for (led, segment) in segments.iter().enumerate() {
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
            None => return Ok((value, led)),
        }
    }
    Ok((value, segments.len()))
}
