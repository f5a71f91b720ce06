//! Logs: lines are grouped by template with counts, errors and warnings first, stack traces whole.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::ops::Range;

use super::cover::Cover;
use super::log_lines::Preludes;
use super::piece::Piece;
use super::severity::{self, Graded, Grades, LogLevel, Severity};
use super::template::Templates;
use super::trace;
use crate::hash::{ByHash, hash, mixed};

/// More records are not put in an order.
const MOST_PIECES: usize = 1 << 12;
/// Lines by which it is known what entries begin with.
const LOOKED_AT: usize = 2000;

/// A log in pieces.
pub struct Log<'a> {
    /// The most important pieces first.
    pub pieces: Vec<Piece<'a>>,
    /// The number of different templates.
    pub templates: usize,
    /// The different records of each level that is an error or a warning, without what precedes their first word, in the order
    /// of [`LogLevel::ALL`].
    pub distinct: [usize; LogLevel::ALL.len()],
    /// The records of each level, in the same order.
    pub levels: [usize; LogLevel::ALL.len()],
}

/// One record of a log: a line and the lines that belong to it, such as a stack trace. There may be millions.
struct LogRecord {
    start: u32,
    end: u32,
    /// Of its first line, except for the level, which may be that of its trace.
    graded: Graded,
}

impl LogRecord {
    fn lines(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    fn severity(&self) -> Severity {
        self.graded.level.severity()
    }
}

/// Records that are the same.
struct RecordGroup {
    first: usize,
    last: usize,
    count: usize,
}

/// Groups the lines of a log.
pub fn fold<'a>(text: &'a str, lines: &[&'a str]) -> Log<'a> {
    let records = records(lines);
    let message = |record: &LogRecord| &lines[record.start as usize][record.graded.message as usize..];
    let template_of = Templates::of(records.iter().map(|record| (message(record), record.severity().name()))).of_line;
    let mut by_template: Vec<RecordGroup> = Vec::new();
    for (index, &template) in template_of.iter().enumerate() {
        // Templates are numbered in order, so a new one is the next.
        let template = template as usize;
        if template == by_template.len() {
            by_template.push(RecordGroup { first: index, last: index, count: 0 });
        }
        let group = &mut by_template[template];
        group.last = index;
        group.count += 1;
    }

    let mut pieces = Vec::new();
    let mut distinct = [0; LogLevel::ALL.len()];
    for severity in [Severity::Error, Severity::Warning] {
        let groups = same_but_for_time(&records, text, lines, severity);
        groups.iter().for_each(|group| distinct[records[group.first].graded.level as usize] += 1);
        // One record of each template before a second of the same.
        let mut seen = vec![false; by_template.len()];
        let is_new = |group: &RecordGroup| !std::mem::replace(&mut seen[template_of[group.first] as usize], true);
        let (new, known): (Vec<RecordGroup>, Vec<RecordGroup>) = groups.into_iter().partition(is_new);
        let alike = |group: &RecordGroup| by_template[template_of[group.first] as usize].count;
        pieces.extend(new.iter().map(|group| piece(group, (group.count, alike(group)), &records, text, lines)));
        pieces.extend(known.iter().map(|group| piece(group, (group.count, 1), &records, text, lines)));
    }
    // Frequent templates characterize the log; after them, the records that say most beyond these.
    let mut frequent: BinaryHeap<(usize, Reverse<usize>)> = by_template
        .iter()
        .enumerate()
        .filter(|(_, group)| group.count > 1 && records[group.first].severity() == Severity::Other)
        .map(|(at, group)| (group.count, Reverse(at)))
        .collect();
    let frequent = std::iter::from_fn(|| frequent.pop()).map(|(_, Reverse(at))| at);
    pieces.extend(frequent.map(|at| piece(&by_template[at], (1, by_template[at].count), &records, text, lines)));
    let seen: HashSet<usize> = pieces.iter().map(|piece| piece.line).collect();
    let mut cover = Cover::default();
    records.iter().for_each(|record| cover.add(lines[record.start as usize], 1));
    (0..records.len()).filter(|&at| seen.contains(&(records[at].start as usize))).for_each(|at| cover.show(at));
    while let Some(at) = cover.next()
        && pieces.len() < MOST_PIECES
    {
        let record = &records[at];
        if record.severity() == Severity::Other && !seen.contains(&(record.start as usize)) {
            cover.show(at);
            pieces.push(Piece::once(record.start as usize, Piece::of_lines(text, lines, record.lines()), ""));
        }
    }
    let mut levels = [0; LogLevel::ALL.len()];
    records.iter().for_each(|record| levels[record.graded.level as usize] += 1);
    Log { pieces, templates: by_template.len(), distinct, levels }
}

fn piece<'a>(
    group: &RecordGroup,
    (count, alike): (usize, usize),
    records: &[LogRecord],
    text: &'a str,
    lines: &[&'a str],
) -> Piece<'a> {
    let first = &records[group.first];
    Piece {
        line: first.start as usize,
        text: Piece::of_lines(text, lines, first.lines()),
        count,
        alike,
        last_line: records[group.last].start as usize,
        class: first.severity().name(),
    }
}

/// The records of one severity, grouped if they differ only in their time, process ids and counters.
fn same_but_for_time(records: &[LogRecord], text: &str, lines: &[&str], severity: Severity) -> Vec<RecordGroup> {
    let whole = |index: usize| Piece::of_lines(text, lines, records[index].lines());
    let untimed = |index: usize| Untimed::of(whole(index), &records[index].graded);
    let mut groups: Vec<RecordGroup> = Vec::new();
    let mut by_text: ByHash<usize> = ByHash::default();
    for (index, _) in records.iter().enumerate().filter(|(_, record)| record.severity() == severity) {
        let content = untimed(index);
        let hash = content.hash();
        let is_known = |first: usize| whole(first) == whole(index) || untimed(first).is_same(&content);
        let known = by_text.get(&hash).copied().filter(|group| is_known(groups[*group].first));
        let group = known.unwrap_or_else(|| {
            by_text.insert(hash, groups.len());
            groups.push(RecordGroup { first: index, last: index, count: 0 });
            groups.len() - 1
        });
        groups[group].last = index;
        groups[group].count += 1;
    }
    groups
}

/// A record without its time, process ids and counters.
struct Untimed<'a> {
    /// The name of the program, before the time.
    program: &'a str,
    /// What is between the time and the level.
    before: &'a str,
    /// From the level on, or from the first word if no level follows it.
    message: &'a str,
}

