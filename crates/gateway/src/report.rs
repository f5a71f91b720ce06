//! What is known of one request when it has ended: a line of JSON, the counters, and a span.

use std::fmt::Write;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hyper::Method;
use serde_json::json;
use toolshape::host::json_string::quote_into;
use toolshape::{Receipt, Step};
use toolshape_proxy::{Counted, CountedKind, MessageHead, Relay};

use crate::exchange::READ_TOOL;
use crate::log::Log;
use crate::metrics::{CountedCall, Metrics};
use crate::otlp::Tracer;
use crate::reply::Refusal;
use crate::share::TakenPlace;
use crate::trace::{Span, SpanIds, TraceContext};

/// The most characters of a name that a client chose.
const NAME: usize = 100;

/// Where requests are reported.
pub struct Reporting {
    pub metrics: Metrics,
    pub log: Log,
    pub tracer: Option<Tracer>,
}

/// A request. When it is dropped, it is written and counted.
pub struct Report {
    to: Arc<Reporting>,
    began: Instant,
    method: Method,
    upstream: Arc<str>,
    trace: Option<TraceContext>,
    span: Option<SpanIds>,
    pub rpc: Option<String>,
    pub session: Option<String>,
    tool: Option<String>,
    /// Under which name the call is counted; none where the server has not listed the tool.
    counted_tool: Option<String>,
    pub status: u16,
    /// Why its answer is none: of a tool's result that says so, or of an error of JSON-RPC.
    pub failure: Option<String>,
    /// How long the server was waited for.
    pub waited: Duration,
    shaped: u32,
    steps: Vec<Step>,
    /// Tokens without toolshape, and with it.
    results: (usize, usize),
    definitions: (usize, usize),
    notes: Vec<String>,
    counted: Vec<Counted>,
    /// None of a request that does not say whose it is.
    tenant: Option<Arc<str>>,
    place: Option<TakenPlace>,
}

impl Report {
    pub fn new(
        to: Arc<Reporting>,
        method: &Method,
        upstream: &Arc<str>,
        tenant: Option<Arc<str>>,
        traceparent: Option<&str>,
    ) -> Self {
        Self {
            to,
            began: Instant::now(),
            method: method.clone(),
            upstream: Arc::clone(upstream),
            trace: traceparent.and_then(TraceContext::read),
            span: None,
            rpc: None,
            session: None,
            tool: None,
            counted_tool: None,
            status: 499,
            failure: None,
            waited: Duration::ZERO,
            shaped: 0,
            steps: Vec::new(),
            results: (0, 0),
            definitions: (0, 0),
            notes: Vec::new(),
            counted: Vec::new(),
            tenant,
            place: None,
        }
    }

    /// Whose request it is.
    pub fn tenant(&self) -> Option<Arc<str>> {
        self.tenant.clone()
    }

    /// Counts as open until it is dropped.
    pub fn hold(&mut self, place: TakenPlace) {
        self.place = Some(place);
    }

    /// Its messages are here. The header is of the last hop, so it comes before what a message says.
    pub fn reads(&mut self, heads: &[MessageHead]) {
        self.rpc = heads.iter().find_map(|head| head.method.clone());
        self.tool = heads.iter().find_map(|head| head.tool.clone());
        if self.tool.is_some() {
            self.to.metrics.calls_began();
        }
        if self.trace.is_none() {
            self.trace = heads.iter().find_map(|head| TraceContext::read(head.traceparent.as_ref()?));
        }
        if self.to.tracer.is_some() && self.rpc.is_some() {
            self.span = SpanIds::begin(self.trace.as_ref());
        }
    }

    /// What its client names is shown as the server's texts are, and counted if the server has named it too.
    pub fn knows(&mut self, relay: &Relay) {
        self.counted_tool = self.tool.as_deref().and_then(|tool| match tool == relay.read_tool() {
            // Behind this is a name that a client may have chosen.
            true => Some(READ_TOOL.to_owned()),
            false => relay.lists(tool).then(|| relay.without_secrets(clipped(tool).to_owned())),
        });
        self.tool = self.tool.take().map(|tool| relay.without_secrets(tool));
        self.rpc = self.rpc.take().map(|method| relay.without_secrets(method));
    }

