//! OAuth: the gateway is the resource under its own address (RFC 9728), whatever the server's is.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, HeaderMap, HeaderValue, LOCATION, WWW_AUTHENTICATE,
};
use hyper::{Method, Request, Response, StatusCode, Uri};
use serde_json::Value;
use tokio::time::timeout;

use crate::gateway::Gateway;
use crate::reply::{self, Body, Refusal};
use crate::upstream::{Metadata, Remote, Upstream};
use crate::{forward, headers};

/// The folder of well-known addresses (RFC 8615).
pub const FOLDER: &str = "/.well-known/";
const RESOURCE: &str = "oauth-protected-resource";
/// A request that changes nothing.
const PING: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#;
/// The bytes of a document.
const MOST: usize = 1 << 20;

/// Replaces the server's address by the gateway's in a challenge and in a redirection.
pub fn rewrite(gateway: &Gateway, upstream: &Upstream, headers: &mut HeaderMap) {
    let Some(remote) = upstream.remote() else { return };
    let challenges: Vec<HeaderValue> = headers
        .get_all(WWW_AUTHENTICATE)
        .iter()
        .map(|challenge| challenged(gateway, upstream, remote, challenge).unwrap_or_else(|| challenge.clone()))
        .collect();
    headers.remove(WWW_AUTHENTICATE);
    for challenge in challenges {
        headers.append(WWW_AUTHENTICATE, challenge);
    }
    let location = headers.get(LOCATION).and_then(|location| location.to_str().ok());
    let moved = location.and_then(|location| {
        let path = location.strip_prefix(&remote.origin()).unwrap_or(location);
        let rest = path.strip_prefix(remote.path())?;
        matches!(rest, "" | "/").then(|| format!("{}{rest}", gateway.public(&upstream.name)))
    });
    if let Some(moved) = moved.and_then(|moved| HeaderValue::try_from(moved).ok()) {
        headers.insert(LOCATION, moved);
    }
}

/// A challenge that names the gateway's metadata in place of the server's.
fn challenged(gateway: &Gateway, upstream: &Upstream, remote: &Remote, challenge: &HeaderValue) -> Option<HeaderValue> {
    let text = challenge.to_str().ok()?;
    let name = text.to_ascii_lowercase().find("resource_metadata")?;
    let rest = text[name + "resource_metadata".len()..].trim_start().strip_prefix('=')?.trim_start();
    let quoted = rest.strip_prefix('"');
    let end = match quoted {
        Some(quoted) => quoted.find('"')?,
        None => rest.find([',', ' ']).unwrap_or(rest.len()),
    };
    let named = &quoted.unwrap_or(rest)[..end];
    let after = &quoted.map_or(&rest[end..], |quoted| &quoted[end + 1..]);
    if !named.starts_with(&format!("{}/", remote.origin())) {
        return None;
    }
    remote.know_metadata(named.parse().map_or(Metadata::Usual, Metadata::At));
    let own = gateway.metadata(&upstream.name);
    HeaderValue::try_from(format!("{}resource_metadata=\"{own}\"{after}", &text[..name])).ok()
}

/// Answers a request for a well-known document of a server: `/.well-known/<document>/<server>`.
pub async fn answer(gateway: &Gateway, path: &str, client: &HeaderMap) -> Response<Body> {
    let not_found = || Refusal::new(StatusCode::NOT_FOUND, "no such document").response(None);
    let Some((document, name)) = path.strip_prefix(FOLDER).and_then(|rest| rest.split_once('/')) else {
        return not_found();
    };
    let Some(upstream) = gateway.upstreams.get(name.trim_end_matches('/')) else { return not_found() };
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    if document.is_empty() || !document.chars().all(is_plain) {
        return not_found();
    }
    let Some(remote) = upstream.remote() else { return not_found() };
    let mut report = match gateway.admit(upstream, &Method::GET, client) {
        Ok(report) => report,
        Err(refusal) => return refusal.response(None),
    };
    let found = find(gateway, upstream, remote, document, client).await;
    report.status = found.status().as_u16();
    found
}

