//! Servers measured: their definitions and results in tokens, as they are and behind the relay.

use serde_json::{Map, Value, json};

use crate::channels::{Channels, Over, Size};
use crate::relay::time::call_at;
use crate::survey::definition::{Definition, PARTS};
use crate::survey::surveyed::{Surveyed, SurveyedCall};
use toolshape::host::{Host, JsonText, Measure, Naming, TextSize, quoted};
use toolshape::{Error, Shaper};

/// The tokens of the window that the menu is compared with, by default.
const WINDOW: usize = 200_000;

/// What servers cost, before and after shaping.
///
/// ```
/// use toolshape::Shaper;
/// use toolshape_proxy::{Lint, Measured, Surveyed};
/// let server = Surveyed::of_tools(Some("mine"), r#"[{"name":"list","description":"Lists"}]"#)?;
/// let servers = [server];
/// let measured = Measured::of(&servers, &Shaper::default(), None, 0)?;
/// assert_eq!(measured.to_json()["servers"][0]["tools"][0]["name"], "list");
/// assert!(measured.table(80).contains("list"));
/// let lint = Lint::of(&servers, &Shaper::default())?;
/// assert!(measured.report(&lint).starts_with("<!doctype html>"));
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Debug)]
pub struct Measured {
    pub(super) encoding: &'static str,
    /// The most tokens of a shaped result.
    pub(super) budget: Option<usize>,
    pub(super) window: usize,
    pub(super) servers: Vec<MeasuredServer>,
}

#[derive(Debug)]
pub(super) struct MeasuredServer {
    pub name: String,
    pub pages: Vec<usize>,
    pub has_more: bool,
    pub tools: Vec<MeasuredTool>,
    /// What the relay adds to the list.
    pub added: Definition,
    pub results: Vec<MeasuredResult>,
    pub notes: Vec<String>,
}

#[derive(Debug)]
pub(super) struct MeasuredTool {
    pub name: String,
    pub before: Definition,
    pub after: Definition,
}

#[derive(Debug)]
pub(super) struct MeasuredResult {
    pub tool: String,
    pub arguments: String,
    pub before: Size,
    pub after: Size,
    pub other_blocks: usize,
    /// The hosts that do not show all of it as it is, and those that do not even when it is shaped for them.
    pub over: Vec<Over>,
    pub over_after: Vec<Over>,
    /// The tokens that the dense form saves behind the relay.
    pub dense: usize,
}

impl Measured {
    /// Measures servers as they are, and shaped by the policy of `shaper` before a store. `window` is in tokens; `now` is
    /// the time in seconds since 1970.
    ///
    /// # Errors
    /// `TOO_DEEP` for a result that cannot be read, and errors of the policy's own as in
    /// [`shape`](toolshape::Shaper::shape).
    pub fn of(servers: &[Surveyed], shaper: &Shaper, window: Option<usize>, now: u64) -> Result<Self, Error> {
        let measure = Measure { encoding: shaper.encoding() };
        let servers =
            servers.iter().map(|server| MeasuredServer::of(server, shaper, measure, now)).collect::<Result<_, _>>()?;
        Ok(Self {
            encoding: measure.encoding.name(),
            budget: shaper.budget(),
            window: window.unwrap_or(WINDOW).max(1),
            servers,
        })
    }

    /// As JSON: `servers` with their `tools` and `results`, `hosts` with their limits; numbers are tokens, unless
    /// their names have another unit.
    pub fn to_json(&self) -> Value {
        let hosts: Vec<Value> = Host::limited()
            .map(|host| {
                let limits = host.limit.units().into_iter().filter(|(most, _)| *most != usize::MAX);
                let limit: Map<String, Value> = limits.map(|(most, unit)| (unit.to_owned(), json!(most))).collect();
                json!({ "name": host.title, "limit": limit, "then": host.then.to_string(), "source": host.source })
            })
            .collect();
        json!({
            "encoding": self.encoding,
            "maxTokens": self.budget,
            "window": self.window,
            "servers": self.servers.iter().map(MeasuredServer::to_json).collect::<Vec<Value>>(),
            "hosts": hosts,
        })
    }
}

