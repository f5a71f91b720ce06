//! What a reader of a text needs besides its start and its end: how it went, what failed and where, warnings.
//!
//! One pass over the lines finds those that say something; a failure takes the lines below it that belong to it.

use std::collections::HashSet;
use std::ops::Range;

use super::hunks;
use super::piece::Piece;
use super::rare;
use super::said::{self, Said};
use super::severity::Severity;
use super::template::Templates;
use super::trace;
use super::tree;

/// More lines that say something are counted and not kept.
const MOST_KEPT: usize = 4_096;
/// The most lines of a failure.
const BLOCK_LINES: usize = 40;
/// The outcome of a run is among this many last lines that are not blank.
const END_LINES: usize = 30;
/// Steps that went well, by which a run without a failure is known.
const SOME_STEPS: usize = 3;
/// Outcomes that are shown before all failures.
const FIRST_OUTCOMES: usize = 6;
/// The class of an outcome that is good.
pub const OUTCOME: &str = "outcome";
/// The classes of a file in a diff, and of a change in one.
pub const FILE: &str = "file";
pub const HUNK: &str = "hunk";
/// The head of a list is among this many lines above a failure in it.
const MOST_SIBLINGS: usize = 100;
/// Frames of a stack trace that say most.
const FRAMES: usize = 2;
/// How the lines begin that say what was wanted.
const WANTED: [&str; 7] = ["expected", "received", "actual", "left:", "right:", "got", "want"];

/// What was found.
#[derive(Default)]
pub struct Survey<'a> {
    /// The most important pieces first.
    pub pieces: Vec<Piece<'a>>,
    /// Lines that are failures, and warnings.
    pub errors: usize,
    pub warnings: usize,
    /// Steps that went well.
    pub good: usize,
    /// Whether the pieces are the nodes of a tree, or the changes of a diff.
    pub is_tree: bool,
    /// Whether the text is certainly the output of a run that says how it went.
    pub is_run: bool,
}

