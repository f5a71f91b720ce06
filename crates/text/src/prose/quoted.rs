//! Texts whose lines quote something else: the hits of a search, the history of a repository. None of them reports a failure.

/// Lines that are looked at, spread over the text.
const SAMPLED: usize = 400;
/// Fewer lines are not evidence.
const LEAST_LINES: usize = 5;
/// The least tenths of the lines of a list of commits that begin with a hash, and of the lines of a search that are hits.
const LEAST_TENTHS: usize = 9;
/// The letters of an abbreviated hash, and of a whole one.
const HASH_CHARS: [usize; 2] = [7, 40];

/// Whether the lines of a text are hits or commits, so that none of them says how something went.
pub fn is_quoted(lines: &[&str]) -> bool {
    is_history(lines) || is_search(lines) || !commits(lines).is_empty()
}

/// Whether each line is a hit of a search, as `grep` prints it: `src/a.rs:12:    return`, `src/a.rs-13-}`, `src/a.rs:7`. A compiler has
/// a space or a column behind the line's number.
fn is_search(lines: &[&str]) -> bool {
    let is_hit = |line: &str| {
        let ends_path = |c: char| c.is_whitespace() || c == ':';
        let with_end = line.split_inclusive(ends_path).next().unwrap_or(line);
        let path = with_end.trim_end_matches(ends_path);
        // The number is behind the path, or in what has no space: `src/a.rs-13-}`.
        let is_place = |mark: char| {
            let after = with_end.match_indices(mark).find_map(|(at, _)| {
                let rest = &line[at + 1..];
                let content = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                (at > 0 && content.len() < rest.len()).then_some(content)
            });
            after.is_some_and(|content| match content.strip_prefix(mark) {
                Some(text) => {
                    let is_message = text.starts_with(' ') && !text.starts_with("  ");
                    let is_frame = text.starts_with("in '") || text.starts_with("in `");
                    !is_message && !is_frame && !text.starts_with(|c: char| c.is_ascii_digit())
                }
                None => content.is_empty() && mark == ':',
            })
        };
        path.contains(['/', '.']) && !path.starts_with("http") && (is_place(':') || is_place('-'))
    };
    let sample =
        lines.iter().step_by(lines.len().div_ceil(SAMPLED).max(1)).filter(|line| !line.is_empty() && **line != "--");
    let (mut filled, mut hits) = (0, 0);
    for line in sample {
        filled += 1;
        hits += usize::from(is_hit(line));
    }
    filled >= LEAST_LINES && hits * 10 >= filled * LEAST_TENTHS
}

/// Whether each line is a commit, as `git log --oneline` and `git blame` print them.
fn is_history(lines: &[&str]) -> bool {
    let sample = lines.iter().step_by(lines.len().div_ceil(SAMPLED).max(1)).filter(|line| !line.trim().is_empty());
    let (mut filled, mut hashed) = (0, 0);
    for line in sample {
        filled += 1;
        // A graph and the mark of a first commit may be before it.
        let text = line.trim_start_matches(['*', '|', '\\', '/', '^', ' ']);
        hashed += usize::from(begins_with_hash(text, HASH_CHARS[0]));
    }
    filled >= LEAST_LINES && hashed * 10 >= filled * LEAST_TENTHS
}

/// The lines with the subjects of the commits that `git log` prints; none of another text.
pub fn commits(lines: &[&str]) -> Vec<usize> {
    let is_commit = |at: usize| {
        let hash = lines[at].trim_start_matches(['*', '|', '\\', '/', ' ']).strip_prefix("commit ");
        hash.is_some_and(|hash| begins_with_hash(hash, HASH_CHARS[1]))
            && lines[at..].iter().skip(1).take(3).any(|line| line.contains("Author: "))
    };
    if lines.is_empty() || !is_commit(0) {
        return Vec::new();
    }
    // The message follows the first line without a word.
    let subject = |at: usize| {
        let head = lines[at..].iter().take_while(|line| line.contains(char::is_alphanumeric)).count();
        let subject = at + head + 1;
        lines.get(subject).filter(|line| line.contains("    ")).map(|_| subject)
    };
    (0..lines.len()).filter(|&at| is_commit(at)).filter_map(subject).collect()
}

/// Whether a text begins with a word of at least this many hexadecimal digits.
fn begins_with_hash(text: &str, least: usize) -> bool {
    let word = text.split(' ').next().unwrap_or_default();
    (least..=HASH_CHARS[1]).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::{commits, is_quoted};

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test]
    fn commits_are_quoted() {
        let oneline = (0..9).map(|n| format!("0a1b2c{n} Fix error {n}\n")).collect::<String>();
        let blame = (0..9).map(|n| format!("^0a1b2c{n} (ann 2026-11-20 {n}) raise Error\n")).collect::<String>();
        for text in [oneline, blame] {
            assert!(is_quoted(&lines(&text)), "{text}");
        }
    }

    #[test]
    fn output_is_not_quoted() {
        let terraform = "  # aws_db.main will be destroyed\n  - resource \"aws_db\" \"main\" {\n      - name = \"main\" -> null\n    }\nPlan: 1 to destroy.\n";
        let pytest = "test_a.py F\n\n    def test_a():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_a.py:2: AssertionError\n1 failed\n";
        let gcc =
            "a.c:3:5: error: expected ';'\n    3 | int x\n      |     ^\na.c:4:1: error: x\nmake: *** [all] Error 1\n";
        let log = "ERROR a\nERROR b\nINFO c\nimport of b failed.\nfrom here on: {\n";
        let no_break_spaces = "src/a.rs\u{a0}12: x\n".repeat(9);
        for text in [terraform, pytest, gcc, log, &no_break_spaces] {
            assert!(!is_quoted(&lines(text)), "{text}");
        }
    }

    #[test]
    fn commits_are_known_by_their_subjects() {
        let hash = "0123456789abcdef0123456789abcdef01234567";
        let text = format!(
            "commit {hash} (HEAD)\nAuthor: a <b@c>\nDate:   now\n\n    Fix error\n\n    More.\n\n a.txt | 2 +-\n\ncommit {hash}\nMerge: 1 2\nAuthor: a <b@c>\nDate:   now\n\n    First\n"
        );
        assert_eq!(commits(&lines(&text)), [4, 15]);
        assert!(commits(&lines("commit messages are short\nAuthor: b\n")).is_empty());
    }
}
