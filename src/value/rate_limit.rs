//! Upstream rate limits: finding HTTP status 429 and Retry-After in whatever a client threw.
//!
//! Every client has its own shape of error, and wrappers bury it: a cause, a group, a response, a
//! message alone. All are read through [`Fault`], outermost errors first, and no more than
//! [`MOST_ERRORS`] of them, so that no cycle and no chain of a million causes holds anything up.
//!
//! An error counts as a rate limit if one of these holds, and then no exit code, row count or
//! vendor's code 42900 is taken for one:
//! - one of its status properties, or those of its response, is 429, as a number or in digits;
//! - its `code` is one of the words by which clients name the limit instead;
//! - its message reports a 429 (see [`message`]), and it has no other HTTP error status.
//!
//! The wait is that of the outermost error that tells one; of errors side by side in a group it is
//! the longest, since all of them stand between the tool and its result.

mod fault;
mod message;
mod retry_after;

pub use fault::Fault;

use crate::base::members::Members;
use crate::base::text_cuts;
use crate::base::tokens::{Encoding, fits_tokens};

/// The `type` of a result that reports a rate limit.
pub(crate) const TYPE: &str = "rate_limited";

/// The most errors that are looked at, causes and members of groups counted together.
const MOST_ERRORS: usize = 256;
/// No token of any encoding is longer, in bytes.
const LONGEST_TOKEN: usize = 128;

/// Where clients keep the status; `code` comes last, since it is often something else.
const STATUS: [&str; 7] =
    ["status", "statusCode", "status_code", "http_status", "httpStatusCode", "HTTPStatusCode", "code"];
/// What `code` says, letters alone, where a client names the limit and not the status.
const NAMED: [&str; 5] =
    ["slackwebapiratelimitederror", "ratelimitexceeded", "ratelimiterror", "ratelimited", "toomanyrequests"];
/// Where errors keep the response, and where responses keep its status line and headers.
const RESPONSE: [&str; 5] = ["response", "resp", "$response", "$metadata", "raw"];
const WITHIN_RESPONSE: [&str; 2] = ["ResponseMetadata", "Error"];
/// Where the words stand that came with the status.
const REASON: [&str; 3] = ["statusText", "reason", "reason_phrase"];

/// A rate limit that some upstream answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// How long to wait, in whole seconds; `None` if the upstream told nothing that can be trusted.
    pub retry_after_seconds: Option<u64>,
    /// The upstream's own words.
    pub message: String,
}

/// The rate limit that `error` tells of, if it does; `now` is the time in Unix seconds, without
/// which a Retry-After date says nothing.
pub fn find<F: Fault>(error: F, now: Option<u64>) -> Option<RateLimit> {
    let mut found: Option<RateLimit> = None;
    let mut level = vec![error];
    let mut left = MOST_ERRORS;
    while !level.is_empty() {
        level.truncate(left);
        left -= level.len();
        let mut next = Vec::new();
        for error in level {
            let seen = Seen::new(error);
            if let Some(limit) = seen.rate_limit(now) {
                found = Some(match found {
                    None => limit,
                    Some(first) => {
                        let wait = first.retry_after_seconds.max(limit.retry_after_seconds);
                        RateLimit { retry_after_seconds: wait, ..first }
                    }
                });
            }
            seen.push_links(&mut next, left);
        }
        if found.as_ref().is_some_and(|limit| limit.retry_after_seconds.is_some()) {
            break;
        }
        level = next;
    }
    found
}

impl RateLimit {
    /// The result that the model reads, at most `budget` tokens long: the longer of the names and
    /// words in it are cut, at a grapheme, and end in an ellipsis.
    pub fn to_json(&self, tool: Option<&str>, budget: usize, encoding: Encoding) -> String {
        let seconds = self.retry_after_seconds.map_or("null".to_owned(), |seconds| seconds.to_string());
        let mut most = budget.saturating_mul(LONGEST_TOKEN).min(self.message.len().max(tool.map_or(0, str::len)));
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

/// What an HTTP status says of an error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    RateLimit,
    /// Another HTTP error: whatever the message says, this was not the limit.
    OtherError,
    Unknown,
}

/// One error with the responses that it carries.
struct Seen<F> {
    /// The error itself, then its responses.
    places: Vec<F>,
    status: Status,
}

impl<F: Fault> Seen<F> {
    fn new(error: F) -> Self {
        let mut places = vec![error];
        for name in RESPONSE {
            let Some(response) = places[0].get(name) else { continue };
            let within: Vec<F> = WITHIN_RESPONSE.iter().filter_map(|name| response.get(name)).collect();
            places.push(response);
            places.extend(within);
        }
        let mut status = Status::Unknown;
        for place in &places {
            match status_of(place) {
                Status::RateLimit => return Self { places, status: Status::RateLimit },
                Status::OtherError => status = Status::OtherError,
                Status::Unknown => {}
            }
        }
        Self { places, status }
    }

    fn error(&self) -> &F {
        &self.places[0]
    }

    fn rate_limit(&self, now: Option<u64>) -> Option<RateLimit> {
        let message = self.error().message().filter(|message| !message.trim().is_empty());
        let reported = || self.status == Status::Unknown && message.as_deref().is_some_and(message::reports_429);
        if self.status != Status::RateLimit && !reported() {
            return None;
        }
        let reason = || {
            let texts = self.places.iter().flat_map(|place| REASON.iter().filter_map(|name| place.get(name)?.text()));
            texts.into_iter().find(|reason| !reason.trim().is_empty())
        };
        Some(RateLimit {
            retry_after_seconds: retry_after::wait(&self.places, now),
            message: message.or_else(reason).unwrap_or_else(|| "Too Many Requests".to_owned()),
        })
    }

    /// Adds the errors that this one stands for, at most `most`.
    fn push_links(&self, links: &mut Vec<F>, most: usize) {
        let error = self.error();
        links.extend(error.get("cause"));
        links.extend(error.get("__cause__"));
        // What was being handled is not what went wrong, if the program said so (`from None`) or
        // if this error has a status of its own: a 404 after a retried 429 is a 404.
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
        let number = value.number().or_else(|| text.as_deref().and_then(digits));
        match number {
            Some(429.0) => return Status::RateLimit,
            Some(number) if (400.0..600.0).contains(&number) => return Status::OtherError,
            _ => {}
        }
        if name == "code" && text.is_some_and(|code| is_named(&code)) {
            return Status::RateLimit;
        }
    }
    // AWS spells it so in the error's own part of a response.
    match place.get("Code").and_then(|code| code.text()).as_deref() {
        Some("429") => Status::RateLimit,
        _ => Status::Unknown,
    }
}

/// The status in a text that is three digits, alone or before a reason (`429 Too Many Requests`).
fn digits(text: &str) -> Option<f64> {
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
