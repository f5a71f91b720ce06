//! Upstream rate limits: finds HTTP status 429 and Retry-After in whatever a client throws.
//!
//! Every client has its own shape of error, and wrappers hide it: in a cause, a group, a response, or only a message.
//! All are read through [`Fault`], outermost errors first, and at most [`MOST_ERRORS`] of them, which bounds cycles and
//! long chains.
//!
//! An error counts as a rate limit only if one of these holds; so an exit code, a row count or a vendor's code 42900
//! does not:
//! - one of its status properties, or those of its response, is 429, as a number or in digits;
//! - its `code` is one of the words by which clients name the limit instead;
//! - its message reports a 429 (see [`message`]), and it has no other HTTP error status;
//! - its status is 403, as GitHub and others answer, and its headers say that nothing remains or how long to wait, or its
//!   message names a rate limit.
//!
//! The wait is that of the outermost error that has one, in its headers. In a group it is the longest, because every member has to be
//! waited for.
//!
//! The message is only ever that of the outermost error, as a server shows it: causes, members of groups and responses are
//! read for status and wait alone. An error that reports the 429 itself is a client's, and its words may be those of the
//! request or the response, so they are not repeated; unless it has nothing of a client but the status, and its words do not
//! report the status: then they are those of the tool's author.

mod fault;
mod message;
mod public_words;
mod retry_after;

pub use fault::Fault;

use crate::base::members::Members;
use crate::base::text_cuts;
use crate::base::tokens::{Encoding, fits_tokens};
use crate::value::token_count::MAX_TOKEN_BYTES;

/// The `type` of a result that reports a rate limit.
pub(crate) const TYPE: &str = "rate_limited";

/// The most errors that are read, causes and members of groups together.
const MOST_ERRORS: usize = 256;

/// Where clients keep the status; `code` is last, because it is often something else.
const STATUS: [&str; 7] =
    ["status", "statusCode", "status_code", "http_status", "httpStatusCode", "HTTPStatusCode", "code"];
/// Values of `code`, letters only, of clients that name the limit instead of the status.
const NAMED: [&str; 5] =
    ["slackwebapiratelimitederror", "ratelimitexceeded", "ratelimiterror", "ratelimited", "toomanyrequests"];
/// Where errors keep the response, and where responses keep its status line and headers.
const RESPONSE: [&str; 5] = ["response", "resp", "$response", "$metadata", "raw"];
const WITHIN_RESPONSE: [&str; 2] = ["ResponseMetadata", "Error"];
/// Members that an HTTP client's error has in addition to the status, and an author's own does not.
const OF_CLIENTS: [&str; 16] = [
    "headers", "responseHeaders", "HTTPHeaders", "rawHeaders", "hdrs", "request", "request_info", "options", "config",
    "url", "body", "data", "error", "content", "code", "requestId",
];
/// JSON-RPC's codes for a request that is itself wrong: a message that it cannot read, an invalid request, an unknown method,
/// wrong parameters.
const WRONG_REQUESTS: [f64; 4] = [-32700.0, -32600.0, -32601.0, -32602.0];
/// The message where there are no words to repeat.
const MESSAGE: &str = "Too Many Requests";

/// A rate limit reported by an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// How long to wait, in whole seconds; `None` if the upstream gives no valid wait.
    pub retry_after_seconds: Option<u64>,
    /// What the program says that called the upstream, or the reason phrase of the status.
    pub message: String,
}

/// Where the words of an error come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// The error itself.
    Itself,
    /// What the server shows of the error, which may have the error's message in it or mask it.
    Shown(&'a str),
    /// The error is what a tool returned, written for whoever reads it.
    Returned,
}

/// The rate limit that `error` reports, if any; `now` is the time in Unix seconds, which a Retry-After date needs.
pub fn find<F: Fault>(error: F, said: Said<'_>, now: Option<u64>) -> Option<RateLimit> {
    let mut found: Option<Option<u64>> = None;
    let mut words = None;
    let mut level = vec![error];
    let mut left = MOST_ERRORS;
    while !level.is_empty() {
        level.truncate(left);
        left -= level.len();
        let mut next = Vec::new();
        for error in level {
            let seen = SeenError::new(error);
            words.get_or_insert_with(|| seen.words(said));
            if seen.is_rate_limit() {
                let wait = retry_after::wait(&seen.places, now);
                found = Some(found.flatten().max(wait));
            }
            seen.push_links(&mut next, left);
        }
        if found.flatten().is_some() {
            break;
        }
        level = next;
    }
    let message = words.flatten().filter(|words| !words.trim().is_empty()).unwrap_or_else(|| MESSAGE.to_owned());
    found.map(|retry_after_seconds| RateLimit { retry_after_seconds, message })
}

impl RateLimit {
    /// The result that the model reads, at most `budget` tokens long: a long name or message is cut at a grapheme and
    /// ends in an ellipsis.
    pub fn to_json(&self, tool: Option<&str>, budget: usize, encoding: Encoding) -> String {
        let seconds = self.retry_after_seconds.map_or("null".to_owned(), |seconds| seconds.to_string());
        let mut most = budget.saturating_mul(MAX_TOKEN_BYTES).min(self.message.len().max(tool.map_or(0, str::len)));
        loop {
            let mut out = Members::new();
            out.text("type", TYPE);
            out.json("retryAfterSeconds", &seconds);
            out.text_or_null("upstream", tool.map(|tool| clip(tool, most)).as_deref());
            out.text("message", &clip(&self.message, most));
            let json = out.into_object();
            if most == 0 || fits_tokens(&json, budget, encoding).is_some() {
                return json;
            }
            most = most * 7 / 8;
        }
    }
}