impl<'a> Untimed<'a> {
    fn of(record: &'a str, graded: &Graded) -> Self {
        let [program, start, level] = [graded.program, graded.message, graded.at].map(|at| at as usize);
        Self { program: &record[..program], before: &record[start..level], message: &record[level..] }
    }

    /// The words before the level, except for numbers in brackets: threads and processes.
    fn words(&self) -> impl Iterator<Item = &'a str> {
        let has = |word: &str, mark: &[u8]| word.bytes().any(|byte| mark.contains(&byte));
        self.before.split_whitespace().filter(move |word| !(has(word, b"[]()") && has(word, b"0123456789")))
    }

    fn hash(&self) -> u64 {
        let names = std::iter::once(self.program).chain(self.words());
        names.fold(hash(self.message.as_bytes()), |sum, name| mixed(sum, hash(name.as_bytes())))
    }

    fn is_same(&self, other: &Self) -> bool {
        self.message == other.message && self.program == other.program && self.words().eq(other.words())
    }
}

/// Groups lines into records; blank lines belong to none, except within a stack trace.
fn records(lines: &[&str]) -> Vec<LogRecord> {
    // There are hardly fewer: growing would hold twice as many.
    let mut records: Vec<LogRecord> = Vec::with_capacity(lines.len());
    let mut trace = Trace::None;
    let grades = Grades::of(lines.iter().copied().filter(|line| !line.trim_start().is_empty()));
    let preludes = Preludes::of(&lines[..lines.len().min(LOOKED_AT)]);
    for (index, line) in lines.iter().enumerate() {
        let is_next = records.last().is_some_and(|record| record.end as usize == index);
        if line.trim_start().is_empty() {
            let (before, after) = (index.checked_sub(1).map(|at| lines[at]), lines.get(index + 1));
            let is_within = before.is_some_and(trace::is_joint)
                || after.is_some_and(|after| {
                    trace::is_joint(after) || (trace::is_go(after) && before.is_some_and(trace::is_panic))
                });
            match records.last_mut().filter(|_| is_next && is_within) {
                Some(record) => record.end = index as u32 + 1,
                None => trace = Trace::None,
            }
            continue;
        }
        let graded = grades.graded(line);
        let is_below = records.last().is_some_and(|record| {
            let first = lines[record.start as usize];
            let is_part = || preludes.is_part((line, graded.level), (first, record.graded.level));
            is_below(line, &graded, first, record) || graded.message == 0 && is_part()
        });
        let goes_on = is_next && (is_below || trace.goes_on(line) || lines[index - 1].trim_start().is_empty());
        trace = trace.after(line, goes_on);
        match records.last_mut().filter(|_| goes_on) {
            Some(record) => {
                record.end = index as u32 + 1;
                // A trace is an error even if the line above does not say so.
                let severity = graded.level.severity();
                if (trace != Trace::None || severity == Severity::Error) && severity > record.severity() {
                    record.graded.level = graded.level;
                }
            }
            None => records.push(LogRecord { start: index as u32, end: index as u32 + 1, graded }),
        }
    }
    records
}

