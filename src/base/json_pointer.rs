//! JSON Pointers (RFC 6901).

use std::borrow::Cow;

/// A reference token with `~` and `/` escaped.
pub fn escape(token: &str) -> Cow<'_, str> {
    if token.contains(['~', '/']) {
        Cow::Owned(token.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(token)
    }
}

/// More tokens than any value has levels: a longer pointer does not exist, wherever it is cut.
pub(crate) const MAX_TOKENS: usize = 8192;

/// The reference tokens of a pointer, at most 8,192; `None` if it is neither empty nor begins with `/`.
pub fn tokens(pointer: &str) -> Option<Vec<String>> {
    match pointer.strip_prefix('/') {
        Some(rest) => Some(rest.split('/').take(MAX_TOKENS).map(unescape).collect()),
        None if pointer.is_empty() => Some(Vec::new()),
        None => None,
    }
}

fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// The array index that a reference token spells: digits without a leading zero.
pub fn index(token: &str) -> Option<usize> {
    let canonical = token == "0" || !token.starts_with('0');
    (canonical && token.bytes().all(|b| b.is_ascii_digit())).then(|| token.parse().ok()).flatten()
}
