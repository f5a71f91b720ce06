//! The severity of a log line: by its level if it has one, otherwise by its words.

/// The severity of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    Other,
    Warning,
    Error,
}

impl Severity {
    /// The name of its total in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Words that are a level if they are in capitals, in brackets, or the value of `level`.
const LEVELS: [(&str, Severity); 22] = [
    ("trace", Severity::Other),
    ("debug", Severity::Other),
    ("verbose", Severity::Other),
    ("info", Severity::Other),
    ("information", Severity::Other),
    ("notice", Severity::Other),
    ("warn", Severity::Warning),
    ("warning", Severity::Warning),
    ("err", Severity::Error),
    ("error", Severity::Error),
    ("severe", Severity::Error),
    ("fail", Severity::Error),
    ("failure", Severity::Error),
    ("failed", Severity::Error),
    ("crit", Severity::Error),
    ("critical", Severity::Error),
    ("alert", Severity::Error),
    ("emerg", Severity::Error),
    ("emergency", Severity::Error),
    ("fatal", Severity::Error),
    ("panic", Severity::Error),
    ("dpanic", Severity::Error),
];

/// Words that mean an error in a line without a level; longer names end in them (`TypeError`).
const FAULTS: [&str; 12] = [
    "error",
    "errors",
    "exception",
    "exceptions",
    "fatal",
    "panic",
    "panicked",
    "traceback",
    "failed",
    "failure",
    "fail",
    "segfault",
];
const WARNINGS: [&str; 3] = ["warning", "warnings", "deprecated"];
/// Words that negate an error: `0 errors`, `no error`, `without failure`.
const NONE: [&str; 4] = ["0", "no", "without", "zero"];
/// A level is among the first so many words of a line.
const LEVEL_WORDS: usize = 24;

/// The severity of one line.
pub(crate) fn of_line(line: &str) -> Severity {
    if let Some(severity) = glog(line) {
        return severity;
    }
    let words = Words { line, at: 0 };
    if let Some(level) = words.clone().take(LEVEL_WORDS).find_map(|word| level(line, word)) {
        return level;
    }
    let mut gravest = Severity::Other;
    let mut before = "";
    for (start, end) in words {
        let word = &line[start..end];
        if !NONE.contains(&before) && stands_alone(line, start, end) {
            gravest = gravest.max(by_word(word));
        }
        before = word;
    }
    gravest
}

/// The level of a line in the form of Google's logging library: `E1120 09:26:46.123456 …`.
fn glog(line: &str) -> Option<Severity> {
    let bytes = line.as_bytes();
    let is_glog = bytes.len() > 6 && bytes[1..5].iter().all(u8::is_ascii_digit) && bytes[5] == b' ';
    match bytes.first() {
        Some(b'I') if is_glog => Some(Severity::Other),
        Some(b'W') if is_glog => Some(Severity::Warning),
        Some(b'E' | b'F') if is_glog => Some(Severity::Error),
        _ => None,
    }
}

/// The level of a word, if it is used as one.
fn level(line: &str, (start, end): (usize, usize)) -> Option<Severity> {
    let word = &line[start..end];
    let (_, severity) = LEVELS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name))?;
    let before = line[..start].trim_end_matches(['"', ' ', '=', ':', '\'']);
    let is_bracketed =
        line[..start].ends_with(['[', '<', '(', '|']) && line[end..].starts_with([']', '>', ')', '|', ':']);
    let is_value =
        start != before.len() && ["level", "lvl", "severity"].iter().any(|name| ends_with_word(before, name));
    let is_capital = word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    (is_bracketed || is_value || is_capital).then_some(*severity)
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let Some(start) = text.len().checked_sub(word.len()) else { return false };
    text.is_char_boundary(start) && text[start..].eq_ignore_ascii_case(word)
}

/// Whether a word is no part of a path, a file name or an identifier; a class may follow its package's name.
fn stands_alone(line: &str, start: usize, end: usize) -> bool {
    if line[..start].ends_with('.') && !line[start..end].starts_with(|c: char| c.is_ascii_uppercase()) {
        return false;
    }
    let is_name = line[end..].strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()));
    !is_name && !line[..start].ends_with(['/', '\\', '_', '-']) && !line[end..].starts_with(['/', '\\', '_', '-'])
}

fn by_word(word: &str) -> Severity {
    let is = |name: &&str| word.eq_ignore_ascii_case(name);
    if FAULTS.iter().any(is) || ["Error", "Exception"].iter().any(|name| word.ends_with(name)) {
        Severity::Error
    } else if WARNINGS.iter().any(is) || word.ends_with("Warning") {
        Severity::Warning
    } else {
        Severity::Other
    }
}

/// The start and the end of each run of ASCII letters and digits.
#[derive(Clone)]
struct Words<'a> {
    line: &'a str,
    at: usize,
}

impl Iterator for Words<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.line.as_bytes();
        let start = self.at + bytes[self.at..].iter().position(u8::is_ascii_alphanumeric)?;
        let rest = &bytes[start..];
        let end = start + rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
        self.at = end;
        Some((start, end))
    }
}

#[cfg(test)]
mod tests {
    use super::{Severity, of_line};

    #[test]
    fn tells_how_grave_a_line_is() {
        let cases = [
            ("2026-11-20 09:26:46,123 ERROR [main] no route", Severity::Error),
            ("2026-11-20T09:26:46Z info login failed for bob level was info", Severity::Error),
            ("2026-11-20 INFO retry after error", Severity::Other),
            ("{\"level\":\"warn\",\"msg\":\"slow\"}", Severity::Warning),
            ("time=1 level=error msg=x", Severity::Error),
            ("[Sun Dec 04 04:47:44 2005] [error] mod_jk child workerEnv", Severity::Error),
            ("[Sun Dec 04 04:47:44 2005] [notice] workerEnv.init() ok", Severity::Other),
            ("E1120 09:26:46.123456 1 main.go:1] gone", Severity::Error),
            ("I1120 09:26:46.123456 1 main.go:1] error count 0", Severity::Other),
            ("java.lang.NullPointerException: x", Severity::Error),
            ("DeprecationWarning: use b", Severity::Warning),
            ("build finished with 0 errors, 3 warnings", Severity::Warning),
            ("gcc -Wno-error -o errors.o src/traceback.c", Severity::Other),
            ("LOG: Metadata not found for fastmcp.exceptions", Severity::Other),
            ("all is well", Severity::Other),
            ("", Severity::Other),
        ];
        for (line, severity) in cases {
            assert_eq!(of_line(line), severity, "{line}");
        }
    }
}
