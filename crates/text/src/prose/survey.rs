//! What a reader of a text needs besides its start and its end: how it went, what failed and where, warnings.
//!
//! One pass over the lines finds those that say something; a failure takes the lines below it that belong to it.

use std::collections::HashSet;
use std::ops::Range;

use super::hunks;
use super::log_lines::Preludes;
use super::piece::{Piece, spread};
use super::quoted;
use super::said::{self, Said};
use super::severity::{self, LogLevel, Severity};
use super::template::{Templates, masked};
use super::trace;
use crate::chars::floor_char;

/// More lines that say something are counted and not kept.
const MOST_KEPT: usize = 4_096;
/// At most 1/n of the lines are messages by their label alone, unless there are fewer lines than these.
const LABELS: usize = 10;
const FEW_LINES: usize = 24;
/// The most lines of a failure.
const BLOCK_LINES: usize = 40;
/// The outcome of a run is among this many last lines that are not blank.
const END_LINES: usize = 30;
/// Steps that went well, by which a run without a failure is known.
const SOME_STEPS: usize = 3;
/// Of a run with fewer failures that are known, lines unlike the others may say why it failed.
const SOME_FAILURES: usize = 3;
/// Outcomes that are shown before all failures.
const FIRST_OUTCOMES: usize = 6;
/// More outcomes of one form are those of steps.
const MANY_OUTCOMES: usize = 9;
/// Outcomes next to another, on each side, that belong to it.
const OUTCOME_LINES: usize = 3;
/// The class of an outcome that is good.
pub const OUTCOME: &str = "outcome";
/// The classes of a file in a diff, and of a change in one or its commit.
pub const FILE: &str = "file";
pub const HUNK: &str = "hunk";
/// The head of a list is among this many lines above a failure in it.
const MOST_SIBLINGS: usize = 100;
/// The heading of a paragraph is among this many lines above a failure in it.
const PARAGRAPH_LINES: usize = 12;
/// Frames of a stack trace that say most.
const FRAMES: usize = 2;
/// Of a longer line, the places that say something are looked at by themselves.
const LINE_BYTES: usize = 400;
/// The bytes around such a place, before it and from it on.
const AROUND_PLACE: [usize; 2] = [60, 140];
/// Of program code without line breaks at least 1/n of the bytes are these marks.
const CODE_MARKS: &[u8] = b";()=";
const CODE_SHARE: usize = 16;
/// How the line of an advisory begins that says how grave it is.
const ADVISORY: &str = "Severity: ";
/// How the lines begin that say what was wanted.
const WANTED: [&str; 7] = ["expected", "received", "actual", "left:", "right:", "got", "want"];

