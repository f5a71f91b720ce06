//! The tools of a server as they were listed, and what clients see in their place.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::Tool;
use serde_json::Value;
use toolshape::Shaper;
use toolshape::host::{Naming, Plan};

/// The plans of the tools that were seen, by their names.
#[derive(Default)]
pub struct Tools(BTreeMap<String, ListedTool>);

/// A tool as the server has it, and its plan.
struct ListedTool {
    own: Tool,
    plan: Arc<Plan>,
}

impl Tools {
    /// The plan of a tool that was seen.
    pub fn plan(&self, name: &str) -> Option<Arc<Plan>> {
        self.0.get(name).map(|seen| Arc::clone(&seen.plan))
    }

    /// The plan of a tool as the server has it now.
    pub fn see(&mut self, tool: &Tool, shaper: &Shaper, has_store: bool) -> Arc<Plan> {
        if let Some(seen) = self.0.get(tool.name.as_ref()).filter(|seen| seen.own == *tool) {
            return Arc::clone(&seen.plan);
        }
        let json = serde_json::to_value(tool).unwrap_or_default();
        let plan = Arc::new(shaper.plan(&json, has_store, Naming::Camel));
        self.0.insert(tool.name.to_string(), ListedTool { own: tool.clone(), plan: Arc::clone(&plan) });
        plan
    }
}

/// Gives a tool the schemas that clients see: the only members that are ever others.
pub fn show(tool: &mut Tool, plan: &Plan) {
    if let Some(Value::Object(schema)) = plan.tool.get("inputSchema")
        && *schema != *tool.input_schema
    {
        tool.input_schema = Arc::new(schema.clone());
    }
    if let Some(Value::Object(schema)) = plan.tool.get("outputSchema")
        && tool.output_schema.as_deref() != Some(schema)
    {
        tool.output_schema = Some(Arc::new(schema.clone()));
    }
}
