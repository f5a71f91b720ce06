//! How grave a log line is: by the level that it names, otherwise by its words.

/// The severity of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
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

/// The level of a line, the gravest first, under the name that totals give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    Fatal,
    Error,
    Warning,
    Info,
    Debug,
    Trace,
    /// The line names no level, and no word in it means an error or a warning.
    None,
}

impl LogLevel {
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Fatal, "fatal"),
        (Self::Error, "error"),
        (Self::Warning, "warning"),
        (Self::Info, "info"),
        (Self::Debug, "debug"),
        (Self::Trace, "trace"),
        (Self::None, "none"),
    ];

    pub fn severity(self) -> Severity {
        match self {
            Self::Fatal | Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Info | Self::Debug | Self::Trace | Self::None => Severity::Other,
        }
    }
}

/// Words that are a level if they are in capitals, in brackets, or the value of `level`.
const LEVELS: [(&str, LogLevel); 22] = [
    ("trace", LogLevel::Trace),
    ("debug", LogLevel::Debug),
    ("verbose", LogLevel::Debug),
    ("info", LogLevel::Info),
    ("information", LogLevel::Info),
    ("notice", LogLevel::Info),
    ("warn", LogLevel::Warning),
    ("warning", LogLevel::Warning),
    ("err", LogLevel::Error),
    ("error", LogLevel::Error),
    ("severe", LogLevel::Error),
    ("fail", LogLevel::Error),
    ("failure", LogLevel::Error),
    ("failed", LogLevel::Error),
    ("crit", LogLevel::Fatal),
    ("critical", LogLevel::Fatal),
    ("alert", LogLevel::Fatal),
    ("emerg", LogLevel::Fatal),
    ("emergency", LogLevel::Fatal),
    ("fatal", LogLevel::Fatal),
    ("panic", LogLevel::Fatal),
    ("dpanic", LogLevel::Fatal),
];
/// The longest of these words.
const LEVEL_CHARS: usize = 11;

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
/// A level is among this many first words of a line.
const LEVEL_WORDS: usize = 24;

/// The level of one line: the one it names, or what its words mean.
pub fn of_line(line: &str) -> LogLevel {
    named(line).unwrap_or_else(|| by_words(line))
}

/// The level that a line names.
pub fn named(line: &str) -> Option<LogLevel> {
    glog(line).or_else(|| Words { line, at: 0 }.take(LEVEL_WORDS).find_map(|word| level(line, word)))
}

fn by_words(line: &str) -> LogLevel {
    let mut gravest = Severity::Other;
    let mut before = "";
    for (start, end) in (Words { line, at: 0 }) {
        let word = &line[start..end];
        if !NONE.contains(&before) && stands_alone(line, start, end) {
            gravest = gravest.max(by_word(word));
        }
        before = word;
    }
    match gravest {
        Severity::Error => LogLevel::Error,
        Severity::Warning => LogLevel::Warning,
        Severity::Other => LogLevel::None,
    }
}

/// The level of a line in the form of Google's logging library: `E1120 09:26:46.123456 …`.
fn glog(line: &str) -> Option<LogLevel> {
    let bytes = line.as_bytes();
    let is_glog = bytes.len() > 6 && bytes[1..5].iter().all(u8::is_ascii_digit) && bytes[5] == b' ';
    match bytes.first().filter(|_| is_glog)? {
        b'I' => Some(LogLevel::Info),
        b'W' => Some(LogLevel::Warning),
        b'E' => Some(LogLevel::Error),
        b'F' => Some(LogLevel::Fatal),
        _ => None,
    }
}

/// The level of a word, if it is used as one.
fn level(line: &str, (start, end): (usize, usize)) -> Option<LogLevel> {
    let word = &line[start..end];
    if !(3..=LEVEL_CHARS).contains(&word.len()) {
        return None;
    }
    let first = word.as_bytes()[0] | 0x20;
    let is_word = |name: &str| name.as_bytes()[0] == first && word.eq_ignore_ascii_case(name);
    let (_, level) = LEVELS.iter().find(|(name, _)| is_word(name))?;
    let before = line[..start].trim_end_matches(['"', ' ', '=', ':', '\'']);
    let is_bracketed =
        line[..start].ends_with(['[', '<', '(', '|']) && line[end..].starts_with([']', '>', ')', '|', ':']);
    let is_value =
        start != before.len() && ["level", "lvl", "severity"].iter().any(|name| ends_with_word(before, name));
    let is_capital = word.bytes().all(|byte| byte.is_ascii_uppercase());
    (is_bracketed || is_value || is_capital).then_some(*level)
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let Some(start) = text.len().checked_sub(word.len()) else { return false };
    text.is_char_boundary(start) && text[start..].eq_ignore_ascii_case(word)
}

/// Whether a word is not part of a path, a file name or an identifier; a class may follow its package's name.
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
    use super::{LogLevel, of_line};

    #[test]
    fn grades_a_line() {
        let cases = [
            ("2026-11-20 09:26:46,123 ERROR [main] no route", LogLevel::Error),
            ("2026-11-20T09:26:46Z info login failed for bob level was info", LogLevel::Error),
            ("2026-11-20 INFO retry after error", LogLevel::Info),
            ("{\"level\":\"warn\",\"msg\":\"slow\"}", LogLevel::Warning),
            ("time=1 level=error msg=x", LogLevel::Error),
            ("[Sun Dec 04 04:47:44 2005] [error] mod_jk child workerEnv", LogLevel::Error),
            ("[Sun Dec 04 04:47:44 2005] [notice] workerEnv.init() ok", LogLevel::Info),
            ("E1120 09:26:46.123456 1 main.go:1] gone", LogLevel::Error),
            ("I1120 09:26:46.123456 1 main.go:1] error count 0", LogLevel::Info),
            ("java.lang.NullPointerException: x", LogLevel::Error),
            ("DeprecationWarning: use b", LogLevel::Warning),
            ("build finished with 0 errors, 3 warnings", LogLevel::Warning),
            ("gcc -Wno-error -o errors.o src/traceback.c", LogLevel::None),
            ("LOG: Metadata not found for fastmcp.exceptions", LogLevel::None),
            ("all is well", LogLevel::None),
            ("", LogLevel::None),
        ];
        for (line, level) in cases {
            assert_eq!(of_line(line), level, "{line}");
        }
    }
}
