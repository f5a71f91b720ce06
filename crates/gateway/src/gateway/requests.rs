//! The way of a request: admitted, read, sent to its server, answered.

use std::sync::Arc;
use std::time::Instant;

use http_body_util::{BodyExt, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::HeaderMap;
use hyper::{Method, Request, Response, StatusCode};
use tokio::time::timeout;
use toolshape_proxy::{MessageHead, heads};

use super::Gateway;
use crate::answer::{self, ExchangeKind};
use crate::command::CommandRequest;
use crate::consent;
use crate::exchange::{Exchange, Sent};
use crate::reply::{Body, Refusal};
use crate::report::Report;
use crate::tenant::{self, owner, tenant};
use crate::upstream::{Place, Upstream};
use crate::{forward, headers, resume};

/// An exchange whose request is here.
pub(crate) struct Begun {
    pub exchange: Box<Exchange>,
    pub kind: ExchangeKind,
    /// The id of its first request.
    pub id: Option<String>,
    /// The answers to requests that the server does not get.
    pub own: Vec<String>,
    /// What the server gets, unless everything is answered.
    pub to_server: Option<Bytes>,
    /// The method of what the server gets, if that is not the client's: it is asked for its consent.
    pub question: Option<String>,
}

impl Gateway {
    pub(super) async fn exchange(
        self: Arc<Self>,
        upstream: Arc<Upstream>,
        request: Request<Incoming>,
    ) -> Response<Body> {
        let (mut head, body) = request.into_parts();
        // Nothing counts that the server does not get, such as credentials.
        head.headers = headers::forwarded(head.headers);
        let refused = |mut report: Report, refusal: Refusal, id: Option<&str>| {
            report.refused(&refusal);
            refusal.response(id)
        };
        let report = match self.admit(&upstream, &head.method, &head.headers) {
            Ok(report) => report,
            Err(refusal) => return refusal.response(None),
        };
        if let (ExchangeKind::Stream, Some(errors)) = (ExchangeKind::of(&head.method), resume::lost(&head.headers)) {
            return answer::events(report, &errors);
        }
        let body = match self.body(body).await {
            Ok(body) => body,
            Err(refusal) => return refused(report, refusal, None),
        };
        let begun = self.begin(&upstream, &head.method, &head.headers, body, report).await;
        let Begun { mut exchange, kind, id, own, to_server, question } = begun;
        let Some(body) = to_server else { return answer::own(exchange, own) };
        let mut headers = head.headers;
        if let Some(method) = &question {
            headers::of_method(&mut headers, method);
        }
        if let Some(parent) = exchange.report.traceparent().and_then(|parent| parent.parse().ok()) {
            headers.insert(&headers::TRACEPARENT, parent);
        }
        let asked = Instant::now();
        let sent = match &upstream.place {
            Place::Remote(remote) => forward::send(&self, remote, &head.method, &head.uri, headers, body).await,
            Place::Command(command) => {
                let tenant = exchange.report.tenant().unwrap_or_default();
                let session = headers::text(&headers, &headers::SESSION);
                command.send(CommandRequest { method: &head.method, tenant: &tenant, session, body }).await
            }
        };
        exchange.report.waited += asked.elapsed();
        match sent {
            Ok(answered) => match answer::answer(exchange, kind, answered, own).await {
                Ok(response) => response,
                Err((refusal, exchange)) => refused(exchange.report, refusal, id.as_deref()),
            },
            Err(refusal) => refused(exchange.report, refusal, id.as_deref()),
        }
    }

    /// The report of a request.
    ///
    /// # Errors
    /// It is of another site or names its caller in an unclear way, or there are too many. That is reported.
    pub(crate) fn admit(&self, upstream: &Upstream, method: &Method, headers: &HeaderMap) -> Result<Report, Refusal> {
        let trace = headers::text(headers, &headers::TRACEPARENT);
        let tenant = tenant(&self.tenant, headers);
        let mut report = Report::new(Arc::clone(&self.reporting), method, &upstream.name, tenant.clone(), trace);
        let checked = match upstream.command() {
            Some(_) => self.own_address().check_page(method, headers),
            None => Ok(()),
        };
        let admitted = checked.and_then(|()| tenant::check(&self.tenant, headers)).and_then(|()| {
            let reason = "too many requests at the same time (maxConcurrent), or too many of one tenant";
            self.open
                .take(&tenant.unwrap_or_default())
                .ok_or_else(|| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, reason))
        });
        match admitted {
            Ok(place) => {
                report.hold(place);
                Ok(report)
            }
            Err(refusal) => {
                report.refused(&refusal);
                Err(refusal)
            }
        }
    }

    /// The whole body of a request.
    pub(crate) async fn body(&self, body: Incoming) -> Result<Bytes, Refusal> {
        let most = self.limits.request_bytes;
        if body.size_hint().lower() > most as u64 {
            return Err(Refusal::too_long(most));
        }
        let (limit, read) = (self.limits.request, Limited::new(body, most).collect());
        match timeout(limit, read).await {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(Refusal::too_long(most)),
            Ok(Err(_)) => Err(Refusal::new(StatusCode::BAD_REQUEST, "the request broke off")),
            Err(_) => {
                let reason = format!("the request did not arrive within {} seconds (requestSeconds)", limit.as_secs());
                Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, reason))
            }
        }
    }

    /// Begins the exchange of a request that is here.
    pub(crate) async fn begin(
        self: &Arc<Self>,
        upstream: &Arc<Upstream>,
        method: &Method,
        headers: &HeaderMap,
        body: Bytes,
        mut report: Report,
    ) -> Begun {
        let kind = ExchangeKind::of(method);
        let heads = if kind == ExchangeKind::Messages { heads(&body) } else { Vec::new() };
        report.reads(&heads);
        let id = heads.iter().find_map(|head| head.id.clone());
        let session = headers::text(headers, &headers::SESSION).map(str::to_owned);
        report.session.clone_from(&session);
        let [kind_of_owner, named] = owner(self.scope, headers, session.as_deref());
        let keeper = self.keeper.for_tenant(report.tenant(), &upstream.name, [&kind_of_owner, &named]);
        let caller = upstream.remote().map(|_| consent::caller(upstream, keeper.tenant(), headers));
        let tools: Vec<&str> = match heads.iter().all(|head| head.tool.is_some()) {
            true => heads.iter().filter_map(|head| head.tool.as_deref()).collect(),
            false => Vec::new(),
        };
        let wants = heads.iter().any(is_about_tools).then_some(&*tools);
        let (gateway, server) = (Arc::clone(self), Arc::clone(upstream));
        let mut exchange = Exchange::begin(gateway, server, keeper, session, caller, wants, report).await;
        exchange.expects_id = resume::expects_id(headers);
        if kind != ExchangeKind::Messages {
            return Begun { exchange, kind, id, own: Vec::new(), to_server: Some(body), question: None };
        }
        let (mut own, mut to_server) = (Vec::new(), Vec::new());
        for one in exchange.of_client(&body, &heads).await {
            match one {
                Sent::Same => to_server.push(body.clone()),
                Sent::ToServer(line) => to_server.push(line.into()),
                Sent::ToClient(line) => own.push(line),
            }
        }
        let to_server = (!to_server.is_empty()).then(|| answer::one(to_server));
        let question = to_server.as_deref().filter(|_| exchange.relay.asks_consent());
        let question =
            question.and_then(|question| toolshape_proxy::heads(question).into_iter().find_map(|head| head.method));
        Begun { exchange, kind, id, own, to_server, question }
    }
}

/// Whether a message needs what the session knows.
fn is_about_tools(head: &MessageHead) -> bool {
    let method = head.method.as_deref().unwrap_or_default();
    ["tools/", "tasks/", "resources/"].iter().any(|start| method.starts_with(start))
}
