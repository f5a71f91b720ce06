//! What hosts do to a tool's result before the model sees it: how much of it they show, which channel, and how they write it.
//!
//! Measured by running each host in front of a model that records what it reads, in November 2026; where a host could not be
//! run, its `source` says so. A host that is not listed has no limit of its own and may read either channel.

use std::borrow::Cow;

use super::over_limit::OverLimit;
use super::shaped_result::{Block, Channel, RECEIPT, SizedResult};
use super::text_size::TextSize;
use crate::base::error::Error;
use crate::base::json_string::quoted;
use crate::base::members::Members;
use crate::outcome::shaped::Shaped;
use crate::request::call::Call;
use crate::value::source::Source;
use crate::value::token_count::Measure;

use super::returned::ToolResult;

/// The part of a result that a host shows to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownChannel {
    /// Always `content`.
    Content,
    /// `structuredContent`; `content` only if there is none.
    Structured,
    Either,
    /// Both, if they differ; a limit is for both together.
    Both,
}

/// How a host writes what it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writing {
    /// The texts themselves.
    Text,
    /// The list of blocks as JSON, in which texts are escaped.
    Blocks,
    /// The whole result as JSON.
    Result,
}

/// What a host does not show of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drops {
    Nothing,
    Links,
    LinksBesideStructured,
    LinksAndImagesBesideStructured,
}

/// What a host shows of a result.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// The start of its name, in lower case, as the client sends it to servers; all of it of Python's SDK. Empty if it sends the
    /// server's name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    channel: ShownChannel,
    writing: Writing,
    pub limit: TextSize,
    /// Whether each block of the content has the limit for itself.
    pub is_by_block: bool,
    /// Whether it refuses a text with JSON that is not an object, unless there is structured content.
    needs_object: bool,
    /// Whether it may draw a tool's user interface, which then reads the structured content.
    pub(super) has_ui: bool,
    /// What it does with a result over the limit.
    pub then: OverLimit,
    /// What it does not show.
    drops: Drops,
    /// Where this is from: the releases that were run, or what was read.
    pub source: &'static str,
}

const NO_LIMIT: TextSize = TextSize { tokens: usize::MAX, bytes: usize::MAX, chars: usize::MAX, lines: usize::MAX };
const ANY: Host = Host {
    name: "",
    title: "",
    channel: ShownChannel::Either,
    writing: Writing::Text,
    limit: NO_LIMIT,
    is_by_block: false,
    needs_object: false,
    has_ui: true,
    then: OverLimit::Shows,
    drops: Drops::Nothing,
    source: "",
};

/// The starts of the names of the models that Codex 0.171 knows: those in its own list.
const CODEX_MODELS: [&str; 5] = ["gpt-5.5", "gpt-5.6", "gpt-6", "gpt-daybreak", "codex-auto-review"];
/// What Codex shows of a result to such a model.
const CODEX_KNOWN: TextSize = TextSize { tokens: 10_000, chars: 48_000, ..NO_LIMIT };

/// The default name of clients of Python's SDK. Each host that was run with it shows texts.
const PYTHON_SDK: &str = "mcp";

/// Rows that name what differs from [`ANY`].
macro_rules! hosts {
    ($({ $($differs:tt)+ })+) => { [$(Host { $($differs)+, ..ANY }),+] };
}

