//! Integers that a JavaScript host rounds.

use toolshape_json::skip_string;

use super::rule::{Check, LintEvidence, LintLevel, LintedResult, Rule};
use toolshape::host::printable_within;

/// 2 to the power of 53, above which doubles leave out integers.
const EXACT: &str = "9007199254740992";
const NAME_CHARS: usize = 40;
const DIGITS: usize = 40;

pub(super) const RULE: Rule = Rule {
    id: "inexact-integer",
    level: LintLevel::Error,
    what: "Structured content has an integer over 2^53, which hosts in JavaScript round without a word",
    fix: "Return it as a string",
    check: Check::Result(|result, _| check(result)),
};

fn check(result: &LintedResult) -> Option<LintEvidence> {
    let json = result.channels.structured_as_sent.as_ref()?;
    let (mut name, mut first, mut count, mut at) = ("", None, 0, 0);
    let bytes = json.as_bytes();
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'"' => {
                at = skip_string(bytes, at);
                if bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':') {
                    name = &json[start..at];
                }
            }
            b'-' | b'0'..=b'9' => {
                let is_more = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                at += bytes[at..].iter().take_while(|byte| is_more(byte)).count();
                if is_inexact(&json[start..at]) {
                    count += 1;
                    first.get_or_insert((name, &json[start..at]));
                }
            }
            _ => at += 1,
        }
    }
    let (name, number) = first?;
    let (name, number) = (printable_within(name, NAME_CHARS), printable_within(number, DIGITS));
    let others = if count > 1 { format!(", and {} others", count - 1) } else { String::new() };
    let at = if name.is_empty() { String::new() } else { format!("{name}: ") };
    Some(LintEvidence { evidence: format!("{at}{number}{others}"), cost: 0 })
}

fn is_inexact(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits.len(), digits) > (EXACT.len(), EXACT)
}
