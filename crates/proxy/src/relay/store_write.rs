//! A result of a tool on its way to the client: shaped, and stored before it is sent.

use std::ops::Range;

use toolshape::host::{
    Content, Heard, Input, JsonIndex, JsonText, KeepValue, Next, Redacts, Shapeable, ShapedResult, Slots, handle_of,
    quoted,
};
use toolshape::{Call, Error, Keep, Shaper};

use crate::account::{self, CountedKind};

use super::edits::Edits;
use super::message::{Message, member};
use super::pending::ToolCall;
use super::store::StoreWait;
use super::time::call_at;
use super::{Effect, Relay, answer};

/// A result that waits for the store.
pub(super) struct StoreWrite {
    /// The id of the request that it answers, if it answers one.
    pub id: Option<String>,
    returned: ReturnedLine,
    call: Call,
    state: KeepValue<ShapedResult>,
    /// The most tokens, of several results of one turn.
    most: Option<usize>,
    /// The batch that the line is a part of, and its place there.
    pub of_batch: Option<(u64, Range<usize>)>,
}

/// A line of the server, and the result in it.
struct ReturnedLine {
    line: String,
    result: JsonIndex,
}

/// The line to send and the result in it, if they are not as the server wrote them, and what was made of the result.
pub(super) type Kept = (Option<(String, String)>, Box<ShapedResult>);

impl StoreWrite {
    pub fn new(id: Option<&str>, line: String, result: JsonIndex, call: Call, has_store: bool) -> Self {
        let state = KeepValue::new(call.clone(), has_store, Redacts::Nothing);
        let returned = ReturnedLine { line, result };
        Self { id: id.map(str::to_owned), returned, call, state, most: None, of_batch: None }
    }

    /// The line as the server wrote it.
    pub fn into_line(self) -> String {
        self.returned.line
    }

    /// The next step, as [`KeepValue::step`].
    ///
    /// # Errors
    /// A result that cannot be read: it passes.
    pub fn step(&mut self, heard: Vec<Heard>, slots: &mut Slots<'_>, shaper: &Shaper) -> Result<Next<Kept>, Error> {
        Ok(match self.state.step(heard, &self.returned, slots, shaper)? {
            Next::Wait(effects) => Next::Wait(effects),
            Next::Done(shaped) => Next::Done(self.returned.with(shaped)?),
        })
    }
}

impl ReturnedLine {
    fn with(&self, mut shaped: ShapedResult) -> Result<Kept, Error> {
        if shaped.unchanged || passes_whole(&shaped) {
            return Ok((None, Box::new(shaped)));
        }
        let returned = self.result.over(&self.line);
        shaped.is_error |= member(&returned, "isError").is_some_and(|flag| flag.span() == "true");
        let mut edits = Edits::of(&self.line);
        let result = shaped.to_json(&returned)?;
        edits.replace(returned.span(), result.clone());
        Ok((Some((edits.apply(), result)), Box::new(shaped)))
    }
}

/// The line does not change, so it is shaped again from itself.
impl Shapeable for ReturnedLine {
    type Made = ShapedResult;

    fn shape(&self, shaper: &Shaper, _: &Input, _: &[String], call: &Call) -> Result<ShapedResult, Error> {
        shaper.shape_result(&self.result.over(&self.line), call)
    }

    fn keep(made: &mut ShapedResult) -> Option<&mut Keep> {
        made.keep.as_mut()
    }

    fn own_text(&self) -> String {
        self.result.over(&self.line).span().to_owned()
    }

    fn whole(&self, shaper: &Shaper, call: &Call) -> Result<Vec<Content>, Error> {
        shaper.result_contents(&self.result.over(&self.line), call)
    }
}

impl Relay {
    /// Shapes the result of a tool, which is a part of the message.
    pub(super) fn shape(
        &mut self,
        message: &Message<'_>,
        result: &JsonText<'_>,
        asked: &ToolCall,
        now: u64,
    ) -> Vec<Effect> {
        let result = JsonIndex::within(result, message.line);
        // What cannot be read is the client's to judge.
        let Ok(call) = call_at(&asked.call, false, now) else { return vec![Effect::Pass] };
        let kept = StoreWrite::new(message.id(), message.line.to_owned(), result, call, self.stores());
        self.keep(Box::new(kept), Slots::default(), Vec::new(), true)
    }