/// `text`, or its start of at most `most` bytes with an ellipsis.
fn clip(text: &str, most: usize) -> String {
    if text.len() <= most { text.to_owned() } else { format!("{}…", &text[..text_cuts::floor(text, most)]) }
}

/// What the HTTP status says about an error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    RateLimit,
    /// 403: a rate limit if more says so.
    Forbidden,
    /// Another HTTP error: not a rate limit, whatever the message says.
    OtherError,
    Unknown,
}

/// One error with the responses that it carries.
struct SeenError<F> {
    /// The error itself, then its responses.
    places: Vec<F>,
    status: Status,
}

impl<F: Fault> SeenError<F> {
    fn new(error: F) -> Self {
        let mut places = vec![error];
        for name in RESPONSE {
            let Some(response) = places[0].get(name) else { continue };
            let within: Vec<F> = WITHIN_RESPONSE.iter().filter_map(|name| response.get(name)).collect();
            places.push(response);
            places.extend(within);
        }
        // What an error of JSON-RPC says of the response; other clients have any body there.
        places.extend(places[0].get("data").filter(retry_after::says_wait));
        let mut status = Status::Unknown;
        for place in &places {
            match status_of(place) {
                Status::RateLimit => return Self { places, status: Status::RateLimit },
                Status::Unknown => {}
                other => status = other,
            }
        }
        if status == Status::Forbidden {
            let names_limit = || places[0].message().is_some_and(|message| message::names_a_limit(&message));
            let is_limit = retry_after::is_used_up(&places) || retry_after::has_header(&places) || names_limit();
            status = if is_limit { Status::RateLimit } else { Status::OtherError };
        }
        Self { places, status }
    }

    fn error(&self) -> &F {
        &self.places[0]
    }

    fn is_rate_limit(&self) -> bool {
        let reports = || self.error().message().is_some_and(|message| message::reports_429(&message));
        self.status == Status::RateLimit || self.status == Status::Unknown && reports()
    }

    /// Whether the error was made by the tool's author: it has a status, and nothing else of an HTTP client.
    fn is_authors_own(&self) -> bool {
        let has = |names: &[&str]| names.iter().any(|name| self.error().get(name).is_some());
        status_of(self.error()) == Status::RateLimit
            && !has(&OF_CLIENTS)
            && !has(&RESPONSE)
            && !self.error().message().is_some_and(|message| message::reports_429(&message))
    }

    /// The words of the outermost error that a model may read.
    fn words(&self, said: Said<'_>) -> Option<String> {
        let own = self.error().message().filter(|message| !message.trim().is_empty());
        let words = match said {
            Said::Returned => own?,
            _ if self.is_rate_limit() && !self.is_authors_own() => return None,
            Said::Shown(shown) if message::reports_429(shown) => return None,
            // The server may put words of its own before the error's.
            Said::Shown(shown) => own.map(|own| if shown.contains(&own) { own } else { shown.to_owned() })?,
            Said::Itself => own?,
        };
        Some(public_words::without_url_secrets(&words))
    }

    /// Adds the causes and members of this error, at most `most`.
    fn push_links(&self, links: &mut Vec<F>, most: usize) {
        let error = self.error();
        links.extend(error.get("cause"));
        links.extend(error.get("__cause__"));
        // The handled error is not the cause if the program says so (`from None`), or if this error has a status of its
        // own: a 404 after a retried 429 is a 404.
        let hidden = error.get("__suppress_context__").is_some_and(|flag| flag.is_true());
        if !hidden && self.status != Status::OtherError {
            links.extend(error.get("__context__"));
        }
        for group in ["errors", "exceptions"] {
            let room = most.saturating_sub(links.len());
            if let Some(group) = error.get(group) {
                links.extend(group.items(room));
            }
        }
    }
}

fn status_of<F: Fault>(place: &F) -> Status {
    for name in STATUS {
        let Some(value) = place.get(name) else { continue };
        let text = value.text();
        let number = value.number().or_else(|| text.as_deref().and_then(digits).map(f64::from));
        match number {
            Some(429.0) => return Status::RateLimit,
            Some(403.0) => return Status::Forbidden,
            Some(number) if (400.0..600.0).contains(&number) => return Status::OtherError,
            Some(number) if WRONG_REQUESTS.contains(&number) => return Status::OtherError,
            _ => {}
        }
        if name == "code" && text.is_some_and(|code| is_named(&code)) {
            return Status::RateLimit;
        }
    }
    // AWS uses this name in the error part of a response.
    match place.get("Code").and_then(|code| code.text()).as_deref() {
        Some("429") => Status::RateLimit,
        _ => Status::Unknown,
    }
}

/// The status in a text: three digits, alone or before a reason (`429 Too Many Requests`).
fn digits(text: &str) -> Option<u16> {
    let (digits, rest) = text.split_at_checked(3)?;
    let whole = digits.bytes().all(|b| b.is_ascii_digit()) && (rest.is_empty() || rest.starts_with(' '));
    whole.then(|| digits.parse().ok()).flatten()
}

fn is_named(code: &str) -> bool {
    let letters = || code.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase());
    NAMED.iter().any(|name| letters().eq(name.chars()))
}

#[cfg(test)]
mod tests;
