//! The place of a request in a trace (W3C Trace Context), and its span, by OpenTelemetry's conventions for MCP and for generative AI.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// Server, in `SpanKind` of OTLP.
const SERVER: u8 = 2;
/// Error, in `StatusCode` of OTLP.
const ERROR: u8 = 2;

/// What a `traceparent` says (W3C Trace Context, section 3.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// 32 hex digits.
    pub trace: String,
    /// 16 hex digits: the span that the request is in.
    pub parent: String,
    pub is_sampled: bool,
}

impl TraceContext {
    pub fn read(traceparent: &str) -> Option<Self> {
        let mut parts = traceparent.split('-');
        let mut next = |length: usize| parts.next().filter(|part| part.len() == length && is_hex(part));
        let (version, trace, parent, flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
        let is_known = version != "ff" && (version != "00" || parts.next().is_none());
        let is_named = [trace, parent].iter().all(|id| id.bytes().any(|digit| digit != b'0'));
        let is_sampled = u8::from_str_radix(flags, 16).is_ok_and(|flags| flags & 1 == 1);
        (is_known && is_named).then(|| Self { trace: trace.to_owned(), parent: parent.to_owned(), is_sampled })
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The ids of a span that is open.
#[derive(Clone, Debug)]
pub struct SpanIds {
    trace: String,
    own: String,
    parent: Option<String>,
}

impl SpanIds {
    /// A span in this context, or one that begins a trace; `None` if whoever began the trace does not record it.
    pub fn begin(context: Option<&TraceContext>) -> Option<Self> {
        let own = random(8);
        Some(match context {
            Some(context) if !context.is_sampled => return None,
            Some(context) => Self { trace: context.trace.clone(), own, parent: Some(context.parent.clone()) },
            None => Self { trace: random(16), own, parent: None },
        })
    }

    /// The `traceparent` of requests that the span makes.
    pub fn traceparent(&self) -> String {
        format!("00-{}-{}-01", self.trace, self.own)
    }

    pub fn trace(&self) -> &str {
        &self.trace
    }
}

/// Hex digits of this number of random bytes. Without random numbers an id may come twice.
fn random(bytes: usize) -> String {
    let mut id = [0; 16];
    let _ = getrandom::fill(&mut id[..bytes]);
    id[0] |= 1;
    id[..bytes].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A span that has ended.
pub struct Span {
    pub ids: SpanIds,
    pub method: String,
    pub tool: Option<String>,
    pub attributes: Vec<(&'static str, Value)>,
    /// The `error.type`.
    pub error: Option<String>,
    pub began: SystemTime,
    pub took: Duration,
}

impl Span {
    /// As JSON of OTLP: 64-bit integers are texts there.
    pub fn to_json(&self) -> Value {
        let Self { ids, method, tool, error, began, took, .. } = self;
        let start = began.duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut attributes = vec![attribute("mcp.method.name", &json!(method))];
        if let Some(tool) = tool {
            attributes.push(attribute("gen_ai.operation.name", &json!("execute_tool")));
            attributes.push(attribute("gen_ai.tool.name", &json!(tool)));
        }
        attributes.extend(self.attributes.iter().map(|(name, value)| attribute(name, value)));
        attributes.extend(error.iter().map(|kind| attribute("error.type", &json!(kind))));
        let mut span = json!({
            "traceId": ids.trace, "spanId": ids.own, "kind": SERVER, "attributes": attributes,
            "name": tool.as_ref().map_or(method.clone(), |tool| format!("{method} {tool}")),
            "startTimeUnixNano": start.as_nanos().to_string(), "endTimeUnixNano": (start + *took).as_nanos().to_string(),
            "status": if error.is_some() { json!({ "code": ERROR }) } else { json!({}) },
        });
        if let Some(parent) = &ids.parent {
            span["parentSpanId"] = json!(parent);
        }
        span
    }
}

/// A `KeyValue` of OTLP.
pub fn attribute(name: &str, value: &Value) -> Value {
    let value = match value {
        Value::Bool(flag) => json!({ "boolValue": flag }),
        Value::Number(number) => json!({ "intValue": number.to_string() }),
        other => json!({ "stringValue": other }),
    };
    json!({ "key": name, "value": value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_is_read_as_w3c_writes_it() {
        let (trace, parent) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        let read = |flags: &str, version: &str| TraceContext::read(&format!("{version}-{trace}-{parent}-{flags}"));
        let context = read("01", "00").unwrap();
        assert_eq!((&*context.trace, &*context.parent, context.is_sampled), (trace, parent, true));
        // Later versions may have more parts, and other flags.
        assert!(!read("00", "00").unwrap().is_sampled && read("03-more", "cc").unwrap().is_sampled);
        for wrong in ["", "00", trace, "00-\"}-x-01", &format!("00-{trace}"), &format!("ff-{trace}-{parent}-01")] {
            assert_eq!(TraceContext::read(wrong), None, "{wrong}");
        }
        let (no_trace, no_parent) = ("0".repeat(32), "0".repeat(16));
        for wrong in [format!("00-{no_trace}-{parent}-01"), format!("00-{trace}-{no_parent}-01")] {
            assert_eq!(TraceContext::read(&wrong), None, "{wrong}");
        }
        assert_eq!(TraceContext::read(&format!("00-{trace}-{parent}-01-more")), None);
        assert_eq!(TraceContext::read(&format!("00-{}-{parent}-01", trace.to_uppercase())), None);
    }
}
