//! The options of a processor: an engine reaches the servers, so that none of them needs an address.

use serde_json::{Value, json};
use toolshape::Error;

use crate::options::{Engine, ServeOptions};

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
    /// use toolshape_gateway::{Engine, ServeOptions};
    /// assert!(ServeOptions::of_processor(&json!({ "maxTokens": 4000 }), Engine::Envoy).is_ok());
    /// let wrong = json!({ "upstreams": { "db": { "maxTokens": "many" } } });
    /// assert!(ServeOptions::of_processor(&wrong, Engine::Envoy).is_err());
    /// ```
    pub fn of_processor(options: &Value, engine: Engine) -> Result<Self, Error> {
        let mut options = options.clone();
        if let Some(all) = options.as_object_mut() {
            if engine == Engine::Agentgateway {
                all.insert("controls".to_owned(), "result".into());
            }
            let servers = all.entry("upstreams").or_insert_with(|| json!({ ONLY: {} }));
            for server in servers.as_object_mut().into_iter().flat_map(|servers| servers.values_mut()) {
                if let Some(server) = server.as_object_mut() {
                    server.entry("url").or_insert_with(|| NO_ADDRESS.into());
                }
            }
        }
        let mut read = Self::new(&options)?;
        read.engine = Some(engine);
        Ok(read)
    }
}
