//! The articles over stdio. `naive.rs` and `shaped.rs` differ by one line, and by what it imports.

use articles::articles::Articles;
use articles::policy::policy;
use articles::tools::Tools;
use rmcp::{ServiceExt, transport::stdio};
use toolshape_rmcp::Shaping;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "articles.db".to_owned());
    let server = Tools::of(Articles::new(file));
    let server = Shaping::builder(policy()).summarize().build()?.around(server);
    server.serve(stdio()).await?.waiting().await?;
    Ok(())
}
