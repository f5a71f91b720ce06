//! What one line says about how something went: an outcome, a failure, a warning, the place of one, or what went well.
//!
//! It is one table for all tools: test runners, compilers, linters, package managers and plans end in the same words.

use super::phrases::{Phrases, Starts};
use super::severity::{self, Severity};
use super::system_errors;

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Nothing,
    /// A step that went well, such as a test that passed.
    Good,
    /// Where a failure is.
    Place,
    Warning,
    Failure,
    /// How all of it went, with counts: well, or not.
    Passed,
    Failed,
}

/// How a line begins that is a step that went well, whatever words are in its name.
const GOOD: [&str; 14] = [
    "✓", "✔", "√", "ok ", "ok\t", "--- PASS", "=== RUN", "=== PAUSE", "=== CONT", "PASS ", "PASS: ", "ℹ pass ",
    "(pass) ", "[       OK ]",
];
/// How such a line ends, before a count of percent or a time.
const GOOD_ENDS: [&str; 9] =
    [" ... ok", " ... OK", " PASSED", " XFAIL", " ... ignored", " ... SKIP", "' passed", "\" passed", "' started"];
/// How a line begins that is a failure, although no word in it may say so.
const BAD: [&str; 22] = [
    "✗", "✘", "✕", "×", "✖", "❌", "not ok ", "● ", "E   ", "FAIL ", "FAIL: ", "FAILED ", "--- FAIL", "(fail) ",
    "CONFLICT ", "make: *** ", // Of Kotlin.
    "e: file:", "e: /", "Expected: ", "expected: ", // Of advisories.
    "Severity: critical", "Severity: high",
];
/// How a line begins that is a warning.
const MILD: [&str; 5] = ["Severity: moderate", "Severity: low", "⚠", "w: file:", "w: /"];
/// The marks with which lines of these tables begin.
const MARKS: [char; 13] = ['✓', '✔', '√', '✗', '✘', '✕', '×', '✖', '❌', '●', '⚠', 'ℹ', '❯'];
/// What is in a line of a plan that takes something away.
static TAKES_AWAY: Phrases<3> = Phrases::new(["will be destroyed", "must be replaced", "will be replaced"]);
/// What is anywhere in a line that is a failure, even if the line names a lower level: of a test in Go or Scala, of Maven, of a bisection, of coverage.
static FAILS: Phrases<7> = Phrases::new([
    "_test.go:", "*** FAILED ***", "<<< FAILURE!", "<<< ERROR!", "is the first bad commit", ") not met",
    ") does not meet ",
]);

/// Words next to which a line that sums up has a count.
const COUNTED: [&str; 50] = [
    "passed", "failed", "failing", "passing", "skipped", "pending", "pass", "fail", "fails", "specs", "runs",
    "offenses", "offense", "vulnerability", "tests", "test", "failures", "failure", "errors", "error", "warnings",
    "warning", "problems", "problem", "issues", "suites", "todo", "cancelled", "ignored", "deselected", "xfailed",
    "destroyed", "add", "change", "destroy", "vulnerabilities", "packages", "targets", "unreachable", "insertions",
    "deletions", "assertions", "examples", "rows", "total", "file", "files", "upgraded", "installed", "remove",
];
/// How a line begins that sums up, with a count in it.
const SUMS: [&str; 21] = [
    "test result:", "Tests:", "Test Suites:", "Tests ", "Test Files", "Tests run:", "Ran ", "FAILED (", "OK (",
    "Found ", "Plan:", "Apply complete!", "Destroy complete!", "Passed!", "Failed!", "Total tests:", "Total: ",
    "Done in ", "Finished ", "FAIL\t", "ok  \t",
];
/// Whole lines, and starts of lines, that sum up without a count.
const ENDS: [&str; 39] = [
    "TEST FAILED",
    "TEST SUCCEEDED",
    "BUILD SUCCEEDED",
    "BUILD FAILURE",
    "BUILD SUCCESS",
    "BUILD FAILED",
    "BUILD SUCCESSFUL",
    "Build succeeded",
    "Build FAILED",
    "make: ***",
    "make[1]: ***",
    "ninja: build stopped",
    "error: could not compile",
    "error: test failed",
    "error: aborting due to",
    "All checks passed!",
    "Success: no issues found",
    "No changes. ",
    "npm error code ",
    "npm ERR! code ",
    "Successfully installed",
    "ERROR: No matching distribution",
    "collect2: error",
    "exit status ",
    "** BUILD FAILED **",
    "SUMMARY: ",
    "ERROR SUMMARY: ",
    "Result: FAIL",
    "Result: PASS",
    "Finished: FAILURE",
    "Finished: SUCCESS",
    "Failed to compile",
    "ERROR: Job failed",
    "Job succeeded",
    "error: update failed",
    "+++ exited with ",
    "+++ killed by ",
    "TOTAL ",
    "< HTTP/",
];

