//! What of a CallToolResult a model reads: its parts, which of them is shaped, and all of them together.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::base::error::Error;
use crate::base::json_string::{self, Quoted};
use crate::base::once::once;
use crate::base::sorting::sort_by_key;
use crate::ladder::job::Job;
use crate::outcome::to_store::Keep;
use crate::outcome::tool_output::{Holder, ToolOutput};
use crate::request::call::Call;
use crate::request::content_id::Form;
use crate::request::policy::{ReadAs, Schema, Settings};
use crate::value::any_source::AnySource;
use crate::value::canonical::{canonical, canonical_lines};
use crate::value::gathered::Gathered;
use crate::value::source::{Kind, Source};
use crate::value::token_estimate;

use super::returned::{self, BlockText, ToolResult};
use super::same_content::{holds_text, is_written_as, tell_the_same};

/// More parts are a list, in which they have no names.
const MOST_NAMED: usize = 20;

/// Parts with JSON of this many characters are documents, not rows.
const LONG: usize = 4_000;

/// The whole of what a tool returned, or of a part of it, as `redact` sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    pub text: String,
    /// Whether it is JSON, then minified and without needless escapes; otherwise it is plain text.
    pub is_json: bool,
}

impl Content {
    pub(super) fn of(output: &ToolOutput<'_>) -> Result<Self, Error> {
        let is_json = output.form == Form::Json;
        let text = match is_json {
            true => canonical(&output.value.json()?).into_owned(),
            false => canonical_lines(&output.own_text()?).into_owned(),
        };
        Ok(Self { text, is_json })
    }
}

/// A part that the model reads: the text of a block, a link or a block of an unknown form, or the structured content.
#[derive(Clone)]
pub(super) struct ResultPart<'s> {
    /// The index of the block in `content`; `None` for the structured content.
    pub block: Option<usize>,
    /// Whether the value is the block itself, not its text.
    pub is_block: bool,
    pub job: Rc<Job<'s>>,
}

impl<'s> ResultPart<'s> {
    /// A part that is in no block.
    pub fn new(output: ToolOutput<'s>, settings: &'s Settings) -> Self {
        Self { block: None, is_block: false, job: Rc::new(Job::new(output, settings)) }
    }

    /// A JSON value that is in no block; it may be a string.
    pub fn of<'v: 's>(value: &AnySource<'v>, call: &'s Call, settings: &'s Settings) -> Self {
        let value = AnySource::new(value.clone());
        Self::new(ToolOutput { form: Form::Json, ..ToolOutput::value(&value, call) }, settings)
    }

    /// A block that is read as it is.
    pub fn of_block<'v: 's>(at: usize, block: &AnySource<'v>, call: &'s Call, settings: &'s Settings) -> Self {
        Self { block: Some(at), is_block: true, ..Self::of(block, call, settings) }
    }

    /// A text: data if it is JSON and not to be read as plain text, otherwise a string.
    ///
    /// # Errors
    /// Whatever reading the text reports.
    pub fn of_text<'v: 's>(
        text: &'s BlockText<'v>,
        is_plain: bool,
        call: &'s Call,
        settings: &'s Settings,
    ) -> Result<Self, Error> {
        let json = match text.may_be_json && !is_plain {
            true => ToolOutput::json(text.whole()?, call).ok(),
            false => None,
        };
        let output = json.map(|json| ToolOutput { holder: Holder::Host(AnySource::new(text.value.clone())), ..json });
        let part = Self::new(output.unwrap_or_else(|| ToolOutput::value(&text.value, call)), settings);
        Ok(Self { block: Some(text.block), ..part })
    }

    pub fn value(&self) -> &AnySource<'s> {
        &self.job.output.value
    }

    /// The text as the tool wrote it, if it is available.
    pub fn given(&self) -> Option<&'s str> {
        self.job.output.given
    }
}

