//! Whether a message reports HTTP status 429, for errors that keep only a message.
//!
//! A 429 in a message may be a number of rows, milliseconds or a port. It is the status only if the words around it say
//! so, as clients write it:
//! - after it: `429 Too Many Requests`, `429 (Too Many Requests)`, `429 Client Error: …`;
//! - before it, if the message speaks of a limit or a wait: `Error 429: retry in 20 s`, `"code":429`;
//! - before it: `status code 429`, `HTTP Error 429`, `Error code: 429`, `"status":429`;
//! - at the start of the message, before a limit: `429 rate limited`, `… failed: 429 GET …: rate
//!   limited`.
//!
//! A message that first says another status, as `404 Not Found: no page '429 Too Many Requests'` does, is about that one. Nor
//! is a 429 the status that a message calls unknown or expected, or quotes as a value: `cannot parse 'HTTP 429'`.
//!
//! Without the number only the reason phrase `Too Many Requests` at the end counts, with any prefix of an SDK before
//! it: `Error executing tool list: Too Many Requests`.

use toolshape_text::chars::floor_char;

/// How much of a message is read, in bytes: the status is near the start.
const HEAD: usize = 2048;
const PHRASE: &str = "too many requests";

const BEFORE: [&str; 8] =
    ["status code", "status_code", "statuscode", "status", "http", "http error", "httperror", "error code"];
const VERSIONS: [&str; 5] = ["http/1.0", "http/1.1", "http/2", "http/2.0", "http/3"];
const AFTER: [&str; 4] = [PHRASE, "client error:", "message='too many requests", "resource_exhausted"];
/// Follows a 429 at the start of a message.
const LIMIT: [&str; 5] = ["rate limit", "rate-limit", "rate_limit", "ratelimit", "api rate limit"];
/// What may come between a 429 at the start of a message and the limit: the request, or the body.
const REQUEST: [&str; 8] = ["get ", "post ", "put ", "patch ", "delete ", "head ", "{", "status code"];

/// Comes before a status that was not answered.
const NOT_ANSWERED: [&str; 9] =
    ["unknown", "invalid", "unsupported", "illegal", "expected", "expects", "expecting", "wanted", "want"];
/// Other statuses, and how their reasons begin.
const OTHERS: [(&str, &str); 14] = [
    ("400", "bad request"),
    ("401", "unauthori"),
    ("402", "payment required"),
    ("403", "forbidden"),
    ("404", "not found"),
    ("405", "method not allowed"),
    ("408", "request timeout"),
    ("409", "conflict"),
    ("410", "gone"),
    ("422", "unprocessable"),
    ("500", "internal server error"),
    ("502", "bad gateway"),
    ("503", "service unavailable"),
    ("504", "gateway time"),
];

/// Whether `message` reports a response of status 429.
pub fn reports_429(message: &str) -> bool {
    let text = message[..floor_char(message, HEAD)].to_ascii_lowercase();
    let said = text.trim().trim_end_matches('.');
    if said.strip_suffix(PHRASE).is_some_and(|before| before.is_empty() || before.ends_with(": ")) {
        return true;
    }
    let Some(at) = text.match_indices("429").map(|(at, _)| at).find(|&at| is_status(&text, at)) else { return false };
    !OTHERS.iter().any(|(number, reason)| {
        text[..at].match_indices(number).any(|(other, _)| is_other_status(&text, other, reason))
    })
}

/// Whether the words of a 403 name a rate limit: `API rate limit exceeded`, `You have exceeded a secondary rate limit`.
pub fn names_a_limit(message: &str) -> bool {
    let text = message[..floor_char(message, HEAD)].to_ascii_lowercase();
    let exceeds = ["exceeded", "hit a", "reached"].iter().any(|word| text.contains(word));
    exceeds && LIMIT.iter().any(|phrase| text.contains(phrase))
}

/// Whether the number at `start` is one of the statuses that are not 429, by its name or its reason.
fn is_other_status(text: &str, start: usize, reason: &str) -> bool {
    let (before, after) = (&text[..start], &text[start + 3..]);
    let has_reason = || after.trim_start_matches([' ', ':', '-', '(']).starts_with(reason);
    stands_alone(before, after) && !in_url(before) && (phrase_before(before).is_some() || opens(before) && has_reason())
}

fn is_status(text: &str, start: usize) -> bool {
    let (before, after) = (&text[..start], &text[start + 3..]);
    if !stands_alone(before, after) || in_url(before) {
        return false;
    }
    let phrase = phrase_before(before);
    let lead = phrase.map_or(before, |phrase| led(before).strip_suffix(phrase).unwrap_or(before));
    // httpx says `Client error '429 Too Many Requests' for url …`.
    let quoting = lead.strip_suffix('\'').and_then(|lead| lead.strip_suffix(' '));
    let is_value = quoting.is_some_and(|quoting| ends_in_word(quoting) && !ends_with_word(quoting, "error"));
    if is_value && after.contains('\'') || NOT_ANSWERED.iter().any(|word| ends_with_word(lead.trim_end(), word)) {
        return false;
    }
    let said = after.trim_start_matches([' ', ':', ',', '-', '(', '[', ')', ']', '\'', '"', '.']);
    if AFTER.iter().any(|phrase| said.starts_with(phrase)) {
        return true;
    }
    if phrase.is_some() {
        return true;
    }
    // `An error occurred (429) when calling …`
    if led(before).ends_with("error occurred") && before.ends_with('(') {
        return true;
    }
    let limit = || [PHRASE, "resource_exhausted"].iter().chain(&LIMIT).any(|phrase| text.contains(phrase));
    // `Error 429: rate limit …`, `"code": 429, …`: a number of any error, unless the message speaks of a limit.
    if ["error", "code"].iter().any(|word| ends_with_word(led(before), word)) {
        return limit();
    }
    opens(before)
        && (LIMIT.iter().any(|phrase| said.starts_with(phrase))
            || said.starts_with("status code")
            || REQUEST.iter().any(|word| said.starts_with(word)) && limit())
}

/// What is before a number, without the signs between.
fn led(before: &str) -> &str {
    before.trim_end_matches([' ', ':', '=', '(', '[', '\'', '"', '#'])
}

/// The words before a number that make it a status.
fn phrase_before(before: &str) -> Option<&'static str> {
    BEFORE.into_iter().chain(VERSIONS).find(|phrase| ends_with_word(led(before), phrase))
}

/// Whether a number is at the start of the message.
fn opens(before: &str) -> bool {
    led(before).is_empty() || before.ends_with(": ") || before.ends_with('\n')
}

fn in_url(before: &str) -> bool {
    before.rsplit(char::is_whitespace).next().unwrap_or(before).contains("://")
}

/// Whether the number between these two is not part of a longer number, word or path.
fn stands_alone(before: &str, after: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let mut following = after.chars();
    let (next, then) = (following.next(), following.next());
    let longer = matches!(next, Some('.' | ',')) && then.is_some_and(|c| c.is_ascii_digit());
    let preceded =
        before.chars().next_back().is_some_and(|c| inside(c) || matches!(c, '.' | ',' | '/' | '-' | '$' | '+'));
    !preceded && !longer && !next.is_some_and(|c| inside(c) || matches!(c, '%' | '/'))
}

fn ends_in_word(text: &str) -> bool {
    text.ends_with(char::is_alphanumeric)
}

fn ends_with_word(text: &str, phrase: &str) -> bool {
    text.strip_suffix(phrase).is_some_and(|rest| !ends_in_word(rest))
}
