//! The options of a processor: Envoy reaches the servers, so that none of them needs an address.

use serde_json::{Value, json};
use toolshape::Error;

use crate::options::ServeOptions;

/// The address of a server that has none. Nothing is sent to it.
const NO_ADDRESS: &str = "http://envoy.invalid";
/// The name of the server if none is named.
const ONLY: &str = "mcp";

impl ServeOptions {
    /// Reads the options of a processor, whose servers need no `url`. Without `upstreams`, all requests are for one server.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape_gateway::ServeOptions;
    /// assert!(ServeOptions::of_processor(&json!({ "maxTokens": 4000 })).is_ok());
    /// assert!(ServeOptions::of_processor(&json!({ "upstreams": { "db": { "maxTokens": "many" } } })).is_err());
    /// ```
    pub fn of_processor(options: &Value) -> Result<Self, Error> {
        let mut options = options.clone();
        if let Some(all) = options.as_object_mut() {
            let servers = all.entry("upstreams").or_insert_with(|| json!({ ONLY: {} }));
            for server in servers.as_object_mut().into_iter().flat_map(|servers| servers.values_mut()) {
                if let Some(server) = server.as_object_mut() {
                    server.entry("url").or_insert_with(|| NO_ADDRESS.into());
                }
            }
        }
        let mut read = Self::new(&options)?;
        read.is_processor = true;
        Ok(read)
    }
}
