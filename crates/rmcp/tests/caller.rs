//! A client of a server in this process, and what it gets.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::{ErrorData, RoleClient, RoleServer, ServerHandler, ServiceError, ServiceExt};
use toolshape_rmcp::{Value, json};

pub type Client = RunningService<RoleClient, ClientConfig>;

/// A client by that name.
pub async fn client(server: impl ServerHandler, name: &str) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move { server.serve(theirs).await.unwrap().waiting().await });
    let capabilities = ClientCapabilities::builder().enable_tasks().build();
    ClientConfig::new(capabilities, Implementation::new(name, "1.0.0")).serve(ours).await.unwrap()
}

pub fn request(name: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    CallToolRequestParams::new(name).with_arguments(arguments)
}

pub async fn call(client: &Client, name: &'static str, arguments: Value) -> Result<CallToolResult, ServiceError> {
    client.call_tool(request(name, arguments)).await
}

/// What a result's text says.
pub fn said(result: &CallToolResult) -> Value {
    let text = result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.as_str());
    let text: String = text.collect();
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

pub async fn ask(client: &Client, name: &'static str, arguments: Value) -> Value {
    said(&call(client, name, arguments).await.unwrap())
}

/// Rows with a secret in each.
pub fn rows(count: u64) -> Value {
    (0..count).map(|id| json!({ "id": id, "name": format!("row {id}"), "key": "sk-secret" })).collect()
}

/// A server of one tool, `list`, that returns as many rows as its argument says, and shows no tool but by its list.
#[derive(Clone)]
pub struct Lists;

impl ServerHandler for Lists {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({ "type": "object", "properties": { "count": { "type": "integer" } } });
        let tool = serde_json::from_value(json!({ "name": "list", "inputSchema": schema })).unwrap();
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given: JsonObject = request.arguments.unwrap_or_default();
        assert_eq!(given.keys().collect::<Vec<_>>(), ["count"], "the tool gets its own arguments alone");
        let rows = rows(given["count"].as_u64().unwrap_or_default());
        Ok(CallToolResult::success(vec![rmcp::model::ContentBlock::text(rows.to_string())]).into())
    }
}
