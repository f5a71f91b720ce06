//! A server behind the gateway, and the connections to all of them.

use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, ensure};
use hyper::Uri;
use hyper::header::HeaderMap;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use toolshape_proxy::Relay;

use crate::command::Command;
use crate::connector::Connector;
use crate::lock::locked;
use crate::options::{PlaceOption, ServeLimits, UpstreamOptions};
use crate::pool::Pool;
use crate::share::Share;

/// A server.
pub struct Upstream {
    pub name: Arc<str>,
    pub place: Place,
    pub max_line_bytes: usize,
    /// The relays of sessions of which nothing is known: with a store, and without one.
    blank: [Relay; 2],
}

/// Where a server is.
pub enum Place {
    Remote(Box<Remote>),
    Command(Box<Command>),
}

/// A server behind HTTP.
pub struct Remote {
    pub url: Uri,
    /// The headers that each request gets.
    pub headers: HeaderMap,
    metadata: Mutex<Metadata>,
}

/// Where the metadata of a server's resource is.
#[derive(Clone, Default)]
pub enum Metadata {
    /// The server has not been asked.
    #[default]
    Unknown,
    /// The server does not say.
    Usual,
    At(Uri),
}

impl Upstream {
    /// `room` has the processes that may run at the same time.
    pub fn new(name: String, options: UpstreamOptions, limits: &ServeLimits, room: &Arc<Share>) -> Self {
        let UpstreamOptions { place, relay: of_relay } = options;
        let blank = [false, true].map(|has_store| Relay::of(&of_relay, has_store));
        let max_line_bytes = of_relay.max_line_bytes;
        let place = match place {
            PlaceOption::Remote(url, headers) => {
                Place::Remote(Box::new(Remote { url, headers, metadata: Mutex::default() }))
            }
            PlaceOption::Command(options) => {
                let room = Arc::clone(room);
                Place::Command(Box::new(Command::new(options, &of_relay, limits.clone(), room)))
            }
        };
        Self { name: name.into(), place, max_line_bytes, blank }
    }

    pub fn blank(&self, has_store: bool) -> &Relay {
        &self.blank[usize::from(has_store)]
    }

    /// The name of the tool that reads stored results.
    #[cfg(feature = "ext-proc")]
    pub fn read_tool(&self) -> &str {
        self.blank(true).read_tool()
    }

    /// The server behind HTTP.
    pub fn remote(&self) -> Option<&Remote> {
        if let Place::Remote(remote) = &self.place { Some(remote) } else { None }
    }

    /// The server that is a command.
    pub fn command(&self) -> Option<&Command> {
        if let Place::Command(command) = &self.place { Some(command) } else { None }
    }
}

impl Remote {
    /// Where the server last said that the metadata of its resource is.
    pub fn metadata(&self) -> Metadata {
        locked(&self.metadata).clone()
    }

    pub fn know_metadata(&self, metadata: Metadata) {
        *locked(&self.metadata) = metadata;
    }

    /// The scheme and the authority of its address.
    pub fn origin(&self) -> String {
        let authority = self.url.authority().map_or("", |authority| authority.as_str());
        format!("{}://{authority}", self.url.scheme_str().unwrap_or("http"))
    }

    /// The path of its address.
    pub fn path(&self) -> &str {
        self.url.path()
    }
}

/// The connections to all servers, which are made with this.
///
/// # Errors
/// Certificates that cannot be read.
pub fn pool(connector: Connector) -> Result<Arc<Pool>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let tls = tls.with_root_certificates(trusted()?).with_no_client_auth();
    let builder = hyper_rustls::HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
    Ok(Pool::new(builder.wrap_connector(connector)))
}

/// The authorities of `SSL_CERT_FILE` and `SSL_CERT_DIR`, or else those of Mozilla's list.
fn trusted() -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(file) = set("SSL_CERT_FILE") {
        let file = Path::new(&file);
        let shown = file.display();
        let certificates = CertificateDer::pem_file_iter(file).with_context(|| format!("cannot read {shown}"))?;
        roots.add_parsable_certificates(certificates.flatten());
        ensure!(!roots.is_empty(), "{shown}, which SSL_CERT_FILE names, has no certificate");
    }
    for folder in set("SSL_CERT_DIR").iter().flat_map(std::env::split_paths) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let certificates = CertificateDer::pem_file_iter(entry.path()).into_iter().flatten();
            roots.add_parsable_certificates(certificates.flatten());
        }
    }
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    Ok(roots)
}
