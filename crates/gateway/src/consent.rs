//! When servers have accepted callers, for the relays that read stored results.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use hyper::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName};

use crate::keeper::digest;
use crate::sessions::now;
use crate::upstream::Upstream;

/// The callers that are remembered, at least.
const CALLERS: usize = 10_000;

/// When servers have accepted callers, in seconds since 1970.
#[derive(Default)]
pub struct Consents(Mutex<[HashMap<String, u64>; 2]>);

impl Consents {
    /// The server has answered a caller.
    pub fn answered(&self, caller: &str, status: u16) {
        let mut accepted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match status {
            200..=299 => {
                if accepted[0].len() >= CALLERS {
                    accepted[1] = std::mem::take(&mut accepted[0]);
                }
                accepted[0].insert(caller.to_owned(), now());
            }
            401 | 403 => accepted.iter_mut().for_each(|some| _ = some.remove(caller)),
            _ => {}
        }
    }

    /// When the server last accepted a caller; 0 if that is not known.
    pub fn accepted_at(&self, caller: &str) -> u64 {
        let accepted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        accepted.iter().find_map(|some| some.get(caller)).copied().unwrap_or_default()
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
