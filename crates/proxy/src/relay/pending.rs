//! The open requests of the client, by id, and the calls that run as tasks.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolshape::host::{Passing, one_spelling};

use super::ids::id_key;

/// A request of the client that the server has not answered.
pub(super) struct PendingRequest {
    /// Its id, with the client's spelling.
    pub id: String,
    pub kind: RequestKind,
    /// When it came, in seconds since 1970; 0 if that is not known.
    pub at: u64,
}

/// The kind of a request.
pub(super) enum RequestKind {
    /// What answers with the server's name: `initialize`, or `server/discover` of 2026-07-28.
    Server,
    /// A page of the list of tools.
    Tools { is_first: bool },
    /// A page of the list of resource templates.
    Templates { is_first: bool },
    /// A call of a tool, or what a task is to return for one.
    Call(Arc<ToolCall>),
    /// The state of a task, with its result once there is one.
    Task(Arc<ToolCall>),
    /// A stream of notifications, which is answered when it ends (2026-07-28).
    Subscription,
    /// The question whether the server accepts the client, with the answer that is sent if it does.
    Consent(String),
    /// Anything else, which passes.
    Other,
}

/// A call of a tool.
pub(super) struct ToolCall {
    /// The members of a [`Call`](toolshape::Call), as JSON text without the brackets of the object.
    pub call: String,
    /// Whether it is of the era since 2026-07-28.
    pub is_modern: bool,
    /// Whether its answer is a task or an error.
    pub is_task: bool,
    /// Which texts pass as its result; `None` if more than the text decides, or if another exchange has the call.
    pub passing: Option<Passing>,
}

/// The open requests, by the key of their ids. Those of one key differ in the JSON type of their ids: `1` and `"1"`.
#[derive(Default)]
pub(super) struct Requests(BTreeMap<String, Vec<PendingRequest>>);

impl Requests {
    pub fn add(&mut self, id: &str, kind: RequestKind, at: u64) {
        let open = self.0.entry(id_key(id).into_owned()).or_default();
        open.retain(|request| one_spelling(&request.id) != one_spelling(id));
        open.push(PendingRequest { id: id.to_owned(), kind, at });
    }

    /// Takes the request with an id of this type, or else the one for which a client takes it.
    pub fn take(&mut self, id: &str) -> Option<PendingRequest> {
        let key = id_key(id);
        let open = self.0.get_mut(key.as_ref())?;
        let place = open.iter().position(|request| one_spelling(&request.id) == one_spelling(id)).unwrap_or_default();
        let taken = open.remove(place);
        if open.is_empty() {
            self.0.remove(key.as_ref());
        }
        Some(taken)
    }

    /// Whether a request with this id is open.
    pub fn has(&self, id: &str) -> bool {
        self.0
            .get(id_key(id).as_ref())
            .is_some_and(|open| open.iter().any(|one| one_spelling(&one.id) == one_spelling(id)))
    }

    pub fn iter(&self) -> impl Iterator<Item = &PendingRequest> {
        self.0.values().flatten()
    }

    /// Whether all that wait are subscriptions.
    pub fn are_open_ended(&self) -> bool {
        self.iter().all(|request| matches!(request.kind, RequestKind::Subscription))
    }

    /// Takes all open requests.
    pub fn take_all(&mut self) -> impl Iterator<Item = PendingRequest> {
        std::mem::take(&mut self.0).into_values().flatten()
    }
}
