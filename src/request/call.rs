//! What one call may ask for within the policy: the tool's name, its arguments and the call controls.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::base::error::{Error, ErrorCode};
use crate::base::field_path::FieldPath;
use crate::base::numbers::MAX_INTEGER;
use crate::base::sorting::sort_by;
use crate::base::text_cuts;
use crate::option_table;
use crate::request::cursor::{BINDING_BYTES, Continued};
use crate::request::declared::Output;
use crate::request::lenient;
use crate::request::option_spec::{Takes, names};
use crate::request::policy::{Format, NoTransform, Settings};
use crate::request::read_tool::READ_RESULT;
use crate::request::reader::{Naming, Reader};
use crate::request::shallow::shallow;
use crate::value::hashed::HostHash;

/// The call controls: the arguments that control shaping and are not for the tool.
pub const CONTROLS: [&str; 6] = ["page", "pageSize", "cursor", "fields", "format", "output"];

option_table! {
    /// What a call may have: the call controls, and what the host adds.
    pub const OF_CALL;

    /// Page of a list.
    "page", Takes::Whole(1, MAX_INTEGER), "1";
    /// Rows of a page, at most the policy's `maxPageSize`.
    "pageSize", Takes::Whole(1, MAX_INTEGER), "the policy's `pageSize`";
    /// `nextCursor` of the previous page. It takes precedence over `page`.
    "cursor", Takes::Text, "none";
    /// Fields to show, at most 100: `author.name` or `/author/name`; a single JSON Pointer returns the value at it.
    "fields", Takes::Texts, "the policy's `fields`";
    /// How rows are written; `text` returns a text as the tool returned it, instead of its rows.
    "format", Takes::Choice("AskedFormat", &ASKED_FORMATS), "the policy's `format`";
    /// What is shown of a series or a grid.
    "output", Takes::Choice("Output", &OUTPUTS), "the policy's `output`";
    /// Name of the tool. It selects the options in the policy's `tools`, and cursors are bound to it.
    "tool", Takes::Text, "none";
    /// Arguments of the call as the client sent them; call controls among them are found there.
    "arguments", Takes::Object, "none";
    /// Current time in seconds since 1970, for the expiry of cursors.
    "now", Takes::Number(0.0, MAX_INTEGER as f64), "the system clock; none in Rust";
    /// Owner of results, such as a tenant: handles are valid within one scope only. It requires a `cursorKey`.
    "scope", Takes::Text, "none";
    /// Conversation of one client: `read_result` without a handle lists what it stored, or with a `scope` what that scope
    /// did.
    "session", Takes::Text, "none";
    /// Names of call controls that are the tool's own arguments, from `Shaper.tool`.
    "ownArguments", Takes::Texts, "none";
    /// Names of the tool's own arguments that may take a page, from `Shaper.plan`.
    "pageArguments", Takes::Texts, "none";
    /// For results in MCP's form: the tool's own output schema, or true if it is widened.
    "outputSchema", Takes::OutputSchema, "none";
    /// For results in MCP's form: the client's name. Its known limits also apply, if they are lower.
    "client", Takes::Text, "none";
    /// For results in MCP's form: `_meta` of the request. A caller that is a program gets results whole.
    "meta", Takes::Object, "none";
    /// For results in MCP's form: a user interface reads the structured content, which stays whole.
    "hasUi", Takes::Flag, "false";
    /// There is a store, and the caller writes `keep` to it before it returns the result.
    "store", Takes::Flag, "false";
    /// Why the store could not keep the result. The result then contains no handle.
    "storeFailure", Takes::Text, "none";
    /// Why the result could not be redacted. An error result then replaces it.
    "redactFailure", Takes::Text, "none";
    /// The caller may not read the stored result that the call names. The result then reports it.
    "forbidden", Takes::Flag, "false";
    /// Tools that returned the stored result that the call reads.
    "returnedBy", Takes::Texts, "none";
}

/// What a call may request: the policy's formats, and the text as it is.
const ASKED_FORMATS: [&str; 4] = ["json", "columns", "auto", "text"];
const OUTPUTS: [&str; 2] = ["summary", "full"];

/// All keys that a call may have.
const NAMES: [&str; OF_CALL.len()] = names(&OF_CALL);

/// Replace the names of two controls if the tool has arguments with these names. Without these controls parts of a
/// result could not be reached.
const ALIASES: [(&str, &str); 2] = [("cursor", "shapeCursor"), ("fields", "shapeFields")];