/// What was found.
#[derive(Default)]
pub struct Survey<'a> {
    /// The most important pieces first.
    pub pieces: Vec<Piece<'a>>,
    /// How many failures and warnings the tool itself counts, or else how many lines look like them; how many commits.
    pub counts: Vec<(&'static str, usize)>,
    /// Steps that went well.
    pub good: usize,
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
        let files = files.into_iter().map(|lines| piece(lines, FILE));
        let commits = quoted::commits(lines).into_iter().map(|at| piece(at..at + 1, HUNK));
        let hunks = hunks.into_iter().map(|hunk| piece(hunk, HUNK));
        return Survey { pieces: commits.chain(files).chain(hunks).collect(), ..survey };
    }
    let commits = quoted::commits(lines);
    if !commits.is_empty() {
        // The oldest one, then some from all parts.
        let order = commits.iter().rev().take(1).chain(spread(commits.len() - 1).map(|nth| &commits[nth]));
        let pieces = order.map(|&at| piece(at..at + 1, "")).collect();
        return Survey { pieces, counts: vec![("commits", commits.len())], ..survey };
    }
    let own_lines = if quoted::is_quoted(lines) { &[] } else { lines };
    let are_settings = are_settings(own_lines);
    let starts: Vec<&str> = own_lines.iter().map(|line| start_and_places(line).0).collect();
    let said: Vec<Said> = (0..starts.len())
        .map(|at| match said::of(starts[at]) {
            // What has a place below it is a diagnostic, whatever it calls itself.
            Said::Nothing if has_place_below(own_lines, at) => Said::Failure,
            Said::Passed | Said::Failed if are_settings && said::is_setting(starts[at]) => Said::Nothing,
            said => said,
        })
        .collect();
    let is_outcome = |said: &Said| matches!(said, Said::Passed | Said::Failed);
    let outcomes = said.iter().enumerate().filter(|(_, said)| is_outcome(said)).take(MOST_KEPT);
    let outcomes: Vec<(usize, bool)> = outcomes.map(|(at, said)| (at, *said == Said::Failed)).collect();
    survey.good = said.iter().filter(|said| **said == Said::Good).count();
    let filled = |&at: &usize| !lines[at].trim_start().is_empty();
    let end = (0..lines.len()).rev().filter(filled).nth(END_LINES).unwrap_or(0);
    survey.is_run = outcomes.iter().any(|(at, is_bad)| *at >= end && (*is_bad || survey.good >= SOME_STEPS));
    let is_run = survey.is_run;
    // Only a run is about what failed. In other texts a word alone is what a line is about, and so is a label that many have, or one in a
    // line that belongs to another: of code, of a list, of a paragraph.
    let is_labelled = |line: &str| severity::is_message(line) && !(are_settings && said::is_setting(line));
    let labelled = said
        .iter()
        .zip(&starts)
        .filter(|(said, start)| !matches!(said, Said::Nothing | Said::Good) && is_labelled(start))
        .count();
    let are_labels =
        (own_lines.len() < FEW_LINES || labelled * LABELS <= own_lines.len()) && (is_run || !quoted::is_code(lines));
    let is_certain = |line: &str| is_run || said::is_marked(line) || line.starts_with(ADVISORY);
    let is_message = |line: &str| is_certain(line) || are_labels && is_labelled(line);
    // A label that hardly any line has is shown, without a count.
    let are_told = labelled >= SOME_FAILURES;
    let [mut failures, mut warnings]: [Vec<Block<'_>>; 2] = Default::default();
    let mut lines_that_look_like = [0, 0];
    let mut within = 0;
    for (at, (&start, &said)) in starts.iter().zip(&said).enumerate() {
        let mut hidden = if start.len() < own_lines[at].len() { start_and_places(own_lines[at]).1 } else { Vec::new() };
        hidden.retain(|part| is_message(part.trim_start()));
        let has_hidden = !hidden.is_empty();
        let room = MOST_KEPT.saturating_sub(failures.len());
        failures.extend(hidden.into_iter().take(room).map(|part| Block {
            at,
            lines: at..at + 1,
            head: None,
            part: Some(part),
        }));
        let is_said =
            matches!(said, Said::Failure | Said::Warning) && (has_place_below(own_lines, at) || is_message(start));
        let is_failure = is_said && said == Said::Failure;
        let head = if is_said { start_of(lines, at) } else { at };
        let end = if is_said { block_end(lines, head, at) } else { at };
        let is_frame = |line: &&str| {
            trace::goes_on(line) || line.split_once(":in ").is_some_and(|(place, _)| said::is_path_with_line(place))
        };
        let has_trace = || lines.get(at + 1).is_some_and(is_frame);
        let is_told = are_told || end - head > 1 || is_certain(start) || has_trace();
        let [is_failure, is_warning] = [is_failure && is_told, is_said && !is_failure && is_told];
        lines_that_look_like[0] += usize::from(has_hidden || is_failure && !said::takes_away(start));
        lines_that_look_like[1] += usize::from(is_warning);
        // What is in the block of a failure is shown with it.
        let kept = if is_failure { &mut failures } else { &mut warnings };
        if !(is_failure || is_warning) || at < within || kept.len() >= MOST_KEPT {
            continue;
        }
        let before = within;
        within = if is_failure { end } else { within };
        let named = if is_failure && head == at { head_of(lines, at, before) } else { None };
        kept.push(Block { at, lines: head..end, head: named, part: None });
    }
    let verdict = verdict_counts(lines, outcomes.iter().map(|(at, _)| *at).filter(|at| *at >= end));
    for (at, names) in [["errors", "errorLines"], ["warnings", "warningLines"]].into_iter().enumerate() {
        let count = verdict[at].map_or((names[1], lines_that_look_like[at]), |count| (names[0], count));
        survey.counts.extend(Some(count).filter(|(_, count)| *count > 0));
    }
    let outcomes = if survey.is_run { outcomes } else { without_steps(lines, outcomes) };
    survey.pieces = ranked(text, lines, &outcomes, failures, warnings);
    survey
}