/// The longest line that sums up, in bytes: longer ones are prose.
const SUM_BYTES: usize = 200;
/// Words of such a line without a number or a counted word, at most.
const OTHER_WORDS: usize = 6;

/// What a line without escape sequences says.
pub fn of(line: &str) -> Said {
    // A bar may be before each line of a message.
    let text = line.trim_start_matches([' ', '\t', '│']).trim_end();
    if let Some(message) = located(text) {
        let is_note = ["note", "help", "info", "required from"].iter().any(|word| message.starts_with(word));
        return match severity::of_line(message).severity() {
            _ if is_note => Said::Place,
            _ if is_mild_code(message) => Said::Warning,
            Severity::Warning => Said::Warning,
            _ => Said::Failure,
        };
    }
    // A mark may be behind a place: `12:5  ✖  …`.
    let text = behind_place(text);
    if text.is_empty() || !is_telling(text) {
        return by_place(text);
    }
    // TAP: a test that need not pass.
    let is_expected = text.contains("# TODO") || text.contains("# SKIP");
    if begins(text, &GOOD) && !begins(text, &SUMS) || text.starts_with("not ok ") && is_expected {
        return Said::Good;
    }
    let step = text.strip_suffix("%]").and_then(|rest| rest.rsplit_once('[')).map_or(text, |(step, _)| step.trim_end());
    let step = before_time(step);
    if GOOD_ENDS.iter().any(|end| step.ends_with(end)) {
        return Said::Good;
    }
    if sums_up(step) {
        return if is_bad(text) { Said::Failed } else { Said::Passed };
    }
    if begins(text, &MILD) || is_failed_system_call(text) {
        return Said::Warning;
    }
    if begins(text, &BAD)
        || FAILS.are_in(text)
        || is_error_of_tex(text)
        || is_mismatch(text)
        || takes_away(text)
        || system_errors::is_one(text)
    {
        return Said::Failure;
    }
    match severity::of_line(line).severity() {
        Severity::Error if is_code(text) => Said::Nothing,
        Severity::Error => Said::Failure,
        Severity::Warning => Said::Warning,
        Severity::Other => by_place(text),
    }
}

/// Whether a line is certainly a message: it has a place, a mark or a code, or a system's words.
pub fn is_marked(line: &str) -> bool {
    let text = behind_place(line.trim_start_matches([' ', '\t', '│']).trim_end());
    let is_at_line = || text.split_once(": ").is_some_and(|(place, _)| is_path_with_line(place));
    located(text).is_some()
        || is_at_line()
        || [&BAD[..], &MILD].iter().any(|marks| begins(text, marks))
        || FAILS.are_in(text)
        || is_error_of_tex(text)
        || is_mismatch(text)
        || takes_away(text)
        || is_failed_system_call(text)
        || system_errors::is_one(text)
        || by_place(text) == Said::Failure
}

/// Whether a line sets a name to a value: `level: error`, `on_error = "stop"`. A word in it is no message among others like it.
pub fn is_setting(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches("- ");
    let name = text.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\''));
    let value = name.strip_prefix(':').filter(|value| value.is_empty() || value.starts_with(' '));
    name.len() < text.len() && (value.is_some() || name.trim_start().starts_with('='))
}

/// Whether it is an error of TeX: `! Undefined control sequence.`
fn is_error_of_tex(text: &str) -> bool {
    text.starts_with("! ") && text.ends_with('.')
}

/// Whether a line says that something is not what it should be: `expected 119, found 107`.
fn is_mismatch(text: &str) -> bool {
    const BUT: [&str; 4] = [" found ", " got ", " but was", " but got"];
    text.split_once("expected ").is_some_and(|(_, rest)| BUT.iter().any(|but| rest.contains(but)))
}

