//! The tools that the server lists, and the list that the client gets.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use toolshape::Shaper;
use toolshape::host::{JsonText, Kind, Naming, Plan, Source, quoted};

use super::edits::Edits;
use super::message::{member, text};
use super::result_arguments;
use super::spliced::splice;

/// The tools without a list whose plans are kept. Clients name them.
const UNLISTED: usize = 1000;

/// The plans of the tools that were listed.
#[derive(Clone, Default)]
pub(super) struct Tools {
    plans: BTreeMap<String, ListedTool>,
    /// Those of other tools that were called, in all conversations of one policy.
    unlisted: Arc<Mutex<HashMap<String, Arc<PlannedTool>>>>,
    /// The tools whose arguments may name stored results.
    pub take_results: Vec<String>,
    /// The tools that the policy has options for.
    pub named: Vec<String>,
    /// Whether the server has a tool with the name of ours, which is then the server's.
    pub is_taken: bool,
}

/// A tool that was listed.
#[derive(Clone)]
struct ListedTool {
    /// As the server lists it.
    own: Arc<str>,
    plan: Arc<PlannedTool>,
}

/// How calls of a tool are treated.
pub(super) struct PlannedTool {
    /// The arguments that are for shaping.
    pub controls: Vec<&'static str>,
    /// The members that all its calls have, each with a comma before it.
    pub members: String,
}

impl PlannedTool {
    fn new(plan: &Plan) -> Arc<Self> {
        let member = |(name, value): (&String, &Value)| format!(",{}:{value}", quoted(name));
        let members = plan.call.as_object().into_iter().flatten().map(member).collect();
        Arc::new(Self { controls: plan.controls.clone(), members })
    }
}

impl Tools {
    /// Drops the tools, because their list changed. The owner of the name `read_result` stays known until the next list.
    pub fn clear(&mut self) {
        self.plans.clear();
    }

    /// The plan of a tool, listed or not.
    pub fn plan(&self, name: &str, shaper: &Shaper) -> Arc<PlannedTool> {
        if let Some(listed) = self.plans.get(name) {
            return Arc::clone(&listed.plan);
        }
        let mut unlisted = self.unlisted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = unlisted.get(name) {
            return Arc::clone(known);
        }
        if unlisted.len() >= UNLISTED {
            unlisted.clear();
        }
        let planned = PlannedTool::new(&shaper.plan_unlisted(name, Naming::Camel));
        unlisted.insert(name.to_owned(), Arc::clone(&planned));
        planned
    }

    /// Whether a tool was listed.
    pub fn lists(&self, name: &str) -> bool {
        self.plans.contains_key(name)
    }

    /// The names in the policy that are most likely misspelt: no tool has them, and one has nearly the same. A policy may be that of
    /// several servers, so other names are none of this one's.
    pub fn misspelt(&self) -> impl Iterator<Item = (&str, &str)> {
        let unknown = self.named.iter().filter(|name| !self.plans.contains_key(*name));
        unknown.filter_map(|name| {
            let close = self.plans.keys().map(|known| (strsim::osa_distance(name, known), known.as_str())).min();
            // Of a short name nothing is left after two changes.
            let most = 2.min(name.chars().count() / 3);
            close.filter(|(distance, _)| *distance <= most).map(|(_, known)| (name.as_str(), known))
        })
    }

    /// The tools as the server lists them.
    pub fn listed(&self) -> impl Iterator<Item = &str> {
        self.plans.values().map(|listed| &*listed.own)
    }

    /// Plans a tool that was listed before, unless it cannot be read.
    pub fn remember(&mut self, own: &str, has_store: bool, shaper: &Shaper) {
        if let Ok(tool) = JsonText::parse(own) {
            self.read(&tool, has_store && !self.is_taken, shaper, &mut Edits::of(own));
        }
    }

