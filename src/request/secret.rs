//! A secret of the author, which signs cursors and names stored results. No message and no log shows it.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The bytes of a key for HMAC.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Reads a text, whose UTF-8 is the key, or bytes as `{"bytes": base64}`; `None` for anything else.
    pub fn read(option: &Value) -> Option<Self> {
        match option {
            Value::String(text) => Some(Self::from(text.as_str())),
            Value::Object(bytes) if bytes.len() == 1 => STANDARD.decode(bytes.get("bytes")?.as_str()?).ok().map(Self),
            _ => None,
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_and_its_bytes_are_one_key() {
        let text = Secret::read(&json!("größe")).unwrap();
        let bytes = Secret::read(&json!({ "bytes": STANDARD.encode("größe") })).unwrap();
        assert!(text == bytes);
        let any = Secret::read(&json!({ "bytes": "/wA=" })).unwrap();
        assert_eq!(any.as_bytes(), [255, 0]);
        for wrong in
            [json!(1), json!({}), json!({ "bytes": "?" }), json!({ "bytes": [1] }), json!({ "bytes": "", "x": 1 })]
        {
            assert!(Secret::read(&wrong).is_none());
        }
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(format!("{:?}", [Secret::from("a secret of sixteen bytes")]), "[a secret]");
    }
}
