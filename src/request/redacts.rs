//! Which results a host's `redact` sees.

use serde::{Deserialize, Serialize};

use crate::request::choice::Choice;

/// Which results the host redacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Redacts {
    #[default]
    Nothing,
    /// Those that leave something out, before they are stored.
    Stored,
    /// All of them, before they are shaped.
    All,
}

impl Choice for Redacts {
    const ALL: &'static [(&'static str, Self)] = &[("stored", Self::Stored), ("all", Self::All)];
}

impl Redacts {
    /// The word for it in options; `None` for nothing.
    pub(crate) fn name(self) -> Option<&'static str> {
        Self::ALL.iter().find(|(_, choice)| *choice == self).map(|(name, _)| *name)
    }

    /// What a word of options means.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, choice)| *choice)
    }
}
