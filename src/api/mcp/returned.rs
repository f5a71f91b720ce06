//! Reads what a tool returned: a CallToolResult, whose texts and structured content are read while all other parts
//! pass, or another value.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::base::error::Error;
use crate::base::json_string::{self, Quoted};
use crate::base::text_cuts;
use crate::request::call::NO_TRANSFORM;
use crate::value::any_source::AnySource;
use crate::value::gathered::Gathered;
use crate::value::json_in_text::START_CHARS;
use crate::value::json_text::JsonText;
use crate::value::plain_text::PlainText;
use crate::value::source::{Entry, Kind, Source};
use crate::value::token_estimate;

use super::shaped_result::RECEIPT;

/// The longest of the words that name what something is.
const WORD_CHARS: usize = 16;
/// The members of a CallToolResult. Others pass if they are short, or if the value has content and a member that only a
/// CallToolResult has; else a value with longer ones is data of a tool.
const MEMBERS: [&str; 5] = ["content", "structuredContent", "isError", "_meta", "resultType"];
/// The most members of an audience that are read.
const AUDIENCES: usize = 4;
/// How our pages begin.
const PAGE_START: &str = r#"{"paginated":true,"#;
/// Members with JSON of more characters together are data.
const OTHER_CHARS: usize = 1024;
/// The members of an InputRequiredResult, of a CreateTaskResult, and of its task.
const QUESTION: [&str; 4] = ["resultType", "inputRequests", "requestState", "_meta"];
const CREATED: [&str; 3] = ["resultType", "task", "_meta"];
const TASK: [&str; 7] = ["taskId", "status", "statusMessage", "createdAt", "lastUpdatedAt", "ttl", "pollInterval"];
const STATUS: [&str; 5] = ["working", "input_required", "completed", "failed", "cancelled"];

/// What a tool returned.
pub(super) enum Returned<'v> {
    /// A finished CallToolResult.
    Result(ToolResult<'v>),
    /// A value that is not a CallToolResult.
    Value(AnySource<'v>),
    /// One of the two results that are not for the model: a question to the client (InputRequiredResult of 2026-07-28), a
    /// task that is still running (CreateTaskResult of 2025-11-25).
    Unfinished,
}

/// The parts of a CallToolResult that are read.
#[derive(Clone)]
pub(super) struct ToolResult<'v> {
    pub blocks: Vec<AnySource<'v>>,
    pub texts: Vec<BlockText<'v>>,
    /// The indices of the blocks that are read as they are: links, and blocks of a form that MCP does not have.
    pub values: Vec<usize>,
    /// The indices of the images.
    pub images: Vec<usize>,
    pub structured: Option<AnySource<'v>>,
    pub is_error: bool,
    /// Whether it seems to be shaped already, by a server behind this one: it has a receipt, or is a page.
    pub is_shaped: bool,
    /// Whether the tool asks for it to pass whole.
    pub is_whole: bool,
    /// Its `_meta`, an object.
    pub meta: Option<AnySource<'v>>,
}

/// The text of a block.
#[derive(Clone)]
pub(super) struct BlockText<'v> {
    /// The block's index in `content`.
    pub block: usize,
    pub value: AnySource<'v>,
    /// Whether it is read as JSON, if it is that.
    pub may_be_json: bool,
    /// Whether it begins as our pages do.
    is_page: bool,
    /// The text itself, once it was read from a host that does not hold it as it is needed here.
    own: OnceCell<String>,
}

