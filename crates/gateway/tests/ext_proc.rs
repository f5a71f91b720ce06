//! The gateway as a processor of Envoy and of agentgateway, before clients that speak as these do.

#[path = "ext_proc/agentgateway.rs"]
mod agentgateway;
#[path = "ext_proc/envoy.rs"]
mod envoy;
#[path = "ext_proc/exchanges.rs"]
mod exchanges;
#[path = "ext_proc/failures.rs"]
mod failures;
#[path = "../src/ext_mcp/messages.rs"]
#[allow(dead_code, unreachable_pub)]
mod mcp_messages;
#[path = "../src/ext_proc/messages.rs"]
#[allow(dead_code, unreachable_pub)]
mod messages;
#[path = "ext_proc/real.rs"]
mod real;
#[path = "ext_proc/streams.rs"]
mod streams;
#[path = "ext_proc/wire.rs"]
mod wire;
#[path = "main/world.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod world;
