//! Requests of web pages, which a gateway on a machine or in a network is open to: refused before anything runs.
//!
//! Where a server behind HTTP answers, it checks `Origin` itself. Where the gateway answers for a command, it is the server that the
//! transport of MCP (2025-11-25 and 2026-07-28, "Security Warning") asks to. A type of content that no form has needs a preflight,
//! which nobody answers.

use std::net::SocketAddr;

use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::{Method, StatusCode, Uri};

use crate::headers;
use crate::reply::Refusal;

/// The names of this machine, which no other site has.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Where a gateway is: the address that it listens on, and the one for clients.
pub struct OwnAddress<'g> {
    pub listen: SocketAddr,
    pub public: Option<&'g str>,
}

impl OwnAddress<'_> {
    /// Refuses a page that was led here by the name of another site (DNS rebinding).
    ///
    /// # Errors
    /// A `Host`, or the host in the request's `target`, that is not of this address: of a port of this machine, and of a command
    /// behind a public address.
    pub fn check_host(&self, headers: &HeaderMap, target: Option<&str>, is_command: bool) -> Result<(), Refusal> {
        if !(self.listen.ip().is_loopback() || is_command && self.public.is_some()) {
            return Ok(());
        }
        let public = self.public.and_then(host_of);
        let is_own = |authority: &str| {
            host(authority).is_some_and(|host| LOOPBACK.contains(&&*host) || public.as_ref() == Some(&host))
        };
        match once(headers, &HOST).is_some_and(is_own) && target.is_none_or(is_own) {
            true => Ok(()),
            false => {
                let reason = "the Host header is not of this address: publicUrl has the name that clients use";
                Err(Refusal::new(StatusCode::FORBIDDEN, reason))
            }
        }
    }

    /// Refuses a page of another site that asks a command, or deletes.
    ///
    /// # Errors
    /// A foreign `Origin`; a message whose type is not JSON.
    pub fn check_page(&self, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
        if headers.contains_key(ORIGIN) && !once(headers, &ORIGIN).is_some_and(|origin| self.is_own(origin)) {
            return Err(Refusal::new(StatusCode::FORBIDDEN, "the Origin header is of another site"));
        }
        let kind = once(headers, &CONTENT_TYPE).and_then(|kind| kind.split(';').next());
        let is_json = kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
        match *method == Method::POST && !is_json {
            true => Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a message has the type application/json")),
            false => Ok(()),
        }
    }

    /// Whether an origin is this address.
    fn is_own(&self, origin: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        let public = self.public.and_then(origin_of);
        let port = self.listen.port();
        public.as_ref() == Some(&origin) || LOOPBACK.iter().any(|name| origin == format!("http://{name}:{port}"))
    }
}

/// The value of a header that is there once: of several, each reader takes another.
fn once<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers::text(headers, name).filter(|_| headers.get_all(name).iter().count() == 1)
}

fn host(authority: &str) -> Option<String> {
    let address: Uri = authority.parse().ok()?;
    let address = address.authority()?;
    let port = address.as_str().strip_prefix(address.host())?;
    (port.is_empty() || port.starts_with(':')).then(|| address.host().to_ascii_lowercase())
}

fn host_of(url: &str) -> Option<String> {
    url.parse::<Uri>().ok()?.host().map(str::to_ascii_lowercase)
}

fn origin_of(url: &str) -> Option<String> {
    let address: Uri = url.parse().ok()?;
    Some(format!("{}://{}", address.scheme_str()?, address.authority()?).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        all.iter().fold(HeaderMap::new(), |mut headers, (name, value)| {
            headers.append(*name, value.parse().unwrap());
            headers
        })
    }

    #[test]
    fn a_page_of_another_site_is_refused() {
        let own = OwnAddress { listen: "127.0.0.1:8080".parse().unwrap(), public: Some("https://mcp.example.com/a") };
        for (origin, is_own) in [
            ("https://mcp.example.com", true),
            ("http://localhost:8080", true),
            ("HTTP://LOCALHOST:8080", true),
            ("http://[::1]:8080", true),
            ("http://mcp.example.com", false),
            ("https://mcp.example.com.evil.example", false),
            ("https://mcp.example.com:8443", false),
            ("http://localhost:3000", false),
            ("http://localhost.evil.example:8080", false),
            ("http://evil.example", false),
            ("null", false),
            ("", false),
            ("file://", false),
        ] {
            let all = headers(&[("origin", origin), ("content-type", "application/json")]);
            assert_eq!(own.check_page(&Method::POST, &all).is_ok(), is_own, "{origin}");
            assert_eq!(own.check_page(&Method::GET, &headers(&[("origin", origin)])).is_ok(), is_own, "{origin}");
        }
        let twice = headers(&[("origin", "http://localhost:8080"), ("origin", "http://evil.example")]);
        assert!(own.check_page(&Method::GET, &twice).is_err());
    }

    #[test]
    fn a_message_is_json() {
        let own = OwnAddress { listen: "127.0.0.1:8080".parse().unwrap(), public: None };
        for (kind, is_json) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("text/plain", false),
            ("text/plain; application/json", false),
            ("text/plain, application/json", false),
            ("application/json, text/plain", false),
            ("application/x-www-form-urlencoded", false),
            ("multipart/form-data; boundary=application/json", false),
            ("application/jsonp", false),
            ("", false),
        ] {
            assert_eq!(own.check_page(&Method::POST, &headers(&[("content-type", kind)])).is_ok(), is_json, "{kind}");
        }
        assert!(own.check_page(&Method::POST, &HeaderMap::new()).is_err());
        assert!(own.check_page(&Method::DELETE, &HeaderMap::new()).is_ok());
    }

    #[test]
    fn a_host_is_of_this_address() {
        let of = |listen: &str, public, host: &[&str], is_command| {
            let all: Vec<_> = host.iter().map(|host| ("host", *host)).collect();
            OwnAddress { listen: listen.parse().unwrap(), public }.check_host(&headers(&all), None, is_command).is_ok()
        };
        for (host, is_own) in [
            (&["127.0.0.1:8080"][..], true),
            (&["localhost"], true),
            (&["[::1]:8080"], true),
            (&["mcp.example.com"], true),
            (&["evil.example"], false),
            (&["127.0.0.1.evil.example"], false),
            (&["localhost@evil.example"], false),
            (&["localhost", "evil.example"], false),
            (&["192.0.2.1"], false),
            (&[""], false),
            (&[], false),
        ] {
            assert_eq!(of("127.0.0.1:8080", Some("https://mcp.example.com"), host, false), is_own, "{host:?}");
            assert_eq!(of("0.0.0.0:8080", Some("https://mcp.example.com"), host, true), is_own, "{host:?}");
            assert!(of("0.0.0.0:8080", Some("https://mcp.example.com"), host, false));
            assert!(of("0.0.0.0:8080", None, host, true));
        }
    }
}
