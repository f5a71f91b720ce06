//! The options of a relay, from a file `toolshape.json` or a command line: those of a policy, and its own.

use std::fmt;

use serde_json::Value;

use crate::address::{Address, has_scheme};
use crate::lenient_json;
use toolshape::host::{Naming, OF_REDACTION, Reader, Redaction, Takes, names, read_redaction};
use toolshape::{Error, ErrorCode, Policy, option_table};

option_table! {
    /// The options that a relay has in addition to those of a policy.
    pub const OF_RELAY;

    /// Where whole results are kept: in memory (true), nowhere (false), in a folder, or in a service such as
    /// `redis://host:port`.
    "store", Takes::Host("true (memory), false (none), a folder, an address, or a list of two addresses"), "a private folder in the user's cache";
    /// Bytes over which a stored value goes to the second address of `store`, as it is stored.
    "storeOver", Takes::Whole(0, MOST_STORE_OVER), "65536";
    /// 64 hex digits: the secret with which values in a service are encrypted.
    "storeKey", Takes::Text, "none";
    /// How long a service keeps a value that nobody reads.
    "storeSeconds", Takes::Whole(LEAST_STORE_SECONDS, MOST_STORE_SECONDS), "86400";
    /// Tools whose arguments may name a stored result, as `{"$result": "<handle>"}`.
    "resultArguments", Takes::Texts, "none";
    /// Owner of the stored results: handles are valid within one scope only. It requires a `cursorKey`.
    "scope", Takes::Text, "none";
    /// How long an answer of a server behind HTTP counts as consent to read stored results.
    "authorizeSeconds", Takes::Whole(0, MOST_AUTHORIZE_SECONDS), "60";
    /// Bytes of the longest message, from either side. The request of a longer one is answered with an error.
    "maxLineBytes", Takes::Whole(LEAST_LINE_BYTES, MOST_LINE_BYTES), "256000000";
    /// Whether the server has `read_result`; false beside `toolshape reader`.
    "addReader", Takes::Flag, "true";
    /// Changes nothing, and counts what would have been saved.
    "observe", Takes::Flag, "false";
    + OF_REDACTION[0], OF_REDACTION[1];
}

const MOST_STORE_OVER: u64 = 1 << 30;
const STORE_OVER: u64 = 1 << 16;
const LEAST_STORE_SECONDS: u64 = 60;
const MOST_STORE_SECONDS: u64 = 31_536_000;
const LEAST_LINE_BYTES: u64 = 1 << 16;
const MOST_LINE_BYTES: u64 = 2_000_000_000;
const MOST_AUTHORIZE_SECONDS: u64 = 86_400;
const AUTHORIZE_SECONDS: u64 = 60;
/// The default of `maxLineBytes`.
pub const LINE_BYTES: usize = 256_000_000;

const OWN: [&str; OF_RELAY.len()] = names(&OF_RELAY);
/// The relay's own options that shape. All others name a place, a secret, or who reads results.
const SHAPING: [&str; 2] = names(&OF_REDACTION);
/// The options of a policy that are secrets.
const SECRETS: [&str; 1] = ["cursorKey"];
/// An editor's reference to the schema of the file.
const SCHEMA: &str = "$schema";
/// How the addresses of services begin.
pub const SCHEMES: [&str; 11] = [
    "redis", "rediss", "redis+cluster", "rediss+cluster", "redis+sentinel", "rediss+sentinel", "postgres",
    "postgresql", "s3", "gs", "az",
];
const TAKES_STORE: &str = "true for one in memory, false for none, a folder, the address of a service (redis://host:port, \
                           postgres://…, s3://…), or a list of two addresses";
const TAKES_KEY: &str = "64 hex digits";
const TAKES_TOOLS: &str = "a list of names of tools";

/// Where a relay keeps whole results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreOption {
    None,
    Memory,
    /// A private folder in the user's cache, or memory if there cannot be one: many hosts start a relay for each call.
    Cache,
    /// A path, as given.
    Folder(String),
    /// A service that other machines reach too.
    Service(ServiceOption),
}

