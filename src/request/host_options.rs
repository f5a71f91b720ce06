//! Options of what the host itself does: how long a store keeps results, what is redacted, how long the host waits for a
//! store, what an adapter calls.
//!
//! A host describes an option that is not JSON: `a function` for what it can call, `a store` for an object with the methods
//! of a store, `a name`, and in other words whatever else it is.

use serde_json::{Value, json};

use crate::base::error::{Error, ErrorCode};
use crate::base::numbers::spell;
use crate::option_table;
use crate::request::option_spec::{OptionSpec, Takes, names};
use crate::request::reader::{Naming, Reader};
use crate::request::redacts::Redacts;
use crate::value::redaction::Redaction;

/// A failure that takes longer is a store that does not answer: a client of a database has time limits of its own.
const SLOW_SECONDS: f64 = 0.5;

/// The default limit of all values of a memory store, in bytes. Adapters make such a store if `store` is absent.
pub const MEMORY_BYTES: u64 = 128 << 20;
/// The default limit of all values of any other store.
pub const STORE_BYTES: u64 = 1 << 30;
/// The default limit of one value: less than a store, so that no single value removes all others.
pub const VALUE_BYTES: u64 = 64 << 20;

/// What is secret, wherever results are kept.
pub const OF_REDACTION: [OptionSpec; 2] = [OF_ARCHIVE[2], OF_ARCHIVE[3]];
const TAKES_PATTERNS: &str = "a list of patterns that begin with two characters before a * and do not end with **";

/// What is secret by `redactFields` and `redactTexts`.
///
/// # Errors
/// `INVALID_POLICY` or `INVALID_CALL`, as the reader says, for another type and for a pattern that would match most texts.
pub fn read_redaction(reader: &Reader<'_>) -> Result<Redaction, Error> {
    let list = |at: usize| reader.texts(OF_REDACTION[at].name).map(Option::unwrap_or_default);
    Redaction::new(&list(0)?, &list(1)?)
        .map_err(|pattern| reader.error(OF_REDACTION[1].name, &pattern.into(), TAKES_PATTERNS))
}

/// What `redacts` takes.
const REDACTS: [&str; 2] = ["stored", "all"];

option_table! {
    /// The options of an archive.
    pub const OF_ARCHIVE;

    /// Receives the text of a result before it is stored and returns the text to use. If it fails, an error result replaces
    /// the result, and nothing is stored.
    "redact", Takes::Host("function of the text"), "none";
    /// Which results `redact` receives: those that leave something out, before they are stored, or all, before they are
    /// shaped. With `redactFields` or `redactTexts` all.
    "redacts", Takes::Choice("Redacts", &REDACTS), "`stored`";
    /// Names of fields, or paths such as `user.email`, whose values are secret; `*` is any part of a name.
    "redactFields", Takes::Texts, "none";
    /// Patterns of secret texts, such as `sk-*`: `*` is a run of letters, digits and `_-./+=~`, `**` is anything.
    "redactTexts", Takes::Texts, "none";
    /// How long results are kept, in seconds.
    "ttlSeconds", Takes::Positive, "one day";
    /// How long one call of the store may take, in seconds; after that it has failed.
    "timeoutSeconds", Takes::Positive, "5";
    /// How long a store that did not answer gets no calls, in seconds; 0 for no pause.
    "pauseSeconds", Takes::SecondsOrNone, "10";
    /// Called with every error of the store, of `redact` and of `authorize`; the model reads a short form.
    "onStoreError", Takes::Host("function of the error"), "none";
}

option_table! {
    /// The options that adapters have in addition to those of an archive.
    pub const OF_ADAPTER;

    /// Where whole results are kept.
    "store", Takes::Host("store, or null for none"), "the memory of the process, at most 128 MiB";
    /// Adds the tool `summarize`.
    "summarize", Takes::Flag, "false";
    /// Owner of the results of a call, such as a tenant. It requires a `cursorKey`.
    "scope", Takes::Host("function of the call's context; in Python also a name"), "none";
    /// Whether the caller may read a stored result that the tool returned; checked before every read.
    "authorize", Takes::Host("function of the call's context and a tool's name"), "whoever has the handle may read";
    /// Called with the receipt of every shaped result.
    "onReceipt", Takes::Host("function of the receipt"), "one log line for each changed result";
    /// Called once with each warning, such as one of options for a tool that the server does not have.
    "onWarning", Takes::Host("function of the warning"), "standard error in TypeScript, the log in Python";
}

option_table! {
    /// The options of a store: how much it keeps.
    pub const OF_STORE;

    /// Maximum bytes of all values together.
    "maxBytes", Takes::Positive, "128 MiB in memory, 1 GiB elsewhere";
    /// Maximum bytes of one value; a larger one is not stored.
    "maxValueBytes", Takes::Positive, "64 MiB";
    /// Maximum share of `maxBytes` that one owner may have: each `scope` is an owner, and calls without a scope are one.
    "maxShare", Takes::Share, "1";
}