/// The readable parts of a CallToolResult, as shaping needs them.
pub(super) struct Parts<'s> {
    pub texts: Vec<ResultPart<'s>>,
    /// The parts in the `content`: the texts, and the blocks that are read as they are.
    pub content: Vec<ResultPart<'s>>,
    /// The parts that the result shows: those in the `content` and the structured content, without the texts if both have
    /// the same content.
    pub all: Vec<ResultPart<'s>>,
    /// The index of the part that is shaped: the heaviest one, or the structured content if there is any, because the
    /// texts are about it.
    pub main: Option<usize>,
    /// Whether the texts have only the content of the structured content.
    pub same: bool,
    /// The key, as a literal, of the one member of the structured content that is shaped; `None` if all of it is.
    pub inside: Option<String>,
    /// All parts together, if they do not fit side by side.
    together: OnceCell<Job<'s>>,
}

impl<'s> Parts<'s> {
    /// Reads a result; `budget` is what each channel may have.
    ///
    /// # Errors
    /// Whatever reading the result reports.
    pub fn read<'v: 's>(
        result: &'s ToolResult<'v>,
        call: &'s Call,
        settings: &'s Settings,
        budget: usize,
    ) -> Result<Self, Error> {
        // The store most likely needs the JSON of what is more than can be shown.
        let measure = settings.measure();
        let is_stored = |text: &AnySource<'_>| call.has_store() && measure.is_over(text, budget);
        let is_its_json = match (&result.structured, &result.texts[..]) {
            (Some(structured), [text]) => is_written_as(structured, text, is_stored)?,
            _ => false,
        };
        // Texts next to structured content are about it, so they are compared with it as data.
        let is_plain = is_its_json || settings.text == ReadAs::Plain && result.structured.is_none();
        let texts = result.texts.iter().map(|text| ResultPart::of_text(text, is_plain, call, settings));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        let data = match &result.structured {
            Some(value) if is_its_json => {
                Some(Data { part: ResultPart::of(value, call, settings), same: true, inside: None })
            }
            Some(value) => Some(Data::read(value, &texts, call, settings)?),
            None => None,
        };
        let same = data.as_ref().is_some_and(|data| data.same);
        let blocks = || result.values.iter().map(|&at| ResultPart::of_block(at, &result.blocks[at], call, settings));
        let mut content: Vec<ResultPart<'s>> = texts.iter().cloned().chain(blocks()).collect();
        sort_by_key(&mut content, |part| part.block);
        let mut all = if same { blocks().collect() } else { content.clone() };
        let inside = data.as_ref().and_then(|data| data.inside.clone());
        all.extend(data.map(|data| data.part));
        let main = match result.structured {
            Some(_) => all.len().checked_sub(1),
            None if all.len() > 1 => largest(&all)?,
            None => all.len().checked_sub(1),
        };
        Ok(Self { texts, content, all, main, same, inside, together: OnceCell::new() })
    }

    /// Adds the text to store, if it is that of a part or of all of them.
    pub fn deliver(&self, keep: &mut Option<Keep>) {
        self.all.iter().map(|part| &*part.job).chain(self.together.get()).for_each(|job| job.deliver(keep));
    }

