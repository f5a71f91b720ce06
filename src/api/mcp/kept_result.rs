//! Shapes a result in MCP's form again, because its content to store was redacted or could not be stored.

use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::base::json_string::quoted;
use crate::base::members::Members;
use crate::outcome::tool_output::ToolOutput;
use crate::request::call::Call;
use crate::request::stored_id::Form;
use crate::value::any_source::AnySource;
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, Source};

use super::Shaping;
use super::host::Host;
use super::result::{Block, Channel, ShapedResult};
use super::tool_result::{Part, Returned, ToolResult};

/// The content of a result that was to be stored.
#[derive(Clone, Debug)]
pub struct KeptResult<'a> {
    pub content: &'a str,
    /// Whether it is JSON; otherwise it is plain text.
    pub is_json: bool,
    /// Whether `content` is the text that `redact` returned.
    pub is_redacted: bool,
    /// The indices of the tool's own blocks that were in the shaped result.
    pub passed: &'a [usize],
}

/// Replaces a block that is not read; it passes unchanged.
const UNREAD: &str = "{\"type\":\"unread\"}";

impl Shaper {
    /// Shapes a result again, from its content to store: see [`Keeping`](crate::Keeping).
    ///
    /// A redacted content replaces the texts and the structured content that it was made from; blocks that passed stay.
    /// A content that was not redacted is used only if the tool returned a value that is no CallToolResult.
    ///
    /// # Errors
    /// As [`shape_result`](Self::shape_result); `INVALID_JSON` for a content that is no JSON.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::{Call, JsonText, KeptResult, Naming, Shaper};
    /// let returned = json!({ "structuredContent": { "key": "sk-1" } }).to_string();
    /// let returned = JsonText::parse(&returned)?;
    /// let kept = KeptResult { content: r#"{"key":"…"}"#, is_json: true, is_redacted: true, passed: &[] };
    /// let call = Call::new(&json!({ "outputSchema": true }), Naming::Camel)?;
    /// let shaped = Shaper::default().shape_kept_result(&returned, &kept, &call)?.to_json(&returned)?;
    /// let text = r#"{"structuredContent":{"key":"…"},"content":[{"type":"text","text":"{\"key\":\"…\"}"}],"#;
    /// assert!(shaped.starts_with(text));
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn shape_kept_result<'v, S: Source + 'v>(
        &self,
        returned: &S,
        kept: &KeptResult<'_>,
        call: &Call,
    ) -> Result<ShapedResult, Error> {
        let value = AnySource::new(returned.clone());
        match Returned::read(&value)? {
            Returned::Result(own) if kept.is_redacted => self.shape_redacted(&own, kept, call),
            Returned::Result(_) | Returned::Unfinished => self.shape_any_result(&value, call),
            Returned::Value(_) => {
                let form = if kept.is_json { Form::Json } else { Form::Text };
                let output = ToolOutput { given: None, ..ToolOutput::stored(form, kept.content, call)? };
                let settings = self.settings(call)?;
                if settings.is_left_alone() {
                    return ShapedResult::left_alone(&output.value);
                }
                Shaping { settings, call, host: Host::of(call.client()) }.shape_value(&Part::new(output))
            }
        }
    }

    fn shape_redacted(&self, own: &ToolResult<'_>, kept: &KeptResult<'_>, call: &Call) -> Result<ShapedResult, Error> {
        let text = Block::text(kept.content);
        let mut blocks = Vec::new();
        if let Block::Json(json) = &text {
            blocks.push(json.clone());
        }
        for &at in kept.passed {
            let is_read = own.texts.iter().any(|text| text.block == at);
            blocks.push(if is_read { own.blocks[at].json()?.into_owned() } else { UNREAD.to_owned() });
        }
        let structured = match (own.structured.is_some(), kept.is_json) {
            (false, _) => None,
            (true, true) if JsonText::parse(kept.content)?.kind() == Kind::Object => Some(kept.content.to_owned()),
            (true, true) => Some(wrapped(kept.content)),
            (true, false) => Some(wrapped(&quoted(kept.content))),
        };
        let mut replaced = Members::new();
        replaced.list("content", &blocks);
        if let Some(json) = &structured {
            replaced.json("structuredContent", json);
        }
        replaced.flag("isError", own.is_error);
        let replaced = replaced.into_object();
        let shaped = self.shape_any_result(&AnySource::new(JsonText::parse(&replaced)?), call)?;
        let block = |block| match block {
            Block::Own(0) => text.clone(),
            Block::Own(at) => Block::Own(kept.passed[at - 1]),
            json => json,
        };
        let content = shaped.content.into_iter().map(block).collect();
        let structured = match (shaped.structured, structured) {
            (Channel::Own, Some(json)) => Channel::Json(json),
            (Channel::Own, None) => Channel::Absent,
            (other, _) => other,
        };
        Ok(ShapedResult { unchanged: false, content, structured, ..shaped })
    }
}

/// A value that is no object, as structured content.
fn wrapped(json: &str) -> String {
    let mut out = Members::new();
    out.json("result", json);
    out.into_object()
}
