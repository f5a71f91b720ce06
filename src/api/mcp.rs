//! A CallToolResult in, a CallToolResult out: what MCP adapters do, but for carrying values.
//!
//! - Texts and structured content are shaped, each within the budget, and tell the same: JSON in a text as
//!   JSON, a list that came as a block for each item as a list.
//! - All else passes: images, audio, blobs, links, annotations, `_meta` of others, a question to the client.
//! - Where a tool has an output schema, structured content is valid by it or, where it may be widened, by
//!   the schema that [`Shaper::tool`] tells clients. Where it has none, the data is sent once.
//! - A result that explains an error has no structured content, because that would have to keep the schema.

mod host;
mod preserve;
mod result;
mod rules;
mod tool;
mod tool_result;
mod weight;

pub use result::{Block, Channel, ShapedResult};
pub use tool::ShapedTool;

use crate::api::shaper::Shaper;
use crate::api::snapshot;
use crate::base::error::Error;
use crate::base::json_string;
use crate::ladder::run::{Run, own_text};
use crate::outcome::shaped::Outcome;
use crate::outcome::shaped::Shaped;
use crate::render::error_result;
use crate::request::call::{Call, Controls, is_callers_fault};
use crate::request::policy::{MIN_BUDGET, Schema, Settings};
use crate::request::stored_id::{Form, Id};
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::plain_text::PlainText;
use crate::value::rate_limit::{self, Fault};
use crate::value::source::{self, Kind, Source};
use crate::value::token_count::Measure;
use host::Host;
use preserve::Preserved;
use result::{Draft, Structured};
use rules::Rules;
use tool_result::{Part, Returned, ToolResult};
use weight::Weight;

/// Beside the heaviest part of a result others stay as they are if they take no more of the budget than this.
const BESIDE: usize = 4;
/// How much of an error's text is searched for a rate limit.
const ERROR_CHARS: usize = 2048;
/// A host's limit in bytes or characters is met by trying; no text takes more tries.
const TRIES: usize = 16;

impl Shaper {
    /// Shapes what a tool returned: a CallToolResult, or a value of its own, which is put into one.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` and `TOO_DEEP` from reading the value; `INVALID_CALL` where cursors expire and the
    /// call does not say what time it is.
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

    /// The result for an upstream's rate limit, if what a tool threw tells of one: an error with the text of
    /// [`rate_limit`](Self::rate_limit). `None` for a tool that the policy leaves alone.
    pub fn rate_limit_result<F: Fault>(&self, error: F, call: &Call, now: Option<u64>) -> Option<ShapedResult> {
        self.policy().settings(call.tool())?;
        self.rate_limit(error, call, now).map(|shaped| ShapedResult::error(shaped, false))
    }

    /// The result for what a store holds under `key`, if it is what serves the call: see
    /// [`shape_snapshot`](Self::shape_snapshot).
    ///
    /// # Errors
    /// As [`shape`](Self::shape) has.
    pub fn shape_snapshot_result(&self, key: &str, content: &str, call: &Call) -> Result<Option<ShapedResult>, Error> {
        let Some(settings) = self.settings(call)? else { return Ok(None) };
        let Some((form, id)) = snapshot::serving(settings, key, content, call) else { return Ok(None) };
        let (value, is_text) = match form {
            Form::Json => (AnySource::new(JsonText::parse(content)?), false),
            Form::Text => (AnySource::new(PlainText::new(content)), true),
        };
        let part = Part { block: None, value, given: Some(content), is_text };
        let shaping = Shaping { settings, call, host: Host::of(call.client()), snapshot: Some(id) };
        shaping.fitted(|settings| shaping.value(&part, settings)).map(Some)
    }

    fn shape_any_result(&self, value: &AnySource<'_>, call: &Call) -> Result<ShapedResult, Error> {
        let Some(settings) = self.settings(call)? else { return ShapedResult::left_alone(value) };
        let shaping = Shaping { settings, call, host: Host::of(call.client()), snapshot: None };
        match Returned::read(value)? {
            Returned::Unfinished => Ok(ShapedResult::passed()),
            Returned::Value(value) => {
                let part = Part { is_text: value.kind() == Kind::String, ..Part::of(&value) };
                shaping.fitted(|settings| shaping.value(&part, settings))
            }
            Returned::Result(result) => {
                if let Some(limit) = self.flattened_rate_limit(&result, call)? {
                    return Ok(ShapedResult::error(limit, true));
                }
                let texts: Vec<Part<'_>> = result.texts.iter().map(tool_result::Text::part).collect();
                shaping.fitted(|settings| shaping.result(&result, &texts, settings))
            }
        }
    }

