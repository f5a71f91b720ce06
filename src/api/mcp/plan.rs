//! What an adapter needs to know about a tool: how clients see it, and how its calls are shaped.

use serde_json::{Map, Value, json};

use crate::api::shaper::Shaper;
use crate::request::call::CONTROLS;
use crate::request::reader::Naming;

use super::tool::{ShapedTool, has_ui};

/// A tool as an adapter handles it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// The tool in the form of MCP's `tools/list`, as clients should see it.
    pub tool: Value,
    /// The arguments that are for shaping, listed or not; the tool itself never gets them.
    pub controls: Vec<&'static str>,
    /// The members that all its calls have: `tool`, `ownArguments`, `pageArguments`, `outputSchema`, `hasUi`.
    pub call: Value,
    /// Whether results stay within the tool's own output schema.
    pub is_preserved: bool,
}

impl Plan {
    /// As JSON: `tool`, `controls`, `call`, `isPreserved`.
    pub fn to_json(&self) -> Value {
        let Self { tool, controls, call, is_preserved } = self;
        json!({ "tool": tool, "controls": controls, "call": call, "isPreserved": is_preserved })
    }
}

#[doc(hidden)]
impl Shaper {
    /// The plan for a tool in the form of MCP's `tools/list`, of a server with or without a store; `naming` is for the
    /// members of `call`.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::host::Naming;
    /// use toolshape::Shaper;
    /// let plan = Shaper::default().plan(&json!({ "name": "list", "outputSchema": { "type": "object" } }), true, Naming::Camel);
    /// assert_eq!(plan.call["outputSchema"], true);
    /// assert!(!plan.is_preserved && plan.controls.contains(&"page"));
    /// ```
    pub fn plan(&self, tool: &Value, has_store: bool, naming: Naming) -> Plan {
        let ShapedTool { tool: shown, controls, own_arguments } = self.tool(tool, has_store);
        let promised = tool.get("outputSchema").filter(|schema| !schema.is_null());
        let is_preserved = promised == shown.get("outputSchema").filter(|schema| !schema.is_null());
        let mut call = Map::new();
        // A call may have no tool name.
        let name = tool.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        call.extend(name.map(|name| ("tool".to_owned(), json!(name))));
        call.insert(naming.spell("ownArguments").into_owned(), json!(own_arguments));
        let pages = super::tool::page_arguments(tool);
        if !pages.is_empty() {
            call.insert(naming.spell("pageArguments").into_owned(), json!(pages));
        }
        let schema = promised.map(|schema| if is_preserved { schema.clone() } else { json!(true) });
        call.extend(schema.map(|schema| (naming.spell("outputSchema").into_owned(), schema)));
        if has_ui(tool) {
            call.insert(naming.spell("hasUi").into_owned(), json!(true));
        }
        Plan { tool: shown, controls, call: Value::Object(call), is_preserved }
    }

    /// The plan for a tool that no list contains: arguments with the names of controls are its own, and its structured
    /// content stays.
    pub fn plan_unlisted(&self, name: &str, naming: Naming) -> Plan {
        let properties: Map<String, Value> =
            CONTROLS.map(|control| (control.to_owned(), json!({}))).into_iter().collect();
        let input = json!({ "type": "object", "properties": properties });
        self.plan(&json!({ "name": name, "inputSchema": input, "outputSchema": {} }), false, naming)
    }

    /// Whether the policy does not shape a tool's results.
    pub fn leaves_alone(&self, tool: &str) -> bool {
        self.policy().settings(Some(tool)).is_left_alone()
    }
}
