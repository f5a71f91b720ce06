//! What a host reads from its store for what a call names, and stored results as resources.
//!
//! A handle leads to a ticket, and the ticket to a content and to the tools that returned it; a host that asks who may
//! read a result asks between the two. It passes the content, the reason why the look-up failed (the call's
//! `storeFailure`) or the refusal (`forbidden`) to the shaper: [`read_result`](Shaper::read_result),
//! [`to_summarize`](Shaper::to_summarize) and [`shape_snapshot`](Shaper::shape_snapshot) explain to the model what is
//! wrong.

use crate::api::read_back::{self, ReadTarget};
use crate::api::shaper::Shaper;
use crate::api::snapshot;
use crate::api::sql;
use crate::base::error::{Error, ErrorCode};
use crate::request::call::Call;
use crate::request::content_id::Form;
use crate::request::handle::StoredName;
use crate::request::ticket::Ticket;

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
    /// A call for that purpose, with the name of its tool, if it has none.
    #[must_use]
    pub fn call(self, call: Call) -> Call {
        let named = |call: Call, name: &str| Call { tool: call.tool.or_else(|| Some(name.to_owned())), ..call };
        match self {
            Self::Snapshot => call,
            Self::Read => named(call, "read_result"),
            Self::Summarize => named(call, "summarize").with_store(),
        }
    }
}

/// What a host reads first from its store for what a call names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lookup {
    /// The key of a ticket: [`open`](Shaper::open) says what it opens.
    pub ticket: Option<String>,
    /// Without a ticket, the keys of the content, the more likely one first; none if the call names nothing.
    pub keys: Vec<String>,
    /// For a question in SQL the handles that may be tables, each to be found like the handle of a call of its own.
    pub tables: Option<Vec<String>>,
}

/// What a ticket opens to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opened {
    /// The key of the content.
    pub key: String,
    /// The tools that returned the content, the latest last; an empty text for a call without a tool's name. Who may
    /// call one of them may read it.
    pub tools: Vec<String>,
}

/// A stored result for MCP's `resources/read`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    pub mime_type: &'static str,
    pub text: String,
}

#[doc(hidden)]
impl Shaper {
    /// What to read for what a call names. A host that asks who may read a result (`authorizes`) gets a ticket for every
    /// name, so that none leads around it.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape).
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::host::{Naming, Purpose};
    /// use toolshape::{Call, Shaper};
    /// let shaper = Shaper::default();
    /// let call = |handle: &str| Call::new(&json!({ "arguments": { "handle": handle } }), Naming::Camel);
    /// let found = shaper.lookup(Purpose::Read, false, &call(&"0".repeat(64))?)?;
    /// assert!(found.ticket.is_none() && found.keys[0].ends_with(".json") && found.keys[1].ends_with(".txt"));
    /// let found = shaper.lookup(Purpose::Read, true, &call(&"0".repeat(64))?)?;
    /// assert_eq!((found.ticket, found.keys), (Some("aaaaaaaaaaaaaaaa.handle".to_owned()), vec![]));
    /// assert_eq!(shaper.lookup(Purpose::Read, false, &call("../x")?)?, Default::default());
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn lookup(&self, purpose: Purpose, authorizes: bool, call: &Call) -> Result<Lookup, Error> {
        let read = (purpose == Purpose::Read).then(|| call.without_empty());
        if let Some(tables) = read.as_ref().and_then(sql::tables) {
            return Ok(Lookup { tables: Some(tables), ..Lookup::default() });
        }
        let call = read.as_ref().unwrap_or(call);
        Ok(match self.named_by(purpose, call)? {
            None => Lookup::default(),
            Some(name @ StoredName::Id(_)) if !authorizes => Lookup { keys: name.keys(), ..Lookup::default() },
            Some(name) => Lookup { ticket: Some(name.handle().ticket_key()), ..Lookup::default() },
        })
    }

    /// What the ticket that a store holds opens to a call. `None` if it is not a ticket of what the call names, was made in
    /// another scope, or, to continue in a stored result, if the call's tool never returned that result.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape).
    pub fn open(&self, purpose: Purpose, ticket: &str, call: &Call) -> Result<Option<Opened>, Error> {
        let Some(name) = self.named_by(purpose, call)? else { return Ok(None) };
        let keys = &self.settings(call)?.cursor_keys;
        let ticket = Ticket::read(ticket, &name, call.owner(), keys);
        let tool = call.tool_name().unwrap_or_default();
        let is_open = |ticket: &Ticket| purpose != Purpose::Snapshot || ticket.tools.iter().any(|known| known == tool);
        Ok(ticket.filter(is_open).map(|Ticket { key, tools }| Opened { key, tools }))
    }

    /// The ticket for the content under `key`, which a call returned, to be stored under [`Keep::ticket`](crate::Keep)
    /// once the content is; `known` is what the store has there.
    ///
    /// # Errors
    /// `INVALID_HANDLE` for a key of no content; `INVALID_CALL` as [`shape`](Self::shape).
    ///
    /// ```
    /// use toolshape::{Call, Shaper};
    /// let key = format!("{}.json", "0".repeat(64));
    /// let ticket = Shaper::default().ticket(&key, None, &Call::default())?;
    /// assert_eq!(ticket, format!(r#"{{"key":"{key}","tools":[""]}}"#));
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn ticket(&self, key: &str, known: Option<&str>, call: &Call) -> Result<String, Error> {
        let (keys, scope) = (&self.settings(call)?.cursor_keys, call.owner());
        let Some((_, id)) = Form::of_key(key) else {
            return Err(Error::new(ErrorCode::InvalidHandle, "a ticket is for the key of a content", "/key"));
        };
        let known = known.and_then(|known| Ticket::read(known, &StoredName::Id(id), scope, keys));
        Ok(Ticket::with(key, known, call.tool_name().unwrap_or_default()).to_text(scope, keys))
    }

    fn named_by(&self, purpose: Purpose, call: &Call) -> Result<Option<StoredName>, Error> {
        let settings = self.settings(call)?;
        Ok(match purpose {
            Purpose::Snapshot => snapshot::named(settings, call).map(StoredName::Handle),
            Purpose::Read => self.named(call).ok().map(ReadTarget::name),
            Purpose::Summarize => read_back::named_by_handle(call).ok().flatten(),
        })
    }

    /// The content of a resource `toolshape://result/{id}`, from what the store holds: the stored result, shaped like
    /// the answer of [`read_result`](Self::read_result). The call's only argument is `handle`, the resource's address.
    ///
    /// # Errors
    /// `INVALID_HANDLE`, `NOT_FOUND`, `FORBIDDEN`, `STORE_FAILED`; `INVALID_CALL` as [`shape`](Self::shape).
    pub fn resource(&self, stored: Option<(&str, &str)>, call: &Call) -> Result<Resource, Error> {
        let settings = self.reading_settings(call)?;
        let shaped = self.read_stored(stored, &settings, call, usize::MAX)?;
        let is_text = matches!(stored.and_then(|(key, _)| Form::of_key(key)), Some((Form::Text, _)));
        let mime_type = if shaped.unchanged && is_text { "text/plain" } else { "application/json" };
        Ok(Resource { mime_type, text: shaped.text })
    }
}
