//! Mistakes of the one who calls the program, which have an exit code of their own.

use std::fmt::{self, Display};

use toolshape::ErrorCode;

/// A mistake in the command line that only the command sees.
#[derive(Debug)]
pub struct Misuse(pub &'static str);

impl Display for Misuse {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.0)
    }
}

impl std::error::Error for Misuse {}

const FAILURE: u8 = 1;
/// As the parser of the command line has it.
const MISUSE: u8 = 2;

/// What an error says, with what is around it first; without the codes of the core.
pub fn said(error: &anyhow::Error) -> String {
    let own = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<toolshape::Error>().map_or_else(|| cause.to_string(), |error| error.message().to_owned())
    };
    error.chain().map(own).collect::<Vec<_>>().join(": ")
}

/// The exit code for an error: wrong options, values out of range and unreadable files of options are mistakes.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    let is_mistake = |error: &toolshape::Error| {
        matches!(error.code(), ErrorCode::InvalidPolicy | ErrorCode::InvalidCall | ErrorCode::InvalidJson)
    };
    let is_mistake = error.downcast_ref::<Misuse>().is_some() || error.downcast_ref().is_some_and(is_mistake);
    if is_mistake { MISUSE } else { FAILURE }
}
