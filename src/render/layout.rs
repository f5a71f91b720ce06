//! What a value is, as far as the ways to shorten it differ.

use crate::base::error::Error;
use crate::render::envelope::Envelope;
use crate::value::source::{Kind, Source};

/// What a value is, as far as the ways to shorten it differ.
pub(crate) enum Layout<S> {
    /// An array: it is paged.
    List(S),
    /// An object that is mostly a list: that list is paged where it is.
    Envelope(Envelope<S>),
    /// Any other object: its values are shortened key by key.
    Object,
    /// A string: it is cut.
    Text,
    /// A number, a boolean or null.
    Scalar,
}

impl<S: Source> Layout<S> {
    /// Finds what a value is. For an object this estimates the length of each member, so find it once.
    pub fn of(value: &S) -> Result<Self, Error> {
        Ok(match value.kind() {
            Kind::Array => Self::List(value.clone()),
            Kind::Object => Envelope::find(value)?.map_or(Self::Object, Self::Envelope),
            Kind::String => Self::Text,
            Kind::Number | Kind::Bool | Kind::Null => Self::Scalar,
        })
    }

    /// The list that is paged, and the JSON Pointer to it from the value.
    pub fn list(&self) -> Option<(&S, &str)> {
        match self {
            Self::List(list) => Some((list, "")),
            Self::Envelope(envelope) => Some((&envelope.list, &envelope.pointer)),
            Self::Object | Self::Text | Self::Scalar => None,
        }
    }
}
