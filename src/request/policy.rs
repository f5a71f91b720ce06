//! What a server's author decides once: every option, its default and its check.

use serde_json::Value;

use crate::base::error::{Error, ErrorCode};
use crate::base::field_path::FieldPath;
use crate::base::numbers;
use crate::base::sorting::sort_by;
use crate::base::tokens::{self, Encoding};
use crate::request::call::Call;
use crate::request::declared::{Declared, Output};
use crate::request::options::{Naming, Reader};
use crate::request::secret::Secret;

/// The minimum of a budget, so that an envelope, its note and a signed cursor fit.
pub const MIN_BUDGET: usize = 200;
/// The default of [`Policy::combined_tokens`].
const COMBINED_TOKENS: usize = 6000;
pub(crate) const MAX_BUDGET: u64 = 10_000_000;
const MAX_ROWS: u64 = 1_000_000_000;
/// One hundred years in seconds.
const MAX_TTL: u64 = 100 * 365 * 24 * 60 * 60;
/// A secret shorter than this could be guessed.
const MIN_KEY_BYTES: usize = 16;

/// How the rows of a list are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    Columns,
    Auto,
    /// The text as the tool returned it, instead of its rows or data. Only a call asks for this.
    Text,
}

impl Format {
    const CHOICES: [(&str, Self); 3] = [("json", Self::Json), ("columns", Self::Columns), ("auto", Self::Auto)];
    /// What a call may ask for.
    pub(crate) const ASKED: [(&str, Self); 4] =
        [("json", Self::Json), ("columns", Self::Columns), ("auto", Self::Auto), ("text", Self::Text)];
}

/// What to do with a result that no lossless step fits into the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    Shape,
    Error,
    Offload,
}

impl Overflow {
    const CHOICES: [(&str, Self); 3] = [("shape", Self::Shape), ("error", Self::Error), ("offload", Self::Offload)];
}

/// What to do with a tool's output schema, and so with the structured content that it describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// The schema also allows what shaping returns in place of a result.
    Widen,
    /// The schema stays as it is, and results are shrunk within it.
    Preserve,
}

/// Where callers find the call controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlsIn {
    /// In `read_result` where it can answer for the tool, else in the tool.
    Auto,
    /// In `read_result` alone.
    Result,
    /// In the tool too.
    Tool,
}

impl ControlsIn {
    const CHOICES: [(&str, Self); 3] = [("auto", Self::Auto), ("result", Self::Result), ("tool", Self::Tool)];
}

/// Which part of a long text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preview {
    Head,
    Tail,
    HeadTail,
}

/// How a text over the budget is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadAs {
    /// By the structure that is recognized, if the evidence is strong; otherwise as plain text.
    Auto,
    /// As plain text, whatever its structure.
    Plain,
    /// As rows, if it is CSV or TSV; the other names likewise.
    Csv,
    Markdown,
    Html,
    Log,
}

impl ReadAs {
    const CHOICES: [(&str, Self); 6] = [
        ("auto", Self::Auto),
        ("plain", Self::Plain),
        ("csv", Self::Csv),
        ("markdown", Self::Markdown),
        ("html", Self::Html),
        ("log", Self::Log),
    ];
}

/// The most tokens that a result may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Budget {
    Limit(usize),
    /// The tool's results are not shaped.
    None,
}

impl Budget {
    /// The limit, if there is one.
    pub fn limit(self) -> Option<usize> {
        match self {
            Self::Limit(tokens) => Some(tokens),
            Self::None => None,
        }
    }

    /// The tokens that may be spent; without a limit more than any result has.
    pub fn room(self) -> usize {
        self.limit().unwrap_or(MAX_BUDGET as usize)
    }
}

