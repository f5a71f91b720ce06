//! Shapes one CallToolResult, or another value: which of its parts is shaped, what stays with it, and the draft
//! that fits the policy and the host.

use std::borrow::Cow;

use crate::api::pass;
use crate::base::error::Error;
use crate::base::json_string::{self};
use crate::ladder::draft::Draft;
use crate::ladder::shape;
use crate::outcome::receipt::{Reason, Step};
use crate::outcome::shaped::{Outcome, Shaped};
use crate::outcome::to_store::Keep;
use crate::request::call::{Call, Controls, is_callers_fault};
use crate::request::context::Fit;
use crate::request::policy::{SIDE_PARTS, Schema, Settings};
use crate::value::any_source::AnySource;
use crate::value::source::{Kind, Source};
use crate::value::token_count::Measure;

use super::host::{Host, TRIES, next_spend};
use super::images::Images;
use super::parts::Parts;
use super::parts::ResultPart;
use super::preserve::{self, Preserved};
use super::returned::{self, ToolResult};
use super::rules::Rules;
use super::shaped_result::{self, Block, Channel, ShapedResult, SizedResult, Structured};
use super::text_size::TextSize;

/// What one result is shaped with.
pub(super) struct ResultShaper<'a> {
    pub settings: &'a Settings,
    pub call: &'a Call,
    pub host: Host,
}

