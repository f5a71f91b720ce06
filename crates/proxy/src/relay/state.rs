//! The state of a relay between two lines, as JSON, with which another instance of the core continues the conversation.

use std::rc::Rc;

use serde_json::{Value, json};

use super::Relay;
use super::pending::{RequestKind, ToolCall};

impl Relay {
    /// The state; `None` while something waits for the store, and within a long line.
    pub fn state(&self) -> Option<String> {
        if !self.waiting.is_empty() || self.long_lines.iter().any(Option::is_some) {
            return None;
        }
        let requests: Vec<Value> = self.requests.iter().map(|request| spelled(&request.id, &request.kind)).collect();
        let tasks: Vec<Value> = self.tasks.iter().map(|(id, asked)| json!([id, asked.call, asked.is_modern])).collect();
        let tools: Vec<&str> = self.tools.listed().collect();
        let state = json!({
            "client": self.client, "server": self.server, "tools": tools, "isTaken": self.tools.is_taken, "requests": requests, "tasks": tasks,
        });
        Some(state.to_string())
    }

    /// A relay of the same policy with this [`state`](Self::state). Parts that cannot be read are ignored.
    #[must_use]
    pub fn with_state(mut self, state: &str) -> Self {
        let state: Value = serde_json::from_str(state).unwrap_or_default();
        let list = |name: &str| state[name].as_array().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.client = state["client"].as_str().map(str::to_owned);
        if let Some(server) = state["server"].as_str() {
            self.name_server(server);
        }
        self.tools.is_taken = state["isTaken"] == true;
        for tool in list("tools") {
            self.tools.remember(&text(tool), self.has_store, &self.shaper);
        }
        for request in list("requests") {
            let (is_modern, is_task) = (request[3] == true, request[4] == true);
            let asked = Rc::new(ToolCall { call: text(&request[2]), is_modern, is_task });
            self.requests.add(&text(&request[0]), kind(request[1].as_str().unwrap_or_default(), asked));
        }
        for task in list("tasks") {
            let asked = ToolCall { call: text(&task[1]), is_modern: task[2] == true, is_task: false };
            self.tasks.remember(text(&task[0]), Rc::new(asked));
        }
        self
    }
}

fn spelled(id: &str, kind: &RequestKind) -> Value {
    let (name, asked) = match kind {
        RequestKind::Server => ("server", None),
        RequestKind::Tools { is_first: true } => ("firstTools", None),
        RequestKind::Tools { is_first: false } => ("tools", None),
        RequestKind::Templates { is_first: true } => ("firstTemplates", None),
        RequestKind::Templates { is_first: false } => ("templates", None),
        RequestKind::Call(asked) => ("call", Some(asked)),
        RequestKind::Task(asked) => ("task", Some(asked)),
        RequestKind::Subscription => ("subscription", None),
        RequestKind::Other => ("other", None),
    };
    match asked {
        Some(asked) => json!([id, name, asked.call, asked.is_modern, asked.is_task]),
        None => json!([id, name]),
    }
}

fn kind(name: &str, asked: Rc<ToolCall>) -> RequestKind {
    match name {
        "server" => RequestKind::Server,
        "firstTools" => RequestKind::Tools { is_first: true },
        "tools" => RequestKind::Tools { is_first: false },
        "firstTemplates" => RequestKind::Templates { is_first: true },
        "templates" => RequestKind::Templates { is_first: false },
        "call" => RequestKind::Call(asked),
        "task" => RequestKind::Task(asked),
        "subscription" => RequestKind::Subscription,
        _ => RequestKind::Other,
    }
}