/// The member of `_meta` by which a result passes whole.
pub(crate) const NO_TRANSFORM: &str = "toolshape/noTransform";

/// The most fields that a call asks for, each of which is looked for in the rows.
pub(crate) const MAX_FIELDS: usize = 100;

/// One call of a tool: its name, its arguments, and the call controls, by which the caller asks for a page, fields or a
/// form. Controls that the model sent among the `arguments` are found there.
///
/// ```
/// use serde_json::json;
/// use toolshape::{Call, Shaper};
/// let rows: Vec<_> = (0..1000).map(|id| json!({ "id": id })).collect();
/// let shaper = Shaper::default();
/// let shaped = shaper.shape(&rows, &Call::tool("list").arguments([("page", 2)]))?;
/// assert!(shaped.text.contains(r#""page":2"#));
/// assert_eq!(shaped, shaper.shape(&rows, &Call::tool("list").page(2))?);
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Call {
    pub(crate) tool: Option<String>,
    /// The tool's own arguments in a form that does not depend on the order of keys; nothing for none.
    pub(crate) arguments: String,
    /// The call controls as received. They come from the caller, so they are checked during shaping.
    pub(crate) controls: Map<String, Value>,
    /// Names of controls that are the tool's own arguments in this call.
    pub(crate) own_arguments: Vec<String>,
    /// Names of the tool's own arguments that may take a page.
    pub(crate) page_arguments: Vec<String>,
    /// The output schema of the tool, if it has one.
    pub(crate) output_schema: Option<Value>,
    /// The name by which the client introduced itself.
    pub(crate) client: Option<String>,
    /// Whether the caller is a program.
    pub(crate) is_program: bool,
    /// Whether the request asks for the result whole.
    pub(crate) asks_no_transform: bool,
    /// The model for which the call is made, if the client names it.
    pub(crate) model: Option<String>,
    /// Whether a user interface reads the structured content.
    pub(crate) has_ui: bool,
    /// Seconds since 1970.
    pub(crate) now: Option<u64>,
    pub(crate) has_store: bool,
    pub(crate) store_failure: Option<String>,
    pub(crate) redact_failure: Option<String>,
    pub(crate) scope: Option<String>,
    /// The conversation, among those of all clients.
    pub(crate) session: Option<String>,
    /// Whether the caller may not read the stored result that the call names.
    pub(crate) is_forbidden: bool,
    /// Whether the tool failed: nobody is to run it again to read its error.
    pub(crate) has_failed: bool,
    /// The tools that returned the stored result that the call reads, the latest last.
    pub(crate) returned_by: Vec<String>,
    pub(crate) host_hash: Option<HostHash>,
    /// What its cursors belong to, if that is another call.
    pub(crate) bound_to: Option<[u8; BINDING_BYTES]>,
}

impl Call {
    /// The call of a tool, without arguments.
    pub fn tool(name: impl Into<String>) -> Self {
        Self { tool: Some(name.into()), ..Self::default() }
    }

    /// Sets the arguments as the client sent them, such as those of MCP's `tools/call`.
    pub fn arguments<K: Into<String>, V: Into<Value>>(mut self, arguments: impl IntoIterator<Item = (K, V)>) -> Self {
        let arguments = arguments.into_iter().map(|(name, value)| (name.into(), value.into()));
        let mut arguments: Map<String, Value> = arguments.collect();
        for name in CONTROLS {
            let inside = arguments.remove(name).filter(|value| !value.is_null());
            if let Some(value) = inside
                && !self.controls.contains_key(name)
            {
                self.controls.insert(name.to_owned(), lenient::control(name, value));
            }
        }
        Self { arguments: canonical(arguments), ..self }
    }

    /// Requests a page of a list, from 1.
    pub fn page(self, page: u64) -> Self {
        self.control("page", page)
    }

    /// Requests this many rows of a page.
    pub fn page_size(self, rows: usize) -> Self {
        self.control("pageSize", rows)
    }

    /// Requests the page of a `nextCursor`. It takes precedence over a page.
    pub fn cursor(self, cursor: impl Into<String>) -> Self {
        self.control("cursor", cursor.into())
    }

    /// Requests fields: `author.name` or `/author/name`. A single JSON Pointer requests the value at it.
    pub fn fields<F: Into<String>>(self, fields: impl IntoIterator<Item = F>) -> Self {
        self.control("fields", fields.into_iter().map(Into::into).collect::<Vec<String>>())
    }

    /// Requests how rows are written.
    pub fn format(self, format: Format) -> Self {
        self.control("format", format)
    }