/// Reads the lines of a text.
pub fn of<'a>(text: &'a str, lines: &[&'a str]) -> Survey<'a> {
    let mut survey = Survey::default();
    let piece =
        |lines_of: Range<usize>, class| Piece::once(lines_of.start, Piece::of_lines(text, lines, lines_of), class);
    // What a diff changes may be about errors.
    let (files, hunks) = hunks::of(lines);
    if !hunks.is_empty() {
        let files = files.into_iter().map(|at| piece(at..at + 1, FILE));
        let pieces = files.chain(hunks.into_iter().map(|hunk| piece(hunk, HUNK))).collect();
        return Survey { pieces, is_tree: true, ..survey };
    }
    let mut outcomes: Vec<(usize, bool)> = Vec::new();
    let mut failures: Vec<Block> = Vec::new();
    let mut warnings: Vec<Block> = Vec::new();
    let mut within = 0;
    for (at, line) in lines.iter().enumerate() {
        let said = said::of(line);
        match said {
            Said::Good => survey.good += 1,
            Said::Failure => survey.errors += 1,
            Said::Warning => survey.warnings += 1,
            Said::Passed | Said::Failed if outcomes.len() < MOST_KEPT => outcomes.push((at, said == Said::Failed)),
            _ => {}
        }
        // What is in the block of a failure is shown with it.
        let kept = match said {
            Said::Failure => &mut failures,
            Said::Warning => &mut warnings,
            _ => continue,
        };
        if at < within || kept.len() >= MOST_KEPT {
            continue;
        }
        let end = block_end(lines, at);
        within = if said == Said::Failure { end } else { within };
        let start = start_of(lines, at);
        let head = if said == Said::Failure && start == at { head_of(lines, at) } else { None };
        kept.push(Block { at, lines: start..end, head });
    }
    let filled = |&at: &usize| !lines[at].trim_start().is_empty();
    let end = (0..lines.len()).rev().filter(filled).nth(END_LINES).unwrap_or(0);
    survey.is_run = outcomes.iter().any(|(at, is_bad)| *at >= end && (*is_bad || survey.good >= SOME_STEPS));
    survey.pieces = ranked(text, lines, &outcomes, failures, warnings);
    if !survey.is_run {
        let nodes = tree::breadth_first(lines);
        survey.is_tree = !nodes.is_empty();
        let mut others = if survey.is_tree { nodes } else { rare::of(lines) };
        if !survey.is_tree {
            others.retain(|at| !survey.pieces.iter().any(|piece| piece.line == *at));
        }
        survey.pieces.extend(others.into_iter().map(|at| piece(at..at + 1, "")));
    }
    survey
}

/// A failure or a warning: the line that says so, and those that belong to it.
struct Block {
    at: usize,
    lines: Range<usize>,
    /// The line above them that names what it is about, such as a file, where other lines are between.
    head: Option<usize>,
}

/// The pieces in their order: the outcome, failures of different kinds, other failures, warnings, what went well.
fn ranked<'a>(
    text: &'a str,
    lines: &[&'a str],
    outcomes: &[(usize, bool)],
    failures: Vec<Block>,
    warnings: Vec<Block>,
) -> Vec<Piece<'a>> {
    let piece = |lines_of: Range<usize>, class: &'static str| {
        Piece::once(lines_of.start, Piece::of_lines(text, lines, lines_of), class)
    };
    let error = Severity::Error.name();
    let mut pieces = Vec::new();
    // The last outcome, and before it those that are not good.
    let last = outcomes.last().map(|(at, _)| *at);
    let first: Vec<usize> = last.into_iter().chain(bad_before(outcomes, last)).take(FIRST_OUTCOMES).collect();
    pieces.extend(first.iter().map(|&at| piece(at..at + 1, OUTCOME)));
    for (blocks, class) in [(failures, error), (warnings, Severity::Warning.name())] {
        let mut templates = Templates::default();
        let (mut seen, mut heads) = (0, HashSet::new());
        // A line alone is often the name of what a block explains.
        let mut ranks = [Vec::new(), Vec::new(), Vec::new()];
        for block in blocks {
            let template = templates.of(lines[block.at].trim(), class);
            let is_new = template == seen;
            seen += usize::from(is_new);
            let rank = if is_new { usize::from(block.lines.len() == 1) } else { 2 };
            ranks[rank].extend(block.head.filter(|&head| heads.insert(head)).map(|head| piece(head..head + 1, "")));
            ranks[rank].push(piece(block.lines, class));
        }
        pieces.extend(ranks.into_iter().flatten());
    }
    let rest = outcomes.iter().rev().map(|(at, _)| *at).filter(|at| !first.contains(at));
    pieces.extend(rest.map(|at| piece(at..at + 1, "")));
    pieces
}

fn bad_before(outcomes: &[(usize, bool)], last: Option<usize>) -> impl Iterator<Item = usize> {
    outcomes.iter().rev().filter(move |(at, is_bad)| *is_bad && Some(*at) != last).map(|(at, _)| *at)
}

/// The first line of a failure: what stands above it as the head of its paragraph, such as a file or a package, or its own.
fn start_of(lines: &[&str], at: usize) -> usize {
    let is_blank = |at: usize| lines[at].trim_start().is_empty();
    let says_nothing = |at: usize| matches!(said::of(lines[at]), Said::Nothing | Said::Place);
    let Some(above) = at.checked_sub(1) else { return at };
    if is_blank(above) {
        // A place may be the head of a paragraph.
        let place = above
            .checked_sub(1)
            .filter(|&place| said::is_path_with_line(lines[place].split_whitespace().next().unwrap_or_default()));
        return place.unwrap_or(at);
    }
    let is_head =
        above.checked_sub(1).is_none_or(is_blank) && says_nothing(above) && margin(lines[above]) <= margin(lines[at]);
    if is_head { above } else { at }
}

