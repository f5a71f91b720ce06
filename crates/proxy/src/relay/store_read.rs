//! A request that is answered from the store: a call of `read_result`, a later page of a result, a resource.

use std::sync::Arc;

use toolshape::host::{
    Effect as StoreEffect, Heard, JsonText, Members, Next, Read, ReadFor, ReadState, Resource, ShapedResult, Slots,
    handle_of,
};
use toolshape::{Error, Receipt};

use crate::account::CountedKind;

use super::message::Message;
use super::pending::{RequestKind, ToolCall};
use super::result_arguments::Expansion;
use super::store::StoreWait;
use super::time::call_at;
use super::{Effect, INVALID_PARAMS, Relay, answer, error};

/// MCP's code for a resource that is not there, before revision 2026-07-28.
const RESOURCE_NOT_FOUND: i32 = -32002;

/// Only this client may read the resource, and it may change.
const FRESHNESS: &str = "\"ttlMs\":0,\"cacheScope\":\"private\"";

/// The type of a result, since revision 2026-07-28.
const COMPLETE: &str = "\"resultType\":\"complete\"";

/// A request that waits for the store.
pub(super) struct StoreRead {
    /// The request's id, with its spelling.
    pub id: String,
    pub asks: ReadBy,
    /// Its `_meta`, if it is of the era since 2026-07-28.
    pub meta: Option<String>,
    pub now: u64,
    pub state: ReadState,
    /// The most tokens, of several results of one turn.
    pub most: Option<usize>,
    /// The handles that it opens.
    pub handles: Vec<String>,
}

/// What reads a stored result.
pub(super) enum ReadBy {
    /// A call of `read_result`.
    Part,
    /// A later page of a tool's result, or else a run of the tool, by the line to send to the server. `call` has the members of
    /// its call.
    Page { line: String, call: String },
    /// A resource, by its address.
    Resource { uri: String },
    /// An argument.
    Argument(Box<Expansion>),
}

impl Relay {
    pub(super) fn look_up(
        &mut self,
        id: &str,
        asks: ReadBy,
        call: &str,
        message: &Message<'_>,
        now: u64,
    ) -> Vec<Effect> {
        self.look_up_for(id, asks, call, message.modern_meta(), now)
    }

    /// `call` has the members of the call; those that its purpose has are added.
    pub(super) fn look_up_for(
        &mut self,
        id: &str,
        asks: ReadBy,
        call: &str,
        meta: Option<String>,
        now: u64,
    ) -> Vec<Effect> {
        let reads = match &asks {
            ReadBy::Part => ReadFor::Part,
            ReadBy::Page { .. } => ReadFor::Page,
            ReadBy::Resource { .. } => ReadFor::Resource,
            ReadBy::Argument(expansion) => {
                let pointer = expansion.named.last().map(|named| named.pointer.clone());
                ReadFor::Value { pointer: pointer.unwrap_or_default() }
            }
        };
        let tool = if reads == ReadFor::Page { "" } else { r#""tool":"read_result","# };
        let mut slots = Slots::default();
        let state = call_at(&format!("{tool}{call}"), false, now)
            .and_then(|call| ReadState::new(reads, false, call, &mut slots, &self.shaper));
        match state {
            Ok(state) => {
                let (id, most) = (id.to_owned(), self.share(id));
                let found = StoreRead { id, asks, meta, now, state, most, handles: Vec::new() };
                self.find(Box::new(found), slots, Vec::new())
            }
            Err(fault) => vec![Effect::ToClient(error(id, INVALID_PARAMS, fault.message()))],
        }
    }

    pub(super) fn find(
        &mut self,
        mut found: Box<StoreRead>,
        mut slots: Slots<'static>,
        heard: Vec<Heard>,
    ) -> Vec<Effect> {
        let is_modern = found.meta.is_some();
        let read = found.state.step(heard, &mut slots, &self.narrowed(found.most));
        let read = match read {
            Ok(Next::Wait(effects)) => {
                let keys = effects.iter().filter_map(|effect| match effect {
                    StoreEffect::Get { key, .. } => handle_of(key).map(str::to_owned),
                    _ => None,
                });
                if !found.state.is_list() {
                    found.handles.extend(keys);
                }
                return self.ask(StoreWait::Read(found), slots, effects);
            }
            Ok(Next::Done(read)) => read,
            Err(fault) => return vec![self.with_consent(&found, error(&found.id, INVALID_PARAMS, fault.message()))],
        };
        let client = found.state.call().client();
        let (answered, receipt) = match (read, &mut found.asks) {
            (Read::NoPage, _) => return self.run_after(*found),
            (Read::Value(value), ReadBy::Argument(expansion)) => {
                expansion.insert(value);
                return self.run_after(*found);
            }
            (Read::Part(shaped), _) => self.answer_of(&ShapedResult::of(*shaped, client), is_modern),
            (Read::Page(result), _) => self.answer_of(&result, is_modern),
            (Read::Resource(resource), ReadBy::Resource { uri }) => (Ok(resource_of(uri, &resource, is_modern)), None),
            (Read::Refused(fault), ReadBy::Argument(expansion)) => {
                let shaped = self.shaper.refused(&expansion.refused(&fault), found.state.call());
                self.answer_of(&ShapedResult::of(shaped, None), is_modern)
            }
            (Read::Refused(fault), _) => {
                let code = if is_modern { INVALID_PARAMS } else { RESOURCE_NOT_FOUND };
                return vec![self.with_consent(&found, error(&found.id, code, fault.message()))];
            }
            (Read::Value(_) | Read::Resource(_) | Read::Summary(_), _) => return Vec::new(),
        };
        self.spend(&found.id, receipt.as_deref());
        let (line, counted) = match answered {
            Ok(result) => {
                let read = JsonText::parse(&result).ok();
                let counted = read.and_then(|read| self.counted(CountedKind::Read, found.state.call(), &read));
                let counted = counted.map(|mut counted| {
                    counted.handles = std::mem::take(&mut found.handles);
                    Effect::Counted(counted)
                });
                (answer(&found.id, &result), counted)
            }
            Err(fault) => (error(&found.id, INVALID_PARAMS, fault.message()), None),
        };
        let sent = self.with_consent(&found, line);
        receipt.map(Effect::Shaped).into_iter().chain(counted).chain([sent]).collect()
    }

    /// Goes on with a call for which the store has nothing more.
    fn run_after(&mut self, found: StoreRead) -> Vec<Effect> {
        match found.asks {
            ReadBy::Page { line, call } => {
                let asked = ToolCall { call, is_modern: found.meta.is_some(), is_task: false, passing: None };
                self.requests.add(&found.id, RequestKind::Call(Arc::new(asked)), found.now);
                vec![Effect::ToServer(line)]
            }
            ReadBy::Argument(expansion) => self.expand(&found.id, *expansion, found.meta),
            ReadBy::Part | ReadBy::Resource { .. } => Vec::new(),
        }
    }

    fn answer_of(&self, result: &ShapedResult, is_modern: bool) -> (Result<String, Error>, Option<Box<Receipt>>) {
        (written(result, is_modern), result.receipt.clone().map(Box::new))
    }
}

/// A stored result as the resource of an address.
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

/// A result of ours, in which nothing is the server's.
pub(super) fn written(result: &ShapedResult, is_modern: bool) -> Result<String, Error> {
    let json = result.to_json(&JsonText::parse("{}")?)?;
    Ok(if is_modern { format!("{{{COMPLETE},{}", &json[1..]) } else { json })
}
