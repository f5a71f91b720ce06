//! What a rule is, what it looks at, and what it finds.

use crate::channels::{Channels, Size};
use crate::survey::surveyed::{Surveyed, SurveyedTool};
use toolshape::host::Measure;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::survey) enum LintLevel {
    /// Something is lost: a model does not see it, or sees it changed.
    Error,
    /// Tokens are spent for nothing.
    Warning,
}

/// A rule.
#[derive(Debug)]
pub(in crate::survey) struct Rule {
    pub id: &'static str,
    pub level: LintLevel,
    /// What it says is wrong, and what to do.
    pub what: &'static str,
    pub fix: &'static str,
    pub check: Check,
}

/// What a rule looks at.
#[derive(Clone, Copy, Debug)]
pub(in crate::survey) enum Check {
    Server(fn(&Surveyed, Measure) -> Option<LintEvidence>),
    Tool(fn(&SurveyedTool, &[&LintedResult], Measure) -> Option<LintEvidence>),
    Result(fn(&LintedResult, Measure) -> Option<LintEvidence>),
}

/// The evidence of a finding, and its cost in tokens.
pub(in crate::survey) struct LintEvidence {
    pub evidence: String,
    pub cost: usize,
}

/// A result of a call, read.
pub(in crate::survey) struct LintedResult {
    pub tool: String,
    /// Whether it is a document that somebody else wrote.
    pub is_document: bool,
    pub channels: Channels,
    pub size: Size,
}

impl LintLevel {
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}
