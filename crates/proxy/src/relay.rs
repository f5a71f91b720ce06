//! toolshape in front of any server, without I/O: lines of a conversation in, effects out.
//!
//! Changed or answered are only the result of `tools/list`, a call of a tool with call controls, the result of a call or of a
//! task, and reads of stored results. All other lines are forwarded byte for byte. Lines are JSON-RPC 2.0, of either era of MCP
//! (2025-11-25, 2026-07-28), which the requests show. In a batch (2025-03-26) this holds for each message.
//!
//! A pump, of which each language has one, reads the lines of both sides and carries out the [`Effect`]s in order.

mod batch;
mod consent;
mod edits;
mod events;
mod exchange;
mod headers;
mod heads;
mod http;
pub(crate) mod ids;
pub(crate) mod log;
mod long_line;
pub(crate) mod message;
mod options;
mod options_schema;
mod pending;
mod result_arguments;
mod session;
mod spliced;
mod state;
mod store;
mod store_read;
mod store_write;
pub(crate) mod time;
mod tools;
mod turns;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use toolshape::host::{
    JsonText, Kind, Measure, Passing, Quoted, READ_IN_META, Redaction, SCHEME, ShapedResult, Source, Tasks,
    one_spelling, quoted, result_template,
};
use toolshape::{Call, Receipt, Shaper};

use crate::account::{self, Counted, CountedKind};
use batch::ServerBatch;
use edits::Edits;
use message::{Message, RelayLine, member, only_text};
use pending::{PendingRequest, RequestKind, Requests, ToolCall};
use result_arguments::Expansion;
use store::{StoreTurn, StoreWait};
use store_read::{ReadBy, written};
use time::call_at;
use tools::{PlannedTool, Tools};
use turns::Place;

pub use heads::{MessageHead, heads, member_of};
pub use http::{Http, HttpEffect, HttpHead, HttpRequest};
pub use ids::id_key;
pub use long_line::LongLine;
pub use message::decoded;
pub use options::{LINE_BYTES, OF_RELAY, RelayOptions, ServiceOption, StoreOption};
pub use session::KnownTools;
pub use store::{AskedSource, StoreReply, StoreRequest};
pub use tools::answer_without_tools;
pub use turns::Turns;

/// JSON-RPC's codes for parameters that are wrong, and for a fault of the server.
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;

/// What a pump does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Forward the received line byte for byte.
    Pass,
    /// Write a line to standard error. It has no end yet, and nothing that a terminal follows.
    Log(String),
    /// Send a line to the client, or to the server. It has no end yet.
    ToClient(String),
    ToServer(String),
    /// Ask the store, and pass its answer to [`Relay::resume`] with this number.
    Store(u64, StoreRequest),
    /// The receipt of a shaped result.
    Shaped(Box<Receipt>),
    /// What the model was sent, for an account.
    Counted(Box<Counted>),
}

/// Where the tool is that reads stored results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReaderPlace {
    /// In the list of the server's tools.
    #[default]
    Here,
    /// In a server of its own: it is not added.
    Apart,
    /// This is that server.
    Alone,
}

/// One conversation between a client and a server.
#[derive(Default)]
pub struct Relay {
    shaper: Shaper,
    has_store: bool,
    /// The client's name, from its first request.
    client: Option<String>,
    /// The name of the server, from its answer to `initialize` or `server/discover`.
    server: Option<String>,
    tools: Arc<Tools>,
    requests: Requests,
    tasks: Tasks<Arc<ToolCall>>,
    /// The turns of the model, and the places of open calls in them, by the ids of their requests.
    turns: Turns,
    places: BTreeMap<String, Place>,
    /// What waits for the store, by the number of the first request of its turn.
    waiting: BTreeMap<u64, StoreTurn>,
    /// The batches of the server with results among these.
    batches: BTreeMap<u64, ServerBatch>,
    numbers: u64,
    /// The lines that are read part by part: of the client, and of the server.
    long_lines: [Option<LongLine>; 2],
    /// What is secret, if something is.
    redaction: Option<Arc<Redaction>>,
    /// The owner of the stored results, as a member of a call.
    scope: Arc<str>,
    /// The conversation in which stored results are listed, as a member of a call.
    session: Arc<str>,
    /// How long the server's acceptance of the client counts for reading stored results.
    authorize_seconds: u64,
    /// When the server last accepted the client, in seconds since 1970; none of a server that is a process.
    accepted_at: Option<u64>,
    /// How often the list of tools was read from its start.
    listings: u32,
    /// Whether nothing is changed.
    observes: bool,
    reader: ReaderPlace,
}

