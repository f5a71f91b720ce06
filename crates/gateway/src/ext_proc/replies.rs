//! The responses to Envoy's messages.

use hyper::StatusCode;
use hyper::body::Bytes;

use crate::ext_proc::messages::{
    Answer, AppendAction, BodyMutation, BodySendMode, CommonResponse, HeaderField, HeaderMutation, HeaderOption,
    HeaderSendMode, HttpBody, HttpStatus, ImmediateResponse, Mutation, PartResponse, ProcessingMode,
    ProcessingResponse, TrailersResponse,
};
use crate::headers::{METHOD, NAME};

/// The bytes of a part in full duplex, as Envoy's documentation recommends.
const PART: usize = 1 << 16;

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Request,
    Response,
}

/// The body of a message that Envoy sent, and what becomes of it.
pub struct BodyChange {
    pub received: Bytes,
    pub sent: Bytes,
    /// Whether the received part is the whole body, so that its length can be set.
    pub is_whole: bool,
    pub is_end: bool,
    pub is_duplex: bool,
    /// The method of what is sent, if it is another message.
    pub method: Option<String>,
}

fn response(answer: Answer) -> ProcessingResponse {
    ProcessingResponse { response: Some(answer), mode_override: None }
}

/// Headers pass, and these replace those of their names.
pub fn headers(direction: Direction, set: &[(&str, &str)]) -> ProcessingResponse {
    let header_mutation = (!set.is_empty()).then(|| mutation(set));
    let part = PartResponse { response: Some(CommonResponse { header_mutation, body_mutation: None }) };
    response(match direction {
        Direction::Request => Answer::RequestHeaders(part),
        Direction::Response => Answer::ResponseHeaders(part),
    })
}

/// The headers of an answer pass, and Envoy need not send its body.
pub fn unread() -> ProcessingResponse {
    let mode = ProcessingMode {
        response_body_mode: BodySendMode::None.into(),
        response_trailer_mode: HeaderSendMode::Skip.into(),
    };
    ProcessingResponse { mode_override: Some(mode), ..headers(Direction::Response, &[]) }
}

pub fn trailers(direction: Direction) -> ProcessingResponse {
    response(match direction {
        Direction::Request => Answer::RequestTrailers(TrailersResponse {}),
        Direction::Response => Answer::ResponseTrailers(TrailersResponse {}),
    })
}

/// One response to a part of a body; in full duplex as many as it takes, or none.
pub fn body(direction: Direction, change: &BodyChange) -> Vec<ProcessingResponse> {
    let sent = &change.sent;
    if change.is_duplex {
        let starts: Vec<usize> = (0..sent.len()).step_by(PART).collect();
        let mut parts: Vec<Bytes> =
            starts.iter().map(|start| sent.slice(*start..sent.len().min(start + PART))).collect();
        if parts.is_empty() && change.is_end {
            parts.push(Bytes::new());
        }
        let last = parts.len();
        let streamed = parts.into_iter().enumerate().map(|(place, body)| {
            let end_of_stream = change.is_end && place + 1 == last;
            part(direction, None, Some(Mutation::Streamed(HttpBody { body, end_of_stream })))
        });
        return streamed.collect();
    }
    if *sent == change.received {
        return vec![part(direction, None, None)];
    }
    let length = sent.len().to_string();
    let mut headers = change.is_whole.then(|| mutation(&[("content-length", &length)]));
    if let (Some(headers), Some(method)) = (&mut headers, &change.method) {
        headers.set_headers.push(option(METHOD, method, AppendAction::OverwriteIfExists));
        headers.remove_headers = vec![NAME.to_owned()];
    }
    let changed = if sent.is_empty() { Mutation::ClearBody(true) } else { Mutation::Body(sent.clone()) };
    vec![part(direction, headers, Some(changed))]
}

fn part(direction: Direction, headers: Option<HeaderMutation>, body: Option<Mutation>) -> ProcessingResponse {
    let body_mutation = body.map(|mutation| BodyMutation { mutation: Some(mutation) });
    let part = PartResponse { response: Some(CommonResponse { header_mutation: headers, body_mutation }) };
    response(match direction {
        Direction::Request => Answer::RequestBody(part),
        Direction::Response => Answer::ResponseBody(part),
    })
}

/// A response that Envoy gives to the client instead of the server's.
pub fn immediate(status: StatusCode, headers: &[(&str, &str)], body: Bytes, details: &str) -> ProcessingResponse {
    response(Answer::Immediate(ImmediateResponse {
        status: Some(HttpStatus { code: status.as_u16().into() }),
        headers: (!headers.is_empty()).then(|| mutation(headers)),
        body,
        details: details.to_owned(),
    }))
}

fn mutation(set: &[(&str, &str)]) -> HeaderMutation {
    let set_headers = set.iter().map(|(key, value)| option(key, value, AppendAction::OverwriteIfExistsOrAdd)).collect();
    HeaderMutation { set_headers, remove_headers: Vec::new() }
}

fn option(key: &str, value: &str, action: AppendAction) -> HeaderOption {
    let raw_value = value.as_bytes().to_vec();
    let header = Some(HeaderField { key: key.to_owned(), value: String::new(), raw_value });
    HeaderOption { header, append_action: action.into() }
}
