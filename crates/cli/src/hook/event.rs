//! What a hook is given. Any JSON is read: what has no result to shape is left as it is.

use std::borrow::Cow;

use anyhow::{Result, bail};
use serde_json::Value;
use toolshape::ErrorCode;
use toolshape::host::JsonText;

const CALL: &str = "tool_use_id";

/// A call of a tool, and its result.
pub struct HookEvent {
    /// The id of the call, where it has one.
    pub id: Option<String>,
    pub tool: String,
    pub arguments: Value,
    pub response: Value,
}

impl HookEvent {
    /// Reads an event; nothing for JSON that has no result, or whose result cannot be written again, such as one nested too deeply.
    ///
    /// # Errors
    /// A text that is not JSON.
    pub fn read(text: &str, [tool, arguments, response]: [&str; 3]) -> Result<Option<Self>> {
        let text = whole_characters(text);
        let event = match JsonText::parse(&text) {
            Ok(event) => event,
            Err(error) if error.code() == ErrorCode::TooDeep => return Ok(None),
            Err(_) => bail!("the standard input is not an event of a hook"),
        };
        let value = |name: &str| {
            let [found] = event.named(&[name]);
            found.and_then(|member| serde_json::from_str::<Value>(member.span()).ok())
        };
        let tool = value(tool).and_then(|tool| tool.as_str().map(str::to_owned));
        let (Some(tool), Some(response)) = (tool, value(response)) else { return Ok(None) };
        let arguments = match value(arguments).unwrap_or_default() {
            // Some write them as a text.
            Value::String(text) => serde_json::from_str(&text).unwrap_or_default(),
            arguments => arguments,
        };
        Ok(Some(Self { id: value(CALL).and_then(|id| id.as_str().map(str::to_owned)), tool, arguments, response }))
    }
}

/// JSON in which half of a surrogate pair is U+FFFD: `JSON.stringify` writes halves where a text was cut.
fn whole_characters(json: &str) -> Cow<'_, str> {
    let (mut whole, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(found) = memchr::memchr(b'\\', &json.as_bytes()[at..]) {
        let start = at + found;
        let first = unit(json, start);
        let is_pair = matches!(first, Some(0xd800..=0xdbff)) && matches!(unit(json, start + 6), Some(0xdc00..=0xdfff));
        at = match first {
            Some(0xd800..=0xdfff) if is_pair => start + 12,
            Some(0xd800..=0xdfff) => {
                whole.push_str(&json[copied..start]);
                whole.push_str("\\ufffd");
                copied = start + 6;
                copied
            }
            // The escaped character may be a backslash.
            _ => json.len().min(start + 1 + json[start + 1..].chars().next().map_or(0, char::len_utf8)),
        };
    }
    if copied == 0 { Cow::Borrowed(json) } else { Cow::Owned(whole + &json[copied..]) }
}

/// The unit of UTF-16 that an escape at this place represents.
fn unit(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<HookEvent>> {
        HookEvent::read(text, ["tool_name", "tool_input", "tool_response"])
    }

    #[test]
    fn halves_of_characters_are_replaced() {
        for (json, wanted) in [
            (r#""a\ud83d b""#, r#""a\ufffd b""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\uDBFF""#, r#""\\\ufffd""#),
            (r#""\ud8"#, r#""\ud8"#),
            ("\"\\é", "\"\\é"),
            ("\\", "\\"),
        ] {
            assert_eq!(whole_characters(json), wanted);
        }
    }

    #[test]
    fn any_json_is_an_event_or_none() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let of_deep = format!(r#"{{"tool_name":"Bash","tool_response":{deep},"tool_input":{deep}}}"#);
        for json in
            ["[]", "null", "1", "\"x\"", "{}", r#"{"tool_name":[],"tool_response":1}"#, r#"{"tool_name":"Bash"}"#]
        {
            assert!(read(json).unwrap().is_none(), "{json}");
        }
        assert!(read(&deep).is_ok_and(|event| event.is_none()));
        assert!(read(&of_deep).is_ok_and(|event| event.is_none()));
        let large = r#"{"tool_name":"Bash","tool_response":{"stdout":"\ud83d"},"tool_input":1e999}"#;
        let event = read(large).unwrap().unwrap();
        assert_eq!(event.response["stdout"], "\u{fffd}");
        for wrong in ["", "no event", "{", "{} {}"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
