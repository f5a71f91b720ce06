//! Phrases that make a reader stop, and plainer ones.
//!
//! Checked are documents, and the comments and texts of sources. The reader is a busy engineer: *is, has, returns, requires,
//! must, fails with*.

use std::sync::LazyLock;

use regex::Regex;

/// Patterns, without regard to case, each with what to write instead.
const PHRASES: &[(&str, &str)] = &[
    (r"\b(is|are|was|be|been|being|not|and|or) (told|said)\b", "passed, given, printed, stated"),
    (r"\b(unless|where|as|when|than) (told|said)\b", "by default, unless set"),
    (r"\b(what|which|who|whoever|that) (is|are) no [a-z]+", "an unknown …, what is not a …"),
    (
        r"\b(it|this|that|X|they|[a-z]+s?) (is|are) no (tool|option|file|name|json|text|page|call|list|object|row|use|path|number|result|server|error|part|type|value|address|id|answer|evidence|function|instance|line|data|prose|state|store|wait)s?\b",
        "is not a …",
    ),
    (
        r"\bbesides? (it|them|this|that|these|those|each other|one another|itself|themselves|others?)\b",
        "and, next to, in addition to, compared with",
    ),
    (
        r"\b(stands?|stood) (in|at|for|there|alone|out|beside|before|after|on|above|below|under|between|around|behind|as)\b",
        "is in, means, represents",
    ),
    (r"\bso (many|much)\b", "that many, as many"),
    (r"\banew\b", "again"),
    (r"\bgives? way\b", "is evicted, is removed"),
    (r"\bat hand\b", "available"),
    (
        r"\b(it|which|that|text|note|page|line|message|error|result|server|file|table|name|number|field|value|type|hint|sentence)s? tells?\b",
        "states, shows, contains",
    ),
    (r"\bleads? (nowhere|somewhere|on)\b", "does not exist, continues"),
    (r"\b(nothing|something) to say\b", "no warnings"),
    (r"\b(says?|said|spelled|reads?|does|do) otherwise\b", "differs, [default: …]"),
    (r"\b(as the \w+|bytes) that (it is|they are)\b|\bwhat (it|they) took\b", "byte for byte, unchanged"),
    (r"\bthat (is|are) none\b|\bthat there (is|are) not\b", "an invalid …, an unknown …"),
    (r"\bwhose (a|an|the)\b|\bthat one does not\b", "the owner of …, that you do not …"),
    (r"\b(may not be \w+ by|refused again|(is|are) kept by an?)\b", "is not allowed to, denied, requires"),
];

/// What is checked: documents in full, and of sources the comments and texts.
const ENDINGS: &[&str] = &[".md", ".rs", ".ts", ".tsx", ".mts", ".mjs", ".js", ".py", ".pyi", ".toml", ".yml"];

static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let compile = |(pattern, instead): &(&str, &'static str)| {
        (Regex::new(&format!("(?i-u){pattern}")).expect("a valid pattern"), *instead)
    };
    PHRASES.iter().map(compile).collect()
});

/// The lines of a file with such a phrase.
pub fn check(path: &str, text: &str) -> Vec<String> {
    let is_checked = ENDINGS.iter().any(|ending| path.ends_with(ending));
    if !is_checked || path.starts_with("xtask/src/tidy/") {
        return Vec::new();
    }
    let mut faults = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for (pattern, instead) in PATTERNS.iter() {
            // "There is no …" is plain English.
            let found = pattern.find(line).filter(|found| !found.as_str().to_lowercase().starts_with("there "));
            if let Some(found) = found {
                faults.push(format!(":{}: \"{}\" (write: {instead})", number + 1, found.as_str()));
            }
        }
    }
    faults
}
