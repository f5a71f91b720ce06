//! Where a host looks for what a call names in its store, and stored results as resources.
//!
//! The host asks its store for one key after the other and takes the first content that there is. Whatever it finds, or
//! why it could not look (the call's `storeFailure`), the shaper answers: [`read_result`](Shaper::read_result) and
//! [`to_summarize`](Shaper::to_summarize) explain to the model what is wrong.

use serde_json::{Value, json};

use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::outcome::receipt::Weight;
use crate::outcome::shaped::Receipts;
use crate::request::call::Call;
use crate::request::stored_id::{self, Form};

/// What a stored result is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To go on in it, instead of running the tool.
    Snapshot,
    /// To answer a call of `read_result`.
    Read,
    /// To answer a call of `summarize`.
    Summarize,
}

impl Purpose {
    /// The purpose of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [("snapshot", Self::Snapshot), ("read", Self::Read), ("summarize", Self::Summarize)]
            .into_iter()
            .find_map(|(known, purpose)| (known == name).then_some(purpose))
    }

    /// What a call for that purpose says unless the host says otherwise.
    pub fn call(self) -> Value {
        match self {
            Self::Snapshot => json!({}),
            Self::Read => json!({ "tool": "read_result" }),
            Self::Summarize => json!({ "tool": "summarize", "store": true }),
        }
    }
}

/// A stored result as MCP's `resources/read` gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    pub mime_type: &'static str,
    pub text: String,
}

impl Shaper {
    /// The keys under which to look for what a call names, the likelier first; none where it names nothing.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape) has.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::{Call, Naming, Purpose, Shaper};
    /// let call = |handle: &str| Call::new(&json!({ "arguments": { "handle": handle } }), Naming::Camel);
    /// let keys = Shaper::default().lookup(Purpose::Read, &call(&"0".repeat(64))?)?;
    /// assert!(keys[0].ends_with(".json") && keys[1].ends_with(".txt"));
    /// assert!(Shaper::default().lookup(Purpose::Read, &call("../x")?)?.is_empty());
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn lookup(&self, purpose: Purpose, call: &Call) -> Result<Vec<String>, Error> {
        let keys = match purpose {
            Purpose::Snapshot => self.snapshot(call)?.and_then(|handle| stored_id::keys(&handle).ok()),
            Purpose::Read | Purpose::Summarize => self.read_keys(call).ok(),
        };
        Ok(keys.map_or_else(Vec::new, Vec::from))
    }

    /// What a resource `toolshape://result/{id}` holds, from what the store has of it: the stored result, shaped as
    /// [`read_result`](Self::read_result) shapes it. The call's only argument is `handle`, the resource's address.
    ///
    /// # Errors
    /// `INVALID_HANDLE`, `NOT_FOUND`, `STORE_FAILED`; `INVALID_CALL` as [`shape`](Self::shape) has.
    pub fn resource(&self, stored: Option<(&str, &str)>, call: &Call) -> Result<Resource, Error> {
        let settings = self.reading_settings(call)?;
        let receipts = Receipts::new(&settings, call, Weight::Exact(0));
        let shaped = self.read_stored(stored, &receipts)?;
        let is_text = matches!(stored.and_then(|(key, _)| Form::of_key(key)), Some((Form::Text, _)));
        let mime_type = if shaped.unchanged && is_text { "text/plain" } else { "application/json" };
        Ok(Resource { mime_type, text: shaped.text })
    }
}
