//! The words about a rate limit that a model may read.
//!
//! The words of a client may quote the request or the response, with keys, addresses and bodies. Those of the program
//! that called the client were written for its users; what URLs in them keep secret still goes.

/// Ends a sentence, or the string around a URL, rather than the URL.
const AFTER: [char; 14] = ['.', ',', ';', ':', ')', ']', '}', '!', '"', '\'', '`', '>', '|', '\\'];

/// `text` without the user information, the query and the fragment of any URL in it.
pub fn without_url_secrets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| !is_end(c)) {
        let word = &rest[start..];
        let word = &word[..word.find(is_end).unwrap_or(word.len())];
        out += &rest[..start];
        push_word(word, &mut out);
        rest = &rest[start + word.len()..];
    }
    out + rest
}

fn is_end(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

/// Adds characters without white space: URLs that are in quotes, each to its closing quote, and then what follows.
fn push_word(word: &str, out: &mut String) {
    let mut rest = word;
    while let Some((start, begin)) = next_url(rest) {
        let scheme =
            rest[..start].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
        let Some(length) = closing_quote(scheme, &rest[begin..]) else { break };
        push_urls(&rest[..begin + length], out);
        rest = &rest[begin + length..];
    }
    push_urls(rest, out);
}

/// Where the quote is closed with which `before` ends. RFC 3986 allows `'` in a URL, so this one may be the last of several;
/// the others are in no URL that is written as it should be.
fn closing_quote(before: &str, quoted: &str) -> Option<usize> {
    let mut ends = before.chars().rev();
    match ends.next()? {
        '\'' => quoted.rfind('\''),
        '<' => quoted.find('>'),
        '`' => quoted.find('`'),
        '"' => {
            let is_escaped = ends.next() == Some('\\');
            quoted.match_indices('"').map(|(at, _)| at).find(|at| quoted[..*at].ends_with('\\') == is_escaped)
        }
        _ => None,
    }
}

/// The next `//` that an authority may follow, also one that is written `\/\/`, as in JSON: where it starts, with the colon
/// of a scheme, and where the authority begins.
fn next_url(text: &str) -> Option<(usize, usize)> {
    text.match_indices('/').find_map(|(at, _)| {
        let (slashes, begin) = match text[at..].starts_with("//") {
            true => (at, at + 2),
            false if text[..at].ends_with('\\') && text[at..].starts_with("/\\/") => (at - 1, at + 3),
            false => return None,
        };
        let before = &text[..slashes];
        if let Some(scheme) = before.strip_suffix(':') {
            return Some((scheme.len(), begin));
        }
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '/' | '\\' | '.' | '-' | '_');
        (!before.ends_with(goes_on)).then_some((slashes, begin))
    })
}

/// Adds a word, in which a URL may begin anywhere and goes on to the end.
fn push_urls(word: &str, out: &mut String) {
    let Some((_, mut begin)) = next_url(word) else {
        return push_path(word, out);
    };
    let last_at = word.rfind('@');
    let mut shown = 0;
    loop {
        out.push_str(&word[shown..begin]);
        let url = &word[begin..];
        let authority = &url[..url.find(['/', '?', '#', '\\']).unwrap_or(url.len())];
        shown = match (authority.rfind('@'), last_at.filter(|last| *last >= begin)) {
            // A password may have the characters that end an authority.
            (None, Some(last)) if !has_port(authority) => last + 1,
            (Some(user), _) => begin + user + 1,
            _ => begin,
        };
        // Another URL may follow without a space; one in a query goes with it.
        let url = &word[shown..];
        let next = next_url(url);
        if let Some(cut) = url[..next.map_or(url.len(), |(start, _)| start)].find(['?', '#']) {
            return push_cut(url, cut, out);
        }
        match next {
            Some((_, next)) => begin = shown + next,
            None => return out.push_str(url),
        }
    }
}