    /// Requests a form of a series or a grid.
    pub fn output(self, output: Output) -> Self {
        self.control("output", output)
    }

    fn control(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.controls.insert(name.to_owned(), value.into());
        self
    }

    /// There is a store: the caller stores the [`Keep`](crate::Keep) of a result before it returns the result.
    pub fn with_store(self) -> Self {
        Self { has_store: true, ..self }
    }

    /// The same call, for a result that the store could not keep.
    #[doc(hidden)]
    pub fn with_store_failure(self, reason: impl Into<String>) -> Self {
        Self { has_store: false, store_failure: Some(reason.into()), ..self }
    }

    /// The same call, which reads a stored result: the tools that returned it, whether the caller may not read it, and why the
    /// store could not be read.
    pub(crate) fn with_found(self, returned_by: Vec<String>, is_forbidden: bool, failure: Option<String>) -> Self {
        Self { returned_by, is_forbidden, store_failure: failure, ..self }
    }

    /// The call that reads one of the results that this one asks about in SQL.
    #[doc(hidden)]
    pub fn of_table(&self, handle: &str) -> Self {
        Self { controls: Map::new(), ..self.clone() }.arguments([("handle", handle)])
    }

    /// Sets the owner of results, such as a tenant: handles are valid within one scope only. It requires the option
    /// `cursorKey` of the policy.
    pub fn scope(self, scope: impl Into<String>) -> Self {
        Self { scope: Some(scope.into()), ..self }
    }

    /// The call of a tool by a client, without arguments.
    #[doc(hidden)]
    pub fn of(tool: Option<&str>, client: Option<&str>) -> Self {
        Self { tool: tool.map(str::to_owned), client: client.map(str::to_owned), ..Self::default() }
    }

    /// Reads a call from its options, which [`OF_CALL`] lists.
    ///
    /// Call controls may be next to `tool`, or among the `arguments`, where they are always in camelCase. A control that
    /// `ownArguments` lists is the tool's own argument there; ours is then `shapeCursor` or `shapeFields`. A control may
    /// have the type that models send in its place: `"2"` for 2, `"id,name"` for a list.
    ///
    /// # Errors
    /// `INVALID_CALL` for an unknown key or a wrong type of `tool` or `arguments`. A wrong call control is not an error
    /// here: the caller gets a result that explains it.
    #[doc(hidden)]
    pub fn new(call: &Value, naming: Naming) -> Result<Self, Error> {
        let reader = Reader::new(call, &NAMES, ErrorCode::InvalidCall, String::new(), naming)?;
        // What comes from a client may be an empty text.
        let name = |option: &str| match reader.get(option).and_then(Value::as_str) {
            Some("") => Ok(None),
            _ => reader.text(option).map(|name| name.map(str::to_owned)),
        };
        let tool = name("tool")?;
        let now = reader.number("now", 0.0, MAX_INTEGER as f64)?.map(|now| now as u64);
        let mut arguments = match reader.get("arguments") {
            None => Map::new(),
            Some(Value::Object(map)) => map.clone(),
            Some(other) => return Err(reader.error("arguments", other, "an object")),
        };
        if tool.as_deref() == Some(READ_RESULT) {
            arguments = lenient::without_empty(arguments);
        }
        let texts = reader.texts("ownArguments")?.unwrap_or_default();
        let own_arguments: Vec<String> = texts.into_iter().map(str::to_owned).collect();
        let page_arguments =
            reader.texts("pageArguments")?.unwrap_or_default().into_iter().map(str::to_owned).collect();
        let output_schema = match reader.get("outputSchema") {
            None | Some(Value::Bool(false)) => None,
            Some(schema @ (Value::Object(_) | Value::Bool(_))) => Some(schema.clone()),
            Some(other) => return Err(reader.error("outputSchema", other, "a JSON Schema, or true")),
        };
        let client = name("client")?;
        let meta = match reader.get("meta") {
            None => None,
            Some(Value::Object(meta)) => Some(meta),
            Some(other) => return Err(reader.error("meta", other, "an object")),
        };
        let mut controls = Map::new();
        for name in CONTROLS {
            let inside = argument(name, &own_arguments).and_then(|argument| arguments.remove(argument));
            let value = reader.get(name).cloned().or(inside).filter(|value| !value.is_null());
            if let Some(value) = value {
                controls.insert(name.to_owned(), lenient::control(name, value));
            }
        }
        Ok(Self {
            tool,
            arguments: canonical(arguments),
            controls,
            own_arguments,
            page_arguments,
            output_schema,
            client,
            is_program: meta.is_some_and(is_program),
            asks_no_transform: meta.is_some_and(|meta| meta.get(NO_TRANSFORM) == Some(&Value::Bool(true))),
            model: meta.and_then(model).map(str::to_owned),
            has_ui: reader.flag("hasUi")?.unwrap_or_default(),
            now,
            has_store: reader.flag("store")?.unwrap_or_default(),
            store_failure: reader.text("storeFailure")?.map(str::to_owned),
            redact_failure: reader.text("redactFailure")?.map(str::to_owned),
            scope: reader.text("scope")?.map(str::to_owned),
            session: reader.text("session")?.map(str::to_owned),
            is_forbidden: reader.flag("forbidden")?.unwrap_or_default(),
            returned_by: tools(&reader)?,
            ..Self::default()
        })
    }