/// Whether a log is the output of a run: its lines have levels and no times, and its end says how it went.
pub fn is_run_with_levels(text: &str, lines: &[&str]) -> bool {
    let end = lines.len().saturating_sub(END_LINES);
    let sums_up = |line: &&str| matches!(said::of(line), Said::Passed | Said::Failed);
    lines[end..].iter().any(sums_up) && Preludes::of(lines) == Preludes::Few && of(text, lines).is_run
}

/// Whether a line has its place below it: `  --> src/a.rs:3:5`.
fn has_place_below(lines: &[&str], at: usize) -> bool {
    lines.get(at + 1).is_some_and(|next| next.trim_start().starts_with("--> "))
}

/// Whether at least half of the lines set a name to a value.
fn are_settings(lines: &[&str]) -> bool {
    let filled = lines.iter().filter(|line| !line.trim_start().is_empty());
    let (all, settings) =
        filled.fold((0, 0), |(all, some), line| (all + 1, some + usize::from(said::is_setting(line))));
    settings * 2 >= all
}

/// The start of a line, and the places after it that mean an error: of a long line what is around the words.
fn start_and_places(line: &str) -> (&str, Vec<&str>) {
    if line.len() <= LINE_BYTES {
        return (line, Vec::new());
    }
    if is_code_without_lines(line) {
        return ("", Vec::new());
    }
    let [before, after] = AROUND_PLACE;
    let (start, mut end) = (floor_char(line, LINE_BYTES), LINE_BYTES);
    let mut places = Vec::new();
    for fault in severity::faults(line) {
        if fault >= end {
            end = floor_char(line, fault + after);
            places.push(&line[floor_char(line, fault.saturating_sub(before))..end]);
        }
    }
    (&line[..start], places)
}

/// Whether a long line is program code that was made short.
fn is_code_without_lines(line: &str) -> bool {
    line.bytes().filter(|byte| CODE_MARKS.contains(byte)).count() * CODE_SHARE >= line.len()
}

/// The failures and the warnings that the last lines count; `None` where they count none, or several lines of one form do, such
/// as one for each host.
fn verdict_counts(lines: &[&str], outcomes: impl Iterator<Item = usize>) -> [Option<usize>; 2] {
    let counted: Vec<(String, [Option<usize>; 2])> =
        outcomes.map(|at| (masked(lines[at]), said::counts(lines[at]))).collect();
    [0, 1].map(|kind| {
        let some = || counted.iter().filter(|(_, counts)| counts[kind].is_some_and(|count| count > 0));
        let (last, counts) = some().next_back()?;
        counts[kind].filter(|_| some().filter(|(form, _)| form == last).count() == 1)
    })
}

/// A failure or a warning: the line that says so, and those that belong to it.
struct Block<'a> {
    at: usize,
    /// The part of the line that says so, if the line is long.
    part: Option<&'a str>,
    lines: Range<usize>,
    /// The line above them that names what it is about, such as a file, where other lines are between.
    head: Option<usize>,
}

/// The pieces in their order: the outcome, failures of different kinds, other failures, warnings, what went well.
fn ranked<'a>(
    text: &'a str,
    lines: &[&'a str],
    outcomes: &[(usize, bool)],
    failures: Vec<Block<'a>>,
    warnings: Vec<Block<'a>>,
) -> Vec<Piece<'a>> {
    let piece = |lines_of: Range<usize>, class: &'static str| {
        Piece::once(lines_of.start, Piece::of_lines(text, lines, lines_of), class)
    };
    let error = Severity::Error.name();
    let mut pieces = Vec::new();
    // The last outcome, and before it those that are not good.
    let last = last_of_all(lines, outcomes);
    let mut first: Vec<Range<usize>> = Vec::new();
    for at in last.into_iter().chain(bad_before(outcomes, last)) {
        if first.len() == FIRST_OUTCOMES {
            break;
        }
        if !first.iter().any(|range| range.contains(&at)) {
            first.push(with_neighbours(lines, outcomes, at));
        }
    }
    pieces.extend(first.iter().map(|range| piece(range.clone(), OUTCOME)));
    for (blocks, class) in [(failures, error), (warnings, Severity::Warning.name())] {
        let line_of = |block: &Block<'a>| block.part.unwrap_or(lines[block.at]).trim();
        let templates = Templates::of(blocks.iter().map(|block| (line_of(block), class)));
        let (mut seen, mut heads) = (HashSet::new(), HashSet::new());
        // What is fatal is first. A line alone is often the name of what a block explains.
        let mut ranks = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
        for (block, template) in blocks.into_iter().zip(templates.of_line) {
            let is_new = seen.insert((template, code(line_of(&block))));
            let is_fatal = severity::named(line_of(&block)) == Some(LogLevel::Fatal);
            let rank = if !is_new {
                3
            } else if is_fatal {
                0
            } else {
                1 + usize::from(block.lines.len() == 1)
            };
            ranks[rank].extend(block.head.filter(|&head| heads.insert(head)).map(|head| piece(head..head + 1, "")));
            ranks[rank].push(match block.part {
                Some(part) => Piece { is_part: true, ..Piece::once(block.at, part, class) },
                None => piece(block.lines, class),
            });
        }
        pieces.extend(ranks.into_iter().flatten());
    }
    let rest = outcomes.iter().rev().map(|(at, _)| *at).filter(|at| !first.iter().any(|range| range.contains(at)));
    pieces.extend(rest.map(|at| piece(at..at + 1, "")));
    pieces
}

