//! Vocabularies that a host provides.

use toolshape::host::{find_pattern, install_vocabulary, known_encoding, load_encoding};

use crate::answer::{MethodAnswer, Reply};
use crate::request::Request;

/// Adds the packed vocabulary of a known encoding.
pub fn install(request: &Request<'_>) -> Reply {
    install_vocabulary(known_encoding(&request.string("encoding")?)?, request.bytes("packed")?)
        .map(|()| MethodAnswer::NULL)
}

/// Makes an encoding from a rank file.
pub fn load(request: &Request<'_>) -> Reply {
    let pattern = find_pattern(&request.string("pattern")?)?;
    load_encoding(&request.string("name")?, request.bytes("ranks")?, pattern).map(|_| MethodAnswer::NULL)
}
