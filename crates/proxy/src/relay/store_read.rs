//! A request that is answered from the store: a call of `read_result`, a later page of a result, a resource.

use std::sync::Arc;

use toolshape::host::{FoundTable, HAS_SQL, JsonText, Members, Opened, Purpose, Resource, ShapedResult, quoted};
use toolshape::{Call, Error, Receipt, Shaped, Shaper};

use super::result_arguments::Expansion;
use super::store::{AskedSource, StoreReply, StoreRequest};
use super::time::call_at;

/// Only this client may read the resource, and it may change.
const FRESHNESS: &str = "\"ttlMs\":0,\"cacheScope\":\"private\"";

/// The type of a result, since revision 2026-07-28.
const COMPLETE: &str = "\"resultType\":\"complete\"";

/// What a stored result is read for.
pub(super) enum ReadFor {
    /// A part of a stored result.
    Part,
    /// An answer in SQL: the handles of the tables that are still to be read, the next one last, and those that were.
    Tables { waiting: Vec<String>, found: Vec<ReadTable> },
    /// A later page of a tool's result, or else a run of the tool, by the line to send to the server.
    Page { line: String },
    /// A stored result as a resource, with its address.
    Resource { uri: String },
    /// A stored result for an argument.
    Argument(Box<Expansion>),
}

/// A table of a question in SQL, as the store has it.
pub(super) struct ReadTable {
    handle: String,
    /// Its key and its content.
    stored: Option<(String, String)>,
    failure: Option<String>,
}

/// A request that waits for the store.
pub(super) struct StoreRead {
    /// The request's id, with its spelling.
    pub id: String,
    pub asks: ReadFor,
    /// Its `_meta`, if it is of the era since 2026-07-28.
    pub meta: Option<String>,
    /// The members of its call.
    pub call: String,
    pub now: u64,
    ticket: Option<String>,
    /// The keys that may have the content, the likeliest last.
    keys: Vec<String>,
    /// The key that was read last.
    key: Option<String>,
    returned_by: Option<Vec<String>>,
    /// The owner of the results, as a member of a call.
    scope: Arc<str>,
}

/// What comes next of a request.
pub(super) enum ReadNext {
    /// The store is to do this.
    Ask(StoreRequest),
    /// The result, and its receipt.
    Answer(String, Option<Box<Receipt>>),
    /// A code and a message of JSON-RPC.
    Refuse(i32, String),
    /// The store has nothing, or all that the arguments name has been read: the tool runs.
    Run,
}

/// JSON-RPC's code for parameters that are wrong.
const INVALID_PARAMS: i32 = -32602;

impl StoreRead {
    /// `call` has the members of the call; those that its purpose has are added.
    ///
    /// # Errors
    /// A call that cannot be read.
    pub fn new(
        id: &str,
        asks: ReadFor,
        call: &str,
        (scope, meta): (&Arc<str>, Option<String>),
        now: u64,
        shaper: &Shaper,
    ) -> Result<Self, Error> {
        let call = match asks {
            ReadFor::Page { .. } => call.to_owned(),
            _ => format!("\"tool\":\"read_result\",{call}"),
        };
        let lookup = shaper.lookup(asks.purpose(), false, &call_at(&call, false, None, now)?)?;
        let asks = match (asks, lookup.tables) {
            (ReadFor::Part, Some(tables)) => {
                ReadFor::Tables { waiting: tables.into_iter().rev().collect(), found: Vec::new() }
            }
            (asks, _) => asks,
        };
        let keys = lookup.keys.into_iter().rev().collect();
        let (id, ticket, scope) = (id.to_owned(), lookup.ticket, Arc::clone(scope));
        Ok(Self { id, asks, meta, call, now, ticket, keys, key: None, returned_by: None, scope })
    }

    /// The first step.
    ///
    /// # Errors
    /// A call that cannot be answered.
    pub fn start(&mut self, shaper: &Shaper) -> Result<ReadNext, Error> {
        self.look_up_table(shaper)?;
        match self.ticket.clone() {
            Some(key) => Ok(ReadNext::Ask(StoreRequest::Read { key })),
            None => self.next(shaper),
        }
    }

