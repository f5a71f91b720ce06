//! One HTTP address in front of MCP servers: a reverse proxy that rewrites the results of tools and forwards everything else.
//!
//! Each HTTP exchange has a relay of its own. What the exchanges of a session have in common is in a store, so that any replica
//! answers any request.
#![deny(unsafe_code)]

mod answer;
mod browser;
mod command;
mod connector;
mod consent;
mod exchange;
#[cfg(feature = "ext-proc")]
mod ext_mcp;
#[cfg(feature = "ext-proc")]
mod ext_proc;
mod forward;
mod gateway;
mod headers;
mod keeper;
mod lock;
mod log;
mod memory;
mod metrics;
mod options;
mod otlp;
mod pool;
mod recent;
mod reply;
mod report;
mod resume;
mod serve;
mod sessions;
mod share;
mod stream;
mod tenant;
mod trace;
mod upstream;
mod well_known;

pub use gateway::Gateway;
#[cfg(feature = "ext-proc")]
pub use options::Engine;
pub use options::ServeOptions;
pub use serve::serve;
