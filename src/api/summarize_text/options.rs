//! The options of `summarizeText`, checked.

use serde_json::Value;

use crate::base::error::{Error, ErrorCode};
use crate::request::reader::{Naming, Reader};

/// The kind of a text, which decides how it is summarized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    Log,
    Document,
}

/// The names of the kinds.
pub(crate) const NATURES: [(&str, Nature); 2] = [("log", Nature::Log), ("document", Nature::Document)];

/// How a text is to be summarized.
#[derive(Clone, Debug, Default)]
pub struct TextSummary {
    pub(super) nature: Option<Nature>,
    /// The address of the original, if the author gives one.
    pub(super) uri: Option<String>,
    /// JSON Pointer to the text in the original, if the original is JSON.
    pub(super) pointer: Option<String>,
}

impl TextSummary {
    /// Reads options: `kind` (`log` or `document`; by default detected), `uri` (a link to the original) and `pointer`
    /// (JSON Pointer to the text in the original).
    ///
    /// # Errors
    /// `INVALID_CALL` for an unknown option or a wrong type.
    pub fn new(options: &Value, naming: Naming) -> Result<Self, Error> {
        let names = ["kind", "uri", "pointer"];
        let reader = Reader::new(options, &names, ErrorCode::InvalidCall, String::new(), naming)?;
        let owned = |name| Ok::<_, Error>(reader.text(name)?.map(str::to_owned));
        Ok(Self { nature: reader.choice("kind", &NATURES)?, uri: owned("uri")?, pointer: owned("pointer")? })
    }
}
