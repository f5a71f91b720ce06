//! The gateway: connections in, and the way of each request.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{HOST, HeaderMap};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use toolshape_proxy::{MessageHead, heads};
use toolshape_stores::Store;

use crate::answer::{self, ExchangeKind};
use crate::command::{Command, CommandRequest};
use crate::connector::Connector;
use crate::consent::{self, Consents};
use crate::exchange::{Exchange, Sent};
use crate::keeper::Keeper;
use crate::log::Log;
use crate::metrics::Metrics;
use crate::options::{ScopeOption, ServeLimits, ServeOptions, TenantOption};
use crate::reply::{self, Body, Refusal};
use crate::report::Report;
use crate::sessions::Sessions;
use crate::tenant::{owner, tenant};
use crate::upstream::{self, HttpClient, Place, Upstream};
use crate::{forward, headers, well_known};

/// How long a connection may wait for a request: longer than proxies in front keep one.
const IDLE: Duration = Duration::from_secs(75);
/// The bytes of a request's headers.
const HEAD_BYTES: usize = 1 << 16;
/// How often it is looked for processes that serve nobody.
const LEAST_STEP: Duration = Duration::from_millis(250);
const MOST_STEP: Duration = Duration::from_secs(30);
/// What the process waits after it could not take a connection, as when it has too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// An exchange whose request is here.
pub(crate) struct Begun {
    pub exchange: Exchange,
    pub kind: ExchangeKind,
    /// The id of its first request.
    pub id: Option<String>,
    /// The answers to requests that the server does not get.
    pub own: Vec<String>,
    /// What the server gets, unless everything is answered.
    pub to_server: Option<Bytes>,
    /// Who asks, for [`consent`].
    pub caller: String,
}

/// A gateway.
pub struct Gateway {
    pub(crate) upstreams: BTreeMap<String, Arc<Upstream>>,
    pub(crate) limits: ServeLimits,
    pub(crate) client: HttpClient,
    pub(crate) connector: Connector,
    pub(crate) sessions: Sessions,
    pub(crate) consents: Consents,
    listen: SocketAddr,
    public_url: Option<String>,
    tenant: TenantOption,
    scope: ScopeOption,
    keeper: Arc<Keeper>,
    metrics: Arc<Metrics>,
    log: Arc<Log>,
    open: Arc<Semaphore>,
    /// Whether Envoy asks, instead of clients.
    #[cfg(feature = "ext-proc")]
    is_processor: bool,
    /// The processes of commands that may still be started.
    room: Arc<Semaphore>,
    draining: watch::Sender<bool>,
}

impl Gateway {
    /// A gateway that keeps results and sessions in a store for so long.
    ///
    /// # Errors
    /// Certificates that cannot be read.
    pub fn new(options: ServeOptions, store: Option<Arc<dyn Store>>, kept_for: Duration) -> Result<Self> {
        let (metrics, connector) = (Arc::new(Metrics::default()), Connector::new());
        let (limits, room) = (&options.limits, Arc::new(Semaphore::new(options.limits.processes)));
        let upstream =
            |(name, server): (String, _)| (name.clone(), Arc::new(Upstream::new(name, server, limits, &room)));
        let upstreams = options.upstreams.into_iter().map(upstream).collect();
        Ok(Self {
            upstreams,
            client: upstream::client(connector.clone())?,
            connector,
            sessions: Sessions::new(options.limits.sessions),
            consents: Consents::new(options.limits.authorize),
            listen: options.listen,
            public_url: options.public_url,
            tenant: options.tenant,
            scope: options.scope,
            keeper: Arc::new(Keeper::new(store, kept_for, Arc::clone(&metrics))),
            metrics,
            log: Arc::new(Log::new()),
            open: Arc::new(Semaphore::new(options.limits.concurrent)),
            #[cfg(feature = "ext-proc")]
            is_processor: options.is_processor,
            room,
            draining: watch::Sender::new(false),
            limits: options.limits,
        })
    }

