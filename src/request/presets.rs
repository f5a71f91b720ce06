//! Named policies for the most common uses of results. Each consists of options that an author could set as well.

use serde_json::{Map, Value};

use crate::base::error::{Error, ErrorCode};
use crate::base::literal;
use crate::request::options::Naming;
use crate::request::policy::Policy;

/// The names of the presets, and the options of each.
const PRESETS: [(&str, &str); 4] = [
    // A model at work: it gets what it can hold, and reads more if it needs more.
    ("agent", r#"{ "maxTokens": 6000, "overflow": "offload", "offloadOver": 6000, "combinedTokens": 6000 }"#),
    // A model that has the task to read, and has room for it.
    ("subagent", r#"{ "maxTokens": 12000, "overflow": "offload", "offloadOver": 12000, "combinedTokens": 12000 }"#),
    // Results as they are, except those that would flood any context.
    ("safeOutputs", r#"{ "maxTokens": 16000, "overflow": "offload", "offloadOver": 16000, "combinedTokens": 16000 }"#),
    // A model with a small window.
    ("smallContext", r#"{ "maxTokens": 2000, "output": "summary", "combinedTokens": 2000 }"#),
];

impl Policy {
    /// The options of a preset, in the spelling of the caller's language. They can be used as they are, or with other
    /// options added.
    ///
    /// # Errors
    /// `INVALID_POLICY` for an unknown name; the message lists the known ones.
    ///
    /// ```
    /// use toolshape::host::Naming;
    /// use toolshape::Policy;
    /// let options = Policy::preset("subagent", Naming::Snake)?;
    /// assert_eq!(options["max_tokens"], 12_000);
    /// assert!(Policy::new(&options, Naming::Snake).is_ok());
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn preset(name: &str, naming: Naming) -> Result<Value, Error> {
        let found = PRESETS.iter().find(|(known, _)| *known == name).map(|(_, options)| literal::value_of(options));
        let Some(Value::Object(options)) = found else {
            let names = PRESETS.map(|(name, _)| name);
            let message = format!("{name:?} is no preset; there are {}", names.join(", "));
            return Err(Error::new(ErrorCode::InvalidPolicy, message, "/preset"));
        };
        let spelled = options.iter().map(|(option, value)| (naming.spell(option).into_owned(), value.clone()));
        Ok(Value::Object(spelled.collect::<Map<_, _>>()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_is_a_policy_with_its_budget() {
        for (name, tokens) in [("agent", 6_000), ("subagent", 12_000), ("safeOutputs", 16_000), ("smallContext", 2_000)]
        {
            for (naming, option) in [(Naming::Camel, "maxTokens"), (Naming::Snake, "max_tokens")] {
                let options = Policy::preset(name, naming).unwrap();
                assert_eq!(options[option], tokens, "{name}");
                assert_eq!(Policy::new(&options, naming).unwrap().settings(None).room(), tokens, "{name}");
            }
        }
        let error = Policy::preset("Agent", Naming::Camel).unwrap_err();
        assert_eq!((error.code(), error.path()), (ErrorCode::InvalidPolicy, "/preset"));
        assert!(
            error.message().ends_with("there are agent, subagent, safeOutputs, smallContext"),
            "{}",
            error.message()
        );
    }
}
