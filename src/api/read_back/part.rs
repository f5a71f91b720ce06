//! The part of a stored result that a call reads: plain text, or a JSON value.

use std::borrow::Cow;

use crate::base::error::{Error, ErrorCode};
use crate::base::json_pointer;
use crate::base::json_string::Quoted;
use crate::base::similar_names;
use crate::base::text_cuts;
use crate::base::work::Going;
use crate::render::notes::{
    self,
    read_back::{EndsAt, Unfit},
};
use crate::request::content_id::Form;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::plain_text::PlainText;
use crate::value::source::{Kind, Source};

/// The most keys that are listed if a key is missing, the most similar first.
const LISTED_KEYS: usize = 50;

pub(crate) enum StoredPart<'a> {
    Text(&'a str),
    Json(JsonText<'a>),
}

/// The error for a pointer that does not exist, and the pointers that exist, the most similar first.
pub(crate) type NotThere = (Error, Vec<String>);

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

    /// The part at a JSON Pointer, or the last part on its way and how many of its tokens lead there.
    pub fn led_to(self, tokens: &[String]) -> Result<Self, (Self, usize)> {
        match self {
            part if tokens.is_empty() => Ok(part),
            Self::Text(_) => Err((self, 0)),
            Self::Json(value) => value.at(tokens).map(Self::Json).map_err(|(last, led)| (Self::Json(last), led)),
        }
    }

    /// The part at a JSON Pointer.
    ///
    /// # Errors
    /// `INVALID_CALL` for plain text, which has no parts.
    pub fn at(self, pointer: &str) -> Result<Result<Self, NotThere>, Error> {
        let tokens = json_pointer::tokens(pointer).unwrap_or_default();
        match self.led_to(&tokens) {
            Ok(part) => Ok(Ok(part)),
            Err((Self::Text(_), _)) => Err(unfit("pointer", Unfit::IsText)),
            Err((Self::Json(last), led)) => Ok(Err(missing(&last, &tokens, led)?)),
        }
    }

    /// Whether it is plain text or a JSON string.
    pub fn is_text(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Json(value) => value.kind() == Kind::String,
        }
    }

    /// The text of it, if that is the content itself.
    pub fn given(&self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Json(_) => None,
        }
    }

    pub fn source(&self) -> AnySource<'a> {
        match self {
            Self::Text(text) => AnySource::new(PlainText::new(text)),
            Self::Json(value) => AnySource::new(value.clone()),
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

/// The outcome of work for an argument.
///
/// # Errors
/// `INVALID_CALL` if it asks for too much and was stopped.
pub(super) fn stop_at<T>(argument: &str, going: Going<T>) -> Result<T, Error> {
    match going {
        Going::Continue(done) => Ok(done),
        Going::Break(()) => {
            Err(Error::new(ErrorCode::InvalidCall, notes::read_back::stopped(argument), format!("/{argument}")))
        }
    }
}

/// The error for an argument that does not apply to the part.
pub(crate) fn unfit(argument: &str, why: Unfit) -> Error {
    Error::new(ErrorCode::InvalidCall, notes::read_back::unfit(argument, why), format!("/{argument}"))
}

/// The error for a pointer whose first `led` tokens exist and lead to `last`; the next token does not exist.
///
/// # Errors
/// Whatever reading the value reports.
pub(crate) fn missing<S: Source>(last: &S, tokens: &[String], led: usize) -> Result<NotThere, Error> {
    let mut keys = Vec::new();
    last.entries_where(&mut |_, key| {
        keys.push(Quoted::new(key).text().into_owned());
        false
    })?;
    let base: String = tokens[..led].iter().map(|token| format!("/{}", json_pointer::escape(token))).collect();
    let wanted = &tokens[led];
    let ends_at = match last.kind() {
        Kind::Array => EndsAt::Array { len: last.len() },
        Kind::Object => EndsAt::Object,
        kind => EndsAt::Scalar { kind: kind.name() },
    };
    let message = notes::read_back::nothing_under(
        &text_cuts::clipped(wanted, text_cuts::SHOWN_CHARS),
        &text_cuts::clipped(&base, text_cuts::SHOWN_CHARS),
        &ends_at,
    );
    // Pointers that are longer than a name may be are not listed either.
    let names =
        keys.into_iter().map(Cow::<str>::Owned).filter(|key| base.len() + key.len() <= similar_names::MAX_BYTES);
    let mut names = similar_names::closest_first(names, wanted);
    names.truncate(LISTED_KEYS);
    let pointers = names.iter().map(|name| format!("{base}/{}", json_pointer::escape(name))).collect();
    Ok((Error::new(ErrorCode::UnknownField, message, "/pointer"), pointers))
}