impl Relay {
    /// A relay that shapes by the policy of `shaper`, in front of a store or without one.
    pub fn new(shaper: Shaper, has_store: bool) -> Self {
        Self { shaper, has_store, ..Self::default() }
    }

    /// A relay with these options, in front of a store or without one.
    pub fn of(options: &RelayOptions, has_store: bool) -> Self {
        let mut relay = Self::new(Shaper::new(options.policy.clone()), has_store);
        let tools = Arc::make_mut(&mut relay.tools);
        (tools.take_results, tools.named) = (options.result_arguments.clone(), options.named_tools.clone());
        relay.redaction = (!options.redaction.is_empty()).then(|| Arc::new(options.redaction.clone()));
        let scope = options.scope.as_ref().map(|scope| format!(",\"scope\":{}", quoted(scope)));
        relay.scope = scope.unwrap_or_default().into();
        relay.authorize_seconds = options.authorize_seconds;
        relay.observes = options.observe;
        relay.reader = if options.add_reader { ReaderPlace::Here } else { ReaderPlace::Apart };
        relay
    }

    /// The same relay where stored results are read by a command of a shell, which the notes of results name.
    pub fn read_by(mut self, command: &str) -> Self {
        self.shaper = self.shaper.read_by(command);
        self
    }

    /// The same relay in a conversation that nobody else has: what it stores is listed there, and turns are shared with the other
    /// relays of the conversation.
    #[must_use]
    pub fn in_session(mut self, session: &str, turns: &Turns) -> Self {
        self.turns = turns.clone();
        self.session = format!(",\"session\":{}", quoted(session)).into();
        self
    }

    /// The same relay with another place of the tool that reads stored results.
    #[must_use]
    pub fn with_reader(mut self, reader: ReaderPlace) -> Self {
        self.reader = reader;
        self
    }

    /// What to do with a line of the client, without its end; `now` is the time in seconds since 1970.
    pub fn from_client(&mut self, line: &[u8], now: u64) -> Vec<Effect> {
        let effects = self.client_line(line, now);
        self.leave_turns();
        if self.observes { self.observed(effects) } else { effects }
    }

    /// What to do with a line of the server. Text that is not UTF-8 is shaped as hosts read it, with U+FFFD.
    pub fn from_server(&mut self, line: &[u8], now: u64) -> Vec<Effect> {
        let effects = self.server_line(line, now);
        self.leave_turns();
        if self.observes { self.observed(effects) } else { effects }
    }

    /// The same line, and what would have been done with it: with a store that takes everything, and is not there.
    fn observed(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let (mut waiting, mut seen) = (VecDeque::from(effects), vec![Effect::Pass]);
        while let Some(effect) = waiting.pop_front() {
            match effect {
                Effect::Store(number, StoreRequest::Write { .. }) => {
                    waiting.extend(self.resume(number, StoreReply::Done))
                }
                Effect::Store(number, _) => waiting.extend(self.resume(number, StoreReply::Value(None))),
                Effect::Counted(mut counted) => {
                    counted.is_observed = true;
                    seen.push(Effect::Counted(counted));
                }
                Effect::Log(_) | Effect::Shaped(_) => seen.push(effect),
                Effect::Pass | Effect::ToClient(_) | Effect::ToServer(_) => {}
            }
        }
        seen
    }

    fn client_line(&mut self, line: &[u8], now: u64) -> Vec<Effect> {
        let line = decoded(line);
        match RelayLine::read(&line) {
            RelayLine::Message(message) => self.of_client(&message, now),
            RelayLine::Batch { list, messages } => self.batch_of_client(&line, &list, &messages, now),
            RelayLine::Other | RelayLine::TooDeep | RelayLine::Noise => vec![Effect::Pass],
        }
    }

    fn of_client(&mut self, message: &Message<'_>, now: u64) -> Vec<Effect> {
        match (message.method(), message.id()) {
            (Some(method), Some(id)) => self.request(&method, id, message, now),
            (Some(method), None) if method == "notifications/cancelled" => self.cancelled(message),
            _ => vec![Effect::Pass],
        }
    }