/// The hosts, those with a limit of their own first, the lowest first.
pub static HOSTS: [Host; 19] = hosts! {
    { name: "@cline/", title: "Cline", channel: ShownChannel::Both, writing: Writing::Result,
      limit: TextSize { chars: 8_000, ..NO_LIMIT }, has_ui: false, then: OverLimit::RemovesMiddle,
      source: "run, 3.0.65" }
    { name: "visual studio code", title: "VS Code", channel: ShownChannel::Structured,
      limit: TextSize { bytes: 8_192, ..NO_LIMIT }, then: OverLimit::WritesFile(0),
      source: "documentation (an experiment)" }
    // The limit for models that it does not know; see `of_call`.
    { name: "codex", title: "Codex", channel: ShownChannel::Structured, limit: TextSize { chars: 12_000, ..NO_LIMIT },
      has_ui: false, then: OverLimit::RemovesMiddle, drops: Drops::LinksAndImagesBesideStructured,
      source: "run, 0.171" }
    { name: "copilot-cli", title: "Copilot CLI", channel: ShownChannel::Both,
      limit: TextSize { chars: 20_000, ..NO_LIMIT }, has_ui: false, then: OverLimit::WritesFile(500),
      drops: Drops::Links, source: "run, 1.0.102" }
    { name: "qwen", title: "Qwen Code", channel: ShownChannel::Content,
      limit: TextSize { chars: 25_000, lines: 1_000, ..NO_LIMIT }, then: OverLimit::WritesFileAndEnds,
      source: "run, 0.15 and 0.24" }
    { name: "gemini-cli", title: "Gemini CLI", channel: ShownChannel::Content,
      limit: TextSize { chars: 40_000, ..NO_LIMIT }, needs_object: true, then: OverLimit::RemovesMost,
      source: "run, 0.61" }
    // A line that is too long gives an empty preview, and JSON is one line.
    { name: "opencode", title: "opencode", channel: ShownChannel::Content,
      limit: TextSize { bytes: 51_200, lines: 2_000, ..NO_LIMIT }, then: OverLimit::KeepsFirstLines,
      drops: Drops::Links, source: "run, 1.18" }
    { name: "claude-code", title: "Claude Code", channel: ShownChannel::Structured,
      limit: TextSize { tokens: 25_000, chars: 50_000, ..NO_LIMIT }, has_ui: false, then: OverLimit::WritesFile(2_000),
      source: "run, 2.1.197 and 2.1.332" }
    { name: "goose", title: "goose", channel: ShownChannel::Content, limit: TextSize { chars: 200_000, ..NO_LIMIT },
      is_by_block: true, then: OverLimit::WritesBlock, source: "source code" }
    { name: "continue", title: "Continue", channel: ShownChannel::Content, writing: Writing::Blocks,
      source: "run, 1.5" }
    { name: "ai-sdk", title: "AI SDK", channel: ShownChannel::Content, writing: Writing::Blocks,
      source: "run, mcp 1.0 and 2.0" }
    { title: "OpenAI Agents", channel: ShownChannel::Content, source: "run, Python 0.24 and JS 0.20" }
    // Both send a link to the model as a file, which OpenAI's chat completions refuse.
    { name: "@langchain/", title: "LangChain JS", channel: ShownChannel::Both, has_ui: false, drops: Drops::Links,
      source: "run, 1.1" }
    { name: PYTHON_SDK, title: "LangChain Python", channel: ShownChannel::Content, drops: Drops::Links,
      source: "run, 0.3" }
    { title: "Pydantic AI", channel: ShownChannel::Structured, source: "run, 2.68" }
    { name: PYTHON_SDK, title: "Strands", channel: ShownChannel::Content, drops: Drops::Links, source: "run, 1.62" }
    { title: "Mastra", channel: ShownChannel::Structured, writing: Writing::Result, drops: Drops::LinksBesideStructured,
      source: "run, 0.14 and 2.0" }
    { name: PYTHON_SDK, title: "LlamaIndex", channel: ShownChannel::Both, source: "run, 0.6" }
    { name: "google-adk", title: "Google ADK", channel: ShownChannel::Both, writing: Writing::Result, has_ui: false,
      source: "run, 2.13" }
};

impl Host {
    /// The host with a client's name.
    pub fn of(client: Option<&str>) -> Self {
        let name = client.unwrap_or_default().to_ascii_lowercase();
        let is_it = |host: &&Self| match host.name {
            "" => false,
            PYTHON_SDK => name == PYTHON_SDK,
            start => name.starts_with(start),
        };
        HOSTS.iter().find(is_it).copied().unwrap_or(ANY)
    }

    /// The host of a call: what Codex shows depends on the model, which it names.
    pub fn of_call(call: &Call) -> Self {
        let host = Self::of(call.client());
        let knows = call.model.as_ref().is_some_and(|model| CODEX_MODELS.iter().any(|known| model.starts_with(known)));
        if host.name == "codex" && knows { Self { limit: CODEX_KNOWN, ..host } } else { host }
    }

