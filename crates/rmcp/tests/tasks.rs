//! A call that is answered by a task: what `tasks/get` tells is a tool's result, and is shaped as one.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, DetailedTask,
    GetTaskParams, GetTaskResult, ServerCapabilities, ServerConfig, Task, TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use toolshape_rmcp::{Value, json, shape};

use crate::caller::{ask, client, request, rows};

struct Later;

fn task() -> Task {
    Task::new("task-1", TaskStatus::Working, "2026-11-22T10:00:00Z", "2026-11-22T10:00:00Z")
}

impl ServerHandler for Later {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tasks().build())
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CreateTaskResult::new(task()).into())
    }

    async fn get_task(&self, _: GetTaskParams, _: RequestContext<RoleServer>) -> Result<GetTaskResult, ErrorData> {
        let result = CallToolResult::success(vec![ContentBlock::text(rows(500).to_string())]);
        let Ok(Value::Object(result)) = serde_json::to_value(result) else { unreachable!() };
        Ok(GetTaskResult::new(DetailedTask::new(task(), TaskPayload::Completed { result })))
    }
}

#[tokio::test]
async fn its_result_fits_and_is_read_on() {
    let client = client(shape(Later, json!({ "maxTokens": 400, "receipt": "meta" })).unwrap(), "tests").await;
    let created = client.call_tool_once(request("list", json!({ "count": 500 }))).await.unwrap();
    let CallToolResponse::Task(created) = created else { panic!("no task: {created:?}") };
    let found = client.get_task(GetTaskParams::new(created.task.task_id)).await.unwrap();
    let TaskPayload::Completed { result } = found.task.payload else { panic!("not completed") };
    let receipt = &result["_meta"]["toolshape/receipt"];
    assert_eq!(receipt["tool"], "list");
    assert!(receipt["tokensAfter"].as_u64().unwrap() <= 400 && receipt["durationMs"].is_number());
    let page: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(page["totalItems"], 500);
    assert_eq!(ask(&client, "read_result", json!({ "handle": page["uri"], "pointer": "/499/id" })).await, 499);
}
