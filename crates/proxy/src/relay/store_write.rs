//! A result of a tool on its way to the client: shaped, and stored before it is sent.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use toolshape::host::{Action, Answer, Input, JsonIndex, Keeping, Redacts, ShapedResult};
use toolshape::{Error, Keep, Shaper};

use super::edits::Edits;
use super::message::member;
use super::pending::ToolCall;
use super::store::{StoreReply, StoreRequest};
use super::time::call_at;

/// A result that waits for the store.
pub(super) struct StoreWrite {
    line: String,
    /// The result in the line.
    result: JsonIndex,
    asked: Arc<ToolCall>,
    now: u64,
    has_store: bool,
    keeping: Keeping,
    shaped: Option<ShapedResult>,
    step: WriteStep,
    /// What is not stored yet.
    to_store: VecDeque<Keep>,
    /// The batch that the line is a part of, and its place there.
    pub of_batch: Option<(u64, Range<usize>)>,
}

/// The last request to the store.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteStep {
    Nothing,
    Content,
    KnownTicket,
    Ticket,
}

/// The next step.
pub(super) enum WriteNext {
    /// The store is to do this.
    Ask(StoreRequest),
    /// The line to send, and the result in it; no line if it is as the server wrote it.
    Send(Option<String>, Option<Box<ShapedResult>>),
}

impl StoreWrite {
    pub fn new(line: String, result: JsonIndex, asked: Arc<ToolCall>, now: u64, has_store: bool) -> Self {
        let keeping = Keeping::new(1, Redacts::Nothing);
        Self {
            line,
            result,
            asked,
            now,
            has_store,
            keeping,
            shaped: None,
            step: WriteStep::Nothing,
            to_store: VecDeque::new(),
            of_batch: None,
        }
    }

    /// The line as the server wrote it.
    pub fn into_line(self) -> String {
        self.line
    }

    /// The first step.
    ///
    /// # Errors
    /// A result that cannot be read: it passes.
    pub fn start(&mut self, shaper: &Shaper) -> Result<WriteNext, Error> {
        let action = self.keeping.next(&[]);
        self.follow(action, shaper)
    }

    /// The next step, after the answer of the store to the last.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn resume(&mut self, reply: StoreReply, shaper: &Shaper) -> Result<WriteNext, Error> {
        let answer = match (self.step, reply, self.to_store.front()) {
            (WriteStep::Content, StoreReply::Done, Some(keep)) => {
                let key = keep.ticket.clone();
                self.step = WriteStep::KnownTicket;
                return Ok(WriteNext::Ask(StoreRequest::Read { key }));
            }
            // A ticket that cannot be read is replaced.
            (WriteStep::KnownTicket, reply, Some(keep)) => {
                let known = if let StoreReply::Value(known) = reply { known } else { None };
                let call = call_at(&self.asked.call, true, None, self.now)?;
                let value = shaper.ticket(&keep.key, known.as_deref(), &call)?;
                let write = StoreRequest::Write { key: keep.ticket.clone(), value, owner: keep.owner.clone() };
                self.step = WriteStep::Ticket;
                return Ok(WriteNext::Ask(write));
            }
            (_, StoreReply::Failed(reason), _) => Answer::Failed(reason),
            (WriteStep::Ticket, ..) => {
                self.to_store.pop_front();
                if let Some(next) = self.write_content() {
                    return Ok(next);
                }
                Answer::Nothing
            }
            _ => Answer::Nothing,
        };
        let action = self.keeping.next(&[answer]);
        self.follow(action, shaper)
    }

    fn follow(&mut self, mut action: Action, shaper: &Shaper) -> Result<WriteNext, Error> {
        loop {
            match action {
                Action::Shape(inputs) => {
                    let shaped = self.shape(&inputs[0], shaper)?;
                    let key = shaped.keep.as_ref().map(|keep| keep.key.clone());
                    self.shaped = Some(shaped);
                    action = self.keeping.next(&[key.map_or(Answer::Nothing, Answer::Key)]);
                }
                Action::Store(_) => {
                    let keep = self.shaped.as_mut().and_then(|shaped| shaped.keep.take());
                    self.to_store = keep.into_iter().flat_map(Keep::into_all).collect();
                    match self.write_content() {
                        Some(next) => return Ok(next),
                        None => action = Action::Done,
                    }
                }
                Action::Redact(_) | Action::Done => return self.send(),
            }
        }
    }

    /// Asks to store what is next. Its content is moved, because it may be long.
    fn write_content(&mut self) -> Option<WriteNext> {
        let keep = self.to_store.front_mut()?;
        let value = keep.content.take().unwrap_or_default();
        self.step = WriteStep::Content;
        Some(WriteNext::Ask(StoreRequest::Write { key: keep.key.clone(), value, owner: keep.owner.clone() }))
    }

    /// If the store failed, this shapes the result again, from the line.
    fn shape(&self, input: &Input, shaper: &Shaper) -> Result<ShapedResult, Error> {
        let call = call_at(&self.asked.call, self.has_store, input.store_failure.as_deref(), self.now)?;
        shaper.shape_result(&self.result.over(&self.line), &call)
    }

    fn send(&mut self) -> Result<WriteNext, Error> {
        let mut shaped = self.shaped.take();
        let line = match &mut shaped {
            Some(shaped) if !shaped.unchanged && !passes_whole(shaped) => {
                let returned = self.result.over(&self.line);
                let is_error = member(&returned, "isError").is_some_and(|flag| flag.span() == "true");
                shaped.is_error |= is_error;
                let result = shaped.to_json(&returned)?;
                let mut edits = Edits::of(&self.line);
                edits.replace(returned.span(), result);
                Some(edits.apply())
            }
            _ => None,
        };
        Ok(WriteNext::Send(line, shaped.map(Box::new)))
    }
}

/// Whether a result has no known form, and fits: it answers the call all the same.
fn passes_whole(shaped: &ShapedResult) -> bool {
    !shaped.is_result && !shaped.is_error && shaped.receipt.as_ref().is_some_and(|receipt| receipt.steps.is_empty())
}
