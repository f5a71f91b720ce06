//! The part of a stored result that a call reads: plain text, or a JSON value.

use std::borrow::Cow;

use crate::base::error::{Error, ErrorCode};
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::base::similar_names;
use crate::base::text_cuts;
use crate::render::notes::{
    self,
    read_back::{EndsAt, Unfit},
};
use crate::request::stored_id::Form;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::plain_text::PlainText;
use crate::value::source::{Kind, Source};

/// The most keys that are listed if a key is missing.
const LISTED_KEYS: usize = 50;
/// Characters that a message shows of a key or a pointer.
const SHOWN_CHARS: usize = 60;

pub(crate) enum StoredPart<'a> {
    Text(&'a str),
    Json(JsonText<'a>),
}

/// The error for a pointer that leads nowhere, and the pointers that exist, the most similar first.
type NotThere = (Error, Vec<String>);

impl<'a> StoredPart<'a> {
    /// The whole content.
    ///
    /// # Errors
    /// As [`JsonText::parse`] has.
    pub fn new(form: Form, content: &'a str) -> Result<Self, Error> {
        Ok(match form {
            Form::Text => Self::Text(content),
            Form::Json => Self::Json(JsonText::parse(content)?),
        })
    }

    /// The part at a JSON Pointer.
    ///
    /// # Errors
    /// `INVALID_CALL` for plain text, which has no parts.
    pub fn at(self, pointer: &str) -> Result<Result<Self, NotThere>, Error> {
        let tokens = json_pointer::tokens(pointer).unwrap_or_default();
        match self {
            part if tokens.is_empty() => Ok(Ok(part)),
            Self::Text(_) => Err(unfit("pointer", Unfit::IsText)),
            Self::Json(value) => {
                Ok(value.at(&tokens).map(Self::Json).map_err(|(last, led)| missing(&last, &tokens, led)))
            }
        }
    }

    pub fn source(&self) -> AnySource<'a> {
        match self {
            Self::Text(text) => AnySource::new(PlainText::new(text)),
            Self::Json(value) => AnySource::new(value.clone()),
        }
    }

    /// The part as JSON.
    ///
    /// # Errors
    /// `INVALID_CALL` about `argument` for plain text.
    pub fn json(&self, argument: &str) -> Result<&JsonText<'a>, Error> {
        match self {
            Self::Json(value) => Ok(value),
            Self::Text(_) => Err(unfit(argument, Unfit::IsText)),
        }
    }

    /// The part as text, if it is plain text or a JSON string.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Json(value) if value.kind() == Kind::String => Some(Quoted::new(value.span()).text()),
            Self::Json(_) => None,
        }
    }
}

/// The error for an argument that does not apply to the part.
pub(crate) fn unfit(argument: &str, why: Unfit) -> Error {
    Error::new(ErrorCode::InvalidCall, notes::read_back::unfit(argument, why), format!("/{argument}"))
}

/// The error for a pointer whose first `led` tokens exist and lead to `last`; the next token does not exist.
fn missing(last: &JsonText<'_>, tokens: &[String], led: usize) -> NotThere {
    let base: String = tokens[..led].iter().map(|token| format!("/{}", json_pointer::escape(token))).collect();
    let wanted = &tokens[led];
    let ends_at = match last.kind() {
        Kind::Array => EndsAt::Array { len: last.len() },
        Kind::Object => EndsAt::Object,
        kind => EndsAt::Scalar { kind: kind.name() },
    };
    let message = notes::read_back::nothing_under(
        &text_cuts::clipped(wanted, SHOWN_CHARS),
        &text_cuts::clipped(&base, SHOWN_CHARS),
        &ends_at,
    );
    // Pointers that are longer than a name may be are not listed either.
    let is_short = |key: &&str| base.len() + key.len() <= similar_names::MAX_BYTES;
    let names = last.keys().filter(is_short).map(|key| Quoted::new(key).text());
    let mut names = similar_names::closest_first(names, wanted);
    names.truncate(LISTED_KEYS);
    let pointers = names.iter().map(|name| format!("{base}/{}", json_pointer::escape(name))).collect();
    (Error::new(ErrorCode::UnknownField, message, "/pointer"), pointers)
}
