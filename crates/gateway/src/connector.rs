//! Connections to servers: direct ones, or through the proxy that the environment names, as curl reads it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::Uri;
use hyper::header::HeaderValue;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service;

/// Connects to addresses.
#[derive(Clone)]
pub struct Connector {
    direct: HttpConnector,
    proxies: Arc<Matcher>,
}

impl Connector {
    /// With the proxies of `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
    pub fn new() -> Self {
        let mut direct = HttpConnector::new();
        direct.enforce_http(false);
        Self { direct, proxies: Arc::new(Matcher::from_env()) }
    }

    /// The credentials that a request to an address needs for the proxy before it; over TLS the tunnel has them.
    pub fn authorization(&self, address: &Uri) -> Option<HeaderValue> {
        let is_plain = address.scheme_str() == Some("http");
        self.proxies.intercept(address).filter(|_| is_plain)?.basic_auth().cloned()
    }
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Stream>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.direct.poll_ready(context).map_err(io::Error::other)
    }

    fn call(&mut self, address: Uri) -> Self::Future {
        let (proxy, mut direct) = (self.proxies.intercept(&address), self.direct.clone());
        Box::pin(async move {
            let Some(proxy) = proxy else {
                let io = direct.call(address).await.map_err(io::Error::other)?;
                return Ok(Stream { io, is_proxied: false });
            };
            if proxy.uri().scheme_str() != Some("http") {
                return Err(io::Error::other("only proxies with http:// are supported"));
            }
            if address.scheme_str() == Some("http") {
                let io = direct.call(proxy.uri().clone()).await.map_err(io::Error::other)?;
                return Ok(Stream { io, is_proxied: true });
            }
            let mut tunnel = Tunnel::new(proxy.uri().clone(), direct);
            if let Some(authorization) = proxy.basic_auth() {
                tunnel = tunnel.with_auth(authorization.clone());
            }
            let io = tunnel.call(address).await.map_err(io::Error::other)?;
            Ok(Stream { io, is_proxied: false })
        })
    }
}

/// A connection, over which a proxy may be asked for whole addresses.
pub struct Stream {
    io: TokioIo<TcpStream>,
    is_proxied: bool,
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        self.io.connected().proxy(self.is_proxied)
    }
}

impl Read for Stream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, to: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, to)
    }
}

impl Write for Stream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(context, parts)
    }
}