/// The code of a message: `TS2345`, `E0308`, `CWE-416`. Messages with other digits are of another kind.
fn code(line: &str) -> Option<&str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').find(|word| {
        let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let number = digits.strip_prefix('-').unwrap_or(digits);
        digits.len() < word.len() && number.len() > 1 && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The last outcome that is not one of steps.
fn last_of_all(lines: &[&str], outcomes: &[(usize, bool)]) -> Option<usize> {
    let last = without_steps(lines, outcomes.to_vec()).pop();
    last.or(outcomes.last().copied()).map(|(at, _)| at)
}

/// The outcomes without those of many of a form: those are of steps, or the rows of a table.
fn without_steps(lines: &[&str], mut outcomes: Vec<(usize, bool)>) -> Vec<(usize, bool)> {
    let form_of = Templates::of(outcomes.iter().map(|(at, _)| (lines[*at], ""))).of_line;
    let mut counts = vec![0; outcomes.len()];
    form_of.iter().for_each(|&form| counts[form as usize] += 1);
    let mut forms = form_of.iter();
    outcomes.retain(|_| forms.next().is_some_and(|&form| counts[form as usize] < MANY_OUTCOMES));
    outcomes
}

/// The lines of an outcome of several: `ℹ pass 80`, `ℹ fail 2`. What differs in its numbers alone is of another step.
fn with_neighbours(lines: &[&str], outcomes: &[(usize, bool)], at: usize) -> Range<usize> {
    let Some(nth) = outcomes.iter().position(|(line, _)| *line == at) else { return at..at + 1 };
    let is_next = |one: usize, other: usize| {
        let is_near = other - one <= 2 && lines[one..other].iter().all(|line| !line.trim_start().is_empty());
        is_near && masked(lines[one]) != masked(lines[other])
    };
    let (mut from, mut to) = (nth, nth);
    while from > 0 && nth - from < OUTCOME_LINES && is_next(outcomes[from - 1].0, outcomes[from].0) {
        from -= 1;
    }
    while to + 1 < outcomes.len() && to - nth < OUTCOME_LINES && is_next(outcomes[to].0, outcomes[to + 1].0) {
        to += 1;
    }
    outcomes[from].0..outcomes[to].0 + 1
}

fn bad_before(outcomes: &[(usize, bool)], last: Option<usize>) -> impl Iterator<Item = usize> {
    outcomes.iter().rev().filter(move |(at, is_bad)| *is_bad && Some(*at) != last).map(|(at, _)| *at)
}