    fn server_line(&mut self, line: &[u8], now: u64) -> Vec<Effect> {
        let line = decoded(line);
        match RelayLine::read(&line) {
            RelayLine::Message(message) => self.of_server(&message, now),
            RelayLine::Batch { list, messages } => {
                let effects = self.batch_of_server(&line, &list, &messages, now);
                // What is not a message in it may be the columns and the rows of a table.
                let whole = |effect| match effect {
                    Effect::Pass => self.redacted_text(&line).map_or(Effect::Pass, Effect::ToClient),
                    Effect::ToClient(line) => Effect::ToClient(self.redacted_text(&line).unwrap_or(line)),
                    other => other,
                };
                effects.into_iter().map(whole).collect()
            }
            RelayLine::Other => vec![self.redacted_text(&line).map_or(Effect::Pass, Effect::ToClient)],
            RelayLine::TooDeep => match LongLine::of(&line) {
                deep if deep.is_answer() => self.refuse_line(false, &deep, "is nested too deeply"),
                _ => vec![self.redacted_text(&line).map_or(Effect::Pass, Effect::ToClient)],
            },
            RelayLine::Noise => vec![Effect::Log(log::noise(&line, self.redacts()))],
        }
    }

    /// Whether something is secret.
    pub fn redacts(&self) -> bool {
        self.redaction.is_some()
    }

    /// A text of the server that is not a message, without secrets; `None` if it has none.
    pub fn redacted_text(&self, text: &str) -> Option<String> {
        self.redaction.as_ref()?.of_text(text)
    }

    /// A name as logs and sums may have it.
    pub fn without_secrets(&self, name: String) -> String {
        self.redacted_text(&name).unwrap_or(name)
    }

    fn of_server(&mut self, message: &Message<'_>, now: u64) -> Vec<Effect> {
        match (message.method(), message.id()) {
            (Some(method), None) => {
                self.redacted(message, Redaction::of_json, |relay, message| relay.notified(&method, message, now))
            }
            // A request of the server has an id of the server's. The names of what it asks the user for stay.
            (Some(method), Some(_)) => {
                let redact = if method == "elicitation/create" { Redaction::of_schemas } else { Redaction::of_json };
                self.redacted(message, redact, |_, _| vec![Effect::Pass])
            }
            (None, Some(id)) => self.answered(id, message, now),
            // The answer to what could not be read.
            (None, None) => self.unknown(message),
        }
    }

    /// An object that is not a message of JSON-RPC passes: all of it is data.
    fn unknown(&self, message: &Message<'_>) -> Vec<Effect> {
        let redacted = self.redaction.as_ref().and_then(|redaction| redaction.of_json(message.line));
        vec![redacted.map_or(Effect::Pass, Effect::ToClient)]
    }

