//! The servers of a gateway, each with the options of a relay.

use std::collections::BTreeMap;

use hyper::Uri;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};
use toolshape::host::{Naming, Reader};
use toolshape::{Error, ErrorCode};
use toolshape_proxy::RelayOptions;

use super::{is_address, parted};

/// The options that a server has in addition to those of a relay.
const OF_UPSTREAM: [&str; 4] = ["url", "headers", "command", "env"];
/// The paths of the gateway itself.
const RESERVED: [&str; 4] = ["healthz", "readyz", "metrics", "results"];

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
    /// Variables in addition to those that every program needs.
    pub env: Vec<(String, String)>,
}

/// The servers by their names. `shared` has the options for all of them.
pub fn read(reader: &Reader<'_>, shared: &Map<String, Value>) -> Result<BTreeMap<String, UpstreamOptions>, Error> {
    let servers = reader.get("upstreams").and_then(Value::as_object).filter(|servers| !servers.is_empty());
    let none = "upstreams must have at least one server, by its name";
    let servers = servers.ok_or_else(|| reader.error_at("upstreams", none.to_owned()))?;
    let mut upstreams = BTreeMap::new();
    for (name, server) in servers {
        let place = format!("upstreams/{name}");
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        if name.is_empty() || !name.chars().all(is_plain) || RESERVED.contains(&name.as_str()) {
            let message =
                format!("{name} is not a server's name: letters, digits, - and _, but not {}", RESERVED.join(", "));
            return Err(reader.error_at(&place, message));
        }
        let read = UpstreamOptions::new(server, shared);
        upstreams.insert(
            name.clone(),
            read.map_err(|error| {
                Error::new(error.code(), format!("{place}: {}", error.message()), format!("/{place}{}", error.path()))
            })?,
        );
    }
    Ok(upstreams)
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
    let url = reader.text("url")?.filter(|url| is_address(url)).and_then(|url| url.parse().ok());
    // It may have a password.
    let wrong = "url is not the address of a server, with http:// or https://";
    let url: Uri = url.ok_or_else(|| reader.error_at("url", wrong.to_owned()))?;
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
