//! A line of the ledger.

use serde_json::{Value, json};
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    pub handles: Vec<String>,
    /// Whether nothing was changed.
    pub is_observed: bool,
    /// How often it was sent.
    pub times: u64,
}

const KINDS: [(CountedKind, &str); 3] =
    [(CountedKind::Definitions, "definitions"), (CountedKind::Result, "result"), (CountedKind::Read, "read")];

impl Entry {
    #[must_use]
    pub fn new(at: u64, door: &str, counted: &Counted) -> Self {
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        Self {
            at,
            door: door.to_owned(),
            host: name(&counted.client),
            server: name(&counted.server),
            tool: name(&counted.tool),
            kind: counted.kind,
            without: counted.without as u64,
            with: counted.with as u64,
            handles: counted.handles.iter().map(|handle| digest(handle)).collect(),
            is_observed: counted.is_observed,
            times: 1,
        }
    }

    /// Adds the tokens of an entry that counts for the same tool. Nothing of a read, which counts for the tool whose result it
    /// opens.
    pub fn takes(&mut self, other: &Self) -> bool {
        let is_same = (self.kind, self.is_observed) == (other.kind, other.is_observed)
            && (&self.door, &self.host, &self.server, &self.tool)
                == (&other.door, &other.host, &other.server, &other.tool);
        if !is_same || self.kind == CountedKind::Read {
            return false;
        }
        self.without += other.without;
        self.with += other.with;
        self.times += other.times;
        self.handles.extend(other.handles.iter().cloned());
        true
    }

    /// The entry of a line; nothing for a line without an entry, such as one that was cut.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let read: Value = serde_json::from_str(line).ok()?;
        let text = |name: &str| read[name].as_str().unwrap_or_default().to_owned();
        let handles = read["handles"].as_array().into_iter().flatten();
        Some(Self {
            at: read["at"].as_u64()?,
            door: text("door"),
            host: text("host"),
            server: text("server"),
            tool: text("tool"),
            kind: KINDS.iter().find(|(_, name)| read["kind"] == *name)?.0,
            without: read["without"].as_u64()?,
            with: read["with"].as_u64()?,
            handles: handles.filter_map(|handle| handle.as_str().map(str::to_owned)).collect(),
            is_observed: read["observed"] == true,
            times: read["times"].as_u64().unwrap_or(1),
        })
    }

    /// The line, without its end.
    #[must_use]
    pub fn line(&self) -> String {
        let kind = KINDS.iter().find(|(kind, _)| *kind == self.kind).map_or("", |(_, name)| name);
        let mut line = json!({
            "at": self.at, "door": self.door, "host": self.host, "server": self.server, "tool": self.tool, "kind": kind,
            "without": self.without, "with": self.with,
        });
        if !self.handles.is_empty() {
            line["handles"] = json!(self.handles);
        }
        if self.is_observed {
            line["observed"] = json!(true);
        }
        if self.times > 1 {
            line["times"] = json!(self.times);
        }
        line.to_string()
    }
}

fn digest(handle: &str) -> String {
    let mut digits: String = Sha256::digest(handle).iter().map(|byte| format!("{byte:02x}")).collect();
    digits.truncate(DIGITS);
    digits
}
