//! Which results a host's `redact` sees.

/// Which results the host redacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redacts {
    #[default]
    Nothing,
    /// Those that leave something out, before they are stored.
    Stored,
    /// All of them, before they are shaped.
    All,
}

impl Redacts {
    pub(crate) const CHOICES: [(&'static str, Self); 2] = [("stored", Self::Stored), ("all", Self::All)];
}