/// The path above a line of a list about it: the failures of a file are under its name, between warnings.
fn head_of(lines: &[&str], at: usize) -> Option<usize> {
    let own = margin(lines[at]);
    let above = (at.saturating_sub(MOST_SIBLINGS)..at).rev().take_while(|&line| !lines[line].trim_start().is_empty());
    let head = above.into_iter().find(|&line| margin(lines[line]) < own)?;
    let is_path = lines[head].contains(['/', '\\', '.']) && !lines[head].trim().contains(' ');
    is_path.then_some(head)
}

/// The bytes before the first word of a line.
fn margin(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The line after the last one that belongs to the failure in a line.
fn block_end(lines: &[&str], at: usize) -> usize {
    let most = lines.len().min(at + BLOCK_LINES);
    let own = margin(lines[at]);
    let is_bare_place = said::is_path_with_line(lines[at].trim());
    let is_panic = lines[at].contains("panicked at");
    let mut end = at + 1;
    for next in at + 1..most {
        let line = lines[next];
        if line.trim_start().is_empty() {
            // A blank line is within a block whose next line is indented more.
            let mut after = lines[next + 1..most].iter().filter(|line| !line.trim_start().is_empty());
            let (first, second) = (after.next(), after.next());
            let goes_on_with = |first: &&str| margin(first) > own + 1 && !is_next_step(first, second);
            if is_panic || is_bare_place || !first.is_some_and(goes_on_with) {
                break;
            }
            continue;
        }
        let code = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        let is_code = code.starts_with(['|', '│']);
        let goes_on = is_panic
            || is_bare_place
            || margin(line) > own
            || is_code
            || trace::goes_on(line)
            || line.starts_with("E  ")
            || WANTED.iter().any(|word| begins_with(line.trim_start(), word));
        let said = said::of(line);
        if said == Said::Good {
            break;
        }
        let is_next = matches!(said, Said::Failure | Said::Passed | Said::Failed | Said::Warning);
        let is_equal = margin(line) <= own + 1 && !line.starts_with("E  ") && !is_code;
        if !goes_on || (is_next && is_equal && !is_panic) {
            break;
        }
        end = next + 1;
    }
    end
}

/// Whether lines are steps of the run and not about a failure before them: `   Compiling a`, `   Compiling b`.
fn is_next_step(line: &str, next: Option<&&str>) -> bool {
    let step = |line: &str| line.split_whitespace().next().map(str::to_owned);
    let word = step(line).filter(|word| word.len() >= 4 && word.starts_with(|c: char| c.is_ascii_uppercase()));
    word.is_some() && word == next.and_then(|next| step(next)) && !trace::goes_on(line)
}

/// The lines of a failure that say most, as ranges: the first, what follows it, places, what was expected.
pub fn salient(lines: &[&str]) -> Vec<Range<usize>> {
    const MARKS: [&str; 3] = ["+ ", "- ", "> "];
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut is_second = true;
    let mut frames = 0;
    let is_hunk = lines.first().is_some_and(|line| hunks::is_head(line));
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim_start();
        if !text.contains(char::is_alphanumeric) {
            continue;
        }
        let is_frame = text.starts_with("at ") && text.contains(':');
        frames += usize::from(is_frame);
        let is_salient = match is_hunk {
            true => at == 0 || line.starts_with(['+', '-']),
            false => {
                at == 0
                    || is_second
                    || WANTED.iter().chain(&MARKS).any(|word| begins_with(text, word))
                    || matches!(said::of(line), Said::Failure | Said::Place)
                    || (is_frame && frames <= FRAMES)
            }
        };
        is_second &= at == 0;
        if is_salient {
            match ranges.last_mut().filter(|range| range.end == at) {
                Some(range) => range.end += 1,
                None => ranges.push(at..at + 1),
            }
        }
    }
    ranges
}