impl MeasuredServer {
    fn of(surveyed: &Surveyed, shaper: &Shaper, measure: Measure, now: u64) -> Result<Self, Error> {
        let has_store = surveyed.is_stored();
        let tools: Vec<MeasuredTool> = surveyed
            .tools
            .iter()
            .map(|tool| MeasuredTool {
                name: tool.name.clone(),
                before: Definition::of(&tool.value, measure),
                after: Definition::of(&shaper.plan(&tool.value, has_store, Naming::Camel).tool, measure),
            })
            .collect();
        let added = if has_store { shaper.added_tools(true, false) } else { Vec::new() };
        let added = added.iter().map(|tool| Definition::of(tool, measure)).fold(Definition::default(), Definition::and);
        let result = |call: &SurveyedCall| MeasuredResult::of(call, surveyed, shaper, measure, now);
        Ok(Self {
            name: surveyed.name().to_owned(),
            pages: surveyed.pages.clone(),
            has_more: surveyed.has_more,
            tools,
            added,
            results: surveyed.calls.iter().map(result).collect::<Result<_, _>>()?,
            notes: surveyed.notes.clone(),
        })
    }

    /// The tokens of all definitions.
    pub fn before(&self) -> usize {
        self.tools.iter().map(|tool| tool.before.all).sum()
    }

    pub fn after(&self) -> usize {
        self.tools.iter().map(|tool| tool.after.all).sum::<usize>() + self.added.all
    }

    fn to_json(&self) -> Value {
        let tool = |tool: &MeasuredTool| json!({ "name": tool.name, "before": tool.before.to_json(), "after": tool.after.to_json() });
        json!({
            "name": self.name,
            "pages": self.pages,
            "hasMore": self.has_more,
            "before": self.before(),
            "after": self.after(),
            "tools": self.tools.iter().map(tool).collect::<Vec<Value>>(),
            "added": self.added.to_json(),
            "results": self.results.iter().map(MeasuredResult::to_json).collect::<Vec<Value>>(),
            "notes": self.notes,
        })
    }
}

impl MeasuredResult {
    fn of(call: &SurveyedCall, server: &Surveyed, shaper: &Shaper, measure: Measure, now: u64) -> Result<Self, Error> {
        let channels = Channels::read(&call.result)?;
        let before = channels.size(measure);
        let behind = Channels::read(&shaped(call, server, shaper, None, now)?)?;
        let (after, dense) = (behind.size(measure), behind.dense(measure));
        let over = before.over();
        let mut over_after = Vec::new();
        // Behind the relay a result is shaped for the host that asks.
        for one in after.over() {
            let for_host = shaped(call, server, shaper, Some(one.host.name), now)?;
            let is_it = |other: &Over| other.host.name == one.host.name;
            over_after.extend(Channels::read(&for_host)?.size(measure).over().into_iter().filter(is_it));
        }
        Ok(Self {
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            before,
            after,
            other_blocks: channels.other_blocks,
            over,
            over_after,
            dense,
        })
    }

    fn to_json(&self) -> Value {
        let over = |over: &[Over]| -> Vec<Value> {
            over.iter().map(|over| json!({ "host": over.host.title, "shownPermille": over.shown })).collect()
        };
        json!({
            "tool": self.tool,
            "arguments": serde_json::from_str(&self.arguments).unwrap_or(Value::Null),
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "denseSaves": self.dense,
            "otherBlocks": self.other_blocks,
            "notShownWhole": over(&self.over),
            "notShownWholeAfter": over(&self.over_after),
        })
    }
}

/// The result of a call as the relay sends it.
pub(super) fn shaped(
    call: &SurveyedCall,
    server: &Surveyed,
    shaper: &Shaper,
    client: Option<&str>,
    now: u64,
) -> Result<String, Error> {
    let plan = match server.tool(&call.tool) {
        Some(tool) => shaper.plan(&tool.value, server.is_stored(), Naming::Camel),
        None => shaper.plan_unlisted(&call.tool, Naming::Camel),
    };
    let mut members = format!("\"arguments\":{}", call.arguments);
    for (name, value) in plan.call.as_object().into_iter().flatten() {
        members.push_str(&format!(",{}:{value}", quoted(name)));
    }
    if let Some(client) = client {
        members.push_str(&format!(",\"client\":{}", quoted(client)));
    }
    let returned = JsonText::parse(&call.result)?;
    let shaped = shaper.shape_result(&returned, &call_at(&members, server.is_stored(), now)?)?;
    if shaped.unchanged { Ok(call.result.clone()) } else { shaped.to_json(&returned) }
}

