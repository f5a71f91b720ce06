//! agentgateway, as its code asks policy servers: before a call and after it, with metadata that goes from one to the other.

use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use toolshape_gateway::Engine;
use toolshape_stores::MemoryStore;

use crate::envoy::processor_of;
use crate::mcp_messages::{
    CHECK_REQUEST, CHECK_RESPONSE, McpHeader, McpRequest, McpRequestResult, McpResponse, McpResponseResult, Struct,
    Verdict,
};
use crate::world::{Replica, call, handle, post, request, rows, send};

/// An engine before servers.
struct Agentgateway {
    connection: SendRequest<Full<Bytes>>,
    replica: Replica,
}

impl Agentgateway {
    async fn start(options: Value) -> Self {
        let replica = processor_of(Engine::Agentgateway, options, Some(Arc::new(MemoryStore::new()))).await;
        let stream = TokioIo::new(TcpStream::connect(replica.address).await.unwrap());
        let (connection, driver) = http2::handshake(TokioExecutor::new(), stream).await.unwrap();
        tokio::spawn(driver);
        Self { connection, replica }
    }

    /// A unary call of gRPC (PROTOCOL-HTTP2).
    async fn ask<A: Message + Default>(&mut self, path: &str, message: &impl Message) -> A {
        let message = message.encode_to_vec();
        let length = u32::try_from(message.len()).unwrap().to_be_bytes();
        let body = Full::new(Bytes::from([&[0], &length[..], &message].concat()));
        let asked = Request::post(format!("http://{}{path}", self.replica.address));
        let asked = asked.header("content-type", "application/grpc").header("te", "trailers").body(body).unwrap();
        let answer = self.connection.send_request(asked).await.unwrap().into_body().collect().await.unwrap();
        assert_eq!(answer.trailers().unwrap()["grpc-status"], "0");
        A::decode(&answer.to_bytes()[5..]).unwrap()
    }

    async fn before(&mut self, method: &str, params: &Value, tenant: &str) -> McpRequestResult {
        let header = McpHeader { key: "x-tenant".to_owned(), value: tenant.to_owned().into() };
        let (service_names, mcp_request) = (vec!["up".to_owned()], Some(params.to_string().into()));
        let asked = McpRequest { service_names, method: method.to_owned(), mcp_request, headers: vec![header] };
        self.ask(CHECK_REQUEST, &asked).await
    }

    /// What the client gets of a result: `metadata` is `call: mcpGuardrails.call`, or nothing.
    async fn after(&mut self, method: &str, result: &Value, metadata: Option<Struct>) -> Value {
        let (service_names, mcp_response) = (vec!["up".to_owned()], result.to_string().into());
        let method = method.to_owned();
        let asked = McpResponse { service_names, method, metadata_context: metadata, mcp_response };
        match self.ask::<McpResponseResult>(CHECK_RESPONSE, &asked).await.result.unwrap() {
            Verdict::Pass(_) => result.clone(),
            Verdict::Mutated(shaped) => serde_json::from_slice(&shaped).unwrap(),
            Verdict::Error(error) => panic!("{error:?}"),
        }
    }

    async fn call(&mut self, tool: &str, result: &Value, tenant: &str) -> Value {
        let before = self.before("tools/call", &json!({ "name": tool, "arguments": { "page": 2 } }), tenant).await;
        assert!(matches!(before.result, Some(Verdict::Pass(_))), "{before:?}");
        self.after("tools/call", result, before.metadata).await
    }
}

fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_shaped_and_read_at_the_second_target() {
    let options = json!({ "tenantHeader": "x-tenant", "readTool": "toolshape_read_result" });
    let mut engine = Agentgateway::start(options).await;
    let small = json!({ "content": [{ "type": "text", "text": "few words" }] });
    assert_eq!(engine.call("small", &small, "one").await, small);
    let shaped = text(&engine.call("list", &rows("row"), "one").await);
    assert!(shaped.len() < 4000 && shaped.contains("toolshape_read_result"), "{shaped}");
    let to = engine.replica.address;
    let own = [("x-tenant", "one")];
    let hello = post(to, &own, &request(1, "initialize")).await.json();
    assert_eq!(hello["result"]["serverInfo"]["name"], "toolshape");
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(post(to, &own, &initialized).await.status, 202);
    let tools = post(to, &own, &request(2, "tools/list")).await.json();
    assert_eq!(
        (&tools["result"]["tools"][0]["name"], &tools["result"]["tools"][1]),
        (&json!("read_result"), &Value::Null)
    );
    let read = call(3, "read_result", json!({ "handle": handle(&shaped), "pointer": "/399" }));
    assert!(post(to, &own, &read).await.text().contains("row 399"));
    let other = post(to, &[("x-tenant", "two")], &read).await.json();
    assert_eq!(other["result"]["isError"], true, "{other}");
    let unknown = post(to, &own, &request(4, "prompts/list")).await.json();
    assert_eq!(unknown["error"]["code"], -32601);
    assert_eq!(send(to, "GET", "/up", &own, String::new()).await.status, 405);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_without_its_call_is_shaped_and_not_stored() {
    let mut engine = Agentgateway::start(json!({ "tenantHeader": "x-tenant" })).await;
    for metadata in [None, Some(Struct { fields: [].into() })] {
        let shaped = text(&engine.after("tools/call", &rows("row"), metadata).await);
        assert!(shaped.len() < 4000 && !shaped.contains("toolshape://result/"), "{shaped}");
    }
    // The rules of errors hold.
    let error = json!({ "content": [{ "type": "text", "text": "x".repeat(50_000) }], "isError": true });
    let shaped = engine.call("list", &error, "one").await;
    assert!(shaped["isError"] == true && text(&shaped).len() < 5000);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_methods_pass() {
    let mut engine = Agentgateway::start(json!({})).await;
    let listed = json!({ "tools": [{ "name": "list", "inputSchema": { "type": "object" } }] });
    let before = engine.before("tools/list", &json!({}), "one").await;
    assert!(matches!(before.result, Some(Verdict::Pass(_))) && before.metadata.is_none());
    assert_eq!(engine.after("tools/list", &listed, None).await, listed);
    let health = send(engine.replica.address, "GET", "/readyz", &[], String::new()).await;
    assert_eq!(health.status, 200);
}

/// The bytes that protoc's Python code writes for the definitions.
#[test]
fn messages_have_the_bytes_of_the_definitions() {
    let hex = |bytes: Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let header = McpHeader { key: "a".to_owned(), value: "b".into() };
    let request = McpRequest {
        service_names: vec!["up".to_owned()],
        method: "tools/call".to_owned(),
        mcp_request: Some("{}".into()),
        headers: vec![header],
    };
    assert_eq!(hex(request.encode_to_vec()), "0a027570120a746f6f6c732f63616c6c22027b7d2a060a0161120162");
    let value = crate::mcp_messages::Value { text: Some("c".to_owned()) };
    let metadata = Some(Struct { fields: [("call".to_owned(), value)].into() });
    let response = McpResponse {
        service_names: vec!["up".to_owned()],
        method: "tools/call".to_owned(),
        metadata_context: metadata.clone(),
        mcp_response: "{}".into(),
    };
    assert_eq!(hex(response.encode_to_vec()), "0a027570120a746f6f6c732f63616c6c1a0d0a0b0a0463616c6c12031a016322027b7d");
    let result = McpRequestResult { result: Some(Verdict::Mutated("{}".into())), metadata };
    assert_eq!(hex(result.encode_to_vec()), "12027b7d2a0d0a0b0a0463616c6c12031a0163");
}
