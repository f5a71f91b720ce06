//! The client that asks a server for its tools and calls those that only read, as lines in and effects out.

use std::collections::{BTreeSet, VecDeque};

use serde_json::{Map, Value};

use crate::relay::ids::is_same_id;
use crate::relay::log::printable_line;
use crate::relay::message::{Message, RelayLine};
use crate::survey::surveyed::{Surveyed, SurveyedTool, cursor};
use toolshape::host::quoted;
use toolshape::{Error, ErrorCode};

/// The revision that is asked for first, and the one of servers that know no `initialize`.
const REVISION: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";

/// The most pages of a list of tools that are asked for.
const PAGES: usize = 1000;

/// JSON-RPC's code for a method that is not there.
const NO_METHOD: i32 = -32601;

/// What a pump does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SurveyEffect {
    /// Send a line to the server. It has no end yet.
    ToServer(String),
    /// Write a line to standard error. It has no end yet, and nothing that a terminal follows.
    Log(String),
    /// Everything was asked.
    Ended,
}

/// A survey of one server.
///
/// It calls the tools that say `readOnlyHint`, where the schema has a value for each argument that they need; with a script those calls that the script names, and
/// no others.
#[derive(Debug, Default)]
pub struct Survey {
    surveyed: Surveyed,
    script: Option<Vec<Planned>>,
    is_modern: bool,
    step: SurveyStep,
    /// The cursors that were followed.
    cursors: BTreeSet<String>,
    calls: VecDeque<Planned>,
    /// The number of the request that waits, and of the last.
    waiting: Option<u64>,
    numbers: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SurveyStep {
    #[default]
    Initialize,
    List,
    Call,
    Ended,
}

/// A call that is going to be made.
#[derive(Clone, Debug)]
struct Planned {
    tool: String,
    /// A JSON object.
    arguments: String,
}

impl Survey {
    /// A survey of a server with this name, or the one that it says. `script` is a JSON array of `{"tool", "arguments"}`.
    ///
    /// # Errors
    /// `INVALID_CALL` if the script is not such an array.
    ///
    /// ```
    /// use toolshape_proxy::{Survey, SurveyEffect};
    /// let mut survey = Survey::new(None, None)?;
    /// let SurveyEffect::ToServer(line) = &survey.start()[0] else { panic!() };
    /// assert!(line.contains(r#""method":"initialize""#));
    /// assert!(Survey::new(None, Some(r#"[{"tool":1}]"#)).is_err());
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn new(name: Option<&str>, script: Option<&str>) -> Result<Self, Error> {
        let script = script.map(read_script).transpose()?;
        Ok(Self { surveyed: Surveyed::new(name), script, ..Self::default() })
    }