impl<'v> ToolResult<'v> {
    /// A result that has one text and nothing else.
    ///
    /// # Errors
    /// None; reading a text cannot fail.
    pub fn of_text(text: &'v str) -> Result<Self, Error> {
        let value = AnySource::new(PlainText::new(text));
        let kind = AnySource::new(JsonText::checked("\"text\""));
        let block = Gathered::object(vec![("\"type\"".to_owned(), kind), ("\"text\"".to_owned(), value.clone())]);
        let (blocks, texts) = (vec![AnySource::new(block)], vec![BlockText::read(0, value)?]);
        Ok(Self {
            blocks,
            texts,
            values: Vec::new(),
            images: Vec::new(),
            structured: None,
            is_error: false,
            is_shaped: false,
            is_whole: false,
            meta: None,
        })
    }
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
        if is_question(&members)? || is_created_task(&members)? {
            return Ok(Self::Unfinished);
        }
        let kind = member(&members, "resultType").filter(|kind| kind.kind() != Kind::Null);
        let content = member(&members, "content");
        let structured = member(&members, "structuredContent");
        let blocks = content.filter(|content| content.kind() == Kind::Array);
        let is_complete = kind.is_none_or(|kind| is_text(kind, &["complete"]));
        let flag = member(&members, "isError");
        let is_certain = flag.is_some_and(|flag| flag.kind() == Kind::Bool) || structured.is_some();
        let has_blocks = blocks.is_some_and(|blocks| blocks.len() > 0);
        let may_be_result = is_complete && (is_certain && has_blocks || !has_long_others(&members));
        let content = match blocks {
            _ if !may_be_result => None,
            Some(blocks) => content_blocks(blocks, structured.is_some() || flag.is_some())?,
            None => (content.is_none() && (structured.is_some() || kind.is_some())).then(Vec::new),
        };
        let Some(content) = content else { return Ok(Self::Value(value.clone())) };
        let (mut blocks, mut texts, mut values, mut images) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (at, (block, form)) in content.into_iter().enumerate() {
            match form {
                BlockForm::Text(text) => texts.push(BlockText::read(at, text)?),
                BlockForm::Image => images.push(at),
                BlockForm::Media => {}
                BlockForm::Link | BlockForm::Unknown => values.push(at),
            }
            blocks.push(block);
        }
        let is_error = flag.is_some_and(|flag| flag.json().is_ok_and(|json| json == "true"));
        let meta = member(&members, "_meta").filter(|meta| meta.kind() == Kind::Object);
        let in_meta = meta.map_or(Ok(Vec::new()), Source::entries)?;
        let is_shaped = member(&in_meta, RECEIPT).is_some_and(|receipt| receipt.kind() == Kind::Object)
            || texts.iter().any(|text| text.is_page);
        let is_whole = member(&in_meta, NO_TRANSFORM).is_some_and(|flag| flag.json().is_ok_and(|json| json == "true"));
        let structured = structured.filter(|value| value.kind() != Kind::Null).cloned();
        let meta = meta.cloned();
        Ok(Self::Result(ToolResult { blocks, texts, values, images, structured, is_error, is_shaped, is_whole, meta }))
    }
}

/// Whether these are the members of an InputRequiredResult.
fn is_question<S: Source>(members: &[Entry<S>]) -> Result<bool, Error> {
    if !member(members, "resultType").is_some_and(|kind| is_text(kind, &["input_required"])) || !are(members, &QUESTION)
    {
        return Ok(false);
    }
    let asks = match member(members, "inputRequests").filter(|asked| asked.kind() != Kind::Null) {
        None => false,
        Some(asked) if asked.kind() != Kind::Object => return Ok(false),
        Some(asked) => {
            for (_, request) in asked.entries()? {
                if request.kind() != Kind::Object || !has_text(&request.entries()?, "method") {
                    return Ok(false);
                }
            }
            asked.len() > 0
        }
    };
    Ok(asks || has_text(members, "requestState"))
}

/// Whether these are the members of a CreateTaskResult.
fn is_created_task<S: Source>(members: &[Entry<S>]) -> Result<bool, Error> {
    let Some(task) = member(members, "task").filter(|task| task.kind() == Kind::Object) else { return Ok(false) };
    let task = task.entries()?;
    let has_texts = ["taskId", "createdAt", "lastUpdatedAt"].iter().all(|name| has_text(&task, name));
    let has_status = member(&task, "status").is_some_and(|status| is_text(status, &STATUS));
    Ok(are(members, &CREATED) && are(&task, &TASK) && has_texts && has_status)
}