/// Whether a line is quoted program code with a word in it that means an error: `void f() throws IOException {`.
fn is_code(text: &str) -> bool {
    (text.ends_with(" {") || text.ends_with(");") || text.starts_with("* ")) && !text.contains("rror:")
}

/// Whether a message begins with a code of a linter that means no error: `C: Style/…`, `W0611: …`, `R0913: …`.
fn is_mild_code(message: &str) -> bool {
    let code = message.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase());
    let code = &message[..message.len() - code.len()];
    let is_one_letter = code.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    is_one_letter
        && code.starts_with(['C', 'I', 'R', 'W'])
        && (message[code.len()..].starts_with(": ") || (code.len() > 3 && message[code.len()..].starts_with(' ')))
}

/// A text without a line and a column at its start.
fn behind_place(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    let is_place = text[..text.len() - rest.len()].bytes().filter(|byte| *byte == b':').count() == 1
        && text.as_bytes().first().is_some_and(u8::is_ascii_digit);
    if is_place && rest.starts_with("  ") && !rest.trim_start().as_bytes()[0].is_ascii() {
        rest.trim_start()
    } else {
        text
    }
}

/// A step without the time that it took: `//a:b  PASSED in 0.3s`, `'a' passed (0.3 seconds).`.
fn before_time(step: &str) -> &str {
    const UNITS: [&str; 3] = ["s", "ms", "seconds"];
    let time = |time: &str| {
        let unit = time.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        unit.len() < time.len() && UNITS.contains(&unit.trim_start())
    };
    let step = step.strip_suffix('.').unwrap_or(step);
    let timed = match step.strip_suffix(')') {
        Some(inside) => inside.rsplit_once(" ("),
        None => Some(step).filter(|step| step.ends_with('s')).and_then(|step| step.rsplit_once(" in ")),
    };
    timed.filter(|(_, rest)| time(rest)).map_or(step, |(step, _)| step)
}

/// Whether a trace of system calls shows one that failed. Programs try much of which nobody hears.
fn is_failed_system_call(text: &str) -> bool {
    text.ends_with(')') && text.split_once(" = -1 E").is_some_and(|(call, _)| call.trim_end().ends_with(')'))
}

/// Whether a line of a plan takes something away. That is planned and not an error.
pub fn takes_away(line: &str) -> bool {
    TAKES_AWAY.are_in(line)
}

/// Words next to which a line that sums up has the number of failures, and of warnings.
const COUNTS: [&[&str]; 2] =
    [&["failed", "failing", "failures", "failure", "fails", "fail", "errors", "error"], &["warnings", "warning"]];
/// Words between the number and such a word.
const BETWEEN: [&str; 3] = ["previous", "test", "tests"];
/// Words between the number and another counted word: `177 newly installed`, `0 to remove`.
const ADVERBS: [&str; 3] = ["newly", "to", "not"];

/// The number of failures that a line that sums up has, and of warnings; `None` if it has no such number.
pub fn counts(line: &str) -> [Option<usize>; 2] {
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let offset = |word: &str| word.as_ptr().addr() - line.as_ptr().addr();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<usize>().ok());
    // What is between a word and the next one.
    let gap = |at: usize| line[offset(words[at]) + words[at].len()..offset(words[at + 1])].trim_matches(' ');
    COUNTS.map(|names| {
        let of = |at: usize| {
            let word = names.iter().find(|name| words[at].eq_ignore_ascii_case(name))?;
            let before = at.checked_sub(1).filter(|&before| gap(before).is_empty()).and_then(|before| {
                let is_between = BETWEEN.iter().any(|between| words[before].eq_ignore_ascii_case(between));
                let before = if is_between { before.checked_sub(1)? } else { before };
                // Of `1 of 4 failed` and `1/4 failed` the second number is that of all.
                let part = match before.checked_sub(1) {
                    Some(slash) if gap(slash) == "/" => number(slash),
                    Some(of) if words[of] == "of" => of.checked_sub(1).and_then(number),
                    _ => None,
                };
                number(before).map(|all| part.unwrap_or(all))
            });
            // In `Tests: 122 Failed: 2` the number before the word has a name of its own.
            let is_named = at.checked_sub(2).is_some_and(|name| gap(name) == ":");
            let after = || {
                let count = number(at + 1)?;
                // `Error: 5 rows are missing` counts no errors.
                let is_in_list = gap(at).is_empty() && at.checked_sub(1).is_some_and(|before| gap(before) == ",");
                let is_plain = word.ends_with(['s', 'd']) || is_named;
                let is_count = gap(at) == "=" || ((gap(at) == ":" || is_in_list) && is_plain);
                (is_count || words.len() == 2).then_some(count)
            };
            if is_named { after().or(before) } else { before.or_else(after) }
        };
        (0..words.len()).filter_map(of).reduce(|sum, count| sum.saturating_add(count))
    })
}

