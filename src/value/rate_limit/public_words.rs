//! The words about a rate limit that a model may read.
//!
//! The words of a client may quote the request or the response, with keys, addresses and bodies. Those of the program
//! that called the client were written for its users; what URLs in them keep secret still goes.

const ENDS: [char; 8] = ['"', '\'', '`', '<', '>', '\\', '|', '^'];
/// Ends a sentence rather than a URL.
const AFTER: [char; 8] = ['.', ',', ';', ':', ')', ']', '}', '!'];

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
    c.is_whitespace() || c.is_control() || ENDS.contains(&c)
}

/// Adds a word, in which a URL may begin anywhere and goes on to the end.
fn push_word(word: &str, out: &mut String) {
    let Some(mut at) = word.find("://") else {
        // A path with a query, as in `GET /items?key=…`.
        let is_path = |query: usize| word[..query].contains('/') && word[query..].contains('=');
        match word.find('?').filter(|query| is_path(*query)) {
            Some(query) => push_cut(word, query, out),
            None => out.push_str(word),
        }
        return;
    };
    let last_at = word.rfind('@');
    let mut shown = 0;
    loop {
        let begin = at + 3;
        out.push_str(&word[shown..begin]);
        let url = &word[begin..];
        let authority = &url[..url.find(['/', '?', '#']).unwrap_or(url.len())];
        shown = match (authority.rfind('@'), last_at.filter(|last| *last >= begin)) {
            // A password may have the characters that end an authority.
            (None, Some(last)) if !has_port(authority) => last + 1,
            (Some(user), _) => begin + user + 1,
            _ => begin,
        };
        // Another URL may follow without a space; one in a query goes with it.
        let url = &word[shown..];
        let next = url.find("://");
        if let Some(cut) = url[..next.unwrap_or(url.len())].find(['?', '#']) {
            return push_cut(url, cut, out);
        }
        match next {
            Some(next) => at = shown + next,
            None => return out.push_str(url),
        }
    }
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
