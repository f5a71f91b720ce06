//! One HTTP exchange: a relay for its messages, with what the session knows.

use std::collections::{HashSet, VecDeque};
use std::mem;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::body::Bytes;
use serde_json::json;
use tokio::task::block_in_place;
use toolshape_proxy::{Effect, MessageHead, Relay, heads};

use crate::gateway::Gateway;
use crate::keeper::{TenantKeeper, digest};
use crate::report::Report;
use crate::sessions::{Session, now};
use crate::upstream::Upstream;

/// The bytes of a message for which other requests of the same thread do not wait.
const LARGE: usize = 1 << 16;

/// The name of the tool that reads stored results, before the server's.
pub const READ_TOOL: &str = "read_result";
/// The members of a call of which nothing is known.
pub const UNKNOWN: &str = r#""tool":"unknown","arguments":{}"#;

/// What happens with a message.
#[derive(Debug, PartialEq, Eq)]
pub enum Sent {
    /// It is sent as it is.
    Same,
    ToClient(String),
    ToServer(String),
}

/// An exchange.
pub struct Exchange {
    pub gateway: Arc<Gateway>,
    pub upstream: Arc<Upstream>,
    pub report: Report,
    keeper: TenantKeeper,
    pub relay: Relay,
    session: Session,
    /// The session's id.
    id: Option<String>,
    /// The tasks that are stored.
    tasks: HashSet<String>,
    /// Whether the server gives events ids, after which its client resumes the stream.
    is_resumable: bool,
    /// Whether its client expects an event with an id at the beginning of a stream.
    pub expects_id: bool,
    /// Who asks, for [`consent`](crate::consent); nobody of a server that is a command.
    caller: Option<String>,
    /// The bytes of the message that is shaped.
    size: usize,
}

impl Exchange {
    /// Begins an exchange. `wants`: the tools that are called, which is all that it needs of the session, if these are not
    /// empty; `None` needs nothing.
    pub async fn begin(
        gateway: Arc<Gateway>,
        upstream: Arc<Upstream>,
        keeper: TenantKeeper,
        id: Option<String>,
        caller: Option<String>,
        wants: Option<&[&str]>,
        mut report: Report,
    ) -> Box<Self> {
        let sessions = &gateway.sessions;
        let session = match wants {
            Some(tools) => sessions.load(&keeper, &upstream, id.as_deref(), tools).await,
            None => sessions.unread(&keeper, &upstream, id.as_deref()),
        };
        let mut relay = session.relay();
        report.knows(&relay);
        if let Some(id) = id.as_deref().or(keeper.has_owner().then_some("")) {
            relay = relay.in_session(&format!("{} {id}", keeper.owner()), &gateway.turns);
        }
        if let Some(caller) = &caller {
            relay = relay.before_remote(gateway.consents.accepted_at(caller));
        }
        // It is passed on several times.
        Box::new(Self {
            gateway,
            upstream,
            report,
            keeper,
            relay,
            session,
            id,
            tasks: HashSet::new(),
            is_resumable: false,
            expects_id: false,
            caller,
            size: 0,
        })
    }

    /// What to do with a message of the client.
    pub async fn of_client(&mut self, message: &[u8], heads: &[MessageHead]) -> Vec<Sent> {
        self.size = message.len();
        self.know_tasks(heads).await;
        self.know_server(heads);
        let effects = self.at_once(|relay| relay.from_client(message, now()));
        self.follow(effects).await
    }

    /// What to do with a message of the server. `is_resumed`: whether it may answer a request of another exchange.
    pub async fn of_server(&mut self, message: &[u8], is_resumed: bool) -> Vec<Sent> {
        self.size = message.len();
        if self.report.is_call() && self.report.failure.is_none() && may_fail(message) {
            self.report.failure = self.at_once(|_| heads(message)).into_iter().find_map(|head| head.failure);
        }
        let has_task = memchr::memmem::find(message, b"notifications/tasks").is_some();
        if has_task || is_resumed {
            let heads = self.at_once(|_| heads(message));
            self.know_tasks(&heads).await;
            if is_resumed {
                self.expect(&heads).await;
            }
        }
        let effects = self.at_once(|relay| relay.from_server(message, now()));
        let sent = self.follow(effects).await;
        self.save().await;
        sent
    }