    /// The hosts with a limit of their own.
    pub fn limited() -> impl DoubleEndedIterator<Item = &'static Self> + Clone {
        HOSTS.iter().filter(|host| host.has_limit())
    }

    /// Whether there are results that it does not show whole.
    pub fn has_limit(&self) -> bool {
        self.limit != NO_LIMIT
    }

    /// The most tokens that a host shows.
    pub fn tokens(&self) -> usize {
        self.limit.tokens
    }

    /// Whether it reads more than the texts that it is sent, or refuses some of them.
    pub(crate) fn is_plain(&self) -> bool {
        self.writing == Writing::Text && !self.needs_object && !self.has_limit()
    }

    /// The share of a result that a host shows if it is too large, from 0 to 1; `None` if it shows all of it.
    pub fn share(&self, content: TextSize, structured: Option<TextSize>) -> Option<f64> {
        self.share_of(self.read(content, structured))
    }

    /// The same of what it reads.
    pub(super) fn share_of(&self, read: TextSize) -> Option<f64> {
        let TextSize { bytes, chars, lines, .. } = self.limit;
        let least = share(bytes, read.bytes).min(share(chars, read.chars)).min(share(lines, read.lines));
        (least < 1.0).then_some(least)
    }

    /// The same, where the tokens have no budget of their own.
    pub fn shown(&self, content: TextSize, structured: Option<TextSize>) -> Option<f64> {
        let by_tokens = share(self.limit.tokens, self.read(content, structured).tokens);
        let least = self.share(content, structured).unwrap_or(1.0).min(by_tokens);
        (least < 1.0).then_some(least)
    }

    /// Whether it shows structured content, and not a link next to it.
    pub(super) fn drops_links_beside(&self) -> bool {
        self.channel == ShownChannel::Structured && self.drops != Drops::Nothing
    }

    /// Whether it writes an image as the JSON of its block: then a model reads base64.
    pub(super) fn writes_images_as_text(&self) -> bool {
        self.writing != Writing::Text
    }

    /// Whether it shows the text of the `content` in any case.
    pub(super) fn shows_text(&self) -> bool {
        matches!(self.channel, ShownChannel::Content | ShownChannel::Both)
    }

    /// What the host reads of a result.
    pub(super) fn read(&self, content: TextSize, structured: Option<TextSize>) -> TextSize {
        match (self.channel, structured) {
            (ShownChannel::Content, _) | (_, None) => content,
            (ShownChannel::Structured, Some(structured)) => structured,
            (ShownChannel::Either, Some(structured)) => content.max(structured),
            (ShownChannel::Both, Some(structured)) => content.and(structured),
        }
    }

    /// What the host shows of a result with these texts and this structured content, a JSON text, if nobody shapes it: without
    /// its own words about what it leaves out, and without images.
    pub fn shown_text<'t>(
        &self,
        texts: &'t [String],
        structured: Option<&'t str>,
        is_error: bool,
        measure: Measure,
    ) -> Cow<'t, str> {
        let blocks = || {
            let blocks = texts.iter().map(|text| format!("{{\"type\":\"text\",\"text\":{}}}", quoted(text)));
            format!("[{}]", blocks.collect::<Vec<_>>().join(","))
        };
        let content = || if let [text] = texts { Cow::Borrowed(&**text) } else { Cow::Owned(texts.join("\n")) };
        let is_repeated = |json: &str| texts.iter().any(|text| text == json);
        let written = match (self.writing, self.channel, structured) {
            (Writing::Blocks, ..) => Cow::Owned(blocks()),
            (Writing::Result, ..) => {
                let mut out = Members::new();
                out.json("content", &blocks());
                out.flag("isError", is_error);
                structured.into_iter().for_each(|json| out.json("structuredContent", json));
                Cow::Owned(out.into_object())
            }
            (Writing::Text, ShownChannel::Structured, Some(json)) => Cow::Borrowed(json),
            (Writing::Text, ShownChannel::Both, Some(json)) if !is_repeated(json) => {
                Cow::Owned(format!("{}\n{json}", content()))
            }
            (Writing::Text, ShownChannel::Either, Some(json)) if texts.is_empty() => Cow::Borrowed(json),
            (Writing::Text, ..) if structured.is_none() && texts.len() == 1 && self.refuses(&texts[0]) => {
                Cow::Borrowed(REFUSAL)
            }
            (Writing::Text, ..) => content(),
        };
        let is_over = |text: &str| {
            let TextSize { bytes, chars, lines, .. } = TextSize::counted(text, 0);
            let most = self.limit;
            let has_more_tokens = || most.tokens < bytes && measure.fits(text, most.tokens).is_none();
            bytes > most.bytes || chars > most.chars || lines > most.lines || has_more_tokens()
        };
        match (self.is_by_block, written) {
            (true, _) => Cow::Owned(texts.iter().filter(|text| !is_over(text)).cloned().collect::<Vec<_>>().join("\n")),
            (false, written) if !is_over(&written) => written,
            (false, Cow::Borrowed(written)) => self.then.left(written, self.limit),
            (false, Cow::Owned(written)) => Cow::Owned(self.then.left(&written, self.limit).into_owned()),
        }
    }

    /// The size of a text as the host writes it, alone in a result.
    pub(crate) fn size_of(&self, text: &str, tokens: usize, measure: Measure) -> TextSize {
        let Block::Json(block) = Block::text(text) else { return TextSize::counted(text, tokens) };
        match self.writing {
            Writing::Text => TextSize::counted(text, tokens),
            Writing::Blocks => TextSize::of(&format!("[{block}]"), measure),
            Writing::Result => TextSize::of(&format!("{{\"content\":[{block}],\"isError\":false}}"), measure),
        }
    }

    /// The size of a draft as the host writes it, if it does not write the texts themselves; `own` is the tool's result.
    ///
    /// # Errors
    /// Whatever reading the tool's blocks reports.
    pub(super) fn written(
        &self,
        draft: &SizedResult,
        own: Option<&ToolResult<'_>>,
        measure: Measure,
    ) -> Result<Option<TextSize>, Error> {
        if self.writing == Writing::Text {
            return Ok(None);
        }
        let mut blocks = Vec::new();
        for block in &draft.result.content {
            match (block, own) {
                (Block::Json(json), _) => blocks.push(json.clone()),
                // Such a host gets no images, and the note in their place is counted.
                (Block::Own(at), Some(own)) if own.images.contains(at) => {}
                (Block::Own(at), Some(own)) => blocks.push(own.blocks[*at].json()?.into_owned()),
                (Block::Own(_), None) => {}
            }
        }
        let content = format!("[{}]", blocks.join(","));
        if self.writing == Writing::Blocks {
            return Ok(Some(TextSize::of(&content, measure)));
        }
        let mut out = Members::new();
        out.json("content", &content);
        // Python's SDK always sends it.
        out.flag("isError", draft.result.is_error);
        match (&draft.result.structured, own.and_then(|own| own.structured.as_ref())) {
            (Channel::Json(json), _) => out.json("structuredContent", json),
            (Channel::Own, Some(own)) => out.json("structuredContent", &own.json()?),
            _ => {}
        }
        let meta = draft.result.meta(own.and_then(|own| own.meta.as_ref()))?;
        Ok(Some(TextSize::of(&out.into_object(), measure).and(self.room_of_meta(&meta))))
    }

    /// What a `_meta` takes of the room that the host leaves; it takes no tokens of the budget. Of a larger one the host removes
    /// the middle, and shows what has the other half whole.
    fn room_of_meta(&self, meta: &str) -> TextSize {
        let size = TextSize::counted(&format!("\"_meta\":{meta},"), 0);
        let TextSize { bytes, chars, lines, .. } = self.limit;
        TextSize {
            bytes: size.bytes.min(bytes / 2),
            chars: size.chars.min(chars / 2),
            lines: size.lines.min(lines / 2),
            ..size
        }
    }

    /// Whether it refuses a text unless there is structured content.
    pub(crate) fn refuses(&self, text: &str) -> bool {
        let start = text.trim_start().as_bytes().first();
        self.needs_object
            && start.is_some_and(|first| *first != b'{')
            && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
    }
}

