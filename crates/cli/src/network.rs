//! How a server is reached: the certificates that are trusted, and the proxy between, as the environment says.

use std::path::Path;
use std::{env, fs};

use anyhow::{Context, Result, anyhow, ensure};
use ureq::http::Uri;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Proxy};

/// What sends requests to an address.
///
/// # Errors
/// Certificates that cannot be read, and an invalid proxy.
pub fn agent(address: &Uri) -> Result<Agent> {
    let is_secure = address.scheme_str() == Some("https");
    let roots = if is_secure { trusted()? } else { RootCerts::WebPki };
    // A redirection would take the headers to a place that nobody named.
    let config = Agent::config_builder().http_status_as_error(false).max_redirects(0).max_redirects_will_error(false);
    let tls = TlsConfig::builder().root_certs(roots).build();
    Ok(config.tls_config(tls).proxy(proxy(address)?).build().new_agent())
}

/// The authorities of `SSL_CERT_FILE` and `SSL_CERT_DIR`, or else those of Mozilla's list.
fn trusted() -> Result<RootCerts> {
    let mut found = Vec::new();
    let (file, folder) = (variable(&["SSL_CERT_FILE"]), variable(&["SSL_CERT_DIR"]));
    if let Some((name, file)) = &file {
        let text = fs::read(file).with_context(|| format!("cannot read {file}, which {name} names"))?;
        found.extend(certificates(&text));
        ensure!(!found.is_empty(), "{file}, which {name} names, has no certificate");
    }
    for folder in folder.iter().flat_map(|(_, folders)| env::split_paths(folders)) {
        found.extend(files(&folder).flat_map(|text| certificates(&text)));
    }
    Ok(if found.is_empty() { RootCerts::WebPki } else { RootCerts::from(found) })
}

/// What can be read in a folder.
fn files(folder: &Path) -> impl Iterator<Item = Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| fs::read(entry.path()).ok())
}

fn certificates(text: &[u8]) -> Vec<Certificate<'static>> {
    let certificate = |item| if let Ok(PemItem::Certificate(found)) = item { Some(found) } else { None };
    parse_pem(text).filter_map(certificate).collect()
}

/// The proxy for an address, as curl reads its variables.
fn proxy(address: &Uri) -> Result<Option<Proxy>> {
    let names = match address.scheme_str() {
        Some("https") => ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
        _ => ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
    };
    let Some((name, proxy)) = variable(&names) else { return Ok(None) };
    let host = address.host().unwrap_or_default().trim_matches(['[', ']']);
    if variable(&["no_proxy", "NO_PROXY"]).is_some_and(|(_, hosts)| is_excepted(host, &hosts)) {
        return Ok(None);
    }
    // Its address may have a password.
    Proxy::new(&proxy).map(Some).map_err(|_| anyhow!("invalid proxy address in {name}"))
}

/// Whether a host, or a domain that it is in, is in a list.
fn is_excepted(host: &str, hosts: &str) -> bool {
    let host = host.to_ascii_lowercase();
    hosts.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty()).any(|name| {
        let domain = name.trim_start_matches('*').trim_start_matches('.').trim_matches(['[', ']']).to_ascii_lowercase();
        name == "*" || host.strip_suffix(&*domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

/// The first of these variables that says something.
fn variable<'n>(names: &[&'n str]) -> Option<(&'n str, String)> {
    names.iter().find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()).map(|value| (*name, value)))
}

#[cfg(test)]
mod tests {
    use super::is_excepted;

    #[test]
    fn a_domain_excepts_the_hosts_in_it() {
        for (host, hosts, wanted) in [
            ("a.example.com", "localhost, .example.com", true),
            ("A.example.com", "Example.com", true),
            ("example.com", "*.example.com", true),
            ("badexample.com", "example.com", false),
            ("example.com", "a.example.com", false),
            ("127.0.0.1", "127.0.0.1", true),
            ("::1", "[::1]", true),
            ("anything", "*", true),
            ("anything", ",, ", false),
        ] {
            assert_eq!(is_excepted(host, hosts), wanted, "{host} {hosts}");
        }
    }
}