    /// What to do with the next part of a message of the server that is too long.
    pub async fn long(&mut self, part: &[u8], is_end: bool) -> Vec<Sent> {
        let effects = self.at_once(|relay| relay.long_line(false, part, is_end));
        self.follow(effects).await
    }

    /// The errors for the requests that the server has not answered.
    pub fn unanswered(&mut self, reason: &str) -> Vec<String> {
        let effects = self.relay.server_ended(&format!("toolshape: {reason}"));
        let error = |effect| if let Effect::ToClient(line) = effect { Some(line) } else { None };
        effects.into_iter().filter_map(error).collect()
    }

    /// A body that has no messages, without secrets. Bytes that are not text stay.
    pub fn redacted(&mut self, body: Bytes) -> Bytes {
        self.size = body.len();
        let redacted = self.at_once(|relay| relay.redacted_text(&String::from_utf8_lossy(&body)));
        redacted.map_or(body, Bytes::from)
    }

    /// Whether the server's answer is an error of HTTP.
    pub fn has_failed(&self) -> bool {
        !(200..300).contains(&self.report.status)
    }

    /// The head of the server's answer is here.
    pub fn answered(&mut self, status: StatusCode) {
        self.report.status = status.as_u16();
        if let Some(caller) = &self.caller {
            self.gateway.consents.answered(caller, status.as_u16());
        }
    }

    /// Whether its requests are open as long as the client wants: subscriptions of 2026-07-28.
    pub fn is_open_ended(&self) -> bool {
        self.relay.is_idle()
    }

    /// The server has given the session an id.
    pub fn begin_session(&mut self, id: &str) {
        if self.id.is_none() {
            self.gateway.sessions.begin(&mut self.session, &self.upstream, id);
            self.id = Some(id.to_owned());
        }
    }

    /// The ids of the requests that have no answer yet, as they are spelled.
    pub fn open_ids(&self) -> Vec<String> {
        self.relay.open_requests().filter_map(|request| request[0].as_str().map(str::to_owned)).collect()
    }

    /// Whether the rest of its answers comes in another exchange, or at no certain time.
    pub fn is_left_open(&self) -> bool {
        self.is_resumable || self.is_open_ended()
    }

    /// Stores the requests that wait, because the stream of their answers may be resumed by another exchange.
    pub async fn save_requests(&mut self) {
        if mem::replace(&mut self.is_resumable, true) || self.id.is_none() {
            return;
        }
        let open: Vec<_> = self.relay.open_requests().filter(|request| request[1] != "other").collect();
        for request in open {
            let head = heads(format!("{{\"id\":{}}}", request[0].as_str().unwrap_or("null")).as_bytes());
            if let Some(key) = head.first().and_then(|head| self.request_key(head)) {
                self.keeper.write(&key, request.to_string()).await;
            }
        }
    }

    async fn follow(&mut self, effects: Vec<Effect>) -> Vec<Sent> {
        let (mut effects, mut sent) = (VecDeque::from(effects), Vec::new());
        while let Some(effect) = effects.pop_front() {
            match effect {
                Effect::Pass => sent.push(Sent::Same),
                Effect::ToClient(line) => sent.push(Sent::ToClient(line)),
                Effect::ToServer(line) => sent.push(Sent::ToServer(line)),
                Effect::Log(note) => self.report.note(note),
                Effect::Shaped(receipt) => self.report.shaped(&receipt),
                Effect::Counted(counted) => self.report.counted(*counted),
                Effect::Store(number, wanted) => {
                    let reply = self.keeper.ask(wanted).await;
                    let next = self.at_once(|relay| relay.resume(number, reply));
                    next.into_iter().rev().for_each(|effect| effects.push_front(effect));
                }
            }
        }
        sent
    }