/// The options for one tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub(crate) max_tokens: Budget,
    pub(crate) encoding: Encoding,
    pub(crate) margin: f64,
    pub(crate) paginate_after: usize,
    /// `None` where it is chosen from the rows.
    pub(crate) page_size: Option<usize>,
    pub(crate) max_page_size: usize,
    pub(crate) fields: Vec<FieldPath>,
    /// Whether the rows of a list that does not fit are shown with their small fields alone.
    pub(crate) auto_fields: bool,
    pub(crate) format: Format,
    pub(crate) overflow: Overflow,
    /// A larger result is offloaded, if this is set and there is a store.
    pub(crate) offload_over: usize,
    /// Whether later pages come from the stored result that the first page came from.
    pub(crate) snapshot: bool,
    pub(crate) preview: Preview,
    pub(crate) text: ReadAs,
    pub(crate) schema: Schema,
    pub(crate) controls: ControlsIn,
    /// Secrets that sign cursors and handles, the newest first.
    pub(crate) cursor_keys: Vec<Secret>,
    /// How long a cursor is valid, in seconds; by default for ever.
    pub(crate) cursor_ttl: Option<u64>,
    /// What is shown of a series or a grid by default.
    pub(crate) output: Output,
    pub(crate) declared: Option<Declared>,
    /// Whether series and grids are detected without a declaration.
    pub(crate) detect: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_tokens: Budget::Limit(2000),
            encoding: Encoding::O200kBase,
            margin: 0.0,
            paginate_after: 50,
            page_size: None,
            max_page_size: 1000,
            fields: Vec::new(),
            auto_fields: false,
            format: Format::Json,
            overflow: Overflow::Shape,
            offload_over: 16_000,
            snapshot: true,
            preview: Preview::Head,
            text: ReadAs::Auto,
            schema: Schema::Widen,
            controls: ControlsIn::Auto,
            cursor_keys: Vec::new(),
            cursor_ttl: None,
            output: Output::Summary,
            declared: None,
            detect: false,
        }
    }
}

/// What the option `fields` takes.
const TAKES_FIELDS: &str = "a list of strings that are not empty, or \"auto\"";

const OPTIONS: [&str; 21] = [
    "maxTokens",
    "encoding",
    "margin",
    "paginateAfter",
    "pageSize",
    "maxPageSize",
    "fields",
    "format",
    "overflow",
    "offloadOver",
    "snapshot",
    "preview",
    "text",
    "schema",
    "controls",
    "cursorKey",
    "cursorTtl",
    "output",
    "series",
    "grid",
    "detect",
];

impl Settings {
    /// The settings of a tool whose results the policy does not shape.
    fn left_alone() -> Self {
        Self { max_tokens: Budget::None, ..Self::default() }
    }

    pub(crate) fn is_left_alone(&self) -> bool {
        self.max_tokens == Budget::None
    }

    /// Whether a tool lists the call controls among its arguments. `auto` has them there without a store, and where
    /// `read_result` cannot take the place of the tool: cursors name no stored result, or what is refused is not stored.
    pub(crate) fn lists_controls(&self, has_store: bool) -> bool {
        match self.controls {
            ControlsIn::Auto => !has_store || !self.snapshot || self.overflow == Overflow::Error,
            ControlsIn::Result => false,
            ControlsIn::Tool => true,
        }
    }

    /// Whether results may be a summary or a full result.
    pub(crate) fn has_summaries(&self) -> bool {
        self.declared.is_some() || self.detect
    }

    /// `maxTokens` minus the margin.
    pub(crate) fn budget(&self) -> Budget {
        match self.max_tokens {
            Budget::Limit(tokens) => Budget::Limit((tokens as f64 * (1.0 - self.margin)).floor() as usize),
            Budget::None => Budget::None,
        }
    }

    /// The tokens that a result may spend.
    pub(crate) fn room(&self) -> usize {
        self.budget().room()
    }

    /// The same settings with at most `tokens` for a result.
    pub(crate) fn within(&self, tokens: usize) -> Self {
        Self { max_tokens: Budget::Limit(tokens), margin: 0.0, ..self.clone() }
    }

    /// The same settings for what a server behind this one has shaped already: what fits is not paged again.
    pub(crate) fn for_shaped(&self) -> Self {
        let (fields, format, declared) = (Vec::new(), Format::Json, None);
        Self { paginate_after: usize::MAX, fields, format, declared, ..self.clone() }
    }

