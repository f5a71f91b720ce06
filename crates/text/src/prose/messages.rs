//! Which lines of a text are about an error or a warning, and how many are messages about one.
//!
//! A line is as grave as the level that it names, or as its words mean. Only messages with a place and a level are counted, since a text
//! may be about errors, and one failure may take several lines.

use super::quoted;
use super::severity::{self, Grades, LogLevel, Severity};

/// Fewer messages are not counted: a reader sees them.
const SOME: usize = 3;

/// How grave lines of a text are.
#[derive(Debug)]
pub struct Messages {
    /// None of a text that quotes another: hits of a search, commits.
    grades: Option<Grades>,
    /// How many messages with a place have the level of an error, and of a warning.
    pub counts: Vec<(&'static str, usize)>,
}

impl Messages {
    pub fn of(lines: &[&str]) -> Self {
        if quoted::is_quoted(lines) {
            return Self { grades: None, counts: Vec::new() };
        }
        let grades = Grades::of(lines.iter().copied());
        let placed = lines.iter().filter_map(|line| severity::named(behind_place(line)?)).map(LogLevel::severity);
        let [mut errors, mut warnings] = [0, 0];
        placed.for_each(|severity| match severity {
            Severity::Error => errors += 1,
            Severity::Warning => warnings += 1,
            Severity::Other => {}
        });
        let counts = [("errorLines", errors), ("warningLines", warnings)];
        Self { grades: Some(grades), counts: counts.into_iter().filter(|(_, count)| *count >= SOME).collect() }
    }

    /// How grave a line is, or a part of one.
    pub fn severity(&self, line: &str) -> Severity {
        self.grades.map_or(Severity::Other, |grades| grades.level(line).severity())
    }
}

/// Whether any line has the form of a message.
pub fn are_in(lines: &[&str]) -> bool {
    lines.iter().any(|line| severity::is_message(line))
}

/// What follows a path and the number of a line in it: `src/a.js:3: …`, `src/a.js:3:5: …`.
fn behind_place(line: &str) -> Option<&str> {
    let (place, message) = line.trim_start().split_once(": ")?;
    let digits = |c: char| c.is_ascii_digit();
    let path = place.trim_end_matches(digits).strip_suffix(':').filter(|path| path.len() + 1 < place.len())?;
    // The column may follow.
    let path = path.trim_end_matches(digits).strip_suffix(':').unwrap_or(path);
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_path =
        (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphabetic()) && !path.contains(' ');
    is_path.then_some(message)
}

#[cfg(test)]
mod controls;

#[cfg(test)]
mod tests {
    use super::Messages;

    fn counts(text: &str) -> Vec<(&'static str, usize)> {
        Messages::of(&text.lines().collect::<Vec<_>>()).counts
    }

    #[test]
    fn messages_with_a_place_are_counted() {
        let compiled: String = (0..40).map(|n| format!("src/a.py:{n}: error: x\n")).collect();
        assert_eq!(counts(&compiled), [("errorLines", 40)]);
        assert_eq!(counts(&compiled.replace(": error: ", ":7: warning: ")), [("warningLines", 40)]);
        assert_eq!(counts(&compiled.replace("src/a.py", "at 10")), []);
        assert_eq!(counts(&compiled.replace("error: x", "the error is x")), []);
        assert_eq!(counts(&compiled.replace("src/a.py", "db.internal")), []);
        let two = format!("src/a.py:1: error: x\nsrc/a.py:2: error: y\n{}", "passed\n".repeat(40));
        assert_eq!(counts(&two), []);
    }

    #[test]
    fn hits_of_a_search_and_commits_are_no_errors() {
        let hits: String =
            (0..40).map(|n| format!("src/a.py:{n}:def a(errors):\nsrc/a.py-{n}-    raise Error({n})\n--\n")).collect();
        let files: String = (0..40).map(|n| format!("src/errors{n}.py:{n}\n")).collect();
        let commit =
            "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: a\nDate: b\n\n    Fix error\n\n".repeat(20);
        for text in [hits, files, commit] {
            assert_eq!(counts(&text), [], "{text}");
        }
    }
}
