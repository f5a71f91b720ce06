//! What the exchanges of one session have in common: over HTTP each has a relay of its own, and any process may answer it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Relay;
use super::pending::{PendingRequest, RequestKind, ToolCall};
use super::tools::Tools;
use super::turns::Turns;

/// The tools of a relay at some time.
pub struct KnownTools(Arc<Tools>);

impl Relay {
    /// A relay for another exchange: of the same policy and names, with the same tools, and without open requests and tasks.
    #[must_use]
    pub fn branch(&self) -> Self {
        Self {
            client: self.client.clone(),
            server: self.server.clone(),
            tools: Arc::clone(&self.tools),
            // Those of nobody's conversation are not shared.
            turns: if self.session.is_empty() { Turns::default() } else { self.turns.clone() },
            redaction: self.redaction.clone(),
            scope: Arc::clone(&self.scope),
            session: Arc::clone(&self.session),
            authorize_seconds: self.authorize_seconds,
            observes: self.observes,
            reader: self.reader,
            ..Self::new(self.shaper.clone(), self.has_store)
        }
    }

    /// The tools as they are now, for [`has_tools`](Self::has_tools).
    pub fn tools(&self) -> KnownTools {
        KnownTools(Arc::clone(&self.tools))
    }

    /// The names of the client and of the server, where they are known.
    pub fn names(&self) -> (Option<&str>, Option<&str>) {
        (self.client.as_deref(), self.server.as_deref())
    }

    /// Sets the names.
    #[must_use]
    pub fn with_names(mut self, client: Option<String>, server: Option<&str>) -> Self {
        self.client = client;
        if self.server.as_deref() != server
            && let Some(server) = server
        {
            self.name_server(server);
        }
        self
    }

    /// Whether the list of tools was neither read nor dropped since then.
    pub fn has_tools(&self, known: &KnownTools) -> bool {
        Arc::ptr_eq(&self.tools, &known.0)
    }

    /// The name of the tool that reads stored results.
    pub fn read_tool(&self) -> &str {
        self.shaper.read_tool()
    }

    /// Whether the server has listed a tool.
    pub fn lists(&self, tool: &str) -> bool {
        self.tools.lists(tool)
    }

    /// The listed tools, as JSON for [`know_tools`](Self::know_tools).
    pub fn known_tools(&self) -> Value {
        json!({ "tools": self.tools.listed().collect::<Vec<_>>(), "isTaken": self.tools.is_taken })
    }

    /// Adds tools that another exchange has listed. Parts that cannot be read are ignored.
    pub fn know_tools(&mut self, known: &Value) {
        let tools = Arc::make_mut(&mut self.tools);
        tools.is_taken = known["isTaken"] == true;
        for tool in known["tools"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            tools.remember(tool, self.has_store, &self.shaper);
        }
    }

    /// Whether an answer to what waits, of that many bytes, fits whatever it says: a token has at least one byte.
    pub fn fits(&self, bytes: usize) -> bool {
        let most = |request: &PendingRequest| match &request.kind {
            RequestKind::Call(asked) if !asked.is_task => {
                let budget = asked.passing.as_ref()?.budget();
                Some(self.share(&request.id).map_or(budget, |share| share.min(budget)))
            }
            RequestKind::Other => Some(usize::MAX),
            _ => None,
        };
        let is_known = self.requests.iter().next().is_some();
        is_known
            && !self.redacts()
            && self.requests.iter().all(|request| most(request).is_some_and(|most| bytes <= most))
    }

    /// The requests that wait for an answer, as JSON for [`expect`](Self::expect).
    pub fn open_requests(&self) -> impl Iterator<Item = Value> {
        self.requests.iter().map(|request| spelled(&request.id, &request.kind))
    }

    /// Waits for the answer to a request of another exchange.
    pub fn expect(&mut self, request: &Value) {
        let (is_modern, is_task) = (request[3] == true, request[4] == true);
        let asked = ToolCall { call: text(&request[2]), is_modern, is_task, passing: None };
        self.requests.add(&text(&request[0]), kind(request[1].as_str().unwrap_or_default(), asked), 0);
    }