    /// `has_line`: whether the pump still has the line.
    pub(super) fn keep(
        &mut self,
        mut kept: Box<StoreWrite>,
        mut slots: Slots<'static>,
        heard: Vec<Heard>,
        has_line: bool,
    ) -> Vec<Effect> {
        // What it has is settled when it comes.
        if heard.is_empty() {
            kept.most = kept.id.as_deref().and_then(|id| self.share(id));
        }
        let stepped = kept.step(heard, &mut slots, &self.narrowed(kept.most));
        let (sent, shaped) = match stepped {
            Ok(Next::Wait(effects)) => return self.ask(StoreWait::Write(kept), slots, effects),
            Ok(Next::Done((sent, shaped))) => (sent, Some(shaped)),
            Err(_) => (None, None),
        };
        let (line, result) = sent.unzip();
        let counted = shaped.as_ref().and_then(|shaped| self.count(&kept, result.as_deref(), shaped));
        let receipt = shaped.and_then(|shaped| shaped.receipt);
        if let Some(id) = &kept.id {
            self.spend(id, receipt.as_ref());
        }
        let receipt = receipt.map(|receipt| Effect::Shaped(Box::new(receipt)));
        let sent = match (kept.of_batch.take(), line) {
            (Some((batch, place)), line) => {
                // The batch has the message with its secrets.
                let line = line.or_else(|| self.redaction.is_some().then(|| kept.into_line()));
                self.stored_in_batch(batch, place, line)
            }
            (None, Some(line)) => Some(Effect::ToClient(line)),
            (None, None) if has_line => Some(Effect::Pass),
            (None, None) => Some(Effect::ToClient(kept.into_line())),
        };
        receipt.into_iter().chain(counted).chain(sent).collect()
    }

    /// A page that the tool was called again for is a part of the result that the model has seen.
    fn count(&self, kept: &StoreWrite, sent: Option<&str>, shaped: &ShapedResult) -> Option<Effect> {
        let own = kept.returned.result.over(&kept.returned.line);
        let is_more = kept.call.asks_for_more();
        let kind = if is_more { CountedKind::Read } else { CountedKind::Result };
        let shown = sent.map(JsonText::parse).transpose().ok()?;
        let mut counted = self.counted(kind, &kept.call, shown.as_ref().unwrap_or(&own))?;
        counted.without = match sent {
            _ if is_more => 0,
            None => counted.with,
            Some(_) => account::shown(&own, &kept.call, self.measure()).ok()?,
        };
        let keeps = shaped.keep.iter().flat_map(|keep| [Some(keep), keep.images.as_deref()]).flatten();
        counted.handles.extend(keeps.filter_map(|keep| handle_of(&keep.ticket).map(str::to_owned)));
        Some(Effect::Counted(counted))
    }

    /// The message of an error as a result, which the store keeps whole.
    pub(super) fn store_thrown(&mut self, id: &str, whole: &str, asked: &ToolCall, now: u64) -> Vec<Effect> {
        let kind = if asked.is_modern { r#""resultType":"complete","# } else { "" };
        let text = quoted(whole);
        let result = format!(r#"{{{kind}"content":[{{"type":"text","text":{text}}}],"isError":true}}"#);
        let line = answer(id, &result);
        let own = &line[line.len() - result.len() - 1..line.len() - 1];
        let index = JsonText::parse(own).map(|result| JsonIndex::within(&result, &line));
        let (Ok(result), Ok(call)) = (index, call_at(&asked.call, false, now)) else { return vec![Effect::Pass] };
        let kept = StoreWrite::new(Some(id), line, result, call, true);
        self.keep(Box::new(kept), Slots::default(), Vec::new(), false)
    }
}

/// Whether a result has no known form, and fits: it answers the call all the same.
fn passes_whole(shaped: &ShapedResult) -> bool {
    !shaped.is_result && !shaped.is_error && shaped.receipt.as_ref().is_some_and(|receipt| receipt.steps.is_empty())
}
