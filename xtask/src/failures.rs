//! The names of failed tests, read from the output of the test runners: they are said again at the end of a run, since
//! whoever reads a log of a CI often has its end alone.

use std::sync::LazyLock;

use regex::Regex;

/// More say nothing that the first ones do not.
const MOST: usize = 20;
/// How much of the output is given where no line of it names a test.
const TAIL: usize = 30;

/// The lines that name a failed test, each once; where there is none, the last lines of the output.
pub fn named(output: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in output {
        let line = COLOR.replace_all(line, "");
        let name = line.trim();
        if NAMES_A_FAILURE.is_match(&line) && name != HEADLINE && !found.iter().any(|seen| seen == name) {
            found.push(name.to_owned());
        }
    }
    if found.is_empty() {
        return output[output.len().saturating_sub(TAIL)..].to_vec();
    }
    if found.len() > MOST {
        let more = found.len() - MOST;
        found.truncate(MOST);
        found.push(format!("and {more} more"));
    }
    found
}

static COLOR: LazyLock<Regex> = LazyLock::new(|| pattern("\u{1b}\\[[0-9;]*m"));
/// In this order: cargo test, pytest, the demo and `node --test`, and what a step says itself.
static NAMES_A_FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"^test .+ \.\.\. FAILED$|",
        r"^(FAILED|ERROR) \S+|",
        r"^ *[✗✖] .+|^not ok [0-9]+ |",
        r"^error: .+"
    ))
});
/// What `node --test` writes above the failures that it says again.
const HEADLINE: &str = "✖ failing tests:";

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a valid pattern")
}

#[cfg(test)]
mod tests {
    use super::{TAIL, named};

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_runner_names_what_failed() {
        let output = "\
test pages::a_page ... ok
test pages::a_cursor ... FAILED
FAILED tests/test_store.py::test_ttl - assert 1 == 2
ERROR tests/test_store.py::test_set_up
12 passed, 1 failed in 0.31s
\u{1b}[31m✖ a page is read (1.2ms)\u{1b}[39m
✖ failing tests:
✖ a page is read (1.2ms)
  ✗ the demo holds
error: no such file";
        let expected = [
            "test pages::a_cursor ... FAILED",
            "FAILED tests/test_store.py::test_ttl - assert 1 == 2",
            "ERROR tests/test_store.py::test_set_up",
            "✖ a page is read (1.2ms)",
            "✗ the demo holds",
            "error: no such file",
        ];
        assert_eq!(named(&lines(output)), expected);
    }

    #[test]
    fn output_without_names_gives_its_end_and_many_names_are_counted() {
        let output: Vec<String> = (0..2 * TAIL).map(|n| n.to_string()).collect();
        assert_eq!(named(&output), output[TAIL..]);
        let failed: Vec<String> = (0..25).map(|n| format!("not ok {n} a test")).collect();
        assert_eq!(named(&failed).last().unwrap(), "and 5 more");
    }
}