    /// The first request.
    pub fn start(&mut self) -> Vec<SurveyEffect> {
        let client = client_info();
        let params = format!(r#"{{"protocolVersion":"{REVISION}","capabilities":{{}},"clientInfo":{client}}}"#);
        vec![self.ask("initialize", &params)]
    }

    /// What to do after a line of the server.
    pub fn from_server(&mut self, line: &[u8]) -> Vec<SurveyEffect> {
        let line = String::from_utf8_lossy(line);
        let message = match RelayLine::read(&line) {
            RelayLine::Message(message) => message,
            RelayLine::Batch { .. } | RelayLine::Other | RelayLine::TooDeep => return Vec::new(),
            RelayLine::Noise => return vec![SurveyEffect::Log(printable_line(&line))],
        };
        match (message.method(), message.id()) {
            (Some(method), Some(id)) => vec![SurveyEffect::ToServer(answer(&method, id))],
            (None, Some(id)) if self.waiting.is_some_and(|waiting| is_same_id(&waiting.to_string(), id)) => {
                self.waiting = None;
                self.surveyed.hear_server(message.line);
                self.answered(&message)
            }
            _ => Vec::new(),
        }
    }

    /// What to do when the server takes too long for the request that waits.
    pub fn gave_up(&mut self, reason: &str) -> Vec<SurveyEffect> {
        let Some(waiting) = self.waiting.take() else { return Vec::new() };
        self.note(reason);
        if self.step != SurveyStep::Call {
            return self.end();
        }
        let cancelled = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{waiting},"reason":{}}}}}"#,
            quoted(reason)
        );
        let mut effects = vec![SurveyEffect::ToServer(cancelled)];
        effects.extend(self.next_call());
        effects
    }

    /// What to do when the server has ended: nothing more is asked.
    pub fn server_ended(&mut self, reason: &str) -> Vec<SurveyEffect> {
        if self.step == SurveyStep::Ended {
            return Vec::new();
        }
        self.note(reason);
        self.end()
    }

    /// What is known of the server.
    pub fn into_surveyed(self) -> Surveyed {
        self.surveyed
    }

    fn note(&mut self, reason: &str) {
        let what = match self.step {
            SurveyStep::Initialize => "initialize".to_owned(),
            SurveyStep::List => "tools/list".to_owned(),
            SurveyStep::Call | SurveyStep::Ended => {
                self.calls.front().map_or(String::new(), |call| format!("a call of {}", call.tool))
            }
        };
        self.surveyed.notes.push(format!("{what}: {reason}"));
    }

    fn answered(&mut self, message: &Message<'_>) -> Vec<SurveyEffect> {
        match (self.step, message.member("result")) {
            (SurveyStep::Initialize, Some(_)) => {
                let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned();
                let mut effects = vec![SurveyEffect::ToServer(initialized)];
                effects.extend(self.next_page(None));
                effects
            }
            // Since 2026-07-28 servers may know no initialize.
            (SurveyStep::Initialize, None) => {
                self.is_modern = true;
                self.next_page(None)
            }
            (SurveyStep::List, Some(result)) => match cursor(result) {
                Some(cursor) if self.cursors.len() < PAGES && self.cursors.insert(cursor.clone()) => {
                    self.next_page(Some(&cursor))
                }
                Some(_) => {
                    self.surveyed.notes.push("tools/list: its cursors do not end".to_owned());
                    self.plan_calls()
                }
                None => self.plan_calls(),
            },
            (SurveyStep::List, None) => {
                let said = message.text_at(&["error", "message"]).unwrap_or_default();
                self.note(&said);
                self.end()
            }
            (SurveyStep::Call, _) => self.next_call(),
            (SurveyStep::Ended, _) => Vec::new(),
        }
    }

    fn next_page(&mut self, cursor: Option<&str>) -> Vec<SurveyEffect> {
        self.step = SurveyStep::List;
        let cursor = cursor.map_or(String::new(), |cursor| format!("\"cursor\":{}", quoted(cursor)));
        vec![self.ask("tools/list", &format!("{{{cursor}}}"))]
    }

    fn plan_calls(&mut self) -> Vec<SurveyEffect> {
        self.step = SurveyStep::Call;
        self.calls = match self.script.take() {
            Some(script) => script.into(),
            None => self.surveyed.tools.iter().filter_map(Planned::harmless).collect(),
        };
        if self.calls.is_empty() {
            let why = "no tool was called: none has readOnlyHint, and an example of each argument that it needs; name calls with --calls";
            self.surveyed.notes.push(why.to_owned());
        }
        self.send_call()
    }

    fn next_call(&mut self) -> Vec<SurveyEffect> {
        self.calls.pop_front();
        self.send_call()
    }

    fn send_call(&mut self) -> Vec<SurveyEffect> {
        let Some(Planned { tool, arguments }) = self.calls.front().cloned() else { return self.end() };
        vec![self.ask("tools/call", &format!("{{\"name\":{},\"arguments\":{arguments}}}", quoted(&tool)))]
    }

    fn end(&mut self) -> Vec<SurveyEffect> {
        self.step = SurveyStep::Ended;
        vec![SurveyEffect::Ended]
    }

    /// A request; `params` is a JSON object.
    fn ask(&mut self, method: &str, params: &str) -> SurveyEffect {
        self.numbers += 1;
        self.waiting = Some(self.numbers);
        let meta = match self.is_modern {
            true => format!(
                r#"{}"_meta":{{"io.modelcontextprotocol/protocolVersion":"{MODERN}","io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/clientCapabilities":{{}}}}"#,
                if params == "{}" { "" } else { "," },
                client_info(),
            ),
            false => String::new(),
        };
        let params = format!("{}{meta}}}", &params[..params.len() - 1]);
        let line = format!(r#"{{"jsonrpc":"2.0","id":{},"method":"{method}","params":{params}}}"#, self.numbers);
        self.surveyed.hear_client(&line);
        SurveyEffect::ToServer(line)
    }
}