const ARCHIVE_NAMES: [&str; OF_ARCHIVE.len()] = names(&OF_ARCHIVE);
const ADAPTER_NAMES: [&str; OF_ADAPTER.len()] = names(&OF_ADAPTER);

/// How a host describes what is not JSON; anything else is named by its type.
const FUNCTION: &str = "a function";
const STORE: &str = "a store";
const NAME: &str = "a name";
const TAKES_STORE: &str = "a store: an object with the methods get, set and delete, as a FileStore has";
/// The options that a host describes, the description that each takes, and what it takes in words.
const DESCRIBED: [(&str, &str, &str); 7] = [
    ("redact", FUNCTION, FUNCTION),
    ("onStoreError", FUNCTION, FUNCTION),
    ("onReceipt", FUNCTION, FUNCTION),
    ("onWarning", FUNCTION, FUNCTION),
    ("authorize", FUNCTION, FUNCTION),
    ("scope", FUNCTION, "a function, or in Python a name"),
    ("store", STORE, TAKES_STORE),
];

/// What an archive does with results, and how long it keeps them and waits for its store.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ArchiveOptions {
    pub ttl_seconds: f64,
    pub timeout_seconds: f64,
    pub pause_seconds: f64,
    pub redacts: Redacts,
    /// What is secret in every result.
    pub redaction: Redaction,
}

impl Default for ArchiveOptions {
    fn default() -> Self {
        Self {
            ttl_seconds: 86_400.0,
            timeout_seconds: 5.0,
            pause_seconds: 10.0,
            redacts: Redacts::Nothing,
            redaction: Redaction::default(),
        }
    }
}

impl ArchiveOptions {
    /// Reads `ttlSeconds` (a day by default), `timeoutSeconds` (5 by default), `pauseSeconds` (10 by default; 0 for none),
    /// `redacts` (`stored` by default where there is a `redact`; all where something is declared as secret), `redactFields` and
    /// `redactTexts`; `redact`, `onStoreError` and `store` are described.
    ///
    /// # Errors
    /// `INVALID_CALL` for an unknown option and for a value that an option does not take.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolshape::host::{ArchiveOptions, Naming, Redacts};
    /// assert_eq!(ArchiveOptions::new(&json!({}), Naming::Camel)?.ttl_seconds, 86_400.0);
    /// let redacting = ArchiveOptions::new(&json!({ "redact": "a function" }), Naming::Camel)?;
    /// assert_eq!(redacting.redacts, Redacts::Stored);
    /// assert!(ArchiveOptions::new(&json!({ "timeoutSeconds": 0 }), Naming::Camel).is_err());
    /// assert!(ArchiveOptions::new(&json!({ "pauseSeconds": 0 }), Naming::Camel).is_ok());
    /// assert!(ArchiveOptions::new(&json!({ "store": "an object without get" }), Naming::Camel).is_err());
    /// assert!(ArchiveOptions::new(&json!({ "store": null }), Naming::Camel).is_err());
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn new(options: &Value, naming: Naming) -> Result<Self, Error> {
        let names: Vec<&str> = ARCHIVE_NAMES.into_iter().chain(["store"]).collect();
        let reader = Reader::new(options, &names, ErrorCode::InvalidCall, String::new(), naming)?;
        described(&reader, naming)?;
        // An archive is one of a store; an adapter may have none.
        if options.get("store").is_some_and(Value::is_null) {
            return Err(reader.error("store", &Value::Null, TAKES_STORE));
        }
        let seconds = |name, default, fits: fn(f64) -> bool, takes| match options.get(&*reader.spell(name)) {
            None => Ok(default),
            Some(given) => given.as_f64().filter(|&n| fits(n)).ok_or_else(|| reader.error(name, given, takes)),
        };
        let over_zero = |name, default| seconds(name, default, |n| n > 0.0, "a number over 0");
        let redacts = reader.choice_of("redacts", &REDACTS)?;
        let has_redact = reader.get("redact").is_some();
        if redacts.is_some() && !has_redact {
            return Err(reader.error_at("redacts", "redacts requires redact".to_owned()));
        }
        let redaction = read_redaction(&reader)?;
        let default = Self::default();
        Ok(Self {
            ttl_seconds: over_zero("ttlSeconds", default.ttl_seconds)?,
            timeout_seconds: over_zero("timeoutSeconds", default.timeout_seconds)?,
            pause_seconds: seconds("pauseSeconds", default.pause_seconds, |n| n >= 0.0, "a number from 0")?,
            redacts: match redacts {
                _ if !redaction.is_empty() => Redacts::All,
                None if has_redact => Redacts::Stored,
                redacts => redacts.unwrap_or_default(),
            },
            redaction,
        })
    }

