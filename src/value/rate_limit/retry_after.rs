//! Retry-After (RFC 9110, section 10.2.3): finds it in any form of headers, and reads it strictly; and the headers that
//! say when a limit is reset, where there is none.
//!
//! A wait is a number of seconds from now, at most [`LONGEST`], and rounded up. Anything else (a sign, an exponent, a past
//! date, a wrong weekday) is not a wait: without a wait a model waits a while, but a wrong "now" makes it flood the upstream.

use std::time::UNIX_EPOCH;

use super::fault::Fault;
use crate::base::numbers;

/// A longer wait, in seconds, counts as a mistake.
pub const LONGEST: u64 = 366 * 24 * 60 * 60;
/// The most headers that are searched for a name in another case.
const MOST_HEADERS: usize = 1000;

/// Where errors and responses keep headers.
const HEADERS: [&str; 4] = ["headers", "responseHeaders", "HTTPHeaders", "rawHeaders"];
/// Where clients keep a wait that they parsed, in seconds; some responses are the headers themselves.
const PROPERTIES: [&str; 3] = ["retryAfter", "retry_after", "retry-after"];

/// Headers with the time when a limit is reset: seconds since 1970, or from now.
const RESET: [&str; 3] = ["x-ratelimit-reset", "x-rate-limit-reset", "ratelimit-reset"];
/// Headers with the calls that remain until then.
const REMAINING: [&str; 3] = ["x-ratelimit-remaining", "x-rate-limit-remaining", "ratelimit-remaining"];
/// A reset of at least this many seconds is a time, not a wait; of at least a thousand times as many, one in milliseconds.
const TIMES: u64 = 1_000_000_000;

/// The headers of the places.
fn headers_of<F: Fault>(places: &[F]) -> Vec<F> {
    places.iter().flat_map(|place| HEADERS.iter().filter_map(|name| place.get(name))).collect()
}

/// Whether a value has headers, or a wait, where responses have them.
pub fn says_wait<F: Fault>(value: &F) -> bool {
    HEADERS.iter().chain(&PROPERTIES).any(|name| value.get(name).is_some())
}

/// Whether a header says that no call remains.
pub fn is_used_up<F: Fault>(places: &[F]) -> bool {
    remaining(&headers_of(places)) == Some(0)
}

/// Whether there is a Retry-After, whatever it says.
pub fn has_header<F: Fault>(places: &[F]) -> bool {
    headers_of(places).iter().any(|headers| !values(headers, "retry-after").is_empty())
}

fn remaining<F: Fault>(headers: &[F]) -> Option<u64> {
    let said = headers.iter().flat_map(|headers| REMAINING.iter().flat_map(move |name| values(headers, name)));
    said.filter_map(|value| integer(value.trim())).min()
}

/// The wait until a limit is reset, unless calls remain until then: another limit was met.
fn until_reset<F: Fault>(headers: &[F], now: Option<u64>) -> Option<u64> {
    if remaining(headers).is_some_and(|remaining| remaining > 0) {
        return None;
    }
    let said = headers.iter().flat_map(|headers| RESET.iter().flat_map(move |name| values(headers, name)));
    let wait = |value: String| {
        let wait = match decimal(value.trim())? {
            time if time >= TIMES * 1000 => (time / 1000).checked_sub(now?)?,
            time if time >= TIMES => time.checked_sub(now?)?,
            wait => wait,
        };
        Some(wait).filter(|&wait| wait <= LONGEST)
    };
    said.filter_map(wait).max()
}

