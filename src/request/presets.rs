//! Policies with a name, for what results are most often wanted for; each is made of options that anybody could set.

use serde_json::{Map, Value, json};

use crate::base::error::{Error, ErrorCode};
use crate::request::options::Naming;
use crate::request::policy::Policy;

/// The names of the presets, and the options of each.
fn presets() -> [(&'static str, Value); 4] {
    [
        // A model at work: it gets what it can hold, and reads more where it needs more.
        ("agent", json!({ "maxTokens": 6000, "overflow": "offload", "offloadOver": 6000, "combinedTokens": 6000 })),
        // A model that was sent to read, and has room for it.
        (
            "subagent",
            json!({ "maxTokens": 12_000, "overflow": "offload", "offloadOver": 12_000, "combinedTokens": 12_000 }),
        ),
        // Results as they are, but for those that could flood any context.
        (
            "safeOutputs",
            json!({ "maxTokens": 16_000, "overflow": "offload", "offloadOver": 16_000, "combinedTokens": 16_000 }),
        ),
        // A model with a small window.
        ("smallContext", json!({ "maxTokens": 2000, "output": "summary", "combinedTokens": 2000 })),
    ]
}

impl Policy {
    /// The options of a preset, spelled as the caller's language spells them: to be taken as they are, or with
    /// others beside them.
    ///
    /// # Errors
    /// `INVALID_POLICY` for a name that is none; it tells those there are.
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