/// Whether an object has only members of these names.
fn are<S>(members: &[Entry<S>], names: &[&str]) -> bool {
    members.iter().all(|(key, _)| names.contains(&&*Quoted::new(key).text()))
}

pub(super) fn has_text<S: Source>(members: &[Entry<S>], name: &str) -> bool {
    member(members, name).is_some_and(|value| value.kind() == Kind::String)
}

/// Whether a value is one of these texts.
fn is_text<S: Source>(value: &S, texts: &[&str]) -> bool {
    value.kind() == Kind::String
        && value.chars() <= WORD_CHARS
        && value.json().is_ok_and(|json| texts.iter().any(|text| Quoted::new(&json).is(text)))
}

/// Whether the members that no CallToolResult has are long.
fn has_long_others<S: Source>(members: &[Entry<S>]) -> bool {
    let others = members.iter().filter(|(key, _)| !MEMBERS.contains(&&*Quoted::new(key).text()));
    others.map(|(_, value)| token_estimate::chars(value).unwrap_or_default()).sum::<usize>() > OTHER_CHARS
}

/// The blocks of a list that is MCP content: objects that all have a type, one that MCP has unless the result has members
/// that only a CallToolResult has. `None` for any other list.
fn content_blocks<'v>(
    list: &AnySource<'v>,
    is_result: bool,
) -> Result<Option<Vec<(AnySource<'v>, BlockForm<'v>)>>, Error> {
    let mut has_known = is_result || list.len() == 0;
    let mut blocks = Vec::new();
    for block in list.items(0, usize::MAX)? {
        let members = if block.kind() == Kind::Object { block.entries()? } else { Vec::new() };
        if !has_text(&members, "type") {
            return Ok(None);
        }
        let form = match is_for_user_alone(&members)? {
            true => BlockForm::Media,
            false => BlockForm::of(&members)?,
        };
        has_known = has_known || !matches!(form, BlockForm::Unknown);
        blocks.push((block, form));
    }
    Ok(has_known.then_some(blocks))
}

/// Whether a block's annotations say that it is for the user and not for the model.
fn is_for_user_alone<S: Source>(members: &[Entry<S>]) -> Result<bool, Error> {
    let annotations = member(members, "annotations").filter(|annotations| annotations.kind() == Kind::Object);
    let annotations = annotations.map_or(Ok(Vec::new()), Source::entries)?;
    let audience = member(&annotations, "audience").map_or(Ok(Vec::new()), |audience| audience.items(0, AUDIENCES))?;
    Ok(!audience.is_empty() && audience.iter().all(|one| is_text(one, &["user"])))
}

/// The member of that name, of several the last, as JSON readers have it.
pub(super) fn member<'m, S: Source>(members: &'m [Entry<S>], name: &str) -> Option<&'m S> {
    members.iter().rev().find(|(key, _)| Quoted::new(key).is(name)).map(|(_, value)| value)
}

/// What a block is.
enum BlockForm<'v> {
    /// A text, or a resource with a text.
    Text(AnySource<'v>),
    Image,
    /// Audio, a resource with a blob, or what is for the user alone: it passes, because no part of it is data for the model.
    Media,
    Link,
    Unknown,
}

