//! A policy made option by option. The methods for the options are generated from the table in
//! [`policy`](crate::request::policy).

use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::{Map, Value};

use crate::base::error::Error;
use crate::request::policy::Policy;
use crate::request::reader::Naming;

/// A [`Policy`] in the making. Values are checked by [`build`](Self::build).
///
/// ```
/// use toolshape::options::Overflow;
/// use toolshape::Policy;
/// let policy = Policy::builder()
///     .max_tokens(6000)
///     .overflow(Overflow::Shape)
///     .fields(["id", "title", "author.name"])
///     .without_shaping("send_mail")
///     .build()?;
/// assert_ne!(policy, Policy::default());
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct PolicyBuilder {
    pub(crate) options: Map<String, Value>,
    tools: Map<String, Value>,
}

impl PolicyBuilder {
    /// Maximum tokens of several results that are returned together. Default: 6000.
    pub fn combined_tokens(mut self, tokens: usize) -> Self {
        self.options.insert("combined_tokens".to_owned(), tokens.into());
        self
    }

    /// Name of the tool that reads stored results. Default: `read_result_` and the server's name.
    pub fn read_tool(mut self, name: impl Into<String>) -> Self {
        self.options.insert("read_tool".to_owned(), name.into().into());
        self
    }

    /// Sets options of one tool. They replace those of all tools.
    pub fn tool(mut self, name: impl Into<String>, options: impl FnOnce(Self) -> Self) -> Self {
        self.tools.insert(name.into(), options(Self::default()).options());
        self
    }

    /// Leaves the results of one tool unchanged.
    pub fn without_shaping(mut self, tool: impl Into<String>) -> Self {
        self.tools.insert(tool.into(), Value::Bool(false));
        self
    }

    /// Checks the options.
    ///
    /// # Errors
    /// `INVALID_POLICY` for a wrong type, a value out of range, or an option that one tool cannot have.
    pub fn build(self) -> Result<Policy, Error> {
        Policy::new(&self.options(), Naming::Snake)
    }

    fn options(mut self) -> Value {
        if !self.tools.is_empty() {
            self.options.insert("tools".to_owned(), Value::Object(self.tools));
        }
        Value::Object(self.options)
    }
}

/// The names of the options that are set: their values may be secret.
impl std::fmt::Debug for PolicyBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.options.keys()).entries(self.tools.keys()).finish()
    }
}

/// From an object with camelCase names, as [`Policy::from_json`].
impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let options = Value::deserialize(deserializer)?;
        Self::new(&options, Naming::Camel).map_err(D::Error::custom)
    }
}
