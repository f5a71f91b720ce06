//! The state of a relay between two lines, as JSON, with which another instance of the core continues the conversation.

use serde_json::{Value, json};

use super::Relay;

impl Relay {
    /// The state; `None` while something waits for the store, and within a long line.
    pub fn state(&self) -> Option<String> {
        if !self.waiting.is_empty() || self.long_lines.iter().any(Option::is_some) {
            return None;
        }
        let requests: Vec<Value> = self.open_requests().collect();
        let tasks: Vec<Value> = self.known_tasks().collect();
        let tools: Vec<&str> = self.tools.listed().collect();
        let state = json!({
            "client": self.client, "server": self.server, "tools": tools, "isTaken": self.tools.is_taken, "requests": requests, "tasks": tasks,
            "acceptedAt": self.accepted_at,
        });
        Some(state.to_string())
    }

    /// A relay of the same policy with this [`state`](Self::state). Parts that cannot be read are ignored.
    #[must_use]
    pub fn with_state(mut self, state: &str) -> Self {
        let state: Value = serde_json::from_str(state).unwrap_or_default();
        let list = |name: &str| state[name].as_array().into_iter().flatten();
        self.client = state["client"].as_str().map(str::to_owned);
        if let Some(server) = state["server"].as_str() {
            self.name_server(server);
        }
        self.know_tools(&state);
        if let Some(at) = state["acceptedAt"].as_u64() {
            self.accepted_at = Some(at);
        }
        list("requests").for_each(|request| self.expect(request));
        list("tasks").for_each(|task| self.know_task(task));
        self
    }
}
