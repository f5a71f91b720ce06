//! The tool `summarize`, which adapters offer on request: the text that a call is about, and how a server lists the
//! tool.
//!
//! The text comes from the caller or from the store. The answer is a summary by [`Shaper::summarize_text`]. A caller's mistake is explained in a result, and a text that fits is itself the answer.

use crate::ladder::refusal;
use crate::outcome::receipt::Step;
use crate::outcome::receipt::Weight;
use crate::request::context::Fit;
use serde_json::{Map, Value, json};

use crate::api::read_back::StoredPart;
use crate::api::read_back::{self, unfit};
use crate::api::shaper::Shaper;
use crate::api::summarize_text::NATURES;
use crate::base::error::{Error, ErrorCode};
use crate::outcome::shaped::Outcome;
use crate::outcome::shaped::Shaped;
use crate::render::notes::read_back::{self as notes, Unfit};
use crate::request::call::Call;
use crate::request::handle;
use crate::request::policy::{SIDE_PARTS, Settings};
use crate::request::reader::{Naming, Reader};

/// The most bytes of a text that a caller hands in: it is stored, and no model writes as much.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// The text that a call of `summarize` is about.
#[derive(Clone, Debug, PartialEq)]
pub enum ToSummarize {
    /// There is nothing to summarize: the text fits, or the result explains what is wrong with the call.
    Answered(Box<Shaped>),
    /// A text, for [`Shaper::summarize_text`].
    Text {
        /// The whole text.
        text: String,
        /// The options of its summary: `kind`, `uri` and `pointer`, those that exist.
        summary: Value,
    },
}

#[doc(hidden)]
impl Shaper {
    /// The text that a call of `summarize` is about. `stored` is the key under which the result of the call's `handle`
    /// was found (see [`lookup`](Self::lookup)), and its content.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape), for a mistake of the server's author.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::host::{Naming, ToSummarize};
    /// use toolshape::{Call, Shaper};
    /// let arguments = json!({ "text": "line\n".repeat(9000), "uri": "file:///app.log" });
    /// let call = Call::new(&json!({ "tool": "summarize", "arguments": arguments }), Naming::Camel)?;
    /// let ToSummarize::Text { summary, .. } = Shaper::default().to_summarize(None, &call)? else {
    ///     panic!("9,000 lines do not fit");
    /// };
    /// assert_eq!(summary["uri"], "file:///app.log");
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn to_summarize(&self, stored: Option<(&str, &str)>, call: &Call) -> Result<ToSummarize, Error> {
        let settings = self.settings(call)?;
        let measure = settings.measure();
        let refused = |error, pointers: &[String]| {
            refusal::refuse(settings, settings.room(), call, Weight::Exact(0), error, pointers)
        };
        let answered = |shaped| ToSummarize::Answered(Box::new(shaped));
        let TextToSummarize { text, summary, is_read } = match self.asked(stored, settings, call) {
            Ok(Ok(asked)) => asked,
            // Every error from here on is about what the caller sent, or about content that was evicted.
            Ok(Err((error, pointers))) => return Ok(answered(refused(&error, &pointers))),
            Err(error) => return Ok(answered(refused(&error, &[]))),
        };
        if call.asks_for_part() {
            // The caller or the store has the text, so it is not stored again.
            return Ok(answered(self.shape_text(&text, &call.without_store())?));
        }
        let Some(tokens) = measure.fits(&text, settings.room()) else {
            return Ok(ToSummarize::Text { text, summary });
        };
        let steps = if is_read { vec![Step::Read] } else { Vec::new() };
        let (before, fit) = (Weight::Exact(tokens), Fit { text, tokens });
        Ok(answered(Shaped::new(settings, call, before, fit, steps, Outcome::Unchanged)))
    }