/// The letters by which the tables know a line.
static LETTERS: Starts = severity::letters(system_errors::letters(
    Starts::NONE
        .with(&GOOD)
        .with(&GOOD_ENDS)
        .with(&BAD)
        .with(&MILD)
        .with(&TAKES_AWAY.all)
        .with(&FAILS.all)
        .with(&COUNTED)
        .with(&SUMS)
        .with(&ENDS)
        .with(&["err!", "expected ", "= -1 E"]),
));

/// Whether a line has any of the letters by which the tables know it: most lines have none, and cost no more.
fn is_telling(text: &str) -> bool {
    text.starts_with(MARKS)
        || ["E: ", "Err:", "ok ", "! ", "e: ", "w: "].iter().any(|start| text.starts_with(start))
        || LETTERS.are_in(text)
}

/// What a compiler or a linter says behind a place with a line and a column: `./a.go:3:5: undefined: x`.
fn located(text: &str) -> Option<&str> {
    let (path, rest) = text.split_once(':')?;
    if !rest.starts_with(|c: char| c.is_ascii_digit()) || !path.contains('.') || path.contains(' ') {
        return None;
    }
    let (row, rest) = rest.split_once(':')?;
    let (column, message) = rest.split_once(": ")?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(row) && is_number(column)).then_some(message)
}

/// What a line says if it is a place in a file: `--> src/a.rs:3:5`, `File "a.py", line 3`, `a.py:3: in f`. A path with its line
/// alone is where a program failed.
fn by_place(text: &str) -> Said {
    let is_place = ["--> ", "::: ", "❯ "].iter().any(|mark| text.starts_with(mark))
        || (text.starts_with("File \"") && text.contains("\", line "))
        || (text.contains(':') && text.split_once(": in ").is_some_and(|(place, _)| is_path_with_line(place)));
    match is_place {
        true => Said::Place,
        false if text.contains('/') && is_path_with_line(text) => Said::Failure,
        false => Said::Nothing,
    }
}

/// Whether a text is a path and the number of a line: `src/a.js:3`.
pub fn is_path_with_line(text: &str) -> bool {
    let (path, row) = text
        .trim_end_matches(|c: char| c.is_ascii_digit())
        .strip_suffix(':')
        .map_or(("", ""), |path| (path, &text[path.len() + 1..]));
    // The column may follow.
    let path = path
        .rsplit_once(':')
        .filter(|(_, row)| row.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(path, |(path, _)| path);
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_ending = (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphabetic());
    !row.is_empty() && is_ending && !path.contains([' ', '"', '=', ',']) && !path.contains("://")
}

/// Whether a line says how all of it went.
fn sums_up(text: &str) -> bool {
    if text.len() > SUM_BYTES {
        return false;
    }
    let text = text.trim_matches(['=', '-', '*', '#', '_', ' ', '\t', 'ℹ', '✖', '❯']);
    // Some programs write their number before each line: `==7== …`.
    let numbered = Some(text).filter(|text| text.starts_with(|c: char| c.is_ascii_digit()));
    let numbered = numbered
        .and_then(|text| text.split_once("== "))
        .filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
    let text = numbered.map_or(text, |(_, text)| text);
    let text = text.strip_prefix("[INFO] ").or_else(|| text.strip_prefix("[ERROR] ")).unwrap_or(text);
    if begins(text, &ENDS) || text == "FAIL" {
        return true;
    }
    if is_of_listing(text) {
        return false;
    }
    let is_of_go = text.starts_with("FAIL\t") || text.starts_with("ok  \t");
    if !is_of_go && !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let is_sum = begins(text, &SUMS);
    let (mut counts, mut others) = (0, 0);
    let (mut number_end, mut counted_end) = (None, None);
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '.').filter(|word| !word.is_empty()) {
        let is_number = is_amount(word);
        // Of a sentence the last word has a full stop.
        // `max_errors = 3` is a setting.
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        let is_plain = !is_number && !text[..start].ends_with('_');
        let is_counted = is_plain && is_counted(if is_sum { word.trim_end_matches('.') } else { word });
        // `Failures: 1` counts, and `Error(1)` does not.
        let is_told = |from: usize| {
            let gap = &text[from..start];
            gap.bytes().all(|byte| b" :=|\t".contains(&byte))
                && (gap != " " || matches!(text.as_bytes().get(start + word.len()), None | Some(b',')))
        };
        // `133 | failed` is a row, and `/7?error=0` an address.
        let is_next = |end: usize| text[end..start].bytes().all(|byte| byte == b' ');
        let is_adverb = number_end.is_some_and(is_next) && ADVERBS.contains(&word);
        if is_adverb {
            number_end = Some(start + word.len());
            continue;
        }
        if (number_end.is_some_and(is_next) && is_counted) || (is_number && counted_end.is_some_and(is_told)) {
            counts += 1;
        } else if !is_number && !is_counted {
            others += 1;
        }
        number_end = is_number.then_some(start + word.len());
        counted_end = is_counted.then_some(start + word.len());
    }
    let is_short = others <= OTHER_WORDS && !text.ends_with([',', ';', '"']) && !text.ends_with("\")");
    let is_alone = is_short && (counts > 1 || others <= 2);
    (counts > 0 && (is_sum || is_alone)) || (is_sum && counts_faults(text)) || (is_of_go && others > 0)
}

