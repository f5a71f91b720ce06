//! What `redact` sees of a result, and the result shaped again, because it was redacted or could not be stored.

use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::base::json_string::quoted;
use crate::base::members::Members;
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::Call;
use crate::request::content_id::Form;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, Source};

use super::host::Host;
use super::parts::Parts;
use super::parts::{Content, ResultPart};
use super::rest::Rest;
use super::returned::{self, Returned, ToolResult};
use super::shape_result::ResultShaper;
use super::shaped_result::{Block, Channel, ShapedResult};

/// The replacement of a result that is shaped again.
#[derive(Clone, Copy, Debug)]
pub struct Replacement<'a> {
    /// The texts that `redact` returned for the result's [`contents`](Shaper::result_contents), in their order; or the
    /// one content to store.
    pub contents: &'a [String],
    /// Whether the first content is JSON; otherwise it is plain text.
    pub is_json: bool,
    pub is_redacted: bool,
}

/// Replaces a block that is not read; it passes unchanged.
const UNREAD: &str = r#"{"type":"audio","data":"","mimeType":""}"#;

#[doc(hidden)]
impl Shaper {
    /// The whole of a tool's output, one content, for [`redact`](crate::Redacts).
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` and `TOO_DEEP` from reading the value.
    pub fn contents(&self, output: &ToolOutput<'_>) -> Result<Vec<Content>, Error> {
        Ok(vec![Content::of(output)?])
    }

    /// The contents of what a tool returned that a model may read, each once: texts, links, blocks of a form that MCP does
    /// not have, structured content. The last one is the rest of the result, if there is any: other members of its blocks, and
    /// members that MCP does not have.
    ///
    /// # Errors
    /// As [`contents`](Self::contents).
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::host::JsonText;
    /// use toolshape::{Call, Shaper};
    /// let returned = json!({ "content": [{ "type": "text", "text": "[ 1 ]" }, { "type": "text", "text": "a word" }] });
    /// let returned = returned.to_string();
    /// let contents = Shaper::default().result_contents(&JsonText::parse(&returned)?, &Call::default())?;
    /// let told: Vec<_> = contents.iter().map(|content| (&*content.text, content.is_json)).collect();
    /// assert_eq!(told, [("[1]", true), ("a word", false)]);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn result_contents<'v, S: Source + 'v>(&self, returned: &S, call: &Call) -> Result<Vec<Content>, Error> {
        let settings = self.settings(call)?;
        let value = AnySource::new(returned.clone());
        match Returned::read(&value)? {
            Returned::Unfinished => Ok(Vec::new()),
            Returned::Value(value) => self.contents(&ToolOutput::value(&value, call)),
            Returned::Result(result) => {
                let shaping = ResultShaper { settings, call, host: Host::of(call.client()) };
                let parts = shaping.parts(&result)?;
                let mut contents =
                    parts.all.iter().map(|part| Content::of(&part.job.output)).collect::<Result<Vec<_>, _>>()?;
                contents.extend(Rest::of(&value, &result)?.map(|rest| rest.content()));
                Ok(contents)
            }
        }
    }

    /// Shapes a result again: see [`KeepState`](crate::host::KeepState).
    ///
    /// Redacted contents replace the texts, the blocks and the structured content that they were made from; all else
    /// stays. A content that was not redacted is used only if the tool returned a value that is not a CallToolResult.
    ///
    /// # Errors
    /// As [`shape_result`](Self::shape_result); `INVALID_JSON` for a content that is not JSON.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::host::{JsonText, Replacement, Naming};
    /// use toolshape::{Call, Shaper};
    /// let returned = json!({ "structuredContent": { "key": "sk-1" } }).to_string();
    /// let returned = JsonText::parse(&returned)?;
    /// let contents = [r#"{"key":"…"}"#.to_owned()];
    /// let kept = Replacement { contents: &contents, is_json: true, is_redacted: true };
    /// let call = Call::new(&json!({ "outputSchema": true }), Naming::Camel)?;
    /// let shaped = Shaper::default().shape_kept_result(&returned, &kept, &call)?.to_json(&returned)?;
    /// let text = r#"{"structuredContent":{"key":"…"},"content":[{"type":"text","text":"{\"key\":\"…\"}"}]}"#;
    /// assert_eq!(shaped, text);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn shape_kept_result<'v, S: Source + 'v>(
        &self,
        returned: &S,
        kept: &Replacement<'_>,
        call: &Call,
    ) -> Result<ShapedResult, Error> {
        let value = AnySource::new(returned.clone());
        let settings = self.settings(call)?;
        if call.check_redacted().is_err() {
            return self.shape_any_result(&value, call);
        }
        match (Returned::read(&value)?, kept.contents) {
            (Returned::Result(own), contents) if kept.is_redacted => self.shape_redacted(&value, &own, contents, call),
            (Returned::Value(_), [content, ..]) if settings.is_left_alone() => {
                let text = quoted(content);
                ShapedResult::left_alone(&AnySource::new(JsonText::parse(&text)?))
            }
            (Returned::Value(_), [content, ..]) => {
                let form = if kept.is_json { Form::Json } else { Form::Text };
                let output = ToolOutput { given: None, ..ToolOutput::stored(form, content, call)? };
                let part = ResultPart::new(output, settings);
                ResultShaper { settings, call, host: Host::of(call.client()) }.shape_value(&part)
            }
            _ => self.shape_any_result(&value, call),
        }
    }

    /// A CallToolResult with other contents.
    fn shape_redacted(
        &self,
        value: &AnySource<'_>,
        own: &ToolResult<'_>,
        contents: &[String],
        call: &Call,
    ) -> Result<ShapedResult, Error> {
        let shaping = ResultShaper { settings: self.settings(call)?, call, host: Host::of(call.client()) };
        let parts = shaping.parts(own)?;
        let content_of = |wanted: &dyn Fn(&ResultPart<'_>) -> bool| {
            parts
                .all
                .iter()
                .zip(contents)
                .find(|(part, _)| wanted(part))
                .map(|(part, content)| (part, content.as_str()))
        };
        let own_rest = Rest::of(value, own)?;
        let rest = match (&own_rest, contents.get(parts.all.len())) {
            (Some(own_rest), Some(json)) => own_rest.redacted(json)?,
            _ => None,
        };
        let data = content_of(&|part| own.structured.is_some() && parts.is_data(part));
        let (mut blocks, mut has_text) = (Vec::new(), false);
        for (at, block) in own.blocks.iter().enumerate() {
            let is_text = own.texts.iter().any(|text| text.block == at);
            let with = |content: &str| {
                let json = match &rest {
                    Some(rest) => rest.block(at, block, Some(content)),
                    None => returned::with_text(block, &quoted(content)),
                };
                json.map(Block::Json)
            };
            blocks.push(match content_of(&|part| !parts.is_data(part) && part.block == Some(at)) {
                Some((part, content)) if part.is_block => Block::Json(content.to_owned()),
                Some((_, content)) => with(content)?,
                // Texts that repeat the structured content appear once.
                None if is_text && has_text => continue,
                None if is_text => {
                    has_text = true;
                    with(data.map_or("", |(_, content)| content))?
                }
                None => match &rest {
                    Some(rest) => Block::Json(rest.block(at, block, None)?),
                    None => Block::Own(at),
                },
            });
        }
        if let (true, false, Some((_, content))) = (parts.same, has_text, data) {
            blocks.insert(0, Block::text(content));
        }
        let structured = data.map(|(part, content)| parts.structured(part, content)).transpose()?;
        let written = blocks.iter().map(|block| match block {
            Block::Json(json) => Ok(json.clone()),
            Block::Own(at) if own.images.contains(at) => Ok(own.blocks[*at].json()?.into_owned()),
            Block::Own(_) => Ok(UNREAD.to_owned()),
        });
        let written = written.collect::<Result<Vec<String>, Error>>()?;
        let mut replaced = Members::new();
        replaced.list("content", &written);
        if let Some(json) = &structured {
            replaced.json("structuredContent", json);
        }
        replaced.flag("isError", own.is_error);
        let replaced = replaced.into_object();
        let shaped = self.shape_any_result(&AnySource::new(JsonText::parse(&replaced)?), call)?;
        if shaped.receipt.is_none() {
            // What passes is the redacted result, of which nothing is the tool's own.
            let written = blocks.into_iter().map(|block| match block {
                Block::Own(at) => Ok(Block::Json(own.blocks[at].json()?.into_owned())),
                json => Ok(json),
            });
            let content = written.collect::<Result<_, Error>>()?;
            let structured = structured.map_or(Channel::Absent, Channel::Json);
            let (is_own, is_result, unchanged, is_error) = (false, false, false, own.is_error);
            return Ok(ShapedResult { is_own, is_result, unchanged, content, structured, is_error, ..shaped });
        }
        let block = |block| match block {
            Block::Own(at) => blocks[at].clone(),
            json => json,
        };
        let content = shaped.content.into_iter().map(block).collect();
        let structured = match (shaped.structured, structured) {
            (Channel::Own, Some(json)) => Channel::Json(json),
            (Channel::Own, None) => Channel::Absent,
            (other, _) => other,
        };
        // What of the other members was redacted is left out, with all of them.
        let is_same = |rest: &Rest| own_rest.as_ref().is_some_and(|own| rest.has_others_of(own));
        let is_result = shaped.is_result && rest.as_ref().is_none_or(is_same);
        Ok(ShapedResult { unchanged: false, is_result, content, structured, ..shaped })
    }
}

impl Parts<'_> {
    /// Whether a part is the structured content, which may be a text's.
    fn is_data(&self, part: &ResultPart<'_>) -> bool {
        part.block.is_none() || self.same && !part.is_block
    }

    /// The structured content with another content of its part.
    fn structured(&self, part: &ResultPart<'_>, content: &str) -> Result<String, Error> {
        let is_json = part.job.output.form == Form::Json;
        let mut out = Members::new();
        match &self.inside {
            // A text that is JSON is still a text in the object that has it.
            Some(key) if !is_json || part.block.is_some() => out.json_under(key, &quoted(content)),
            Some(key) => out.json_under(key, content),
            None if is_json && JsonText::parse(content)?.kind() == Kind::Object => return Ok(content.to_owned()),
            // Structured content is an object.
            None => out.json("result", content),
        }
        Ok(out.into_object())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::request::policy::Policy;
    use crate::request::reader::Naming;

    #[test]
    fn what_passes_is_redacted_too() {
        let policy = json!({ "tools": { "x": false } });
        let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
        let call = Call::tool("x");
        for (returned, wanted) in [
            (
                json!({ "content": [{ "type": "text", "text": "a sk-1" }], "isError": true }),
                json!({ "content": [{ "type": "text", "text": "a …" }], "isError": true }),
            ),
            (
                json!({ "content": [], "structuredContent": { "a": "sk-1" } }),
                json!({
                    "content": [{ "type": "text", "text": r#"{"a":"…"}"# }],
                    "structuredContent": { "a": "…" },
                }),
            ),
            (json!({ "a": "sk-1" }), json!({ "content": [{ "type": "text", "text": r#"{"a":"…"}"# }] })),
        ] {
            let json = returned.to_string();
            let returned = JsonText::parse(&json).unwrap();
            let contents = shaper.result_contents(&returned, &call).unwrap();
            let left: Vec<String> = contents.iter().map(|content| content.text.replace("sk-1", "…")).collect();
            let kept = Replacement { contents: &left, is_json: contents[0].is_json, is_redacted: true };
            let shaped = shaper.shape_kept_result(&returned, &kept, &call).unwrap().to_json(&returned).unwrap();
            let shaped: serde_json::Value = serde_json::from_str(&shaped).unwrap();
            assert_eq!(shaped, wanted);
        }
    }
}
