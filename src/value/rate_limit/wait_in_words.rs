//! The wait that a message says in words, for errors whose headers say none: `retry after 30 seconds`, `try again in 1m30s`.
//!
//! A number counts only right after words that announce a wait, and with a unit of time; without one only after the name of the
//! header, `Retry-After: 30`. Of several waits the longest counts.

use super::retry_after::LONGEST;

/// How much of a message is read, in bytes.
const HEAD: usize = 2048;
/// What announces a wait.
const BEFORE: [&str; 16] = [
    "retry after",
    "retry in",
    "retry this request in",
    "again in",
    "again after",
    "wait",
    "available in",
    "resets in",
    "reset in",
    "reset after",
    "expires in",
    "request allowed in",
    "retrydelay",
    "reset-requests",
    "reset-tokens",
    "backoff of",
];
/// The same as headers and programs write it, where a number of seconds needs no unit.
const NAMES: [&str; 6] =
    ["retry-after", "retry_after", "retryafter", "retry after", "retry_after_seconds", "retryafterseconds"];
/// The same in milliseconds.
const NAMES_OF_MILLISECONDS: [&str; 3] = ["retry-after-ms", "retry_after_ms", "retryafterms"];
/// What may be between that and the number.
const BETWEEN: [&str; 8] = ["for ", "at least ", "about ", "another ", "approximately ", "up to ", "in ", "header"];
/// Signs that may be before a number.
const SIGNS: [char; 11] = [' ', ':', '=', '"', '\'', '~', '(', '<', '[', '*', '`'];
/// Units of time in milliseconds.
const UNITS: [(&str, u64); 23] = [
    ("ms", 1),
    ("millis", 1),
    ("millisecond", 1),
    ("milliseconds", 1),
    ("s", 1_000),
    ("sec", 1_000),
    ("secs", 1_000),
    ("second", 1_000),
    ("seconds", 1_000),
    ("m", 60_000),
    ("min", 60_000),
    ("mins", 60_000),
    ("minute", 60_000),
    ("minutes", 60_000),
    ("h", 3_600_000),
    ("hr", 3_600_000),
    ("hrs", 3_600_000),
    ("hour", 3_600_000),
    ("hours", 3_600_000),
    ("day", 86_400_000),
    ("days", 86_400_000),
    ("week", 604_800_000),
    ("weeks", 604_800_000),
];

/// The wait in seconds, rounded up.
pub fn wait(message: &str) -> Option<u64> {
    let end = (0..=message.len().min(HEAD)).rev().find(|&at| message.is_char_boundary(at))?;
    let text = &*message[..end].to_ascii_lowercase();
    let after = |phrase: &'static str| {
        let places = text.match_indices(phrase).map(move |(at, _)| (at, at + phrase.len()));
        places.filter(|&(from, to)| {
            !text[..from].ends_with(char::is_alphanumeric) && !text[to..].starts_with(char::is_alphanumeric)
        })
    };
    let named = NAMES.iter().flat_map(|name| after(name)).filter_map(|(_, to)| bare_seconds(&text[to..]));
    let precise = NAMES_OF_MILLISECONDS.iter().flat_map(|name| after(name));
    let precise = precise.filter_map(|(_, to)| Some(bare_seconds(&text[to..])?.div_ceil(1000)));
    let said = BEFORE.iter().chain(&NAMES).flat_map(|phrase| after(phrase)).filter_map(|(_, to)| duration(&text[to..]));
    said.chain(named)
        .chain(precise)
        .max()
        .map(|milliseconds| milliseconds.div_ceil(1000))
        .filter(|&seconds| seconds <= LONGEST)
}

/// What follows the words that announce a wait, from its number on.
fn from_number(text: &str) -> &str {
    let mut rest = text.trim_start_matches(SIGNS);
    while let Some(after) = BETWEEN.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = after.trim_start_matches(SIGNS);
    }
    // `PT1M30S` of ISO 8601 has the same units.
    rest.strip_prefix("pt").filter(|time| time.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(rest)
}