/// Whether it is the line before a folder's entries in what `ls -l` prints, which has their size: `total 124`, `total 1.2M`.
fn is_of_listing(text: &str) -> bool {
    text.strip_prefix("total ").is_some_and(|size| size.bytes().all(|byte| !byte.is_ascii_whitespace()))
}

/// Whether a text begins with one of these. Most begin with another byte.
fn begins(text: &str, marks: &[&str]) -> bool {
    let first = text.bytes().next();
    marks.iter().any(|mark| mark.bytes().next() == first && text.starts_with(mark))
}

/// Whether a word is a number, with a unit at most: no hash.
fn is_amount(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    word.starts_with(|c: char| c.is_ascii_digit()) && unit.chars().count() <= 2
}

fn is_counted(word: &str) -> bool {
    // Of `...` nothing is left without its full stops.
    let Some(first) = word.bytes().next() else { return false };
    COUNTED.iter().any(|name| name.as_bytes()[0] == first | 0x20 && word.eq_ignore_ascii_case(name))
}

/// Whether a summary is not a success: something failed, or a plan takes something away.
fn is_bad(text: &str) -> bool {
    const COUNTS: [&str; 6] = ["failed=", "unreachable=", "failures=", "errors=", "Failures: ", "Errors: "];
    let is_some = |name: &&str| {
        text.split_once(*name).is_some_and(|(_, count)| count.starts_with(|c: char| ('1'..='9').contains(&c)))
    };
    severity::of_line(text).severity() == Severity::Error
        || COUNTS.iter().any(is_some)
        || system_errors::is_one(text)
        || counts(text)[0].is_some_and(|count| count > 0)
        || counts_faults(text)
        || ["FAIL", "failing", "BUILD FAILURE", ": *** "].iter().any(|word| text.contains(word))
        || text.contains("to destroy") && !text.contains(" 0 to destroy")
}

/// Whether a line counts things that are not as they should be: `41 issues`, `Found 2 known vulnerabilities`.
fn counts_faults(text: &str) -> bool {
    const FAULTS: [&str; 5] = ["problem", "issue", "offense", "vulnerabilit", "violation"];
    let is_some = |word: &&str| word.parse::<usize>().is_ok_and(|count| count > 0);
    // `12 files. Issues: 0` counts no issues.
    text.split([',', '.', ':', ';', '(', ')']).any(|part| {
        let words: Vec<&str> = part.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        (1..words.len()).any(|at| {
            FAULTS.iter().any(|fault| words[at].starts_with(fault))
                && words[at.saturating_sub(2)..at].iter().any(is_some)
        })
    })
}

#[cfg(test)]
mod tests;
