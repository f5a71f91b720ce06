//! What a conversation costs a model, and what it would cost if nobody shaped it: each result once, as its host would show it.

use std::borrow::Cow;

use serde_json::Value;
use toolshape::host::{Host, JsonText, Measure};
use toolshape::{Call, Error};

use crate::channels::Channels;
use crate::relay::message::member;

/// The bytes of a text that are counted; of a longer one that many are, in parts.
const COUNTED: usize = 1 << 15;
const PARTS: usize = 16;
/// How a host's configuration is tried: such a conversation is nobody's.
const OWN_CLIENT: &str = "toolshape";

/// What a model was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CountedKind {
    /// The list of tools.
    Definitions,
    /// The result of a tool.
    Result,
    /// A part of a stored result, or a further page of one.
    Read,
}

/// What a model was sent, in tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    pub kind: CountedKind,
    pub server: Option<String>,
    /// The name of the client.
    pub client: Option<String>,
    pub tool: Option<String>,
    /// What its host would show without toolshape; nothing of a part that was read back.
    pub without: usize,
    pub with: usize,
    /// The handles that a result names, or that a read opens.
    pub handles: Vec<String>,
    /// Whether nothing was changed: the tokens are those that would have been sent.
    pub is_observed: bool,
}

impl Counted {
    pub(crate) fn new(kind: CountedKind, names: (Option<&str>, Option<&str>)) -> Self {
        let (client, server) = (names.0.map(str::to_owned), names.1.map(str::to_owned));
        let (tool, handles) = (None, Vec::new());
        Self { kind, server, client, tool, without: 0, with: 0, handles, is_observed: false }
    }

    /// Whether a model reads it.
    pub(crate) fn is_of_model(&self) -> bool {
        self.client.as_deref() != Some(OWN_CLIENT)
    }
}

/// The tokens that a host shows of what a tool of its own returned, of which it shows at most this many characters.
#[must_use]
pub fn tokens_of_own_tool(client: &str, text: &str, chars: usize, measure: Measure) -> usize {
    let mut host = Host::of(Some(client));
    host.limit.chars = host.limit.chars.min(chars);
    tokens(&host.shown_text(&[text.to_owned()], None, false, measure), measure)
}

/// The tokens that the host of a call shows of a result.
pub(crate) fn shown(result: &JsonText<'_>, call: &Call, measure: Measure) -> Result<usize, Error> {
    let channels = Channels::of(result)?;
    Ok(tokens(&shown_of(&channels, result, &Host::of_call(call), measure), measure))
}

/// What a host shows of a result.
pub(crate) fn shown_text(result: &JsonText<'_>, host: &Host, measure: Measure) -> Result<String, Error> {
    Ok(shown_of(&Channels::of(result)?, result, host, measure).into_owned())
}

fn shown_of<'c>(channels: &'c Channels, result: &JsonText<'_>, host: &Host, measure: Measure) -> Cow<'c, str> {
    let is_error = member(result, "isError").is_some_and(|flag| flag.span() == "true");
    host.shown_text(&channels.texts, channels.structured.as_deref(), is_error, measure)
}

/// The tokens that hosts send of a list of tools: names, descriptions and schemas of input.
pub(crate) fn definitions(list: &str, measure: Measure) -> usize {
    let Ok(list) = serde_json::from_str::<Value>(list) else { return 0 };
    let parts = |tool: &Value| -> usize {
        ["name", "description", "inputSchema"]
            .iter()
            .map(|name| match &tool[*name] {
                Value::Null => 0,
                Value::String(text) => measure.count(text),
                schema => measure.count(&schema.to_string()),
            })
            .sum()
    };
    list["tools"].as_array().into_iter().flatten().map(parts).sum()
}

/// The tokens of a text; of a long one by parts of it.
pub(crate) fn tokens(text: &str, measure: Measure) -> usize {
    if text.len() <= COUNTED {
        return measure.count(text);
    }
    let place = |at: usize| (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    let parts = (0..PARTS).map(|part| {
        let start = text.len() / PARTS * part;
        &text[place(start)..place(start + COUNTED / PARTS)]
    });
    let (bytes, tokens) =
        parts.fold((0, 0), |(bytes, tokens), part| (bytes + part.len(), tokens + measure.count(part)));
    (tokens as f64 * (text.len() as f64 / bytes.max(1) as f64)) as usize
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolshape::Encoding;

    use super::*;

    const MEASURE: Measure = Measure { encoding: Encoding::O200kBase };

    #[test]
    fn a_long_text_is_counted_by_parts() {
        let rows: String = (0..40_000).map(|id| format!("{{\"id\":{id},\"näme\":\"row {}\"}},", id * 7919)).collect();
        assert!(rows.len() > 4 * COUNTED);
        let (exact, about) = (MEASURE.count(&rows) as f64, tokens(&rows, MEASURE) as f64);
        assert!((about / exact - 1.0).abs() < 0.01, "{about} of {exact}");
    }

    #[test]
    fn a_result_counts_as_its_host_shows_it() {
        let text = "word ".repeat(20_000);
        let result = json!({ "content": [{ "type": "text", "text": text }] }).to_string();
        let result = JsonText::parse(&result).unwrap();
        let of = |client: &str| shown(&result, &Call::of(None, Some(client)), MEASURE).unwrap();
        let count = |text: &str| tokens(text, MEASURE);
        assert_eq!(of("somebody"), count(&text));
        assert_eq!(of("claude-code"), count(&text[..2_000]));
        assert_eq!(of("copilot-cli"), count(&text[..500]));
        assert_eq!(of("codex-mcp-client"), count(&text[..12_000]));
        assert!(of("ai-sdk") > count(&text));
    }

    #[test]
    fn definitions_are_what_hosts_send() {
        let list = json!({ "tools": [{ "name": "a", "description": "b c", "outputSchema": { "type": "object" } }] });
        assert_eq!(definitions(&list.to_string(), MEASURE), MEASURE.count("a") + MEASURE.count("b c"));
        assert_eq!(definitions("[", MEASURE), 0);
    }
}