/// A service that keeps whole results.
#[derive(Clone, PartialEq, Eq)]
pub struct ServiceOption {
    pub address: Address,
    /// The service for values of over that many bytes.
    pub for_large: Option<(Address, usize)>,
    /// The secret with which values are encrypted.
    pub key: Option<[u8; 32]>,
    /// How long it keeps a value that nobody reads; none for as long as any store.
    pub seconds: Option<u64>,
    /// The most bytes of a tenant of a gateway.
    pub tenant_bytes: Option<u64>,
}

/// Without the secret.
impl fmt::Debug for ServiceOption {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("ServiceOption").field("address", &self.address).finish_non_exhaustive()
    }
}

/// The options of a relay.
#[derive(Clone, Debug, PartialEq)]
pub struct RelayOptions {
    pub policy: Policy,
    /// The tools that have options of their own.
    pub named_tools: Vec<String>,
    pub store: StoreOption,
    /// The tools whose arguments may name stored results.
    pub result_arguments: Vec<String>,
    /// What is removed from the server's messages.
    pub redaction: Redaction,
    /// The owner of the stored results.
    pub scope: Option<String>,
    /// How long the acceptance of a server behind HTTP counts for reading stored results.
    pub authorize_seconds: u64,
    /// The bytes of the longest message.
    pub max_line_bytes: usize,
    /// Whether the tool that reads stored results is among those of the server.
    pub add_reader: bool,
    /// Whether nothing is changed.
    pub observe: bool,
}

impl RelayOptions {
    /// Reads a JSON text with options, which may have comments and a comma before a closing bracket.
    ///
    /// # Errors
    /// `INVALID_JSON` with the line and the column; otherwise as [`new`](Self::new).
    ///
    /// ```
    /// let (options, read) = toolshape_proxy::RelayOptions::read("{ // a comment\n\"maxTokens\": 4000, }")?;
    /// assert_eq!(options["maxTokens"], 4000);
    /// assert_eq!(read.max_line_bytes, 256_000_000);
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn read(text: &str) -> Result<(Value, Self), Error> {
        let options = lenient_json::read(text)?;
        let read = Self::new(&options)?;
        Ok((options, read))
    }

    /// Whether an option only shapes: it names no place, no secret, and not who reads results. A file that somebody else may have
    /// written, such as one of a repository, may have these alone.
    ///
    /// ```
    /// use toolshape_proxy::RelayOptions;
    /// assert!(RelayOptions::only_shapes("maxTokens") && !RelayOptions::only_shapes("store"));
    /// ```
    pub fn only_shapes(name: &str) -> bool {
        name == SCHEMA
            || SHAPING.contains(&name)
            || Policy::options().any(|known| known == name) && !SECRETS.contains(&name)
    }