impl Definition {
    fn to_json(self) -> Value {
        let mut json = json!({ "tokens": self.all });
        PARTS.iter().zip(self.parts).for_each(|((name, _), tokens)| json[*name] = json!(tokens));
        json
    }
}

impl Size {
    fn to_json(self) -> Value {
        let channel = |size: TextSize| -> Map<String, Value> {
            size.units().into_iter().map(|(count, unit)| (unit.to_owned(), json!(count))).collect()
        };
        said(json!({ "content": channel(self.content), "structuredContent": self.structured.map(channel) }))
    }
}

/// The members that have a value.
fn said(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(members.into_iter().filter(|(_, value)| !value.is_null()).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolshape::Policy;

    fn surveyed(calls: &[(&str, Value)]) -> Surveyed {
        let tools =
            json!({ "tools": [{ "name": "list", "description": "Lists rows", "inputSchema": { "type": "object" } }] });
        let mut lines = vec![
            json!({ "at": 0, "from": "client", "message": { "id": 0, "method": "tools/list" } }),
            json!({ "at": 0, "from": "server", "message": { "id": 0, "result": tools } }),
        ];
        for (id, (tool, result)) in calls.iter().enumerate() {
            let params = json!({ "name": tool, "arguments": {} });
            lines.push(json!({ "at": 0, "from": "client", "message": { "id": id + 1, "method": "tools/call", "params": params } }));
            lines.push(json!({ "at": 0, "from": "server", "message": { "id": id + 1, "result": result } }));
        }
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        Surveyed::of_recording(Some("s"), &lines.join("\n")).unwrap()
    }

    #[test]
    fn results_are_measured_as_they_are_and_as_the_relay_sends_them() {
        let rows: Vec<Value> = (0..3000).map(|id| json!({ "id": id, "name": format!("row {id}") })).collect();
        let rows = json!(rows).to_string();
        let large = json!({ "content": [{ "type": "text", "text": rows }] });
        let small = json!({ "content": [{ "type": "text", "text": "done" }] });
        let servers = [surveyed(&[("list", large), ("unlisted", small)])];
        let shaper = Shaper::new(Policy::new(&json!({ "maxTokens": 900 }), Naming::Camel).unwrap());
        let measured = Measured::of(&servers, &shaper, None, 0).unwrap().to_json();
        let [list, unlisted] = [0, 1].map(|at| &measured["servers"][0]["results"][at]);
        let count = |text: &str| toolshape::host::count_tokens(text, toolshape::Encoding::O200kBase);
        assert_eq!(list["before"]["content"]["tokens"], count(&rows));
        let after = list["after"]["content"]["tokens"].as_u64().unwrap();
        assert!((200..=900).contains(&after), "{after}");
        let names = list["notShownWhole"].as_array().unwrap().iter().map(|over| over["host"].as_str().unwrap());
        let expected =
            ["Cline", "VS Code", "Codex", "Copilot CLI", "Qwen Code", "Gemini CLI", "opencode", "Claude Code"];
        assert_eq!(names.collect::<Vec<_>>(), expected);
        assert_eq!(list["notShownWholeAfter"], json!([]));
        assert_eq!(unlisted["before"], unlisted["after"]);
        assert_eq!(measured["maxTokens"], 900);
    }

    #[test]
    fn the_menu_behind_the_relay_has_its_tool_too() {
        let measured = Measured::of(&[surveyed(&[])], &Shaper::default(), Some(1000), 0).unwrap();
        let server = &measured.servers[0];
        assert_eq!(server.after() - server.before(), server.added.all);
        assert!(server.added.all > 100);
        assert_eq!((measured.window, &server.pages), (1000, &vec![1]));
    }

    #[test]
    fn a_server_that_has_the_tool_gets_no_second_one() {
        let own = Surveyed::of_tools(None, r#"[{"name":"read_result"}]"#).unwrap();
        let measured = Measured::of(&[own], &Shaper::default(), None, 0).unwrap();
        let server = &measured.servers[0];
        assert_eq!(server.added.all, 0);
        assert!(measured.table(80).contains("\n1 tool takes "), "{}", measured.table(80));
    }
}
