//! Answers that are lost with a replica. A client resumes a stream that broke off after the id of an event (MCP of 2025-11-25,
//! "Resumability and Redelivery"). Where the server gives none, an id of the gateway has the open requests, and whichever replica
//! is asked for the rest of the stream answers them with errors.

use hyper::header::HeaderMap;
use serde_json::Value;

use crate::exchange::Exchange;
use crate::headers;
use crate::reply::error;
use toolshape_proxy::write_event;

/// The revision whose clients resume the streams of answers. Later ones have no such streams.
const REVISION: &str = "2025-11-25";
/// What the gateway's ids begin with.
const OWN: &str = "toolshape:";

/// Whether a client expects an id at the beginning of a stream.
pub fn expects_id(headers: &HeaderMap) -> bool {
    headers::text(headers, &headers::REVISION) == Some(REVISION)
}

/// The event before the first of the server. It is empty if nobody resumes the stream.
pub fn first_event(exchange: &Exchange) -> Vec<u8> {
    let ids = exchange.open_ids().join(",");
    // The id becomes a header.
    let is_sent = exchange.expects_id && !ids.is_empty() && ids.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_sent { write_event(&format!("id: {OWN}[{ids}]\n"), Some("")) } else { Vec::new() }
}

/// The errors for the requests in the gateway's id after which a client resumes; none after an id of the server.
pub fn lost(headers: &HeaderMap) -> Option<Vec<String>> {
    let ids = headers::text(headers, &headers::LAST_EVENT)?.strip_prefix(OWN)?;
    let ids: Vec<Value> = serde_json::from_str(ids).ok()?;
    Some(ids.iter().map(|id| error(&id.to_string(), "the answer was lost on its way; repeat the call")).collect())
}
