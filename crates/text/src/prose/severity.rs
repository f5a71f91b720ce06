//! How grave a log line is: by the level that it names, otherwise by its words.

use super::prelude;

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

    pub const fn severity(self) -> Severity {
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

/// Words that are a level only in brackets or right behind the time, in any case.
const SHORT_LEVELS: [(&str, LogLevel); 14] = [
    ("trc", LogLevel::Trace),
    ("trce", LogLevel::Trace),
    ("vrb", LogLevel::Trace),
    ("silly", LogLevel::Trace),
    ("sill", LogLevel::Trace),
    ("dbg", LogLevel::Debug),
    ("dbug", LogLevel::Debug),
    ("verb", LogLevel::Debug),
    ("http", LogLevel::Debug),
    ("timing", LogLevel::Debug),
    ("inf", LogLevel::Info),
    ("log", LogLevel::Info),
    ("wrn", LogLevel::Warning),
    ("ftl", LogLevel::Fatal),
];
/// Levels that are also plain words: right behind the time they need a colon.
const PLAIN: [&str; 10] =
    ["log", "fail", "failed", "failure", "critical", "alert", "emergency", "information", "panic", "severe"];
/// What PostgreSQL adds to the record before: the statement may have any word in it.
const ADDED: [&str; 6] = ["STATEMENT", "DETAIL", "HINT", "CONTEXT", "QUERY", "LOCATION"];

/// Words that mean an error in a line without a level; longer names end in them (`TypeError`).
const FAULTS: [&str; 12] = [
    "error", "errors", "exception", "exceptions", "fatal", "panic", "panicked", "traceback", "failed", "failure",
    "fail", "segfault",
];
const WARNINGS: [&str; 3] = ["warning", "warnings", "deprecated"];
/// Words that negate an error: `0 errors`, `no error`, `without failure`.
const NONE: [&str; 4] = ["0", "no", "without", "zero"];
/// The word before a level in a statement of SQL that a line quotes: `RAISE WARNING 'slow'`.
const RAISE: &str = "RAISE";
/// The most words before one that labels a message.
const LABEL_WORDS: usize = 1;
/// A level is among this many first words of a line.
const LEVEL_WORDS: usize = 24;
/// Lines by which it is known how those of a log say their levels.
const LOOKED_AT: usize = 2000;
/// Words mean errors and warnings in at most 1/n of the lines.
const MOST_BY_WORDS: usize = 10;

/// The level of one line: the one it names, or what its words mean.
pub fn of_line(line: &str) -> LogLevel {
    named(line).unwrap_or_else(|| by_words(line))
}

/// The level that a line names.
pub fn named(line: &str) -> Option<LogLevel> {
    find(line).map(|(_, level)| level)
}

/// A line with its level, and where its parts begin.
#[derive(Clone, Copy)]
pub struct Graded {
    pub level: LogLevel,
    /// Behind the name of a program.
    pub program: u32,
    /// The first word behind times, process ids and counters.
    pub message: u32,
    /// The level; the first word if the line names none behind it.
    pub at: u32,
}

/// How the lines of a log say their levels.
#[derive(Clone, Copy, Debug)]
pub struct Grades {
    /// Whether a word that means an error or a warning is one: not where no line names a level and many have such a word, as in a
    /// list of commits. There it is what a line is about.
    by_words: bool,
}

impl Grades {
    pub fn of<'l>(lines: impl Iterator<Item = &'l str>) -> Self {
        let (mut read, mut with_words) = (0, 0);
        for line in lines.take(LOOKED_AT) {
            if named(line).is_some() {
                return Self { by_words: true };
            }
            (read, with_words) = (read + 1, with_words + usize::from(meanings(line).next().is_some()));
        }
        Self { by_words: with_words * MOST_BY_WORDS <= read }
    }

    /// The level of one line: the one it names, or what its words mean.
    pub fn level(self, line: &str) -> LogLevel {
        named(line).unwrap_or_else(|| self.unnamed(line))
    }

    fn unnamed(self, line: &str) -> LogLevel {
        if self.by_words { by_words(line) } else { by_answer(line) }
    }

    /// The same, and where the parts of the line begin.
    pub fn graded(self, line: &str) -> Graded {
        let program = prelude::program_end(line);
        let message = prelude::end_after(line, program);
        let found = find_behind(line, message);
        let level = found.map_or_else(|| self.unnamed(line), |(_, level)| level);
        let at = found.map_or(message, |(at, _)| at.max(message));
        let [program, message, at] = [program, message, at].map(|at| u32::try_from(at).unwrap_or_default());
        Graded { level, program, message, at }
    }
}

