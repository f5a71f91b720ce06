//! Reads what a tool returned: a CallToolResult, whose texts and structured content are read while all other parts
//! pass, or another value.

use std::rc::Rc;

use crate::base::error::Error;
use crate::base::json_string::{self, Quoted};
use crate::base::members::Members;
use crate::ladder::job::Job;
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::Call;
use crate::request::stored_id::Form;
use crate::value::any_source::AnySource;
use crate::value::plain_text::PlainText;
use crate::value::sampling::evenly;
use crate::value::source::{self, Entry, Kind, Source};

/// Items of a list, and entries of an object, that are compared to decide whether two values are equal.
const COMPARED: usize = 16;
const COMPARED_LEVELS: usize = 4;
/// The number of samples that are compared in two texts of equal length, and the characters of each; the first sample
/// is the texts' start, the last one their end.
const COMPARED_STRETCHES: usize = 4;
const COMPARED_CHARS: usize = 256;

/// What a tool returned.
pub(super) enum Returned<'v> {
    /// A finished CallToolResult.
    Result(ToolResult<'v>),
    /// A value that is no CallToolResult.
    Value(AnySource<'v>),
    /// Something that is not for the model: a question to the client, a task that is still running.
    Unfinished,
}

/// The parts of a CallToolResult that are read.
pub(super) struct ToolResult<'v> {
    pub blocks: Vec<AnySource<'v>>,
    pub texts: Vec<Text<'v>>,
    pub structured: Option<AnySource<'v>>,
    pub is_error: bool,
}

/// The text of a block.
pub(super) struct Text<'v> {
    /// The block's index in `content`.
    pub block: usize,
    value: AnySource<'v>,
    /// The text itself, if it may be JSON.
    json: Option<String>,
}

impl<'v> Returned<'v> {
    /// Reads what a tool returned.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` and `TOO_DEEP` from reading the value.
    pub fn read(value: &AnySource<'v>) -> Result<Self, Error> {
        if value.kind() != Kind::Object {
            return Ok(Self::Value(value.clone()));
        }
        let members = value.entries()?;
        let kind = member(&members, "resultType").map(|kind| kind.json().map(|json| json.into_owned())).transpose()?;
        let content = member(&members, "content");
        let structured = member(&members, "structuredContent");
        let blocks = content.filter(|content| content.kind() == Kind::Array);
        match (kind.as_deref(), blocks) {
            (Some("\"complete\"") | None, _) => {}
            (Some(_), _) => return Ok(Self::Unfinished),
        }
        if blocks.is_none() && member(&members, "task").is_some_and(|task| task.kind() == Kind::Object) {
            return Ok(Self::Unfinished);
        }
        let is_result = match blocks {
            Some(blocks) => is_content(blocks)?,
            None => content.is_none() && (structured.is_some() || kind.is_some()),
        };
        if !is_result {
            return Ok(Self::Value(value.clone()));
        }
        let blocks = blocks.map_or(Ok(Vec::new()), |blocks| blocks.items(0, usize::MAX))?;
        let texts: Result<Vec<_>, Error> =
            blocks.iter().enumerate().map(|(at, block)| Ok(text_of(block)?.map(|text| (at, text)))).collect();
        let texts: Result<Vec<_>, Error> =
            texts?.into_iter().flatten().map(|(block, value)| Text::read(block, value)).collect();
        let is_error = member(&members, "isError").is_some_and(|flag| flag.json().is_ok_and(|json| json == "true"));
        let structured = structured.filter(|value| value.kind() != Kind::Null).cloned();
        Ok(Self::Result(ToolResult { blocks, texts: texts?, structured, is_error }))
    }
}

/// Whether a list is MCP content: objects that all have a type.
fn is_content(blocks: &AnySource<'_>) -> Result<bool, Error> {
    for block in blocks.items(0, usize::MAX)? {
        let is_typed = member(&block.entries()?, "type").is_some_and(|kind| kind.kind() == Kind::String);
        if !is_typed {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The member of that name.
pub(super) fn member<'m, S: Source>(members: &'m [Entry<S>], name: &str) -> Option<&'m S> {
    members.iter().find(|(key, _)| Quoted::new(key).literal() == name).map(|(_, value)| value)
}

/// The text that a block shows to the model: its own, or that of its resource.
fn text_of<'v>(block: &AnySource<'v>) -> Result<Option<AnySource<'v>>, Error> {
    let members = block.entries()?;
    let holder = match member(&members, "resource") {
        Some(resource) if is_type(&members, "resource") => resource.entries()?,
        _ if is_type(&members, "text") => members,
        _ => return Ok(None),
    };
    Ok(member(&holder, "text").filter(|text| text.kind() == Kind::String).cloned())
}

fn is_type<S: Source>(members: &[Entry<S>], name: &str) -> bool {
    member(members, "type")
        .and_then(|kind| kind.json().ok().map(|json| json == json_string::quoted(name)))
        .unwrap_or(false)
}

/// The block with its text replaced by a JSON value, and otherwise unchanged.
pub(super) fn with_text(block: &AnySource<'_>, text: &str) -> Result<String, Error> {
    let mut members = Members::new();
    for (key, value) in block.entries()? {
        let json = match (key.as_str(), value.kind()) {
            ("\"text\"", Kind::String) => text.to_owned(),
            ("\"resource\"", Kind::Object) => with_text(&value, text)?,
            _ => value.json()?.into_owned(),
        };
        members.json_under(&key, &json);
    }
    Ok(members.into_object())
}

