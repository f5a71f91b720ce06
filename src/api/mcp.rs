//! Turns a CallToolResult into a shaped CallToolResult. MCP adapters only pass values in and out.
//!
//! - Texts and structured content are shaped, each within the budget, and have the same content: JSON in a text as
//!   JSON, a list with one block for each item as a list.
//! - Links, and blocks of a form that MCP does not have, are data: they pass if they fit with the rest, and are shaped
//!   otherwise.
//! - All other parts pass: images, audio, blobs, annotations, foreign `_meta`, a question to the client.
//! - If a tool has an output schema, structured content is valid by it or, if it may be widened, by the schema that
//!   [`Shaper::tool`] lists for clients. If it has none, the data is sent once.
//! - A result that explains an error has no structured content, because that would have to follow the schema.

mod candidate;
mod channel_size;
mod host;
mod kept_result;
mod parts;
mod plan;
mod preserve;
mod result;
mod rules;
mod thrown;
mod tool;
mod tool_result;

pub use kept_result::KeptResult;
pub use plan::Plan;
pub use result::{Block, Channel, Member, ShapedResult};
pub use tool::ShapedTool;
pub use tool_result::Content;

use crate::api::shaper::Shaper;
use crate::api::snapshot;
use crate::base::error::Error;
use crate::base::json_string;
use crate::ladder::job::Job;
use crate::ladder::refusal;
use crate::ladder::run::Run;
use crate::ladder::shape;
use crate::outcome::receipt::Step;
use crate::outcome::receipt::Weight;
use crate::outcome::shaped::Outcome;
use crate::outcome::shaped::Receipts;
use crate::outcome::shaped::Shaped;
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::{Call, Controls, is_callers_fault};
use crate::request::policy::{MIN_BUDGET, Schema, Settings};
use crate::request::view::Fit;
use crate::value::any_source::AnySource;
use crate::value::rate_limit::{self, Fault, Said};
use crate::value::source::{self, Kind, Source};
use crate::value::token_count::Measure;
use channel_size::ChannelSize;
use host::Host;
use parts::Parts;
use preserve::Preserved;
use result::{Draft, Structured};
use rules::Rules;
use tool_result::{Part, Returned, ToolResult};

/// The parts beside the heaviest one stay unchanged if they take at most one part in so many of the budget.
const BESIDE: usize = 4;
/// The length of the part of an error's text that is searched for a rate limit.
const ERROR_CHARS: usize = 2048;
/// A host's limit in bytes or characters is met by trying; this is the limit of tries, which no text needs.
const TRIES: usize = 16;

