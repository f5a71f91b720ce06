//! What is at each path of a gateway.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{HOST, HeaderMap};
use hyper::{Method, Request, Response, StatusCode, Uri};

use super::Gateway;
use crate::reply::{self, Body, Refusal};
use crate::{headers, well_known};

impl Gateway {
    pub(crate) async fn route(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        match &*path {
            "/healthz" | "/readyz" if !self.is_ready() => {
                reply::text(StatusCode::SERVICE_UNAVAILABLE, "text/plain", "draining\n")
            }
            "/healthz" | "/readyz" => reply::text(StatusCode::OK, "text/plain", "ok\n"),
            "/metrics" => {
                let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
                let open = self.limits.concurrent - self.open.available_permits();
                let processes = self.limits.processes - self.room.available_permits();
                reply::text(StatusCode::OK, kind, self.metrics.text(open, processes))
            }
            path if path.starts_with(well_known::FOLDER) => match *request.method() {
                Method::GET => well_known::answer(&self, path, request.headers()).await,
                _ => Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "a document is read with GET").response(None),
            },
            path => {
                let name = path.strip_prefix('/').unwrap_or_default();
                let found = self.upstreams.get(name.strip_suffix('/').unwrap_or(name));
                match found.map(Arc::clone) {
                    Some(_) if self.is_rebound(request.headers()) => {
                        let reason = "the Host header is not of this address: publicUrl has the name that clients use";
                        Refusal::new(StatusCode::FORBIDDEN, reason).response(None)
                    }
                    Some(upstream) => self.exchange(upstream, request).await,
                    None => Refusal::new(StatusCode::NOT_FOUND, "no server has this path").response(None),
                }
            }
        }
    }

    /// Whether a browser was led here by the name of another site (DNS rebinding): only a port of this machine is open to that.
    fn is_rebound(&self, headers: &HeaderMap) -> bool {
        let of =
            |address: &str| address.parse().ok().and_then(|address: Uri| address.host().map(str::to_ascii_lowercase));
        let host = headers::text(headers, HOST.as_str()).and_then(of);
        let public = self.public_url.as_deref().and_then(of);
        let is_own =
            |host: &String| ["localhost", "127.0.0.1", "[::1]"].contains(&&**host) || public.as_ref() == Some(host);
        self.listen.ip().is_loopback() && !host.as_ref().is_some_and(is_own)
    }
}