/// What Gemini CLI shows of a result that it refuses.
const REFUSAL: &str = r#"{"error":"MCP tool 'name' reported tool error for function call: {\"name\":\"name\",\"args\":{}} with response: [{\"functionResponse\":{\"name\":\"name\",\"response\":{\"error\":{\"message\":\"[\\n  {\\n    \\\"expected\\\": \\\"record\\\",\\n    \\\"code\\\": \\\"invalid_type\\\",\\n    \\\"path\\\": [\\n      \\\"structuredContent\\\"\\n    ],\\n    \\\"message\\\": \\\"Invalid input: expected record, received array\\\"\\n  }\\n]\",\"isError\":true}}}}]"}"#;

fn share(limit: usize, is: usize) -> f64 {
    limit as f64 / is.max(1) as f64
}

/// What the next draft may spend: a little less than the share, because cuts are at whole rows and lines. `tokens` are those
/// of this draft, `last` those of the one before.
///
/// A page takes a part of what it may spend, so the next may spend a share of that, not of what this took; unless a draft
/// was no smaller than the one before.
pub(super) fn next_spend(spend: usize, tokens: usize, last: Option<usize>, share: f64) -> usize {
    let from = if last.is_some_and(|last| last <= tokens) { tokens.min(spend) } else { spend };
    (from as f64 * share * 0.96) as usize
}

