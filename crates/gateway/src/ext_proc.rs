//! Envoy's external processing: Envoy forwards HTTP itself, and asks about each exchange over a gRPC stream of its own.
//!
//! The service is `envoy.service.ext_proc.v3.ExternalProcessor`.

mod body;
mod connection;
pub mod messages;
mod options;
mod processor;
mod replies;

pub use connection::serve;
