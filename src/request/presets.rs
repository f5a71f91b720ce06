//! Named policies for the most common uses of results. Each consists of options that an author could set as well.

use serde_json::{Map, Value, json};

use crate::base::error::{Error, ErrorCode};
use crate::request::options::Naming;
use crate::request::policy::Policy;

/// The names of the presets, and the options of each.
fn presets() -> [(&'static str, Value); 4] {
    [
        // A model at work: it gets what it can hold, and reads more if it needs more.
        ("agent", json!({ "maxTokens": 6000, "overflow": "offload", "offloadOver": 6000, "combinedTokens": 6000 })),
        // A model that has the task to read, and has room for it.
        (
            "subagent",
            json!({ "maxTokens": 12_000, "overflow": "offload", "offloadOver": 12_000, "combinedTokens": 12_000 }),
        ),
        // Results as they are, except those that would flood any context.
        (
            "safeOutputs",
            json!({ "maxTokens": 16_000, "overflow": "offload", "offloadOver": 16_000, "combinedTokens": 16_000 }),
        ),
        // A model with a small window.
        ("smallContext", json!({ "maxTokens": 2000, "output": "summary", "combinedTokens": 2000 })),
    ]
}

impl Policy {
    /// The options of a preset, in the spelling of the caller's language. They can be used as they are, or with other
    /// options added.
    ///
    /// # Errors
    /// `INVALID_POLICY` for an unknown name; the message lists the known ones.
    ///
    /// ```
    /// use toolshape::{Naming, Policy};
    /// let options = Policy::preset("subagent", Naming::Snake)?;
    /// assert_eq!(options["max_tokens"], 12_000);
    /// assert!(Policy::new(&options, Naming::Snake).is_ok());
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn preset(name: &str, naming: Naming) -> Result<Value, Error> {
        let presets = presets();
        let Some((_, Value::Object(options))) = presets.iter().find(|(known, _)| *known == name) else {
            let names = presets.map(|(name, _)| name);
            let message = format!("{name:?} is no preset; there are {}", names.join(", "));
            return Err(Error::new(ErrorCode::InvalidPolicy, message, "/preset"));
        };
        let spelled = options.iter().map(|(option, value)| (naming.spell(option).into_owned(), value.clone()));
        Ok(Value::Object(spelled.collect::<Map<_, _>>()))
    }
}
