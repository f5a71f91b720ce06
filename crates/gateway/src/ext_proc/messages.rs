//! The messages of external processing that are used here, in protobuf. Fields that are not named are ignored.
//!
//! Source: `external_processor.proto` (`envoy.service.ext_proc.v3`), `processing_mode.proto`
//! (`envoy.extensions.filters.http.ext_proc.v3`), `base.proto` (`envoy.config.core.v3`) and `http_status.proto`
//! (`envoy.type.v3`) of Envoy's data plane API.

use hyper::body::Bytes;
use prost::{Enumeration, Message, Oneof};

/// The path of the service's only method.
pub const PROCESS: &str = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";

#[derive(Clone, PartialEq, Message)]
pub struct ProcessingRequest {
    #[prost(oneof = "Phase", tags = "2, 3, 4, 5, 6, 7")]
    pub request: Option<Phase>,
    /// Envoy does not wait for responses.
    #[prost(bool, tag = "10")]
    pub observability_mode: bool,
    /// Only in the first message of a stream, and from Envoy 1.33.
    #[prost(message, optional, tag = "11")]
    pub protocol_config: Option<ProtocolConfiguration>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Phase {
    #[prost(message, tag = "2")]
    RequestHeaders(HttpHeaders),
    #[prost(message, tag = "3")]
    ResponseHeaders(HttpHeaders),
    #[prost(message, tag = "4")]
    RequestBody(HttpBody),
    #[prost(message, tag = "5")]
    ResponseBody(HttpBody),
    #[prost(message, tag = "6")]
    RequestTrailers(HttpTrailers),
    #[prost(message, tag = "7")]
    ResponseTrailers(HttpTrailers),
}

#[derive(Clone, PartialEq, Message)]
pub struct ProtocolConfiguration {
    #[prost(enumeration = "BodySendMode", tag = "1")]
    pub request_body_mode: i32,
    #[prost(enumeration = "BodySendMode", tag = "2")]
    pub response_body_mode: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum BodySendMode {
    None = 0,
    Streamed = 1,
    Buffered = 2,
    BufferedPartial = 3,
    FullDuplexStreamed = 4,
}

#[derive(Clone, PartialEq, Message)]
pub struct HttpHeaders {
    #[prost(message, optional, tag = "1")]
    pub headers: Option<HeaderList>,
    #[prost(bool, tag = "3")]
    pub end_of_stream: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct HttpBody {
    #[prost(bytes = "bytes", tag = "1")]
    pub body: Bytes,
    #[prost(bool, tag = "2")]
    pub end_of_stream: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct HttpTrailers {}

/// `HeaderMap` of `base.proto`.
#[derive(Clone, PartialEq, Message)]
pub struct HeaderList {
    #[prost(message, repeated, tag = "1")]
    pub headers: Vec<HeaderField>,
}

/// `HeaderValue` of `base.proto`. Envoy sets one of the two values.
#[derive(Clone, PartialEq, Message)]
pub struct HeaderField {
    #[prost(string, tag = "1")]
    pub key: String,
    #[prost(string, tag = "2")]
    pub value: String,
    #[prost(bytes = "vec", tag = "3")]
    pub raw_value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ProcessingResponse {
    #[prost(oneof = "Answer", tags = "1, 2, 3, 4, 5, 6, 7")]
    pub response: Option<Answer>,
    /// Envoy heeds it in a response to headers, where its own configuration allows that.
    #[prost(message, optional, tag = "9")]
    pub mode_override: Option<ProcessingMode>,
}

/// What Envoy sends of an exchange.
#[derive(Clone, PartialEq, Message)]
pub struct ProcessingMode {
    #[prost(enumeration = "BodySendMode", tag = "4")]
    pub response_body_mode: i32,
    #[prost(enumeration = "HeaderSendMode", tag = "6")]
    pub response_trailer_mode: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum HeaderSendMode {
    Default = 0,
    Send = 1,
    Skip = 2,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Answer {
    /// `HeadersResponse`.
    #[prost(message, tag = "1")]
    RequestHeaders(PartResponse),
    #[prost(message, tag = "2")]
    ResponseHeaders(PartResponse),
    /// `BodyResponse`.
    #[prost(message, tag = "3")]
    RequestBody(PartResponse),
    #[prost(message, tag = "4")]
    ResponseBody(PartResponse),
    #[prost(message, tag = "5")]
    RequestTrailers(TrailersResponse),
    #[prost(message, tag = "6")]
    ResponseTrailers(TrailersResponse),
    #[prost(message, tag = "7")]
    Immediate(ImmediateResponse),
}

/// `HeadersResponse` and `BodyResponse`, which have the same field.
#[derive(Clone, PartialEq, Message)]
pub struct PartResponse {
    #[prost(message, optional, tag = "1")]
    pub response: Option<CommonResponse>,
}

/// Its `status` stays `CONTINUE`.
#[derive(Clone, PartialEq, Message)]
pub struct CommonResponse {
    #[prost(message, optional, tag = "2")]
    pub header_mutation: Option<HeaderMutation>,
    #[prost(message, optional, tag = "3")]
    pub body_mutation: Option<BodyMutation>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TrailersResponse {}

#[derive(Clone, PartialEq, Message)]
pub struct HeaderMutation {
    #[prost(message, repeated, tag = "1")]
    pub set_headers: Vec<HeaderOption>,
    #[prost(string, repeated, tag = "2")]
    pub remove_headers: Vec<String>,
}

/// `HeaderValueOption` of `base.proto`.
#[derive(Clone, PartialEq, Message)]
pub struct HeaderOption {
    #[prost(message, optional, tag = "1")]
    pub header: Option<HeaderField>,
    #[prost(enumeration = "AppendAction", tag = "3")]
    pub append_action: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Enumeration)]
#[repr(i32)]
pub enum AppendAction {
    AppendIfExistsOrAdd = 0,
    AddIfAbsent = 1,
    OverwriteIfExistsOrAdd = 2,
    OverwriteIfExists = 3,
}

#[derive(Clone, PartialEq, Message)]
pub struct BodyMutation {
    #[prost(oneof = "Mutation", tags = "1, 2, 3")]
    pub mutation: Option<Mutation>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Mutation {
    #[prost(bytes = "bytes", tag = "1")]
    Body(Bytes),
    #[prost(bool, tag = "2")]
    ClearBody(bool),
    /// A part of the body in full duplex.
    #[prost(message, tag = "3")]
    Streamed(HttpBody),
}

#[derive(Clone, PartialEq, Message)]
pub struct ImmediateResponse {
    #[prost(message, optional, tag = "1")]
    pub status: Option<HttpStatus>,
    #[prost(message, optional, tag = "2")]
    pub headers: Option<HeaderMutation>,
    #[prost(bytes = "bytes", tag = "3")]
    pub body: Bytes,
    /// What Envoy's access log has.
    #[prost(string, tag = "5")]
    pub details: String,
}

#[derive(Clone, PartialEq, Message)]
pub struct HttpStatus {
    #[prost(int32, tag = "1")]
    pub code: i32,
}
