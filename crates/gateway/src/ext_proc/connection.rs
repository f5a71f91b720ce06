//! The connections of an engine: gRPC over HTTP/2 without TLS, and `/healthz`, `/readyz` and `/metrics` over either version of HTTP.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tonic::server::{Grpc, StreamingService};
use tonic::{Status, Streaming};
use tonic_prost::ProstCodec;

use crate::ext_mcp;
use crate::ext_proc::messages::{PROCESS, ProcessingRequest, ProcessingResponse};
use crate::ext_proc::processor::Processor;
use crate::gateway::{Gateway, RESULTS};
use crate::options::Engine;
use crate::reply::{Body, Refusal};

/// The metadata of a stream that names the server.
const SERVER: &str = "x-toolshape-server";
/// The responses that wait for Envoy.
const WAITING: usize = 4;
/// The bytes that Envoy may send before it waits: of a stream, and of a connection with all of its streams.
const WINDOWS: (u32, u32) = (1 << 20, 1 << 24);

/// Serves a connection until it ends, or until the streams that are open while the gateway drains have ended.
pub async fn serve(gateway: Arc<Gateway>, connection: TcpStream) {
    let mut draining = gateway.draining();
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new());
    let streams = u32::try_from(gateway.limits.concurrent).unwrap_or(u32::MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(streams)
        .initial_stream_window_size(WINDOWS.0)
        .initial_connection_window_size(WINDOWS.1);
    let service = service_fn(move |request| {
        let gateway = Arc::clone(&gateway);
        async move { Ok::<_, Infallible>(route(gateway, request).await) }
    });
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(connection), service));
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = draining.wait_for(|is_draining| *is_draining) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

async fn route(gateway: Arc<Gateway>, request: Request<Incoming>) -> Response<Body> {
    match request.uri().path() {
        PROCESS if request.method() == Method::POST => {
            let codec = ProstCodec::<ProcessingResponse, ProcessingRequest>::default();
            // The size of its messages is in Envoy's own configuration.
            let mut grpc = Grpc::new(codec).max_decoding_message_size(usize::MAX);
            let response = grpc.streaming(Exchanges(gateway), request).await;
            response.map(|body| body.map_err(Into::into).boxed_unsync())
        }
        "/healthz" | "/readyz" | "/metrics" | RESULTS => gateway.route(request).await,
        ext_mcp::CHECK_REQUEST | ext_mcp::CHECK_RESPONSE if request.method() == Method::POST => {
            ext_mcp::check(gateway, request).await
        }
        path => {
            let server = gateway.upstreams.get(path.trim_start_matches('/')).map(Arc::clone);
            match server.filter(|_| gateway.engine == Some(Engine::Agentgateway)) {
                Some(upstream) => ext_mcp::read_target(gateway, upstream, request).await,
                None => Refusal::new(StatusCode::NOT_FOUND, "this is a processor, and not a proxy").response(None),
            }
        }
    }
}

/// The service: each stream is one HTTP exchange.
struct Exchanges(Arc<Gateway>);

impl StreamingService<ProcessingRequest> for Exchanges {
    type Response = ProcessingResponse;
    type ResponseStream = ReceiverStream<Result<ProcessingResponse, Status>>;
    type Future = Ready<Result<tonic::Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: tonic::Request<Streaming<ProcessingRequest>>) -> Self::Future {
        let (to, responses) = mpsc::channel(WAITING);
        let server = request.metadata().get(SERVER).and_then(|name| name.to_str().ok()).map(str::to_owned);
        let processor = Processor::new(Arc::clone(&self.0), server);
        tokio::spawn(converse(self.0.draining(), processor, request.into_inner(), to));
        ready(Ok(tonic::Response::new(ReceiverStream::new(responses))))
    }
}

/// Answers the messages of a stream in their order, until Envoy ends it.
async fn converse(
    mut draining: watch::Receiver<bool>,
    mut processor: Processor,
    mut requests: Streaming<ProcessingRequest>,
    to: mpsc::Sender<Result<ProcessingResponse, Status>>,
) {
    loop {
        let is_open_ended = processor.is_open_ended();
        let request = tokio::select! {
            request = requests.next() => request,
            () = to.closed() => None,
            // Envoy resets the client's stream, and the client opens it again, at another replica.
            _ = draining.wait_for(|is_draining| *is_draining), if is_open_ended => {
                Some(Err(Status::unavailable("draining")))
            }
        };
        let answered = match request {
            None => return,
            Some(Ok(request)) => processor.answer(request).await,
            Some(Err(status)) => Err(status),
        };
        match answered {
            Ok(answers) => {
                for answer in answers {
                    if to.send(Ok(answer)).await.is_err() {
                        return;
                    }
                }
            }
            Err(status) => {
                let _ = to.send(Err(status)).await;
                return;
            }
        }
    }
}