/// The first line of a failure: the line above it that heads its paragraph, such as a file or a package, or its own.
fn start_of(lines: &[&str], at: usize) -> usize {
    let is_blank = |at: usize| lines[at].trim_start().is_empty();
    let says_nothing = |at: usize| matches!(said::of(lines[at]), Said::Nothing | Said::Place);
    let Some(above) = at.checked_sub(1) else { return at };
    if lines[at].starts_with(ADVISORY) {
        // What has the flaw is above it, in the same paragraph.
        let is_fact = |line: &usize| margin(lines[*line]) == 0 && lines[*line].contains(": ") && says_nothing(*line);
        let facts = (0..at).rev().take(BLOCK_LINES).take_while(is_fact).count();
        if facts > 0 {
            return at - facts;
        }
    }
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

/// The line above a failure that names what it is about: the heading of its paragraph if that is not of a failure that ends at
/// `before`, or the path above a line of a list, because the failures of a file are under its name, between warnings.
fn head_of(lines: &[&str], at: usize, before: usize) -> Option<usize> {
    let own = margin(lines[at]);
    let paragraph = (at.saturating_sub(PARAGRAPH_LINES).max(before)..at)
        .rev()
        .take_while(|&line| !lines[line].trim_start().is_empty())
        .last();
    if let Some(first) = paragraph.filter(|&line| is_heading(lines[line]) && said::of(lines[line]) == Said::Nothing) {
        return Some(first);
    }
    let above = (at.saturating_sub(MOST_SIBLINGS)..at).rev().take_while(|&line| !lines[line].trim_start().is_empty());
    let head = above.into_iter().find(|&line| margin(lines[line]) < own)?;
    let is_path = lines[head].contains(['/', '\\', '.']) && !lines[head].trim().contains(' ');
    is_path.then_some(head)
}

/// Whether a line is a heading of what is below it: `TASK [restart] *****`, `In a.sh line 12:`.
fn is_heading(line: &str) -> bool {
    (line.ends_with(':') || line.ends_with("***")) && line.contains(' ') && margin(line) == 0
}

/// The bytes before the first word of a line, or behind the level that a build tool writes before it: `[info]   …`.
fn margin(line: &str) -> usize {
    let level = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let line =
        level.filter(|(word, _)| word.bytes().all(|byte| byte.is_ascii_alphabetic())).map_or(line, |(_, rest)| rest);
    line.len() - line.trim_start().len()
}

/// Whether a line is a row of a table: no line after it belongs to it.
fn is_row(line: &str) -> bool {
    const GAPS: usize = 2;
    line.trim().split("  ").filter(|cell| !cell.trim().is_empty()).count() > GAPS
}

/// Whether a line is the heading of a failure in a list of them: `  1) adds the tax`.
fn is_numbered(line: &str) -> bool {
    let text = line.trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with(") ")
}

/// The line after the last one that belongs to the failure in a line, of a block that begins at `start`.
fn block_end(lines: &[&str], start: usize, at: usize) -> usize {
    let most = lines.len().min(at + BLOCK_LINES);
    let mut own = margin(lines[if is_numbered(lines[start]) { start } else { at }]);
    // An advisory goes on to the end of its paragraph, and so does what a heading such as `Failure:` is above.
    let is_heading = !lines[at].trim().contains(' ') && lines[at].ends_with(':');
    let is_bare_place = said::is_path_with_line(lines[at].trim()) || lines[at].starts_with(ADVISORY) || is_heading;
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
        if is_row(line) && is_row(lines[at]) {
            break;
        }
        let is_wanted = WANTED.iter().any(|word| begins_with(line.trim_start(), word));
        let goes_on = is_panic
            || is_bare_place
            || margin(line) > own
            || is_code
            || trace::goes_on(line)
            || line.starts_with("E  ")
            || is_line_of_tex(line)
            || lines.get(next + 1).is_some_and(|below| begins_trace(below))
            || is_wanted;
        let said = said::of(line);
        if said == Said::Good {
            break;
        }
        let is_next = matches!(said, Said::Failure | Said::Passed | Said::Failed | Said::Warning);
        let is_equal = margin(line) <= own + 1 && !line.starts_with("E  ") && !is_code;
        if !goes_on || (is_next && is_equal && !is_panic && !is_wanted) {
            break;
        }
        if is_wanted {
            // What follows may be indented less than the message was.
            own = own.min(margin(line));
        }
        end = next + 1;
    }
    end
}

/// Whether a line is the first frame of a stack trace, as debuggers and sanitizers number them.
fn begins_trace(line: &str) -> bool {
    line.trim_start().starts_with("#0 ")
}

/// Whether a line is the place of an error of TeX: `l.141 \nowhere`.
fn is_line_of_tex(line: &str) -> bool {
    line.strip_prefix("l.").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
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
                    || matches!(said::of(line), Said::Failure | Said::Failed | Said::Place)
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
mod controls;
#[cfg(test)]
mod tests;
