//! The options of a gateway: its own, its servers, and those of a relay for all of them or for one.

mod limits;
mod tenancy;
mod upstreams;
mod variables;

use std::collections::BTreeMap;
use std::net::SocketAddr;

use hyper::Uri;
use serde_json::{Map, Value};
use toolshape::host::{Naming, Reader};
use toolshape::{Error, ErrorCode, Policy};
use toolshape_proxy::{OF_RELAY, RelayOptions, StoreOption, read_lenient_json};

pub(crate) use limits::ServeLimits;
pub(crate) use tenancy::{ScopeOption, TenantOption};
pub(crate) use upstreams::{CommandOptions, PlaceOption, UpstreamOptions};

const LEAST_TENANT_BYTES: u64 = 1 << 10;
const MOST_TENANT_BYTES: u64 = 1 << 50;

/// Who carries the traffic, and asks what to change in it.
#[cfg(feature = "ext-proc")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// By external processing (`ext_proc`).
    Envoy,
    /// By policies of MCP (`ext_mcp`). A request is not answered with a page of an earlier result, so a result names the
    /// tool that reads the rest, and tools have no arguments for pages.
    Agentgateway,
}

/// The options of a gateway.
#[derive(Debug)]
pub struct ServeOptions {
    pub(crate) listen: SocketAddr,
    /// Without a slash at its end.
    pub(crate) public_url: Option<String>,
    pub(crate) tenant: TenantOption,
    pub(crate) scope: ScopeOption,
    pub(crate) upstreams: BTreeMap<String, UpstreamOptions>,
    pub(crate) limits: ServeLimits,
    /// Who asks, instead of clients.
    #[cfg(feature = "ext-proc")]
    pub(crate) engine: Option<Engine>,
    /// Where spans are sent.
    pub(crate) traces: Option<Uri>,
    store: StoreOption,
}

impl ServeOptions {
    /// The names of the options that a gateway has in addition to those of a relay.
    pub const NAMES: [&str; 19] = [
        "listen", "publicUrl", "tenantHeader", "tenantClaim", "tenantBytes", "scope", "upstreams", "maxRequestBytes",
        "maxSessions", "maxConcurrent", "maxProcesses", "idleSeconds", "headSeconds", "requestSeconds",
        "firstByteSeconds", "silentSeconds", "drainDelaySeconds", "drainSeconds", "traces",
    ];

    /// Reads a JSON text, which may have comments and a comma before a closing bracket.
    ///
    /// # Errors
    /// `INVALID_JSON` with the line and the column; otherwise as [`new`](Self::new).
    pub fn read(text: &str) -> Result<Self, Error> {
        Self::new(&read_lenient_json(text)?)
    }

    /// Reads the options in their camelCase spelling. `${NAME}` in a text is a variable of the environment.
    ///
    /// # Errors
    /// `INVALID_POLICY` for an unknown option, a wrong type, a value out of range or a variable that is not set.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape_gateway::ServeOptions;
    /// assert!(ServeOptions::new(&json!({ "upstreams": { "db": { "url": "http://db:3000/mcp", "maxTokens": 4000 } } })).is_ok());
    /// let wrong = ServeOptions::new(&json!({ "upstreams": {} })).unwrap_err();
    /// assert_eq!(wrong.message(), "upstreams must have at least one server, by its name");
    /// ```
    pub fn new(options: &Value) -> Result<Self, Error> {
        let of_relay = Policy::options().chain(OF_RELAY.iter().map(|option| option.name)).chain(["$schema"]);
        let names: Vec<&str> = Self::NAMES.into_iter().chain(of_relay).collect();
        Reader::new(options, &names, ErrorCode::InvalidPolicy, String::new(), Naming::Camel)?;
        let mut options = options.clone();
        variables::expand(&mut options, &|name| std::env::var(name).ok())?;
        let none = Map::new();
        let all = options.as_object().unwrap_or(&none);
        let (own, shared) = parted(all, &Self::NAMES);
        let own = Value::Object(own);
        let reader = Reader::new(&own, &Self::NAMES, ErrorCode::InvalidPolicy, String::new(), Naming::Camel)?;
        let of_all = RelayOptions::new(&Value::Object(shared.clone()))?;
        let listen = match reader.text("listen")? {
            None => SocketAddr::from(([127, 0, 0, 1], 8080)),
            Some(text) => {
                text.parse().map_err(|_| reader.error("listen", &own["listen"], "an IP address and a port"))?
            }
        };
        let public_url = match reader.text("publicUrl")? {
            Some(url) if !is_address(url) => {
                return Err(reader.error("publicUrl", &own["publicUrl"], "an address with http:// or https://"));
            }
            url => url.map(|url| url.trim_end_matches('/').to_owned()),
        };
        let traces = match reader.text("traces")? {
            Some(url) if !is_address(url) => {
                return Err(reader.error("traces", &own["traces"], "an address with http:// or https://"));
            }
            // The path is the one that OTLP/HTTP has for spans.
            Some(url) => {
                let has_path = url.parse().is_ok_and(|url: Uri| url.path() != "/");
                let path = if has_path { "" } else { "/v1/traces" };
                format!("{}{path}", url.trim_end_matches('/')).parse().ok()
            }
            None => None,
        };
        let mut store = of_all.store;
        match (reader.integer("tenantBytes", LEAST_TENANT_BYTES, MOST_TENANT_BYTES)?, &mut store) {
            (Some(bytes), StoreOption::Service(service)) => service.tenant_bytes = Some(bytes),
            (Some(_), _) => {
                let message = "tenantBytes requires a store in a service, which counts".to_owned();
                return Err(reader.error_at("tenantBytes", message));
            }
            (None, _) => {}
        }
        Ok(Self {
            listen,
            public_url,
            tenant: TenantOption::new(&reader, &own)?,
            scope: ScopeOption::new(&reader, &own)?,
            upstreams: upstreams::read(&reader, &shared)?,
            limits: ServeLimits::new(&reader)?,
            #[cfg(feature = "ext-proc")]
            engine: None,
            traces,
            store,
        })
    }

    /// Where whole results and sessions are kept. The default is the memory of the process.
    pub fn store(&self) -> StoreOption {
        match &self.store {
            StoreOption::Cache => StoreOption::Memory,
            other => other.clone(),
        }
    }
}

/// The members with these names, and the others.
fn parted(all: &Map<String, Value>, names: &[&str]) -> (Map<String, Value>, Map<String, Value>) {
    let all = all.iter().map(|(name, value)| (name.clone(), value.clone()));
    all.partition(|(name, _)| names.contains(&name.as_str()))
}

fn is_address(url: &str) -> bool {
    let is_http = url.starts_with("https://") || url.starts_with("http://");
    is_http && url.parse::<Uri>().is_ok_and(|address| address.host().is_some_and(|host| !host.is_empty()))
}
