//! A server as a host's configuration names it.

use std::collections::BTreeMap;

/// A server that a host starts, or reaches by its address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfiguredServer {
    pub name: String,
    /// The program and its arguments; nothing of a server with an address.
    pub command: Vec<String>,
    pub environment: BTreeMap<String, String>,
    pub folder: Option<String>,
    pub url: Option<String>,
    /// The headers of every request to its address.
    pub headers: BTreeMap<String, String>,
}

impl ConfiguredServer {
    /// A server that a command starts, without a name.
    pub fn started_by(command: &[String]) -> Self {
        Self { command: command.to_vec(), ..Self::default() }
    }

    /// A server at an address, without a name.
    pub fn at(url: &str) -> Self {
        Self { url: Some(url.to_owned()), ..Self::default() }
    }
}
