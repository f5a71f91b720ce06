//! Whether a message reports HTTP status 429, for errors that keep only a message.
//!
//! A 429 in a message may be a number of rows, milliseconds or a port. It is the status only if the words around it say
//! so, as clients write it:
//! - after it: `429 Too Many Requests`, `429 (Too Many Requests)`, `429 Client Error: …`;
//! - before it: `status code 429`, `HTTP Error 429`, `Error code: 429`, `"status":429`;
//! - at the start of what is said, before a limit: `429 rate limited`, `… failed: 429 GET …: rate
//!   limited`.
//!
//! Without the number only the reason phrase `Too Many Requests` at the end counts, with any prefix of an SDK before
//! it: `Error executing tool list: Too Many Requests`.

/// How much of a message is read, in bytes: the status is near the start.
const HEAD: usize = 2048;
const PHRASE: &str = "too many requests";

const BEFORE: [&str; 8] =
    ["status code", "status_code", "statuscode", "status", "http", "http error", "httperror", "error code"];
const VERSIONS: [&str; 5] = ["http/1.0", "http/1.1", "http/2", "http/2.0", "http/3"];
const AFTER: [&str; 4] = [PHRASE, "client error:", "message='too many requests", "resource_exhausted"];
/// Follows a 429 at the start of a message.
const LIMIT: [&str; 5] = ["rate limit", "rate-limit", "rate_limit", "ratelimit", "api rate limit"];
/// Stands between a 429 at the start of a message and the limit: the request, or the body.
const REQUEST: [&str; 8] = ["get ", "post ", "put ", "patch ", "delete ", "head ", "{", "status code"];

/// Whether `message` reports a response of status 429.
pub fn reports_429(message: &str) -> bool {
    let text = message[..floor(message)].to_ascii_lowercase();
    let said = text.trim().trim_end_matches('.');
    if said.strip_suffix(PHRASE).is_some_and(|before| before.is_empty() || before.ends_with(": ")) {
        return true;
    }
    text.match_indices("429").any(|(at, number)| is_status(&text, at, at + number.len()))
}

/// Whether the words of a 403 name a rate limit: `API rate limit exceeded`, `You have exceeded a secondary rate limit`.
pub fn names_a_limit(message: &str) -> bool {
    let text = message[..floor(message)].to_ascii_lowercase();
    let exceeds = ["exceeded", "hit a", "reached"].iter().any(|word| text.contains(word));
    exceeds && LIMIT.iter().any(|phrase| text.contains(phrase))
}

/// The end of the part of a message that is read.
fn floor(message: &str) -> usize {
    let mut end = message.len().min(HEAD);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    end
}

fn is_status(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (&text[..start], &text[end..]);
    let word = before.rsplit(char::is_whitespace).next().unwrap_or(before);
    if !stands_alone(before, after) || word.contains("://") {
        return false;
    }
    let said = after.trim_start_matches([' ', ':', ',', '-', '(', '[', ')', ']', '\'', '"', '.']);
    if AFTER.iter().any(|phrase| said.starts_with(phrase)) {
        return true;
    }
    let led = before.trim_end_matches([' ', ':', '=', '(', '[', '\'', '"', '#']);
    if BEFORE.iter().chain(&VERSIONS).any(|phrase| ends_with_word(led, phrase)) {
        return true;
    }
    // `An error occurred (429) when calling …`
    if led.ends_with("error occurred") && before.ends_with('(') {
        return true;
    }
    let opens = led.is_empty() || before.ends_with(": ") || before.ends_with('\n');
    let limit = || text.contains(PHRASE) || LIMIT.iter().any(|phrase| text.contains(phrase));
    opens
        && (LIMIT.iter().any(|phrase| said.starts_with(phrase))
            || said.starts_with("status code")
            || REQUEST.iter().any(|word| said.starts_with(word)) && limit())
}

/// Whether the number between these two is no part of a longer number, word or path.
fn stands_alone(before: &str, after: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    let mut following = after.chars();
    let (next, then) = (following.next(), following.next());
    let longer = matches!(next, Some('.' | ',')) && then.is_some_and(|c| c.is_ascii_digit());
    let preceded =
        before.chars().next_back().is_some_and(|c| inside(c) || matches!(c, '.' | ',' | '/' | '-' | '$' | '+'));
    !preceded && !longer && !next.is_some_and(|c| inside(c) || matches!(c, '%' | '/'))
}

fn ends_with_word(text: &str, phrase: &str) -> bool {
    text.strip_suffix(phrase).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
}