    /// What to do with a message of the server without its secrets.
    fn redacted(
        &mut self,
        message: &Message<'_>,
        redact: fn(&Redaction, &str) -> Option<String>,
        handle: impl FnOnce(&mut Self, &Message<'_>) -> Vec<Effect>,
    ) -> Vec<Effect> {
        let Some(redaction) = self.redaction.clone() else { return handle(self, message) };
        let mut edits = Edits::of(message.line);
        let members = JsonText::parse(message.line).and_then(|line| line.entries()).unwrap_or_default();
        // What the relay itself reads stays.
        let is_read = |key: &str| ["jsonrpc", "id", "method"].contains(&&*Quoted::new(key).text());
        for (_, member) in members.iter().filter(|(key, _)| !is_read(key)) {
            if let Some(redacted) = redact(&redaction, member.span()) {
                edits.replace(member.span(), redacted);
            }
        }
        if edits.is_empty() {
            return handle(self, message);
        }
        let line = edits.apply();
        match RelayLine::read(&line) {
            RelayLine::Message(message) => sent_as(&line, handle(self, &message)),
            _ => Vec::new(),
        }
    }

    /// What to do with the next part of a line that is longer than a pump holds. At its end whoever waits for one of its
    /// messages is answered with an error.
    pub fn long_line(&mut self, is_client: bool, part: &[u8], is_end: bool) -> Vec<Effect> {
        let open = &mut self.long_lines[usize::from(!is_client)];
        open.get_or_insert_default().read(part);
        let Some(line) = open.take_if(|_| is_end) else { return Vec::new() };
        self.refuse_line(
            is_client,
            &line,
            &format!("has {} bytes: more than toolshape holds (maxLineBytes)", line.bytes),
        )
    }

    /// Answers whoever waits for a message in a line that is not read.
    fn refuse_line(&mut self, is_client: bool, line: &LongLine, why: &str) -> Vec<Effect> {
        let side = if is_client { "client" } else { "server" };
        let about = format!("a message of the {side} {why}");
        let mut effects = vec![Effect::Log(log::of_relay(&about))];
        for head in &line.heads {
            let Some(id) = &head.id else { continue };
            effects.extend(match (is_client, head.has_method) {
                (true, true) => Some(Effect::ToClient(error(id, INVALID_PARAMS, &about))),
                (false, true) => Some(Effect::ToServer(error(id, INVALID_PARAMS, &about))),
                (true, false) => Some(Effect::ToServer(error(id, INTERNAL_ERROR, &about))),
                (false, false) => {
                    self.requests.take(id).map(|asked| Effect::ToClient(error(&asked.id, INTERNAL_ERROR, &about)))
                }
            });
        }
        effects
    }

    /// Whether the server is in a line that is longer than a pump holds.
    pub fn is_in_long_line(&self) -> bool {
        self.long_lines[1].is_some()
    }

    /// What to do after an answer of the store.
    pub fn resume(&mut self, number: u64, reply: StoreReply) -> Vec<Effect> {
        let Some((&first, turn)) = self.waiting.range_mut(..=number).next_back() else { return Vec::new() };
        let at = usize::try_from(number - first).unwrap_or(usize::MAX);
        let Some(heard) = turn.hear(at, reply) else { return Vec::new() };
        let effects = match self.waiting.remove(&first) {
            Some(StoreTurn { wait: StoreWait::Write(kept), slots, .. }) => self.keep(kept, slots, heard, false),
            Some(StoreTurn { wait: StoreWait::Read(found), slots, .. }) => self.find(found, slots, heard),
            None => Vec::new(),
        };
        self.leave_turns();
        effects
    }

    /// Ends the places of calls for which nothing waits.
    fn leave_turns(&mut self) {
        let Self { places, requests, waiting, .. } = self;
        places.retain(|id, _| requests.has(id) || waiting.values().any(|turn| turn.is_of(id)));
    }

    /// The most tokens of the answer to a call, if other calls are of its turn.
    fn share(&self, id: &str) -> Option<usize> {
        self.places.get(&*one_spelling(id))?.share(self.shaper.combined_tokens())
    }

    /// The answer to a call is sent.
    fn spend(&self, id: &str, receipt: Option<&Receipt>) {
        if let (Some(place), Some(receipt)) = (self.places.get(&*one_spelling(id)), receipt) {
            place.spend(receipt.tokens_after);
        }
    }

    fn narrowed(&self, most: Option<usize>) -> Cow<'_, Shaper> {
        most.map_or(Cow::Borrowed(&self.shaper), |most| Cow::Owned(self.shaper.within(most)))
    }

    /// What to do when the server has ended: every request that waits is answered with the reason.
    pub fn server_ended(&mut self, reason: &str) -> Vec<Effect> {
        let waiting: Vec<String> = self.requests.take_all().map(|request| request.id).collect();
        waiting.iter().map(|id| Effect::ToClient(error(id, INTERNAL_ERROR, reason))).collect()
    }

    /// Whether the client waits for nothing: no request of it is unanswered but those that are open as long as the
    /// conversation, and no answer waits for the store.
    pub fn is_idle(&self) -> bool {
        self.requests.are_open_ended() && !self.awaits_store()
    }