/// A block as an item of a list: its text's value, with the block's other members if any of them are set.
pub(super) fn as_item(block: &AnySource<'_>, text: &str) -> Result<String, Error> {
    let members = block.entries()?;
    // A host's object may have all possible members of a block, with those that are not set as null.
    match members.iter().filter(|(_, value)| value.kind() != Kind::Null).count() {
        0..=2 if is_type(&members, "text") => Ok(text.to_owned()),
        _ => with_text(block, text),
    }
}

/// A part that the model reads: the text of a block, or the structured content.
#[derive(Clone)]
pub(super) struct Part<'s> {
    /// The index of the block in `content`; `None` for the structured content.
    pub block: Option<usize>,
    pub job: Rc<Job<'s>>,
}

impl<'s> Part<'s> {
    /// A part that is in no block. No host holds its text.
    pub fn new(output: ToolOutput<'s>) -> Self {
        Self { block: None, job: Rc::new(Job::new(ToolOutput { is_lent: false, ..output })) }
    }

    /// A JSON value that is in no block; it may be a string.
    pub fn of<'v: 's>(value: &AnySource<'v>, call: &'s Call) -> Self {
        let value = AnySource::new(value.clone());
        Self::new(ToolOutput { form: Form::Json, ..ToolOutput::value(&value, call) })
    }

    pub fn value(&self) -> &AnySource<'s> {
        &self.job.output.value
    }

    /// The text as the tool wrote it, if it is available.
    pub fn given(&self) -> Option<&'s str> {
        self.job.output.given
    }
}

impl<'v> Text<'v> {
    fn read(block: usize, value: AnySource<'v>) -> Result<Self, Error> {
        let start = json_string::unescape(&value.slice(0, COMPARED_CHARS)?);
        let may_be_json = start.trim_start().starts_with(['{', '[']);
        let json = match may_be_json {
            true => Some(source::text(&value)?),
            false => None,
        };
        Ok(Self { block, value, json })
    }

    /// The start of the text.
    pub fn start(&self, chars: usize) -> Result<String, Error> {
        Ok(json_string::unescape(&self.value.slice(0, chars)?))
    }

    /// The value of the text: data if it is JSON, otherwise a string.
    pub fn part<'s>(&'s self, call: &'s Call) -> Part<'s> {
        let json = self.json.as_deref().and_then(|json| ToolOutput::json(json, call).ok());
        let part = Part::new(json.unwrap_or_else(|| ToolOutput::value(&self.value, call)));
        Part { block: Some(self.block), ..part }
    }
}

/// Whether texts and structured content have the same content, as far as samples show.
pub(super) fn tell_the_same(texts: &[Part<'_>], structured: &AnySource<'_>) -> Result<bool, Error> {
    if let [text] = texts {
        return alike(text.value(), structured, 0);
    }
    // A list with one block for each item.
    if texts.is_empty() || structured.kind() != Kind::Array || structured.len() != texts.len() {
        return Ok(false);
    }
    for at in evenly(texts.len(), COMPARED) {
        let same = structured.items(at, 1)?.first().map_or(Ok(false), |item| alike(texts[at].value(), item, 0))?;
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a text is equal to a member of structured content, as far as samples show. Servers return this if their data
/// is a text, for example a file.
pub(super) fn holds_text(structured: &AnySource<'_>, text: &Part<'_>) -> Result<bool, Error> {
    if structured.kind() != Kind::Object || structured.len() > COMPARED {
        return Ok(false);
    }
    let told = match text.given() {
        Some(given) => AnySource::new(PlainText::new(given)),
        None => text.value().clone(),
    };
    for (_, member) in structured.entries()? {
        if alike(&told, &member, 0)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn alike(one: &AnySource<'_>, other: &AnySource<'_>, level: usize) -> Result<bool, Error> {
    if one.kind() != other.kind() || one.len() != other.len() || one.chars() != other.chars() {
        return Ok(false);
    }
    match one.kind() {
        Kind::String => {
            for at in evenly(one.chars().saturating_sub(COMPARED_CHARS) + 1, COMPARED_STRETCHES) {
                let [ours, theirs] = [one.slice(at, COMPARED_CHARS)?, other.slice(at, COMPARED_CHARS)?];
                if json_string::unescape(&ours) != json_string::unescape(&theirs) {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Kind::Number => {
            let number = |value: &AnySource<'_>| Ok::<_, Error>(value.json()?.parse::<f64>().ok());
            Ok(number(one)? == number(other)?)
        }
        Kind::Array | Kind::Object if level == COMPARED_LEVELS => Ok(true),
        Kind::Array => {
            for at in evenly(one.len(), COMPARED) {
                let (one, other) = (one.items(at, 1)?, other.items(at, 1)?);
                if !one.iter().zip(&other).map(|(one, other)| alike(one, other, level + 1)).all(|same| same == Ok(true))
                {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Kind::Object => {
            let (ours, theirs) = (one.entries()?, other.entries()?);
            for at in evenly(ours.len(), COMPARED) {
                let ((key, one), (its, other)) = (&ours[at], &theirs[at]);
                if json_string::unescape(key) != json_string::unescape(its) || !alike(one, other, level + 1)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => Ok(one.json()? == other.json()?),
    }
}
