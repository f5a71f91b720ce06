//! What `redact` sees of a CallToolResult in addition to its parts: the members of its blocks that are not read (addresses, types,
//! annotations), and the members of the result that MCP does not have.

use crate::base::error::{Error, ErrorCode};
use crate::base::json_string::Quoted;
use crate::base::members::Members;
use crate::value::any_source::AnySource;
use crate::value::canonical::canonical;
use crate::value::json_text::JsonText;
use crate::value::source::{Entry, Kind, Source};

use super::parts::Content;
use super::returned::{self, ToolResult};

/// The members of a result that parts show, or that are ours.
const SHOWN: [&str; 4] = ["content", "structuredContent", "isError", "resultType"];
/// The member of a block that may hold its text or its data, and the one that every block has.
const HOLDER: &str = "resource";
const TYPE: &str = "type";

/// The rest of a result.
pub(super) struct Rest {
    /// The blocks without their text and data, as JSON; those that are read as they are are empty.
    blocks: Vec<String>,
    /// The other members of the result, as a JSON object.
    others: String,
}

impl Rest {
    /// The rest of a result, which is `value`; `None` where it has none.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` and `TOO_DEEP` from reading it.
    pub fn of(value: &AnySource<'_>, result: &ToolResult<'_>) -> Result<Option<Self>, Error> {
        let (mut blocks, mut has_more) = (Vec::new(), false);
        for (at, block) in result.blocks.iter().enumerate() {
            let mut out = Members::new();
            if !result.values.contains(&at) {
                has_more |= write_block(&block.entries()?, &mut out)?;
            }
            blocks.push(canonical(&out.into_object()).into_owned());
        }
        let mut others = Members::new();
        for (key, member) in value.entries()? {
            if !SHOWN.contains(&&*Quoted::new(&key).text()) && member.kind() != Kind::Null {
                others.json_under(&key, &member.json()?);
                has_more = true;
            }
        }
        let others = canonical(&others.into_object()).into_owned();
        Ok(has_more.then_some(Self { blocks, others }))
    }

    /// As `redact` sees it: a list of the blocks and of the other members.
    pub fn content(&self) -> Content {
        // Without names of ours, which `redact` could take for the server's.
        Content { text: format!("[[{}],{}]", self.blocks.join(","), self.others), is_json: true }
    }

    /// What `redact` returned for it; `None` if that is the same. If it is JSON of another form, nothing of the rest is shown.
    ///
    /// # Errors
    /// `REDACT_FAILED` for another form where a block cannot do without its rest: an image without its type is invalid.
    pub fn redacted(&self, json: &str) -> Result<Option<Self>, Error> {
        if json == self.content().text {
            return Ok(None);
        }
        let value = JsonText::parse(json)?;
        let items = if value.kind() == Kind::Array { value.items(0, usize::MAX)? } else { Vec::new() };
        let [blocks, others] = &items[..] else { return self.removed().map(Some) };
        let blocks = if blocks.kind() == Kind::Array { blocks.items(0, usize::MAX)? } else { Vec::new() };
        let are_objects = blocks.iter().chain([others]).all(|one| one.kind() == Kind::Object);
        if blocks.len() != self.blocks.len() || !are_objects {
            return self.removed().map(Some);
        }
        let blocks = blocks.iter().map(|block| block.span().to_owned()).collect();
        Ok(Some(Self { blocks, others: others.span().to_owned() }))
    }

    fn removed(&self) -> Result<Self, Error> {
        let mut blocks = Vec::new();
        for block in &self.blocks {
            let members = JsonText::parse(block)?.entries()?;
            let is_text = members.iter().any(|(key, kind)| Quoted::new(key).is(TYPE) && kind.span() == "\"text\"");
            blocks.push(match (members.is_empty(), is_text) {
                (true, _) => "{}".to_owned(),
                (false, true) => r#"{"type":"text"}"#.to_owned(),
                (false, false) => {
                    let message = "redact changed the form of what it was given";
                    return Err(Error::new(ErrorCode::RedactFailed, message, ""));
                }
            });
        }
        Ok(Self { blocks, others: "{}".to_owned() })
    }

    /// Whether the result has the same other members.
    pub fn has_others_of(&self, own: &Self) -> bool {
        self.others == own.others
    }

