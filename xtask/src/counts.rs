//! Test counts, read from the output of the test runners.

use std::ops::AddAssign;
use std::sync::LazyLock;

use regex::Regex;

/// How many tests passed, failed and were skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl Counts {
    /// Adds up every summary line in a runner's output: cargo test, wasm-bindgen, pytest, node --test, a plain `N
    /// passed, N failed`, and the demo's lines, which begin with a mark.
    pub fn read(output: &str) -> Self {
        let mut sum = Self::default();
        for line in output.lines() {
            let line = COLOR.replace_all(line, "");
            if let Some(found) = NODE.captures(&line) {
                let number = found[2].parse().unwrap_or(0);
                match &found[1] {
                    "pass" => sum.passed += number,
                    "fail" | "cancelled" => sum.failed += number,
                    _ => sum.skipped += number,
                }
            } else if let Some(found) = MARK.captures(&line) {
                match &found[1] {
                    "✓" => sum.passed += 1,
                    _ => sum.failed += 1,
                }
            } else if CLOSING.is_match(&line) {
                for found in NUMBER.captures_iter(&line) {
                    let number = found[1].parse().unwrap_or(0);
                    match &found[2] {
                        "passed" => sum.passed += number,
                        "failed" | "error" => sum.failed += number,
                        _ => sum.skipped += number,
                    }
                }
            }
        }
        sum
    }
}

/// The lines that name a failed test, each once, for the end of a run: whoever reads a log often has its end alone.
pub fn failures(output: &str) -> Vec<String> {
    const MOST: usize = 30;
    let mut found: Vec<String> = Vec::new();
    for line in output.lines() {
        let line = COLOR.replace_all(line, "");
        let name = line.trim();
        if found.len() < MOST && FAILURE.is_match(&line) && !found.iter().any(|seen| seen == name) {
            found.push(name.to_owned());
        }
    }
    found
}

static COLOR: LazyLock<Regex> = LazyLock::new(|| pattern("\u{1b}\\[[0-9;]*m"));
static NODE: LazyLock<Regex> = LazyLock::new(|| pattern("^(?:ℹ|#) (pass|fail|cancelled|skipped|todo) ([0-9]+)$"));
static MARK: LazyLock<Regex> = LazyLock::new(|| pattern("^ *(✓|✗) "));
static CLOSING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        "^test result: |",
        "^=+ .*[0-9]+ (passed|failed|skipped|error).* in [0-9.]+s.*=+$|",
        "^[0-9]+ (passed|failed|skipped|error).* in [0-9.]+s.*$|",
        "^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$",
    ))
});
/// cargo test, pytest, `node --test` and the demo, rustfmt's and tidy's lines, and errors of commands.
static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^test .+ \.\.\. FAILED$|^(FAILED|ERROR) [^ ]+|^ *[✗✖] .+|^not ok [0-9]+ |^error(\[[A-Z0-9]+\])?: .+|^FAIL ",
    )
});
static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| pattern("([0-9]+) (passed|failed|skipped|ignored|error|xfailed|xpassed)"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a valid pattern")
}

#[cfg(test)]
mod tests {
    use super::{Counts, failures};

    #[test]
    fn every_runner_is_understood() {
        let table = [
            ("test result: ok. 5 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out", (5, 1, 2)),
            ("\u{1b}[32mℹ pass 7\u{1b}[39m\nℹ fail 1\nℹ cancelled 1\nℹ skipped 3\nℹ todo 0", (7, 2, 3)),
            ("# pass 7\n# fail 0", (7, 0, 0)),
            ("==== 1 failed, 12 passed, 2 skipped, 1 error in 0.31s ====", (12, 2, 2)),
            ("12 passed in 0.31s", (12, 0, 0)),
            ("  ✓ holds\n  ✗ does not hold\n│ ✓ │ a cell", (1, 1, 0)),
            ("3 passed, 1 failed", (3, 1, 0)),
            ("the 3 passed, so all is well", (0, 0, 0)),
        ];
        for (output, (passed, failed, skipped)) in table {
            assert_eq!(Counts::read(output), Counts { passed, failed, skipped }, "{output}");
        }
    }

    #[test]
    fn every_runner_names_what_failed() {
        let named = [
            "test pages::a_cursor ... FAILED",
            "FAILED tests/test_store.py::test_ttl - assert 1 == 2",
            "✖ a page is read (1.2ms)",
            "error[E0425]: cannot find function `f`",
        ];
        let output = format!("test pages::a_page ... ok\n{}\n{}\n12 passed", named.join("\n"), named[0]);
        assert_eq!(failures(&output), named);
    }
}
