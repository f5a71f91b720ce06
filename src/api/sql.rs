//! Questions in SQL about stored results: the argument `sql` of `read_result`.
//!
//! A table is the handle of a stored result; that of the argument `handle` is also called `result`. A host finds each of
//! [`Lookup::tables`](crate::host::Lookup) as it finds a handle, SQLite answers ([`ask_sql`](crate::host::ask_sql), with the
//! feature `sql`), and the answers are shown within the budget. The engine and the showing are apart: in the npm package they
//! are in two modules.

#[cfg(feature = "sql")]
mod ask;
#[cfg(feature = "sql")]
mod open;
#[cfg(feature = "sql")]
mod opened;
mod question;
mod shown;

#[cfg(feature = "sql")]
pub use ask::{Clock, ask_sql};
#[cfg(feature = "sql")]
pub use opened::OpenedTables;
pub use question::SqlQuestion;
pub(crate) use question::tables;

use std::borrow::Cow;
use std::sync::Arc;

use crate::api::mcp::host::Host;
use crate::api::read_back;
use crate::api::shaper::Shaper;
use crate::base::error::Error;
use crate::ladder::refusal;
use crate::outcome::receipt::Weight;
use crate::outcome::shaped::Shaped;
use crate::request::call::Call;
use crate::request::handle;

/// Whether SQLite is here: the feature `sql`.
pub const HAS_SQL: bool = cfg!(feature = "sql");

/// A stored result that a statement may name.
#[derive(Clone, Debug)]
pub struct SqlSource<'a> {
    /// Its handle.
    pub name: &'a str,
    /// Its key in the store and its content, or why it cannot be read.
    pub content: Result<(&'a str, SqlContent<'a>), Error>,
}

/// The content of a stored result.
#[derive(Clone, Debug)]
pub enum SqlContent<'a> {
    Text(StoredText<'a>),
    /// One of this many bytes that an earlier question has opened, and that the host does not give again.
    Kept(usize),
}

/// The text of a stored result. One that is shared is not copied when it is opened.
#[derive(Clone, Debug)]
pub enum StoredText<'a> {
    Borrowed(&'a str),
    Shared(Arc<String>),
}

impl StoredText<'_> {
    /// The text to keep, which is copied at most once.
    #[cfg(feature = "sql")]
    fn share(&mut self) -> Arc<String> {
        let shared = match self {
            Self::Borrowed(text) => Arc::new((*text).to_owned()),
            Self::Shared(text) => return Arc::clone(text),
        };
        *self = Self::Shared(Arc::clone(&shared));
        shared
    }
}

impl std::ops::Deref for StoredText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl<'a> From<&'a str> for StoredText<'a> {
    fn from(text: &'a str) -> Self {
        Self::Borrowed(text)
    }
}

impl<'a> From<Cow<'a, str>> for StoredText<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        match text {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text.into(),
        }
    }
}

impl From<String> for StoredText<'_> {
    fn from(text: String) -> Self {
        Self::Shared(Arc::new(text))
    }
}

/// What a host found for a table: its handle, and the key and the content if the store has them.
#[derive(Clone, Debug)]
pub struct FoundTable<'a> {
    pub handle: &'a str,
    pub stored: Option<(&'a str, StoredText<'a>)>,
    /// The call of [`read_result`](Shaper::read_result) with this handle: whether it is forbidden, and why the store failed.
    pub call: &'a Call,
}

#[doc(hidden)]
impl Shaper {
    /// What a call asks in SQL.
    ///
    /// # Errors
    /// `INVALID_CALL`, also if the call has no `sql`; `INVALID_CURSOR`.
    pub fn sql_question(&self, call: &Call) -> Result<SqlQuestion, Error> {
        question::of(self.settings(call)?, call)
    }

    /// Checks that a content is that of its handle, in the scope of the call.
    ///
    /// # Errors
    /// `NOT_FOUND`, `FORBIDDEN`, `STORE_FAILED`.
    pub fn check_stored(&self, handle: &str, stored: Option<(&str, &str)>, call: &Call) -> Result<(), Error> {
        read_back::find(stored, &handle::read(handle)?, self.settings(call)?, call).map(|_| ())
    }

    /// Answers a call of `read_result` in SQL from what a host found for its tables.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape); a caller's mistake is explained in the result.
    pub fn read_sql(&self, tables: Vec<FoundTable<'_>>, call: &Call) -> Result<Shaped, Error> {
        let question = match self.sql_question(call) {
            Ok(question) => question,
            Err(error) => return self.refused_sql(&error, call),
        };
        let sources: Vec<SqlSource<'_>> = tables
            .into_iter()
            .map(|FoundTable { handle, stored, call }| {
                let checked = self.check_stored(handle, stored.as_ref().map(|(key, text)| (*key, &**text)), call);
                let content = checked.map(|()| {
                    let (key, text) = stored.unwrap_or(("", StoredText::Borrowed("")));
                    (key, SqlContent::Text(text))
                });
                SqlSource { name: handle, content }
            })
            .collect();
        #[cfg(feature = "sql")]
        {
            // Only a content that is not given may be missing.
            let answers = ask_sql(&question, sources, self.opened(), None).unwrap_or_default();
            self.show_answers(&answers, call)
        }
        #[cfg(not(feature = "sql"))]
        {
            let _ = (question, sources);
            let message = crate::render::notes::sql::NO_SQL;
            self.refused_sql(&Error::new(crate::base::error::ErrorCode::InvalidCall, message, "/sql"), call)
        }
    }

    /// The answers of [`ask_sql`](crate::host::ask_sql) as a result within the budget.
    ///
    /// # Errors
    /// `INVALID_CALL` as [`shape`](Self::shape); `INVALID_JSON` for a text that is not the answers.
    pub fn show_answers(&self, answers: &str, call: &Call) -> Result<Shaped, Error> {
        let settings = self.reading_settings(call)?;
        Host::of_call(call).fitted(|most| shown::show(answers, &settings, settings.room().min(most), call))
    }

    fn refused_sql(&self, error: &Error, call: &Call) -> Result<Shaped, Error> {
        let settings = self.reading_settings(call)?;
        Ok(refusal::refuse(&settings, settings.room(), call, Weight::Exact(0), error, &[]))
    }
}