    /// Whether something waits for the store; it may be for the server afterwards.
    pub fn awaits_store(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn request(&mut self, method: &str, id: &str, message: &Message<'_>, now: u64) -> Vec<Effect> {
        let is_first = || !matches!(message.at(&["params", "cursor"]), Some(cursor) if cursor.kind() != Kind::Null);
        let kind = match method {
            "initialize" => {
                self.client = message.text_at(&["params", "clientInfo", "name"]);
                RequestKind::Server
            }
            "server/discover" => RequestKind::Server,
            "tools/list" => RequestKind::Tools { is_first: is_first() },
            "resources/templates/list" => RequestKind::Templates { is_first: is_first() },
            "tools/call" => return self.call(id, message, now),
            "resources/read" => match message.text_at(&["params", "uri"]) {
                Some(uri) if self.stores() && uri.starts_with(SCHEME) => {
                    let call = format!("\"arguments\":{{\"handle\":{}}}{}", quoted(&uri), self.scope);
                    return self.look_up(id, ReadBy::Resource { uri }, &call, message, now);
                }
                _ => RequestKind::Other,
            },
            "tasks/result" | "tasks/get" => {
                let asked = self.call_of_task(message);
                if method == "tasks/result" { RequestKind::Call(asked) } else { RequestKind::Task(asked) }
            }
            "subscriptions/listen" => RequestKind::Subscription,
            _ => RequestKind::Other,
        };
        self.requests.add(id, kind, now);
        vec![Effect::Pass]
    }

    /// Our tool's name carries the server's.
    fn name_server(&mut self, server: &str) {
        // A tool that reads for several servers has the name of none.
        if self.reader == ReaderPlace::Here {
            self.shaper = self.shaper.for_server(server);
        }
        self.server = Some(server.to_owned());
    }

    /// Whether results are stored: not if the server has a tool with the name of the one that reads them.
    fn stores(&self) -> bool {
        self.has_store && !self.tools.is_taken
    }

    fn call(&mut self, id: &str, message: &Message<'_>, now: u64) -> Vec<Effect> {
        let name = message.text_at(&["params", "name"]).unwrap_or_default();
        if !self.shaper.leaves_alone(&name) {
            self.places.insert(one_spelling(id).into_owned(), self.turns.enter(&self.session));
        }
        let given = message.at(&["params", "arguments"]).filter(|given| given.kind() == Kind::Object);
        if self.stores() && name == self.shaper.read_tool() {
            let members = self.members(message, given.as_ref());
            return self.look_up(id, ReadBy::Part, &members, message, now);
        }
        if self.stores()
            && self.tools.take_results.contains(&name)
            && let Some(given) = &given
            && let Some(expansion) = Expansion::of(message, given, self.tools.own_schema(&name).as_ref(), now)
        {
            return self.expand(id, expansion, message.modern_meta());
        }
        self.run(id, &name, message, now)
    }

    /// Reads the next result that a call's arguments name, or else runs the tool with those that were read.
    fn expand(&mut self, id: &str, expansion: Expansion, meta: Option<String>) -> Vec<Effect> {
        let now = expansion.now;
        if let Some(named) = expansion.named.last() {
            let call = format!("\"arguments\":{{\"handle\":{}}}{}", quoted(&named.handle), self.scope);
            return self.look_up_for(id, ReadBy::Argument(Box::new(expansion)), &call, meta, now);
        }
        let line = expansion.apply();
        let RelayLine::Message(message) = RelayLine::read(&line) else { return Vec::new() };
        let name = message.text_at(&["params", "name"]).unwrap_or_default();
        let effects = self.run(id, &name, &message, now);
        let is_own = |effect| if effect == Effect::Pass { Effect::ToServer(line.clone()) } else { effect };
        effects.into_iter().map(is_own).collect()
    }

    /// Calls a tool of the server.
    fn run(&mut self, id: &str, name: &str, message: &Message<'_>, now: u64) -> Vec<Effect> {
        let given = message.at(&["params", "arguments"]).filter(|given| given.kind() == Kind::Object);
        let plan = self.tools.plan(name, &self.shaper);
        let members = self.planned_members(message, given.as_ref(), &plan);
        let (is_modern, is_task) = (message.is_modern(), message.at(&["params", "task"]).is_some());
        let mut edits = Edits::of(message.line);
        if let Some(given) = &given {
            edits.remove_members(given, |key| plan.controls.contains(&key));
        }
        let passing = if edits.is_empty() { self.passing(name, message) } else { None };
        let asked = Arc::new(ToolCall { call: members, is_modern, is_task, passing });
        let kind =
            if self.shaper.leaves_alone(name) { RequestKind::Other } else { RequestKind::Call(Arc::clone(&asked)) };
        if edits.is_empty() {
            self.requests.add(id, kind, now);
            return vec![Effect::Pass];
        }
        let checked = call_at(&asked.call, false, now).and_then(|call| self.shaper.check_call(&call));
        if let Ok(Some(refused)) = checked {
            return self.refuse(id, &refused, &asked, is_task.then_some(INVALID_PARAMS), "");
        }
        let line = edits.apply();
        if self.stores() && !is_task {
            let page = ReadBy::Page { line, call: asked.call.clone() };
            return self.look_up(id, page, &asked.call, message, now);
        }
        self.requests.add(id, kind, now);
        vec![Effect::ToServer(line)]
    }

    /// The call that a task was created by. One that another process saw, or of long ago, is that of an unlisted tool.
    fn call_of_task(&self, message: &Message<'_>) -> Arc<ToolCall> {
        let known = message.text_at(&["params", "taskId"]).and_then(|task| self.tasks.of(&task).cloned());
        known.unwrap_or_else(|| {
            let call = self.planned_members(message, None, &self.tools.plan("", &self.shaper));
            Arc::new(ToolCall { call, is_modern: message.is_modern(), is_task: false, passing: None })
        })
    }

    /// Which texts pass as the result of a call that asks for nothing else.
    fn passing(&self, tool: &str, message: &Message<'_>) -> Option<Passing> {
        let asks = |meta: JsonText<'_>| meta.named(&READ_IN_META).iter().any(Option::is_some);
        if message.at(&["params", "_meta"]).is_some_and(asks) {
            return None;
        }
        self.shaper.passing(Some(tool), message.client().as_deref().or(self.client.as_deref()))
    }

    /// The members of a [`Call`](toolshape::Call) of a tool with this plan.
    fn planned_members(&self, message: &Message<'_>, given: Option<&JsonText<'_>>, plan: &PlannedTool) -> String {
        self.members(message, given) + &plan.members
    }

    /// The members of a [`Call`](toolshape::Call) for a request.
    fn members(&self, message: &Message<'_>, given: Option<&JsonText<'_>>) -> String {
        let mut members = format!("\"arguments\":{}", given.map_or("{}", JsonText::span));
        if let Some(client) = message.client().or_else(|| self.client.clone()) {
            members.push_str(&format!(",\"client\":{}", quoted(&client)));
        }
        members.push_str(&self.scope);
        members.push_str(&self.session);
        if let Some(meta) = message.at(&["params", "_meta"]).filter(|meta| meta.kind() == Kind::Object) {
            members.push_str(&format!(",\"meta\":{}", meta.span()));
        }
        members
    }

    /// Answers a call that fails. The answer to a call that is to run as a task is a task or an error, which has a code. Without
    /// toolshape it would be `own`.
    fn refuse(&self, id: &str, refused: &ShapedResult, asked: &ToolCall, code: Option<i32>, own: &str) -> Vec<Effect> {
        let Ok(result) = written(refused, asked.is_modern) else { return vec![Effect::Pass] };
        if let Some(code) = code {
            let text = serde_json::from_str(&result).map(|result: Value| result["content"][0]["text"].clone());
            let text = text.ok().and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default();
            return vec![Effect::ToClient(error(id, code, &text))];
        }
        self.spend(id, refused.receipt.as_ref());
        let receipt = refused.receipt.clone().map(|receipt| Effect::Shaped(Box::new(receipt)));
        let counted = call_at(&asked.call, false, 0).ok().and_then(|call| {
            let mut counted = self.counted(CountedKind::Result, &call, &JsonText::parse(&result).ok()?)?;
            counted.without = account::tokens(own, self.measure());
            Some(Effect::Counted(counted))
        });
        receipt.into_iter().chain(counted).chain([Effect::ToClient(answer(id, &result))]).collect()
    }

    fn measure(&self) -> Measure {
        Measure { encoding: self.shaper.encoding() }
    }

    /// What the model is sent of a result; nothing if nobody reads it.
    fn counted(&self, kind: CountedKind, call: &Call, result: &JsonText<'_>) -> Option<Box<Counted>> {
        let mut counted = Counted::new(kind, (call.client(), self.server.as_deref()));
        if !counted.is_of_model() {
            return None;
        }
        let tool = call.tool_name().map(str::to_owned).filter(|_| kind == CountedKind::Result);
        counted.tool = tool.map(|tool| self.without_secrets(tool));
        counted.with = account::shown(result, call, self.measure()).ok()?;
        Some(Box::new(counted))
    }

    /// A result that passes as it is.
    fn passed(&self, receipt: &Receipt) -> Option<Box<Counted>> {
        let (tool, tokens) = (receipt.tool.clone(), receipt.tokens_after);
        let tool = tool.map(|tool| self.without_secrets(tool));
        let counted = Counted::new(CountedKind::Result, self.names());
        counted.is_of_model().then(|| Box::new(Counted { tool, without: tokens, with: tokens, ..counted }))
    }

    /// What the first list of tools costs. Hosts read it again, and send it once.
    fn count_definitions(&self, list: &JsonText<'_>, sent: &[Effect]) -> Option<Effect> {
        let mut counted = Counted::new(CountedKind::Definitions, self.names());
        if self.listings > 1 || !counted.is_of_model() {
            return None;
        }
        let of_line = |line: &str| {
            let line = JsonText::parse(line).ok()?;
            Some(account::definitions(member(&line, "result")?.span(), self.measure()))
        };
        counted.without = account::definitions(list.span(), self.measure());
        counted.with = match sent {
            [Effect::ToClient(line)] => of_line(line)?,
            _ => counted.without,
        };
        Some(Effect::Counted(Box::new(counted)))
    }

    /// The client cancels a request. The server is notified if it has the request.
    fn cancelled(&mut self, message: &Message<'_>) -> Vec<Effect> {
        let Some(id) = message.at(&["params", "requestId"]) else { return vec![Effect::Pass] };
        if self.requests.take(id.span()).is_some() {
            return vec![Effect::Pass];
        }
        let ours = self.waiting.iter().find(|(_, turn)| turn.is_of(id.span())).map(|(number, _)| *number);
        match ours.and_then(|number| self.waiting.remove(&number)) {
            Some(StoreTurn { wait: StoreWait::Write(kept), .. }) => {
                kept.of_batch.and_then(|(batch, place)| self.dropped_in_batch(batch, place)).into_iter().collect()
            }
            Some(_) => Vec::new(),
            None => vec![Effect::Pass],
        }
    }

    fn notified(&mut self, method: &str, message: &Message<'_>, now: u64) -> Vec<Effect> {
        match method {
            "notifications/tools/list_changed" => {
                Arc::make_mut(&mut self.tools).clear();
                vec![Effect::Pass]
            }
            "notifications/tasks" => {
                let asked = self.call_of_task(message);
                match message.at(&["params", "result"]) {
                    Some(result) => self.shape(message, &result, &asked, now),
                    None => vec![Effect::Pass],
                }
            }
            _ => vec![Effect::Pass],
        }
    }

    fn answered(&mut self, id: &str, message: &Message<'_>, now: u64) -> Vec<Effect> {
        let Some(request) = self.requests.take(id) else {
            // Some clients would take it for the answer that they have already, or for that of another request.
            return match message.member("result").or_else(|| message.member("error")) {
                Some(_) => vec![Effect::Log(log::dropped(id))],
                None => self.unknown(message),
            };
        };
        if message.member("result").is_some() {
            self.accepted(request.at);
        }
        let redact = match request.kind {
            RequestKind::Tools { .. } => Redaction::of_schemas,
            _ => Redaction::of_json,
        };
        self.redacted(message, redact, |relay, message| relay.answer_to(request, message, now))
    }

    /// What to do with the answer to a request.
    fn answer_to(&mut self, request: PendingRequest, message: &Message<'_>, now: u64) -> Vec<Effect> {
        let shown = |name: &str| message.member(name).filter(|value| value.kind() != Kind::Null);
        if let (RequestKind::Call(asked), Some(_), Some(thrown)) = (&request.kind, shown("result"), shown("error")) {
            return self.torn(&request.id, thrown, asked, now);
        }
        match (request.kind, message.member("result"), message.member("error")) {
            (RequestKind::Server, Some(_), _) => {
                if let Some(server) = message.text_at(&["result", "serverInfo", "name"]) {
                    self.name_server(&server);
                }
                vec![Effect::Pass]
            }
            (RequestKind::Tools { is_first }, Some(result), _) => {
                let mut edits = Edits::of(message.line);
                let was_taken = self.tools.is_taken;
                Arc::make_mut(&mut self.tools).list(
                    result,
                    (is_first, self.reader != ReaderPlace::Apart),
                    self.has_store,
                    &self.shaper,
                    &mut edits,
                );
                let is_news = self.has_store && self.tools.is_taken && !was_taken;
                let warning = is_news.then(|| Effect::Log(log::taken(self.shaper.read_tool())));
                self.listings += u32::from(is_first);
                let sent = sent(edits);
                let counted = self.count_definitions(result, &sent);
                let is_last = self.listings == 1
                    && !member(result, "nextCursor").is_some_and(|cursor| cursor.kind() == Kind::String);
                let misspelt =
                    self.tools.misspelt().filter(|_| is_last).map(|(name, meant)| log::misspelt(name, meant));
                let warnings: Vec<Effect> = warning.into_iter().chain(misspelt.map(Effect::Log)).collect();
                counted.into_iter().chain(warnings).chain(sent).collect()
            }
            (RequestKind::Templates { is_first: true }, Some(result), _) if self.stores() => {
                let mut edits = Edits::of(message.line);
                if let Some(listed) = member(result, "resourceTemplates").filter(|list| list.kind() == Kind::Array) {
                    let comma = if listed.len() == 0 { "" } else { "," };
                    edits.add_inside(listed.span(), format!("{comma}{}", result_template()));
                }
                sent(edits)
            }
            (RequestKind::Call(asked), Some(result), _) if result.kind() == Kind::Object => {
                let task = member(result, "task").and_then(|task| member(&task, "taskId"));
                if let Some(task) = task.and_then(|task| message::text(&task)) {
                    let (call, is_modern) = (asked.call.clone(), asked.is_modern);
                    let asked = ToolCall { call, is_modern, is_task: false, passing: None };
                    self.tasks.remember(task, Arc::new(asked));
                    return vec![Effect::Pass];
                }
                let passing = asked.passing.as_ref();
                let most = self.share(&request.id);
                let fits = |receipt: &Receipt| most.is_none_or(|most| receipt.tokens_after <= most);
                let passing = passing.filter(|passing| passing.may_pass(result.span().len()));
                match passing.and_then(|passing| passing.receipt(&only_text(result)?)).filter(fits) {
                    Some(receipt) => {
                        self.spend(&request.id, Some(&receipt));
                        let counted = self.passed(&receipt).map(Effect::Counted);
                        [Effect::Shaped(Box::new(receipt))].into_iter().chain(counted).chain([Effect::Pass]).collect()
                    }
                    None => self.shape(message, result, &asked, now),
                }
            }
            (RequestKind::Consent(line), ..) => vec![Self::consented(line, message)],
            (RequestKind::Call(asked), _, Some(thrown)) => self.thrown(&request.id, thrown, &asked, now),
            (RequestKind::Task(asked), Some(result), _) => match member(result, "result") {
                Some(inside) => self.shape(message, &inside, &asked, now),
                None => vec![Effect::Pass],
            },
            _ => vec![Effect::Pass],
        }
    }

    /// An answer with a result and an error, of which JSON-RPC allows one: clients differ in the one that they read, so it
    /// becomes an error.
    fn torn(&mut self, id: &str, thrown: &JsonText<'_>, asked: &ToolCall, now: u64) -> Vec<Effect> {
        match self.thrown(id, thrown, asked, now) {
            passes if passes == [Effect::Pass] => {
                vec![Effect::ToClient(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, thrown.span()))]
            }
            shaped => shaped,
        }
    }

