//! Writes an answer: JSON, in which long texts are numbers of parts.

use serde_json::{Map, Value, json};
use toolshape::host::{JsonText, ShapedResult};
use toolshape::{Error, Keep, Shaped};

use super::{MessageHost, message};
use crate::answer::MethodAnswer;

/// The parts of an answer after its JSON.
pub struct PartWriter {
    parts: Vec<Vec<u8>>,
    #[cfg_attr(feature = "texts", allow(dead_code, reason = "the module that has SQL alone asks its host"))]
    pub host: MessageHost,
}

impl PartWriter {
    pub fn new(host: MessageHost) -> Self {
        Self { parts: Vec::new(), host }
    }

    /// Adds a part; returns its number, which replaces it in the JSON.
    pub fn part(&mut self, bytes: impl Into<Vec<u8>>) -> Value {
        self.parts.push(bytes.into());
        json!(self.parts.len())
    }

    /// The number of a text's part, or null if it is the one that the host sent.
    pub fn text(&mut self, text: String, sent: Option<&str>) -> Value {
        if sent == Some(text.as_str()) { Value::Null } else { self.part(text) }
    }

    /// The JSON of an answer to a request in which the host sent this text.
    ///
    /// # Errors
    /// `INTERNAL` if a result cannot be written.
    pub fn answer(&mut self, answer: MethodAnswer, sent: Option<&str>) -> Result<Value, Error> {
        Ok(match answer {
            MethodAnswer::Json(json) => json,
            MethodAnswer::Text(text) => self.part(text),
            MethodAnswer::Content(text) => self.text(text, sent),
            MethodAnswer::List(items) => {
                let items = items.into_iter().map(|item| self.answer(item, sent));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            MethodAnswer::Object(members) => {
                let members = members.into_iter().map(|(name, item)| Ok((name.to_owned(), self.answer(item, sent)?)));
                Value::Object(members.collect::<Result<Map<_, _>, Error>>()?)
            }
            MethodAnswer::Shaped(shaped) => self.shaped(*shaped, sent),
            MethodAnswer::Result(shaped) => self.result(*shaped, &JsonText::parse("null")?, sent)?,
        })
    }

    /// A shaped result of the text that the host sent.
    pub fn shaped(&mut self, shaped: Shaped, sent: Option<&str>) -> Value {
        let Shaped { text, unchanged, is_error, receipt, keep, image, .. } = shaped;
        let mut json = json!({
            "text": self.text(text, sent), "unchanged": unchanged, "isError": is_error, "receipt": receipt.to_json(),
            "keep": self.keep(keep, sent),
        });
        if let Some(image) = image {
            json["image"] = self.part(image);
        }
        json
    }

    /// A `CallToolResult` of what a tool returned; null in place of one that is all that it returned.
    pub fn result(
        &mut self,
        shaped: ShapedResult,
        returned: &JsonText<'_>,
        sent: Option<&str>,
    ) -> Result<Value, Error> {
        let result = if shaped.is_own { Value::Null } else { self.part(shaped.to_json(returned)?) };
        let receipt = shaped.receipt.as_ref().map(|receipt| receipt.to_json());
        Ok(json!({
            "result": result, "unchanged": shaped.unchanged, "isError": shaped.is_error, "receipt": receipt,
            "keep": self.keep(shaped.keep, sent),
        }))
    }

    /// What is to be stored. The core leaves out the content that it was given.
    fn keep(&mut self, keep: Option<Keep>, sent: Option<&str>) -> Value {
        let Some(Keep { id, key, ticket, owner, content, about, images, .. }) = keep else { return Value::Null };
        let content = content.map_or(Value::Null, |content| self.text(content, sent));
        let mut json =
            json!({ "id": id, "key": key, "ticket": ticket, "owner": owner, "content": content, "about": about });
        if images.is_some() {
            json["images"] = self.keep(images.map(|images| *images), sent);
        }
        json
    }

    /// The whole message: `{"result": …}`, or `{"error": {code, message, path}}` without parts.
    pub fn message(self, result: Result<Value, Error>) -> Vec<u8> {
        let json = match &result {
            Ok(result) => json!({ "result": result }),
            Err(error) => {
                json!({ "error": { "code": error.code().as_str(), "message": error.message(), "path": error.path() } })
            }
        };
        let json = json.to_string();
        let parts = self.parts.iter().filter(|_| result.is_ok()).map(Vec::as_slice);
        message::write(&[json.as_bytes()].into_iter().chain(parts).collect::<Vec<_>>())
    }
}