impl Graded {
    pub fn of(line: &str) -> Self {
        Grades { by_words: true }.graded(line)
    }
}

/// Where a line names its level, and the level.
pub fn find(line: &str) -> Option<(usize, LogLevel)> {
    find_behind(line, prelude::end(line))
}

/// The same in a line whose message begins at `message`.
fn find_behind(line: &str, message: usize) -> Option<(usize, LogLevel)> {
    if let Some(level) = glog(line) {
        return Some((0, level));
    }
    if let Some(level) = first_word(line, message) {
        return Some((message, level));
    }
    let mut before = "";
    for (start, end) in (Words { line, at: 0 }).take(LEVEL_WORDS) {
        if let Some(level) = level(line, (start, end)).filter(|_| before != RAISE) {
            return Some((start, level));
        }
        // Android Studio writes the program before the letter.
        let is_column = message > 0 && line[..start].ends_with("  ") && line[end..].starts_with("  ");
        if let Some(level) = line[start..end].bytes().next().filter(|_| is_column && end == start + 1).and_then(letter)
        {
            return Some((start, level));
        }
        before = &line[start..end];
    }
    Some((0, priority(line)?))
}

/// The level of a line that begins with the priority of a syslog (RFC 5424, 6.2.1; RFC 3164, 4.1): `<11>1 2026-…`, `<11>Nov 20 …`;
/// or of the kernel's: `<3>[ 12.5] …`.
fn priority(line: &str) -> Option<LogLevel> {
    const MONTHS: [&str; 12] =
        ["Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ", "Dec "];
    let (number, after) = line.strip_prefix('<')?.split_once('>')?;
    let is_number = number.len() <= 3 && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_header =
        after.starts_with("1 ") || after.starts_with('[') || MONTHS.iter().any(|name| after.starts_with(name));
    let number: u8 = number.parse().ok().filter(|number| is_number && is_header && *number < 192)?;
    Some(match number % 8 {
        0..=2 => LogLevel::Fatal,
        3 => LogLevel::Error,
        4 => LogLevel::Warning,
        5 | 6 => LogLevel::Info,
        _ => LogLevel::Debug,
    })
}

/// The level of the word with which a message begins at `start`, in any case: `error: …`, `[error] …`, behind a time also `error …`.
fn first_word(line: &str, start: usize) -> Option<LogLevel> {
    let bracketed = line[start..].strip_prefix(['[', '<', '(', '|']);
    let rest = bracketed.unwrap_or(&line[start..]);
    let (word, after) = rest.split_at(rest.bytes().take_while(u8::is_ascii_alphabetic).count());
    // A margin or the mark of an item is no time.
    let is_behind = line[..start].contains(char::is_alphanumeric);
    let is_closed =
        after.trim_start_matches(' ').starts_with([']', '>', ')', '|']) && (bracketed.is_some() || is_behind);
    let is_bare = is_behind && (after.is_empty() || after.starts_with([' ', '\t', '!']));
    if word.len() == 1 {
        return if is_bare { letter(word.as_bytes()[0]) } else { None };
    }
    let is_marked = is_closed || (after.starts_with(':') && !after.starts_with("::"));
    if !is_marked && (!is_bare || PLAIN.iter().any(|plain| word.eq_ignore_ascii_case(plain))) {
        return None;
    }
    of_word(&LEVELS, word).or_else(|| of_word(&SHORT_LEVELS, word))
}