    /// The rate limit that an error's text tells of, where an SDK kept nothing else of what was thrown.
    fn flattened_rate_limit(&self, result: &ToolResult<'_>, call: &Call) -> Result<Option<Shaped>, Error> {
        if !result.is_error {
            return Ok(None);
        }
        for text in &result.texts {
            let start = text.start(ERROR_CHARS)?;
            if result::is_rate_limit(&start) {
                return Ok(None);
            }
            let body = serde_json::from_str(&start).unwrap_or(serde_json::Value::String(start));
            if rate_limit::find(&body, call.now()).is_some() {
                return Ok(self.rate_limit(&body, call, call.now()));
            }
        }
        Ok(None)
    }
}

/// What one result is shaped under.
struct Shaping<'a> {
    settings: &'a Settings,
    call: &'a Call,
    host: Host,
    /// The stored result that answers the call, if it is not the tool that does.
    snapshot: Option<Id>,
}

impl Shaping<'_> {
    fn measure(&self) -> Measure {
        Measure { encoding: self.settings.encoding }
    }

    /// The first draft that is within the policy's and the host's limits, each with less to spend than the one
    /// before.
    fn fitted(&self, draft: impl Fn(&Settings) -> Result<Draft, Error>) -> Result<ShapedResult, Error> {
        let budget = self.settings.budget().min(self.host.tokens().max(MIN_BUDGET));
        let (mut spend, mut tries) = (budget, 0);
        loop {
            let draft = draft(&self.settings.within(spend))?;
            let tokens = draft.heaviest().tokens;
            let mut share = self.host.share(draft.weight, draft.structured_weight).unwrap_or(1.0);
            share = share.min(budget as f64 / tokens.max(1) as f64);
            tries += 1;
            if share >= 1.0 || tries == TRIES {
                return Ok(draft.finish(budget));
            }
            // A little less than the share, because what is cut goes by whole rows and lines.
            spend = (tokens.min(spend) as f64 * share * 0.96) as usize;
        }
    }

    /// Sends a value or a text down the ladder.
    fn shape(&self, part: &Part<'_>, settings: &Settings) -> Result<Shaped, Error> {
        let mut run = Run { is_text: part.is_text, snapshot: self.snapshot, ..Run::new(settings, self.call) };
        let shaped = run.shape(&part.value, part.given);
        held(run.explained(shaped, &part.value)?, part)
    }

    /// The same, and structured content that goes with it where the tool promises some and its own is not to
    /// stay.
    fn shape_data(&self, part: &Part<'_>, settings: &Settings) -> Result<(Shaped, Option<Structured>), Error> {
        let preserved =
            self.call.output_schema().filter(|schema| settings.schema == Schema::Preserve && schema.is_object());
        let asks = self.call.controls(settings).unwrap_or_default();
        if let Some(schema) = preserved.filter(|_| asks.fields.is_empty() && asks.asks_for_rows()) {
            return self.preserve(&part.value, schema, settings);
        }
        let shaped = self.shape(part, settings)?;
        if shaped.unchanged || shaped.is_error || self.call.output_schema().is_none() {
            return Ok((shaped, None));
        }
        let Some(schema) = preserved else {
            let structured = result::structured_form(&shaped.text);
            return Ok((shaped, Some(Structured::alone(structured))));
        };
        let (told, json) = self.preserve(&part.value, schema, settings)?;
        // Fields that were asked for stand in the content alone, where no schema rules.
        Ok((if !asks.fields.is_empty() && json.is_some() { shaped } else { told }, json))
    }

    /// A value shrunk within its schema: what the content tells, and the structured content; an error where the
    /// schema leaves no way.
    fn preserve(
        &self,
        value: &AnySource<'_>,
        schema: &serde_json::Value,
        settings: &Settings,
    ) -> Result<(Shaped, Option<Structured>), Error> {
        let mut controls = self.call.controls(settings)?;
        if !std::mem::take(&mut controls.fields).is_empty() {
            // Then page and cursor are those of the part that was asked for.
            controls = Controls::default();
        }
        let mut run = Run { snapshot: self.snapshot, ..Run::new(settings, self.call) };
        run.before = (run.measure.estimate(value)?, false);
        run.asked = Some((value.clone(), controls.clone()));
        let cx = run.context(&controls, "");
        let telling = cx.telling(run.stored()?);
        match preserve::fit(value, &Rules::of(schema, value)?, run.before.0, &telling) {
            Err(error) if is_callers_fault(&error) => Ok((run.refuse(&error, &[]), None)),
            Err(error) => Err(error),
            Ok(Some(Preserved { json, text, tokens, link })) => {
                let shaped = run.finish(text, tokens, vec!["preserve"], Outcome::Changed);
                Ok((held(run.keeping(shaped), &Part::of(value))?, Some(Structured { json, link })))
            }
            Ok(None) => {
                let exact = run.measure.count(&value.json()?);
                let fit = error_result::over_budget(exact, &Default::default(), &cx);
                Ok((run.finish(fit.text, fit.tokens, vec!["error"], Outcome::Error), None))
            }
        }
    }

    /// A value of the tool's own, or what was stored of one.
    fn value(&self, part: &Part<'_>, settings: &Settings) -> Result<Draft, Error> {
        if part.value.kind() == Kind::Null {
            return Ok(self.nothing(None, settings));
        }
        let (shaped, structured) = self.shape_data(part, settings)?;
        let mut draft = Draft::changed(None, &shaped, vec![Block::text(&shaped.text)], Weight::default());
        match (self.call.output_schema(), structured) {
            (Some(_), None) if shaped.unchanged => {
                draft.structure(Structured::alone(part.value.json()?.into_owned()), self.measure());
            }
            (Some(_), Some(structured)) => draft.structure(structured, self.measure()),
            _ => {}
        }
        Ok(draft)
    }

    /// A CallToolResult; `texts` are what its text blocks say.
    fn result<'s, 'v: 's>(
        &self,
        result: &ToolResult<'v>,
        texts: &[Part<'s>],
        settings: &Settings,
    ) -> Result<Draft, Error> {
        let structured = match &result.structured {
            Some(value) => Some(self.data(value, texts)?),
            None => None,
        };
        let same = structured.as_ref().is_some_and(|(_, same)| *same);
        let parts: Vec<Part<'s>> = match (&structured, same) {
            (Some((data, _)), true) => vec![data.clone()],
            (Some((data, _)), false) => texts.iter().cloned().chain([data.clone()]).collect(),
            (None, _) => texts.to_vec(),
        };
        // What is heaviest is shaped; structured content always, since the rest is about it.
        let heaviest = match structured {
            Some(_) => parts.len().checked_sub(1),
            None => (0..parts.len()).rev().max_by_key(|&at| parts[at].value.min_bytes(usize::MAX)),
        };
        let Some(main) = heaviest else {
            return Ok(self.nothing(Some(result), settings));
        };
        let mut beside = Weight::default();
        let mut is_little = true;
        for (_, part) in parts.iter().enumerate().filter(|(at, _)| *at != main) {
            match self.weight(part, settings.budget().saturating_sub(beside.tokens))? {
                Some(weight) => beside = beside.and(weight),
                None => is_little = false,
            }
        }
        let fits_beside = is_little;
        is_little &= beside.tokens <= settings.budget() / BESIDE;
        if fits_beside && (is_little || !self.call.asks_for_part()) {
            let room = settings.within(settings.budget() - beside.tokens);
            let (shaped, data) = match result.structured {
                Some(_) => self.shape_data(&parts[main], &room)?,
                None => (self.shape(&parts[main], &room)?, None),
            };
            let has_room = !same || self.weigh_all(texts, settings.budget())?.is_some();
            if shaped.unchanged && has_room {
                return self.unchanged(result, texts, shaped, beside);
            }
            if is_little {
                return self.beside_others(result, texts, &parts[main], same, beside, (shaped, data));
            }
        }
        self.as_list(result, &parts, settings)
    }

    /// A result in which there is nothing to read.
    fn nothing(&self, own: Option<&ToolResult<'_>>, settings: &Settings) -> Draft {
        let mut run = Run::new(settings, self.call);
        run.before = (0, true);
        Draft::unchanged(own, run.finish(String::new(), 0, Vec::new(), Outcome::Unchanged).receipt)
    }

    /// The structured content, and whether the texts tell nothing else; where what the tool returned was wrapped,
    /// that is what is shaped.
    fn data<'s, 'v: 's>(&self, structured: &AnySource<'v>, texts: &[Part<'s>]) -> Result<(Part<'s>, bool), Error> {
        if texts.is_empty() || tool_result::tell_the_same(texts, structured)? {
            return Ok((Part::of(structured), true));
        }
        if structured.kind() == Kind::Object
            && structured.len() == 1
            && let [(key, inside)] = &structured.entries()?[..]
            && key == "\"result\""
            && tool_result::tell_the_same(texts, inside)?
        {
            // Within a schema that is preserved, what is shown and pointed to is the whole of what it describes.
            let is_inside = self.settings.schema == Schema::Widen;
            return Ok((Part::of(if is_inside { inside } else { structured }), true));
        }
        if let [text] = texts
            && tool_result::holds_text(structured, text)?
        {
            // Alone in its object, the text is all there is to shape, and as JSON if that is what it holds.
            let is_alone = structured.len() == 1 && self.settings.schema == Schema::Widen;
            return Ok((if is_alone { text.clone() } else { Part::of(structured) }, true));
        }
        Ok((Part::of(structured), false))
    }

    fn weight(&self, part: &Part<'_>, most: usize) -> Result<Option<Weight>, Error> {
        let text = match (part.given, part.block) {
            (Some(text), _) => text.to_owned(),
            (None, _) if self.measure().is_over(&part.value, most) => return Ok(None),
            (None, Some(_)) => source::text(&part.value)?,
            (None, None) => part.value.json()?.into_owned(),
        };
        Ok(self.measure().fits(&text, most).map(|_| Weight::of(&text, self.measure())))
    }

    fn weigh_all(&self, parts: &[Part<'_>], most: usize) -> Result<Option<Weight>, Error> {
        let mut sum = Weight::default();
        for part in parts {
            match self.weight(part, most.saturating_sub(sum.tokens))? {
                Some(weight) => sum = sum.and(weight),
                None => return Ok(None),
            }
        }
        Ok(Some(sum))
    }

    /// The tool's own result, which fits.
    fn unchanged(
        &self,
        result: &ToolResult<'_>,
        texts: &[Part<'_>],
        shaped: Shaped,
        beside: Weight,
    ) -> Result<Draft, Error> {
        let mut receipt = shaped.receipt;
        receipt.tokens_before += beside.tokens;
        let mut draft = Draft::unchanged(Some(result), receipt);
        draft.weight = self.weigh_all(texts, usize::MAX)?.unwrap_or_default();
        if let Some(structured) = &result.structured {
            draft.structured_weight = Some(Weight::of(&structured.json()?, self.measure()));
        }
        Ok(draft)
    }

    /// The part that was shaped in its place, beside others that stay as they are.
    fn beside_others(
        &self,
        result: &ToolResult<'_>,
        texts: &[Part<'_>],
        main: &Part<'_>,
        same: bool,
        beside: Weight,
        (shaped, data): (Shaped, Option<Structured>),
    ) -> Result<Draft, Error> {
        let replaced = match main.block {
            None if same => texts.first().and_then(|text| text.block),
            block => block,
        };
        let mut content = Vec::new();
        for (at, block) in result.blocks.iter().enumerate() {
            let is_text = texts.iter().any(|text| text.block == Some(at));
            match is_text {
                true if Some(at) == replaced => {
                    content.push(Block::Json(tool_result::with_text(block, &json_string::quoted(&shaped.text))?));
                }
                true if same => {}
                _ => content.push(Block::Own(at)),
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
                draft.structured_weight = Some(Weight::of(&structured.json()?, self.measure()));
            }
            (_, Some(structured)) => draft.structure(structured, self.measure()),
            _ => {}
        }
        Ok(draft)
    }

    /// Several parts as a list of them, because they cannot stand side by side.
    fn as_list(&self, result: &ToolResult<'_>, parts: &[Part<'_>], settings: &Settings) -> Result<Draft, Error> {
        let mut items = Vec::new();
        for part in parts {
            let json = part.value.json()?;
            items.push(match part.block {
                Some(at) => tool_result::as_item(&result.blocks[at], &json)?,
                None => json.into_owned(),
            });
        }
        let list = format!("[{}]", items.join(","));
        let value = AnySource::new(JsonText::parse(&list)?);
        let part = Part { block: None, value, given: Some(&list), is_text: false };
        let shaped = self.shape(&part, settings)?;
        if shaped.unchanged {
            let texts: Vec<Part<'_>> = parts.iter().filter(|part| part.block.is_some()).cloned().collect();
            return self.unchanged(result, &texts, shaped, Weight::default());
        }
        let first = parts.iter().filter_map(|part| part.block).min();
        let mut content = Vec::new();
        for at in 0..result.blocks.len() {
            match parts.iter().any(|part| part.block == Some(at)) {
                true if Some(at) == first => content.push(Block::text(&shaped.text)),
                true => {}
                false => content.push(Block::Own(at)),
            }
        }
        let mut draft = Draft::changed(Some(result), &shaped, content, Weight::default());
        if let (Some(value), Some(schema), false) =
            (&result.structured, self.call.output_schema(), draft.result.is_error)
        {
            if settings.schema == Schema::Widen || !schema.is_object() {
                draft.structure(Structured::alone(result::structured_form(&shaped.text)), self.measure());
            } else {
                match self.preserve(value, schema, settings)? {
                    (_, Some(structured)) => draft.structure(structured, self.measure()),
                    (error, None) => {
                        let content = vec![Block::text(&error.text)];
                        return Ok(Draft::changed(Some(result), &error, content, Weight::default()));
                    }
                }
            }
        }
        Ok(draft)
    }
}

/// The same with the content of what is to be stored, which no host holds of a part of a result.
fn held(mut shaped: Shaped, part: &Part<'_>) -> Result<Shaped, Error> {
    if let Some(keep) = &mut shaped.keep
        && keep.content.is_none()
    {
        keep.content = Some(match part.is_text || part.given.is_some() {
            true => own_text(&part.value, part.given)?,
            false => part.value.json()?.into_owned(),
        });
    }
    Ok(shaped)
}
