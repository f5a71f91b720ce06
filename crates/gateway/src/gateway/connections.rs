//! The connections of a gateway, from the open port until it is drained.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result};
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;

use super::Gateway;
use super::idle::{Idle, IdleConnection};
use crate::command::Command;
use crate::otlp;
use crate::pool;
use crate::reply::HeldBody;
use toolshape_pipes::child::most_open_files;

/// The connections for each request that may be open, and at least.
const CONNECTIONS: usize = 2;
const LEAST_CONNECTIONS: usize = 64;
/// The bytes of a request's headers.
const HEAD_BYTES: usize = 1 << 16;
/// How often it is looked for processes that serve nobody.
const LEAST_STEP: Duration = Duration::from_millis(250);
const MOST_STEP: Duration = Duration::from_secs(30);
/// How long a request may be on its way while the gateway drains.
const ON_ITS_WAY: Duration = Duration::from_millis(500);
/// What the process waits after it could not take a connection, as when it has too many open files.
const PAUSE: Duration = Duration::from_millis(50);

impl Gateway {
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
        self.run_on(listener, &[Handle::current()]).await;
    }

    /// The same, with the connections divided among runtimes: a request stays on the one of its connection.
    pub async fn run_on(self: Arc<Self>, listener: TcpListener, runtimes: &[Handle]) {
        let (mut connections, mut draining) = (JoinSet::new(), self.draining());
        let mut runtimes = runtimes.iter().cycle();
        let exporting = Arc::clone(&self);
        tokio::spawn(async move {
            if let Some(tracer) = &exporting.reporting.tracer {
                otlp::export(&exporting, tracer).await;
            }
        });
        let most = LEAST_CONNECTIONS.max(CONNECTIONS * self.limits.concurrent);
        let places = Arc::new(Semaphore::new(most_open_files().map_or(most, |files| most.min(files / 2).max(1))));
        let waiting = Arc::new(Idle::default());
        let mut idle = tokio::time::interval((self.limits.idle / 4).clamp(LEAST_STEP, MOST_STEP));
        let mut unused = tokio::time::interval(pool::IDLE);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = idle.tick() => {
                    self.commands().for_each(|command| command.close_idle(self.limits.idle));
                    continue;
                }
                _ = unused.tick() => {
                    self.pool.close_idle();
                    continue;
                }
                _ = draining.wait_for(|is_draining| *is_draining) => break,
            };
            match accepted {
                Ok((connection, _)) => {
                    if places.available_permits() == 0 {
                        waiting.close_oldest();
                    }
                    // Those that come meanwhile wait in the system.
                    let place = tokio::select! {
                        biased;
                        place = Arc::clone(&places).acquire_owned() => place,
                        _ = draining.wait_for(|is_draining| *is_draining) => break,
                    };
                    let (Some(runtime), Ok(connection)) = (runtimes.next(), connection.into_std()) else { continue };
                    connections.spawn_on(Arc::clone(&self).take(connection, waiting.connection(), place.ok()), runtime);
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
            while connections.try_join_next().is_some() {}
        }
        // With the port those would be reset that wait in the system.
        for connection in taken_with(listener) {
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else { break };
            let Some(runtime) = runtimes.next() else { break };
            connections.spawn_on(Arc::clone(&self).take(connection, waiting.connection(), Some(place)), runtime);
        }
        let all = async { while connections.join_next().await.is_some() {} };
        let _ = timeout(self.limits.drain, all).await;
        self.close_commands().await;
        if let Some(tracer) = &self.reporting.tracer {
            tracer.flush().await;
        }
    }

    /// Takes requests as before for `drainDelaySeconds`, but is not ready for more: whoever sends them looks for another replica
    /// meanwhile.
    pub async fn leave(&self) {
        self.leaving.store(true, Ordering::Relaxed);
        tokio::time::sleep(self.limits.drain_delay).await;
    }

    /// Whether it takes new requests for longer than a moment.
    pub(crate) fn is_ready(&self) -> bool {
        !self.leaving.load(Ordering::Relaxed) && !*self.draining.borrow()
    }

    /// Takes no more connections, and ends the streams of servers' own messages.
    pub fn drain(&self) {
        self.draining.send_replace(true);
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

    /// Serves a connection, unless it is closed for another one.
    async fn take(
        self: Arc<Self>,
        connection: std::net::TcpStream,
        own: Arc<IdleConnection>,
        _place: Option<OwnedSemaphorePermit>,
    ) {
        let Ok(connection) = TcpStream::from_std(connection) else { return };
        tokio::select! {
            () = own.closed.notified() => {}
            () = self.serve(connection, Arc::clone(&own)) => {}
        }
    }

    async fn serve(self: Arc<Self>, connection: TcpStream, own: Arc<IdleConnection>) {
        let _ = connection.set_nodelay(true);
        #[cfg(feature = "ext-proc")]
        if self.engine.is_some() {
            return crate::ext_proc::serve(self, connection).await;
        }
        let (mut draining, limits) = (self.draining(), self.limits.clone());
        let mut connection = Box::pin(TimeoutStream::new(connection));
        connection.as_mut().set_write_timeout_pinned(Some(limits.silent));
        let service = service_fn(move |request| {
            let (gateway, busy) = (Arc::clone(&self), own.begin());
            async move {
                let mut response = Arc::clone(&gateway).route(request).await;
                if !gateway.is_ready() {
                    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                }
                Ok::<_, Infallible>(response.map(|body| HeldBody::new(body, busy)))
            }
        });
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(HEAD_BYTES * 2);
        let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(connection), service));
        tokio::select! {
            _ = connection.as_mut() => return,
            _ = draining.wait_for(|is_draining| *is_draining) => {}
        }
        // A request may be on its way: it is answered, and the connection is closed with it.
        if timeout(ON_ITS_WAY, connection.as_mut()).await.is_err() {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// The connections that wait for a listener, which is closed.
fn taken_with(listener: TcpListener) -> Vec<std::net::TcpStream> {
    let Ok(listener) = listener.into_std() else { return Vec::new() };
    let next = || {
        let (connection, _) = listener.accept().ok()?;
        connection.set_nonblocking(true).ok()?;
        Some(connection)
    };
    std::iter::from_fn(next).collect()
}
