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
    /// The name of the host's own summarizer, and what it returned.
    pub(super) own: Option<(String, HostSummary)>,
}

/// What the host's own summarizer returned.
#[derive(Clone, Debug)]
pub(super) enum HostSummary {
    Made(String),
    /// Why there is no summary.
    Failure(String),
}

impl TextSummary {
    /// Reads options: `kind` (`log` or `document`; by default detected), `uri` (a link to the original), `pointer`
    /// (JSON Pointer to the text in the original) and, for the host's own summarizer, `by`, its name, with `summary`,
    /// or with `failure`: why there is no summary.
    ///
    /// # Errors
    /// `INVALID_CALL` for an unknown option or a wrong type.
    pub fn new(options: &Value, naming: Naming) -> Result<Self, Error> {
        let names = ["kind", "uri", "pointer", "summary", "by", "failure"];
        let reader = Reader::new(options, &names, ErrorCode::InvalidCall, String::new(), naming)?;
        let given = match (reader.text("summary")?, reader.text("failure")?) {
            (Some(_), Some(_)) => {
                let message = "there is either a summary, or a failure that says why there is none";
                return Err(reader.error_at("failure", message.to_owned()));
            }
            (Some(summary), None) => Some(HostSummary::Made(summary.to_owned())),
            (None, failure) => failure.map(|failure| HostSummary::Failure(failure.to_owned())),
        };
        let own = match (given, reader.text("by")?) {
            (Some(given), Some(by)) => Some((by.to_owned(), given)),
            (None, None) => None,
            (Some(_), None) => return Err(reader.error_at("by", "by is missing: it says who made summary".to_owned())),
            (None, Some(_)) => return Err(reader.error_at("summary", "summary is missing, which by made".to_owned())),
        };
        let owned = |name| Ok::<_, Error>(reader.text(name)?.map(str::to_owned));
        Ok(Self { nature: reader.choice("kind", &NATURES)?, uri: owned("uri")?, pointer: owned("pointer")?, own })
    }
}
