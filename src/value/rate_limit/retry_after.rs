//! Retry-After (RFC 9110, section 10.2.3): finds it in any form of headers, and reads it strictly.
//!
//! A wait is a whole number of seconds from now, at most [`LONGEST`]. Anything else (a sign, a fraction, an exponent, a
//! past date, a wrong weekday) is no wait: without a wait a model waits a while, but a wrong "now" makes it flood the
//! upstream.

use std::time::UNIX_EPOCH;

use super::fault::Fault;

/// A longer wait, in seconds, counts as a mistake.
const LONGEST: u64 = 366 * 24 * 60 * 60;
/// The most headers that are searched for a name in another case.
const MOST_HEADERS: usize = 1000;

/// Where errors and responses keep headers.
const HEADERS: [&str; 4] = ["headers", "responseHeaders", "HTTPHeaders", "rawHeaders"];
/// Where clients keep a wait that they parsed, in seconds; some responses are the headers themselves.
const PROPERTIES: [&str; 3] = ["retryAfter", "retry_after", "retry-after"];

/// The wait in seconds from one of the places: the standard header before the one in milliseconds that some vendors
/// add, and both before a property of the client.
pub fn wait<F: Fault>(places: &[F], now: Option<u64>) -> Option<u64> {
    let headers: Vec<F> = places.iter().flat_map(|place| HEADERS.iter().filter_map(|name| place.get(name))).collect();
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
    let one = |value: &F| value.text().or_else(|| value.number().map(|number| number.to_string()));
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
    let wait = integer(value).or_else(|| {
        let date = httpdate::parse_http_date(value).ok()?.duration_since(UNIX_EPOCH).ok()?;
        date.as_secs().checked_sub(now?)
    });
    wait.filter(|&wait| wait <= LONGEST)
}

/// One or more digits and nothing else.
fn integer(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}
