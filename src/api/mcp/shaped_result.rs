//! A shaped CallToolResult: which blocks are the tool's own and which are new. Blocks that pass are not read, copied or
//! written.

use std::borrow::Cow;

use crate::base::error::Error;
use crate::base::json_string::Quoted;
use crate::base::members::Members;
use crate::base::numbers;
use crate::outcome::receipt::Receipt;
use crate::outcome::shaped::{Outcome, Shaped};
use crate::outcome::to_store::Keep;
use crate::value::any_source::AnySource;
use crate::value::source::{Kind, Source};
use crate::value::token_count::Measure;

use super::host::Host;
use super::returned::{Returned, ToolResult};
use super::text_size::TextSize;

/// The receipt's key in `_meta`.
pub(super) const RECEIPT: &str = "toolshape/receipt";

/// One block of the `content`.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// The tool's own block at this index.
    Own(usize),
    /// A block as JSON text.
    Json(String),
}

impl Block {
    pub(super) fn text(text: &str) -> Self {
        let mut block = Members::new();
        block.text("type", "text");
        block.text("text", text);
        Self::Json(block.into_object())
    }
}

/// New structured content, and a link block for models that see nothing else.
pub(super) struct Structured {
    pub json: String,
    pub link: Option<String>,
}

impl Structured {
    /// Structured content that needs no link.
    pub fn alone(json: String) -> Self {
        Self { json, link: None }
    }
}

/// The `structuredContent`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Channel {
    /// The tool's own, or none if the tool returned none.
    #[default]
    Own,
    Absent,
    /// A value as JSON text.
    Json(String),
}

/// The value of a member of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// The tool's own.
    Own,
    /// The blocks of `content`.
    Content,
    /// The JSON text of `structured`.
    Structured,
    /// True.
    IsError,
    /// The tool's own `_meta`, with the receipt in place of one that the tool wrote.
    Meta,
    /// The tool's own `_meta` without a receipt.
    OwnMeta,
}

/// A shaped CallToolResult: what it keeps of the tool's own result, and what is new.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ShapedResult {
    /// Whether the whole result is the tool's own, because toolshape must not change it.
    pub is_own: bool,
    /// Whether content and structured content are the tool's own.
    pub unchanged: bool,
    /// Whether the other members are those of what the tool returned.
    pub is_result: bool,
    pub content: Vec<Block>,
    pub structured: Channel,
    /// Whether the result reports an error.
    pub is_error: bool,
    /// What was done; `None` if toolshape does not shape the result. `_meta` never has a receipt that the tool wrote.
    pub receipt: Option<Receipt>,
    /// What must be stored before the result is sent, because the result names it.
    pub keep: Option<Keep>,
}

impl ShapedResult {
    /// The tool's own result, unchanged except for a receipt that the tool wrote.
    pub(super) fn passed(value: &AnySource<'_>) -> Result<Self, Error> {
        let members = value.entries()?;
        let meta = super::returned::member(&members, "_meta").filter(|meta| meta.kind() == Kind::Object);
        let meta = meta.map_or(Ok(Vec::new()), Source::entries)?;
        let is_own = super::returned::member(&meta, RECEIPT).is_none();
        Ok(Self { is_own, unchanged: true, is_result: true, ..Self::default() })
    }

    /// The result of a tool whose results the policy does not shape; a value that is not a CallToolResult is put into one.
    pub(super) fn left_alone(value: &AnySource<'_>) -> Result<Self, Error> {
        match Returned::read(value)? {
            Returned::Value(value) => {
                let text = match value.kind() {
                    Kind::String => value.text()?.into_owned(),
                    _ => value.json()?.into_owned(),
                };
                let content = if value.kind() == Kind::Null { Vec::new() } else { vec![Block::text(&text)] };
                Ok(Self { unchanged: true, content, ..Self::default() })
            }
            _ => Self::passed(value),
        }
    }