    /// The `traceparent` for the server, if the request has a span here.
    pub fn traceparent(&self) -> Option<String> {
        self.span.as_ref().map(SpanIds::traceparent)
    }

    /// Whether a tool is called.
    pub fn is_call(&self) -> bool {
        self.tool.is_some()
    }

    pub fn shaped(&mut self, receipt: &Receipt) {
        self.shaped += u32::from(!receipt.steps.is_empty());
        self.steps.extend(&receipt.steps);
    }

    /// What the model was sent, as in the ledger and in the counters.
    pub fn counted(&mut self, counted: Counted) {
        let (without, with) = match counted.kind {
            CountedKind::Definitions => &mut self.definitions,
            CountedKind::Result | CountedKind::Read => &mut self.results,
        };
        (*without, *with) = (*without + counted.without, *with + counted.with);
        self.counted.push(counted);
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

    fn line(&self, took: Duration) -> String {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        let took = took.as_micros() as f64 / 1000.0;
        // Most lines are shorter.
        let mut line = String::with_capacity(256);
        let _ = write!(line, r#"{{"at":{at},"method":"#);
        quote_into(clipped(self.method.as_str()), &mut line);
        line.push_str(r#","upstream":"#);
        quote_into(&self.upstream, &mut line);
        let _ = write!(line, r#","status":{},"ms":{took}"#, self.status);
        let trace = self.span.as_ref().map(SpanIds::trace).or(self.trace.as_ref().map(|trace| &*trace.trace));
        let named =
            [(r#","rpc":"#, self.rpc.as_deref()), (r#","tool":"#, self.tool.as_deref()), (r#","trace":"#, trace)];
        for (name, value) in named {
            if let Some(value) = value {
                line.push_str(name);
                quote_into(clipped(value), &mut line);
            }
        }
        let (before, after) = (self.results.0 + self.definitions.0, self.results.1 + self.definitions.1);
        if before + after > 0 {
            let shaped = self.shaped > 0;
            let _ = write!(line, r#","shaped":{shaped},"tokensBefore":{before},"tokensAfter":{after}"#);
        }
        if !self.notes.is_empty() {
            let _ = write!(line, r#","notes":{}"#, json!(self.notes));
        }
        line + "}"
    }
}

impl Report {
    fn span(&mut self, took: Duration) -> Option<Span> {
        let (ids, method) = (self.span.take()?, self.rpc.take()?);
        let mut attributes =
            vec![("http.response.status_code", json!(self.status)), ("toolshape.upstream", json!(&*self.upstream))];
        if let Some(session) = &self.session {
            attributes.push(("mcp.session.id", json!(session)));
        }
        let (before, after) = self.results;
        if before + after > 0 {
            attributes.push(("toolshape.shaped", json!(self.shaped > 0)));
            attributes.push(("toolshape.tokens.before", json!(before)));
            attributes.push(("toolshape.tokens.after", json!(after)));
        }
        let of_http = (self.status >= 400).then(|| self.status.to_string());
        let (tool, error) = (self.tool.take(), self.failure.take().or(of_http));
        Some(Span { ids, method, tool, attributes, error, began: SystemTime::now() - took, took })
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        let (to, took) = (Arc::clone(&self.to), self.began.elapsed());
        to.metrics.answered(&self.upstream, self.status);
        to.metrics.listed(&self.upstream, self.definitions);
        if self.is_call() {
            to.metrics.called(&CountedCall {
                upstream: &self.upstream,
                tool: self.counted_tool.as_deref(),
                took,
                waited: self.waited,
                is_error: self.failure.is_some(),
                is_shaped: self.shaped > 0,
                steps: &self.steps,
                tokens_before: self.results.0,
                tokens_after: self.results.1,
            });
        }
        to.log.write(&self.line(took), mem::take(&mut self.counted));
        if let (Some(tracer), Some(span)) = (&to.tracer, self.span(took))
            && !tracer.add(span)
        {
            to.metrics.spans_dropped(1);
        }
    }
}

fn clipped(name: &str) -> &str {
    name.char_indices().nth(NAME).map_or(name, |(end, _)| &name[..end])
}
