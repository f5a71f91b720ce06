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
const OF_UPSTREAM: [&str; 4] = ["url", "headers", "command", "env"];
/// The paths of the gateway itself.
const RESERVED: [&str; 2] = ["healthz", "metrics"];

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

/// Who within a tenant reads a stored result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeOption {
    /// The whole tenant.
    Tenant,
    /// Whoever has the same `Authorization`.
    Authorization,
    /// The session; without one, as for `Authorization`.
    Session,
}

const SCOPES: [(&str, ScopeOption); 3] =
    [("tenant", ScopeOption::Tenant), ("authorization", ScopeOption::Authorization), ("session", ScopeOption::Session)];

/// A server.
#[derive(Debug)]
pub(crate) struct UpstreamOptions {
    pub place: PlaceOption,
    pub relay: RelayOptions,
}

/// Where a server is.
#[derive(Debug)]
pub(crate) enum PlaceOption {
    /// Its address, and the headers that each request gets.
    Remote(Uri, HeaderMap),
    Command(CommandOptions),
}

/// A server that is started.
#[derive(Debug)]
pub(crate) struct CommandOptions {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables in addition to those of the gateway.
    pub env: Vec<(String, String)>,
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
    /// The processes of commands at the same time.
    pub processes: usize,
    /// How long a process may serve nobody.
    pub idle: Duration,
    /// How long a server's acceptance of a caller counts.
    pub authorize: Duration,
}

impl ServeOptions {
    /// The names of the options that a gateway has in addition to those of a relay.
    pub const NAMES: [&str; 15] = [
        "listen",
        "publicUrl",
        "tenantHeader",
        "tenantClaim",
        "scope",
        "authorizeSeconds",
        "upstreams",
        "maxRequestBytes",
        "maxSessions",
        "maxConcurrent",
        "maxProcesses",
        "idleSeconds",
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
        let named = reader.text("scope")?;
        let scope = SCOPES.iter().find(|(name, _)| named.unwrap_or("tenant") == *name).map(|(_, scope)| *scope);
        let scope = scope.ok_or_else(|| reader.error("scope", &own["scope"], "tenant, authorization or session"))?;
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
            processes: number("maxProcesses", 1, 100_000, 100)? as usize,
            idle: seconds("idleSeconds", 600)?,
            request: seconds("requestSeconds", 30)?,
            first_byte: seconds("firstByteSeconds", 300)?,
            drain: seconds("drainSeconds", 30)?,
            authorize: Duration::from_secs(number("authorizeSeconds", 0, 86_400, 60)?),
        };
        Ok(Self {
            listen,
            public_url,
            tenant,
            scope,
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
        let wrong = || Error::new(code, "a server is an object with url or command".to_owned(), String::new());
        let (own, of_relay) = parted(server.as_object().ok_or_else(wrong)?, &OF_UPSTREAM);
        let own = Value::Object(own);
        let reader = Reader::new(&own, &OF_UPSTREAM, code, String::new(), Naming::Camel)?;
        if of_relay.contains_key("scope") {
            return Err(reader.error_at("scope", "scope is an option of the gateway, not of a server".to_owned()));
        }
        let mut options = shared.clone();
        options.extend(of_relay);
        // A name that is misspelled is named before what is missing for it.
        let relay = RelayOptions::new(&Value::Object(options))?;
        let place = match reader.get("command") {
            Some(_) => PlaceOption::Command(CommandOptions::new(&reader, &own)?),
            None => remote(&reader, &own)?,
        };
        Ok(Self { place, relay })
    }
}

impl CommandOptions {
    fn new(reader: &Reader<'_>, own: &Value) -> Result<Self, Error> {
        if let Some(other) = ["url", "headers"].into_iter().find(|name| reader.get(name).is_some()) {
            return Err(reader.error_at(other, format!("command and {other} exclude each other")));
        }
        let words = reader.get("command").and_then(Value::as_array).filter(|words| !words.is_empty());
        let words = words.and_then(|words| words.iter().map(|word| word.as_str().map(str::to_owned)).collect());
        let command: Option<Vec<String>> =
            words.filter(|words: &Vec<String>| words.iter().all(|word| !word.contains('\0')));
        let command = command.filter(|words| !words[0].is_empty());
        let takes = "a list of a program and its arguments";
        let command = command.ok_or_else(|| reader.error("command", &own["command"], takes))?;
        let mut env = Vec::new();
        for (name, value) in members(reader, "env", own)? {
            // The value may be a secret.
            let wrong = || reader.error_at("env", format!("{name} is not a variable with a text"));
            let value = value.as_str().filter(|value| !value.contains('\0')).ok_or_else(wrong)?;
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(wrong());
            }
            env.push((name.clone(), value.to_owned()));
        }
        Ok(Self { command, env })
    }
}

/// A server behind HTTP.
fn remote(reader: &Reader<'_>, own: &Value) -> Result<PlaceOption, Error> {
    if reader.get("env").is_some() {
        return Err(reader.error_at("env", "env requires command".to_owned()));
    }
    let takes = "the address of a server, with http:// or https://";
    let url = reader.text("url")?.filter(|url| is_address(url)).and_then(|url| url.parse().ok());
    let url: Uri = url.ok_or_else(|| reader.error("url", &own["url"], takes))?;
    let mut headers = HeaderMap::new();
    for (name, value) in members(reader, "headers", own)? {
        let header =
            name.parse::<HeaderName>().ok().zip(value.as_str().and_then(|text| HeaderValue::try_from(text).ok()));
        // The value may be a secret.
        let (name, value) =
            header.ok_or_else(|| reader.error_at("headers", format!("{name} is not a header with a text")))?;
        headers.insert(name, value);
    }
    Ok(PlaceOption::Remote(url, headers))
}

/// The members of an object; none if it is absent.
fn members<'o>(reader: &Reader<'o>, name: &str, own: &Value) -> Result<Vec<(&'o String, &'o Value)>, Error> {
    let Some(value) = reader.get(name) else { return Ok(Vec::new()) };
    let members = value.as_object().ok_or_else(|| reader.error(name, &own[name], "an object with texts"))?;
    Ok(members.iter().collect())
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