impl Shaper {
    /// Shapes what a tool returned: a CallToolResult, or another value, which is put into one.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` and `TOO_DEEP` from reading the value; `INVALID_CALL` if cursors expire and the call has no
    /// time.
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use toolshape::{Call, JsonText, Naming, Policy, Shaper};
    ///
    /// let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": 300 }), Naming::Camel)?);
    /// let rows = json!(vec![json!({ "id": 7, "name": "seven" }); 400]).to_string();
    /// let result = json!({ "content": [{ "type": "text", "text": rows }] }).to_string();
    /// let result = JsonText::parse(&result)?;
    /// let shaped = shaper.shape_result(&result, &Call::default())?.to_json(&result)?;
    /// let shaped: Value = serde_json::from_str(&shaped).unwrap();
    /// assert!(shaped["content"][0]["text"].as_str().unwrap().starts_with(r#"{"paginated":true,"totalItems":400,"#));
    /// assert!(shaped["_meta"]["toolshape/receipt"]["tokensAfter"].as_u64().unwrap() <= 300);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn shape_result<'v, S: Source + 'v>(&self, result: &S, call: &Call) -> Result<ShapedResult, Error> {
        self.shape_any_result(&AnySource::new(result.clone()), call)
    }

    /// The result for an upstream's rate limit, if what a tool threw reports one: an error with the text of
    /// [`rate_limit`](Self::rate_limit). `None` for a tool whose results the policy does not shape.
    pub fn rate_limit_result<F: Fault>(&self, error: F, call: &Call, now: Option<u64>) -> Option<ShapedResult> {
        self.said_rate_limit_result(error, Said::Itself, call, now)
    }

    fn said_rate_limit_result<F: Fault>(
        &self,
        error: F,
        said: Said<'_>,
        call: &Call,
        now: Option<u64>,
    ) -> Option<ShapedResult> {
        if self.policy().settings(call.tool()).is_left_alone() {
            return None;
        }
        self.rate_limit_said(error, said, call, now).map(|shaped| ShapedResult::error(shaped, false))
    }

    /// The result of the stored content under `key`, if it can answer the call: see
    /// [`shape_snapshot`](Self::shape_snapshot).
    ///
    /// # Errors
    /// As [`shape`](Self::shape).
    pub fn shape_snapshot_result(&self, key: &str, content: &str, call: &Call) -> Result<Option<ShapedResult>, Error> {
        let settings = self.settings(call)?;
        if let Some(refused) = snapshot::forbidden(settings, call) {
            return Ok(Some(ShapedResult::error(refused, false)));
        }
        let Some((form, handle)) = snapshot::serving(settings, key, content, call) else { return Ok(None) };
        let part = Part::new(ToolOutput { snapshot: Some(handle), ..ToolOutput::stored(form, content, call)? });
        Shaping { settings, call, host: Host::of(call.client()) }.shape_value(&part).map(Some)
    }

    /// The result for a call whose controls are known to be wrong before the tool runs: a page or a size out of range, a
    /// cursor that is malformed, expired, or of another call. `None` for every other call.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape).
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::{Call, Naming, Shaper};
    /// let call = |page| Call::new(&json!({ "tool": "list", "arguments": { "page": page } }), Naming::Camel);
    /// assert!(Shaper::default().check_call(&call(0)?)?.is_some_and(|refused| refused.is_error));
    /// assert_eq!(Shaper::default().check_call(&call(2)?)?, None);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn check_call(&self, call: &Call) -> Result<Option<ShapedResult>, Error> {
        let settings = self.settings(call)?;
        if settings.is_left_alone() {
            return Ok(None);
        }
        let controls = call.controls(settings);
        let wrong = controls.and_then(|controls| snapshot::cursor(settings, &controls, call)).err();
        Ok(wrong.and_then(|error| self.refusal(&error, call)).map(|refused| ShapedResult::error(refused, false)))
    }

    fn shape_any_result(&self, value: &AnySource<'_>, call: &Call) -> Result<ShapedResult, Error> {
        let settings = self.settings(call)?;
        if settings.is_left_alone() {
            return ShapedResult::left_alone(value);
        }
        if let Err(error) = call.check_redacted() {
            return Ok(ShapedResult::error(self.refused(&error, call), false));
        }
        let shaping = Shaping { settings, call, host: Host::of(call.client()) };
        match Returned::read(value)? {
            Returned::Unfinished => ShapedResult::passed(value),
            Returned::Value(value) => shaping.shape_value(&Part::new(ToolOutput::value(&value, call))),
            Returned::Result(result) => match self.flattened_rate_limit(&result, call)? {
                Some(limit) => Ok(ShapedResult::error(limit, true)),
                None => shaping.shape_tool_result(&result),
            },
        }
    }

    /// The rate limit that an error's text reports, for SDKs that keep only the text of what was thrown.
    fn flattened_rate_limit(&self, result: &ToolResult<'_>, call: &Call) -> Result<Option<Shaped>, Error> {
        if !result.is_error {
            return Ok(None);
        }
        for text in &result.texts {
            let start = text.start(ERROR_CHARS)?;
            let body = serde_json::from_str(&start).unwrap_or(serde_json::Value::String(start));
            // A rate limit that was already detected.
            if body["type"] == rate_limit::TYPE {
                return Ok(None);
            }
            if let Some(limit) = self.rate_limit_said(&body, Said::Returned, call, call.now()) {
                return Ok(Some(limit));
            }
        }
        Ok(None)
    }
}

/// What one result is shaped with.
struct Shaping<'a> {
    settings: &'a Settings,
    call: &'a Call,
    host: Host,
}