    fn read(&self, options: &Reader<'_>) -> Result<Self, Error> {
        let mut new = self.clone();
        if let Some(n) = options.integer("maxTokens", MIN_BUDGET as u64, MAX_BUDGET)? {
            new.max_tokens = Budget::Limit(n as usize);
        }
        if let Some(name) = options.get("encoding") {
            let encoding = name.as_str().and_then(Encoding::from_name);
            new.encoding = encoding.ok_or_else(|| options.error("encoding", name, &tokens::known_encodings()))?;
        }
        if let Some(share) = options.number("margin", 0.0, 0.5)? {
            new.margin = share;
        }
        if let Some(n) = options.integer("paginateAfter", 1, MAX_ROWS)? {
            new.paginate_after = n as usize;
        }
        if let Some(n) = options.integer("maxPageSize", 1, MAX_ROWS)? {
            new.max_page_size = n as usize;
        }
        if let Some(n) = options.integer("pageSize", 1, MAX_ROWS)? {
            new.page_size = Some(n as usize);
        }
        new.read_fields(options)?;
        if let Some(format) = options.choice("format", &Format::CHOICES)? {
            new.format = format;
        }
        if let Some(overflow) = options.choice("overflow", &Overflow::CHOICES)? {
            new.overflow = overflow;
        }
        if let Some(n) = options.integer("offloadOver", 1, MAX_BUDGET)? {
            new.offload_over = n as usize;
        }
        if let Some(is_wanted) = options.flag("snapshot")? {
            new.snapshot = is_wanted;
        }
        let previews = [("head", Preview::Head), ("tail", Preview::Tail), ("headTail", Preview::HeadTail)];
        if let Some(preview) = options.choice("preview", &previews)? {
            new.preview = preview;
        }
        if let Some(text) = options.choice("text", &ReadAs::CHOICES)? {
            new.text = text;
        }
        if let Some(schema) = options.choice("schema", &[("widen", Schema::Widen), ("preserve", Schema::Preserve)])? {
            new.schema = schema;
        }
        if let Some(controls) = options.choice("controls", &ControlsIn::CHOICES)? {
            new.controls = controls;
        }
        if let Some(keys) = cursor_keys(options)? {
            new.cursor_keys = keys;
        }
        if let Some(seconds) = options.integer("cursorTtl", 1, MAX_TTL)? {
            new.cursor_ttl = Some(seconds);
        }
        if let Some(output) = options.choice("output", &Output::CHOICES)? {
            new.output = output;
        }
        if let Some(declared) = Declared::read(options)? {
            new.declared = declared;
        }
        if let Some(detect) = options.flag("detect")? {
            new.detect = detect;
        }
        new.check_together(options)?;
        Ok(new)
    }

    fn read_fields(&mut self, options: &Reader<'_>) -> Result<(), Error> {
        let Some(fields) = options.get("fields") else { return Ok(()) };
        self.auto_fields = fields.as_str() == Some("auto");
        self.fields = match self.auto_fields {
            true => Vec::new(),
            false => match options.texts("fields") {
                Ok(paths) => paths.unwrap_or_default().into_iter().map(FieldPath::parse).collect(),
                Err(_) => return Err(options.error("fields", fields, TAKES_FIELDS)),
            },
        };
        Ok(())
    }

    /// Checks options that depend on each other.
    fn check_together(&self, options: &Reader<'_>) -> Result<(), Error> {
        let spell = |name| options.spell(name);
        if let Some(rows) = self.page_size.filter(|&rows| rows > self.max_page_size) {
            let (size, most) = (spell("pageSize"), spell("maxPageSize"));
            let message = format!("{size} is {rows}, more than {most}, which is {}", self.max_page_size);
            return Err(options.error_at(&size, message));
        }
        if self.room() < MIN_BUDGET {
            let message = format!(
                "{} {} with a margin of {} leaves {} tokens; at least {MIN_BUDGET} are needed",
                spell("maxTokens"),
                self.max_tokens.room(),
                numbers::spell(self.margin),
                self.room()
            );
            return Err(options.error_at("margin", message));
        }
        if !self.encoding.is_available() {
            return Err(options.error_at("encoding", tokens::not_loaded(self.encoding)));
        }
        Ok(())
    }
}

fn scope_needs_key() -> Error {
    Error::new(ErrorCode::InvalidCall, "a scope is kept by a cursorKey, and the policy has none", "/scope")
}

fn cursor_keys(options: &Reader<'_>) -> Result<Option<Vec<Secret>>, Error> {
    let name = "cursorKey";
    let Some(value) = options.get(name) else { return Ok(None) };
    let keys: Option<Vec<Secret>> = match value {
        Value::Array(keys) => keys.iter().map(Secret::read).collect(),
        key => Secret::read(key).map(|key| vec![key]),
    };
    let long = |keys: &Vec<Secret>| !keys.is_empty() && keys.iter().all(|key| key.as_bytes().len() >= MIN_KEY_BYTES);
    keys.filter(long).map(Some).ok_or_else(|| {
        // The message does not contain the secret.
        let name = options.spell(name);
        let takes = format!("a secret of at least {MIN_KEY_BYTES} bytes, or a list of such, the newest first");
        options.error_at(&name, format!("{name} takes {takes}"))
    })
}

