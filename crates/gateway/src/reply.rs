//! The answers of the gateway itself, and the body of any answer.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Frame};
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc;
use toolshape::host::quoted;

pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
pub type Body = UnsyncBoxBody<Bytes, BoxError>;

/// JSON-RPC's code for a fault of the server.
const INTERNAL_ERROR: i32 = -32603;

/// A body that is known.
pub fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}

/// A response with a text.
pub fn text(status: StatusCode, kind: &'static str, text: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(whole(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A response without a body: the request asks for nothing, or for nothing more.
pub fn accepted() -> Response<Body> {
    let mut response = Response::new(whole(Bytes::new()));
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// The error for the request with this id.
pub fn error(id: &str, reason: &str) -> String {
    let message = quoted(&format!("toolshape: {reason}"));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{INTERNAL_ERROR},"message":{message}}}}}"#)
}

/// Why the gateway does not answer a request.
pub struct Refusal {
    pub status: StatusCode,
    pub reason: String,
}

impl Refusal {
    pub fn new(status: StatusCode, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into() }
    }

    pub fn compressed() -> Self {
        Self::new(StatusCode::BAD_GATEWAY, "the server compressed its answer, although it was asked not to")
    }

    /// The server took longer than that.
    pub fn late(limit: Duration) -> Self {
        let limit = limit.as_secs();
        let reason = format!("the server did not answer within {limit} seconds (firstByteSeconds)");
        Self::new(StatusCode::GATEWAY_TIMEOUT, reason)
    }

    pub fn too_long(most: usize) -> Self {
        let reason = format!("the request has more than {most} bytes (maxRequestBytes)");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, reason)
    }

    /// An error of JSON-RPC for the request with this id.
    pub fn error(&self, id: Option<&str>) -> String {
        error(id.unwrap_or("null"), &self.reason)
    }

    /// The response with this error.
    pub fn response(&self, id: Option<&str>) -> Response<Body> {
        let mut response = text(self.status, "application/json", self.error(id));
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

/// A body whose parts come through a channel. An error breaks it off.
pub struct Parts(pub mpsc::Receiver<Result<Bytes, BoxError>>);

impl hyper::body::Body for Parts {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.0.poll_recv(context).map(|part| part.map(|part| part.map(Frame::data)))
    }
}

/// A body that holds something until it ends.
pub struct HeldBody<T> {
    body: Body,
    _held: T,
}

impl<T> HeldBody<T> {
    pub fn new(body: Body, held: T) -> Self {
        Self { body, _held: held }
    }
}

impl<T: Unpin> hyper::body::Body for HeldBody<T> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.body.size_hint()
    }
}
