//! Who may read stored results: whoever the server has accepted a short while ago with the same credentials, or accepts now.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName};
use hyper::{Method, Response, Uri};
use serde_json::{Value, json};

use crate::forward;
use crate::gateway::Gateway;
use crate::keeper::digest;
use crate::reply::{Body, Refusal};
use crate::upstream::Upstream;

/// The callers that are remembered, at least.
const CALLERS: usize = 10_000;
/// The member of a request's `_meta` with its revision of MCP, since 2026-07-28.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";

/// When servers have accepted callers.
pub struct Consents {
    accepted: Mutex<[HashMap<String, Instant>; 2]>,
    within: Duration,
}

impl Consents {
    /// Acceptance counts for so long.
    pub fn new(within: Duration) -> Self {
        Self { accepted: Mutex::default(), within }
    }

    /// The server has answered a caller.
    pub fn answered(&self, caller: &str, status: u16) {
        let mut accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        match status {
            200..=299 => {
                if accepted[0].len() >= CALLERS {
                    accepted[1] = std::mem::take(&mut accepted[0]);
                }
                accepted[0].insert(caller.to_owned(), Instant::now());
            }
            401 | 403 => accepted.iter_mut().for_each(|some| _ = some.remove(caller)),
            _ => {}
        }
    }

    fn is_accepted(&self, caller: &str) -> bool {
        let accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        let at = accepted.iter().find_map(|some| some.get(caller));
        at.is_some_and(|at| at.elapsed() < self.within)
    }
}

/// Who calls a server: whose credentials a request has.
pub fn caller(upstream: &Upstream, tenant: &str, headers: &HeaderMap) -> String {
    let all = |name: HeaderName| {
        let values: Vec<_> =
            headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
        values.join("\n")
    };
    digest(&["caller", &upstream.name, tenant, &all(AUTHORIZATION), &all(COOKIE)])
}

/// The server's refusal of a caller who reads stored results; `None` if it accepts the caller.
///
/// # Errors
/// A server that cannot be asked.
pub async fn refusal(
    gateway: &Gateway,
    upstream: &Upstream,
    caller: &str,
    (uri, headers, message): (&Uri, &HeaderMap, &Bytes),
) -> Result<Option<Response<Body>>, Refusal> {
    // Nobody knows at the gateway whom a command would accept.
    let Some(remote) = upstream.remote().filter(|_| !gateway.consents.is_accepted(caller)) else { return Ok(None) };
    let (method, question) = question(message);
    let mut asked = headers.clone();
    let is_of_call = |name: &HeaderName| name == "mcp-name" || name.as_str().starts_with("mcp-param-");
    for name in headers.keys().filter(|name| is_of_call(name)) {
        asked.remove(name);
    }
    if let Some(named) = asked.get_mut("mcp-method") {
        *named = hyper::header::HeaderValue::from_static(method);
    }
    let answered = forward::send(gateway, remote, &Method::POST, uri, &asked, question).await?;
    gateway.consents.answered(caller, answered.status().as_u16());
    Ok((!answered.status().is_success()).then_some(answered))
}

/// A request that does nothing, of the era of a message: its method, and the whole.
fn question(message: &Bytes) -> (&'static str, Bytes) {
    let message: Value = serde_json::from_slice(message).unwrap_or_default();
    let meta = &message["params"]["_meta"];
    let (method, params) = match meta.get(REVISION) {
        Some(_) => ("server/discover", json!({ "_meta": meta })),
        None => ("ping", json!({})),
    };
    let question = json!({ "jsonrpc": "2.0", "id": "toolshape", "method": method, "params": params });
    (method, question.to_string().into())
}