fn by_words(line: &str) -> LogLevel {
    let mut found = Severity::Other;
    for (at, severity) in meanings(line) {
        // What a line calls itself counts, and not what it is about: `LaTeX Warning: Reference `errors' undefined`.
        let behind = line[at..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
        if found == Severity::Other && severity == Severity::Warning && behind.starts_with(':') {
            return LogLevel::Warning;
        }
        found = found.max(severity);
    }
    match (found, by_answer(line)) {
        (Severity::Error, _) => LogLevel::Error,
        (Severity::Warning, LogLevel::None) => LogLevel::Warning,
        (_, level) => level,
    }
}

/// The level of a line without a word that means an error.
fn by_answer(line: &str) -> LogLevel {
    if is_unanswered(line) { LogLevel::Error } else { LogLevel::None }
}

/// Whether a line of an access log has a request that the server could not answer: `"GET / HTTP/1.1" 502 157`.
fn is_unanswered(text: &str) -> bool {
    let request = Some(text)
        .filter(|text| text.contains('"'))
        .and_then(|text| text.split_once(" HTTP/"))
        .and_then(|(_, rest)| rest.split_once("\" "));
    let status = request.and_then(|(_, rest)| rest.split(' ').next()).unwrap_or_default();
    status.len() == 3 && status.starts_with('5') && status.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a line has the form of a message: it names a level, or a word that means an error or a warning labels what follows it, as in
/// `TypeError: x`, `error[E1]`, `error TS1: x`, or has a column of its own before the message. Otherwise the word is what the line is about.
pub fn is_message(line: &str) -> bool {
    // What is indented belongs to another line: only a level in a column of its own is one.
    let is_own = !line.starts_with([' ', '\t']);
    is_own && named(line).is_some_and(|level| level.severity() != Severity::Other)
        || meanings(line).any(|(start, _)| labels(line, start, is_own))
}

/// Whether the word that begins at `start` is the label of a message.
fn labels(line: &str, start: usize, is_own: bool) -> bool {
    let length = line[start..].bytes().take_while(u8::is_ascii_alphanumeric).count();
    let (word, after) = line[start..].split_at(length);
    let before = &line[..start];
    let is_alone = !before.contains(' ');
    let is_class = before.ends_with('.');
    // A message may be the value of a member: `"message": "TypeError: x`.
    let is_member = before.strip_suffix('"').is_some_and(|name| name.trim_end().ends_with("\":"));
    let is_near = before.split_whitespace().count() <= LABEL_WORDS && !before.ends_with(['"', '\'', '`']) || is_member;
    let code = after.split_whitespace().next().unwrap_or_default();
    let digits = code.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let is_code = after.starts_with(' ')
        && (digits.len() < code.len() || code.ends_with(':'))
        && digits.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let is_column = |gap: &str| after.starts_with(gap) && before.ends_with(gap) && of_word(&LEVELS, word).is_some();
    // A statement of a program ends in such a mark, and a heading in a colon.
    let is_statement = line.trim_end().ends_with([';', ',', '{', '(']);
    let is_label = (after.starts_with(": ") && !is_statement && (is_near || is_class))
        || (after.is_empty() && is_alone)
        || (is_near && [" (", "["].iter().any(|mark| after.starts_with(mark)))
        || word == "panicked"
        || is_code;
    is_own && is_label || ["  ", "\t"].into_iter().any(is_column)
}

/// Where the words of a line are that mean an error.
pub fn faults(line: &str) -> impl Iterator<Item = usize> {
    meanings(line).filter(|(_, severity)| *severity == Severity::Error).map(|(start, _)| start)
}

/// Where each word of a line begins that means an error or a warning and is not negated.
fn meanings(line: &str) -> impl Iterator<Item = (usize, Severity)> {
    let mut before = "";
    (Words { line, at: 0 }).filter_map(move |(start, end)| {
        let word = &line[start..end];
        let severity = by_word(word);
        let is_meant = severity != Severity::Other
            && !NONE.contains(&before)
            && before != RAISE
            && !is_none_of_it(&line[end..])
            && stands_alone(line, start, end);
        before = word;
        is_meant.then_some((start, severity))
    })
}

/// Whether what follows a word counts none of it: `failed=0`, `Errors: 0`.
fn is_none_of_it(after: &str) -> bool {
    let count = after.trim_start_matches([':', '=', '"', ' ']);
    count.len() < after.len()
        && count.strip_prefix('0').is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '.'))
}

