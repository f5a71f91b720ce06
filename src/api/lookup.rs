//! The keys under which a host looks up what a call names in its store, and stored results as resources.
//!
//! The host asks its store for one key after the other and takes the first content that it finds. It passes the
//! content, or the reason why the look-up failed (the call's `storeFailure`), to the shaper:
//! [`read_result`](Shaper::read_result) and [`to_summarize`](Shaper::to_summarize) explain to the model what is wrong.

use serde_json::{Value, json};

use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::outcome::receipt::Weight;
use crate::outcome::shaped::Receipts;
use crate::request::call::Call;
use crate::request::stored_id::{self, Form};

/// Why a stored result is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To continue in it instead of running the tool.
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

    /// The default members of a call for that purpose.
    pub fn call(self) -> Value {
        match self {
            Self::Snapshot => json!({}),
            Self::Read => json!({ "tool": "read_result" }),
            Self::Summarize => json!({ "tool": "summarize", "store": true }),
        }
    }
}

/// A stored result for MCP's `resources/read`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    pub mime_type: &'static str,
    pub text: String,
}

impl Shaper {
    /// The keys to look up for what a call names, the more likely one first; empty if it names nothing.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape).
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

    /// The content of a resource `toolshape://result/{id}`, from what the store holds: the stored result, shaped like
    /// the answer of [`read_result`](Self::read_result). The call's only argument is `handle`, the resource's address.
    ///
    /// # Errors
    /// `INVALID_HANDLE`, `NOT_FOUND`, `STORE_FAILED`; `INVALID_CALL` as [`shape`](Self::shape).
    pub fn resource(&self, stored: Option<(&str, &str)>, call: &Call) -> Result<Resource, Error> {
        let settings = self.reading_settings(call)?;
        let receipts = Receipts::new(&settings, call, Weight::Exact(0));
        let shaped = self.read_stored(stored, &receipts)?;
        let is_text = matches!(stored.and_then(|(key, _)| Form::of_key(key)), Some((Form::Text, _)));
        let mime_type = if shaped.unchanged && is_text { "text/plain" } else { "application/json" };
        Ok(Resource { mime_type, text: shaped.text })
    }
}