impl ResultShaper<'_> {
    /// A value that is not a CallToolResult, or what was stored of one.
    pub fn shape_value(&self, part: &ResultPart<'_>) -> Result<ShapedResult, Error> {
        self.fitted(None, |budget| self.value(part, budget), |keep| part.job.deliver(keep))
    }

    /// What a server behind this one has shaped already is a page of something, and passes if it fits. Whoever only claims
    /// so gains nothing: the budget holds.
    pub fn shape_tool_result(&self, result: &ToolResult<'_>) -> Result<ShapedResult, Error> {
        if result.is_error && !self.call.has_failed() {
            let (settings, call) = (&self.settings.for_errors(), &self.call.failed());
            return ResultShaper { settings, call, host: self.host }.shape_tool_result(result);
        }
        // Such a tool's schema is listed as it is.
        if self.call.has_ui && !self.host.has_ui {
            let (settings, call) = (&self.settings.preserving(), &Call { has_ui: false, ..self.call.clone() });
            return ResultShaper { settings, call, host: self.host }.shape_tool_result(result);
        }
        if result.is_shaped && !self.call.asks_for_part() {
            let settings = &self.settings.for_shaped();
            return ResultShaper { settings, call: self.call, host: self.host }.shape_unshaped(result);
        }
        self.shape_unshaped(result)
    }

    fn shape_unshaped(&self, result: &ToolResult<'_>) -> Result<ShapedResult, Error> {
        if result.images.is_empty() {
            return self.shape_texts(result);
        }
        let images = Images::of(result, self.text_tokens(result)?, self)?;
        let settings = &self.settings.within(self.settings.room().saturating_sub(images.tokens()));
        let shaped = ResultShaper { settings, ..*self }.shape_texts(result)?;
        Ok(images.put_into(shaped, self.budget()))
    }

    /// The tokens of all but images; `None` if they are over the budget.
    fn text_tokens(&self, result: &ToolResult<'_>) -> Result<Option<usize>, Error> {
        let (measure, most) = (self.measure(), self.settings.room());
        let Some(content) = self.weigh_all(&self.parts(result)?.content, most)? else { return Ok(None) };
        let structured = result.structured.as_ref().filter(|_| !self.call.has_ui);
        let Some(structured) = structured else { return Ok(Some(content.tokens)) };
        Ok(measure.json_within(structured, most)?.map(|(_, tokens)| tokens.max(content.tokens)))
    }

    /// A result whose images pass.
    fn shape_texts(&self, result: &ToolResult<'_>) -> Result<ShapedResult, Error> {
        if let Some(structured) = result.structured.as_ref().filter(|_| self.call.has_ui && !result.is_error) {
            return self.beside_ui(result, structured);
        }
        let parts = self.parts(result)?;
        self.fitted(Some(result), |budget| self.result(result, &parts, budget), |keep| parts.deliver(keep))
    }

    /// The content shaped, and the tool's own structured content for the user interface that reads it. A result
    /// without texts gets one.
    fn beside_ui(&self, result: &ToolResult<'_>, structured: &AnySource<'_>) -> Result<ShapedResult, Error> {
        let shaped = match result.texts.is_empty() && result.values.is_empty() {
            true => {
                let call = Call { output_schema: None, ..self.call.clone() };
                let shaper = ResultShaper { call: &call, ..*self };
                let mut shaped = shaper.shape_value(&ResultPart::of(structured, &call, self.settings))?;
                shaped.content.extend((0..result.blocks.len()).map(Block::Own));
                shaped
            }
            false => self.shape_texts(&ToolResult { structured: None, ..result.clone() })?,
        };
        Ok(ShapedResult { structured: Channel::Own, is_result: true, ..shaped })
    }

    /// What a result has to read.
    ///
    /// # Errors
    /// Whatever reading it reports.
    pub fn parts<'s, 'v: 's>(&'s self, result: &'s ToolResult<'v>) -> Result<Parts<'s>, Error> {
        Parts::read(result, self.call, self.settings, self.budget())
    }

    pub fn measure(&self) -> Measure {
        self.settings.measure()
    }

    fn budget(&self) -> usize {
        pass::budget(self.settings, self.host)
    }

    /// The first draft that is within the limits of the policy and the host; each draft has less to spend than the one
    /// before. `deliver` adds the text to store.
    fn fitted(
        &self,
        own: Option<&ToolResult<'_>>,
        draft: impl Fn(usize) -> Result<SizedResult, Error>,
        deliver: impl Fn(&mut Option<Keep>),
    ) -> Result<ShapedResult, Error> {
        let budget = self.budget();
        let (mut spend, mut tries, mut last) = (budget, 0, None);
        loop {
            let mut draft = draft(spend)?;
            draft.record(budget);
            let tokens = draft.heaviest().tokens;
            let written = self.host.written(&draft, own, self.measure())?;
            let read = written.unwrap_or_else(|| self.host.read(draft.size, draft.structured_size));
            let counted = written.map_or(tokens, |written| written.tokens);
            let share = self.host.share_of(read).unwrap_or(1.0).min(budget as f64 / counted.max(1) as f64);
            tries += 1;
            if share >= 1.0 || tries == TRIES {
                deliver(&mut draft.result.keep);
                return draft.result.for_host(self.host, own);
            }
            spend = next_spend(spend, tokens, last.replace(tokens), share);
        }
    }

    /// The same, with structured content if the tool has an output schema and its own structured content does not stay.
    fn shape_data(&self, part: &ResultPart<'_>, budget: usize) -> Result<(Shaped, Option<Structured>), Error> {
        let settings = self.settings;
        let preserved =
            self.call.output_schema.as_ref().filter(|schema| settings.schema == Schema::Preserve && schema.is_object());
        let asks = self.call.controls(settings).unwrap_or_default();
        if let Some(schema) = preserved.filter(|_| asks.fields.is_empty() && asks.asks_for_rows()) {
            return self.preserve(part, schema, budget);
        }
        let shaped = shape::shape(&part.job, budget)?;
        if shaped.unchanged || shaped.is_error || self.call.output_schema.is_none() {
            return Ok((shaped, None));
        }
        let Some(schema) = preserved else {
            let structured = shaped_result::structured_form(&shaped);
            return Ok((shaped, Some(Structured::alone(structured))));
        };
        let (told, json) = self.preserve(part, schema, budget)?;
        // Fields that the caller asked for are only in the content, which no schema describes.
        Ok((if !asks.fields.is_empty() && json.is_some() { shaped } else { told }, json))
    }

    /// A value shrunk within its schema: the content, and the structured content; an error if the schema does not allow
    /// it.
    fn preserve(
        &self,
        part: &ResultPart<'_>,
        schema: &serde_json::Value,
        budget: usize,
    ) -> Result<(Shaped, Option<Structured>), Error> {
        let asked = self.call.controls(self.settings)?;
        // With fields, page and cursor belong to the part that the fields name.
        let controls = if asked.fields.is_empty() { asked } else { Controls::default() };
        let mut draft = Draft::new(&part.job, budget, controls);
        let weight = draft.weigh()?;
        let ctx = draft.ctx.telling(draft.stored()?).in_json();
        match preserve::fit(part.value(), &Rules::of(schema, part.value(), &draft.work)?, weight, &ctx) {
            Err(error) if is_callers_fault(&error) => Ok((draft.refuse(&error, &[]), None)),
            Err(error) => Err(error),
            Ok(Some(Preserved { json, text, tokens, link })) => {
                let shaped = draft.shaped(Fit { text, tokens }, vec![Step::Preserve], Outcome::Envelope);
                Ok((part.job.keeping(shaped), Some(Structured { json, link })))
            }
            Ok(None) => shape::over_budget(&draft, Vec::new()).map(|shaped| (shaped, None)),
        }
    }

    /// A value that is not a CallToolResult, or what was stored of one.
    fn value(&self, part: &ResultPart<'_>, budget: usize) -> Result<SizedResult, Error> {
        if part.value().kind() == Kind::Null {
            return Ok(self.nothing(None));
        }
        let (shaped, structured) = self.shape_data(part, budget)?;
        let mut draft = SizedResult::changed(None, &shaped, vec![Block::text(&shaped.text)], TextSize::default());
        match (&self.call.output_schema, structured) {
            (Some(_), None) if shaped.unchanged => {
                draft.structure(Structured::alone(part.value().json()?.into_owned()), self.measure(), self.host);
            }
            (Some(_), Some(structured)) => draft.structure(structured, self.measure(), self.host),
            _ => {}
        }
        Ok(draft)
    }

    /// A CallToolResult; `texts` are the contents of its text blocks.
    fn result<'s, 'v: 's>(
        &'s self,
        result: &ToolResult<'v>,
        parts: &Parts<'s>,
        budget: usize,
    ) -> Result<SizedResult, Error> {
        let Parts { texts, content, all, main, same, .. } = parts;
        let Some(main) = *main else {
            return Ok(self.nothing(Some(result)));
        };
        let others = all.iter().enumerate().filter(|(at, _)| *at != main).map(|(_, part)| part);
        let beside = self.weigh_all(others, budget)?;
        let is_little = beside.is_some_and(|beside| beside.tokens <= budget / SIDE_PARTS);
        if let Some(beside) = beside.filter(|_| is_little || !self.call.asks_for_part()) {
            let room = budget - beside.tokens;
            let (shaped, data) = match result.structured {
                Some(_) => self.shape_data(&all[main], room)?,
                None => (shape::shape(&all[main].job, room)?, None),
            };
            let has_room = !*same || self.weigh_all(texts, budget)?.is_some();
            if shaped.unchanged && has_room {
                return self.unchanged(result, content, shaped, beside);
            }
            if is_little {
                let shaped = if shaped.unchanged { self.in_place_of(texts, shaped)? } else { shaped };
                return self.beside_others(result, parts, &all[main], beside, (shaped, data));
            }
        }
        self.as_list(result, parts, budget)
    }

    /// A result without anything to read.
    fn nothing(&self, own: Option<&ToolResult<'_>>) -> SizedResult {
        let empty = Fit { text: String::new(), tokens: 0 };
        SizedResult::unchanged(own, Shaped::unchanged(self.settings, self.call, empty).receipt)
    }

    fn size(&self, part: &ResultPart<'_>, most: usize) -> Result<Option<TextSize>, Error> {
        let text = match (part.given(), part.block) {
            (Some(text), _) => Cow::Borrowed(text),
            (None, _) if self.measure().is_over(part.value(), most) => return Ok(None),
            (None, Some(_)) if !part.is_block => part.value().text()?,
            _ => part.value().json()?,
        };
        Ok(self.measure().fits(&text, most).map(|tokens| TextSize::counted(&text, tokens)))
    }

    /// The size of all parts; `None` if it is over `most` tokens. Blocks are counted together, as a list of them is
    /// written.
    fn weigh_all<'p, 's: 'p>(
        &self,
        parts: impl IntoIterator<Item = &'p ResultPart<'s>>,
        most: usize,
    ) -> Result<Option<TextSize>, Error> {
        let (mut sum, mut blocks) = (TextSize::default(), Vec::new());
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
        Ok(fits.then(|| sum.and(TextSize::of(&blocks, self.measure()))))
    }

    /// The tool's own result, which fits.
    fn unchanged(
        &self,
        result: &ToolResult<'_>,
        content: &[ResultPart<'_>],
        shaped: Shaped,
        beside: TextSize,
    ) -> Result<SizedResult, Error> {
        let Shaped { text, mut receipt, .. } = shaped;
        receipt.tokens_before += beside.tokens;
        let tokens = receipt.tokens_after;
        let mut draft = SizedResult::unchanged(Some(result), receipt);
        draft.size = match content {
            // A text that passes alone is counted already.
            [one] if one.given().is_some() && result.structured.is_none() => TextSize::counted(&text, tokens),
            _ => self.weigh_all(content, usize::MAX)?.unwrap_or_default(),
        };
        if let Some(structured) = &result.structured {
            draft.structured_size = Some(TextSize::of(&structured.json()?, self.measure()));
        }
        Ok(draft)
    }

    /// Data that fits, in place of texts that have the same data and do not fit.
    fn in_place_of(&self, texts: &[ResultPart<'_>], mut shaped: Shaped) -> Result<Shaped, Error> {
        let receipt = &mut shaped.receipt;
        receipt.steps.push(Step::Minify);
        receipt.reason = Some(Reason::Tokens);
        receipt.tokens_before = self.weigh_all(texts, usize::MAX)?.unwrap_or_default().tokens;
        Ok(shaped)
    }

    /// The shaped part in its place; the others stay unchanged.
    fn beside_others(
        &self,
        result: &ToolResult<'_>,
        Parts { texts, same, .. }: &Parts<'_>,
        main: &ResultPart<'_>,
        beside: TextSize,
        (shaped, data): (Shaped, Option<Structured>),
    ) -> Result<SizedResult, Error> {
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
                    content.push(Block::Json(returned::with_text(block, &json_string::quoted(&shaped.text))?));
                }
                false if *same && is_text => {}
                false => content.push(Block::Own(at)),
            }
        }
        if replaced.is_none() {
            let after = texts.iter().filter_map(|text| text.block).max().map_or(0, |at| at + 1);
            content.insert(after, Block::text(&shaped.text));
        }
        let mut draft = SizedResult::changed(Some(result), &shaped, content, beside);
        match (&result.structured, data) {
            (Some(structured), None) if shaped.unchanged => {
                draft.result.structured = Channel::Own;
                draft.structured_size = Some(TextSize::of(&structured.json()?, self.measure()));
            }
            (_, Some(structured)) => draft.structure(structured, self.measure(), self.host),
            _ => {}
        }
        Ok(draft)
    }

    /// Several parts as one list, because they do not fit side by side; parts of several kinds as an object with their
    /// names.
    fn as_list<'s, 'v: 's>(
        &'s self,
        result: &ToolResult<'v>,
        parts: &Parts<'s>,
        budget: usize,
    ) -> Result<SizedResult, Error> {
        let shaped = shape::shape(parts.together(result, self.call, self.settings)?, budget)?;
        if shaped.unchanged {
            return self.unchanged(result, &parts.content, shaped, TextSize::default());
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
        let mut draft = SizedResult::changed(Some(result), &shaped, content, TextSize::default());
        if let (Some(value), Some(schema), false) =
            (&result.structured, &self.call.output_schema, draft.result.is_error)
        {
            if self.settings.schema == Schema::Widen || !schema.is_object() {
                draft.structure(Structured::alone(shaped_result::structured_form(&shaped)), self.measure(), self.host);
            } else {
                match self.preserve(&ResultPart::of(value, self.call, self.settings), schema, budget)? {
                    (_, Some(structured)) => draft.structure(structured, self.measure(), self.host),
                    (error, None) => {
                        let content = vec![Block::text(&error.text)];
                        return Ok(SizedResult::changed(Some(result), &error, content, TextSize::default()));
                    }
                }
            }
        }
        Ok(draft)
    }
}
