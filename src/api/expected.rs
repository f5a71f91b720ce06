//! What an author expects of a tool's result in a test: that it fits, and shows certain fields.

use serde_json::Value;

use crate::api::mcp::host::Host;
use crate::base::error::{Error, ErrorCode};
use crate::base::field_path::FieldPath;
use crate::base::tokens::{Encoding, count_tokens, find_encoding};
use crate::render::dense;
use crate::request::policy::{MAX_BUDGET, MIN_BUDGET};
use crate::request::reader::{Naming, Reader};

/// The default of `maxTokens`, which is that of a policy.
const MAX_TOKENS: usize = 2000;

/// What is expected of a `CallToolResult`.
#[derive(Clone, Debug)]
pub struct Expected {
    max_tokens: usize,
    fields: Vec<FieldPath>,
    client: Option<String>,
    encoding: Encoding,
    is_error: bool,
}

impl Expected {
    /// Reads `maxTokens`, `fields`, `client`, `encoding` and `isError`.
    ///
    /// # Errors
    /// `INVALID_CALL` for an unknown name, a wrong type or a value out of range.
    pub fn new(expected: &Value, naming: Naming) -> Result<Self, Error> {
        let names = ["maxTokens", "fields", "client", "encoding", "isError"];
        let reader = Reader::new(expected, &names, ErrorCode::InvalidCall, String::new(), naming)?;
        let fields = reader.texts("fields")?.unwrap_or_default();
        let max_tokens = reader.integer("maxTokens", MIN_BUDGET as u64, MAX_BUDGET)?;
        let encoding = find_encoding(reader.text("encoding")?.unwrap_or("o200k_base"))?;
        Ok(Self {
            max_tokens: max_tokens.map_or(MAX_TOKENS, |tokens| tokens as usize),
            fields: fields.into_iter().map(FieldPath::parse).collect(),
            client: reader.text("client")?.map(str::to_owned),
            encoding,
            is_error: reader.flag("isError")?.unwrap_or_default(),
        })
    }

    /// What a `CallToolResult` does not meet, a sentence each: nothing if it is as expected.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::host::{Expected, Naming};
    /// let expected = Expected::new(&json!({ "fields": ["id", "author.name"] }), Naming::Camel)?;
    /// let result = json!({ "content": [{ "type": "text", "text": "[{\"id\":1,\"author\":{}}]" }] });
    /// assert_eq!(expected.unmet(&result), ["the result does not show author.name"]);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn unmet(&self, result: &Value) -> Vec<String> {
        let texts: Vec<&str> =
            result["content"].as_array().into_iter().flatten().filter_map(|block| block["text"].as_str()).collect();
        let structured = result.get("structuredContent").filter(|value| !value.is_null());
        let written = structured.map(Value::to_string);
        let host = Host::of(self.client.as_deref());
        let most = self.max_tokens.min(host.tokens());
        let mut unmet = Vec::new();
        let is_error = result["isError"] == true;
        if is_error != self.is_error {
            let said = texts.first().copied().unwrap_or_default();
            unmet.push(if is_error {
                format!("the result is an error: {said}")
            } else {
                "the result is not an error".to_owned()
            });
        }
        for (channel, text) in [("content", Some(texts.concat())), ("structuredContent", written)]
            .into_iter()
            .filter_map(|(name, text)| Some((name, text?)))
        {
            let tokens = count_tokens(&text, self.encoding);
            if tokens > most {
                unmet.push(format!("{channel} has {tokens} tokens, more than {most}"));
            }
        }
        let shown: Vec<Value> = texts.iter().filter_map(|text| data(text)).chain(structured.cloned()).collect();
        let is_shown = |field: &FieldPath| shown.iter().any(|value| has(value, field));
        let missing = self.fields.iter().filter(|field| !is_shown(field));
        unmet.extend(missing.map(|field| format!("the result does not show {}", field.written())));
        unmet
    }
}

/// The data in a text, in its plain form.
fn data(text: &str) -> Option<Value> {
    serde_json::from_str(&dense::expand(text).ok()?).ok()
}

/// Whether an object in a value has the field: a row, or what is around rows.
fn has(value: &Value, field: &FieldPath) -> bool {
    at(value, field.segments())
        || match value {
            Value::Array(items) => items.iter().any(|item| has(item, field)),
            Value::Object(members) => members.values().any(|member| has(member, field)),
            _ => false,
        }
}

fn at(value: &Value, keys: &[String]) -> bool {
    match (keys.split_first(), value) {
        (None, _) => true,
        (Some((key, rest)), Value::Object(members)) => members.get(key).is_some_and(|member| at(member, rest)),
        (Some(_), Value::Array(items)) => items.iter().any(|item| at(item, keys)),
        _ => false,
    }
}