    /// A block with these members, and with its own text and data; `text` replaces the text.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn block(&self, at: usize, own: &AnySource<'_>, text: Option<&str>) -> Result<String, Error> {
        joined(&JsonText::parse(&self.blocks[at])?, &own.entries()?, text)
    }
}

/// The member that is the text or the data of a block with these members, or of the resource in it.
fn data_of(members: &[Entry<AnySource<'_>>]) -> Option<&'static str> {
    let is_type = |name: &str| returned::is_type(members, name);
    let names: &[&str] = match returned::has_text(members, TYPE) {
        true if is_type("text") => &["text"],
        true if is_type("image") || is_type("audio") => &["data"],
        true => &[],
        false => &["text", "blob"],
    };
    names.iter().copied().find(|name| returned::has_text(members, name))
}

/// Writes a block without its text and data; returns whether it has anything but a type then.
fn write_block(members: &[Entry<AnySource<'_>>], out: &mut Members) -> Result<bool, Error> {
    let (mut has_more, data) = (false, data_of(members));
    for (key, member) in members {
        let name = Quoted::new(key).text().into_owned();
        match member.kind() {
            Kind::Null => continue,
            _ if data == Some(&*name) => continue,
            Kind::Object if name == HOLDER => {
                let mut inside = Members::new();
                has_more |= write_block(&member.entries()?, &mut inside)?;
                out.json_under(key, &inside.into_object());
            }
            _ => {
                has_more |= name != TYPE;
                out.json_under(key, &member.json()?);
            }
        }
    }
    Ok(has_more)
}

/// The redacted members, with the text or the data of a block's own.
fn joined(redacted: &JsonText<'_>, own: &[Entry<AnySource<'_>>], text: Option<&str>) -> Result<String, Error> {
    let mut out = Members::new();
    let holder = returned::member(own, HOLDER).filter(|holder| holder.kind() == Kind::Object);
    for (key, member) in redacted.entries()? {
        match holder {
            Some(holder) if Quoted::new(&key).is(HOLDER) && member.kind() == Kind::Object => {
                out.json_under(&key, &joined(&member, &holder.entries()?, text)?);
            }
            _ => out.json_under(&key, member.span()),
        }
    }
    match (data_of(own), text) {
        (Some("text"), Some(text)) => out.text("text", text),
        (Some(name), _) => {
            let data = returned::member(own, name).map_or_else(|| Ok("null".into()), Source::json)?;
            out.json(name, &data);
        }
        (None, _) => {}
    }
    Ok(out.into_object())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::api::mcp::replacement::Replacement;
    use crate::api::shaper::Shaper;
    use crate::request::call::Call;
    use crate::value::json_text::JsonText;

    /// What a model gets of a result whose contents `redact` has replaced, without the receipt.
    fn redacted(returned: &str, redact: impl Fn(&str) -> String) -> Value {
        let policy = crate::Policy::from_json(r#"{ "receipt": "meta" }"#).unwrap();
        let (shaper, call) = (Shaper::new(policy), Call::default());
        let returned = JsonText::parse(returned).unwrap();
        let contents = shaper.result_contents(&returned, &call).unwrap();
        let given: Vec<String> = contents.iter().map(|content| redact(&content.text)).collect();
        let is_json = contents.first().is_some_and(|content| content.is_json);
        let kept = Replacement { contents: &given, is_json, is_redacted: true };
        let shaped = shaper.shape_kept_result(&returned, &kept, &call).unwrap();
        let mut result: Value = serde_json::from_str(&shaped.to_json(&returned).unwrap()).unwrap();
        result["_meta"].as_object_mut().unwrap().remove("toolshape/receipt");
        result
    }

    #[test]
    fn no_place_of_a_result_hides_a_secret() {
        let secret = "sk-1";
        for returned in [
            json!({ "content": [{ "type": "text", "text": secret }] }),
            json!({ "content": [{ "type": "text", "text": "x", "annotations": { "audience": [secret] } }] }),
            json!({ "content": [{ "type": "text", "text": "x", "more": secret, "data": secret }] }),
            json!({ "content": [{ "type": "text", "text": "x", secret: 1 }] }),
            json!({ "content": [{ "type": "text", "text": "x", "_meta": { "a": secret } }] }),
            json!({ "content": [{ "type": "image", "data": "AA==", "mimeType": secret }] }),
            json!({ "content": [{ "type": "audio", "data": "AA==", "mimeType": "audio/wav", "text": secret }] }),
            json!({ "content": [{ "type": "resource", "resource": { "uri": secret, "text": "x" } }] }),
            json!({ "content": [{ "type": "resource", "resource": { "uri": secret, "blob": "AA==" } }] }),
            json!({ "content": [{ "type": "resource", "resource": { "uri": "a:b", "text": "x", "blob": secret } }] }),
            json!({ "content": [{ "type": "resource", "blob": secret, "resource": { "uri": "a:b", "text": "x" } }] }),
            json!({ "content": [{ "type": "resource_link", "uri": secret, "name": secret }] }),
            json!({ "content": [{ "type": "other", "text": secret }] }),
            json!({ "content": [{ "type": "text", "text": "x" }], "more": secret }),
            json!({ "content": [{ "type": "text", "text": "x" }], secret: 1 }),
            json!({ "content": [], "structuredContent": { "a": secret }, "_meta": { "a": [secret] } }),
        ] {
            let written = returned.to_string();
            for spelled in [written.clone(), written.replace("sk-1", r"s\u006b\u002d1")] {
                let shown = redacted(&spelled, |text| text.replace(secret, "gone")).to_string();
                assert!(!shown.contains(secret), "{spelled} becomes {shown}");
            }
        }
    }

    #[test]
    fn what_is_not_redacted_stays() {
        let returned = json!({
            "content": [
                { "type": "text", "text": "sk-1", "annotations": { "priority": 1 } },
                { "type": "image", "data": "AA==", "mimeType": "image/png" },
                { "type": "resource", "resource": { "uri": "a:sk-1", "text": "one" } },
            ],
            "more": "other",
            "_meta": { "a": 1 },
        });
        let mut wanted = returned.clone();
        wanted["content"][0]["text"] = "gone".into();
        wanted["content"][2]["resource"]["uri"] = "a:gone".into();
        assert_eq!(redacted(&returned.to_string(), |text| text.replace("sk-1", "gone")), wanted);
        // Other members of the result stay or go together.
        let few = redacted(&returned.to_string(), |text| text.replace("other", "gone"));
        assert_eq!((few.get("more"), &few["content"][0]["text"], &few["_meta"]), (None, &json!("sk-1"), &json!({})));
    }

    #[test]
    fn a_plain_result_has_no_rest() {
        let contents = |returned: Value| {
            let returned = returned.to_string();
            Shaper::default().result_contents(&JsonText::parse(&returned).unwrap(), &Call::default()).unwrap().len()
        };
        assert_eq!(contents(json!({ "content": [{ "type": "text", "text": "x" }], "isError": false })), 1);
        assert_eq!(contents(json!({ "content": [{ "type": "text", "text": "x", "annotations": null }] })), 1);
        assert_eq!(contents(json!({ "content": [{ "type": "image", "data": "", "mimeType": "a" }] })), 1);
    }

    #[test]
    fn of_a_rest_in_another_form_nothing_is_shown() {
        let returned = json!({ "content": [{ "type": "text", "text": "x", "more": 1 }], "more": 2 });
        let removed = json!({ "content": [{ "type": "text", "text": "gone" }], "_meta": {} });
        let redact = |text: &str| if text == "x" { "gone".to_owned() } else { "true".to_owned() };
        assert_eq!(redacted(&returned.to_string(), redact), removed);
    }

    #[test]
    fn a_rest_of_another_form_is_refused() {
        let returned = json!({ "content": [{ "type": "image", "data": "", "mimeType": "a" }] }).to_string();
        let returned = JsonText::parse(&returned).unwrap();
        for json in ["[]", "{}", "[[],{}]", "[[1],{}]", "[[{}]]", "[[{}],1]", "[[{}],{},1]", "[{},{}]"] {
            let kept = Replacement { contents: &[json.to_owned()], is_json: true, is_redacted: true };
            assert!(Shaper::default().shape_kept_result(&returned, &kept, &Call::default()).is_err(), "{json}");
        }
    }
}