impl Planned {
    /// A call of a tool that says that it only reads, if the schema has a value for each argument that it needs.
    fn harmless(tool: &SurveyedTool) -> Option<Self> {
        let schema = &tool.value["inputSchema"];
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let arguments = required.map(|name| Some((name.to_owned(), example(&schema["properties"][name])?)));
        let arguments: Option<Map<String, Value>> = arguments.collect();
        let only_reads = tool.value["annotations"]["readOnlyHint"] == true;
        let arguments = Value::Object(arguments.filter(|_| only_reads)?).to_string();
        Some(Self { tool: tool.name.clone(), arguments })
    }
}

/// A value that a schema names (JSON Schema 2020-12).
fn example(schema: &Value) -> Option<Value> {
    let named = [&schema["const"], &schema["default"], &schema["examples"][0], &schema["enum"][0]];
    named.into_iter().find(|value| !value.is_null()).cloned()
}

fn read_script(script: &str) -> Result<Vec<Planned>, Error> {
    let wrong = |why: String| Error::new(ErrorCode::InvalidCall, why, "");
    let value: Value =
        serde_json::from_str(script).map_err(|fault| wrong(format!("the calls cannot be read: {fault}")))?;
    let read = |call: &Value| {
        let arguments = match &call["arguments"] {
            Value::Null => "{}".to_owned(),
            arguments @ Value::Object(_) => arguments.to_string(),
            _ => return None,
        };
        Some(Planned { tool: call["tool"].as_str()?.to_owned(), arguments })
    };
    let calls: Option<Vec<Planned>> = value.as_array().and_then(|calls| calls.iter().map(read).collect());
    calls.ok_or_else(|| wrong(r#"the calls must be an array of {"tool": "name", "arguments": {}}"#.to_owned()))
}

fn client_info() -> String {
    format!(r#"{{"name":"toolshape","version":"{}"}}"#, env!("CARGO_PKG_VERSION"))
}

/// The answer to a request of the server: this client offers nothing but to be there.
fn answer(method: &str, id: &str) -> String {
    match method {
        "ping" => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#),
        _ => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{NO_METHOD},"message":"toolshape has no such method"}}}}"#
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The requests that a survey sends, and what it says at the end, against a server of these answers.
    fn talk(script: Option<&str>, mut server: impl FnMut(&str, &Value) -> Value) -> (Vec<Value>, Surveyed) {
        let mut survey = Survey::new(None, script).unwrap();
        let mut effects: VecDeque<SurveyEffect> = survey.start().into();
        let mut sent = Vec::new();
        while let Some(effect) = effects.pop_front() {
            match effect {
                SurveyEffect::ToServer(line) => {
                    let message: Value = serde_json::from_str(&line).unwrap();
                    if let Some(id) = message.get("id") {
                        let mut answer = server(message["method"].as_str().unwrap(), &message["params"]);
                        answer["id"] = id.clone();
                        effects.extend(survey.from_server(answer.to_string().as_bytes()));
                    }
                    sent.push(message);
                }
                SurveyEffect::Ended => break,
                _ => {}
            }
        }
        (sent, survey.into_surveyed())
    }

    fn server(method: &str, params: &Value) -> Value {
        let read_only = json!({ "readOnlyHint": true });
        match (method, params["cursor"].as_str()) {
            ("initialize", _) => json!({ "result": { "serverInfo": { "name": "s" } } }),
            ("tools/list", None) => json!({ "result": { "nextCursor": "p2", "tools": [
                { "name": "harmless", "annotations": read_only, "inputSchema": { "type": "object" } },
                { "name": "writes", "inputSchema": { "type": "object" } },
            ] } }),
            ("tools/list", Some(_)) => json!({ "result": { "tools": [
                { "name": "needs", "annotations": read_only, "inputSchema": { "required": ["id"] } },
                { "name": "harmless too", "annotations": read_only, "inputSchema": { "required": ["kind", "size"],
                    "properties": { "kind": { "enum": ["open", "closed"] }, "size": { "type": "integer", "default": 3 } } } },
            ] } }),
            _ => json!({ "result": { "content": [{ "type": "text", "text": params["name"] }] } }),
        }
    }

    fn called(sent: &[Value]) -> Vec<&Value> {
        sent.iter().filter(|message| message["method"] == "tools/call").map(|message| &message["params"]).collect()
    }

    #[test]
    fn tools_that_only_read_and_need_nothing_are_called() {
        let (sent, surveyed) = talk(None, server);
        let names: Vec<&Value> = called(&sent).iter().map(|params| &params["name"]).collect();
        assert_eq!(names, ["harmless", "harmless too"]);
        assert_eq!(called(&sent)[1]["arguments"], json!({ "kind": "open", "size": 3 }));
        assert_eq!((surveyed.pages, surveyed.calls.len(), surveyed.notes.len()), (vec![2, 2], 2, 0));
    }

    #[test]
    fn a_script_names_the_calls_and_no_others_are_made() {
        let (sent, surveyed) = talk(Some(r#"[{"tool":"writes","arguments":{"n":1}},{"tool":"writes"}]"#), server);
        let expected =
            [json!({ "name": "writes", "arguments": { "n": 1 } }), json!({ "name": "writes", "arguments": {} })];
        assert_eq!(called(&sent), expected.iter().collect::<Vec<_>>());
        assert_eq!(surveyed.calls[0].arguments, r#"{"n":1}"#);
    }

    #[test]
    fn a_server_without_initialize_is_asked_as_since_2026_07_28() {
        let (sent, surveyed) = talk(None, |method, params| match method {
            "initialize" => json!({ "error": { "code": -32601, "message": "no" } }),
            _ => server(method, params),
        });
        let revisions =
            sent.iter().map(|message| &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"]);
        let modern = revisions.filter(|revision| *revision == MODERN).count();
        assert_eq!((modern, sent.len(), surveyed.calls.len()), (4, 5, 2));
    }

    #[test]
    fn cursors_that_turn_in_a_circle_end() {
        let (_, surveyed) = talk(None, |method, params| match method {
            "tools/list" => json!({ "result": { "tools": [], "nextCursor": "again" } }),
            _ => server(method, params),
        });
        assert_eq!(surveyed.pages, [0, 0]);
        assert!(surveyed.notes[0].contains("do not end"));
    }

    #[test]
    fn what_takes_too_long_is_cancelled_and_the_next_is_asked() {
        let mut survey = Survey::new(None, Some(r#"[{"tool":"slow"},{"tool":"quick"}]"#)).unwrap();
        survey.start();
        survey.from_server(br#"{"id":1,"result":{}}"#);
        survey.from_server(br#"{"id":2,"result":{"tools":[]}}"#);
        let effects = survey.gave_up("no answer in 60 s");
        let lines: Vec<&str> = effects
            .iter()
            .filter_map(|effect| match effect {
                SurveyEffect::ToServer(line) => Some(&**line),
                _ => None,
            })
            .collect();
        assert!(lines[0].contains("notifications/cancelled") && lines[0].contains("\"requestId\":3"), "{lines:?}");
        assert!(lines[1].contains("quick"), "{lines:?}");
        // A late answer is nobody's.
        assert_eq!(survey.from_server(br#"{"id":3,"result":{"content":[]}}"#), []);
        assert_eq!(survey.from_server(br#"{"id":4,"result":{"content":[]}}"#), [SurveyEffect::Ended]);
        let surveyed = survey.into_surveyed();
        assert_eq!(
            (surveyed.calls.len(), &*surveyed.notes),
            (1, &["a call of slow: no answer in 60 s".to_owned()][..])
        );
    }

    #[test]
    fn a_server_that_asks_is_answered_and_one_that_ends_is_noted() {
        let mut survey = Survey::new(None, None).unwrap();
        survey.start();
        let ping = survey.from_server(br#"{"id":1,"method":"ping"}"#);
        assert_eq!(ping, [SurveyEffect::ToServer(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned())]);
        let [SurveyEffect::ToServer(refused)] = &survey.from_server(br#"{"id":"r","method":"roots/list"}"#)[..] else {
            panic!()
        };
        assert!(refused.contains("-32601") && refused.contains(r#""id":"r""#));
        assert_eq!(survey.from_server(b"Listening on stdio"), [SurveyEffect::Log("Listening on stdio".to_owned())]);
        assert_eq!(survey.server_ended("exit code 1"), [SurveyEffect::Ended]);
        assert_eq!(survey.server_ended("exit code 1"), []);
        assert_eq!(survey.into_surveyed().notes, ["initialize: exit code 1"]);
    }
}