/// A host's limit in bytes, characters or lines is met by trying; this is the limit of tries, which no text needs.
pub(super) const TRIES: usize = 16;

impl Host {
    /// A text in the content that the host shows whole, within its budget as the host writes it. `draft` gets the most tokens
    /// that it may have, if the host limits it; each has less to spend than the one before.
    pub fn fitted(&self, mut draft: impl FnMut(usize) -> Result<Shaped, Error>) -> Result<Shaped, Error> {
        let mut most = self.tokens();
        let (mut budget, mut last) = (None, None);
        for _ in 1..TRIES {
            let shaped = draft(most)?;
            let tokens = shaped.receipt.tokens_after;
            let size = self.size_of(&shaped.text, tokens, Measure { encoding: shaped.receipt.encoding });
            let receipt =
                Some(&shaped.receipt).filter(|receipt| self.writing == Writing::Result && receipt.is_in_meta());
            let receipt = receipt.map(|receipt| self.room_of_meta(&format!("{{\"{RECEIPT}\":{}}}", receipt.to_json())));
            let size = size.and(receipt.unwrap_or_default());
            // The first draft has the budget of the policy.
            let budget = *budget.get_or_insert(shaped.receipt.budget.unwrap_or(usize::MAX));
            let share = self.share_of(size).unwrap_or(1.0).min(share(budget, size.tokens));
            if share >= 1.0 || shaped.is_error || shaped.image.is_some() {
                return Ok(shaped);
            }
            let spent = if most == usize::MAX { budget } else { most };
            most = next_spend(spent, tokens, last.replace(tokens), share);
        }
        draft(most)
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_for_what_the_host_reads() {
        let long = TextSize { tokens: 10, bytes: 20_000, chars: 20_000, lines: 1 };
        let short = TextSize { bytes: 100, chars: 100, ..long };
        let codex = Host::of(Some("codex-mcp-client"));
        assert_eq!(codex.share(long, None), Some(0.6));
        assert_eq!(codex.share(long, Some(short)), None);
        assert_eq!(codex.share(short, Some(long)), Some(0.6));
        let copilot = Host::of(Some("copilot-cli"));
        assert_eq!((copilot.share(long, None), copilot.share(long, Some(long))), (None, Some(0.5)));
        assert_eq!(Host::of(Some("Visual Studio Code - Insiders")).share(short, Some(long)), Some(0.4096));
        assert_eq!(Host::of(Some("gemini-cli-mcp-client")).share(short, Some(long)), None);
        let lines = TextSize { lines: 4_000, ..short };
        assert_eq!(Host::of(Some("opencode")).share(lines, None), Some(0.5));
        assert_eq!(Host::of(Some("opencode")).share(TextSize { lines: 2_000, ..short }, None), None);
        assert_eq!(Host::of(Some("codex-mcp-client")).share(lines, None), None);
        assert_eq!(Host::of(Some("somebody")).share(long, Some(long)), None);
        assert_eq!(Host::of(None).tokens(), usize::MAX);
    }

    /// `js-tests/hosts/` compares each host with its row here. `UPDATE_OPTIONS=1` writes the file.
    #[test]
    fn the_suite_of_hosts_expects_this_table() {
        let limit = |host: &Host| {
            let TextSize { tokens, bytes, chars, lines } = host.limit;
            let limits = [("tokens", tokens), ("bytes", bytes), ("chars", chars), ("lines", lines)];
            let limits = limits.into_iter().filter(|(_, most)| *most < usize::MAX);
            limits.map(|(unit, most)| (unit.to_owned(), most.into())).collect::<serde_json::Map<_, _>>()
        };
        let row = |host: &Host| {
            serde_json::json!({
                "title": host.title, "name": host.name, "channel": format!("{:?}", host.channel).to_lowercase(),
                "writing": format!("{:?}", host.writing).to_lowercase(), "limit": limit(host),
                "needsObject": host.needs_object, "then": host.then.to_string(), "drops": format!("{:?}", host.drops),
                "source": host.source,
            })
        };
        let rows: Vec<_> = HOSTS.iter().map(row).collect();
        let expected = serde_json::to_string_pretty(&rows).unwrap() + "\n";
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("js-tests/hosts/expected.json");
        if std::env::var_os("UPDATE_OPTIONS").is_some() {
            std::fs::write(&path, &expected).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), expected, "run this test with UPDATE_OPTIONS=1");
    }

