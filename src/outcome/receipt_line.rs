//! A receipt as one line for a log.

use serde_json::Value;

use crate::request::reader::Naming;

/// The characters of a tool's name that are shown: MCP recommends at most as many.
pub(crate) const NAME_CHARS: usize = 128;

/// The line for a receipt with names in this form, which may have what an adapter adds: `client`, `requestId` and
/// `durationMs`; of what no tool returned it names none.
///
/// ```
/// use serde_json::json;
/// use toolshape::host::{Naming, receipt_line};
/// let receipt = json!({
///     "tool": "list", "client": "claude-code", "requestId": 7, "steps": ["paginate"], "tokensBefore": 900,
///     "tokensBeforeExact": false, "tokensAfter": 180, "budget": 200, "durationMs": 1.26,
/// });
/// let line = receipt_line(&receipt, Naming::Camel);
/// assert_eq!(line, "toolshape list: about 900 tokens, 180 of 200 shown (paginate), 1.3 ms, claude-code, request 7");
/// let line = receipt_line(&json!({ "tool": "list", "reason": "60 rows > paginateAfter 50", "unmatchedFields": ["nmae"] }), Naming::Camel);
/// assert_eq!(line, "toolshape list: about 0 tokens, 0 shown (as it was), 60 rows > paginateAfter 50; no row has the policy's fields nmae");
/// let line = receipt_line(&json!({ "steps": ["paginate"], "failure": "the store failed: connection refused" }), Naming::Camel);
/// assert_eq!(line, "toolshape: about 0 tokens, 0 shown (paginate); the store failed: connection refused");
/// // Whoever names a tool writes no other line, and nothing to a terminal.
/// let line = receipt_line(&json!({ "tool": "a\n\u{1b}[31mb" }), Naming::Snake);
/// assert_eq!(line, r"toolshape a\u{a}\u{1b}[31mb: about 0 tokens, 0 shown (as it was)");
/// ```
pub fn receipt_line(receipt: &Value, naming: Naming) -> String {
    let get = |name: &str| &receipt[&*naming.spell(name)];
    let count = |name: &str| get(name).as_u64().unwrap_or_default();
    let about = if *get("tokensBeforeExact") == true { "" } else { "about " };
    let steps = texts(&receipt["steps"]);
    let how = if steps.is_empty() { "as it was".to_owned() } else { printable(&steps.join(", ")) };
    // A tool whose results are not shaped has no budget.
    let of = receipt["budget"].as_u64().map_or(String::new(), |budget| format!(" of {budget}"));
    let tool = receipt["tool"].as_str().map_or(String::new(), |tool| format!(" {}", printable(tool)));
    let mut line = format!(
        "toolshape{tool}: {about}{} tokens, {}{of} shown ({how})",
        count("tokensBefore"),
        count("tokensAfter"),
    );
    // The tokens are in the line already.
    let reason = receipt["reason"].as_str().filter(|reason| !reason.contains("tokens >"));
    let took = get("durationMs").as_f64().map(|duration| format!("{} ms", tenths(duration)));
    let id = get("requestId");
    let request = (!id.is_null()).then(|| format!("request {}", printable(id.as_str().unwrap_or(&id.to_string()))));
    let client = receipt["client"].as_str().map(printable);
    for part in [reason.map(printable), took, client, request].into_iter().flatten() {
        line = line + ", " + &part;
    }
    let unmatched = texts(get("unmatchedFields"));
    if !unmatched.is_empty() {
        line = line + "; no row has the policy's fields " + &printable(&unmatched.join(", "));
    }
    if let Some(failure) = receipt["failure"].as_str() {
        line = line + "; " + &printable(failure);
    }
    line
}

/// The texts in a list.
pub(super) fn texts(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A duration with one digit behind the point. The standard library's way takes 20 KB of the module, for doubles of any
/// size.
fn tenths(duration: f64) -> String {
    let tenths = (duration * 10.0).round() as u64;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// A text with escapes in place of what a terminal or a log would follow or hide, cut to [`NAME_CHARS`] characters.
pub(crate) fn printable(text: &str) -> String {
    printable_within(text, NAME_CHARS)
}

/// The same, cut to this many characters.
pub fn printable_within(text: &str, most: usize) -> String {
    let (mut out, mut chars, mut cut) = (String::new(), 0, 0);
    for c in text.chars() {
        let start = out.len();
        match is_hidden(c) {
            true => out += &format!(r"\u{{{:x}}}", u32::from(c)),
            false => out.push(c),
        }
        chars += out[start..].chars().count();
        if chars < most {
            cut = out.len();
        } else if chars > most {
            out.truncate(cut);
            out.push('…');
            break;
        }
    }
    out
}

/// Whether a character controls what is shown: control characters, line separators, marks of direction, and characters
/// without a width.
fn is_hidden(c: char) -> bool {
    let is_format = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    c.is_control() || is_format
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_one_digit_behind_the_point() {
        for (duration, wanted) in [(0.0, "0.0"), (0.04, "0.0"), (0.06, "0.1"), (1.26, "1.3"), (12345.0, "12345.0")] {
            assert_eq!(tenths(duration), wanted);
        }
    }

    #[test]
    fn names_are_one_line_of_what_can_be_seen() {
        for (given, wanted) in [
            ("list_articles", "list_articles".to_owned()),
            ("größe 名 🙂", "größe 名 🙂".to_owned()),
            ("a\r\nb\u{9b}c\u{7f}", r"a\u{d}\u{a}b\u{9b}c\u{7f}".to_owned()),
            ("\u{202e}txt\u{2028}", r"\u{202e}txt\u{2028}".to_owned()),
            (&"a".repeat(128), "a".repeat(128)),
            (&"a".repeat(129), format!("{}…", "a".repeat(127))),
            (&"\n".repeat(60), format!("{}…", r"\u{a}".repeat(25))),
        ] {
            assert_eq!(printable(given), wanted);
            assert!(printable(given).chars().count() <= NAME_CHARS);
        }
    }
}
