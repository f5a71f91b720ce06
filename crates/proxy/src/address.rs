//! Addresses, which may have secrets: whoever shows one shows its scheme, host and port alone.

use std::borrow::Cow;
use std::fmt;

/// An address that is printed without its user, password, path and query.
///
/// ```
/// use toolshape_proxy::Address;
/// let address = Address::new("rediss://user:SECRET@host.test:6380/0?key=SECRET");
/// assert_eq!(address.to_string(), "rediss://host.test:6380");
/// assert_eq!(format!("{address:?}"), "rediss://host.test:6380");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    pub fn new(address: impl Into<String>) -> Self {
        Self(address.into())
    }

    /// The whole address, for the connection and nobody else.
    pub fn whole(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.0.split_once("://").unwrap_or_default();
        let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "+.-:[],".contains(letter);
        match host.is_empty() || !scheme.chars().chain(host.chars()).all(is_plain) {
            true => to.write_str("an invalid address"),
            false => write!(to, "{scheme}://{host}"),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}

/// Whether a text begins as an address does: with a scheme (RFC 3986, section 3.1). One letter is a drive.
pub fn has_scheme(text: &str) -> bool {
    let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte);
    text.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() > 1 && scheme.as_bytes()[0].is_ascii_alphabetic() && scheme.bytes().all(is_of_scheme)
    })
}

/// A message in which addresses have no user and no password.
///
/// ```
/// let said = toolshape_proxy::without_passwords("unexpected 'redis://user:SECRET@host/0' found");
/// assert_eq!(said, "unexpected 'redis://host/0' found");
/// ```
pub fn without_passwords(message: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut rest = message;
    while let Some(at) = rest.find("://").map(|at| at + "://".len()) {
        let (before, after) = rest.split_at(at);
        let end = after.find(|letter: char| letter.is_whitespace() || "'\"`/?#".contains(letter));
        let (authority, after) = after.split_at(end.unwrap_or(after.len()));
        shown.push_str(before);
        shown.push_str(authority.rsplit('@').next().unwrap_or_default());
        rest = after;
    }
    if shown.is_empty() {
        return Cow::Borrowed(message);
    }
    Cow::Owned(shown + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_secrets() {
        for (address, wanted) in [
            ("https://user:SECRET@host.test:81/s/SECRET?key=SECRET#SECRET", "https://host.test:81"),
            ("http://SECRET@[::1]/", "http://[::1]"),
            ("https://host.test", "https://host.test"),
            ("https://host.test?SECRET", "https://host.test"),
            ("redis+sentinel://SECRET:SECRET@a:1,b:2", "redis+sentinel://a:1,b:2"),
            ("redis://user:SEC@RET@host:1", "redis://host:1"),
            ("https://SECRET SECRET", "an invalid address"),
            ("SECRET", "an invalid address"),
            ("", "an invalid address"),
        ] {
            assert_eq!(Address::new(address).to_string(), wanted, "{address}");
        }
    }

    #[test]
    fn a_scheme_is_no_folder() {
        for place in ["redis+sentinel://a:1", "postgres://a", "s3:bucket", "redis-sentinel://a", "REDIS://a", "file:/a"]
        {
            assert!(has_scheme(place), "{place}");
        }
        for place in ["results", "./a:b", "/a:b", "C:\\results", "~/x", ":x", "1a:b", "a b:c"] {
            assert!(!has_scheme(place), "{place}");
        }
    }

    #[test]
    fn messages_have_no_passwords() {
        for (message, wanted) in [
            ("a://u:SECRET@h and b://SECRET@[::1]:2/x", "a://h and b://[::1]:2/x"),
            ("a://u:SEC@RET@h", "a://h"),
            ("mail a@b.test", "mail a@b.test"),
            ("https://host/@scope", "https://host/@scope"),
            ("://", "://"),
        ] {
            assert_eq!(without_passwords(message), wanted);
        }
    }
}
