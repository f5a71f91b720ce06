//! The gateway as a policy server of agentgateway (`mcpGuardrails`), over gRPC: agentgateway carries the traffic, and asks about
//! calls of tools and their results.
//!
//! A request cannot be answered with a result, and a result comes without its request. So what is known of the call goes through
//! agentgateway as metadata, and stored results are read at a second server on the same port, whose only tool that is.

mod messages;
mod read_target;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use tonic::Status;
use tonic::server::Grpc;
use tonic_prost::ProstCodec;
use toolshape_proxy::{Effect, MessageHead};
use tower_service::Service;

use crate::exchange::{Exchange, Sent, UNKNOWN};
use crate::gateway::Gateway;
use crate::headers;
use crate::reply::Body;
use crate::report::Report;
use crate::sessions::now;
use crate::tenant::{owner, tenant};
use crate::upstream::Upstream;
use messages::{
    AuthorizationError, McpRequest, McpRequestResult, McpResponse, McpResponseResult, Pass, Struct, Verdict,
};

pub use messages::{CHECK_REQUEST, CHECK_RESPONSE};
pub use read_target::read_target;

/// `INVALID`, of `AuthorizationError.Code`.
const INVALID: i32 = 3;
/// The metadata that has the call.
const CALL: &str = "call";
const TOOLS_CALL: &str = "tools/call";

/// Answers a question of agentgateway.
pub async fn check(gateway: Arc<Gateway>, request: Request<Incoming>) -> Response<Body> {
    let response = if request.uri().path() == CHECK_REQUEST {
        let hook = Hook(move |asked| check_request(Arc::clone(&gateway), asked));
        let mut grpc = Grpc::new(ProstCodec::<McpRequestResult, McpRequest>::default());
        grpc = grpc.max_decoding_message_size(usize::MAX);
        grpc.unary(hook, request).await
    } else {
        let hook = Hook(move |asked| check_response(Arc::clone(&gateway), asked));
        let mut grpc = Grpc::new(ProstCodec::<McpResponseResult, McpResponse>::default());
        grpc = grpc.max_decoding_message_size(usize::MAX);
        grpc.unary(hook, request).await
    };
    response.map(|body| body.map_err(Into::into).boxed_unsync())
}

/// The arguments and the owner of a call go on with its result.
async fn check_request(gateway: Arc<Gateway>, asked: McpRequest) -> McpRequestResult {
    let passes = McpRequestResult { result: Some(Verdict::Pass(Pass {})), metadata: None };
    let (Some(upstream), Some(params)) = (gateway.named(&asked.service_names), &asked.mcp_request) else {
        return passes;
    };
    if asked.method != TOOLS_CALL {
        return passes;
    }
    let line = [br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"#, &params[..], b"}"].concat();
    let mut relay = upstream.blank(false).branch();
    let result = match relay.from_client(&line, now()).pop() {
        Some(Effect::ToServer(line)) => part(line.as_bytes(), "params").map(Verdict::Mutated),
        Some(Effect::ToClient(answer)) => {
            let reason = part(answer.as_bytes(), "result").map(|result| String::from_utf8_lossy(&result).into_owned());
            let reason = reason.unwrap_or_default();
            return McpRequestResult {
                result: Some(Verdict::Error(AuthorizationError { code: INVALID, reason })),
                metadata: None,
            };
        }
        _ => None,
    };
    let headers = received(&asked);
    let tool = toolshape_proxy::heads(&line).into_iter().find_map(|head| head.tool);
    let call = json!({
        "request": relay.open_requests().next(), "tool": tool, "tenant": tenant(&gateway.tenant, &headers).as_deref(),
        "owner": owner(gateway.scope, &headers, headers::text(&headers, &headers::SESSION)),
        "trace": headers::text(&headers, &headers::TRACEPARENT),
    });
    let value = messages::Value { text: Some(call.to_string()) };
    let metadata = Some(Struct { fields: [(CALL.to_owned(), value)].into() });
    McpRequestResult { result: result.map_or(passes.result, Some), metadata }
}

async fn check_response(gateway: Arc<Gateway>, asked: McpResponse) -> McpResponseResult {
    let passes = McpResponseResult { result: Some(Verdict::Pass(Pass {})) };
    let Some(upstream) = gateway.named(&asked.service_names).filter(|_| asked.method == TOOLS_CALL) else {
        return passes;
    };
    let call = asked.metadata_context.as_ref().and_then(|context| context.fields.get(CALL)?.text.as_deref());
    let call: Value = call.and_then(|call| serde_json::from_str(call).ok()).unwrap_or_default();
    let text = |name: &str| call[name].as_str();
    let named = |place: usize| call["owner"][place].as_str().unwrap_or_default();
    let tenant: Option<Arc<str>> = text("tenant").map(Into::into);
    let keeper = gateway.keeper.for_tenant(tenant.clone(), &upstream.name, [named(0), named(1)]);
    let reporting = Arc::clone(&gateway.reporting);
    let mut report = Report::new(reporting, &Method::POST, &upstream.name, tenant, text("trace"));
    let (method, tool) = (Some(TOOLS_CALL.to_owned()), Some(text("tool").unwrap_or("unknown").to_owned()));
    report.reads(&[MessageHead { method, tool, ..MessageHead::default() }]);
    report.status = StatusCode::OK.as_u16();
    let mut exchange = Exchange::begin(Arc::clone(&gateway), upstream, keeper, None, None, None, report).await;
    let request = if call["request"].is_array() { call["request"].clone() } else { json!(["1", "call", UNKNOWN]) };
    exchange.relay.expect(&request);
    let line = [br#"{"jsonrpc":"2.0","id":1,"result":"#, &asked.mcp_response[..], b"}"].concat();
    let sent = exchange.of_server(&line, false).await;
    let shaped = sent.into_iter().find_map(|sent| if let Sent::ToClient(line) = sent { Some(line) } else { None });
    let shaped = shaped.and_then(|line| part(line.as_bytes(), "result"));
    McpResponseResult { result: shaped.map_or(passes.result, |result| Some(Verdict::Mutated(result))) }
}

/// A member of a message, as it is spelled.
fn part(line: &[u8], name: &str) -> Option<Bytes> {
    toolshape_proxy::member_of(line, name).map(Bytes::from)
}

fn received(asked: &McpRequest) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for header in &asked.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(&header.key), HeaderValue::from_bytes(&header.value)) {
            headers.append(name, value);
        }
    }
    headers
}

impl Gateway {
    /// The server with one of these names, or the only one.
    fn named(&self, names: &[String]) -> Option<Arc<Upstream>> {
        let only = self.upstreams.values().next().filter(|_| self.upstreams.len() == 1);
        names.iter().find_map(|name| self.upstreams.get(name)).or(only).map(Arc::clone)
    }
}

/// A method of the service.
struct Hook<F>(F);

impl<F, A, Asked, Answer> Service<tonic::Request<Asked>> for Hook<F>
where
    F: FnMut(Asked) -> A,
    A: Future<Output = Answer> + Send + 'static,
{
    type Response = tonic::Response<Answer>;
    type Error = Status;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Status>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: tonic::Request<Asked>) -> Self::Future {
        let answer = (self.0)(request.into_inner());
        Box::pin(async { Ok(tonic::Response::new(answer.await)) })
    }
}
