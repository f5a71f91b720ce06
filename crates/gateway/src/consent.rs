//! When servers have accepted callers, for the relays that read stored results.

use hyper::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName};

use crate::keeper::digest;
use crate::recent::Recent;
use crate::sessions::now;
use crate::upstream::Upstream;

/// The callers that are remembered.
const CALLERS: usize = 20_000;

/// When servers have accepted callers, in seconds since 1970.
pub struct Consents(Recent<u64>);

impl Default for Consents {
    fn default() -> Self {
        Self(Recent::new(CALLERS))
    }
}

impl Consents {
    /// The server has answered a caller.
    pub fn answered(&self, caller: &str, status: u16) {
        match status {
            200..=299 => self.0.put(caller.to_owned(), now()),
            401 | 403 => self.0.forget(caller),
            _ => {}
        }
    }

    /// When the server last accepted a caller; 0 if that is not known.
    pub fn accepted_at(&self, caller: &str) -> u64 {
        self.0.get(caller).unwrap_or_default()
    }
}

/// Who calls a server: whose credentials a request has.
pub fn caller(upstream: &Upstream, tenant: &str, headers: &HeaderMap) -> String {
    let all = |name: HeaderName| {
        let values: Vec<_> =
            headers.get_all(name).iter().map(|value| value.as_bytes().escape_ascii().to_string()).collect();
        values.join("\n")
    };
    digest(&["caller", &upstream.name, tenant, &all(AUTHORIZATION), &all(COOKIE)])
}
