//! The headers of a message on its way through: those of one connection stay behind (RFC 9110, section 7.6.1).

use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};

/// The headers that are for one connection.
const OF_CONNECTION: [HeaderName; 8] = [
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::CONTENT_LENGTH,
];
/// The session of a request; its place in a trace (W3C Trace Context); its revision of MCP; the event that a client has seen last.
pub static SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub static TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
pub static REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub static LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
/// The headers with the method of a message, and with what it names (2026-07-28).
pub const METHOD: &str = "mcp-method";
pub const NAME: &str = "mcp-name";
/// The same, without a constant.
const OF_CONNECTION_TOO: [&str; 3] = ["keep-alive", "proxy-connection", "http2-settings"];

/// Without the headers of the connection, and those that it names.
pub fn forwarded(mut headers: HeaderMap) -> HeaderMap {
    let named: Vec<HeaderValue> = headers.get_all(header::CONNECTION).iter().cloned().collect();
    for named in named {
        for name in named.to_str().unwrap_or_default().split(',') {
            headers.remove(name.trim());
        }
    }
    // To look at the few that are there is less than to look for each.
    let is_of_connection =
        |name: &HeaderName| OF_CONNECTION.contains(name) || OF_CONNECTION_TOO.contains(&name.as_str());
    let there: Vec<HeaderName> = headers.keys().filter(|name| is_of_connection(name)).cloned().collect();
    for name in there {
        headers.remove(name);
    }
    headers
}

/// Forwarded headers for the server; `own` replace those of the client.
pub fn to_server(mut headers: HeaderMap, own: &HeaderMap) -> HeaderMap {
    for name in [header::HOST, header::EXPECT] {
        headers.remove(name);
    }
    // A result that is compressed cannot be read.
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    for (name, value) in own {
        headers.insert(name, value.clone());
    }
    headers
}

/// Changes the headers about a message (2026-07-28) to those of one with this method, which names nothing.
pub fn of_method(headers: &mut HeaderMap, method: &str) {
    let named: Vec<HeaderName> = headers.keys().filter(|name| is_of_call(name)).cloned().collect();
    for name in named {
        headers.remove(name);
    }
    if let (Some(known), Ok(method)) = (headers.get_mut(METHOD), method.parse()) {
        *known = method;
    }
}

/// Whether a header says what a message names.
fn is_of_call(name: &HeaderName) -> bool {
    name == NAME || name.as_str().starts_with("mcp-param-")
}

/// Whether a page of the address that is asked sent the request: it is of the server's own origin then.
pub fn is_same_origin(headers: &HeaderMap) -> bool {
    let origin = text(headers, &header::ORIGIN).and_then(|origin| origin.split_once("://"));
    origin.is_some_and(|(_, authority)| text(headers, &header::HOST) == Some(authority))
}

/// The kind of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Json,
    Events,
    Other,
}

/// The kind of a body by its headers. Of several types clients take the one that they know.
pub fn content(headers: &HeaderMap) -> Content {
    let values = headers.get_all(header::CONTENT_TYPE).iter().filter_map(|value| value.to_str().ok());
    let kinds = values.flat_map(|value| value.split(',')).filter_map(|one| one.split(';').next());
    let known = |kind: &str| match &*kind.trim().to_ascii_lowercase() {
        "text/event-stream" => Some(Content::Events),
        "application/json" => Some(Content::Json),
        _ => None,
    };
    kinds.filter_map(known).next().unwrap_or(Content::Other)
}

/// Whether a body is compressed.
pub fn is_encoded(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_ENCODING).iter();
    values.any(|value| !value.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// A header's text.
pub fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_connection_stay_behind() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("keep-alive", "timeout=5"),
            ("transfer-encoding", "chunked"),
            ("content-length", "3"),
            ("host", "gateway"),
            ("accept-encoding", "gzip"),
            ("authorization", "Bearer client"),
            ("mcp-session-id", "s"),
            ("x-own", "client"),
        ] {
            headers.append(
                HeaderName::from_static(Box::leak(name.to_ascii_lowercase().into_boxed_str())),
                value.parse().unwrap(),
            );
        }
        let mut own = HeaderMap::new();
        own.insert("x-own", "gateway".parse().unwrap());
        let sent = to_server(forwarded(headers), &own);
        let mut sent: Vec<(&str, &str)> =
            sent.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        sent.sort_unstable();
        let wanted = [
            ("accept-encoding", "identity"),
            ("authorization", "Bearer client"),
            ("mcp-session-id", "s"),
            ("x-own", "gateway"),
        ];
        assert_eq!(sent, wanted);
    }

    #[test]
    fn a_kind_is_read_without_its_parameters() {
        let kind = |value: &str| content(&HeaderMap::from_iter([(header::CONTENT_TYPE, value.parse().unwrap())]));
        assert_eq!(kind("application/JSON; charset=utf-8"), Content::Json);
        assert_eq!(kind("text/event-stream;charset=UTF-8"), Content::Events);
        for other in ["text/html", "application/json-seq", ""] {
            assert_eq!(kind(other), Content::Other, "{other}");
        }
    }
}
