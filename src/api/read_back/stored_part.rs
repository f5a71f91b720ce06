//! The part of a stored result that a call reads: plain text, or a JSON value.

use std::borrow::Cow;

use crate::base::error::{Error, ErrorCode};
use crate::base::json_pointer;
use crate::base::json_string;
use crate::base::sorting::sort_by;
use crate::request::stored_id::Form;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::plain_text::PlainText;
use crate::value::source::{Kind, Source};

/// Of so many keys those that look like a missing one are told.
const TOLD_KEYS: usize = 50;
const COMPARED_CHARS: usize = 100;
const SHOWN_CHARS: usize = 60;

pub(crate) enum Part<'a> {
    Text(&'a str),
    Json(JsonText<'a>),
}

/// Why there is nothing at a pointer, and the pointers to what is there instead, the closest first.
type Missing = (Error, Vec<String>);

impl<'a> Part<'a> {
    /// A whole content.
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
    /// `INVALID_CALL` where there are no parts to point to.
    pub fn at(self, pointer: &str) -> Result<Result<Self, Missing>, Error> {
        let tokens = json_pointer::tokens(pointer).unwrap_or_default();
        match self {
            part if tokens.is_empty() => Ok(Ok(part)),
            Self::Text(_) => Err(unfit("pointer", "the result is plain text; read it by lines or search")),
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
    /// `INVALID_CALL` for plain text, of which `argument` cannot be asked.
    pub fn json(&self, argument: &str) -> Result<&JsonText<'a>, Error> {
        match self {
            Self::Json(value) => Ok(value),
            Self::Text(_) => Err(unfit(argument, "the result is plain text; read it by lines or search")),
        }
    }

    /// The part as text, if it is any: plain, or a JSON string.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Json(value) if value.kind() == Kind::String => {
                let span = value.span();
                Some(Cow::Owned(json_string::unescape(&span[1..span.len() - 1])))
            }
            Self::Json(_) => None,
        }
    }
}

/// The error for an argument that does not suit the part.
pub(crate) fn unfit(argument: &str, reason: &str) -> Error {
    Error::new(ErrorCode::InvalidCall, format!("{argument} cannot be used: {reason}"), format!("/{argument}"))
}

/// The error for a pointer of which only the first `led` tokens lead somewhere, to `last`.
fn missing(last: &JsonText<'_>, tokens: &[String], led: usize) -> Missing {
    let base: String = tokens[..led].iter().map(|token| format!("/{}", json_pointer::escape(token))).collect();
    let wanted = &tokens[led];
    let short = |text: &str| match text.char_indices().nth(SHOWN_CHARS) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    };
    let what = match last.kind() {
        Kind::Array => format!("an array of {} items", last.len()),
        Kind::Object => "an object without that key".to_owned(),
        kind => format!("of type {}", kind.name()),
    };
    let place = if led == 0 { "the result".to_owned() } else { format!("the value at {:?}", short(&base)) };
    let message = format!("there is nothing under {:?}: {place} is {what}", short(wanted));
    // Comparing takes time that grows with the product of both lengths: their starts must do.
    let start = |name: &str| name.chars().take(COMPARED_CHARS).collect::<String>();
    let entries = last.entries().unwrap_or_default();
    let names = entries.iter().map(|(key, _)| json_string::unescape(&key[1..key.len() - 1]));
    let mut names: Vec<(usize, String)> =
        names.map(|name| (strsim::damerau_levenshtein(&start(&name), &start(wanted)), name)).collect();
    sort_by(&mut names, Ord::cmp);
    names.truncate(TOLD_KEYS);
    let pointers = names.into_iter().map(|(_, name)| format!("{base}/{}", json_pointer::escape(&name))).collect();
    (Error::new(ErrorCode::UnknownField, message, "/pointer"), pointers)
}
