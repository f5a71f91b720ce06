//! The server that reads stored results: agentgateway has it as a target beside the servers whose results are stored.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{ALLOW, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use toolshape_proxy::answer_without_tools;

use crate::answer::own as own_answers;
use crate::exchange::{Exchange, Sent};
use crate::gateway::Gateway;
use crate::headers;
use crate::reply::{Body, Refusal};
use crate::tenant::{owner, tenant};
use crate::upstream::Upstream;

/// The tool's name here. In notes it has what agentgateway puts before the names of this server's tools (`readTool`).
const READ_RESULT: &str = "read_result";
/// Answers a message of a client, which has no session.
pub async fn read_target(gateway: Arc<Gateway>, upstream: Arc<Upstream>, request: Request<Incoming>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let refused = |refusal: Refusal| refusal.response(None);
    if let Err(refusal) = gateway.own_address().check_host(&head.headers, None, false) {
        return refused(refusal);
    }
    let headers = headers::forwarded(head.headers);
    if head.method != Method::POST {
        let mut response = refused(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "messages are sent with POST"));
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return response;
    }
    let mut report = match gateway.admit(&upstream, &head.method, &headers) {
        Ok(report) => report,
        Err(refusal) => return refused(refusal),
    };
    let message = match gateway.body(body).await {
        Ok(body) => serde_json::from_slice::<Value>(&body).unwrap_or_default(),
        Err(refusal) => {
            report.refused(&refusal);
            return refused(refusal);
        }
    };
    let (line, name) = (asked(message.clone(), upstream.read_tool()), message["method"].as_str().unwrap_or_default());
    let heads = toolshape_proxy::heads(line.as_bytes());
    report.reads(&heads);
    let [kind, named] = owner(gateway.scope, &headers, None);
    let keeper = gateway.keeper.for_tenant(tenant(&gateway.tenant, &headers), &upstream.name, [&kind, &named]);
    let read_tool = upstream.read_tool().to_owned();
    let mut exchange = Exchange::begin(Arc::clone(&gateway), upstream, keeper, None, None, None, report).await;
    let mut own = Vec::new();
    for sent in exchange.of_client(line.as_bytes(), &heads).await {
        match sent {
            Sent::ToClient(line) => own.push(line),
            _ if message["id"].is_null() => {}
            // What the relay learns from it is of a server whose results are stored.
            _ if name == "initialize" => own.push(answer_without_tools(&message).to_string()),
            _ => {
                let answer = answer_without_tools(&message).to_string();
                own.push(match exchange.of_server(answer.as_bytes(), false).await.pop() {
                    Some(Sent::ToClient(line)) => renamed(&line, &read_tool),
                    _ => answer,
                });
            }
        }
    }
    own_answers(exchange, own)
}

/// The message as the relay reads it, which knows the tool by its other name.
fn asked(mut message: Value, read_tool: &str) -> String {
    if message["params"]["name"] == READ_RESULT {
        message["params"]["name"] = json!(read_tool);
    }
    message.to_string()
}

/// The list with the tool's name here.
fn renamed(line: &str, read_tool: &str) -> String {
    let mut answer: Value = serde_json::from_str(line).unwrap_or_default();
    for tool in answer["result"]["tools"].as_array_mut().into_iter().flatten() {
        if tool["name"] == read_tool {
            tool["name"] = json!(READ_RESULT);
        }
    }
    answer.to_string()
}
