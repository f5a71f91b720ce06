//! The options of archives.

use toolshape::Shaper;
use toolshape::host::{self, ArchiveOptions};

use crate::answer::{MethodAnswer, Reply};
use crate::request::Request;

/// The options of an archive, checked and with their defaults.
pub fn options(request: &Request<'_>) -> Reply {
    Ok(ArchiveOptions::new(&request.options("options")?, request.host.naming)?.to_json().into())
}

/// The error for a function of the host that returned no text.
pub fn no_text(request: &Request<'_>) -> Reply {
    Err(host::no_text(&request.string("what")?, &request.string("type")?))
}

/// Null; an error if calls cannot have a scope.
pub fn check_scope(shaper: &Shaper, _: &Request<'_>) -> Reply {
    shaper.check_scope().map(|()| MethodAnswer::NULL)
}