    #[test]
    fn a_host_is_known_by_the_start_of_its_name() {
        for (client, title) in [
            ("@cline/core", "Cline"),
            ("codex-mcp-client", "Codex"),
            ("Claude-Code", "Claude Code"),
            ("gemini-cli-mcp-client-x", "Gemini CLI"),
            ("qwen-code", "Qwen Code"),
            ("ai-sdk-mcp-client", "AI SDK"),
            ("google-adk", "Google ADK"),
            ("@langchain/mcp-adapters", "LangChain JS"),
            ("mcp", "LangChain Python"),
            ("mcp-inspector", ""),
            ("", ""),
        ] {
            assert_eq!(Host::of(Some(client)).title, title, "{client}");
        }
        assert_eq!(Host::limited().count(), 9);
    }

    #[test]
    fn codex_shows_more_to_models_that_it_knows() {
        let of = |model: &str| {
            let meta = serde_json::json!({ "x-codex-turn-metadata": { "model": model } });
            let call = serde_json::json!({ "client": "codex-mcp-client", "meta": meta });
            Host::of_call(&Call::new(&call, crate::host::Naming::Camel).unwrap()).limit
        };
        assert_eq!((of("gpt-6.2").chars, of("gpt-6.2").tokens), (48_000, 10_000));
        assert_eq!((of("llama").chars, of("gpt-5.1-codex").chars), (12_000, 12_000));
    }

    #[test]
    fn text_is_counted_as_the_host_writes_it() {
        let measure = Measure { encoding: crate::Encoding::O200kBase };
        let text = r#"{"a":"b"}"#;
        let chars = |client: &str| Host::of(Some(client)).size_of(text, 5, measure).chars;
        assert_eq!(chars("claude-code"), text.len());
        assert_eq!(chars("ai-sdk-mcp-client"), r#"[{"type":"text","text":"{\"a\":\"b\"}"}]"#.len());
        assert_eq!(
            chars("@cline/core"),
            r#"{"content":[{"type":"text","text":"{\"a\":\"b\"}"}],"isError":false}"#.len()
        );
    }

    #[test]
    fn what_gemini_refuses_is_json_that_is_not_an_object() {
        let gemini = Host::of(Some("gemini-cli"));
        for (text, refuses) in [
            ("[1, 2]", true),
            (" 7", true),
            ("\"a\"", true),
            ("null", true),
            ("-1.5e3\n", true),
            ("{\"a\":1}", false),
            ("word", false),
            ("7 words", false),
            ("", false),
            ("[not json", false),
        ] {
            assert_eq!(gemini.refuses(text), refuses, "{text}");
            assert!(!Host::of(Some("qwen-code")).refuses(text));
        }
    }
}
