//! What is about neither tools nor stored results is the server's own.

use std::collections::BTreeSet;
use std::process::Command;

use rmcp::model::{
    ClientRequest, CompleteRequestParams, CompleteResult, CustomRequest, CustomResult, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, PromptMessage, Role, ServerCapabilities, ServerConfig, ServerResult,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use toolshape_rmcp::{json, shape};

use crate::caller::client;

struct Speaks;

impl ServerHandler for Speaks {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_prompts().build();
        ServerConfig::new(capabilities).with_instructions("speak")
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, request.name)]).into())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(CompleteResult::default())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Ok(CustomResult(json!({ "heard": request.method })))
    }
}

#[tokio::test]
async fn prompts_and_requests_of_no_name_reach_the_server() {
    let client = client(shape(Speaks, json!({})).unwrap(), "tests").await;
    let prompt = client.get_prompt(GetPromptRequestParams::new("hello")).await.unwrap();
    assert!(format!("{prompt:?}").contains("hello"));
    let custom = ClientRequest::CustomRequest(CustomRequest::new("example/speak", None));
    let Ok(ServerResult::CustomResult(heard)) = client.send_request(custom).await else { panic!("no answer") };
    assert_eq!(heard.0, json!({ "heard": "example/speak" }));
    let told = client.peer_info().unwrap();
    assert_eq!(told.instructions.as_deref(), Some("speak"));
    assert!(told.capabilities.prompts.is_some() && told.capabilities.resources.is_some());
    assert!(client.list_all_resources().await.unwrap().is_empty());
    assert_eq!(client.list_all_resource_templates().await.unwrap()[0].uri_template, "toolshape://result/{id}");
}

/// The methods of a handler that the SDK has: each that is not forwarded would be lost to whoever uses it.
#[test]
fn every_method_of_the_sdk_is_forwarded() {
    let cargo = Command::new(env!("CARGO")).args(["metadata", "--format-version", "1"]).output().unwrap();
    let metadata: Value = serde_json::from_slice(&cargo.stdout).unwrap();
    let sdk = metadata["packages"].as_array().unwrap().iter().find(|package| package["name"] == "rmcp").unwrap();
    let manifest = std::path::Path::new(sdk["manifest_path"].as_str().unwrap());
    let source = std::fs::read_to_string(manifest.with_file_name("src/handler/server.rs")).unwrap();
    let of_sdk = source.split("macro_rules! server_handler_methods").nth(1).unwrap();
    let of_sdk = methods(of_sdk.split("\n}\n").next().unwrap());
    assert!(of_sdk.len() > 30 && of_sdk.contains("call_tool"), "{of_sdk:?}");
    let ours = include_str!("../src/shaped.rs").split("ServerHandler for ShapedServer<S>").nth(1).unwrap();
    // What is handed on is named at the start of a line.
    let is_lost =
        |name: &&String| !ours.contains(&format!(" fn {name}(")) && !ours.contains(&format!("\n        {name}("));
    assert_eq!(of_sdk.iter().filter(is_lost).collect::<Vec<_>>(), Vec::<&String>::new());
}

fn methods(source: &str) -> BTreeSet<String> {
    let names = source.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?;
        line.split(['(', '<']).next()
    });
    names.map(str::to_owned).collect()
}