    /// The same for a host, which may refuse a text unless there is structured content: then there is some, which it does not
    /// show.
    pub(super) fn for_host(self, host: Host, own: Option<&ToolResult<'_>>) -> Result<Self, Error> {
        let has_structured = match self.structured {
            Channel::Own => own.is_some_and(|own| own.structured.is_some()),
            Channel::Absent => false,
            Channel::Json(_) => true,
        };
        if has_structured || host.is_plain() {
            return Ok(self);
        }
        let mut is_refused = false;
        for block in &self.content {
            is_refused |= match (block, own) {
                (Block::Json(json), _) => {
                    let block: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
                    block["text"].as_str().is_some_and(|text| host.refuses(text))
                }
                (Block::Own(at), Some(own)) => match own.texts.iter().find(|text| text.block == *at) {
                    Some(text) => host.refuses(text.whole()?),
                    None => false,
                },
                (Block::Own(_), None) => false,
            };
        }
        if !is_refused {
            return Ok(self);
        }
        Ok(Self { unchanged: false, structured: Channel::Json("{}".to_owned()), ..self })
    }

    /// One of our own answers to a client, for example from a tool that an adapter adds: an image, or a text.
    pub fn answer(
        text: &str,
        image: Option<String>,
        is_error: bool,
        receipt: Option<Receipt>,
        client: Option<&str>,
    ) -> Self {
        let is_refused = image.is_none() && Host::of(client).refuses(text);
        let content = vec![image.map_or_else(|| Block::text(text), Block::Json)];
        let structured = if is_refused { Channel::Json("{}".to_owned()) } else { Channel::Absent };
        Self { content, structured, is_error, receipt, ..Self::default() }
    }

    /// The same of what was shaped.
    pub fn of(shaped: Shaped, client: Option<&str>) -> Self {
        Self::answer(&shaped.text, shaped.image, shaped.is_error, Some(shaped.receipt), client)
    }

    /// A result that reports an error: in place of what the tool returned or, with `is_result`, in its content.
    pub(super) fn error(shaped: Shaped, is_result: bool) -> Self {
        let (content, structured) = (vec![Block::text(&shaped.text)], Channel::Absent);
        Self { is_result, content, structured, is_error: true, receipt: Some(shaped.receipt), ..Self::default() }
    }

