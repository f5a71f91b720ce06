//! What is known of one request when it has ended: a line of JSON, and the counters.

use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use toolshape::{Receipt, Step};

use crate::log::Log;
use crate::metrics::{CountedCall, Metrics};
use crate::reply::Refusal;
use crate::share::TakenPlace;

/// The most characters of a name that a client chose.
const NAME: usize = 100;

/// A request. When it is dropped, it is written and counted.
pub struct Report {
    metrics: Arc<Metrics>,
    log: Arc<Log>,
    began: Instant,
    method: String,
    upstream: String,
    trace: Option<String>,
    pub rpc: Option<String>,
    pub tool: Option<String>,
    pub status: u16,
    shaped: u32,
    steps: Vec<Step>,
    tokens_before: usize,
    tokens_after: usize,
    notes: Vec<String>,
    tenant: Arc<str>,
    place: Option<TakenPlace>,
}

impl Report {
    pub fn new(
        counted: (Arc<Metrics>, Arc<Log>),
        method: &str,
        upstream: &str,
        tenant: Arc<str>,
        traceparent: Option<&str>,
    ) -> Self {
        let (metrics, log) = counted;
        Self {
            metrics,
            log,
            began: Instant::now(),
            method: method.to_owned(),
            upstream: upstream.to_owned(),
            trace: traceparent.and_then(trace),
            rpc: None,
            tool: None,
            status: 499,
            shaped: 0,
            steps: Vec::new(),
            tokens_before: 0,
            tokens_after: 0,
            notes: Vec::new(),
            tenant,
            place: None,
        }
    }

    /// Counts as open until it is dropped.
    pub fn hold(&mut self, place: TakenPlace) {
        self.place = Some(place);
    }

    pub fn shaped(&mut self, receipt: &Receipt) {
        self.shaped += u32::from(!receipt.steps.is_empty());
        self.steps.extend(&receipt.steps);
        self.tokens_before += receipt.tokens_before;
        self.tokens_after += receipt.tokens_after;
    }

    pub fn note(&mut self, note: String) {
        if self.notes.len() < 10 {
            self.notes.push(note);
        }
    }

    /// It is not answered.
    pub fn refused(&mut self, refusal: &Refusal) {
        self.status = refusal.status.as_u16();
        self.note(refusal.reason.clone());
    }

    fn line(&self) -> Map<String, Value> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        let took = self.began.elapsed().as_micros() as f64 / 1000.0;
        let mut line = Map::new();
        let mut add = |name: &str, value: Value| _ = line.insert(name.to_owned(), value);
        add("at", at.into());
        add("method", json!(clipped(&self.method)));
        add("upstream", json!(self.upstream));
        add("status", self.status.into());
        add("ms", json!(took));
        for (name, value) in [("rpc", &self.rpc), ("tool", &self.tool), ("trace", &self.trace)] {
            if let Some(value) = value {
                add(name, json!(clipped(value)));
            }
        }
        if self.tokens_before > 0 {
            add("shaped", (self.shaped > 0).into());
            add("tokensBefore", self.tokens_before.into());
            add("tokensAfter", self.tokens_after.into());
        }
        if !self.notes.is_empty() {
            add("notes", json!(self.notes));
        }
        line
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        self.metrics.answered(&self.upstream, self.status);
        if let Some(tool) = &self.tool {
            self.metrics.called(&CountedCall {
                upstream: &self.upstream,
                tenant: &self.tenant,
                tool: clipped(tool),
                took: self.began.elapsed(),
                is_shaped: self.shaped > 0,
                steps: &self.steps,
                tokens_before: self.tokens_before,
                tokens_after: self.tokens_after,
            });
        }
        self.log.write(self.line());
    }
}

/// The trace's id in a `traceparent` (W3C Trace Context, section 3.2).
fn trace(parent: &str) -> Option<String> {
    let mut parts = parent.split('-');
    let (version, id) = (parts.next()?, parts.next()?);
    let is_hex = |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hex(version, 2) && is_hex(id, 32)).then(|| id.to_owned())
}

fn clipped(name: &str) -> &str {
    name.char_indices().nth(NAME).map_or(name, |(end, _)| &name[..end])
}

#[cfg(test)]
mod tests {
    use super::trace;

    #[test]
    fn a_trace_has_32_digits() {
        let id = "4bf92f3577b34da6a3ce929d0e0e4736";
        assert_eq!(trace(&format!("00-{id}-00f067aa0ba902b7-01")).as_deref(), Some(id));
        for wrong in ["", "00", id, "00-\"}-x-01", "0-4bf92f3577b34da6a3ce929d0e0e4736-1-01"] {
            assert_eq!(trace(wrong), None, "{wrong}");
        }
    }
}
