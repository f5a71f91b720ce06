//! What is known of one server: the tools that it lists, and what calls of them returned.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::channels::Channels;
use crate::relay::ids::id_key;
use crate::relay::message::{Message, RelayLine, member, text};
use toolshape::host::{JsonText, Kind, READ_RESULT, Source, printable_within};
use toolshape::{Error, ErrorCode};

/// The most characters of a failure that a note shows.
const SAID: usize = 200;

/// A server, as its own messages show it.
#[derive(Debug, Default)]
pub struct Surveyed {
    name: String,
    /// Whether the name was given; otherwise it is what the server says in its first answer.
    is_named: bool,
    /// The number of tools on each page of the list.
    pub(super) pages: Vec<usize>,
    /// Whether the last page that is known names another.
    pub(super) has_more: bool,
    pub(super) tools: Vec<SurveyedTool>,
    pub(super) calls: Vec<SurveyedCall>,
    /// What could not be asked, and why.
    pub(super) notes: Vec<String>,
    /// The calls that failed.
    failed: usize,
    /// The client's requests that were not answered, by id.
    waiting: BTreeMap<String, PendingRequest>,
}

/// A tool as the server lists it.
#[derive(Debug)]
pub(super) struct SurveyedTool {
    pub name: String,
    pub value: Value,
}

/// A call, and its result as the server wrote it.
#[derive(Clone, Debug)]
pub(super) struct SurveyedCall {
    pub tool: String,
    /// A JSON object.
    pub arguments: String,
    pub result: String,
}

/// A request of the client.
#[derive(Debug)]
enum PendingRequest {
    Name,
    Tools { is_first: bool },
    Call { tool: String, arguments: String },
}

impl Surveyed {
    /// A server of which nothing is known. Without a name it gets the one that it says itself.
    pub fn new(name: Option<&str>) -> Self {
        Self { name: name.unwrap_or("server").to_owned(), is_named: name.is_some(), ..Self::default() }
    }

    /// A server by a dumped list of tools: an array, or the result or the whole answer of `tools/list`.
    ///
    /// # Errors
    /// `INVALID_JSON`, `TOO_DEEP`; `INVALID_CALL` if there is no list of tools.
    ///
    /// ```
    /// use toolshape_proxy::Surveyed;
    /// assert!(Surveyed::of_tools(None, r#"{"tools":[{"name":"list"}]}"#).is_ok());
    /// assert!(Surveyed::of_tools(None, "{}").is_err());
    /// ```
    pub fn of_tools(name: Option<&str>, text: &str) -> Result<Self, Error> {
        let value = JsonText::parse(text)?;
        let value = member(&value, "result").unwrap_or(value);
        let mut surveyed = Self::new(name);
        let is_list = value.kind() == Kind::Array;
        let listed = if is_list { Some(value.clone()) } else { member(&value, "tools") };
        match listed.filter(|listed| listed.kind() == Kind::Array) {
            Some(listed) => surveyed.list(&listed)?,
            None => return Err(Error::new(ErrorCode::InvalidCall, "there is no list of tools", "")),
        }
        surveyed.has_more = cursor(&value).is_some();
        Ok(surveyed)
    }