    /// The same call with the cursor in the tool's own argument as a control, if it is one into a stored result. A model may go on
    /// so; where nothing is stored under it, the argument is the tool's.
    pub(crate) fn going_on(&self) -> Cow<'_, Self> {
        if self.controls.contains_key("cursor") || !self.arguments.contains("\"cursor\"") {
            return Cow::Borrowed(self);
        }
        let mut arguments = self.own_arguments();
        let Some(Value::String(cursor)) = arguments.remove("cursor") else { return Cow::Borrowed(self) };
        if !Continued::is_one(&cursor) {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { arguments: canonical(arguments), ..self.clone() }.control("cursor", cursor))
    }

    /// Reads a call from JSON text, as [`new`](Self::new). The tool's own arguments may nest as deeply as they like.
    ///
    /// # Errors
    /// As [`new`](Self::new), and `INVALID_CALL` for text that is not JSON.
    ///
    /// ```
    /// use toolshape::host::Naming;
    /// use toolshape::Call;
    /// let nested = "[".repeat(5_000) + &"]".repeat(5_000);
    /// let call = Call::from_json(&format!(r#"{{"tool":"list","arguments":{{"filter":{nested},"page":2}}}}"#), Naming::Camel)?;
    /// assert_eq!(call.tool_name(), Some("list"));
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn from_json(json: &str, naming: Naming) -> Result<Self, Error> {
        let call = serde_json::from_str(&shallow(json))
            .map_err(|error| Error::new(ErrorCode::InvalidCall, format!("the options cannot be read: {error}"), ""))?;
        Self::new(&call, naming)
    }

    /// Sets the current time in seconds since 1970, unless the call has one. Cursors that expire require it.
    pub fn at(self, now: u64) -> Self {
        Self { now: self.now.or(Some(now)), ..self }
    }

    /// The same call from a host that hashes faster than the core, or has the texts. For the language bindings.
    #[doc(hidden)]
    pub fn hashed_by(self, host: HostHash) -> Self {
        Self { host_hash: Some(host), ..self }
    }

    /// How the host hashes, if it does.
    pub(crate) fn host_hash(&self) -> Option<HostHash> {
        self.host_hash
    }

    /// The tool's name.
    pub fn tool_name(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// Names of the tool's own arguments that may take a page.
    pub(crate) fn page_arguments(&self) -> &[String] {
        &self.page_arguments
    }

    /// The name by which the client introduced itself.
    #[doc(hidden)]
    pub fn client(&self) -> Option<&str> {
        self.client.as_deref()
    }

    /// Whether the result passes whole: the caller is a program, which reads all of it and shows a model what it makes of it; or
    /// it asks for that, and may.
    pub(crate) fn reads_whole(&self, settings: &Settings) -> bool {
        self.is_program || (self.asks_no_transform && settings.no_transform == NoTransform::Request)
    }

    /// Whether the call can have a control.
    pub(crate) fn takes(&self, control: &'static str) -> bool {
        argument(control, &self.own_arguments).is_some()
    }

    /// Whether the caller asks for more of a result of which it was shown a part.
    pub fn asks_for_more(&self) -> bool {
        let is_later = self.controls.get("page").and_then(Value::as_u64).is_some_and(|page| page > 1);
        is_later || self.given_cursor().is_some()
    }

    /// The name of the argument for a control.
    pub(crate) fn argument(&self, control: &'static str) -> &'static str {
        argument(control, &self.own_arguments).unwrap_or(control)
    }

    /// Whether the caller asks for a part of the result, not for the whole.
    pub(crate) fn asks_for_part(&self) -> bool {
        !self.controls.is_empty()
    }

    /// The same call, whose tool failed: its error is shown from its start, and no note asks to repeat the call.
    pub(crate) fn failed(&self) -> Self {
        Self { controls: Map::new(), has_failed: true, ..self.clone() }
    }

    /// Whether the tool failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Whether the caller asks for rows alone, if for anything: the next rows then need no other control.
    pub(crate) fn asks_for_rows_alone(&self) -> bool {
        let of_rows = ["page", "pageSize", "cursor"];
        self.controls.keys().all(|name| of_rows.contains(&name.as_str()))
    }

    /// Whether the tool's own arguments have a handle.
    pub(crate) fn has_handle(&self) -> bool {
        self.own_arguments().get("handle").is_some_and(|handle| !handle.is_null())
    }

    /// The caller's cursor, as it was received.
    pub(crate) fn given_cursor(&self) -> Option<&str> {
        self.controls.get("cursor").and_then(Value::as_str)
    }

    /// The tool's own arguments.
    pub(crate) fn own_arguments(&self) -> Map<String, Value> {
        match serde_json::from_str(&self.arguments) {
            Ok(Value::Object(arguments)) => arguments,
            _ => Map::new(),
        }
    }

    /// The same call without arguments that a model leaves empty.
    pub(crate) fn without_empty(&self) -> Self {
        let arguments = canonical(lenient::without_empty(self.own_arguments()));
        Self { arguments, controls: lenient::without_empty(self.controls.clone()), ..self.clone() }
    }

    /// The same call without a store.
    pub(crate) fn without_store(&self) -> Self {
        Self { has_store: false, store_failure: None, ..self.clone() }
    }

    /// Whether there is a store.
    pub(crate) fn has_store(&self) -> bool {
        self.has_store
    }

    /// Why the store could not store the result.
    pub(crate) fn store_failure(&self) -> Option<&str> {
        self.store_failure.as_deref()
    }

    /// Why the result is not stored, for operators.
    pub(crate) fn failure(&self) -> Option<String> {
        let of_store = self.store_failure.as_deref().map(|reason| ("the store failed", reason));
        let of_redact = self.redact_failure.as_deref().map(|reason| ("redact failed", reason));
        let (what, reason) = of_store.or(of_redact)?;
        Some(format!("{what}: {}", text_cuts::start(reason, text_cuts::REASON_CHARS)))
    }

    /// The owner of the results that are named and found.
    pub(crate) fn owner(&self) -> Option<&str> {
        self.scope.as_deref()
    }

    /// An error if the result could not be redacted, so that nothing of it may be shown.
    pub(crate) fn check_redacted(&self) -> Result<(), Error> {
        let Some(reason) = &self.redact_failure else { return Ok(()) };
        Err(Error::new(
            ErrorCode::RedactFailed,
            format!("the result could not be redacted: {}", text_cuts::start(reason, text_cuts::REASON_CHARS)),
            "",
        ))
    }

    /// The call controls, checked against what the policy allows.
    ///
    /// # Errors
    /// As [`check_redacted`](Self::check_redacted); `INVALID_CALL`.
    pub(crate) fn controls(&self, settings: &Settings) -> Result<Controls, Error> {
        self.check_redacted()?;
        let reader = Reader::over(&self.controls, ErrorCode::InvalidCall, Naming::Camel);
        let fields = reader.texts("fields")?.unwrap_or_default();
        if fields.len() > MAX_FIELDS {
            let message = format!("fields has {} names; it takes at most {MAX_FIELDS}", fields.len());
            return Err(reader.error_at("fields", message));
        }
        Ok(Controls {
            page: reader.integer("page", 1, MAX_INTEGER)?,
            page_size: reader.integer("pageSize", 1, settings.max_page_size as u64)?.map(|n| n as usize),
            cursor: reader.text("cursor")?.map(str::to_owned),
            fields: fields.into_iter().map(FieldPath::parse).collect(),
            format: reader.choice_of("format", &ASKED_FORMATS)?,
            output: reader.choice_of("output", &OUTPUTS)?,
        })
    }
}

/// The call controls of one call. If both `page` and `cursor` are given, the cursor is used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Controls {
    pub page: Option<u64>,
    pub page_size: Option<usize>,
    pub cursor: Option<String>,
    pub fields: Vec<FieldPath>,
    pub format: Option<Format>,
    pub output: Option<Output>,
}

