//! The open requests of the client, by id, and the calls that run as tasks.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use toolshape::host::one_spelling;

/// The most tasks that are remembered. The oldest are dropped, so that tasks whose results are never fetched do not take
/// memory for ever.
const TASKS: usize = 1000;

/// A request of the client that the server has not answered.
pub(super) struct PendingRequest {
    /// Its id, with the client's spelling.
    pub id: String,
    pub kind: RequestKind,
}

/// The kind of a request.
pub(super) enum RequestKind {
    /// A page of the list of tools.
    Tools { is_first: bool },
    /// A page of the list of resource templates.
    Templates { is_first: bool },
    /// A call of a tool, or what a task is to return for one.
    Call(Rc<ToolCall>),
    /// The state of a task, with its result once there is one.
    Task(Rc<ToolCall>),
    /// A stream of notifications, which is answered when it ends (2026-07-28).
    Subscription,
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
}

/// The open requests, by id with its JSON type: `1` and `"1"` differ.
#[derive(Default)]
pub(super) struct Requests(BTreeMap<String, PendingRequest>);

impl Requests {
    pub fn add(&mut self, id: &str, kind: RequestKind) {
        self.0.insert(one_spelling(id).into_owned(), PendingRequest { id: id.to_owned(), kind });
    }

    pub fn take(&mut self, id: &str) -> Option<PendingRequest> {
        self.0.remove(one_spelling(id).as_ref())
    }

    pub fn iter(&self) -> impl Iterator<Item = &PendingRequest> {
        self.0.values()
    }

    /// Whether all that wait are subscriptions.
    pub fn are_open_ended(&self) -> bool {
        self.0.values().all(|request| matches!(request.kind, RequestKind::Subscription))
    }

    /// Takes all open requests.
    pub fn take_all(&mut self) -> impl Iterator<Item = PendingRequest> {
        std::mem::take(&mut self.0).into_values()
    }
}

/// The calls that the server runs as tasks, by the task's id.
#[derive(Default)]
pub(super) struct Tasks {
    asked: BTreeMap<String, Rc<ToolCall>>,
    order: VecDeque<String>,
}

impl Tasks {
    pub fn remember(&mut self, id: String, asked: Rc<ToolCall>) {
        if self.asked.insert(id.clone(), asked).is_none() {
            self.order.push_back(id);
        }
        if self.order.len() > TASKS
            && let Some(oldest) = self.order.pop_front()
        {
            self.asked.remove(&oldest);
        }
    }

    /// From the oldest on.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Rc<ToolCall>)> {
        self.order.iter().filter_map(|id| Some((id, self.asked.get(id)?)))
    }

    pub fn of(&self, id: &str) -> Option<&Rc<ToolCall>> {
        self.asked.get(id)
    }
}