    /// Reads the tools in the result of `tools/list`, and edits it to what the client should see: our tool is at the end of
    /// the first page, because many hosts read one. It is not there if a server of its own has it.
    pub fn list(
        &mut self,
        result: &JsonText<'_>,
        (is_first, adds_reader): (bool, bool),
        has_store: bool,
        shaper: &Shaper,
        edits: &mut Edits<'_>,
    ) {
        let Some(listed) = member(result, "tools").filter(|tools| tools.kind() == Kind::Array) else { return };
        let Ok(tools) = listed.items(0, usize::MAX) else { return };
        let ours = shaper.added_tools(has_store, false);
        let is_ours = |tool: &JsonText<'_>| {
            let name = member(tool, "name").and_then(|name| text(&name));
            name.is_some_and(|name| ours.iter().any(|one| one["name"] == name.as_str()))
        };
        self.is_taken = tools.iter().any(is_ours) || self.is_taken && !is_first;
        let has_store = has_store && !self.is_taken;
        for tool in &tools {
            self.read(tool, has_store, shaper, edits);
        }
        if is_first && adds_reader && has_store {
            let read_tool = shaper.read_tool();
            let ours: Vec<String> = ours.into_iter().map(|tool| self.described(tool, read_tool).to_string()).collect();
            let comma = if tools.is_empty() { "" } else { "," };
            edits.add_inside(listed.span(), format!("{comma}{}", ours.join(",")));
        }
    }

    /// The schema of a tool, as the server wrote it.
    pub fn own_schema(&self, name: &str) -> Option<Value> {
        let tool: Value = serde_json::from_str(&self.plans.get(name)?.own).ok()?;
        tool.get("inputSchema").cloned()
    }

    /// An added tool, whose description says how arguments name results, where they may.
    fn described(&self, mut tool: Value, read_tool: &str) -> Value {
        if tool["name"] == read_tool
            && !self.take_results.is_empty()
            && let Value::String(about) = &mut tool["description"]
        {
            about.push_str(&result_arguments::note(&self.take_results));
        }
        tool
    }

    fn read(&mut self, tool: &JsonText<'_>, has_store: bool, shaper: &Shaper, edits: &mut Edits<'_>) {
        // A tool that is nested too deeply to be read passes unchanged.
        let Ok(own) = serde_json::from_str::<Value>(tool.span()) else { return };
        let mut plan = shaper.plan(&own, has_store, Naming::Camel);
        let name = own.get("name").and_then(Value::as_str);
        if has_store
            && name.is_some_and(|name| self.take_results.iter().any(|one| one == name))
            && let Some(schema) = plan.tool.get_mut("inputSchema")
        {
            result_arguments::widen(schema);
        }
        // Only its schemas can differ for the client.
        splice(tool, &own, &plan.tool, edits);
        if let Some(name) = name {
            self.plans.insert(name.to_owned(), ListedTool { own: tool.span().into(), plan: PlannedTool::new(&plan) });
        }
    }
}

/// The revision of MCP for a client that names none.
const REVISION: &str = "2025-11-25";
/// JSON-RPC's code for an unknown method.
const METHOD_NOT_FOUND: i32 = -32601;

/// The answer of a server without tools to a request: a relay adds its own tool.
pub fn answer_without_tools(request: &Value) -> Value {
    let method = request["method"].as_str().unwrap_or_default();
    let revision = request["params"]["protocolVersion"].as_str().unwrap_or(REVISION);
    let result = match method {
        "initialize" => json!({
            "protocolVersion": revision, "capabilities": { "tools": {} },
            "serverInfo": { "name": "toolshape", "version": env!("CARGO_PKG_VERSION") },
        }),
        "tools/list" => json!({ "tools": [] }),
        "ping" => json!({}),
        _ => {
            let error = json!({ "code": METHOD_NOT_FOUND, "message": format!("there is no method {method}") });
            return json!({ "jsonrpc": "2.0", "id": request["id"], "error": error });
        }
    };
    json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })
}
