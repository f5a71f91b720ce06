//! Named policies for the most common uses of results. Each consists of options that an author could set as well.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};

use crate::base::error::{Error, ErrorCode};
use crate::base::literal;
use crate::request::policy::Policy;
use crate::request::reader::Naming;

/// A policy with a name.
///
/// ```
/// use toolshape::{Policy, Preset};
/// assert_eq!(Preset::Agent.policy(), Policy::builder().preset("agent".parse()?).build()?);
/// assert_eq!(Preset::SafeOutputs.to_string(), "safeOutputs");
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Preset {
    /// For a model at work: 6,000 tokens a result; larger results are stored and read back.
    Agent,
    /// For a model whose task is to read: 12,000 tokens a result.
    Subagent,
    /// Results are unchanged, except those of more than 16,000 tokens, which are stored.
    SafeOutputs,
    /// For a model with a small context: 2,000 tokens a result, and summaries of series and grids.
    SmallContext,
}

impl Preset {
    const ALL: [Self; 4] = [Self::Agent, Self::Subagent, Self::SafeOutputs, Self::SmallContext];

    /// The policy.
    pub fn policy(self) -> Policy {
        Policy::new(&Value::Object(self.options(Naming::Camel)), Naming::Camel).unwrap_or_default()
    }

    /// The name, as options of the other languages take it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Subagent => "subagent",
            Self::SafeOutputs => "safeOutputs",
            Self::SmallContext => "smallContext",
        }
    }

    /// The options, in the spelling of the caller's language.
    #[doc(hidden)]
    pub fn options(self, naming: Naming) -> Map<String, Value> {
        let options = literal::value_of(match self {
            Self::Agent => {
                r#"{ "maxTokens": 6000, "overflow": "offload", "offloadOver": 6000, "combinedTokens": 6000 }"#
            }
            Self::Subagent => {
                r#"{ "maxTokens": 12000, "overflow": "offload", "offloadOver": 12000, "combinedTokens": 12000 }"#
            }
            Self::SafeOutputs => {
                r#"{ "maxTokens": 16000, "overflow": "offload", "offloadOver": 16000, "combinedTokens": 16000 }"#
            }
            Self::SmallContext => r#"{ "maxTokens": 2000, "output": "summary", "combinedTokens": 2000 }"#,
        });
        let options = options.as_object().into_iter().flatten();
        options.map(|(option, value)| (naming.spell(option).into_owned(), value.clone())).collect()
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Preset {
    type Err = Error;

    /// # Errors
    /// `INVALID_POLICY` for an unknown name; the message lists the known ones.
    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|preset| preset.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::new(ErrorCode::InvalidPolicy, format!("unknown preset {name:?}; the presets are {names}"), "/preset")
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
