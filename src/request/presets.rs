//! Named policies for the most common uses of results. Each consists of options that an author could set as well.

use std::str::FromStr;

use serde_json::{Map, Value, json};

use crate::base::error::{Error, ErrorCode};
use crate::request::choice::{Choice, choice};
use crate::request::policy::Policy;
use crate::request::reader::Naming;

choice! {
    /// A policy with a name.
    ///
    /// ```
    /// use toolshape::{Policy, Preset};
    /// assert_eq!(Preset::Agent.policy(), Policy::builder().preset("agent".parse()?).build()?);
    /// assert_eq!(Preset::SafeOutputs.to_string(), "safeOutputs");
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub enum Preset {
        /// For a model at work: 6,000 tokens a result; larger results are stored and read back.
        Agent = "agent",
        /// For a model whose task is to read: 12,000 tokens a result.
        Subagent = "subagent",
        /// Results are unchanged, except those of more than 16,000 tokens, which are stored.
        SafeOutputs = "safeOutputs",
        /// For a model with a small context: 2,000 tokens a result, and summaries of series and grids.
        SmallContext = "smallContext",
    }
}

impl Preset {
    /// The policy.
    pub fn policy(self) -> Policy {
        Policy::new(&Value::Object(self.options(Naming::Camel)), Naming::Camel).unwrap_or_default()
    }

    /// The options, in the spelling of the caller's language.
    #[doc(hidden)]
    pub fn options(self, naming: Naming) -> Map<String, Value> {
        let offload = |most: usize| json!({ "maxTokens": most, "overflow": "offload", "offloadOver": most, "combinedTokens": most });
        let options = match self {
            Self::Agent => offload(6000),
            Self::Subagent => offload(12_000),
            Self::SafeOutputs => offload(16_000),
            Self::SmallContext => json!({ "maxTokens": 2000, "output": "summary", "combinedTokens": 2000 }),
        };
        let options = options.as_object().into_iter().flatten();
        options.map(|(option, value)| (naming.spell(option).into_owned(), value.clone())).collect()
    }
}

impl FromStr for Preset {
    type Err = Error;

    /// # Errors
    /// `INVALID_POLICY` for an unknown name; the message lists the known ones.
    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, preset)| *preset).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|(name, _)| *name).collect();
            let message = format!("unknown preset {name:?}; the presets are {}", names.join(", "));
            Error::new(ErrorCode::InvalidPolicy, message, "/preset")
        })
    }
}

/// The options of a preset by its name, in the spelling of the caller's language.
///
/// # Errors
/// `INVALID_POLICY` for an unknown name.
pub fn preset_options(name: &str, naming: Naming) -> Result<Value, Error> {
    Ok(Value::Object(name.parse::<Preset>()?.options(naming)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_is_a_policy_with_its_budget() {
        for (name, tokens) in [("agent", 6_000), ("subagent", 12_000), ("safeOutputs", 16_000), ("smallContext", 2_000)]
        {
            for (naming, option) in [(Naming::Camel, "maxTokens"), (Naming::Snake, "max_tokens")] {
                let options = preset_options(name, naming).unwrap();
                assert_eq!(options[option], tokens, "{name}");
                assert_eq!(Policy::new(&options, naming).unwrap().settings(None).room(), tokens, "{name}");
            }
            assert_eq!(name.parse::<Preset>().unwrap().policy().settings(None).room(), tokens, "{name}");
        }
        let error = preset_options("Agent", Naming::Camel).unwrap_err();
        assert_eq!((error.code(), error.path()), (ErrorCode::InvalidPolicy, "/preset"));
        assert!(
            error.message().ends_with("the presets are agent, subagent, safeOutputs, smallContext"),
            "{}",
            error.message()
        );
    }
}