impl Shaping<'_> {
    /// A value that is no CallToolResult, or what was stored of one.
    fn shape_value(&self, part: &Part<'_>) -> Result<ShapedResult, Error> {
        self.fitted(std::slice::from_ref(part), |settings| self.value(part, settings))
    }

    fn shape_tool_result(&self, result: &ToolResult<'_>) -> Result<ShapedResult, Error> {
        let texts: Vec<Part<'_>> = result.texts.iter().map(|text| text.part(self.call)).collect();
        let parts = self.parts(result, texts)?;
        self.fitted(&parts.all, |settings| self.result(result, &parts, settings))
    }

    fn measure(&self) -> Measure {
        Measure { encoding: self.settings.encoding }
    }

    /// The first draft that is within the limits of the policy and the host; each draft has less to spend than the one
    /// before. The text to store is that of one of the `parts`, or the draft already contains it.
    fn fitted(
        &self,
        parts: &[Part<'_>],
        draft: impl Fn(&Settings) -> Result<Draft, Error>,
    ) -> Result<ShapedResult, Error> {
        let budget = self.settings.room().min(self.host.tokens().max(MIN_BUDGET));
        let (mut spend, mut tries) = (budget, 0);
        loop {
            let mut draft = draft(&self.settings.within(spend))?;
            let tokens = draft.heaviest().tokens;
            let mut share = self.host.share(draft.size, draft.structured_size).unwrap_or(1.0);
            share = share.min(budget as f64 / tokens.max(1) as f64);
            tries += 1;
            if share >= 1.0 || tries == TRIES {
                parts.iter().for_each(|part| part.job.deliver(&mut draft.result.keep));
                return Ok(draft.finish(budget));
            }
            // A little less than the share, because cuts are at whole rows and lines.
            spend = (tokens.min(spend) as f64 * share * 0.96) as usize;
        }
    }

    /// The same, with structured content if the tool has an output schema and its own structured content does not stay.
    fn shape_data(&self, part: &Part<'_>, settings: &Settings) -> Result<(Shaped, Option<Structured>), Error> {
        let preserved =
            self.call.output_schema().filter(|schema| settings.schema == Schema::Preserve && schema.is_object());
        let asks = self.call.controls(settings).unwrap_or_default();
        if let Some(schema) = preserved.filter(|_| asks.fields.is_empty() && asks.asks_for_rows()) {
            return self.preserve(part, schema, settings);
        }
        let shaped = shape::shape(&part.job, settings)?;
        if shaped.unchanged || shaped.is_error || self.call.output_schema().is_none() {
            return Ok((shaped, None));
        }
        let Some(schema) = preserved else {
            let structured = result::structured_form(&shaped);
            return Ok((shaped, Some(Structured::alone(structured))));
        };
        let (told, json) = self.preserve(part, schema, settings)?;
        // Fields that the caller asked for are only in the content, which no schema describes.
        Ok((if !asks.fields.is_empty() && json.is_some() { shaped } else { told }, json))
    }

    /// A value shrunk within its schema: the content, and the structured content; an error if the schema does not allow
    /// it.
    fn preserve(
        &self,
        part: &Part<'_>,
        schema: &serde_json::Value,
        settings: &Settings,
    ) -> Result<(Shaped, Option<Structured>), Error> {
        let asked = self.call.controls(settings)?;
        // With fields, page and cursor belong to the part that the fields name.
        let controls = if asked.fields.is_empty() { asked } else { Controls::default() };
        let mut run = Run::new(&part.job, settings, controls);
        let weight = run.weigh()?;
        let cx = run.view("");
        let telling = cx.telling(run.stored()?);
        match preserve::fit(part.value(), &Rules::of(schema, part.value(), &run.work)?, weight, &telling) {
            Err(error) if is_callers_fault(&error) => Ok((refusal::refuse(&run.receipts, &error, &[]), None)),
            Err(error) => Err(error),
            Ok(Some(Preserved { json, text, tokens, link })) => {
                let shaped = run.receipts.shaped(Fit { text, tokens }, vec![Step::Preserve], Outcome::Envelope);
                Ok((part.job.keeping(shaped), Some(Structured { json, link })))
            }
            Ok(None) => shape::over_budget(&run, part.value(), Vec::new(), &cx).map(|shaped| (shaped, None)),
        }
    }

    /// A value that is no CallToolResult, or what was stored of one.
    fn value(&self, part: &Part<'_>, settings: &Settings) -> Result<Draft, Error> {
        if part.value().kind() == Kind::Null {
            return Ok(self.nothing(None, settings));
        }
        let (shaped, structured) = self.shape_data(part, settings)?;
        let mut draft = Draft::changed(None, &shaped, vec![Block::text(&shaped.text)], ChannelSize::default());
        match (self.call.output_schema(), structured) {
            (Some(_), None) if shaped.unchanged => {
                draft.structure(Structured::alone(part.value().json()?.into_owned()), self.measure());
            }
            (Some(_), Some(structured)) => draft.structure(structured, self.measure()),
            _ => {}
        }
        Ok(draft)
    }

    /// A CallToolResult; `texts` are the contents of its text blocks.
    fn result(&self, result: &ToolResult<'_>, parts: &Parts<'_>, settings: &Settings) -> Result<Draft, Error> {
        let Parts { texts, content, all, main, same, .. } = parts;
        let Some(main) = *main else {
            return Ok(self.nothing(Some(result), settings));
        };
        let others = all.iter().enumerate().filter(|(at, _)| *at != main).map(|(_, part)| part);
        let beside = self.weigh_all(others, settings.room())?;
        let is_little = beside.is_some_and(|beside| beside.tokens <= settings.room() / BESIDE);
        if let Some(beside) = beside.filter(|_| is_little || !self.call.asks_for_part()) {
            let room = settings.within(settings.room() - beside.tokens);
            let (shaped, data) = match result.structured {
                Some(_) => self.shape_data(&all[main], &room)?,
                None => (shape::shape(&all[main].job, &room)?, None),
            };
            let has_room = !*same || self.weigh_all(texts, settings.room())?.is_some();
            if shaped.unchanged && has_room {
                return self.unchanged(result, content, shaped, beside);
            }
            if is_little {
                return self.beside_others(result, parts, &all[main], beside, (shaped, data));
            }
        }
        self.as_list(result, parts, settings)
    }

    /// A result without anything to read.
    fn nothing(&self, own: Option<&ToolResult<'_>>, settings: &Settings) -> Draft {
        let receipts = Receipts::new(settings, self.call, Weight::Exact(0));
        Draft::unchanged(own, receipts.unchanged(Fit { text: String::new(), tokens: 0 }).receipt)
    }

    fn size(&self, part: &Part<'_>, most: usize) -> Result<Option<ChannelSize>, Error> {
        let text = match (part.given(), part.block) {
            (Some(text), _) => text.to_owned(),
            (None, _) if self.measure().is_over(part.value(), most) => return Ok(None),
            (None, Some(_)) if !part.is_block => source::text(part.value())?,
            _ => part.value().json()?.into_owned(),
        };
        Ok(self.measure().fits(&text, most).map(|_| ChannelSize::of(&text, self.measure())))
    }

    /// The size of all parts; `None` if it is over `most` tokens. Blocks are counted together, as a list of them is
    /// written.
    fn weigh_all<'p, 's: 'p>(
        &self,
        parts: impl IntoIterator<Item = &'p Part<'s>>,
        most: usize,
    ) -> Result<Option<ChannelSize>, Error> {
        let (mut sum, mut blocks) = (ChannelSize::default(), Vec::new());
        for part in parts {
            if part.is_block {
                if self.measure().is_over(part.value(), most) || blocks.len() >= most {
                    return Ok(None);
                }
                blocks.push(part.value().json()?);
                continue;
            }
            match self.size(part, most.saturating_sub(sum.tokens))? {
                Some(weight) => sum = sum.and(weight),
                None => return Ok(None),
            }
        }
        let blocks = blocks.join(",");
        let fits = self.measure().fits(&blocks, most.saturating_sub(sum.tokens)).is_some();
        Ok(fits.then(|| sum.and(ChannelSize::of(&blocks, self.measure()))))
    }

    /// The tool's own result, which fits.
    fn unchanged(
        &self,
        result: &ToolResult<'_>,
        content: &[Part<'_>],
        shaped: Shaped,
        beside: ChannelSize,
    ) -> Result<Draft, Error> {
        let mut receipt = shaped.receipt;
        receipt.before = receipt.before.plus(beside.tokens);
        let mut draft = Draft::unchanged(Some(result), receipt);
        draft.size = self.weigh_all(content, usize::MAX)?.unwrap_or_default();
        if let Some(structured) = &result.structured {
            draft.structured_size = Some(ChannelSize::of(&structured.json()?, self.measure()));
        }
        Ok(draft)
    }

    /// The shaped part in its place; the others stay unchanged.
    fn beside_others(
        &self,
        result: &ToolResult<'_>,
        Parts { texts, same, .. }: &Parts<'_>,
        main: &Part<'_>,
        beside: ChannelSize,
        (shaped, data): (Shaped, Option<Structured>),
    ) -> Result<Draft, Error> {
        let replaced = match main.block {
            None if *same => texts.first().and_then(|text| text.block),
            block => block,
        };
        let mut content = Vec::new();
        for (at, block) in result.blocks.iter().enumerate() {
            let is_text = texts.iter().any(|text| text.block == Some(at));
            match Some(at) == replaced {
                true if main.is_block => content.push(Block::text(&shaped.text)),
                true => {
                    content.push(Block::Json(tool_result::with_text(block, &json_string::quoted(&shaped.text))?));
                }
                false if *same && is_text => {}
                false => content.push(Block::Own(at)),
            }
        }
        if replaced.is_none() {
            let after = texts.iter().filter_map(|text| text.block).max().map_or(0, |at| at + 1);
            content.insert(after, Block::text(&shaped.text));
        }
        let mut draft = Draft::changed(Some(result), &shaped, content, beside);
        match (&result.structured, data) {
            (Some(structured), None) if shaped.unchanged => {
                draft.result.structured = Channel::Own;
                draft.structured_size = Some(ChannelSize::of(&structured.json()?, self.measure()));
            }
            (_, Some(structured)) => draft.structure(structured, self.measure()),
            _ => {}
        }
        Ok(draft)
    }

    /// Several parts as one list, because they do not fit side by side.
    fn as_list(&self, result: &ToolResult<'_>, parts: &Parts<'_>, settings: &Settings) -> Result<Draft, Error> {
        let mut items = Vec::new();
        for part in &parts.all {
            let json = part.value().json()?;
            items.push(match part.block {
                Some(at) if !part.is_block => tool_result::as_item(&result.blocks[at], &json)?,
                _ => json.into_owned(),
            });
        }
        let list = format!("[{}]", items.join(","));
        let job = Job::new(ToolOutput { is_lent: false, ..ToolOutput::json(&list, self.call)? });
        let mut shaped = shape::shape(&job, settings)?;
        job.deliver(&mut shaped.keep);
        if shaped.unchanged {
            return self.unchanged(result, &parts.content, shaped, ChannelSize::default());
        }
        let read = parts.content.iter().filter_map(|part| part.block);
        let first = read.clone().min();
        let mut content = Vec::new();
        for at in 0..result.blocks.len() {
            match read.clone().any(|block| block == at) {
                true if Some(at) == first => content.push(Block::text(&shaped.text)),
                true => {}
                false => content.push(Block::Own(at)),
            }
        }
        let mut draft = Draft::changed(Some(result), &shaped, content, ChannelSize::default());
        if let (Some(value), Some(schema), false) =
            (&result.structured, self.call.output_schema(), draft.result.is_error)
        {
            if settings.schema == Schema::Widen || !schema.is_object() {
                draft.structure(Structured::alone(result::structured_form(&shaped)), self.measure());
            } else {
                match self.preserve(&Part::of(value, self.call), schema, settings)? {
                    (_, Some(structured)) => draft.structure(structured, self.measure()),
                    (error, None) => {
                        let content = vec![Block::text(&error.text)];
                        return Ok(Draft::changed(Some(result), &error, content, ChannelSize::default()));
                    }
                }
            }
        }
        Ok(draft)
    }
}
