//! What is at each path of a gateway.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::HeaderMap;
use hyper::{Method, Request, Response, StatusCode};

use super::Gateway;
use crate::browser::OwnAddress;
use crate::reply::{self, Body, Refusal};
use crate::{tenant, well_known};

/// Where a tenant's results are deleted.
pub(crate) const RESULTS: &str = "/results";

impl Gateway {
    pub(crate) async fn route(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let target = request.uri().authority().map(|authority| authority.as_str());
        let name = path.strip_prefix('/').unwrap_or_default();
        let found = self.upstreams.get(name.strip_suffix('/').unwrap_or(name)).map(Arc::clone);
        let is_command = found.as_ref().is_some_and(|upstream| upstream.command().is_some());
        if path != "/healthz"
            && let Err(refusal) = self.own_address().check_host(request.headers(), target, is_command)
        {
            return refusal.response(None);
        }
        match &*path {
            "/healthz" | "/readyz" if !self.is_ready() => {
                reply::text(StatusCode::SERVICE_UNAVAILABLE, "text/plain", "draining\n")
            }
            "/healthz" | "/readyz" => reply::text(StatusCode::OK, "text/plain", "ok\n"),
            "/metrics" => {
                let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
                reply::text(StatusCode::OK, kind, self.metrics())
            }
            RESULTS => match *request.method() {
                Method::DELETE => self.delete_results(request.headers()).await,
                _ => Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "results are deleted with DELETE").response(None),
            },
            path if path.starts_with(well_known::FOLDER) => match *request.method() {
                Method::GET => Box::pin(well_known::answer(&self, path, request.headers())).await,
                _ => Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "a document is read with GET").response(None),
            },
            _ => match found {
                Some(upstream) => self.exchange(upstream, request).await,
                None => Refusal::new(StatusCode::NOT_FOUND, "no server has this path").response(None),
            },
        }
    }

    /// Deletes what the store has of the tenant that the request names.
    async fn delete_results(&self, headers: &HeaderMap) -> Response<Body> {
        let checked = self.own_address().check_page(&Method::DELETE, headers);
        let named = checked.and_then(|()| tenant::check(&self.tenant, headers));
        let named = named.map(|()| tenant::tenant(&self.tenant, headers));
        let keeper = match named {
            Ok(Some(tenant)) => self.keeper.for_tenant(Some(tenant), "", ["", ""]),
            Ok(None) => return Refusal::new(StatusCode::BAD_REQUEST, "the request names no tenant").response(None),
            Err(refusal) => return refusal.response(None),
        };
        match keeper.delete_all().await {
            Ok(count) => reply::text(StatusCode::OK, "application/json", format!("{{\"deleted\":{count}}}\n")),
            Err(reason) => Refusal::new(StatusCode::SERVICE_UNAVAILABLE, reason).response(None),
        }
    }

    pub(crate) fn own_address(&self) -> OwnAddress<'_> {
        OwnAddress { listen: self.listen, public: self.public_url.as_deref() }
    }
}