    /// Finds out what to read for the next table of a question in SQL, if there is one.
    fn look_up_table(&mut self, shaper: &Shaper) -> Result<(), Error> {
        let ReadFor::Tables { waiting, .. } = &self.asks else { return Ok(()) };
        if let Some(handle) = waiting.last() {
            let lookup = shaper.lookup(
                Purpose::Read,
                false,
                &call_at(&of_table(&self.scope, handle), false, None, self.now)?,
            )?;
            self.ticket = lookup.ticket;
        }
        Ok(())
    }

    /// The next step, after the answer of the store to the last.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn resume(&mut self, reply: StoreReply, shaper: &Shaper) -> Result<ReadNext, Error> {
        if matches!(&self.asks, ReadFor::Tables { waiting, .. } if waiting.is_empty()) {
            let answers = if let StoreReply::Value(answers) = &reply { answers.as_deref() } else { None };
            return self.show_answers(answers, shaper);
        }
        match (reply, self.ticket.take()) {
            (StoreReply::Failed(reason), _) => self.answer(None, Some(&reason), shaper),
            (StoreReply::Value(Some(ticket)), Some(_)) => {
                let call = match &self.asks {
                    ReadFor::Tables { waiting, .. } => of_table(&self.scope, waiting.last().map_or("", String::as_str)),
                    _ => self.call.clone(),
                };
                let call = call_at(&call, false, None, self.now)?;
                if let Some(Opened { key, tools, .. }) = shaper.open(self.asks.purpose(), &ticket, &call)? {
                    self.keys.push(key);
                    self.returned_by = Some(tools);
                }
                self.next(shaper)
            }
            (StoreReply::Value(Some(content)), None) => {
                let key = self.key.take().unwrap_or_default();
                self.answer(Some((&key, &content)), None, shaper)
            }
            _ => self.next(shaper),
        }
    }

    fn next(&mut self, shaper: &Shaper) -> Result<ReadNext, Error> {
        match self.keys.pop() {
            Some(key) => {
                self.key = Some(key.clone());
                Ok(ReadNext::Ask(StoreRequest::Read { key }))
            }
            None => self.answer(None, None, shaper),
        }
    }

    fn answer(
        &mut self,
        stored: Option<(&str, &str)>,
        failure: Option<&str>,
        shaper: &Shaper,
    ) -> Result<ReadNext, Error> {
        if let ReadFor::Tables { waiting, found } = &mut self.asks {
            if let Some(handle) = waiting.pop() {
                let stored = stored.map(|(key, content)| (key.to_owned(), content.to_owned()));
                found.push(ReadTable { handle, stored, failure: failure.map(str::to_owned) });
            }
            return match waiting.is_empty() {
                true => self.answer_sql(shaper),
                false => self.start(shaper),
            };
        }
        let mut members = self.call.clone();
        if let Some(tools) = &self.returned_by {
            let tools: Vec<String> = tools.iter().map(|tool| quoted(tool)).collect();
            members.push_str(&format!(",\"returnedBy\":[{}]", tools.join(",")));
        }
        let call = call_at(&members, false, failure, self.now)?;
        let result = match &mut self.asks {
            ReadFor::Part => {
                let shaped = shaper.read_result(stored, &call)?;
                ShapedResult::answer(&shaped.text, shaped.image, shaped.is_error, Some(shaped.receipt), call.client())
            }
            // It was answered above.
            ReadFor::Tables { .. } => return Ok(ReadNext::Run),
            ReadFor::Page { .. } => {
                let Some((key, content)) = stored else { return Ok(ReadNext::Run) };
                match shaper.shape_snapshot_result(key, content, &call)? {
                    Some(shaped) => shaped,
                    None => return Ok(ReadNext::Run),
                }
            }
            ReadFor::Argument(expansion) => match expansion.take(stored, failure, &members, shaper) {
                Ok(()) => return Ok(ReadNext::Run),
                Err(error) => {
                    let shaped = shaper.refused(&error, &call);
                    ShapedResult::answer(&shaped.text, None, true, Some(shaped.receipt), None)
                }
            },
            ReadFor::Resource { uri } => {
                return Ok(match shaper.resource(stored, &call) {
                    Ok(resource) => ReadNext::Answer(resource_of(uri, &resource, self.meta.is_some()), None),
                    Err(error) => ReadNext::Refuse(INVALID_PARAMS, error.message().to_owned()),
                });
            }
        };
        let receipt = result.receipt.clone().map(Box::new);
        Ok(ReadNext::Answer(written(&result, self.meta.is_some())?, receipt))
    }

    /// The answer to a question in SQL, whose tables were read.
    fn answer_sql(&mut self, shaper: &Shaper) -> Result<ReadNext, Error> {
        let call = call_at(&self.call, false, None, self.now)?;
        let scope = Arc::clone(&self.scope);
        let ReadFor::Tables { found, .. } = &mut self.asks else { return Ok(ReadNext::Run) };
        let calls: Vec<Call> = found
            .iter()
            .map(|table| call_at(&of_table(&scope, &table.handle), false, table.failure.as_deref(), self.now))
            .collect::<Result<_, _>>()?;
        if !HAS_SQL && let Ok(question) = shaper.sql_question(&call) {
            let source = |(table, call): (ReadTable, &Call)| {
                let ReadTable { handle, stored, .. } = table;
                let pair = stored.as_ref().map(|(key, content)| (key.as_str(), content.as_str()));
                let checked = shaper.check_stored(&handle, pair, call);
                AskedSource { handle, content: checked.map(|()| stored.unwrap_or_default()) }
            };
            let sources = std::mem::take(found).into_iter().zip(&calls).map(source).collect();
            return Ok(ReadNext::Ask(StoreRequest::Ask { question, sources }));
        }
        let tables = found.iter_mut().zip(&calls).map(|(table, call)| {
            let stored = table.stored.as_mut();
            let stored = stored.map(|(key, content)| (key.as_str(), std::mem::take(content).into()));
            FoundTable { handle: &table.handle, stored, call }
        });
        let shaped = shaper.read_sql(tables.collect(), &call)?;
        self.shown(shaped, &call)
    }

    /// The answers of SQLite in another module, or that there is none.
    fn show_answers(&self, answers: Option<&str>, shaper: &Shaper) -> Result<ReadNext, Error> {
        let call = call_at(&self.call, false, None, self.now)?;
        let shaped = match answers {
            Some(answers) => shaper.show_answers(answers, &call)?,
            None => shaper.read_sql(Vec::new(), &call)?,
        };
        self.shown(shaped, &call)
    }

    fn shown(&self, shaped: Shaped, call: &Call) -> Result<ReadNext, Error> {
        let result =
            ShapedResult::answer(&shaped.text, shaped.image, shaped.is_error, Some(shaped.receipt), call.client());
        let receipt = result.receipt.clone().map(Box::new);
        Ok(ReadNext::Answer(written(&result, self.meta.is_some())?, receipt))
    }
}

/// The members of a call for a table.
fn of_table(scope: &str, handle: &str) -> String {
    format!("\"tool\":\"read_result\",\"arguments\":{{\"handle\":{}}}{scope}", quoted(handle))
}

fn resource_of(uri: &str, resource: &Resource, is_modern: bool) -> String {
    let mut content = Members::new();
    content.text("uri", uri);
    content.text("mimeType", resource.mime_type);
    content.text("text", &resource.text);
    let mut out = Members::new();
    if is_modern {
        out.entry(COMPLETE);
        out.entry(FRESHNESS);
    }
    out.list("contents", &[content.into_object()]);
    out.into_object()
}

impl ReadFor {
    fn purpose(&self) -> Purpose {
        match self {
            Self::Page { .. } => Purpose::Snapshot,
            _ => Purpose::Read,
        }
    }
}

/// A result of ours, in which nothing is the server's.
pub(super) fn written(result: &ShapedResult, is_modern: bool) -> Result<String, Error> {
    let json = result.to_json(&JsonText::parse("{}")?)?;
    Ok(if is_modern { format!("{{{COMPLETE},{}", &json[1..]) } else { json })
}
