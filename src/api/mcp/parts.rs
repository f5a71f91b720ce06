//! The readable parts of a CallToolResult, and which of them is shaped.

use crate::api::mcp::Shaping;
use crate::base::error::Error;
use crate::base::sorting::sort_by_key;
use crate::request::policy::Schema;
use crate::value::any_source::AnySource;
use crate::value::source::{Kind, Source};

use super::tool_result::{self, Part, ToolResult};

/// The readable parts of a CallToolResult, as shaping needs them.
pub(super) struct Parts<'s> {
    pub texts: Vec<Part<'s>>,
    /// The parts in the `content`: the texts, and the blocks that are read as they are.
    pub content: Vec<Part<'s>>,
    /// The parts that the result shows: those in the `content` and the structured content, without the texts if both have
    /// the same content.
    pub all: Vec<Part<'s>>,
    /// The index of the part that is shaped: the heaviest one, or the structured content if there is any, because the
    /// texts are about it.
    pub main: Option<usize>,
    /// Whether the texts have only the content of the structured content.
    pub same: bool,
    /// The key, as a literal, of the one member of the structured content that is shaped; `None` if all of it is.
    pub inside: Option<String>,
}

/// What of the structured content is shaped.
struct Data<'s> {
    part: Part<'s>,
    /// Whether the texts have only the content of the structured content.
    same: bool,
    /// The key, as a literal, of the one member that `part` is; `None` if it is the whole.
    inside: Option<String>,
}

impl Shaping<'_> {
    pub(super) fn parts<'s, 'v: 's>(
        &'s self,
        result: &ToolResult<'v>,
        texts: Vec<Part<'s>>,
    ) -> Result<Parts<'s>, Error> {
        let data = match &result.structured {
            Some(value) => Some(self.data(value, &texts)?),
            None => None,
        };
        let same = data.as_ref().is_some_and(|data| data.same);
        let blocks = || result.values.iter().map(|&at| Part::of_block(at, &result.blocks[at], self.call));
        let in_order = |mut parts: Vec<Part<'s>>| {
            sort_by_key(&mut parts, |part| part.block);
            parts
        };
        let content = in_order(texts.iter().cloned().chain(blocks()).collect());
        let mut all = if same { blocks().collect() } else { content.clone() };
        let inside = data.as_ref().and_then(|data| data.inside.clone());
        all.extend(data.map(|data| data.part));
        let main = match result.structured {
            Some(_) => all.len().checked_sub(1),
            None => (0..all.len()).rev().max_by_key(|&at| all[at].value().min_bytes(usize::MAX)),
        };
        Ok(Parts { texts, content, all, main, same, inside })
    }

    /// The structured content, and whether the texts only repeat it. If the SDK wrapped the tool's value, the value
    /// itself is shaped.
    fn data<'s, 'v: 's>(&'s self, structured: &AnySource<'v>, texts: &[Part<'s>]) -> Result<Data<'s>, Error> {
        let whole = |same| Data { part: Part::of(structured, self.call), same, inside: None };
        if texts.is_empty() || tool_result::tell_the_same(texts, structured)? {
            return Ok(whole(true));
        }
        // With a preserved schema, the shown value and the pointers are those of the whole described value.
        let may_be_inside = self.settings.schema == Schema::Widen;
        let entries = match structured.kind() {
            Kind::Object if structured.len() == 1 => structured.entries()?,
            _ => Vec::new(),
        };
        if let [(key, inside)] = &entries[..]
            && key == "\"result\""
            && tool_result::tell_the_same(texts, inside)?
        {
            let data = Data { part: Part::of(inside, self.call), same: true, inside: Some(key.clone()) };
            return Ok(if may_be_inside { data } else { whole(true) });
        }
        if let [text] = texts
            && tool_result::holds_text(structured, text)?
        {
            // If the text is the object's only member, it is all there is to shape; as JSON if it is JSON.
            return Ok(match &entries[..] {
                [(key, _)] if may_be_inside => Data { part: text.clone(), same: true, inside: Some(key.clone()) },
                _ => whole(true),
            });
        }
        Ok(whole(false))
    }
}
