//! Connections to servers, kept for the next requests. A request drives the connection that it has, and so does the body of its
//! answer: no other task is woken for it.

use std::collections::HashMap;
use std::error::Error;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::mem;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{Connection, SendRequest, handshake};
use hyper::header::{HOST, HeaderValue};
use hyper::http::uri::{Authority, Scheme};
use hyper::{Request, Response, Uri};
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::Connection as _;
use tokio::runtime::{Handle, Id};
use tower_service::Service;

use crate::connector::{Connector, Stream};
use crate::lock::locked;

/// How long a connection waits for the next request. Node and uvicorn close one after 5 seconds, and a request that is on its way then
/// is not answered.
pub const IDLE: Duration = Duration::from_secs(4);

type Sent = Full<Bytes>;
type Driver = Connection<MaybeHttpsStream<Stream>, Sent>;

/// The connections that wait.
pub struct Pool {
    connector: HttpsConnector<Connector>,
    waiting: Mutex<HashMap<Origin, Vec<(OpenConnection, Instant)>>>,
}

/// Where a connection leads: the scheme and the authority, and the runtime that wakes it.
type Origin = (Id, Scheme, Authority);

struct OpenConnection {
    sender: SendRequest<Sent>,
    /// None if it has ended.
    driver: Option<Pin<Box<Driver>>>,
    /// Whether it leads to a proxy that is asked for whole addresses.
    is_proxied: bool,
}

/// Why a request has no answer.
#[derive(Debug)]
pub enum Unanswered {
    /// There is no connection.
    Unreached,
    /// The server has closed the connection.
    Closed,
}

impl Pool {
    pub fn new(connector: HttpsConnector<Connector>) -> Arc<Self> {
        Arc::new(Self { connector, waiting: Mutex::default() })
    }

    /// Sends a request, and returns its answer when the head of it is here.
    ///
    /// # Errors
    /// A server that cannot be reached, or closes the connection.
    pub async fn request(self: &Arc<Self>, mut request: Request<Sent>) -> Result<Response<Answer>, Unanswered> {
        let address = request.uri().clone();
        let authority = address.authority().cloned().ok_or(Unanswered::Unreached)?;
        let origin = (Handle::current().id(), address.scheme().cloned().unwrap_or(Scheme::HTTP), authority);
        if !request.headers().contains_key(HOST) {
            request.headers_mut().insert(HOST, host(&address)?);
        }
        loop {
            let waiting = self.take(&origin);
            let was_open = waiting.is_some();
            let mut connection = match waiting {
                Some(connection) => connection,
                None => Box::pin(self.connect(&address)).await?,
            };
            *request.uri_mut() = if connection.is_proxied { address.clone() } else { path(&address) };
            let copy = was_open.then(|| request.clone());
            let mut error = match connection.send(request).await {
                Ok(answered) => {
                    let of = |body| Answer::new(body, (connection, origin), Arc::clone(self));
                    return Ok(answered.map(of));
                }
                Err(error) => error,
            };
            // It was closed while nobody used it. A server that has read the request may have acted on it.
            let is_unread = error.take_message().is_some() || is_reset(error.error());
            request = copy.filter(|_| is_unread).ok_or(Unanswered::Closed)?;
        }
    }

    async fn connect(&self, address: &Uri) -> Result<OpenConnection, Unanswered> {
        let mut connector = self.connector.clone();
        poll_fn(|context| connector.poll_ready(context)).await.map_err(|_| Unanswered::Unreached)?;
        let stream = connector.call(address.clone()).await.map_err(|_| Unanswered::Unreached)?;
        let is_proxied = stream.connected().is_proxied();
        let (sender, driver) = handshake(stream).await.map_err(|_| Unanswered::Closed)?;
        Ok(OpenConnection { sender, driver: Some(Box::pin(driver)), is_proxied })
    }

    /// Closes the connections that waited too long.
    pub fn close_idle(&self) {
        locked(&self.waiting).retain(|_, all| {
            all.retain(|(_, since)| since.elapsed() < IDLE);
            !all.is_empty()
        });
    }

    /// The connection that was used last: others may be closed.
    fn take(&self, origin: &Origin) -> Option<OpenConnection> {
        let (connection, since) = locked(&self.waiting).get_mut(origin)?.pop()?;
        (since.elapsed() < IDLE).then_some(connection)
    }

    fn give_back(&self, connection: OpenConnection, origin: Origin) {
        if connection.driver.is_some() {
            locked(&self.waiting).entry(origin).or_default().push((connection, Instant::now()));
        }
    }
}

impl OpenConnection {
    async fn send(&mut self, request: Request<Sent>) -> Result<Response<Incoming>, TrySendError<Request<Sent>>> {
        // It may have been closed, and else it becomes ready for a request.
        poll_fn(|context| {
            self.drive(context);
            Poll::Ready(())
        })
        .await;
        let mut answer = pin!(self.sender.try_send_request(request));
        let driver = &mut self.driver;
        poll_fn(|context| {
            drive(driver, context);
            answer.as_mut().poll(context)
        })
        .await
    }

    fn drive(&mut self, context: &mut Context<'_>) {
        drive(&mut self.driver, context);
    }
}

/// Reads and writes what a connection can.
fn drive(driver: &mut Option<Pin<Box<Driver>>>, context: &mut Context<'_>) {
    if driver.as_mut().is_some_and(|driver| driver.as_mut().poll(context).is_ready()) {
        *driver = None;
    }
}

/// The body of an answer. At its end the connection waits for the next request; if it is dropped before, the connection is closed.
pub struct Answer {
    body: Incoming,
    open: Option<(OpenConnection, Origin)>,
    pool: Arc<Pool>,
}

impl Answer {
    fn new(body: Incoming, open: (OpenConnection, Origin), pool: Arc<Pool>) -> Self {
        let mut answer = Self { body, open: Some(open), pool };
        answer.end_if_over();
        answer
    }

    fn end_if_over(&mut self) {
        if self.body.is_end_stream()
            && let Some((connection, origin)) = mem::take(&mut self.open)
        {
            self.pool.give_back(connection, origin);
        }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let mut polled = Pin::new(&mut self.body).poll_frame(context);
        if polled.is_pending()
            && let Some((connection, _)) = &mut self.open
        {
            connection.drive(context);
            polled = Pin::new(&mut self.body).poll_frame(context);
        }
        match &polled {
            Poll::Ready(None) => {
                if let Some((connection, origin)) = self.open.take() {
                    self.pool.give_back(connection, origin);
                }
            }
            Poll::Ready(Some(Ok(_))) => self.end_if_over(),
            _ => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Whether a system has closed a connection with bytes of the request that nobody had read: else it ends the connection in order
/// (RFC 1122, section 4.2.2.13).
fn is_reset(error: &hyper::Error) -> bool {
    let mut causes = std::iter::successors(error.source(), |cause| (*cause).source());
    let kind = causes.find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    matches!(kind, Some(ErrorKind::ConnectionReset | ErrorKind::BrokenPipe))
}

/// The `Host` of an address, without the port that its scheme has anyway.
fn host(address: &Uri) -> Result<HeaderValue, Unanswered> {
    let authority = address.authority().map_or("", |authority| authority.as_str());
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let usual = if address.scheme() == Some(&Scheme::HTTPS) { ":443" } else { ":80" };
    HeaderValue::from_str(host.strip_suffix(usual).unwrap_or(host)).map_err(|_| Unanswered::Unreached)
}

/// What a server itself is asked for: the path and the query.
fn path(address: &Uri) -> Uri {
    let path = address.path_and_query().cloned();
    path.map_or_else(Uri::default, Uri::from)
}
