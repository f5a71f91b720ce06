//! The messages of agentgateway's policy hook that are used here, in protobuf. Fields that are not named are ignored.
//!
//! Source: `ext_mcp.proto` (`agentgateway.dev.ext_mcp`, August 2026) and `struct.proto` (`google.protobuf`).

use std::collections::HashMap;

use hyper::body::Bytes;
use prost::{Message, Oneof};

/// The paths of the service's methods.
pub const CHECK_REQUEST: &str = "/agentgateway.dev.ext_mcp.ExtMcp/CheckRequest";
pub const CHECK_RESPONSE: &str = "/agentgateway.dev.ext_mcp.ExtMcp/CheckResponse";

#[derive(Clone, PartialEq, Message)]
pub struct McpRequest {
    /// The servers that the call is for: one, except of a list of several.
    #[prost(string, repeated, tag = "1")]
    pub service_names: Vec<String>,
    #[prost(string, tag = "2")]
    pub method: String,
    /// The `params` of the request, as JSON.
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub mcp_request: Option<Bytes>,
    /// Those of the HTTP request.
    #[prost(message, repeated, tag = "5")]
    pub headers: Vec<McpHeader>,
}

#[derive(Clone, PartialEq, Message)]
pub struct McpResponse {
    #[prost(string, repeated, tag = "1")]
    pub service_names: Vec<String>,
    #[prost(string, tag = "2")]
    pub method: String,
    /// What agentgateway's configuration sends of what the request was answered.
    #[prost(message, optional, tag = "3")]
    pub metadata_context: Option<Struct>,
    /// The `result`, as JSON.
    #[prost(bytes = "bytes", tag = "4")]
    pub mcp_response: Bytes,
}

#[derive(Clone, PartialEq, Message)]
pub struct McpRequestResult {
    #[prost(oneof = "Verdict", tags = "1, 2, 3")]
    pub result: Option<Verdict>,
    #[prost(message, optional, tag = "5")]
    pub metadata: Option<Struct>,
}

#[derive(Clone, PartialEq, Message)]
pub struct McpResponseResult {
    #[prost(oneof = "Verdict", tags = "1, 2, 3")]
    pub result: Option<Verdict>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Verdict {
    #[prost(message, tag = "1")]
    Pass(Pass),
    /// Other `params`, or another `result`, as JSON.
    #[prost(bytes = "bytes", tag = "2")]
    Mutated(Bytes),
    #[prost(message, tag = "3")]
    Error(AuthorizationError),
}

#[derive(Clone, PartialEq, Message)]
pub struct Pass {}

#[derive(Clone, PartialEq, Message)]
pub struct AuthorizationError {
    /// `INVALID` is 3.
    #[prost(int32, tag = "1")]
    pub code: i32,
    #[prost(string, tag = "2")]
    pub reason: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct McpHeader {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(bytes = "bytes", tag = "2")]
    pub value: Bytes,
}

#[derive(Clone, PartialEq, Message)]
pub struct Struct {
    #[prost(map = "string, message", tag = "1")]
    pub fields: HashMap<String, Value>,
}

/// `google.protobuf.Value`. Those that are not texts have none.
#[derive(Clone, PartialEq, Message)]
pub struct Value {
    #[prost(string, optional, tag = "3")]
    pub text: Option<String>,
}
