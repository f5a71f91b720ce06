//! The configuration files of hosts, and the changes that put a relay before a server and take it away.
//!
//! A change inserts words into the text: comments, order, spaces and line ends stay. What was meant is read again from the new
//! text. An entry itself shows that it is wrapped, so it can be undone after the host or the user has changed the file.
#![forbid(unsafe_code)]

mod address;
mod edit;
mod files;
mod hooks;
mod json;
mod members;
mod reader;
mod server;
mod shell;
mod toml;
mod trust;
mod wrap;
mod yaml;

use std::fmt;

pub use files::{HostFile, files, project_files};
pub use hooks::{Hook, hooks};
pub use reader::{add_reader, remove_reader};
pub use server::Server;
pub use shell::{quoted_word, words};
pub use trust::{Trust, trust};
pub use wrap::{Change, Relay, set_words, unwrap, wrap};

/// Why a file is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub(crate) String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// The servers in the text of a file, in their order.
///
/// # Errors
/// Text that is not of the file's format, and two entries of one name.
pub fn servers(file: &HostFile, text: &str) -> Result<Vec<Server>, Refusal> {
    let found = match file.format {
        files::Format::Json => json::servers(text, file.places)?,
        files::Format::Toml => toml::servers(text, file.places)?,
        files::Format::Yaml => yaml::servers(text, file.places)?,
    };
    for (at, server) in found.iter().enumerate() {
        if found[..at].iter().any(|other| other.name == server.name && other.place == server.place) {
            return Err(Refusal(format!("there are two servers {:?}", server.name)));
        }
    }
    Ok(found)
}
