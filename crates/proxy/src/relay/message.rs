//! A message of JSON-RPC 2.0, read where it lies: its members are parts of the line.

use std::borrow::Cow;
use std::cell::OnceCell;

use toolshape::ErrorCode;
use toolshape::host::{JsonText, Kind, Quoted, Source};

/// The member of a request's `_meta` with its revision of MCP, since 2026-07-28.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
/// The member of a request's `_meta` that names the client.
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";

/// A JSON object that is a line, or a part of it.
pub(crate) struct Message<'l> {
    pub line: &'l str,
    members: [Option<JsonText<'l>>; NAMES.len()],
    /// The `_meta` of its parameters, which is asked for often.
    meta: OnceCell<Option<JsonText<'l>>>,
}

/// The members that determine the kind of a message.
const NAMES: [&str; 5] = ["method", "id", "params", "result", "error"];

/// What a line is.
#[allow(clippy::large_enum_variant)] // one at a time, and taken apart at once
pub(crate) enum RelayLine<'l> {
    Message(Message<'l>),
    /// Messages in an array, as revision 2025-03-26 has them. The line of each is its place in the array.
    Batch {
        list: JsonText<'l>,
        messages: Vec<Message<'l>>,
    },
    /// JSON that is not a message.
    Other,
    /// JSON that is nested too deeply to be read.
    TooDeep,
    /// No JSON.
    Noise,
}

impl<'l> RelayLine<'l> {
    /// The messages of the line.
    pub fn messages(self) -> Vec<Message<'l>> {
        match self {
            Self::Message(message) => vec![message],
            Self::Batch { messages, .. } => messages,
            Self::Other | Self::TooDeep | Self::Noise => Vec::new(),
        }
    }

    pub fn read(line: &'l str) -> Self {
        let value = match JsonText::parse(line) {
            Ok(value) => value,
            Err(error) if error.code() == ErrorCode::TooDeep => return Self::TooDeep,
            Err(_) => return Self::Noise,
        };
        match value.kind() {
            Kind::Object => Message::of(line, &value).map_or(Self::Other, Self::Message),
            Kind::Array => {
                let items = value.items(0, usize::MAX).unwrap_or_default();
                let messages = items.iter().filter_map(|item| Message::of(item.span(), item)).collect();
                Self::Batch { list: value, messages }
            }
            _ => Self::Other,
        }
    }
}

impl<'l> Message<'l> {
    fn of(line: &'l str, value: &JsonText<'l>) -> Option<Self> {
        (value.kind() == Kind::Object).then(|| Self { line, members: value.named(&NAMES), meta: OnceCell::new() })
    }

    /// One of these members. Of several with one name the last counts, as for most parsers.
    pub fn member(&self, name: &str) -> Option<&JsonText<'l>> {
        NAMES.iter().position(|known| *known == name).and_then(|place| self.members[place].as_ref())
    }

    pub fn method(&self) -> Option<String> {
        self.member("method").and_then(text)
    }

    /// The id of a request or a response, with its spelling.
    pub fn id(&self) -> Option<&'l str> {
        self.member("id").map(JsonText::span).filter(|id| *id != "null")
    }

    /// The value under these names, from the message on.
    pub fn at(&self, path: &[&str]) -> Option<JsonText<'l>> {
        let (value, rest) = match path {
            ["params", "_meta", rest @ ..] => (self.meta()?, rest),
            [first, rest @ ..] => (self.member(first)?, rest),
            [] => return None,
        };
        rest.iter().try_fold(value.clone(), |value, name| member(&value, name))
    }

    fn meta(&self) -> Option<&JsonText<'l>> {
        self.meta.get_or_init(|| member(self.member("params")?, "_meta")).as_ref()
    }

    pub fn text_at(&self, path: &[&str]) -> Option<String> {
        text(&self.at(path)?)
    }

    /// Whether a request names its revision of MCP.
    pub fn is_modern(&self) -> bool {
        self.at(&["params", "_meta", REVISION]).is_some()
    }

    /// The `_meta` of a request that names its revision of MCP.
    pub fn modern_meta(&self) -> Option<String> {
        self.at(&["params", "_meta"]).filter(|_| self.is_modern()).map(|meta| meta.span().to_owned())
    }

    /// The revision of MCP that a request names.
    pub fn revision(&self) -> Option<String> {
        self.text_at(&["params", "_meta", REVISION])
    }

    /// The name of the client, where a request has it.
    pub fn client(&self) -> Option<String> {
        self.text_at(&["params", "_meta", CLIENT, "name"])
    }
}

/// The text of bytes, as hosts read it: with U+FFFD for what is not UTF-8.
pub fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    // The check reads many bytes at a time, the conversion one by one.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// A member of an object; nothing of any other value.
pub(crate) fn member<'l>(value: &JsonText<'l>, name: &str) -> Option<JsonText<'l>> {
    let [found] = value.named(&[name]);
    found
}

/// The text of a result that is one text and nothing else.
pub(crate) fn only_text(result: &JsonText<'_>) -> Option<String> {
    let content = member(result, "content").filter(|content| content.kind() == Kind::Array && content.len() == 1)?;
    let block = content.items(0, 1).ok()?.pop()?;
    let [kind, shown] = block.named(&["type", "text"]);
    let is_text = kind.is_some_and(|kind| kind.span() == r#""text""#);
    (result.len() == 1 && block.len() == 2 && is_text).then(|| text(&shown?)).flatten()
}

/// The text of a string.
pub(crate) fn text(value: &JsonText<'_>) -> Option<String> {
    Quoted::of(value.span()).map(|quoted| quoted.text().into_owned())
}
