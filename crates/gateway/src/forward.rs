//! A request on its way to the server.

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{ORIGIN, PROXY_AUTHORIZATION};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use tokio::time::timeout;

use crate::gateway::Gateway;
use crate::headers;
use crate::pool::Unanswered;
use crate::reply::{Body, Refusal};
use crate::upstream::Remote;

/// Sends a request to the server, and returns its answer when the head of it is here.
///
/// # Errors
/// A server that cannot be reached, or does not answer in time.
pub async fn send(
    gateway: &Gateway,
    remote: &Remote,
    method: &Method,
    uri: &Uri,
    client: HeaderMap,
    body: Bytes,
) -> Result<Response<Body>, Refusal> {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = method.clone();
    *request.uri_mut() = address(remote, uri);
    let is_same_origin = headers::is_same_origin(&client);
    let mut sent = headers::to_server(client, &remote.headers);
    if is_same_origin && let Ok(origin) = remote.origin().parse() {
        sent.insert(ORIGIN, origin);
    }
    *request.headers_mut() = sent;
    reach(gateway, request).await
}

/// Sends a request as it is.
///
/// # Errors
/// As [`send`].
pub async fn reach(gateway: &Gateway, mut request: Request<Full<Bytes>>) -> Result<Response<Body>, Refusal> {
    if let Some(authorization) = gateway.connector.authorization(request.uri()) {
        request.headers_mut().insert(PROXY_AUTHORIZATION, authorization);
    }
    match timeout(gateway.limits.first_byte, gateway.pool.request(request)).await {
        Ok(Ok(response)) if response.status().is_informational() => {
            Err(Refusal::new(StatusCode::BAD_GATEWAY, "the server speaks another protocol"))
        }
        Ok(Ok(response)) => Ok(response.map(|body| body.map_err(Into::into).boxed_unsync())),
        // The reason may name the server's address.
        Ok(Err(Unanswered::Unreached)) => Err(Refusal::new(StatusCode::BAD_GATEWAY, "cannot connect to the server")),
        Ok(Err(Unanswered::Closed)) => {
            Err(Refusal::new(StatusCode::BAD_GATEWAY, "the server closed the connection without an answer"))
        }
        Err(_) => Err(Refusal::late(gateway.limits.first_byte)),
    }
}

/// The server's address, with the query of the request.
fn address(remote: &Remote, uri: &Uri) -> Uri {
    let own = &remote.url;
    let Some(query) = uri.query() else { return own.clone() };
    let (path, separator) =
        (own.path_and_query().map_or("/", |path| path.as_str()), if own.query().is_some() { '&' } else { '?' });
    let mut parts = own.clone().into_parts();
    parts.path_and_query = format!("{path}{separator}{query}").parse().ok();
    Uri::from_parts(parts).unwrap_or_else(|_| own.clone())
}
