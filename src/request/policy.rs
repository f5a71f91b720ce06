//! What a server's author decides once: every option, its default and its check.

use std::sync::Arc;

use serde_json::Value;

use crate::base::error::{Error, ErrorCode};
use crate::base::field_path::FieldPath;
use crate::base::numbers;
use crate::base::sorting::sort_by;
use crate::base::tokens::{self, Encoding};
use crate::option_table;
use crate::request::call::Call;
use crate::request::choice::{Choice, choice};
use crate::request::declared::{Declared, Grid, Output, Series};
use crate::request::option_spec::{OptionSpec, Takes, names};
use crate::request::policy_builder::PolicyBuilder;
use crate::request::read_tool::{self, READ_RESULT, read_tool_of};
use crate::request::reader::{Naming, Reader};
use crate::request::secret::Secret;
use crate::value::token_count::Measure;

/// The minimum of a budget, so that an envelope, its note and a signed cursor fit.
pub const MIN_BUDGET: usize = 200;
/// A smaller budget has room for one handle and for one way to what is not shown.
pub(crate) const ROOM_FOR_TWO: usize = 2 * MIN_BUDGET;
/// In a smaller budget an example in SQL takes the room of what it is about.
pub(crate) const ROOM_TO_ASK: usize = 5 * MIN_BUDGET;
/// What accompanies the main part of a result may take 1/n of the budget, so that most of it is left for what was requested.
pub(crate) const SIDE_PARTS: usize = 4;
/// Rows of a page where neither the policy nor the caller says how many, unless rows are small.
pub(crate) const PAGE_SIZE: usize = 20;
/// The results for which [`Policy::combined_tokens`] has room by default, and the least that it is then.
const TOGETHER: usize = 3;
const COMBINED_TOKENS: usize = 6000;
/// The contexts of models are not larger.
pub(crate) const MAX_BUDGET: u64 = 10_000_000;
/// More rows than a list in memory has.
pub(crate) const MAX_ROWS: u64 = 1_000_000_000;
/// A secret shorter than this could be guessed.
const MIN_KEY_BYTES: usize = 16;

choice! {
    /// How results are written.
    pub enum Format {
        /// As plain JSON.
        Json = "json",
        /// In the dense form, wherever it has fewer tokens.
        Columns = "columns",
        /// In the dense form where that saves enough.
        Auto = "auto",
        /// The text as the tool returned it, instead of its rows or data. Only a call may request it.
        Text = "text",
    }
}

choice! {
    /// What happens to a result that no lossless step fits into the budget.
    pub enum Overflow {
        /// It is shaped: paged, shortened or cut.
        Shape = "shape",
        /// An error replaces it, with arguments that fit.
        Error = "error",
        /// It is stored, and a handle replaces it.
        Offload = "offload",
    }
}

choice! {
    /// How a tool's output schema is handled, and so the structured content that it describes.
    pub enum Schema {
        /// The schema also allows what shaping returns in place of a result.
        Widen = "widen",
        /// The schema is unchanged, and results are shrunk within it.
        Preserve = "preserve",
    }
}

choice! {
    /// Where callers find the call controls.
    pub enum ControlsIn {
        /// In `read_result` where it can answer for the tool, else in the tool.
        Auto = "auto",
        /// In `read_result` alone.
        Result = "result",
        /// In the tool too.
        Tool = "tool",
    }
}

choice! {
    /// Where the receipt of a result is, in addition to the author's callback.
    pub enum ReceiptIn {
        None = "none",
        /// In the result's `_meta`, which several hosts show to the model.
        Meta = "meta",
    }
}

choice! {
    /// Who may have a result pass whole.
    pub enum NoTransform {
        /// Nobody.
        None = "none",
        /// The tool, in its result.
        Result = "result",
        /// Also the caller, in its request.
        Request = "request",
    }
}

choice! {
    /// Which part of a long text is shown.
    pub enum Preview {
        /// Its start, notable lines, and its end; the start where a cursor reads on, or the text is Markdown
        /// or HTML.
        Auto = "auto",
        Head = "head",
        Tail = "tail",
        HeadTail = "headTail",
    }
}

