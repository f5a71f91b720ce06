//! What the functions return: a result for the TypeScript classes, or a fault.

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

use toolshape::host::{Block, Channel, Member, ShapedResult};
use toolshape::{Error, Keep, Shaped};

use super::value::JsSource;

/// A shaped result for the TypeScript class.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShapedObject {
    text: String,
    unchanged: bool,
    is_error: bool,
    /// JSON text, which the class parses when it is needed.
    receipt: String,
    keep: Option<KeepObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<String>,
}

/// What must be stored before a result is sent.
#[derive(Serialize)]
struct KeepObject {
    id: String,
    key: String,
    ticket: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    /// Null if it is the given text.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    content: JsValue,
    about: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    images: Option<Box<KeepObject>>,
}

impl ShapedObject {
    /// The result for a value, which holds the text to store.
    pub fn of_value(shaped: Shaped, value: &JsSource) -> Self {
        let mut outcome = Self::from(shaped);
        outcome.keep.iter_mut().for_each(|keep| keep.fill(value));
        outcome
    }
}

impl KeepObject {
    /// Has the host's own text as the content, if it is that.
    fn fill(&mut self, value: &JsSource) {
        if let (true, Some(kept)) = (self.content.is_null(), value.kept()) {
            self.content = kept.into();
        }
    }
}

impl From<Keep> for KeepObject {
    fn from(Keep { id, key, ticket, owner, content, about, images, .. }: Keep) -> Self {
        let images = images.map(|images| Box::new(Self::from(*images)));
        Self { id, key, ticket, owner, content: content.map_or(JsValue::NULL, JsValue::from), about, images }
    }
}

impl From<Shaped> for ShapedObject {
    fn from(shaped: Shaped) -> Self {
        let Shaped { text, unchanged, is_error, receipt, keep, image, .. } = shaped;
        let keep = keep.map(KeepObject::from);
        Self { text, unchanged, is_error, receipt: receipt.to_string(), keep, image }
    }
}

/// A shaped CallToolResult: what it keeps of the tool's own result, and what is new.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResultOutcome {
    /// The result's members in their order: the name and the origin of each.
    pub members: Vec<(String, &'static str)>,
    is_own: bool,
    unchanged: bool,
    is_result: bool,
    content: Vec<Own<usize>>,
    /// Null if there is none.
    structured: Option<Own<bool>>,
    is_error: bool,
    receipt: Option<String>,
    keep: Option<KeepObject>,
}

/// A shaped CallToolResult, or only the receipt, a JSON text, of one that had a single text, which passes.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ResultOrReceipt {
    Receipt(String),
    Result(Box<ResultOutcome>),
}

impl From<ShapedResult> for ResultOrReceipt {
    fn from(mut shaped: ShapedResult) -> Self {
        match shaped.receipt.take_if(|receipt| shaped.unchanged && !receipt.is_in_meta()) {
            Some(receipt) => Self::Receipt(receipt.to_string()),
            None => Self::Result(Box::new(ResultOutcome::with_members(shaped, &["content".to_owned()]))),
        }
    }
}

/// The tool's own, or a new value as JSON text.
#[derive(Serialize)]
#[serde(untagged)]
enum Own<T> {
    Own(T),
    Json(String),
}

#[wasm_bindgen]
extern "C" {
    /// Like `js_sys::Object::keys`, but passes on the exception of a proxy.
    #[wasm_bindgen(catch, js_namespace = Object, js_name = keys)]
    fn keys(value: &JsValue) -> Result<Vec<String>, JsValue>;
}

impl ResultOutcome {
    /// The result for what a tool returned, which was read as `value`.
    pub fn of(shaped: ShapedResult, returned: &JsValue, value: &JsSource) -> Self {
        let own = if shaped.is_result { keys(returned).unwrap_or_default() } else { Vec::new() };
        let mut result = Self::with_members(shaped, &own);
        result.keep.iter_mut().for_each(|keep| keep.fill(value));
        result
    }

    fn with_members(shaped: ShapedResult, own: &[String]) -> Self {
        let name = |member| match member {
            Member::Own => "own",
            Member::Content => "content",
            Member::Structured => "structured",
            Member::IsError => "isError",
            Member::Meta => "meta",
            Member::OwnMeta => "ownMeta",
        };
        let members = shaped.members(own.iter().map(String::as_str));
        let members = members.into_iter().map(|(key, member)| (key, name(member))).collect();
        let block = |block| match block {
            Block::Own(at) => Own::Own(at),
            Block::Json(json) => Own::Json(json),
        };
        Self {
            members,
            is_own: shaped.is_own,
            unchanged: shaped.unchanged,
            is_result: shaped.is_result,
            content: shaped.content.into_iter().map(block).collect(),
            structured: match shaped.structured {
                Channel::Own => Some(Own::Own(true)),
                Channel::Absent => None,
                Channel::Json(json) => Some(Own::Json(json)),
            },
            is_error: shaped.is_error,
            receipt: shaped.receipt.map(|receipt| receipt.to_string()),
            keep: shaped.keep.map(KeepObject::from),
        }
    }
}

impl From<ShapedResult> for ResultOutcome {
    fn from(shaped: ShapedResult) -> Self {
        Self::with_members(shaped, &[])
    }
}

/// An error. Its first member has a name that no result has.
#[derive(Serialize)]
struct ErrorObject<'a> {
    #[serde(rename = "toolshapeError")]
    code: &'a str,
    message: &'a str,
    path: &'a str,
}

pub(super) fn outcome<T: Serialize>(result: Result<T, Error>) -> JsValue {
    match result {
        Ok(value) => value.serialize(&Serializer::json_compatible()).unwrap_throw(),
        Err(error) => fault(error),
    }
}

pub(super) fn fault(error: Error) -> JsValue {
    let (code, message, path) = (error.code().as_str(), error.message(), error.path());
    ErrorObject { code, message, path }.serialize(&Serializer::json_compatible()).unwrap_throw()
}
