//! The methods that all faces share: each is called by name, with JSON and long texts, and returns JSON and long texts.
//!
//! A face calls [`call`] and converts the [`MethodAnswer`] to values of its host. It has functions of its own only for what takes
//! values of the host (a value to shape, an exception), and where JSON would cost too much. A new method is a row in
//! [`METHODS`].
#![forbid(unsafe_code)]

mod answer;
mod handles;
#[cfg(feature = "messages")]
pub mod messages;
mod methods;
mod request;
mod table;

pub use answer::MethodAnswer;
pub use handles::{Handles, shaper};
#[cfg(feature = "sql")]
pub use methods::sql;
pub use request::{Request, RequestHost, RequestPart};
pub use table::{METHODS, Method};

use toolshape::{Error, ErrorCode};

/// Calls a method.
///
/// # Errors
/// `INVALID_CALL` for an unknown method, an unknown member, or a member of the wrong type; and the errors of the method.
pub fn call(method: &str, request: &Request<'_>) -> Result<MethodAnswer, Error> {
    find(method)?.call(request)
}

/// The method of that name.
///
/// # Errors
/// `INVALID_CALL` for an unknown method.
pub fn find(name: &str) -> Result<&'static Method, Error> {
    let unknown = || Error::new(ErrorCode::InvalidCall, format!("unknown method {name:?}"), "/method");
    METHODS.iter().find(|method| method.name == name).ok_or_else(unknown)
}