    /// A server by a recording: lines of `{"at", "from", "message"}`.
    ///
    /// # Errors
    /// `INVALID_CALL` for a line that is not from a recording, with its number.
    ///
    /// ```
    /// use toolshape_proxy::Surveyed;
    /// let line = r#"{"at":0,"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}"#;
    /// assert!(Surveyed::of_recording(None, line).is_ok());
    /// assert!(Surveyed::of_recording(None, "{}").is_err());
    /// ```
    pub fn of_recording(name: Option<&str>, text: &str) -> Result<Self, Error> {
        let mut surveyed = Self::new(name);
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            surveyed.recorded(line).ok_or_else(|| {
                let message = format!("line {} is not a line of a recording: requires from and message", at + 1);
                Error::new(ErrorCode::InvalidCall, message, "")
            })?;
        }
        Ok(surveyed)
    }

    fn recorded(&mut self, line: &str) -> Option<()> {
        let line = JsonText::parse(line).ok()?;
        let message = member(&line, "message")?;
        match member(&line, "from").as_ref().and_then(text)?.as_str() {
            "client" => self.hear_client(message.span()),
            "server" => self.hear_server(message.span()),
            _ => return None,
        }
        Some(())
    }

    /// The names of the tools.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.as_str())
    }

    /// What could not be asked, and why.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether calls were made and all failed, so that nothing is known of results.
    pub fn is_without_results(&self) -> bool {
        self.failed > 0 && self.calls.is_empty()
    }

    /// Whether it listed its tools.
    pub fn is_listed(&self) -> bool {
        !self.pages.is_empty()
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Notes a line of the client.
    pub(super) fn hear_client(&mut self, line: &str) {
        RelayLine::read(line).messages().iter().for_each(|message| self.asked(message));
    }

    fn asked(&mut self, message: &Message<'_>) {
        let (Some(method), Some(id)) = (message.method(), message.id()) else { return };
        let asked = match method.as_str() {
            "initialize" | "server/discover" => PendingRequest::Name,
            "tools/list" => PendingRequest::Tools { is_first: message.text_at(&["params", "cursor"]).is_none() },
            "tools/call" => PendingRequest::Call {
                tool: message.text_at(&["params", "name"]).unwrap_or_default(),
                arguments: message
                    .at(&["params", "arguments"])
                    .filter(|arguments| arguments.kind() == Kind::Object)
                    .map_or("{}".to_owned(), |arguments| arguments.span().to_owned()),
            },
            _ => return,
        };
        self.waiting.insert(id_key(id).into_owned(), asked);
    }

    /// Notes a line of the server.
    pub(super) fn hear_server(&mut self, line: &str) {
        RelayLine::read(line).messages().iter().for_each(|message| self.answered(message));
    }

    fn answered(&mut self, message: &Message<'_>) {
        let (None, Some(id)) = (message.method(), message.id()) else { return };
        let asked = self.waiting.remove(id_key(id).as_ref());
        match (asked, message.member("result")) {
            (Some(PendingRequest::Name), Some(_)) if !self.is_named => {
                if let Some(name) = message.text_at(&["result", "serverInfo", "name"]) {
                    self.name = name;
                }
            }
            (Some(PendingRequest::Tools { is_first }), Some(result)) => {
                if is_first {
                    self.pages.clear();
                    self.tools.clear();
                }
                if let Some(listed) = member(result, "tools").filter(|listed| listed.kind() == Kind::Array)
                    && let Err(fault) = self.list(&listed)
                {
                    self.notes.push(format!("a page of the list of tools cannot be read: {}", fault.message()));
                }
                self.has_more = cursor(result).is_some();
            }
            (Some(PendingRequest::Call { tool, .. }), Some(result)) if is_failed(result) => {
                let text = Channels::read(result.span()).ok().and_then(|channels| channels.texts.into_iter().next());
                self.failed(&tool, &text.unwrap_or_default());
            }
            (Some(PendingRequest::Call { tool, arguments }), Some(result)) if is_measured(result) => {
                self.calls.push(SurveyedCall { tool, arguments, result: result.span().to_owned() });
            }
            (Some(PendingRequest::Call { tool, .. }), None) => {
                self.failed(&tool, &message.text_at(&["error", "message"]).unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Notes a failed call, which shows nothing of what the tool returns.
    fn failed(&mut self, tool: &str, said: &str) {
        self.failed += 1;
        self.notes.push(format!("a call of {tool} failed: {}", printable_within(said, SAID)));
    }

    fn list(&mut self, listed: &JsonText<'_>) -> Result<(), Error> {
        let tools = listed.items(0, usize::MAX)?;
        self.pages.push(tools.len());
        for tool in tools {
            // A host cannot use a tool that nests too deeply to be read.
            let Ok(value) = serde_json::from_str::<Value>(tool.span()) else { continue };
            let name = value["name"].as_str().unwrap_or_default().to_owned();
            self.tools.push(SurveyedTool { name, value });
        }
        Ok(())
    }

    /// Whether the relay keeps its results: not if it has a tool with the name of the one that reads them.
    pub(super) fn is_stored(&self) -> bool {
        self.tool(READ_RESULT).is_none()
    }

    pub(super) fn tool(&self, name: &str) -> Option<&SurveyedTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// The cursor of the next page, if there is one.
pub(super) fn cursor(result: &JsonText<'_>) -> Option<String> {
    member(result, "nextCursor").as_ref().and_then(text)
}

/// Whether the tool reports a failure.
fn is_failed(result: &JsonText<'_>) -> bool {
    member(result, "isError").is_some_and(|flag| flag.span() == "true")
}

/// Whether it is what a tool returned: not a task, and not a question to the client.
fn is_measured(result: &JsonText<'_>) -> bool {
    member(result, "content").is_some() || member(result, "structuredContent").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn recorded(from: &str, message: Value) -> String {
        json!({ "at": 0, "from": from, "message": message }).to_string()
    }

    #[test]
    fn a_recording_says_the_name_the_tools_and_the_results() {
        let result = json!({ "content": [{ "type": "text", "text": "hello" }] });
        let lines = [
            recorded("client", json!({ "id": 0, "method": "initialize" })),
            recorded("server", json!({ "id": 0, "result": { "serverInfo": { "name": "weather" } } })),
            recorded("client", json!({ "id": "0", "method": "tools/list" })),
            // A request of the server has ids of its own.
            recorded("server", json!({ "id": "0", "method": "roots/list" })),
            recorded("server", json!({ "id": "0", "result": { "tools": [{ "name": "a" }], "nextCursor": "2" } })),
            recorded("client", json!({ "id": 1, "method": "tools/list", "params": { "cursor": "2" } })),
            recorded("server", json!({ "id": 1, "result": { "tools": [{ "name": "b" }, { "name": "c" }] } })),
            recorded(
                "client",
                json!({ "id": 2, "method": "tools/call", "params": { "name": "b", "arguments": { "n": 1 } } }),
            ),
            recorded("client", json!({ "id": 3, "method": "tools/call", "params": { "name": "c" } })),
            recorded("server", json!({ "id": 3, "error": { "code": -1, "message": "no" } })),
            recorded("server", json!({ "id": 2, "result": result })),
            recorded("server", json!({ "id": 2, "result": result })),
            recorded("client", json!({ "id": 4, "method": "tools/call", "params": { "name": "a" } })),
            recorded(
                "server",
                json!({ "id": "4", "result": { "content": [{ "type": "text", "text": "no key" }], "isError": true } }),
            ),
        ];
        let surveyed = Surveyed::of_recording(None, &lines.join("\n")).unwrap();
        assert_eq!((surveyed.name(), &surveyed.pages, surveyed.has_more), ("weather", &vec![1, 2], false));
        let calls: Vec<_> = surveyed.calls.iter().map(|call| (&*call.tool, &*call.arguments, &*call.result)).collect();
        assert_eq!(calls, [("b", r#"{"n":1}"#, &*result.to_string())]);
        assert_eq!(surveyed.notes, ["a call of c failed: no", "a call of a failed: no key"]);
        let named = Surveyed::of_recording(Some("mine"), &lines.join("\n")).unwrap();
        assert_eq!(named.name(), "mine");
        assert!(Surveyed::of_recording(None, "no line").unwrap_err().message().contains("line 1"));
    }

    #[test]
    fn a_dumped_list_is_read_in_each_form() {
        for text in
            [r#"[{"name":"a"}]"#, r#"{"tools":[{"name":"a"}]}"#, r#"{"id":1,"result":{"tools":[{"name":"a"}]}}"#]
        {
            assert_eq!(Surveyed::of_tools(None, text).unwrap().tools[0].name, "a");
        }
        assert!(Surveyed::of_tools(None, r#"{"tools":[],"nextCursor":"x"}"#).unwrap().has_more);
    }
}
