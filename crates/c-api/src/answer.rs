//! What a method answers: JSON, and beside it the texts that may be long.

use serde_json::{Value, json};
use toolshape::{Error, Keep, Shaped};

use crate::message;

/// The parts beside the JSON of an answer.
#[derive(Default)]
pub struct Answer {
    parts: Vec<Vec<u8>>,
}

impl Answer {
    /// Adds a part; returns its number, which is what the JSON has in its place.
    pub fn part(&mut self, bytes: impl Into<Vec<u8>>) -> Value {
        self.parts.push(bytes.into());
        json!(self.parts.len())
    }

    /// A text: the number of its part, or null if it is the one that the host gave.
    pub fn text(&mut self, text: String, given: Option<&str>) -> Value {
        if given == Some(text.as_str()) { Value::Null } else { self.part(text) }
    }

    /// A shaped result of what the host gave.
    pub fn shaped(&mut self, shaped: Shaped, given: Option<&str>) -> Value {
        let Shaped { text, unchanged, is_error, receipt, keep, .. } = shaped;
        json!({
            "text": self.text(text, given), "unchanged": unchanged, "isError": is_error, "receipt": receipt.to_json(),
            "keep": self.keep(keep, given),
        })
    }

    /// What is to be stored. The core leaves out the content that it was given.
    pub fn keep(&mut self, keep: Option<Keep>, given: Option<&str>) -> Value {
        let Some(Keep { id, key, ticket, owner, content }) = keep else { return Value::Null };
        let content = content.map_or(Value::Null, |content| self.text(content, given));
        json!({ "id": id, "key": key, "ticket": ticket, "owner": owner, "content": content })
    }

    /// The message of the whole: `{"result": …}`, or `{"error": {code, message, path}}` without parts.
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