/// What `fields` asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RequestedFields<'c> {
    /// The result with all its fields.
    All,
    /// The value at one JSON Pointer, which may not exist.
    Part(&'c FieldPath),
    /// Some of its fields.
    Fields,
}

impl Controls {
    /// Which part of the result the controls ask for.
    pub fn requested(&self) -> RequestedFields<'_> {
        match &self.fields[..] {
            [] => RequestedFields::All,
            [one] if one.is_pointer() => RequestedFields::Part(one),
            _ => RequestedFields::Fields,
        }
    }

    /// What is shown of a series or a grid. A page is always a page of the full result.
    pub fn output(&self, default: Output) -> Output {
        let Self { page, page_size, cursor, output, .. } = self;
        if cursor.is_some() || page.is_some_and(|page| page > 1) {
            return Output::Full;
        }
        let has_page = page.is_some() || page_size.is_some();
        output.unwrap_or(if has_page { Output::Full } else { default })
    }

    /// Whether the controls ask for other rows than those of the first page.
    pub fn asks_for_rows(&self) -> bool {
        self.cursor.is_some() || self.page_size.is_some() || self.page.is_some_and(|page| page > 1)
    }
}

/// The members of `_meta` that decide how a result is shown.
#[doc(hidden)]
pub const READ_IN_META: [&str; 3] = [NO_TRANSFORM, CALL_ID, TURN];
const CALL_ID: &str = "callId";
const TURN: &str = "x-codex-turn-metadata";