/// Whether what a line says behind its time is indented more than the first line of a record.
fn is_below(line: &str, graded: &Graded, first: &str, record: &LogRecord) -> bool {
    let margin = |line: &str, graded: &Graded| {
        let before = line[..graded.message as usize].trim_end_matches(|c: char| !c.is_alphanumeric() && c != ']');
        let rest = &line[before.len()..];
        rest.len() - rest.trim_start_matches(' ').len()
    };
    graded.message > 0
        && record.graded.message > 0
        && margin(line, graded) > margin(first, &record.graded) + 1
        && severity::named(line).is_none()
}

/// The kind of stack trace that the current line may continue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trace {
    None,
    /// Indented frames (Java, JavaScript, .NET, Rust); ends at a line that is not indented.
    Frames,
    /// Python: the exception follows the frames, not indented.
    Python,
    /// Go: until a blank line.
    Go,
}

impl Trace {
    /// Whether a line continues the record before it.
    fn goes_on(self, line: &str) -> bool {
        match self {
            Self::None | Self::Frames => {
                line.starts_with([' ', '\t']) || trace::goes_on(line) || trace::is_python(line) || trace::is_go(line)
            }
            Self::Python => true,
            Self::Go => !line.is_empty(),
        }
    }

    /// The state after one more line, which continued the record (`goes_on`) or began one.
    fn after(self, line: &str, goes_on: bool) -> Self {
        let is_indented = line.starts_with([' ', '\t']);
        if trace::is_python(line) {
            return Self::Python;
        }
        if trace::is_go(line) {
            return Self::Go;
        }
        match self {
            Self::Python if is_indented => Self::Python,
            // The exception ends the trace.
            Self::Python => Self::None,
            Self::Go => Self::Go,
            Self::None | Self::Frames => {
                if goes_on {
                    Self::Frames
                } else {
                    Self::None
                }
            }
        }
    }
}

/// Whether lines look like a log: many have a time, or many repeat, or few are blank.
pub fn is_log(lines: &[&str]) -> bool {
    const SAMPLED: usize = 1000;
    const MANY_LINES: usize = 200;
    let filled: Vec<&str> = lines.iter().copied().filter(|line| !line.trim().is_empty()).collect();
    if filled.is_empty() {
        return false;
    }
    let step = filled.len().div_ceil(SAMPLED);
    let sample: Vec<&str> = filled.iter().step_by(step).copied().collect();
    let stamped = sample.iter().filter(|line| has_time(line)).count();
    let kinds = Templates::of(sample.iter().map(|line| (*line, ""))).total;
    let repeats = sample.len() >= 20 && kinds * 2 <= sample.len();
    // Prose has a blank line between its paragraphs.
    let is_dense = lines.len() >= MANY_LINES && (lines.len() - filled.len()) * 20 < lines.len();
    stamped * 10 >= sample.len() * 3 || repeats || is_dense
}

/// Whether a line has a time of day near its start.
fn has_time(line: &str) -> bool {
    let start: Vec<u8> = line.bytes().take(64).collect();
    let digits = |range: &[u8]| range.iter().all(u8::is_ascii_digit);
    start.windows(8).any(|w| w[2] == b':' && w[5] == b':' && digits(&w[..2]) && digits(&w[3..5]) && digits(&w[6..]))
}

