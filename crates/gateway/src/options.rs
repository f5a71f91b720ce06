//! The options of a gateway: its own, its servers, and those of a relay for all of them or for one.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use hyper::Uri;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};
use toolshape::host::{Naming, Reader};
use toolshape::{Error, ErrorCode, Policy};
use toolshape_proxy::{OF_RELAY, RelayOptions, StoreOption, read_lenient_json};

/// The options that a server has in addition to those of a relay.
const OF_UPSTREAM: [&str; 2] = ["url", "headers"];
/// The paths of the gateway itself.
const RESERVED: [&str; 2] = ["healthz", "metrics"];

/// The options of a gateway.
#[derive(Debug)]
pub struct ServeOptions {
    pub(crate) listen: SocketAddr,
    /// Without a slash at its end.
    pub(crate) public_url: Option<String>,
    pub(crate) tenant: TenantOption,
    pub(crate) upstreams: BTreeMap<String, UpstreamOptions>,
    pub(crate) limits: ServeLimits,
    /// Whether Envoy asks, instead of clients.
    #[cfg(feature = "ext-proc")]
    pub(crate) is_processor: bool,
    store: StoreOption,
}

/// What names the tenant of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TenantOption {
    /// Whoever has the same `Authorization`.
    Authorization,
    Header(HeaderName),
    /// A claim of the token in `Authorization`, which a proxy in front has checked.
    Claim(String),
}

/// A server.
#[derive(Debug)]
pub(crate) struct UpstreamOptions {
    pub url: Uri,
    /// The headers that each request gets.
    pub headers: HeaderMap,
    pub relay: RelayOptions,
}

#[derive(Clone, Debug)]
pub(crate) struct ServeLimits {
    pub request_bytes: usize,
    /// The sessions that this process remembers while the store fails.
    pub sessions: usize,
    /// The requests at the same time.
    pub concurrent: usize,
    /// How long the whole request may take to arrive.
    pub request: Duration,
    /// How long the first byte of an answer may take, and each later part of an answer that is read whole.
    pub first_byte: Duration,
    /// How long open requests may take after SIGTERM.
    pub drain: Duration,
}

impl ServeOptions {
    /// The names of the options that a gateway has in addition to those of a relay.
    pub const NAMES: [&str; 11] = [
        "listen",
        "publicUrl",
        "tenantHeader",
        "tenantClaim",
        "upstreams",
        "maxRequestBytes",
        "maxSessions",
        "maxConcurrent",
        "requestSeconds",
        "firstByteSeconds",
        "drainSeconds",
    ];

    /// Reads a JSON text, which may have comments and a comma before a closing bracket.
    ///
    /// # Errors
    /// `INVALID_JSON` with the line and the column; otherwise as [`new`](Self::new).
    pub fn read(text: &str) -> Result<Self, Error> {
        Self::new(&read_lenient_json(text)?)
    }

    /// Reads the options in their camelCase spelling.
    ///
    /// # Errors
    /// `INVALID_POLICY` for an unknown option, a wrong type or a value out of range.
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
        let tenant = match (reader.text("tenantHeader")?, reader.text("tenantClaim")?) {
            (None, None) => TenantOption::Authorization,
            (Some(header), None) => TenantOption::Header(
                header.parse().map_err(|_| reader.error("tenantHeader", &own["tenantHeader"], "a header's name"))?,
            ),
            (None, Some(claim)) => TenantOption::Claim(claim.to_owned()),
            (Some(_), Some(_)) => {
                let message = "tenantHeader and tenantClaim exclude each other".to_owned();
                return Err(reader.error_at("tenantClaim", message));
            }
        };
        let servers = reader.get("upstreams").and_then(Value::as_object).filter(|servers| !servers.is_empty());
        let none = "upstreams must have at least one server, by its name";
        let servers = servers.ok_or_else(|| reader.error_at("upstreams", none.to_owned()))?;
        let mut upstreams = BTreeMap::new();
        for (name, server) in servers {
            let place = format!("upstreams/{name}");
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
            if name.is_empty() || !name.chars().all(is_plain) || RESERVED.contains(&name.as_str()) {
                let message =
                    format!("{name} is not a server's name: letters, digits, - and _, but not healthz or metrics");
                return Err(reader.error_at(&place, message));
            }
            let read = UpstreamOptions::new(server, &shared);
            upstreams.insert(
                name.clone(),
                read.map_err(|error| {
                    Error::new(
                        error.code(),
                        format!("{place}: {}", error.message()),
                        format!("/{place}{}", error.path()),
                    )
                })?,
            );
        }
        let number = |name: &str, least: u64, most: u64, default: u64| -> Result<u64, Error> {
            Ok(reader.integer(name, least, most)?.unwrap_or(default))
        };
        let seconds = |name: &str, default: u64| Ok::<_, Error>(Duration::from_secs(number(name, 1, 86_400, default)?));
        let limits = ServeLimits {
            request_bytes: number("maxRequestBytes", 1 << 10, 1 << 30, 16_000_000)? as usize,
            sessions: number("maxSessions", 1, 10_000_000, 10_000)? as usize,
            concurrent: number("maxConcurrent", 1, 1_000_000, 1000)? as usize,
            request: seconds("requestSeconds", 30)?,
            first_byte: seconds("firstByteSeconds", 300)?,
            drain: seconds("drainSeconds", 30)?,
        };
        Ok(Self {
            listen,
            public_url,
            tenant,
            upstreams,
            limits,
            #[cfg(feature = "ext-proc")]
            is_processor: false,
            store: of_all.store,
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

impl UpstreamOptions {
    /// `shared` has the options for all servers, which those of this one replace.
    fn new(server: &Value, shared: &Map<String, Value>) -> Result<Self, Error> {
        let code = ErrorCode::InvalidPolicy;
        let none = Map::new();
        let (own, of_relay) = parted(server.as_object().unwrap_or(&none), &OF_UPSTREAM);
        let own = Value::Object(own);
        let reader = Reader::new(&own, &OF_UPSTREAM, code, String::new(), Naming::Camel)?;
        let takes = "the address of a server, with http:// or https://";
        let url = reader.text("url")?.filter(|url| is_address(url)).and_then(|url| url.parse().ok());
        let url: Uri = url.ok_or_else(|| reader.error("url", &own["url"], takes))?;
        let mut headers = HeaderMap::new();
        for (name, value) in reader.get("headers").and_then(Value::as_object).into_iter().flatten() {
            let header =
                name.parse::<HeaderName>().ok().zip(value.as_str().and_then(|text| HeaderValue::try_from(text).ok()));
            // The value may be a secret.
            let (name, value) =
                header.ok_or_else(|| reader.error_at("headers", format!("{name} is not a header with a text")))?;
            headers.insert(name, value);
        }
        let mut options = shared.clone();
        options.extend(of_relay);
        Ok(Self { url, headers, relay: RelayOptions::new(&Value::Object(options))? })
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