/// The wait in seconds from one of the places: the standard header before the one in milliseconds that some vendors
/// add, both before a property of the client, and that before the time when the limit is reset.
pub fn wait<F: Fault>(places: &[F], now: Option<u64>) -> Option<u64> {
    let headers = headers_of(places);
    let longest = |name, read: &dyn Fn(&str) -> Option<u64>| {
        headers.iter().find_map(|headers| values(headers, name).iter().filter_map(|value| read(value)).max())
    };
    longest("retry-after", &|value| seconds(value, now))
        .or_else(|| longest("retry-after-ms", &|value| Some(integer(value)?.div_ceil(1000)).filter(|&s| s <= LONGEST)))
        .or_else(|| {
            let mut properties = places.iter().flat_map(|place| PROPERTIES.iter().filter_map(|name| place.get(name)));
            properties.find_map(|value| match value.number() {
                // A client's own number may be a fraction; the header's may not.
                Some(number) => (0.0..=LONGEST as f64).contains(&number).then(|| number.ceil() as u64),
                None => seconds(&value.text()?, now),
            })
        })
        .or_else(|| until_reset(&headers, now))
}

/// Every value of the header of that name, given in small letters.
fn values<F: Fault>(headers: &F, name: &str) -> Vec<String> {
    let own = |spelled: &str| spelled.eq_ignore_ascii_case(name);
    // A list of pairs, or of alternating names and values.
    let items = headers.items(2 * MOST_HEADERS);
    if !items.is_empty() {
        let pairs = items.iter().map(|item| item.items(2)).filter(|pair| pair.len() == 2);
        let mut found: Vec<String> = pairs
            .filter(|pair| pair[0].text().is_some_and(|text| own(&text)))
            .flat_map(|pair| texts(&pair[1]))
            .collect();
        for pair in items.chunks_exact(2) {
            if pair[0].text().is_some_and(|text| own(&text)) {
                found.extend(texts(&pair[1]));
            }
        }
        return found;
    }
    // A class of headers, or a map with case-sensitive names.
    for spelled in [name.to_owned(), title(name)] {
        let found = headers.call("get", &spelled).map_or_else(Vec::new, |value| texts(&value));
        if !found.is_empty() {
            return found;
        }
    }
    let names = headers.names(MOST_HEADERS).into_iter().filter(|spelled| own(spelled));
    names.filter_map(|spelled| headers.get(&spelled)).flat_map(|value| texts(&value)).collect()
}

/// A header's values: a text, a number, or a list of these.
fn texts<F: Fault>(value: &F) -> Vec<String> {
    let one = |value: &F| value.text().or_else(|| value.number().map(numbers::spell));
    match one(value) {
        Some(text) => repeated(&text),
        None => value.items(MOST_HEADERS).iter().filter_map(one).flat_map(|text| repeated(&text)).collect(),
    }
}

/// The values of a header that was sent more than once and joined (RFC 9110, section 5.3). The whole is one of them,
/// because a date contains a comma too.
fn repeated(text: &str) -> Vec<String> {
    let mut values = vec![text.to_owned()];
    if text.contains(", ") {
        let parts: Vec<&str> = text.split(", ").take(MOST_HEADERS).collect();
        values.extend(parts.iter().map(|&part| part.to_owned()));
        values.extend(parts.windows(2).map(|pair| pair.join(", ")));
    }
    values
}

/// `retry-after` as `Retry-After`.
fn title(name: &str) -> String {
    let words = name.split('-').map(|word| word[..1].to_ascii_uppercase() + &word[1..]);
    words.collect::<Vec<_>>().join("-")
}

/// One value of Retry-After in seconds; a date needs `now`.
fn seconds(value: &str, now: Option<u64>) -> Option<u64> {
    let value = value.trim_matches([' ', '\t']);
    let wait = decimal(value).or_else(|| {
        let date = httpdate::parse_http_date(value).ok()?.duration_since(UNIX_EPOCH).ok()?;
        date.as_secs().checked_sub(now?)
    });
    wait.filter(|&wait| wait <= LONGEST)
}

/// Digits with a fraction or without, as the whole number that is not below.
fn decimal(text: &str) -> Option<u64> {
    let Some((whole, fraction)) = text.split_once('.') else { return integer(text) };
    let is_over = fraction.bytes().any(|digit| digit != b'0');
    let is_number = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    integer(whole).filter(|_| is_number)?.checked_add(u64::from(is_over))
}

/// One or more digits and nothing else.
fn integer(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}