/// Whether the request of a call is made by a program: Codex's code mode names such calls so.
fn is_program(meta: &Map<String, Value>) -> bool {
    meta.get(CALL_ID).and_then(Value::as_str).is_some_and(|id| id.starts_with("exec-"))
}

/// The model that Codex names in a request.
fn model(meta: &Map<String, Value>) -> Option<&str> {
    meta.get(TURN)?.get("model")?.as_str()
}

/// The tools in `returnedBy`; a call without a tool's name has an empty one.
fn tools(reader: &Reader<'_>) -> Result<Vec<String>, Error> {
    let Some(value) = reader.get("returnedBy") else { return Ok(Vec::new()) };
    let names = value.as_array().and_then(|names| names.iter().map(|name| name.as_str().map(str::to_owned)).collect());
    names.ok_or_else(|| reader.error("returnedBy", value, "a list of strings"))
}

/// Whether a call may have a member of that name.
pub(crate) fn is_option(name: &str) -> bool {
    NAMES.contains(&name)
}

/// Whether an error is about what the caller sent; the caller then reads it. The error of a server's author would not
/// help a caller.
pub(crate) fn is_callers_fault(error: &Error) -> bool {
    match error.code() {
        ErrorCode::InvalidCursor
        | ErrorCode::UnknownField
        | ErrorCode::InvalidHandle
        | ErrorCode::NotFound
        | ErrorCode::Forbidden => true,
        // Not the caller's fault, but the caller reads it in place of the result.
        ErrorCode::RedactFailed => true,
        ErrorCode::InvalidCall => error.path().strip_prefix('/').is_some_and(|name| CONTROLS.contains(&name)),
        _ => false,
    }
}

/// The names that an argument for shaping may have, whatever the tool: each control, and its other name if it has one.
///
/// ```
/// assert!(toolshape::host::control_arguments().any(|name| name == "page"));
/// ```
pub fn control_arguments() -> impl Iterator<Item = &'static str> {
    CONTROLS.into_iter().chain(ALIASES.iter().map(|(_, alias)| *alias))
}

/// The name of the argument for a control; `None` if the tool has an argument with the control's name and there is no
/// other name.
pub(crate) fn argument<S: AsRef<str>>(control: &'static str, own: &[S]) -> Option<&'static str> {
    if !own.iter().any(|name| name.as_ref() == control) {
        return Some(control);
    }
    ALIASES.iter().find(|(name, _)| *name == control).map(|(_, alias)| *alias)
}

/// JSON text with the keys of every object sorted, so that equal arguments give equal text.
fn canonical(arguments: Map<String, Value>) -> String {
    if arguments.is_empty() {
        return String::new();
    }
    fn sort(value: Value) -> Value {
        match value {
            Value::Object(map) => {
                let mut entries: Vec<(String, Value)> = map.into_iter().map(|(k, v)| (k, sort(v))).collect();
                sort_by(&mut entries, |a, b| a.0.cmp(&b.0));
                Value::Object(entries.into_iter().collect())
            }
            Value::Array(items) => Value::Array(items.into_iter().map(sort).collect()),
            other => other,
        }
    }
    sort(Value::Object(arguments)).to_string()
}