choice! {
    /// How a text over the budget is read.
    pub enum ReadAs {
        /// By the structure that is recognized, if the evidence is strong; otherwise as plain text.
        Auto = "auto",
        /// As plain text, whatever its structure.
        Plain = "plain",
        /// As rows, if it is CSV or TSV; the other names likewise.
        Csv = "csv",
        Markdown = "markdown",
        Html = "html",
        Log = "log",
    }
}

/// Defines from one row per option: [`Settings`] with its defaults and its reader, the table [`OF_TOOL`], and the methods
/// of [`PolicyBuilder`].
///
/// A row is the sentence, the name, what the option takes, the default in documents, the method with its argument, and
/// the field with its default. An option without a field is read by [`Settings::read_others`].
macro_rules! tool_options {
    ($(
        $(#[doc = $about:literal])+
        $name:literal, $takes:expr, $shown:literal:
        $method:ident($given:ty $(, $convert:path)?) $(-> $field:ty = $default:expr)?;
    )+) => {
        /// The options for one tool.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings {
            $($(pub(crate) $method: $field,)?)+
            /// The option `fields`, if it names some.
            pub(crate) fields: Vec<FieldPath>,
            /// Whether a page of few whole rows shows the telling fields of more rows: the option `fields` is `auto`.
            pub(crate) auto_fields: bool,
            /// Secrets that sign cursors and handles, the newest first.
            pub(crate) cursor_keys: Vec<Secret>,
            /// The option `series` or `grid`.
            pub(crate) declared: Option<Declared>,
            /// The name of the tool that reads stored results.
            pub(crate) read_tool: Arc<str>,
        }

        impl Default for Settings {
            fn default() -> Self {
                Self {
                    $($($method: { let default: $field = $default; default },)?)+
                    fields: Vec::new(),
                    auto_fields: true,
                    cursor_keys: Vec::new(),
                    declared: None,
                    read_tool: Arc::from(READ_RESULT),
                }
            }
        }

        impl Settings {
            /// These settings, with the options that are given in place of them.
            fn read(&self, options: &Reader<'_>) -> Result<Self, Error> {
                let mut new = self.clone();
                $($(
                    if let Some(value) = <$field as OptionValue>::read(options, $name, &$takes)? {
                        new.$method = value;
                    }
                )?)+
                new.read_others(options)?;
                new.check_together(options)?;
                Ok(new)
            }
        }

        /// The options that can be set for all tools and for each.
        pub const OF_TOOL: [OptionSpec; [$($name),+].len()] =
            [$(OptionSpec { name: $name, takes: $takes, default: $shown, about: concat!($($about),+) }),+];

        impl PolicyBuilder {
            $(
                $(#[doc = $about])+
                #[doc = ""]
                #[doc = concat!("Default: ", $shown, ".")]
                pub fn $method(mut self, value: $given) -> Self {
                    $(let value = $convert(value);)?
                    self.options.insert(stringify!($method).to_owned(), value.into());
                    self
                }
            )+
        }
    };
}

tool_options! {
    /// Maximum tokens of one result.
    "maxTokens", Takes::Whole(MIN_BUDGET as u64, MAX_BUDGET), "2000":
    max_tokens(usize) -> Option<usize> = Some(2000);

    /// How tokens are counted: `o200k_base`, `cl100k_base`, `estimate` (without a vocabulary), or the name of a loaded
    /// encoding.
    "encoding", Takes::Encoding, "`o200k_base`":
    encoding(Encoding, Encoding::name) -> Encoding = Encoding::O200kBase;

    /// Share of the budget that stays free, for models whose tokenizer is not public.
    "margin", Takes::Number(0.0, 0.5), "0":
    margin(f64) -> f64 = 0.0;

    /// Lists with more rows are paged even if they fit.
    "paginateAfter", Takes::Whole(1, MAX_ROWS), "none":
    paginate_after(usize) -> usize = usize::MAX;

    /// Rows of a page.
    "pageSize", Takes::Whole(1, MAX_ROWS), "20, or more if 20 rows take less than a quarter of the budget":
    page_size(usize) -> Option<usize> = None;

    /// Maximum rows of a page that a caller may request.
    "maxPageSize", Takes::Whole(1, MAX_ROWS), "1000":
    max_page_size(usize) -> usize = 1000;

    /// Fields that are shown of a result that does not fit, unless the caller requests others: `author.name` or
    /// `/author/name`. With `auto`, where fewer than ten whole rows fit, a page shows the fields that distinguish rows;
    /// `all` shows whole rows.
    "fields", Takes::Fields, "`auto`":
    fields(impl Into<Value>);

    /// Maximum images of a result. They take tokens of the budget by their pixels; `read_result` shows those that are left
    /// out.
    "images", Takes::Whole(0, MAX_ROWS), "4":
    images(usize) -> usize = 4;

    /// How results are written: as plain JSON (`json`), in the lossless dense form (`columns`), or in the dense form where that
    /// saves enough tokens (`auto`).
    "format", Takes::Choice("Format", &["json", "columns", "auto"]), "json; of pages auto":
    format(Format) -> Option<Format> = None;

    /// What happens to a result that is over the budget after all lossless steps; `offload` requires a store.
    "overflow", Takes::Choice("Overflow", &["shape", "error", "offload"]), "`shape`":
    overflow(Overflow) -> Overflow = Overflow::Shape;

    /// With `overflow` `offload`, a result with more tokens is stored and not shown; a smaller one is shaped.
    "offloadOver", Takes::Whole(1, MAX_BUDGET), "16000":
    offload_over(usize) -> usize = 16_000;

    /// Whether later pages come from the stored result of the first page, if there is a store.
    "snapshot", Takes::Flag, "true":
    snapshot(bool) -> bool = true;

    /// Which part of a long text is shown; `auto`: its start, notable lines, and its end.
    "preview", Takes::Choice("Preview", &["auto", "head", "tail", "headTail"]), "`auto`":
    preview(Preview) -> Preview = Preview::Auto;

    /// How a text over the budget is read: by its recognized structure (`auto`), as plain text, or only as the named
    /// format.
    "text", Takes::Choice("TextFormat", &["auto", "plain", "csv", "markdown", "html", "log"]), "`auto`":
    text(ReadAs) -> ReadAs = ReadAs::Auto;

    /// How a tool's output schema is handled: `widen` also allows what shaping returns in place of a result; `preserve`
    /// keeps the schema, and shrinks results within it.
    "schema", Takes::Choice("Schema", &["widen", "preserve"]), "`widen`":
    schema(Schema) -> Schema = Schema::Widen;

    /// Where callers find the call controls: in `read_result` alone (`result`), in the tools too
    /// (`tool`), or in `read_result` alone where a store lets it answer for the tool (`auto`).
    "controls", Takes::Choice("Controls", &["auto", "result", "tool"]), "`auto`":
    controls(ControlsIn) -> ControlsIn = ControlsIn::Auto;

    /// Whether results carry their receipt in `_meta`, which several hosts show to the model.
    "receipt", Takes::Choice("ReceiptIn", &["none", "meta"]), "`none`":
    receipt(ReceiptIn) -> ReceiptIn = ReceiptIn::None;

    /// Where `_meta` may have `"toolshape/noTransform": true`, so that a result passes whole whatever its size, as by HTTP's
    /// `no-transform`: in the tool's result, or also in the caller's request (`request`).
    "noTransform", Takes::Choice("NoTransform", &["none", "result", "request"]), "`result`":
    no_transform(NoTransform) -> NoTransform = NoTransform::Result;

    /// Secret of at least 16 bytes that signs cursors and handles; to rotate it, a list with the newest first.
    "cursorKey", Takes::Secrets, "none":
    cursor_key(impl Into<Value>);

    /// How long a cursor is valid, in seconds.
    "cursorTtl", Takes::Whole(1, 100 * 365 * 24 * 60 * 60), "no limit":
    cursor_ttl(u64) -> Option<u64> = None;

    /// What is shown of a series or a grid, unless the caller requests the other form.
    "output", Takes::Choice("Output", &["summary", "full"]), "`summary`":
    output(Output) -> Output = Output::Summary;

    /// The tool's results are series; `false` cancels the option that is set for all tools.
    "series", Takes::Declaration("SeriesOptions", &Series::OPTIONS), "none":
    series(impl Into<Value>);

    /// The tool's results are grids; `false` cancels the option that is set for all tools.
    "grid", Takes::Declaration("GridOptions", &Grid::OPTIONS), "none":
    grid(impl Into<Value>);
}

option_table! {
    /// The options that a policy has for all tools together.
    pub const OF_ALL_TOOLS;

    /// Name of the tool that reads stored results; `read_result` in these pages.
    "readTool", Takes::Name, "`read_result_` and the server's name";
    /// Maximum tokens of several results that are returned together, or in the programs of one turn.
    "combinedTokens", Takes::Whole(MIN_BUDGET as u64, MAX_BUDGET), "three times `maxTokens`, at least 6000";
    /// Options of single tools by name; `false` leaves a tool unchanged.
    "tools", Takes::Tools, "none";
}

/// What the option `fields` takes.
const TAKES_FIELDS: &str = "a list of strings that are not empty, \"auto\" or \"all\"";

const TOOL_NAMES: [&str; OF_TOOL.len()] = names(&OF_TOOL);

impl Settings {
    /// The settings of a tool whose results the policy does not shape.
    fn left_alone() -> Self {
        Self { max_tokens: None, ..Self::default() }
    }

    pub(crate) fn is_left_alone(&self) -> bool {
        self.max_tokens.is_none()
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
        self.declared.is_some()
    }

    /// `maxTokens` minus the margin; none for a tool whose results are not shaped.
    pub(crate) fn budget(&self) -> Option<usize> {
        self.max_tokens.map(|tokens| (tokens as f64 * (1.0 - self.margin)).floor() as usize)
    }

    /// The tokens that a result may spend; without a budget more than any result has.
    pub(crate) fn room(&self) -> usize {
        self.budget().unwrap_or(MAX_BUDGET as usize)
    }

    /// How tokens are counted.
    pub(crate) fn measure(&self) -> Measure {
        Measure { encoding: self.encoding }
    }

    /// The same settings with at most `tokens` for a result.
    pub(crate) fn within(&self, tokens: usize) -> Self {
        Self { max_tokens: Some(tokens), margin: 0.0, ..self.clone() }
    }

    /// The same settings for what a server behind this one has shaped already: what fits is not paged again.
    pub(crate) fn for_shaped(&self) -> Self {
        let (fields, format, declared) = (Vec::new(), Some(Format::Json), None);
        Self { paginate_after: usize::MAX, fields, auto_fields: false, format, declared, ..self.clone() }
    }

    /// The same settings, within the tool's output schema.
    pub(crate) fn preserving(&self) -> Self {
        Self { schema: Schema::Preserve, format: Some(Format::Json), ..self.clone() }
    }

    /// The same settings for an error of a tool, whose form is nobody's choice: all of it is shown, as far as it fits.
    pub(crate) fn for_errors(&self) -> Self {
        let overflow = if self.overflow == Overflow::Error { Overflow::Shape } else { self.overflow };
        let format = Some(Format::Json);
        Self { fields: Vec::new(), format, declared: None, overflow, ..self.clone() }
    }

    /// Reads the options that are not one field each.
    fn read_others(&mut self, options: &Reader<'_>) -> Result<(), Error> {
        self.read_fields(options)?;
        if let Some(keys) = cursor_keys(options)? {
            self.cursor_keys = keys;
        }
        if let Some(declared) = Declared::read(options)? {
            self.declared = declared;
        }
        Ok(())
    }

    fn read_fields(&mut self, options: &Reader<'_>) -> Result<(), Error> {
        let Some(fields) = options.get("fields") else { return Ok(()) };
        self.auto_fields = fields.as_str() == Some("auto");
        self.fields = match self.auto_fields || fields.as_str() == Some("all") {
            true => Vec::new(),
            false => {
                let paths = options.texts_or("fields", TAKES_FIELDS)?.unwrap_or_default();
                paths.into_iter().map(FieldPath::parse).collect()
            }
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
                self.max_tokens.unwrap_or_default(),
                numbers::spell(self.margin),
                self.room()
            );
            return Err(options.error_at("margin", message));
        }
        self.check_encoding().map_err(|error| options.error_at("encoding", error.message().to_owned()))
    }

    /// An error if the vocabulary of the encoding is not loaded, so that tokens cannot be counted.
    fn check_encoding(&self) -> Result<(), Error> {
        let refuse = || Error::new(ErrorCode::InvalidPolicy, tokens::not_loaded(self.encoding), "/encoding");
        self.encoding.is_available().then_some(()).ok_or_else(refuse)
    }
}