    /// The tasks of the server with the calls that began them, as JSON for [`know_task`](Self::know_task).
    pub fn known_tasks(&self) -> impl Iterator<Item = Value> {
        self.tasks.iter().map(|(id, asked)| json!([id, asked.call, asked.is_modern]))
    }

    /// Adds a task that another exchange has begun.
    pub fn know_task(&mut self, task: &Value) {
        let asked = ToolCall { call: text(&task[1]), is_modern: task[2] == true, is_task: false, passing: None };
        self.tasks.remember(text(&task[0]), Arc::new(asked));
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn spelled(id: &str, kind: &RequestKind) -> Value {
    let (name, asked) = match kind {
        RequestKind::Consent(line) => return json!([id, "consent", line]),
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

fn kind(name: &str, asked: ToolCall) -> RequestKind {
    match name {
        "server" => RequestKind::Server,
        "firstTools" => RequestKind::Tools { is_first: true },
        "tools" => RequestKind::Tools { is_first: false },
        "firstTemplates" => RequestKind::Templates { is_first: true },
        "templates" => RequestKind::Templates { is_first: false },
        "call" => RequestKind::Call(Arc::new(asked)),
        "task" => RequestKind::Task(Arc::new(asked)),
        "consent" => RequestKind::Consent(asked.call),
        "subscription" => RequestKind::Subscription,
        _ => RequestKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use toolshape::host::Naming;
    use toolshape::{Policy, Shaper};

    use super::super::Effect;
    use super::*;

    /// What passes without being read is what passes when it is read: another exchange reads each answer.
    #[test]
    fn an_answer_is_the_same_in_the_exchange_of_its_call_and_in_another() {
        let rows = Value::from((0..60).collect::<Vec<u32>>()).to_string();
        let (words, lines, long) = ("word ".repeat(450), "a line\n".repeat(300), "word ".repeat(4000));
        let texts = [
            "", "few words", "[1, 2]", "{\"a\": 1}", "\u{feff}[]", "429 Too Many Requests", &rows, &words, &lines,
            &long,
        ];
        let tool = |more: Value| {
            let mut tool = json!({ "name": "plain", "inputSchema": { "type": "object" } });
            tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            tool.to_string()
        };
        let typed = json!({ "name": "typed", "outputSchema": { "type": "object" } });
        let listed = json!({ "tools": [tool(json!({})), tool(typed)] });
        let policies =
            [json!({}), json!({ "maxTokens": 300 }), json!({ "format": "columns" }), json!({ "receipt": "meta" })];
        for (policy, has_store) in policies.iter().flat_map(|policy| [(policy, false), (policy, true)]) {
            let mut origin = Relay::new(Shaper::new(Policy::new(policy, Naming::Camel).unwrap()), has_store);
            origin.know_tools(&listed);
            for tool in ["plain", "typed", "unlisted"] {
                for client in ["claude-code", "codex", "other"] {
                    for meta in [json!({ "progressToken": 1 }), json!({ "toolshape/noTransform": true })] {
                        for text in texts {
                            let new = || origin.branch().with_names(Some(client.to_owned()), None);
                            let (mut own, mut other) = (new(), new());
                            let params = json!({ "name": tool, "arguments": { "a": 1 }, "_meta": meta });
                            let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
                            assert_eq!(own.from_client(call.to_string().as_bytes(), 1), [Effect::Pass]);
                            own.open_requests().for_each(|request| other.expect(&request));
                            let result = json!({ "content": [{ "type": "text", "text": text }] });
                            let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string();
                            let effects = own.from_server(answer.as_bytes(), 1);
                            assert_eq!(effects, other.from_server(answer.as_bytes(), 1), "{policy} {text:?} {tool}");
                        }
                    }
                }
            }
        }
    }
}
