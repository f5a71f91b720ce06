//! Which lines of a text are about an error or a warning, and how many are messages about one.
//!
//! A line is as grave as the level that it names, or as its words mean. A message has a form: a level in a place of its own, a label
//! before what it says, a path with a line. Other lines with such words are counted nowhere, since a text may be about errors.

use super::quoted;
use super::severity::{self, Grades, Severity};

/// At most 1/n of the lines are messages by their label alone, unless there are fewer lines than these.
const LABELS: usize = 10;
const FEW_LINES: usize = 24;
/// Fewer messages are not counted: a reader sees them.
const SOME: usize = 3;

/// How grave lines of a text are.
#[derive(Debug)]
pub struct Messages {
    /// None of a text that quotes another: hits of a search, commits.
    grades: Option<Grades>,
    /// How many lines are messages about errors, and about warnings.
    pub counts: Vec<(&'static str, usize)>,
}

impl Messages {
    pub fn of(lines: &[&str]) -> Self {
        if quoted::is_quoted(lines) {
            return Self { grades: None, counts: Vec::new() };
        }
        let grades = Grades::of(lines.iter().copied());
        let are_settings = are_settings(lines);
        let graded = lines.iter().map(|line| (*line, grades.level(line).severity()));
        let graded: Vec<(&str, Severity)> = graded.filter(|(_, severity)| *severity != Severity::Other).collect();
        let is_labelled = |line: &str| severity::is_message(line) && !(are_settings && is_setting(line));
        let labelled = graded.iter().filter(|(line, _)| is_labelled(line)).count();
        let are_labels =
            (lines.len() < FEW_LINES || labelled * LABELS <= lines.len()) && !quoted::is_code(lines);
        let counts = [("errorLines", Severity::Error), ("warningLines", Severity::Warning)].map(|(name, wanted)| {
            let is_message = |line: &str| has_place(line) || are_labels && is_labelled(line);
            (name, graded.iter().filter(|(line, severity)| *severity == wanted && is_message(line)).count())
        });
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

/// Whether at least half of the lines set a name to a value.
fn are_settings(lines: &[&str]) -> bool {
    let filled = lines.iter().filter(|line| !line.trim_start().is_empty());
    let (all, settings) = filled.fold((0, 0), |(all, some), line| (all + 1, some + usize::from(is_setting(line))));
    settings * 2 >= all
}

/// Whether a line sets a name to a value: `level: error`, `on_error = "stop"`. A word in it is no message among others like it.
fn is_setting(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches("- ");
    let name = text.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\''));
    let value = name.strip_prefix(':').filter(|value| value.is_empty() || value.starts_with(' '));
    name.len() < text.len() && (value.is_some() || name.trim_start().starts_with('='))
}

/// Whether a line begins with a path and the number of a line in it: `src/a.js:3: …`, `src/a.js:3:5: …`.
fn has_place(line: &str) -> bool {
    let Some((place, _)) = line.trim_start().split_once(": ") else { return false };
    let digits = |c: char| c.is_ascii_digit();
    let Some(path) = place.trim_end_matches(digits).strip_suffix(':').filter(|path| path.len() + 1 < place.len()) else {
        return false;
    };
    // The column may follow.
    let path = path.trim_end_matches(digits).strip_suffix(':').unwrap_or(path);
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphabetic()) && !path.contains(' ')
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
    fn messages_are_counted_by_their_form() {
        let text = format!("{}error: x\n{}", "a\n".repeat(40), "b\n".repeat(40));
        assert_eq!(counts(&text), []);
        assert_eq!(counts(&text.repeat(3)), [("errorLines", 3)]);
        let compiled: String = (0..40).map(|n| format!("src/a.py:{n}: error: x\n")).collect();
        assert_eq!(counts(&compiled), [("errorLines", 40)]);
    }

    #[test]
    fn hits_of_a_search_and_commits_are_no_errors() {
        let hits: String =
            (0..40).map(|n| format!("src/a.py:{n}:def a(errors):\nsrc/a.py-{n}-    raise Error({n})\n--\n")).collect();
        let files: String = (0..40).map(|n| format!("src/errors{n}.py:{n}\n")).collect();
        let commit = "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: a\nDate: b\n\n    Fix error\n\n".repeat(20);
        for text in [hits, files, commit] {
            assert_eq!(counts(&text), [], "{text}");
        }
    }

    #[test]
    fn cells_are_no_messages() {
        let units: String = (0..40).map(|n| format!("● a{n}.service  not-found inactive dead  a{n}.service\n")).collect();
        assert_eq!(counts(&units), []);
    }
}