    /// All parts as one value, gathered once.
    ///
    /// # Errors
    /// Whatever reading the blocks reports.
    pub fn together<'v: 's>(
        &self,
        result: &ToolResult<'v>,
        call: &'s Call,
        settings: &'s Settings,
    ) -> Result<&Job<'s>, Error> {
        once(&self.together, || {
            let gathered = AnySource::new(self.gathered(result)?);
            let output = ToolOutput { parts: self.all.len(), ..ToolOutput::value(&gathered, call) };
            Ok(Job::new(output, settings))
        })
    }

    /// All together: short ones of one kind are rows, and long ones are documents.
    fn gathered<'v: 's>(&self, result: &ToolResult<'v>) -> Result<Gathered<'s>, Error> {
        let kinds: Vec<Kind> = self.all.iter().map(|part| part.value().kind()).collect();
        let are_alike = kinds.windows(2).all(|pair| pair[0] == pair[1]);
        let sizes = self.all.iter().map(|part| token_estimate::chars(part.value())).collect::<Result<Vec<_>, _>>()?;
        let are_long = sizes.into_iter().all(|size| size >= LONG);
        match are_alike && !are_long || kinds.len() > MOST_NAMED {
            true => self.listed(result),
            false => self.named(result),
        }
    }

    /// The parts as a list.
    fn listed<'v: 's>(&self, result: &ToolResult<'v>) -> Result<Gathered<'s>, Error> {
        let mut items = Vec::new();
        for part in &self.all {
            items.push(match part.block {
                Some(at) if !part.is_block => returned::as_item(&result.blocks[at], part.value())?,
                _ => part.value().clone(),
            });
        }
        Ok(Gathered::list(items))
    }

    /// The parts as an object: structured content under its name, an embedded resource under its address, and any other
    /// block under its place in `content`, from 1.
    fn named(&self, result: &ToolResult<'_>) -> Result<Gathered<'s>, Error> {
        let mut entries: Vec<(String, AnySource<'s>)> = Vec::new();
        for part in &self.all {
            let name = match part.block {
                None => "structuredContent".to_owned(),
                Some(at) => {
                    let is_new = |name: &String| entries.iter().all(|(known, _)| !Quoted::new(known).is(name));
                    match returned::name_of(&result.blocks[at])?.filter(is_new) {
                        Some(name) => name,
                        None if part.is_block => format!("block {}", at + 1),
                        None => format!("text {}", at + 1),
                    }
                }
            };
            entries.push((json_string::quoted(&name), part.value().clone()));
        }
        Ok(Gathered::object(entries))
    }
}

/// The index of the part with the most characters, of several the first.
fn largest(all: &[ResultPart<'_>]) -> Result<Option<usize>, Error> {
    let sizes = all.iter().map(|part| token_estimate::chars(part.value())).collect::<Result<Vec<_>, _>>()?;
    Ok((0..sizes.len()).rev().max_by_key(|&at| sizes[at]))
}

/// What of the structured content is shaped.
struct Data<'s> {
    part: ResultPart<'s>,
    /// Whether the texts have only the content of the structured content.
    same: bool,
    /// The key, as a literal, of the one member that `part` is; `None` if it is the whole.
    inside: Option<String>,
}

impl<'s> Data<'s> {
    /// The structured content, and whether the texts only repeat it. If the tool or its SDK wrapped the value that the texts
    /// tell, the value itself is shaped.
    fn read<'v: 's>(
        structured: &AnySource<'v>,
        texts: &[ResultPart<'s>],
        call: &'s Call,
        settings: &'s Settings,
    ) -> Result<Self, Error> {
        let whole = |same| Self { part: ResultPart::of(structured, call, settings), same, inside: None };
        if texts.is_empty() || tell_the_same(texts, structured)? {
            return Ok(whole(true));
        }
        // With a preserved schema, the shown value and the pointers are those of the whole described value.
        let may_be_inside = settings.schema == Schema::Widen;
        let entries = match structured.kind() {
            Kind::Object if structured.len() == 1 => structured.entries()?,
            _ => Vec::new(),
        };
        if let [(key, inside)] = &entries[..]
            && (Quoted::new(key).is("result") || inside.kind().is_container())
            && tell_the_same(texts, inside)?
        {
            let data = Self { part: ResultPart::of(inside, call, settings), same: true, inside: Some(key.clone()) };
            return Ok(if may_be_inside { data } else { whole(true) });
        }
        if let [text] = texts
            && holds_text(structured, text)?
        {
            // If the text is the object's only member, it is all there is to shape; as JSON if it is JSON.
            return Ok(match &entries[..] {
                [(key, _)] if may_be_inside => Self { part: text.clone(), same: true, inside: Some(key.clone()) },
                _ => whole(true),
            });
        }
        Ok(whole(false))
    }
}
