//! The gateway: what all of its requests share.

mod connections;
mod idle;
mod paths;
mod requests;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Result;
use tokio::sync::watch;
use toolshape_stores::Store;

use toolshape_proxy::Turns;

use crate::connector::Connector;
use crate::consent::Consents;
use crate::keeper::Keeper;
use crate::log::Log;
use crate::metrics::Metrics;
#[cfg(feature = "ext-proc")]
use crate::options::Engine;
use crate::options::{ScopeOption, ServeLimits, ServeOptions, TenantOption};
use crate::otlp::Tracer;
use crate::pool::Pool;
use crate::report::Reporting;
use crate::sessions::Sessions;
use crate::share::Share;
use crate::upstream::{self, Upstream};
#[cfg(feature = "ext-proc")]
pub(crate) use paths::RESULTS;
#[cfg(feature = "ext-proc")]
pub(crate) use requests::Begun;

/// A gateway.
pub struct Gateway {
    pub(crate) upstreams: BTreeMap<String, Arc<Upstream>>,
    pub(crate) limits: ServeLimits,
    pub(crate) pool: Arc<Pool>,
    pub(crate) connector: Connector,
    pub(crate) sessions: Sessions,
    pub(crate) consents: Consents,
    /// What models call at once.
    pub(crate) turns: Turns,
    listen: SocketAddr,
    public_url: Option<String>,
    pub(crate) tenant: TenantOption,
    pub(crate) scope: ScopeOption,
    pub(crate) keeper: Arc<Keeper>,
    pub(crate) reporting: Arc<Reporting>,
    open: Arc<Share>,
    /// Who asks, instead of clients.
    #[cfg(feature = "ext-proc")]
    pub(crate) engine: Option<Engine>,
    /// The processes of commands that may still be started.
    room: Arc<Share>,
    /// Whether the process is about to drain.
    leaving: AtomicBool,
    draining: watch::Sender<bool>,
}

impl Gateway {
    /// A gateway that keeps results and sessions in a store for so long.
    ///
    /// # Errors
    /// Certificates that cannot be read.
    pub fn new(options: ServeOptions, store: Option<Arc<dyn Store>>, kept_for: Duration) -> Result<Self> {
        let tracer = options.traces.map(Tracer::new);
        let reporting = Arc::new(Reporting { metrics: Metrics::new(), log: Log::new(), tracer });
        let connector = Connector::new();
        let (limits, room) = (&options.limits, Share::new(options.limits.processes));
        let upstream =
            |(name, server): (String, _)| (name.clone(), Arc::new(Upstream::new(name, server, limits, &room)));
        let upstreams = options.upstreams.into_iter().map(upstream).collect();
        Ok(Self {
            upstreams,
            pool: upstream::pool(connector.clone())?,
            connector,
            sessions: Sessions::new(options.limits.sessions),
            consents: Consents::default(),
            turns: Turns::default(),
            listen: options.listen,
            public_url: options.public_url,
            tenant: options.tenant,
            scope: options.scope,
            keeper: Arc::new(Keeper::new(store, kept_for, Arc::clone(&reporting))),
            reporting,
            open: Share::new(options.limits.concurrent),
            #[cfg(feature = "ext-proc")]
            engine: options.engine,
            room,
            leaving: AtomicBool::new(false),
            draining: watch::Sender::new(false),
            limits: options.limits,
        })
    }

    /// Waits a short while until the lines about requests are written.
    pub fn flush(&self) {
        self.reporting.log.flush();
    }

    /// What `/metrics` shows.
    pub fn metrics(&self) -> String {
        self.reporting.metrics.text(self.open.all(), self.limits.concurrent, self.room.all())
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
}