    /// Reads the options in their camelCase spelling. Absent ones have their defaults: a store in the user's cache, no arguments that
    /// name results.
    ///
    /// # Errors
    /// `INVALID_POLICY` for an unknown option, a wrong type or a value out of range.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape_proxy::{RelayOptions, StoreOption};
    /// let options = RelayOptions::new(&json!({ "maxTokens": 4000, "store": "results" }))?;
    /// assert_eq!(options.store, StoreOption::Folder("results".to_owned()));
    /// let wrong = RelayOptions::new(&json!({ "stor": true })).unwrap_err();
    /// assert_eq!(wrong.message(), "unknown option stor; did you mean store?");
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn new(options: &Value) -> Result<Self, Error> {
        let names: Vec<&str> = Policy::options().chain(OWN).chain([SCHEMA]).collect();
        let reader = Reader::new(options, &names, ErrorCode::InvalidPolicy, String::new(), Naming::Camel)?;
        let mut store = match reader.get("store") {
            None => StoreOption::Cache,
            Some(Value::Bool(true)) => StoreOption::Memory,
            Some(Value::Bool(false)) => StoreOption::None,
            Some(Value::String(place)) if is_service(place) => service(&[place]),
            // It may have a password.
            Some(Value::String(place)) if has_scheme(place) => {
                let message = format!("store is an address of another kind; it takes {TAKES_STORE}");
                return Err(reader.error_at("store", message));
            }
            Some(Value::String(place)) if !place.is_empty() => StoreOption::Folder(place.clone()),
            Some(Value::Array(places)) => {
                let texts: Vec<&str> =
                    places.iter().filter_map(Value::as_str).filter(|place| is_service(place)).collect();
                // Another value is not shown: it may have a password.
                if texts.len() != 2 || places.len() != 2 {
                    return Err(reader.error_at("store", format!("store is another list; it takes {TAKES_STORE}")));
                }
                service(&texts)
            }
            Some(other) => return Err(reader.error("store", other, TAKES_STORE)),
        };
        let key = match reader.text("storeKey")? {
            // It is not shown.
            Some(digits) if key(digits).is_none() => {
                return Err(reader.error_at("storeKey", format!("storeKey is something else; it takes {TAKES_KEY}")));
            }
            digits => digits.and_then(key),
        };
        let over = reader.integer("storeOver", 0, MOST_STORE_OVER)?.unwrap_or(STORE_OVER) as usize;
        let seconds = reader.integer("storeSeconds", LEAST_STORE_SECONDS, MOST_STORE_SECONDS)?;
        if let StoreOption::Service(service) = &mut store {
            (service.key, service.seconds) = (key, seconds);
            service.for_large.iter_mut().for_each(|(_, bytes)| *bytes = over);
        }
        let result_arguments = match reader.texts("resultArguments") {
            Ok(tools) => tools.unwrap_or_default().into_iter().map(str::to_owned).collect::<Vec<_>>(),
            Err(_) => return Err(reader.error("resultArguments", &options["resultArguments"], TAKES_TOOLS)),
        };
        let authorize_seconds = reader.integer("authorizeSeconds", 0, MOST_AUTHORIZE_SECONDS)?;
        let max_line_bytes = reader.integer("maxLineBytes", LEAST_LINE_BYTES, MOST_LINE_BYTES)?;
        if store == StoreOption::None && !result_arguments.is_empty() {
            let message = "resultArguments requires a store, which has the results that are named".to_owned();
            return Err(reader.error_at("resultArguments", message));
        }
        let redaction = read_redaction(&reader)?;
        let scope = reader.text("scope")?.map(str::to_owned);
        if scope.is_some() && reader.get("cursorKey").is_none() {
            return Err(reader.error_at("scope", "scope requires cursorKey".to_owned()));
        }
        let named_tools = options["tools"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let mut of_policy = options.clone();
        if let Value::Object(of_policy) = &mut of_policy {
            of_policy.retain(|name, _| name != SCHEMA && !OWN.contains(&name.as_str()));
        }
        Ok(Self {
            policy: Policy::new(&of_policy, Naming::Camel)?,
            named_tools,
            store,
            result_arguments,
            redaction,
            scope,
            authorize_seconds: authorize_seconds.unwrap_or(AUTHORIZE_SECONDS),
            max_line_bytes: max_line_bytes.map_or(LINE_BYTES, |bytes| bytes as usize),
            add_reader: reader.flag("addReader")?.unwrap_or(true),
            observe: reader.flag("observe")?.unwrap_or_default(),
        })
    }
}

fn is_service(place: &str) -> bool {
    place.split_once("://").is_some_and(|(scheme, rest)| SCHEMES.contains(&scheme) && !rest.is_empty())
}

fn service(addresses: &[&str]) -> StoreOption {
    let for_large = addresses.get(1).map(|address| (Address::new(*address), STORE_OVER as usize));
    let address = Address::new(addresses[0]);
    StoreOption::Service(ServiceOption { address, for_large, key: None, seconds: None, tenant_bytes: None })
}

fn key(digits: &str) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(key)
}