    /// Opens the port.
    ///
    /// # Errors
    /// A port that cannot be opened.
    pub async fn bind(&mut self) -> Result<TcpListener> {
        let listener = TcpListener::bind(self.listen).await;
        let listener = listener.with_context(|| format!("cannot listen on {}", self.listen))?;
        self.listen = listener.local_addr()?;
        Ok(listener)
    }

    /// The address that the gateway listens on.
    pub fn address(&self) -> SocketAddr {
        self.listen
    }

    /// Answers requests until [`drain`](Self::drain), and then until the open ones have ended, or the time for that is over.
    pub async fn run(self: Arc<Self>, listener: TcpListener) {
        let (mut connections, mut draining) = (JoinSet::new(), self.draining());
        let mut idle = tokio::time::interval((self.limits.idle / 4).clamp(LEAST_STEP, MOST_STEP));
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = idle.tick() => {
                    self.commands().for_each(|command| command.close_idle(self.limits.idle));
                    continue;
                }
                _ = draining.wait_for(|is_draining| *is_draining) => break,
            };
            match accepted {
                Ok((connection, _)) => _ = connections.spawn(Arc::clone(&self).serve(connection)),
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
            while connections.try_join_next().is_some() {}
        }
        drop(listener);
        let all = async { while connections.join_next().await.is_some() {} };
        let _ = timeout(self.limits.drain, all).await;
        self.close_commands().await;
    }

    /// Ends the processes of commands at once.
    pub fn kill_commands(&self) {
        self.commands().for_each(Command::kill_all);
    }

    /// Closes the processes of commands, and waits until they have ended.
    async fn close_commands(&self) {
        let closed: Vec<_> = self.commands().flat_map(Command::close_all).collect();
        for process in closed {
            process.gone().await;
        }
    }

    fn commands(&self) -> impl Iterator<Item = &Command> {
        self.upstreams.values().filter_map(|upstream| upstream.command())
    }

    /// Takes no more connections, and ends the streams of servers' own messages.
    pub fn drain(&self) {
        self.draining.send_replace(true);
    }

    /// Waits a short while until the lines about requests are written.
    pub fn flush(&self) {
        self.log.flush();
    }

    pub(crate) fn draining(&self) -> watch::Receiver<bool> {
        self.draining.subscribe()
    }

    /// The public address of a server.
    pub(crate) fn public(&self, name: &str) -> String {
        format!("{}/{name}", self.root())
    }

    /// The address of the metadata of a server.
    pub(crate) fn metadata(&self, name: &str) -> String {
        format!("{}/.well-known/oauth-protected-resource/{name}", self.root())
    }

    fn root(&self) -> String {
        self.public_url.clone().unwrap_or_else(|| format!("http://{}", self.listen))
    }

    async fn serve(self: Arc<Self>, connection: TcpStream) {
        let _ = connection.set_nodelay(true);
        #[cfg(feature = "ext-proc")]
        if self.is_processor {
            return crate::ext_proc::serve(self, connection).await;
        }
        let mut draining = self.draining();
        let service = service_fn(move |request| {
            let gateway = Arc::clone(&self);
            async move { Ok::<_, Infallible>(gateway.route(request).await) }
        });
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(IDLE).max_buf_size(HEAD_BYTES * 2);
        let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(connection), service));
        tokio::select! {
            _ = connection.as_mut() => return,
            _ = draining.wait_for(|is_draining| *is_draining) => connection.as_mut().graceful_shutdown(),
        }
        let _ = connection.await;
    }

    pub(crate) async fn route(self: Arc<Self>, request: Request<Incoming>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        match &*path {
            "/healthz" if *self.draining.borrow() => {
                reply::text(StatusCode::SERVICE_UNAVAILABLE, "text/plain", "draining\n")
            }
            "/healthz" => reply::text(StatusCode::OK, "text/plain", "ok\n"),
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

    async fn exchange(self: Arc<Self>, upstream: Arc<Upstream>, request: Request<Incoming>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let refused = |mut report: Report, refusal: Refusal, id: Option<&str>| {
            report.refused(&refusal);
            refusal.response(id)
        };
        let report = match self.admit(&upstream, &head.method, &head.headers) {
            Ok(report) => report,
            Err(refusal) => return refusal.response(None),
        };
        let body = match self.body(body).await {
            Ok(body) => body,
            Err(refusal) => return refused(report, refusal, None),
        };
        let asked = body.clone();
        let begun = self.begin(&upstream, &head.method, &head.headers, body, report).await;
        let Begun { exchange, kind, id, own, to_server, caller } = begun;
        let Some(body) = to_server else {
            let refusal = match exchange.has_read() {
                true => consent::refusal(&self, &upstream, &caller, (&head.uri, &head.headers, &asked)).await,
                false => Ok(None),
            };
            return match refusal {
                Ok(None) => answer::own(exchange, own),
                Ok(Some(answered)) => answer::passed(exchange, answered),
                Err(refusal) => refused(exchange.report, refusal, id.as_deref()),
            };
        };
        let sent = match &upstream.place {
            Place::Remote(remote) => forward::send(&self, remote, &head.method, &head.uri, &head.headers, body).await,
            Place::Command(command) => {
                let tenant = tenant(&self.tenant, &head.headers).unwrap_or_default();
                let session = headers::text(&head.headers, "mcp-session-id");
                command.send(CommandRequest { method: &head.method, tenant: &tenant, session, body }).await
            }
        };
        match sent {
            Ok(answered) => {
                self.consents.answered(&caller, answered.status().as_u16());
                match answer::answer(exchange, kind, answered, own).await {
                    Ok(response) => response,
                    Err((refusal, exchange)) => refused(exchange.report, refusal, id.as_deref()),
                }
            }
            Err(refusal) => refused(exchange.report, refusal, id.as_deref()),
        }
    }

    /// The report of a request.
    ///
    /// # Errors
    /// There are too many, which is reported.
    pub(crate) fn admit(&self, upstream: &Upstream, method: &Method, headers: &HeaderMap) -> Result<Report, Refusal> {
        let counted = (Arc::clone(&self.metrics), Arc::clone(&self.log));
        let trace = headers::text(headers, "traceparent");
        let mut report = Report::new(counted, method.as_str(), &upstream.name, trace);
        match Arc::clone(&self.open).try_acquire_owned() {
            Ok(permit) => {
                report.hold(permit);
                Ok(report)
            }
            Err(_) => {
                let reason = "too many requests at the same time (maxConcurrent)";
                let refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, reason);
                report.refused(&refusal);
                Err(refusal)
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
        report.rpc = heads.iter().find_map(|head| head.method.clone());
        report.tool = heads.iter().find_map(|head| head.tool.clone());
        let id = heads.iter().find_map(|head| head.id.clone());
        let session = headers::text(headers, "mcp-session-id").map(str::to_owned);
        let [kind_of_owner, named] = owner(self.scope, headers, session.as_deref());
        let keeper = self.keeper.of(tenant(&self.tenant, headers), &[&upstream.name, &kind_of_owner, &named]);
        let caller = consent::caller(upstream, keeper.tenant(), headers);
        let reads = heads.iter().any(is_about_tools);
        let (gateway, server) = (Arc::clone(self), Arc::clone(upstream));
        let mut exchange = Exchange::begin(gateway, server, keeper, session, reads, report).await;
        if kind != ExchangeKind::Messages {
            return Begun { exchange, kind, id, own: Vec::new(), to_server: Some(body), caller };
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
        Begun { exchange, kind, id, own, to_server, caller }
    }

    /// The whole body of a request.
    async fn body(&self, body: Incoming) -> Result<Bytes, Refusal> {
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
}

/// Whether a message needs what the session knows.
fn is_about_tools(head: &MessageHead) -> bool {
    let method = head.method.as_deref().unwrap_or_default();
    ["tools/", "tasks/", "resources/"].iter().any(|start| method.starts_with(start))
}
