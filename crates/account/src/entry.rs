//! A line of the ledger.

use std::ops::Not;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use toolshape::host::utc;
use toolshape_proxy::{Counted, CountedKind};

/// The digits of a handle's digest: a handle itself opens a result.
const DIGITS: usize = 12;

/// The day of a time in seconds since 1970, as `2026-11-29`.
pub(crate) fn day_of(at: u64) -> String {
    utc(at).chars().take("2026-11-29".len()).collect()
}

/// What one model was sent once, or several were sent of one tool at about the same time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Seconds since 1970.
    pub at: u64,
    /// What shaped it: `relay`, `hook`, `run`, `gateway`.
    pub door: String,
    pub host: String,
    pub server: String,
    pub tool: String,
    pub kind: CountedKind,
    /// Tokens that the host would have shown without toolshape.
    pub without: u64,
    pub with: u64,
    /// Digests of the handles that a result names, or that a read opens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handles: Vec<String>,
    /// Whether nothing was changed.
    #[serde(default, rename = "observed", skip_serializing_if = "Not::not")]
    pub is_observed: bool,
    /// How often it was sent.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u64,
}

fn once() -> u64 {
    1
}

fn is_once(times: &u64) -> bool {
    *times == once()
}

impl Entry {
    #[must_use]
    pub fn new(at: u64, door: &str, counted: &Counted) -> Self {
        let [host, server, tool] = names(counted).map(str::to_owned);
        Self {
            at,
            door: door.to_owned(),
            host,
            server,
            tool,
            kind: counted.kind,
            without: counted.without as u64,
            with: counted.with as u64,
            handles: counted.handles.iter().map(|handle| digest(handle)).collect(),
            is_observed: counted.is_observed,
            times: 1,
        }
    }

    /// Adds what counts for the same tool. Nothing of a read, which counts for the tool whose result it opens.
    pub fn takes(&mut self, door: &str, counted: &Counted) -> bool {
        let is_same = (self.kind, self.is_observed) == (counted.kind, counted.is_observed)
            && self.door == door
            && [&self.host, &self.server, &self.tool] == names(counted);
        if !is_same || self.kind == CountedKind::Read {
            return false;
        }
        self.without += counted.without as u64;
        self.with += counted.with as u64;
        self.times += 1;
        self.handles.extend(counted.handles.iter().map(|handle| digest(handle)));
        true
    }

    /// The entry of a line; nothing for a line without an entry, such as one that was cut.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    /// The line, without its end.
    #[must_use]
    pub fn line(&self) -> String {
        json!(self).to_string()
    }
}

/// The names of the host, the server and the tool; empty ones where they are not known.
fn names(counted: &Counted) -> [&str; 3] {
    [&counted.client, &counted.server, &counted.tool].map(|name| name.as_deref().unwrap_or_default())
}

fn digest(handle: &str) -> String {
    let mut digits: String = Sha256::digest(handle).iter().map(|byte| format!("{byte:02x}")).collect();
    digits.truncate(DIGITS);
    digits
}