    /// Runs the relay. A large message takes a thread of its own.
    fn at_once<T>(&mut self, work: impl FnOnce(&mut Relay) -> T) -> T {
        if self.size > LARGE { block_in_place(|| work(&mut self.relay)) } else { work(&mut self.relay) }
    }

    async fn save(&mut self) {
        self.gateway.sessions.save(&self.keeper, &self.upstream, &mut self.session, &self.relay).await;
        let new: Vec<_> = self.relay.known_tasks().filter(|task| !self.tasks.contains(id_of(task))).collect();
        for task in new {
            self.tasks.insert(id_of(&task).to_owned());
            self.keeper.write(&self.task_key(id_of(&task)), task.to_string()).await;
        }
    }

    /// The tool that reads results has the server's name in its own, which a store that was emptied does not know any more.
    fn know_server(&mut self, heads: &[MessageHead]) {
        let tools = heads.iter().filter_map(|head| head.tool.as_deref());
        let named = tools.filter_map(|tool| tool.strip_prefix(READ_TOOL)?.strip_prefix('_')).next();
        if let (Some(server), (client, None)) = (named, self.relay.names()) {
            let (client, branch) = (client.map(str::to_owned), self.relay.branch());
            self.relay = mem::replace(&mut self.relay, branch).with_names(client, Some(server));
        }
    }

    async fn know_tasks(&mut self, heads: &[MessageHead]) {
        for head in heads {
            let is_of_task = head.method.as_ref().is_some_and(|method| method.contains("tasks"));
            let Some(id) = head.task.as_ref().filter(|id| is_of_task && !self.tasks.contains(*id)) else { continue };
            let known = self.keeper.read(&self.task_key(id)).await.ok().flatten();
            if let Some(task) = known.and_then(|task| serde_json::from_str(&task).ok()) {
                self.tasks.insert(id.clone());
                self.relay.know_task(&task);
            }
        }
    }

    /// Prepares for answers to requests of other exchanges. What looks like a tool's result is shaped, whoever asked for it.
    async fn expect(&mut self, heads: &[MessageHead]) {
        for head in heads.iter().filter(|head| head.method.is_none()) {
            let Some(id) = &head.id else { continue };
            let known = match self.request_key(head) {
                Some(key) => self.keeper.read(&key).await.ok().flatten(),
                None => None,
            };
            let known = known.and_then(|request| serde_json::from_str(&request).ok());
            let unknown = match head.is_tool_result {
                true => json!([id, "call", UNKNOWN, false, false]),
                false => json!([id, "other"]),
            };
            self.relay.expect(&known.unwrap_or(unknown));
        }
    }

    fn request_key(&self, head: &MessageHead) -> Option<String> {
        Some(digest(&["request", &self.upstream.name, self.id.as_ref()?, head.id_key.as_ref()?]))
    }

    fn task_key(&self, id: &str) -> String {
        digest(&["task", &self.upstream.name, id])
    }
}

/// Whether an answer may be an error, or the result of a tool that has failed, without reading it.
fn may_fail(message: &[u8]) -> bool {
    let mut after = message;
    while let Some(found) = memchr::memmem::find(after, b"rror\"") {
        let (before, rest) = after.split_at(found);
        after = &rest[b"rror\"".len()..];
        let value = after.trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        let is_wanted = |value: &[u8]| match before.ends_with(b"\"isE") {
            true => value.starts_with(b"true"),
            false => before.ends_with(b"\"e"),
        };
        if value.is_some_and(is_wanted) {
            return true;
        }
    }
    false
}

fn id_of(task: &serde_json::Value) -> &str {
    task[0].as_str().unwrap_or_default()
}
