//! The server that the table of behaviours is tried with: `rows <stdio|http> <shaped|naive|bare>`.

mod tools;

use std::error::Error;
use std::io;
use std::sync::Arc;

use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt};
use tokio::net::TcpListener;
use toolshape_rmcp::{Shaping, Value};

use crate::tools::Rows;

/// The policy of the servers is that of the table.
fn policy() -> Result<Value, serde_json::Error> {
    let table: Value = serde_json::from_str(include_str!("../../../../docs/behaviours.json"))?;
    Ok(table["policy"].clone())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (transport, how) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let line = Shaping::builder(policy()?);
    match how.as_str() {
        "shaped" => {
            let line =
                line.summarize().authorize(|_, tool| async move { tool != "guarded" || tools::is_guarded_open() });
            let line = line.build()?;
            serve(&transport, move || line.around(Rows)).await
        }
        "bare" => {
            // Standard error is what a test looks at.
            std::panic::set_hook(Box::new(|_| ()));
            let line = line.without_store().on_receipt(|_| panic!("nobody wants it")).build()?;
            serve(&transport, move || line.around(Rows)).await
        }
        _ => serve(&transport, || Rows).await,
    }
}

async fn serve<S: ServerHandler>(
    transport: &str,
    make: impl Fn() -> S + Send + Sync + 'static,
) -> Result<(), Box<dyn Error>> {
    if transport == "stdio" {
        make().serve(stdio()).await?.waiting().await?;
        return Ok(());
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let sessions = Arc::new(LocalSessionManager::default());
    let made = move || Ok::<_, io::Error>(make());
    let service = StreamableHttpService::new(made, sessions, StreamableHttpServerConfig::default());
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                eprintln!("{error}");
            }
        });
    }
}
