//! JSON text edited to another value: what did not change keeps its bytes, also where it moved.
//!
//! The parser behind [`Value`] rounds numbers to doubles and knows one spelling of a string; the text has what was sent.

use serde_json::Value;

use toolshape::host::{JsonText, Source, json_pointer, quoted};

use super::edits::Edits;
use super::message::member;

/// The values near a place in which its bytes are looked for, at most.
const NEAR: usize = 6;

/// A value, and the text that it was parsed from.
#[derive(Clone)]
struct ParsedText<'v, 't> {
    value: &'v Value,
    text: JsonText<'t>,
}

/// Edits `text`, which `own` was parsed from, so that it is `shown`.
pub(super) fn splice(text: &JsonText<'_>, own: &Value, shown: &Value, edits: &mut Edits<'_>) {
    let given = ParsedText { value: own, text: text.clone() };
    given.splice(shown, std::slice::from_ref(&given), edits);
}

impl<'v, 't> ParsedText<'v, 't> {
    fn member(&self, name: &str) -> Option<Self> {
        Some(Self { value: self.value.get(name)?, text: member(&self.text, name)? })
    }

    fn item(&self, at: usize) -> Option<Self> {
        let value = self.value.as_array()?.get(at)?;
        Some(Self { value, text: self.text.items(at, 1).ok()?.pop()? })
    }

    /// The value that the reference of a whole schema leads to, which may replace the schema.
    fn referred(&self) -> Option<Self> {
        let pointer = self.value.get("$ref")?.as_str()?.strip_prefix('#')?;
        let text = self.text.at(&json_pointer::tokens(pointer)?).ok()?;
        Some(Self { value: self.value.pointer(pointer)?, text })
    }

    fn splice(&self, shown: &Value, near: &[Self], edits: &mut Edits<'_>) {
        let (Value::Object(own), Value::Object(members)) = (self.value, shown) else {
            if self.value != shown {
                edits.replace(self.text.span(), written(shown, near));
            }
            return;
        };
        let near: Vec<Self> = self.referred().into_iter().chain(near.iter().cloned()).collect();
        edits.remove_members(&self.text, |name| !members.contains_key(name));
        let mut is_empty = own.keys().all(|name| !members.contains_key(name));
        for (name, shown) in members {
            match self.member(name) {
                Some(member) if member.value == shown => {}
                Some(member) => member.splice(shown, &inside(&near, |given| given.member(name)), edits),
                None => {
                    let comma = if std::mem::take(&mut is_empty) { "" } else { "," };
                    let value = written(shown, &inside(&near, |given| given.member(name)));
                    edits.add_inside(self.text.span(), format!("{comma}{}:{value}", quoted(name)));
                }
            }
        }
    }
}

/// The values near a member or an item: those in the same place, then those around.
fn inside<'v, 't>(
    near: &[ParsedText<'v, 't>],
    step: impl Fn(&ParsedText<'v, 't>) -> Option<ParsedText<'v, 't>>,
) -> Vec<ParsedText<'v, 't>> {
    near.iter().filter_map(step).chain(near.iter().cloned()).take(NEAR).collect()
}

/// The text of a value, parts of which may be nearby.
fn written(shown: &Value, near: &[ParsedText<'_, '_>]) -> String {
    if let Some(given) = near.iter().find(|given| given.value == shown) {
        return given.text.span().to_owned();
    }
    match shown {
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}:{}", quoted(name), written(value, &inside(near, |given| given.member(name))))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => {
            let item = |(at, value): (usize, &Value)| written(value, &inside(near, |given| given.item(at)));
            format!("[{}]", items.iter().enumerate().map(item).collect::<Vec<_>>().join(","))
        }
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spliced(text: &str, shown: impl Fn(Value) -> Value) -> String {
        let own: Value = serde_json::from_str(text).unwrap();
        let shown = shown(own.clone());
        let parsed = JsonText::parse(text).unwrap();
        let mut edits = Edits::of(text);
        splice(&parsed, &own, &shown, &mut edits);
        let line = edits.apply();
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), shown, "{line}");
        line
    }

    const LONG: &str = "123456789012345678901234567890";

    #[test]
    fn what_does_not_change_keeps_its_bytes() {
        let text = format!(r#"{{ "a" : {{"max" : {LONG} , "s":"\u00e9\/"}}, "b":[ 1.0 ], "c":{{}} }}"#);
        assert_eq!(spliced(&text, |own| own), text);
        let more = spliced(&text, |mut own| {
            own["a"]["n"] = json!(1);
            own["c"]["n"] = json!([true]);
            own
        });
        let wanted =
            format!(r#"{{ "a" : {{"max" : {LONG} , "s":"\u00e9\/","n":1}}, "b":[ 1.0 ], "c":{{"n":[true]}} }}"#);
        assert_eq!(more, wanted);
        let less = spliced(&text, |own| json!({ "a": own["a"], "b": [1.0, 2] }));
        assert_eq!(less, format!(r#"{{ "a" : {{"max" : {LONG} , "s":"\u00e9\/"}}, "b":[1.0,2] }}"#));
        assert_eq!(spliced(&text, |_| json!({ "d": {} })), r#"{ "d":{}}"#);
        assert_eq!(spliced("[1]", |_| json!({ "d": 1 })), r#"{"d":1}"#);
    }

    #[test]
    fn what_moves_takes_its_bytes_along() {
        let text = format!(r#"{{"type":"integer","maximum":{LONG},"description":"d\u00e9"}}"#);
        let wrapped = spliced(
            &text,
            |own| json!({ "description": own["description"], "anyOf": [{ "type": "integer", "maximum": own["maximum"] }, {}] }),
        );
        let wanted = format!(r#"{{"description":"d\u00e9","anyOf":[{{"type":"integer","maximum":{LONG}}},{{}}]}}"#);
        assert_eq!(wrapped, wanted);
        let text = format!(
            r##"{{"anyOf":[{{"const":{LONG}}}],"$defs":{{"x":{{"default":{LONG}, "y":0}}}},"$ref":"#/$defs/x"}}"##
        );
        let shown = spliced(&text, |own| {
            let x = own["$defs"]["x"].clone();
            json!({ "type": "object", "anyOf": [{ "anyOf": own["anyOf"] }], "$defs": { "x": x }, "default": x["default"] })
        });
        assert_eq!(shown.matches(LONG).count(), 3, "{shown}");
        assert!(shown.contains(r#"{"default":123456789012345678901234567890, "y":0}"#), "{shown}");
    }
}
