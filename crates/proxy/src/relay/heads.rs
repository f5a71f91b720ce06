//! What a line is about, for whoever prepares a relay for it.

use super::ids::id_key;

use super::message::{Message, RelayLine, decoded, text};

/// What a message is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageHead {
    /// The method of a request or of a notification; none of an answer.
    pub method: Option<String>,
    /// The id, with its spelling.
    pub id: Option<String>,
    /// What is equal for ids that a client takes for the same.
    pub id_key: Option<String>,
    /// The tool that is called.
    pub tool: Option<String>,
    /// The task of a request or of a notification.
    pub task: Option<String>,
    /// The request that a `notifications/cancelled` cancels, as its `id_key`.
    pub cancels: Option<String>,
    /// Whether it names its revision of MCP: of the era since 2026-07-28.
    pub is_modern: bool,
    /// Whether it is an answer that looks like a tool's result.
    pub is_tool_result: bool,
    /// The place of a request in a trace: `traceparent` in its `_meta` (SEP-414).
    pub traceparent: Option<String>,
    /// Why an answer is none: `tool_error` for a result with `isError`, or the code of an error.
    pub failure: Option<String>,
}

/// The messages of a line; none if it has none.
///
/// ```
/// let heads = toolshape_proxy::heads(br#"{"id":1,"method":"tools/call","params":{"name":"list"}}"#);
/// assert_eq!(heads[0].tool.as_deref(), Some("list"));
/// ```
pub fn heads(line: &[u8]) -> Vec<MessageHead> {
    RelayLine::read(&decoded(line)).messages().iter().map(head).collect()
}

/// A member of a message, as it is spelled: `id`, `method`, `params`, `result` or `error`.
pub fn member_of(line: &[u8], name: &str) -> Option<String> {
    let line = decoded(line);
    let messages = RelayLine::read(&line).messages();
    messages.first()?.member(name).map(|member| member.span().to_owned())
}

fn head(message: &Message<'_>) -> MessageHead {
    let method = message.method();
    let is_call = method.as_deref() == Some("tools/call");
    let cancels = method.as_deref() == Some("notifications/cancelled");
    let is_answer = method.is_none();
    let has = |name: &str| message.at(&["result", name]).is_some();
    let params = message.member("params").map(|params| params.named(&["name", "taskId", "requestId"]));
    let [name, task, request] = params.unwrap_or_default();
    MessageHead {
        id: message.id().map(str::to_owned),
        id_key: message.id().map(|id| id_key(id).into_owned()),
        tool: name.filter(|_| is_call).as_ref().and_then(text),
        cancels: request.filter(|_| cancels).map(|id| id_key(id.span()).into_owned()),
        is_modern: message.is_modern(),
        task: task.as_ref().and_then(text),
        traceparent: message.text_at(&["params", "_meta", "traceparent"]),
        failure: if is_answer { failure(message) } else { None },
        is_tool_result: is_answer && (has("content") || has("structuredContent")),
        method,
    }
}

fn failure(message: &Message<'_>) -> Option<String> {
    let is_error = message.at(&["result", "isError"]).is_some_and(|flag| flag.span() == "true");
    let code = || message.at(&["error", "code"]).map(|code| code.span().to_owned());
    if is_error { Some("tool_error".to_owned()) } else { code() }
}