/// Whether a text begins with a word, in any case.
fn begins_with(text: &str, word: &str) -> bool {
    text.len() >= word.len() && text.is_char_boundary(word.len()) && text[..word.len()].eq_ignore_ascii_case(word)
}

#[cfg(test)]
mod tests {
    use super::{OUTCOME, of, salient};

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test]
    fn the_outcome_is_first_and_failures_have_what_belongs_to_them() {
        let passed: String = (0..50).map(|n| format!("test t::{n} ... ok\n")).collect();
        let text = format!(
            "running 52 tests\n{passed}test t::bad ... FAILED\n\nfailures:\n\n---- t::bad stdout ----\n\nthread 't::bad' panicked at \
             src/lib.rs:3:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n\n\nfailures:\n    t::bad\n\n\
             test result: FAILED. 51 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass `--lib`\n"
        );
        let survey = of(&text, &lines(&text));
        assert!(survey.is_run && survey.good == 50);
        assert!(survey.pieces[0].text.starts_with("error: test failed") && survey.pieces[0].class == OUTCOME);
        assert!(survey.pieces[1].text.starts_with("test result: FAILED."));
        let panic = survey.pieces.iter().find(|piece| piece.text.contains("panicked")).unwrap();
        assert!(panic.text.ends_with("right: 2"), "{}", panic.text);
    }

    #[test]
    fn a_linters_file_is_shown_with_its_first_failure() {
        let text = "/app/a.js\n  1:7  error  'x' is never used  no-unused-vars\n  2:1  error  y  no-undef\n\n✖ 2 problems (2 errors)\n";
        let survey = of(text, &lines(text));
        assert!(survey.is_run && survey.errors == 2);
        assert!(survey.pieces[1].text.starts_with("/app/a.js\n  1:7"), "{}", survey.pieces[1].text);
    }

    #[test]
    fn the_file_of_a_failure_between_warnings_is_shown() {
        let text = "/app/a.js\n  1:7  warning  x  no-a\n\n/app/b.js\n  1:7  warning  x  no-a\n  2:1  error  y  no-undef\n  3:1  error  z  no-undef\n\n✖ 4 problems (2 errors, 2 warnings)\n";
        let survey = of(text, &lines(text));
        let shown: Vec<&str> = survey.pieces.iter().take(3).map(|piece| piece.text).collect();
        assert_eq!(shown[1], "/app/b.js", "{shown:?}");
        assert!(shown[2].starts_with("  2:1  error"), "{shown:?}");
    }

    #[test]
    fn a_failure_ends_where_the_run_goes_on() {
        let steps: String = (0..9).map(|n| format!("   Compiling b{n} v0.1.0\n")).collect();
        let text = format!(
            "error[E0308]: mismatched types\n  --> src/lib.rs:40:5\n   |\n40 |     \"a\"\n   |     ^^^ expected `u32`\n\n{steps}error: could not compile `a`\n"
        );
        let survey = of(&text, &lines(&text));
        let texts: Vec<&str> = survey.pieces.iter().map(|piece| piece.text).collect();
        assert!(texts.iter().any(|text| text.ends_with("expected `u32`")), "{texts:?}");
    }

    #[test]
    fn prose_is_no_run() {
        let text = "The tests passed.\n\nAn error of 3 percent is no failure.\n".repeat(30);
        assert!(!of(&text, &lines(&text)).is_run);
    }

    #[test]
    fn of_a_failure_the_message_and_the_place_say_most() {
        let block = "  ● sum › adds\n\n    expect(received).toBe(expected)\n\n    Expected: 4\n    Received: 3\n\n      10 |\n    > 12 | x\n";
        let shown: Vec<&str> =
            salient(&lines(block)).into_iter().flat_map(|range| lines(block)[range].to_vec()).collect();
        assert_eq!(shown.len(), 5, "{shown:?}");
    }
}