#[cfg(test)]
mod tests {
    use super::{LogLevel, fold, is_log};

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test]
    fn keeps_stack_traces_whole() {
        let text = "2026-11-20 10:00:00 INFO start\n\
            2026-11-20 10:00:01 ERROR boom\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n\
            ValueError: no\n2026-11-20 10:00:02 INFO go on\njava.lang.RuntimeException: x\n\tat a.B.c(B.java:1)\n\
            Caused by: java.io.IOException: y\n\t... 3 more\n";
        let log = fold(text, &lines(text));
        assert_eq!(log.distinct, [0, 2, 0, 0, 0, 0, 0]);
        assert!(log.pieces[0].text.ends_with("ValueError: no"), "{}", log.pieces[0].text);
        assert!(log.pieces[1].text.starts_with("java.lang") && log.pieces[1].text.ends_with("3 more"));
    }

    #[test]
    fn errors_that_differ_in_time_alone_are_one() {
        let text = "[Sun Dec 04 04:47:44 2005] [error] child 1 in state 6\n\
            [Sun Dec 04 04:48:00 2005] [error] child 1 in state 6\n\
            [Sun Dec 04 04:49:00 2005] [error] child 2 in state 6\n";
        let log = fold(text, &lines(text));
        assert_eq!((log.distinct[LogLevel::Error as usize], log.templates), (2, 1));
        assert_eq!((log.pieces[0].count, log.pieces[0].last_line), (2, 1));
        assert!(is_log(&lines(text)));
        assert!(!is_log(&["# Title", "", "Some words.", "Other words."]));
    }

    #[test]
    fn what_is_indented_behind_its_time_belongs_to_the_line_above() {
        let step = |text: &str| format!("2026-11-20T10:00:00.0000000Z {text}\n");
        let failed = step("FAIL src/tax.test.js") + &step("  ● adds the tax") + &step("    Received: 107");
        let text = step("PASS src/a.test.js") + &failed + &step("Post job cleanup");
        let log = fold(&text, &lines(&text));
        assert!(log.pieces.iter().any(|piece| piece.text == failed.trim_end()), "{}", log.pieces[0].text);
        // Levels of different length are no margin.
        let aligned = "2026-11-20 10:00:00 ERROR a\n2026-11-20 10:00:01  INFO b\n2026-11-20 10:00:02  WARN c\n";
        assert_eq!(fold(aligned, &lines(aligned)).levels.iter().sum::<usize>(), 3);
        let kernel = "[  900.123456] a b\n[    4.123456] c d\n";
        assert_eq!(fold(kernel, &lines(kernel)).levels.iter().sum::<usize>(), 2);
    }

    #[test]
    fn process_ids_make_no_difference_but_numbers_in_messages_do() {
        let one = |text: &str| fold(text, &lines(text)).distinct[LogLevel::Error as usize];
        for (same, others) in [
            (
                "2026-11-20 10:00:00.123 UTC [7] ERROR:  gone\n2026-11-20 10:00:01.123 UTC [8] ERROR:  gone\n",
                "2026-11-20 10:00:00.123 UTC [7] ERROR:  key 7\n2026-11-20 10:00:00.123 UTC [7] ERROR:  key 8\n",
            ),
            (
                "2026-11-20T10:00:00Z\t1\tERROR\tgone\n2026-11-20T10:00:01Z\t2\tERROR\tgone\n",
                "2026-11-20T10:00:00Z\t1\tERROR\tkey-7\n2026-11-20T10:00:01Z\t2\tERROR\tkey-8\n",
            ),
            (
                "2026-11-20 10:00:00 app [http-8080-1] ERROR gone\n2026-11-20 10:00:00 app [http-8080-2] ERROR gone\n",
                "2026-11-20 10:00:00 app ERROR gone\n2026-11-20 10:00:00 web ERROR gone\n",
            ),
            (
                "web-1  | 10:00:00 ERROR gone\nweb-1  | 10:00:01 ERROR gone\n",
                "web-1  | 10:00:00 ERROR gone\nweb-2  | 10:00:01 ERROR gone\n",
            ),
        ] {
            assert_eq!((one(same), one(others)), (1, 2), "{same}{others}");
        }
    }
}