    /// The members of the result: those of the tool's own result keep their order, and new ones follow.
    pub fn members<'k>(&self, own: impl IntoIterator<Item = &'k str>) -> Vec<(String, Member)> {
        let mut members: Vec<(String, Member)> =
            own.into_iter().filter_map(|key| Some((key.to_owned(), self.member(key)?))).collect();
        let new: Vec<_> =
            self.new_members().filter(|(key, _)| !members.iter().any(|(known, _)| known == key)).collect();
        members.extend(new.into_iter().map(|(key, member)| (key.to_owned(), member)));
        members
    }

    /// What a member of the tool's own result becomes; `None` if it goes.
    fn member(&self, key: &str) -> Option<Member> {
        match key {
            _ if self.is_own => Some(Member::Own),
            "_meta" if self.shows_receipt() => Some(Member::Meta),
            "_meta" => Some(Member::OwnMeta),
            _ if self.receipt.is_none() => Some(Member::Own),
            "content" => Some(Member::Content),
            "structuredContent" => self.structured_member(),
            "isError" if self.is_error => Some(Member::IsError),
            _ => Some(Member::Own),
        }
    }

    /// Whether the result carries its receipt.
    pub fn shows_receipt(&self) -> bool {
        self.receipt.as_ref().is_some_and(Receipt::is_in_meta)
    }

    fn structured_member(&self) -> Option<Member> {
        match self.structured {
            Channel::Own => Some(Member::Own),
            Channel::Absent => None,
            Channel::Json(_) => Some(Member::Structured),
        }
    }

    /// The members that follow where the tool's own result has none of that name.
    fn new_members(&self) -> impl Iterator<Item = (&'static str, Member)> {
        let members = [
            ("content", Member::Content, !self.content.is_empty() || !self.is_result),
            ("structuredContent", Member::Structured, self.structured_member() == Some(Member::Structured)),
            ("isError", Member::IsError, self.is_error),
            ("_meta", Member::Meta, self.shows_receipt()),
        ];
        members.into_iter().filter(|(.., is_new)| *is_new).map(|(key, member, _)| (key, member))
    }

    /// What the tool's own `_meta` becomes, as JSON.
    pub(super) fn meta<S: Source>(&self, own: Option<&S>) -> Result<String, Error> {
        let mut meta = Members::new();
        for (key, value) in own.map_or(Ok(Vec::new()), Source::entries)? {
            if !Quoted::new(&key).is(RECEIPT) {
                meta.json_under(&key, &value.json()?);
            }
        }
        if let Some(receipt) = self.receipt.as_ref().filter(|_| self.shows_receipt()) {
            meta.json(RECEIPT, &receipt.to_json().to_string());
        }
        Ok(meta.into_object())
    }

    /// The whole result as JSON text; `returned` is what the tool returned.
    ///
    /// # Errors
    /// `UNSUPPORTED_VALUE` and `TOO_DEEP` from reading the parts that are kept.
    pub fn to_json<S: Source>(&self, returned: &S) -> Result<String, Error> {
        if self.is_own {
            return Ok(returned.json()?.into_owned());
        }
        let own = if self.is_result { returned.entries()? } else { Vec::new() };
        let find = |name: &str| super::returned::member(&own, name);
        let blocks = find("content").map_or(Ok(Vec::new()), |content| content.items(0, usize::MAX))?;
        let mut content = Vec::new();
        for block in &self.content {
            content.push(match block {
                Block::Own(at) => blocks[*at].json()?.into_owned(),
                Block::Json(json) => json.clone(),
            });
        }
        let meta = self.meta(find("_meta"))?;
        let made = |member| match (member, &self.structured) {
            (Member::Own, _) => None,
            (Member::Content, _) => Some(format!("[{}]", content.join(",")).into()),
            (Member::Structured, Channel::Json(json)) => Some(Cow::Borrowed(&**json)),
            (Member::Structured, _) => None,
            (Member::IsError, _) => Some("true".into()),
            (Member::Meta | Member::OwnMeta, _) => Some(meta.as_str().into()),
        };
        // A key stays as it is spelled.
        let mut members = Members::new();
        for (key, value) in &own {
            if let Some(member) = self.member(&Quoted::new(key).text()) {
                members.json_under(key, &made(member).map_or_else(|| value.json(), Ok)?);
            }
        }
        for (key, member) in self.new_members().filter(|(key, _)| find(key).is_none()) {
            members.json(key, &made(member).unwrap_or_default());
        }
        Ok(members.into_object())
    }
}

/// A result that may still be over a limit of the policy or the host.
pub(super) struct SizedResult {
    pub result: ShapedResult,
    /// The size of what the model reads in `content`, and in `structuredContent` if there is any.
    pub size: TextSize,
    pub structured_size: Option<TextSize>,
}

impl SizedResult {
    /// The tool's own `content` and structured content, or those for a value that has none.
    pub fn unchanged(own: Option<&ToolResult<'_>>, receipt: Receipt) -> Self {
        let content = own.map_or(Vec::new(), |own| (0..own.blocks.len()).map(Block::Own).collect());
        let is_error = own.is_some_and(|own| own.is_error);
        let (unchanged, is_result, receipt) = (own.is_some(), own.is_some(), Some(receipt));
        let result = ShapedResult { unchanged, is_result, content, is_error, receipt, ..ShapedResult::default() };
        Self { result, size: TextSize::default(), structured_size: None }
    }