/// A value that an option is read as.
trait OptionValue: Sized {
    /// The value of an option, if it is given.
    fn read(options: &Reader<'_>, name: &str, takes: &Takes) -> Result<Option<Self>, Error>;
}

impl OptionValue for u64 {
    fn read(options: &Reader<'_>, name: &str, takes: &Takes) -> Result<Option<Self>, Error> {
        let (least, most) = takes.range();
        options.integer(name, least, most)
    }
}

impl OptionValue for usize {
    fn read(options: &Reader<'_>, name: &str, takes: &Takes) -> Result<Option<Self>, Error> {
        Ok(u64::read(options, name, takes)?.map(|number| number as Self))
    }
}

/// An option without a default: its absence is not a value.
impl<T: OptionValue> OptionValue for Option<T> {
    fn read(options: &Reader<'_>, name: &str, takes: &Takes) -> Result<Option<Self>, Error> {
        Ok(T::read(options, name, takes)?.map(Some))
    }
}

impl OptionValue for f64 {
    fn read(options: &Reader<'_>, name: &str, takes: &Takes) -> Result<Option<Self>, Error> {
        let (least, most) = match takes {
            Takes::Number(least, most) => (*least, *most),
            _ => (Self::MIN, Self::MAX),
        };
        options.number(name, least, most)
    }
}

impl OptionValue for bool {
    fn read(options: &Reader<'_>, name: &str, _: &Takes) -> Result<Option<Self>, Error> {
        options.flag(name)
    }
}

impl OptionValue for Encoding {
    fn read(options: &Reader<'_>, name: &str, _: &Takes) -> Result<Option<Self>, Error> {
        let Some(value) = options.get(name) else { return Ok(None) };
        let encoding = value.as_str().and_then(Self::from_name);
        encoding.map(Some).ok_or_else(|| options.error(name, value, &tokens::known_encodings()))
    }
}

impl<T: Choice> OptionValue for T {
    fn read(options: &Reader<'_>, name: &str, takes: &Takes) -> Result<Option<Self>, Error> {
        options.choice_of(name, takes.words())
    }
}

fn scope_needs_key() -> Error {
    Error::new(ErrorCode::InvalidCall, "scope requires cursorKey, and the policy has none", "/scope")
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

/// How results are shaped: the options of all tools, and of single tools.
///
/// The options are in [`options`](crate::options). Names are camelCase in JSON and snake_case in Rust.
///
/// ```
/// use toolshape::Policy;
/// let policy = Policy::builder().max_tokens(2000).tool("search", |tool| tool.max_tokens(4000)).build()?;
/// assert_eq!(policy, Policy::from_json(r#"{ "maxTokens": 2000, "tools": { "search": { "maxTokens": 4000 } } }"#)?);
///
/// let wrong = Policy::builder().max_tokens(20).build().unwrap_err();
/// assert_eq!(wrong.message(), "max_tokens is 20; it takes a whole number from 200 to 10000000");
/// let wrong = Policy::from_json("max_tokens = 2000").unwrap_err();
/// assert!(wrong.message().starts_with("the policy is not JSON: "));
/// let wrong = Policy::from_json(r#"{ "maxTokns": 2000 }"#).unwrap_err();
/// assert_eq!(wrong.message(), "unknown option maxTokns; did you mean maxTokens?");
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Policy {
    defaults: Settings,
    /// The most tokens of results that are returned together.
    combined_tokens: Option<usize>,
    /// Whether the author names the tool that reads stored results.
    names_read_tool: bool,
    /// The settings of the tools that have their own, sorted by name.
    tools: Vec<(String, Settings)>,
}

impl Policy {
    /// Starts a policy with the defaults.
    pub fn builder() -> PolicyBuilder {
        PolicyBuilder::default()
    }

    /// Reads a policy from a JSON object with camelCase names.
    ///
    /// # Errors
    /// `INVALID_POLICY` for text that is not JSON, an unknown option, a wrong type or a value out of range.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let options = serde_json::from_str(json).map_err(|error| {
            Error::new(ErrorCode::InvalidPolicy, format!("the policy is not JSON: {error}"), "").caused_by(error)
        })?;
        Self::new(&options, Naming::Camel)
    }

    /// Checks the options of a policy; options that are absent or null have their defaults.
    ///
    /// # Errors
    /// `INVALID_POLICY` for an unknown option, a wrong type or a value out of range.
    #[doc(hidden)]
    pub fn new(options: &Value, naming: Naming) -> Result<Self, Error> {
        let names: Vec<&str> = Self::options().collect();
        let reader = Reader::new(options, &names, ErrorCode::InvalidPolicy, String::new(), naming)?;
        let mut defaults = Settings::default().read(&reader)?;
        let read_tool = read_tool::read(&reader)?;
        let names_read_tool = read_tool.is_some();
        if let Some(name) = read_tool {
            defaults.read_tool = name.into();
        }
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
        Ok(Self { defaults, combined_tokens, names_read_tool, tools })
    }

    /// The names of its options.
    #[doc(hidden)]
    pub fn options() -> impl Iterator<Item = &'static str> {
        TOOL_NAMES.into_iter().chain(names(&OF_ALL_TOOLS))
    }

    fn tool(defaults: &Settings, tool: &str, options: &Value, naming: Naming) -> Result<Settings, Error> {
        let path = format!("/tools/{}", crate::base::json_pointer::escape(tool));
        match options {
            Value::Bool(false) => Ok(Settings { read_tool: Arc::clone(&defaults.read_tool), ..Settings::left_alone() }),
            Value::Object(_) => {
                let reader = Reader::new(options, &TOOL_NAMES, ErrorCode::InvalidPolicy, path, naming)?;
                defaults.read(&reader)
            }
            _ => {
                let takes = naming.words("an object of options, or false to leave the tool unchanged");
                let message = format!("tools.{tool} takes {takes}");
                Err(Error::new(ErrorCode::InvalidPolicy, message, path))
            }
        }
    }

    /// The same policy for a server of that name, unless the author names the tool that reads stored results.
    pub(crate) fn for_server(&self, server: &str) -> Self {
        if self.names_read_tool { self.clone() } else { self.read_by(&read_tool_of(server)) }
    }

    /// The policy of an agent that reads stored results by these words instead of a tool of that name.
    pub(crate) fn read_by(&self, words: &str) -> Self {
        let mut policy = self.clone();
        let words: Arc<str> = words.into();
        let all = policy.tools.iter_mut().map(|(_, settings)| settings).chain([&mut policy.defaults]);
        all.for_each(|settings| settings.read_tool = Arc::clone(&words));
        policy
    }

    /// The policy with at most `tokens` for a result of any tool that is shaped.
    pub(crate) fn within(&self, tokens: usize) -> Self {
        let mut policy = self.clone();
        let all = policy.tools.iter_mut().map(|(_, settings)| settings).chain([&mut policy.defaults]);
        for settings in all.filter(|settings| !settings.is_left_alone()) {
            *settings = settings.within(tokens.min(settings.room()).max(MIN_BUDGET));
        }
        policy
    }

    /// The name of the tool that reads stored results.
    pub(crate) fn read_tool(&self) -> &str {
        &self.defaults.read_tool
    }

    /// The most tokens of results that are returned together.
    pub(crate) fn combined_tokens(&self) -> usize {
        let usual = || self.defaults.budget().map_or(COMBINED_TOKENS, |most| COMBINED_TOKENS.max(TOGETHER * most));
        self.combined_tokens.unwrap_or_else(usual)
    }

    /// The settings of a tool.
    pub(crate) fn settings(&self, tool: Option<&str>) -> &Settings {
        let place = tool.and_then(|tool| self.tools.binary_search_by(|(name, _)| name.as_str().cmp(tool)).ok());
        place.map_or(&self.defaults, |place| &self.tools[place].1)
    }

    /// The settings for a call.
    ///
    /// # Errors
    /// `INVALID_CALL` if cursors expire and the call has no time, and for a scope without a `cursorKey` to protect it;
    /// `INVALID_POLICY` if the vocabulary of the encoding is not loaded.
    pub(crate) fn for_call(&self, call: &Call) -> Result<&Settings, Error> {
        let settings = self.settings(call.tool_name());
        settings.check_encoding()?;
        if settings.is_left_alone() {
            return Ok(settings);
        }
        if settings.cursor_ttl.is_some() && call.now.is_none() {
            let message = "cursors expire, so the call requires the time: now, in seconds since 1970";
            return Err(Error::new(ErrorCode::InvalidCall, message, "/now"));
        }
        if call.owner().is_some() && settings.cursor_keys.is_empty() {
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