/// Milliseconds that are written with units, perhaps several: `1m30s`, `1 minute and 30 seconds`, `an hour`.
fn duration(text: &str) -> Option<u64> {
    let mut rest = from_number(text);
    let mut sum: Option<u64> = None;
    loop {
        let article = ["an ", "a "].iter().find_map(|article| rest.strip_prefix(article));
        let (thousandths, after) = match article {
            Some(after) => (1000, after),
            None => match number(rest) {
                Some(found) => found,
                None => return sum,
            },
        };
        let word = after.trim_start_matches([' ', '-', ')', '>', ']', '*', '`']);
        let word = word.strip_prefix("more ").unwrap_or(word);
        let (unit, next) = word.split_at(word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len()));
        let Some((_, milliseconds)) = UNITS.iter().find(|(name, _)| *name == unit) else { return sum };
        sum = Some(sum.unwrap_or(0).checked_add(thousandths.checked_mul(*milliseconds)?.div_ceil(1000))?);
        rest = next.trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
}

/// The milliseconds of a number of seconds without a unit; no date, no time of day, no count of anything else.
fn bare_seconds(text: &str) -> Option<u64> {
    let (thousandths, after) = number(from_number(text))?;
    let is_alone = !after.starts_with(['-', ':', '/', '%']) && !after.trim_start().starts_with(char::is_alphanumeric);
    is_alone.then_some(thousandths)
}

/// A number in thousandths, and what follows it.
fn number(text: &str) -> Option<(u64, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let value: u64 = text[..whole].parse::<u64>().ok()?.checked_mul(1000)?;
    let fraction = text[whole..].strip_prefix('.').map_or(0, digits);
    if fraction == 0 {
        return Some((value, &text[whole..]));
    }
    let end = whole + 1 + fraction;
    let first: u64 =
        text[whole + 1..end].bytes().chain([b'0'; 3]).take(3).fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    // A longer fraction is rounded up.
    Some((value + first + u64::from(fraction > 3), &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::wait;

    #[test]
    fn a_wait_is_read_from_words() {
        for (message, seconds) in [
            ("429 Too Many Requests: retry after 30 seconds", Some(30)),
            ("Rate limit reached. Please try again in 20s.", Some(20)),
            ("Please try again in 6m0s. Visit https://x.test", Some(360)),
            ("Please try again in 1m30.5s", Some(91)),
            ("Please try again in 350ms", Some(1)),
            ("you may retry this request in 1 minute and 30 seconds", Some(90)),
            ("wait for 2 hours", Some(7200)),
            ("Please wait at least 5 seconds, or try again in 10 seconds", Some(10)),
            ("try again in an hour", Some(3600)),
            ("Retry-After: 30", Some(30)),
            ("{\"retry_after\": 12.2}", Some(13)),
            ("retry after 30.", Some(30)),
            ("you can retry in 30 more seconds", Some(30)),
            ("Retry after **30 seconds**", Some(30)),
            ("retry after (30) seconds", Some(30)),
            ("Retry-After header: 17", Some(17)),
            ("next request allowed in 12 seconds", Some(12)),
            ("429: 1000 requests are allowed in 24 hours; retry after 5 seconds", Some(5)),
            ("{\"retryDelay\": \"31s\"}", Some(31)),
            ("x-ratelimit-reset-tokens: 6m0s", Some(360)),
            ("{\"retryAfter\": \"PT30S\"}", Some(30)),
            ("retry after PT1H2M0.5S", Some(3721)),
            ("retry after PTA", None),
            ("retry_after_ms: 1500", Some(2)),
            ("{\"retry_after_seconds\":30}", Some(30)),
            ("retry after 2 weeks", Some(1_209_600)),
            ("100 requests per 60 seconds; retry in a few seconds", None),
            ("retry after 3 attempts", None),
            ("retry after 2026-11-20", None),
            ("try again in 5", None),
            ("try again later", None),
            ("waited 30 seconds", None),
            ("Retry-After: -5", None),
            ("retry after 99999999999999999999 seconds", None),
            ("retry after 999999999 hours", None),
            ("", None),
        ] {
            assert_eq!(wait(message), seconds, "{message}");
        }
    }
}