    /// As JSON: `ttlSeconds`, `timeoutSeconds`, `pauseSeconds`, `redacts` (null, `stored`, `all`), and what a host needs
    /// for a store that hangs: `late` is the reason for the failure of a call that took longer than `timeoutSeconds`. After
    /// it, and after a failure that took longer than `slowSeconds`, the store gets no call for `pauseSeconds`: each fails
    /// at once for the reason `paused`. Then one call tries, and the others still fail until it has its answer.
    pub fn to_json(&self) -> Value {
        let Self { ttl_seconds, timeout_seconds, pause_seconds, redacts, .. } = self;
        let late = format!("the store did not answer within {} seconds", spell(*timeout_seconds));
        let paused = format!(
            "the store did not answer a short while ago, and is tried again after {} seconds",
            spell(*pause_seconds)
        );
        json!({
            "ttlSeconds": ttl_seconds, "timeoutSeconds": timeout_seconds, "redacts": redacts.name(), "late": late,
            "pauseSeconds": pause_seconds, "slowSeconds": SLOW_SECONDS, "paused": paused,
        })
    }
}

/// Checks the options of an adapter, each of which may be described. If `store` is absent there is a store; null is
/// none.
///
/// # Errors
/// `INVALID_CALL` for an unknown option, for a value that an option does not take, and for an option of an archive
/// without a store.
///
/// ```
/// use serde_json::json;
/// use toolshape::host::{Naming, check_adapter_options};
/// assert!(check_adapter_options(&json!({ "store": "a store", "redact": "a function" }), Naming::Camel).is_ok());
/// assert!(check_adapter_options(&json!({ "redact": "a function" }), Naming::Camel).is_ok());
/// assert!(check_adapter_options(&json!({ "store": null, "redact": "a function" }), Naming::Camel).is_err());
/// let error = check_adapter_options(&json!({ "on_recipt": "a function" }), Naming::Snake).unwrap_err();
/// assert_eq!(error.message(), "unknown option on_recipt; did you mean on_receipt?");
/// ```
pub fn check_adapter_options(options: &Value, naming: Naming) -> Result<(), Error> {
    let names: Vec<&str> = ADAPTER_NAMES.into_iter().chain(ARCHIVE_NAMES).collect();
    let reader = Reader::new(options, &names, ErrorCode::InvalidCall, String::new(), naming)?;
    described(&reader, naming)?;
    reader.flag("summarize")?;
    let has_no_store = options.get("store").is_some_and(Value::is_null);
    if has_no_store
        && let Some(name) = ARCHIVE_NAMES.into_iter().chain(["authorize"]).find(|name| reader.get(name).is_some())
    {
        let name = reader.spell(name);
        return Err(reader.error_at(&name, format!("{name} requires a store")));
    }
    Ok(())
}

/// Checks the options of a harness of an agent: those of an archive, and of those of an adapter what needs no server. `scope` is
/// a name, which the host checks.
///
/// # Errors
/// `INVALID_CALL` for an unknown option, for a value that an option does not take, and for a store that is null: what is
/// read back has to be in one.
///
/// ```
/// use serde_json::json;
/// use toolshape::host::{Naming, check_harness_options};
/// assert!(check_harness_options(&json!({ "onReceipt": "a function", "scope": "a name" }), Naming::Camel).is_ok());
/// assert!(check_harness_options(&json!({ "store": null }), Naming::Camel).is_err());
/// let error = check_harness_options(&json!({ "authorize": "a function" }), Naming::Camel).unwrap_err();
/// assert!(error.message().ends_with("the options are store, scope, onReceipt, onWarning, redact, redacts, redactFields, redactTexts, ttlSeconds, timeoutSeconds, pauseSeconds, onStoreError"));
/// ```
pub fn check_harness_options(options: &Value, naming: Naming) -> Result<(), Error> {
    const NAMES: [&str; 4] = ["store", "scope", "onReceipt", "onWarning"];
    let names: Vec<&str> = NAMES.into_iter().chain(ARCHIVE_NAMES).collect();
    let reader = Reader::new(options, &names, ErrorCode::InvalidCall, String::new(), naming)?;
    if options.get("store").is_some_and(Value::is_null) {
        return Err(reader.error("store", &Value::Null, TAKES_STORE));
    }
    let mut options = options.clone();
    options.as_object_mut().and_then(|options| options.remove("scope"));
    described(&Reader::new(&options, &names, ErrorCode::InvalidCall, String::new(), naming)?, naming)
}

/// Checks the options that a host describes.
fn described(reader: &Reader<'_>, naming: Naming) -> Result<(), Error> {
    for (name, kind, takes) in DESCRIBED {
        let Some(given) = reader.get(name) else { continue };
        let is = given.as_str().unwrap_or("something else");
        // A name for all calls is Python's.
        let is_name = name == "scope" && naming == Naming::Snake && is == NAME;
        if !is_name && is != kind {
            let name = reader.spell(name);
            return Err(reader.error_at(&name, format!("{name} is {is}; it takes {takes}")));
        }
    }
    Ok(())
}