    /// The text that a call asks to summarize; the inner error explains why there is none.
    fn asked(
        &self,
        stored: Option<(&str, &str)>,
        settings: &Settings,
        call: &Call,
    ) -> Result<Result<TextToSummarize, (Error, Vec<String>)>, Error> {
        let measure = settings.measure();
        let arguments = Value::Object(call.own_arguments());
        let names = ["handle", "pointer", "text", "kind", "uri"];
        let reader = Reader::new(&arguments, &names, ErrorCode::InvalidCall, String::new(), Naming::Camel)?;
        let text = |name| Ok::<_, Error>(reader.text(name)?.map(str::to_owned));
        let wrong = |name: &str, message: &str| Err(reader.error_at(name, message.to_owned()));
        reader.choice("kind", &NATURES)?;
        let mut summary = Map::new();
        summary.extend(text("kind")?.map(|kind| ("kind".to_owned(), json!(kind))));
        match (text("handle")?, text("text")?) {
            (None, None) => wrong("text", "text is missing, or handle of a stored result"),
            (Some(_), Some(_)) => wrong("text", &notes::either("handle", "text")),
            (None, Some(given)) if given.len() > MAX_TEXT_BYTES => {
                wrong("text", &notes::text_too_long(given.len(), MAX_TEXT_BYTES))
            }
            (None, Some(given)) => {
                let uri = text("uri")?;
                if reader.get("pointer").is_some() {
                    return wrong("pointer", "pointer requires handle");
                }
                if uri.is_none() && !call.has_store() {
                    return wrong("uri", "uri is missing: text requires the address at which the whole can be read");
                }
                if uri.as_ref().is_some_and(|uri| measure.count(uri) > settings.room() / SIDE_PARTS) {
                    return wrong("uri", "uri is too long for the budget");
                }
                summary.extend(uri.map(|uri| ("uri".to_owned(), json!(uri))));
                Ok(Ok(TextToSummarize { text: given, summary: Value::Object(summary), is_read: false }))
            }
            (Some(handle), None) => {
                let pointer = text("pointer")?.unwrap_or_default();
                if reader.get("uri").is_some() {
                    return wrong("uri", "uri requires text; a stored result has a handle");
                }
                let (form, content) = read_back::find(stored, &read_back::name_of(call)?, settings, call)?;
                let part = match StoredPart::new(form, content)?.at(&pointer)? {
                    Ok(part) => part,
                    Err(missing) => return Ok(Err(missing)),
                };
                let text = part.text().ok_or_else(|| unfit("handle", Unfit::NothingToSummarize))?;
                let uri = handle::read(&handle)?.handle().uri();
                summary.insert("uri".to_owned(), json!(uri));
                if !pointer.is_empty() {
                    summary.insert("pointer".to_owned(), json!(pointer));
                }
                Ok(Ok(TextToSummarize { text: text.into_owned(), summary: Value::Object(summary), is_read: true }))
            }
        }
    }
}

/// The text that a caller wants summarized.
struct TextToSummarize {
    text: String,
    /// Options for [`Shaper::summarize_text`].
    summary: Value,
    is_read: bool,
}

/// Name, title, description and input schema of the tool that summarizes a text, for a server with or without a store.
///
/// ```
/// let tool = toolshape::host::summarize_tool(true);
/// assert_eq!(tool["name"], "summarize");
/// assert!(tool["inputSchema"]["properties"]["handle"].is_object());
/// assert_eq!(toolshape::host::summarize_tool(false)["inputSchema"]["required"], serde_json::json!(["text", "uri"]));
/// ```
pub fn summarize_tool(has_store: bool) -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let mut properties = Map::new();
    if has_store {
        properties.insert("handle".to_owned(), text("16 letters: the end of the uri of a stored result"));
        properties
            .insert("pointer".to_owned(), text("JSON Pointer (RFC 6901) to a text in a JSON result, as /items/0/body"));
    }
    let of_text = if has_store { "a text, instead of handle" } else { "the text" };
    let of_uri = if has_store { "where that text is to be read whole" } else { "where it is to be read whole" };
    properties.insert("text".to_owned(), text(of_text));
    properties.insert("uri".to_owned(), text(of_uri));
    properties.insert(
        "kind".to_owned(),
        json!({ "enum": NATURES.map(|(name, _)| name), "description": "what the text is, if you know better" }),
    );
    properties.insert("cursor".to_owned(), text("nextCursor of the answer before; all else unchanged"));
    let required: &[&str] = if has_store { &[] } else { &["text", "uri"] };
    let what = if has_store { " Give handle or text." } else { "" };
    json!({
        "name": "summarize",
        "title": "Summarize a text",
        "description": format!(
            "Tells a long text in short: of a log every kind of line with counts, errors first; of a document its \
             headings and leading sentences. Says where the whole is.{what}"
        ),
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false
        },
        "annotations": { "readOnlyHint": true, "openWorldHint": false }
    })
}