/// Adds a word without a URL; it may have paths with a query, as in `GET /items?key=…`.
fn push_path(word: &str, out: &mut String) {
    let mut rest = word;
    while let Some(query) = rest.find('?').filter(|query| rest[..*query].contains('/')) {
        let opening = rest[..query].rfind(['"', '\'', '`', '<']).map_or("", |at| &rest[..=at]);
        let end = closing_quote(opening, &rest[query..]).map_or(rest.len(), |length| query + length);
        match rest[query..end].contains('=') {
            true => push_cut(&rest[..end], query, out),
            false => out.push_str(&rest[..end]),
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
}

/// Adds the word up to a byte, and the punctuation that follows it.
fn push_cut(word: &str, cut: usize, out: &mut String) {
    let end = word.trim_end_matches(AFTER).len().max(cut);
    out.push_str(&word[..cut]);
    out.push_str(&word[end..]);
}

/// Whether all that follows a colon in an authority is a port.
fn has_port(authority: &str) -> bool {
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
    port.bytes().all(|byte| byte.is_ascii_digit()) || authority.starts_with('[')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_lose_what_is_secret_in_them() {
        for (given, wanted) in [
            ("", ""),
            ("no URL: a?b=c, 1/2 and what? now", "no URL: a?b=c, 1/2 and what? now"),
            ("for url 'https://u:p@api.test:8/v1/x?api_key=k#f'.", "for url 'https://api.test:8/v1/x'."),
            ("(https://api.test/v1?k=v), then", "(https://api.test/v1), then"),
            ("https://api.test/?a=(b)", "https://api.test/)"),
            ("https://api.test#frag", "https://api.test"),
            ("[redis://:pw@10.0.0.1:6379/0]", "[redis://10.0.0.1:6379/0]"),
            ("postgres://me:p/w?x#y@db.test/name", "postgres://db.test/name"),
            ("https://registry.test/@scope/name", "https://registry.test/@scope/name"),
            ("https://[::1]:80/a@b?k", "https://[::1]:80/a@b"),
            ("a=https://u@a.test/x,b=https://v:w@b.test/y", "a=https://a.test/x,b=https://b.test/y"),
            ("a=https://u@a.test/x,b=https://v:w@b.test/y?k=1", "a=https://a.test/x,b=https://b.test/y"),
            ("GET /v1/items?key=s failed", "GET /v1/items failed"),
            ("url=\"https://a.test/?k=s\"\\nnext", "url=\"https://a.test/\"\\nnext"),
            ("https://a.test/?next=https://u:p@b.test/", "https://a.test/"),
            ("ünï https://ü.test/ä?ö=ü ünï", "ünï https://ü.test/ä ünï"),
            ("sync of https://bob:pa'S@h.test/x failed", "sync of https://h.test/x failed"),
            ("sync of https://h.test/x?name=O'Brien&key=S, again", "sync of https://h.test/x, again"),
            ("for 'https://h.test/x?name=O'Brien&key=S'.", "for 'https://h.test/x'."),
            ("https://bob:p|w\"<>^`S@h.test/x", "https://h.test/x"),
            ("https:\\/\\/bob:S@h.test\\/x?k=S", "https:\\/\\/h.test\\/x"),
            ("//bob:S@h.test/x?k=S (//bob:S@h.test)", "//h.test/x (//h.test)"),
            ("{\"url\":\"https://a.test/?k=S\",\"in\":30}", "{\"url\":\"https://a.test/\",\"in\":30}"),
            ("{\\\"url\\\":\\\"https://a.test/?k=S\\\",1}", "{\\\"url\\\":\\\"https://a.test/\\\",1}"),
            ("{\"path\":\"/a?k=S\",\"in\":30}", "{\"path\":\"/a\",\"in\":30}"),
            ("<https://a.test/?k=S>; rel=next", "<https://a.test/>; rel=next"),
            ("and/or a//b@c 1 // 2 ///", "and/or a//b@c 1 // 2 ///"),
        ] {
            assert_eq!(without_url_secrets(given), wanted);
        }
    }

    #[test]
    fn a_word_of_many_urls_is_read_once() {
        let word = format!("x{}", "://".repeat(1 << 20));
        assert_eq!(without_url_secrets(&word), word);
        assert_eq!(without_url_secrets(&format!("{word}a@b?c")), format!("{word}b"));
    }
}