/// What a server's author decides once, for all tools and for each tool.
///
/// ```
/// use toolshape::host::Naming;
/// use toolshape::Policy;
/// let policy = Policy::new(&serde_json::json!({ "maxTokens": 4000 }), Naming::Camel)?;
/// let wrong = Policy::new(&serde_json::json!({ "maxTokens": 20 }), Naming::Camel).unwrap_err();
/// assert_eq!(wrong.message(), "maxTokens is 20; it takes a whole number from 200 to 10000000");
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Policy {
    defaults: Settings,
    /// The most tokens of results that are returned together.
    combined_tokens: Option<usize>,
    /// The settings of the tools that have their own, sorted by name.
    tools: Vec<(String, Settings)>,
}

impl Policy {
    /// Checks the options of a policy; options that are absent or null have their defaults.
    ///
    /// # Errors
    /// `INVALID_POLICY` for an unknown option, a wrong type or a value out of range.
    pub fn new(options: &Value, naming: Naming) -> Result<Self, Error> {
        let names: Vec<&str> = Self::options().collect();
        let reader = Reader::new(options, &names, ErrorCode::InvalidPolicy, String::new(), naming)?;
        let defaults = Settings::default().read(&reader)?;
        let mut tools = Vec::new();
        match reader.get("tools") {
            None => {}
            Some(Value::Object(map)) => {
                for (tool, options) in map {
                    tools.push((tool.clone(), Self::tool(&defaults, tool, options, naming)?));
                }
            }
            Some(other) => return Err(reader.error("tools", other, "an object of options per tool name")),
        }
        sort_by(&mut tools, |a, b| a.0.cmp(&b.0));
        let combined_tokens = reader.integer("combinedTokens", MIN_BUDGET as u64, MAX_BUDGET)?.map(|n| n as usize);
        Ok(Self { defaults, combined_tokens, tools })
    }

    /// The names of its options.
    #[doc(hidden)]
    pub fn options() -> impl Iterator<Item = &'static str> {
        OPTIONS.into_iter().chain(["combinedTokens", "tools"])
    }

    fn tool(defaults: &Settings, tool: &str, options: &Value, naming: Naming) -> Result<Settings, Error> {
        let path = format!("/tools/{}", crate::base::json_pointer::escape(tool));
        match options {
            Value::Bool(false) => Ok(Settings::left_alone()),
            Value::Object(_) => {
                let reader = Reader::new(options, &OPTIONS, ErrorCode::InvalidPolicy, path, naming)?;
                defaults.read(&reader)
            }
            _ => {
                let message = format!("tools.{tool} takes an object of options, or false to leave the tool alone");
                Err(Error::new(ErrorCode::InvalidPolicy, message, path))
            }
        }
    }

    /// The most tokens of results that are returned together.
    pub(crate) fn combined_tokens(&self) -> usize {
        self.combined_tokens.unwrap_or(COMBINED_TOKENS)
    }

    /// The settings of a tool.
    pub(crate) fn settings(&self, tool: Option<&str>) -> &Settings {
        let place = tool.and_then(|tool| self.tools.binary_search_by(|(name, _)| name.as_str().cmp(tool)).ok());
        place.map_or(&self.defaults, |place| &self.tools[place].1)
    }

    /// The settings for a call.
    ///
    /// # Errors
    /// `INVALID_CALL` if cursors expire and the call has no time, and for a scope without a `cursorKey` to protect it.
    pub(crate) fn for_call(&self, call: &Call) -> Result<&Settings, Error> {
        let settings = self.settings(call.tool());
        if settings.is_left_alone() {
            return Ok(settings);
        }
        if settings.cursor_ttl.is_some() && call.now().is_none() {
            let message = "cursors expire, so the call has to say the time: now, in seconds since 1970";
            return Err(Error::new(ErrorCode::InvalidCall, message, "/now"));
        }
        if call.scope().is_some() && settings.cursor_keys.is_empty() {
            return Err(scope_needs_key());
        }
        Ok(settings)
    }

    /// Refuses a policy with which calls cannot have a scope.
    ///
    /// # Errors
    /// `INVALID_CALL` unless every tool that is shaped has a `cursorKey`.
    pub(crate) fn check_scope(&self) -> Result<(), Error> {
        let is_open = |settings: &Settings| !settings.is_left_alone() && settings.cursor_keys.is_empty();
        let mut all = [&self.defaults].into_iter().chain(self.tools.iter().map(|(_, settings)| settings));
        if all.any(is_open) { Err(scope_needs_key()) } else { Ok(()) }
    }
}