    /// An error of a call: a rate limit, and a message that is over the budget, become a result that a model can read. A long
    /// message is between the code and the data of its error.
    fn thrown(&mut self, id: &str, thrown: &JsonText<'_>, asked: &ToolCall, now: u64) -> Vec<Effect> {
        let Ok(thrown) = serde_json::from_str::<Value>(thrown.span()) else { return vec![Effect::Pass] };
        let said = thrown["message"].as_str().unwrap_or_default();
        let code = thrown["code"].as_i64().and_then(|code| i32::try_from(code).ok());
        let data = thrown.get("data").map_or(String::new(), |data| format!("\n{data}"));
        let whole = format!("error {}: {said}{data}", thrown["code"]);
        // The answer to a call that runs as a task stays an error.
        let stores = self.stores() && !asked.is_task;
        let shaped = |said: &str| {
            let call = call_at(&asked.call, stores, now)?;
            self.shaper.thrown_result(&thrown, said, &call, Some(now))
        };
        match shaped(said).and_then(|is_shaped| is_shaped.map_or(Ok(None), |_| shaped(&whole))) {
            // It is stored, so that nobody runs the tool again to read its error.
            Ok(Some(shaped)) if shaped.keep.is_some() => self.store_thrown(id, &whole, asked, now),
            Ok(Some(shaped)) => {
                let code = asked.is_task.then(|| code.unwrap_or(INTERNAL_ERROR));
                self.refuse(id, &shaped, asked, code, &whole)
            }
            _ => vec![Effect::Pass],
        }
    }
}

/// Effects in which the line that passes is another than the pump has.
fn sent_as(line: &str, effects: Vec<Effect>) -> Vec<Effect> {
    let own = |effect| if effect == Effect::Pass { Effect::ToClient(line.to_owned()) } else { effect };
    effects.into_iter().map(own).collect()
}

/// The edited line, or the unchanged one.
fn sent(edits: Edits<'_>) -> Vec<Effect> {
    vec![if edits.is_empty() { Effect::Pass } else { Effect::ToClient(edits.apply()) }]
}

fn answer(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

fn error(id: &str, code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{}}}}}"#, quoted(message))
}