impl<'v> BlockForm<'v> {
    /// The form of a block with these members.
    fn of(members: &[Entry<AnySource<'v>>]) -> Result<Self, Error> {
        let text = |members: &[Entry<AnySource<'v>>]| {
            member(members, "text").filter(|text| text.kind() == Kind::String).cloned().map(Self::Text)
        };
        let kind =
            ["text", "image", "audio", "resource_link", "resource"].into_iter().find(|kind| is_type(members, kind));
        let form = match kind {
            Some("text") => text(members),
            Some("image") => has_text(members, "data").then_some(Self::Image),
            Some("audio") => has_text(members, "data").then_some(Self::Media),
            Some("resource_link") => has_text(members, "uri").then_some(Self::Link),
            Some(_) => match member(members, "resource").filter(|resource| resource.kind() == Kind::Object) {
                Some(resource) => {
                    let members = resource.entries()?;
                    text(&members).or(has_text(&members, "blob").then_some(Self::Media))
                }
                None => None,
            },
            None => None,
        };
        Ok(form.unwrap_or(Self::Unknown))
    }
}

/// Whether a value is a block with an image.
pub(super) fn is_image(value: &AnySource<'_>) -> Result<bool, Error> {
    let members = if value.kind() == Kind::Object { value.entries()? } else { Vec::new() };
    Ok(matches!(BlockForm::of(&members)?, BlockForm::Image))
}

pub(super) fn is_type<S: Source>(members: &[Entry<S>], name: &str) -> bool {
    member(members, "type").is_some_and(|kind| is_text(kind, &[name]))
}

/// What a block that is an embedded resource is called: its address, unless that is long.
pub(super) fn name_of(block: &AnySource<'_>) -> Result<Option<String>, Error> {
    let members = block.entries()?;
    let Some(resource) = member(&members, "resource").filter(|resource| resource.kind() == Kind::Object) else {
        return Ok(None);
    };
    let resource = resource.entries()?;
    let uri = member(&resource, "uri").filter(|uri| uri.kind() == Kind::String && uri.chars() <= START_CHARS);
    uri.map(|uri| Ok(json_string::unescape(&uri.slice(0, START_CHARS)?))).transpose()
}

/// The block with its text replaced by a JSON value, and otherwise unchanged.
pub(super) fn with_text(block: &AnySource<'_>, json: &str) -> Result<String, Error> {
    Ok(with_value(block, &AnySource::new(JsonText::checked(json)))?.json()?.into_owned())
}

/// The same for any value.
fn with_value<'s, 'v: 's>(block: &AnySource<'v>, value: &AnySource<'s>) -> Result<AnySource<'s>, Error> {
    let mut entries = Vec::new();
    for (key, own) in block.entries()? {
        let member = match (&*Quoted::new(&key).text(), own.kind()) {
            ("text", Kind::String) => value.clone(),
            ("resource", Kind::Object) => with_value(&own, value)?,
            _ => AnySource::new(own),
        };
        entries.push((key, member));
    }
    Ok(AnySource::new(Gathered::object(entries)))
}

/// A block as an item of a list: its text's value, with the block's other members if any of them are set.
pub(super) fn as_item<'s, 'v: 's>(block: &AnySource<'v>, value: &AnySource<'s>) -> Result<AnySource<'s>, Error> {
    let members = block.entries()?;
    // A host's object may have all possible members of a block, with those that are not set as null.
    match members.iter().filter(|(_, value)| value.kind() != Kind::Null).count() {
        0..=2 if is_type(&members, "text") => Ok(value.clone()),
        _ => with_value(block, value),
    }
}

impl<'v> BlockText<'v> {
    fn read(block: usize, value: AnySource<'v>) -> Result<Self, Error> {
        let start = json_string::unescape(&value.slice(0, START_CHARS)?);
        let (may_be_json, is_page) = (may_be_json(&start), start.starts_with(PAGE_START));
        Ok(Self { block, value, may_be_json, is_page, own: OnceCell::new() })
    }

    pub fn chars(&self) -> usize {
        self.value.chars()
    }

    /// The start of the text.
    pub fn start(&self, chars: usize) -> Result<String, Error> {
        Ok(json_string::unescape(&self.value.slice(0, chars)?))
    }

    /// The text itself, read once.
    pub fn whole(&self) -> Result<&str, Error> {
        if let Some(own) = self.own.get() {
            return Ok(own);
        }
        Ok(match self.value.text()? {
            Cow::Borrowed(held) => held,
            Cow::Owned(read) => self.own.get_or_init(|| read),
        })
    }
}

/// Whether a text is read as JSON, if it is that: it begins as an object or an array does.
fn may_be_json(text: &str) -> bool {
    let start = &text[..text_cuts::offset(text, START_CHARS)];
    start.trim_start().starts_with(['{', '['])
}