/// The document, from where the server may have it.
async fn find(
    gateway: &Gateway,
    upstream: &Upstream,
    remote: &Remote,
    document: &str,
    client: &HeaderMap,
) -> Response<Body> {
    let not_found = || Refusal::new(StatusCode::NOT_FOUND, "no such document").response(None);
    let mut last = not_found();
    if document == RESOURCE {
        ask(gateway, upstream, remote, client).await;
    }
    for address in addresses(remote, document) {
        let mut request = Request::new(Full::new(Bytes::new()));
        *request.method_mut() = Method::GET;
        *request.uri_mut() = address;
        let mut sent = headers::to_server(headers::forwarded(client.clone()), &HeaderMap::new());
        // Documents are for everybody.
        sent.remove(AUTHORIZATION);
        sent.remove(HOST);
        *request.headers_mut() = sent;
        last = match forward::reach(gateway, request).await {
            Err(refusal) => return refusal.response(None),
            Ok(found) if found.status().is_success() => {
                let (head, body) = found.into_parts();
                let Ok(Some(body)) = timeout(gateway.limits.first_byte, whole(body)).await else {
                    return Refusal::new(StatusCode::BAD_GATEWAY, "the server's document cannot be read")
                        .response(None);
                };
                let text = owned(gateway, upstream, document, &body);
                let mut response = Response::new(reply::whole(text));
                *response.headers_mut() = headers::forwarded(head.headers);
                return response;
            }
            Ok(_) => not_found(),
        };
    }
    last
}

/// Asks the server where its metadata is, as a client without a token does, unless it has said it: all replicas answer alike.
async fn ask(gateway: &Gateway, upstream: &Upstream, remote: &Remote, client: &HeaderMap) {
    if !matches!(remote.metadata(), Metadata::Unknown) {
        return;
    }
    let mut headers = client.clone();
    for name in [AUTHORIZATION, COOKIE] {
        headers.remove(name);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    let (uri, body) = (Uri::default(), Bytes::from_static(PING));
    if let Ok(mut answered) = forward::send(gateway, remote, &Method::POST, &uri, headers, body).await {
        remote.know_metadata(Metadata::Usual);
        rewrite(gateway, upstream, answered.headers_mut());
    }
}

/// A body; `None` if it is too long, or breaks off.
async fn whole(mut body: Body) -> Option<Bytes> {
    let mut read = Vec::new();
    while let Some(part) = body.frame().await {
        read.extend_from_slice(part.ok()?.data_ref().map_or(&[], |data| data));
        if read.len() > MOST {
            return None;
        }
    }
    Some(read.into())
}

/// Where the server may have a document: where it said, at its path, at its root.
fn addresses(remote: &Remote, document: &str) -> Vec<Uri> {
    let named = if let Metadata::At(place) = remote.metadata() { Some(place) } else { None };
    let named = named.filter(|_| document == RESOURCE);
    let root = format!("{}{FOLDER}{document}", remote.origin());
    let path = remote.path().trim_end_matches('/');
    let usual = [format!("{root}{path}"), root].into_iter().filter_map(|address| address.parse().ok());
    let mut addresses: Vec<Uri> = named.into_iter().chain(usual).collect();
    addresses.dedup();
    addresses
}

/// A document in which the gateway is the resource.
fn owned(gateway: &Gateway, upstream: &Upstream, document: &str, text: &Bytes) -> Bytes {
    let Some(mut read) = serde_json::from_slice::<Value>(text).ok().filter(|_| document == RESOURCE) else {
        return text.clone();
    };
    if let Value::Object(members) = &mut read {
        members.insert("resource".to_owned(), gateway.public(&upstream.name).into());
    }
    read.to_string().into()
}
