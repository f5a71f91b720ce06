//! What a method returns.

use serde_json::Value;
use toolshape::host::ShapedResult;
use toolshape::{Error, Shaped};

/// What a method returns: JSON, in which long texts and shaped results keep their own form, so that no JSON string is made
/// of them.
pub enum MethodAnswer {
    Json(Value),
    /// A text, which may be long.
    Text(String),
    /// The same where it may be the `text` or `content` of the request.
    Content(String),
    List(Vec<Self>),
    Object(Vec<(&'static str, Self)>),
    Shaped(Box<Shaped>),
    /// A `CallToolResult` without parts of what a tool returned.
    Result(Box<ShapedResult>),
}

/// What a method returns, or the error of the call.
pub(crate) type Reply = Result<MethodAnswer, Error>;

impl MethodAnswer {
    pub const NULL: Self = Self::Json(Value::Null);
}

macro_rules! from_json {
    ($($json:ty),*) => {
        $(impl From<$json> for MethodAnswer {
            fn from(value: $json) -> Self {
                Self::Json(value.into())
            }
        })*
    };
}

from_json!(Value, bool, u64, usize, &str, String, Vec<String>, Vec<Value>);

impl From<Shaped> for MethodAnswer {
    fn from(shaped: Shaped) -> Self {
        Self::Shaped(Box::new(shaped))
    }
}

impl From<ShapedResult> for MethodAnswer {
    fn from(shaped: ShapedResult) -> Self {
        Self::Result(Box::new(shaped))
    }
}

/// The answer for what may be missing: null if it is.
pub(crate) fn or_null(found: Option<impl Into<MethodAnswer>>) -> MethodAnswer {
    found.map_or(MethodAnswer::NULL, Into::into)
}