/// The level of a line in the form of Google's logging library: `E1120 09:26:46.123456 …`.
fn glog(line: &str) -> Option<LogLevel> {
    let bytes = line.as_bytes();
    let is_glog = bytes.len() > 6 && bytes[1..5].iter().all(u8::is_ascii_digit) && bytes[5] == b' ';
    letter(*bytes.first().filter(|_| is_glog)?)
}

/// The level that a letter means in the logs of Android and of Google's logging library.
fn letter(letter: u8) -> Option<LogLevel> {
    match letter {
        b'V' => Some(LogLevel::Trace),
        b'D' => Some(LogLevel::Debug),
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
    // PostgreSQL: `… UTC [7] me@shop LOG:  …`
    if line[end..].starts_with(":  ") && (word == "LOG" || ADDED.contains(&word)) {
        return Some(if word == "LOG" { LogLevel::Info } else { LogLevel::None });
    }
    let level = of_word(&LEVELS, word)?;
    // `WARN=0` counts.
    if line[end..].starts_with('=') {
        return None;
    }
    let before = line[..start].trim_end_matches(['"', ' ', '=', ':', '\'']);
    // Apache writes its module before the level: `[core:error]`.
    let module = line[..start]
        .strip_suffix(':')
        .map(|before| before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'));
    let opens = module.unwrap_or(&line[..start]).ends_with(['[', '<', '(', '|']);
    // In `abort(err)` it is an argument.
    let is_argument = line[..start].trim_end_matches(['[', '<', '(', '|']).ends_with(|c: char| c.is_alphanumeric());
    // What a line ends in is what it is about: `DELETE_FAST 5 (err)`.
    let has_message = line[end..].contains(char::is_alphanumeric)
        || !line[..start].contains(char::is_alphanumeric)
        || line[..start].contains(": ");
    let is_bracketed = has_message
        && opens
        && (module.is_some() || !is_argument)
        && line[end..].starts_with([']', '>', ')', '|', ':']);
    let is_value =
        start != before.len() && ["level", "lvl", "severity"].iter().any(|name| ends_with_word(before, name));
    let is_capital = word.bytes().all(|byte| byte.is_ascii_uppercase()) && stands_alone(line, start, end);
    (is_bracketed || is_value || is_capital).then_some(level)
}

/// The level that a word is in a table, in any case.
fn of_word(table: &[(&str, LogLevel)], word: &str) -> Option<LogLevel> {
    if !(3..=LEVEL_CHARS).contains(&word.len()) {
        return None;
    }
    let first = word.as_bytes()[0] | 0x20;
    let is_word = |name: &str| name.as_bytes()[0] == first && word.eq_ignore_ascii_case(name);
    table.iter().find(|(name, _)| is_word(name)).map(|(_, level)| *level)
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
    use super::{Grades, LogLevel, of_line};

    #[test]
    fn words_are_levels_where_a_line_names_one_or_few_lines_have_them() {
        let line = |n: usize| format!("a1b2c{n} HEAD@{{{n}}}: commit: Handle errors of part {n}");
        let graded = |lines: Vec<String>| Grades::of(lines.iter().map(String::as_str)).level(&line(1));
        assert_eq!(graded((0..30).map(line).collect()), LogLevel::None);
        let with_level = (0..30).map(line).chain(["[INFO] up".to_owned()]);
        assert_eq!(graded(with_level.collect()), LogLevel::Error);
        let few =
            (0..30).map(|n| if n == 1 { line(n) } else { format!("a1b2c{n} HEAD@{{{n}}}: commit: Add part {n}") });
        assert_eq!(graded(few.collect()), LogLevel::Error);
    }

    #[test]
    fn grades_a_line() {
        let cases = [
            ("2026-11-20 09:26:46,123 ERROR [main] no route", LogLevel::Error),
            ("2026-11-20T09:26:46Z login failed for bob level was info", LogLevel::Error),
            ("2026-11-20T09:26:46Z info login failed for bob", LogLevel::Info),
            ("2026-11-20 09:26:46\terror\tgone", LogLevel::Error),
            ("2026-11-20 09:26:46 [warning  ] slow", LogLevel::Warning),
            ("2026-11-20 09:26:46, Info    CBS    error 0", LogLevel::Info),
            ("2026-11-20 09:26:46 alert rules loaded", LogLevel::None),
            ("2026-11-20T09:26:46Z stderr F warn: slow", LogLevel::Warning),
            ("[09:26:46 ERR] gone", LogLevel::Error),
            ("9:26AM WRN slow", LogLevel::Warning),
            ("11-20 09:26:46.811  1702  2395 E WindowManager: gone", LogLevel::Error),
            ("2026-11-20 09:26:46.811  1702-2395  Window     com.acme.app     E  gone", LogLevel::Error),
            ("fail: Microsoft.Hosting[0]", LogLevel::Error),
            ("<11>1 2026-11-20T09:26:46Z web app 12 ID1 - gone", LogLevel::Error),
            ("<132>Nov 20 09:26:46 web app[12]: slow", LogLevel::Warning),
            ("<14>1 2026-11-20T09:26:46Z web app 12 ID1 - login failed", LogLevel::Info),
            ("<14>1 2026-11-20T09:26:46Z web app 12 ID1 - ERROR gone", LogLevel::Error),
            ("<200>1 gone", LogLevel::None),
            ("<3> gone", LogLevel::None),
            ("[Sun Dec 04 04:47:44.123456 2005] [mpm_event:notice] [pid 1:tid 2] error pages set", LogLevel::Info),
            ("[Sun Dec 04 04:47:44.123456 2005] [ssl:warn] [pid 1:tid 2] slow", LogLevel::Warning),
            ("web-1  | error: gone", LogLevel::Error),
            ("npm ERR! code 1", LogLevel::Error),
            ("npm http fetch GET 200 https://r/error", LogLevel::Debug),
            ("npm warn deprecated a", LogLevel::Warning),
            ("[LOG] render", LogLevel::Info),
            ("2026-11-20 09:26:46.123 UTC [7] LOG:  statement: RAISE WARNING 'x'", LogLevel::Info),
            ("2026-11-20 09:26:46.123 UTC [7] STATEMENT:  SELECT 'ERROR'", LogLevel::None),
            ("2026-11-20 09:26:46.123 UTC [7] me@shop LOG:  RAISE EXCEPTION 'x'", LogLevel::Info),
            ("2026-11-20 09:26:46.123 UTC [7] me@shop DETAIL:  ERROR is not a number", LogLevel::None),
            ("running: RAISE WARNING 'x'", LogLevel::None),
            ("std::error::Error", LogLevel::Error),
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
            ("Tests run: 3, Failures: 0, Errors: 0, failed=0", LogLevel::None),
            ("Failures: 10, error 0x80", LogLevel::Error),
            ("gcc -Wno-error -o errors.o src/traceback.c", LogLevel::None),
            ("LOG: Metadata not found for fastmcp.exceptions", LogLevel::Info),
            ("10.0.0.1 - - [20/Nov/2026:09:20:00 +0000] \"GET /7 HTTP/1.1\" 502 157 \"-\"", LogLevel::Error),
            ("10.0.0.1 - - [20/Nov/2026:09:20:00 +0000] \"GET /7 HTTP/1.1\" 404 502 \"-\"", LogLevel::None),
            ("2026-11-20 INFO retry after Connection refused", LogLevel::Info),
            ("LaTeX Warning: Reference `fig:errors' undefined", LogLevel::Warning),
            ("<0>Terms</0> and <1>Privacy</1>", LogLevel::None),
            ("<3>Note", LogLevel::None),
            ("all is well", LogLevel::None),
            ("", LogLevel::None),
        ];
        for (line, level) in cases {
            assert_eq!(of_line(line), level, "{line}");
        }
    }
}