    /// New content; the model reads `shaped` in it, in addition to other parts of the size `beside`.
    pub fn changed(own: Option<&ToolResult<'_>>, shaped: &Shaped, content: Vec<Block>, beside: TextSize) -> Self {
        let measure = Measure { encoding: shaped.receipt.encoding };
        let mut receipt = shaped.receipt.clone();
        receipt.tokens_before += beside.tokens;
        let mut draft = Self::unchanged(own, receipt);
        draft.result.unchanged = false;
        draft.result.content = content;
        draft.result.structured = Channel::Absent;
        draft.result.keep = shaped.keep.clone();
        draft.result.is_error |= shaped.is_error;
        draft.size = TextSize::of(&shaped.text, measure).and(beside);
        draft
    }

    /// Adds structured content, and its link for a host that shows that and not the text. A host that shows structured
    /// content without the link shows the text instead, if there is no structured content.
    pub fn structure(&mut self, Structured { json, link }: Structured, measure: Measure, host: Host) {
        if link.is_some() && host.drops_links_beside() {
            return;
        }
        let link = link.filter(|_| !host.shows_text());
        let mut weight = TextSize::of(&json, measure);
        if let Some(link) = link {
            let more = TextSize::of(&link, measure);
            (weight, self.size) = (weight.and(more), self.size.and(more));
            self.result.content.push(Block::Json(link));
        }
        self.structured_size = Some(weight);
        self.result.structured = Channel::Json(json);
    }

    /// The size of the larger channel, in each unit.
    pub fn heaviest(&self) -> TextSize {
        self.structured_size.map_or(self.size, |weight| weight.max(self.size))
    }

    /// Writes the size into the receipt.
    pub fn record(&mut self, budget: usize) {
        let TextSize { tokens, bytes, .. } = self.heaviest();
        if let Some(receipt) = &mut self.result.receipt {
            (receipt.tokens_after, receipt.bytes, receipt.budget) = (tokens, bytes, Some(budget));
        }
    }
}

/// A shaped result as structured content: an object that shows what was done, as the widened schema describes it.
pub(super) fn structured_form(shaped: &Shaped) -> String {
    let json = numbers::held_by_hosts(&shaped.text);
    match shaped.outcome {
        Outcome::Envelope | Outcome::Handle | Outcome::Error => json.into_owned(),
        Outcome::Unchanged | Outcome::Value => {
            let mut out = Members::new();
            out.json("_value", &json);
            out.into_object()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RECEIPT;
    use crate::host::{JsonText, Naming};
    use crate::{Call, Policy, Shaper};

    #[test]
    fn receipts_are_in_meta_on_request_alone() {
        let theirs =
            json!({ "content": [{ "type": "text", "text": "[1]" }], "_meta": { "a": 1, RECEIPT: { "b": 2 } } });
        let plain = json!({ "content": [{ "type": "text", "text": "[1]" }] });
        let rows = json!({ "content": [{ "type": "text", "text": json!(vec!["a row"; 900]).to_string() }] });
        let meta = |policy: Value, returned: &Value| {
            let returned = returned.to_string();
            let returned = JsonText::parse(&returned).unwrap();
            let shaper = Shaper::new(Policy::new(&policy, Naming::Camel).unwrap());
            let shaped = shaper.shape_result(&returned, &Call::default()).unwrap();
            assert!(shaped.receipt.is_some());
            let result: Value = serde_json::from_str(&shaped.to_json(&returned).unwrap()).unwrap();
            result["_meta"].clone()
        };
        assert_eq!(meta(json!({}), &theirs), json!({ "a": 1 }));
        assert_eq!((meta(json!({}), &plain), meta(json!({}), &rows)), (Value::Null, Value::Null));
        for returned in [&theirs, &plain, &rows] {
            let meta = meta(json!({ "receipt": "meta" }), returned);
            assert!(meta[RECEIPT]["tokensAfter"].is_u64() && meta[RECEIPT].get("b").is_none(), "{meta}");
        }
    }
}
