//! The gateway between a client and a server that says what a test wants.

#[path = "main/callers.rs"]
mod callers;
#[path = "main/commands.rs"]
mod commands;
#[path = "main/consent.rs"]
mod consent;
#[path = "main/documented.rs"]
mod documented;
#[path = "main/failures.rs"]
mod failures;
#[path = "main/hostile_servers.rs"]
mod hostile_servers;
#[path = "main/oauth.rs"]
mod oauth;
#[path = "main/replicas.rs"]
mod replicas;
#[path = "main/stdio_server.rs"]
mod stdio_server;
#[path = "main/streams.rs"]
mod streams;
#[path = "main/tenants.rs"]
mod tenants;
#[path = "main/traces.rs"]
mod traces;
#[path = "main/transparency.rs"]
mod transparency;
#[path = "main/world.rs"]
mod world;
